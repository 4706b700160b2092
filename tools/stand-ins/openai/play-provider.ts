import type { LocalReply } from '../server/local-server.ts';
import type { RecordedRequest } from '../server/request-log.ts';
import { completionOf, type ScriptedAnswer } from './chat-answer.ts';
import { ChatRequest, schemaOf, textOf } from './chat-request.ts';
import type { ChatQuirks, EmbeddingQuirks, Provider, Refused } from './providers.ts';
import { textVector } from './text-vector.ts';

/** Answers a chat request as a provider does: refuses what it refuses, and words the answer of the model its way. */
const chatOfProvider = async (
  provider: Provider,
  json: Record<string, unknown>,
  answer: (request: ChatRequest) => Promise<ScriptedAnswer>,
): Promise<LocalReply> => {
  const { chat } = provider;
  const model = String(json.model);
  if (chat === undefined || model !== chat.model) return replyOf(provider.unknownModel(model));
  const refused = refusalOf(chat, json);
  if (refused !== undefined) return replyOf(refused);
  const known = Object.entries(json).filter(([name]) => name in ChatRequest.shape);
  const request = ChatRequest.parse(Object.fromEntries(known));
  const enforced = chat.isFormatIgnored ? undefined : request.response_format;
  // A model whose format is not enforced reads the prompt alone.
  const { response_format: _, ...asked } = request;
  const seen: ChatRequest = enforced === undefined ? asked : request;
  const scripted = await answer(seen);
  const isFree = enforced === undefined || enforced.type === 'text';
  const { content, finish, usage, id, created } = completionOf(scripted, {
    request,
    model: { kind: 'chat', id: model, dated: model, isReasoning: false, contextTokens: 128_000 },
    id: 'chatcmpl-provider',
    now: Date.now(),
  });
  const isObject = schemaOf(request) !== undefined && content !== null && content !== '';
  const text = isFree && isObject && chat.writes ? chat.writes(content) : (content ?? '');
  const why = finish === 'stop' && chat.finish !== undefined ? chat.finish : finish;
  const common = { id, created, model, ...chat.extra };
  if (request.stream !== true) {
    const message = chat.message?.(text) ?? { role: 'assistant', content: text };
    const choices = [{ index: 0, message, finish_reason: why }];
    return { status: 200, body: { ...common, object: 'chat.completion', choices, usage } };
  }
  return {
    status: 200,
    body: '',
    headers: { 'content-type': 'text/event-stream' },
    chunks: stream(chat, { text, why, common, usage }),
  };
};

const replyOf = ({ status, body }: Refused): LocalReply => ({
  status,
  body,
  ...(typeof body === 'string'
    ? { headers: { 'content-type': body.startsWith('<') ? 'text/html' : 'text/plain' } }
    : {}),
});

const refusalOf = (chat: ChatQuirks, json: Record<string, unknown>): Refused | undefined => {
  const others = Object.keys(json).filter(
    (name) => name !== 'model' && name !== 'messages' && !chat.takes.includes(name),
  );
  if (others.length > 0 && chat.refuses !== undefined) return chat.refuses(others);
  const messages = json.messages as ChatRequest['messages'];
  if (chat.refusesSystem !== undefined && messages.some(({ role }) => role === 'system'))
    return chat.refusesSystem();
  const format = json.response_format as ChatRequest['response_format'];
  if (format === undefined || !chat.takes.includes('response_format')) return undefined;
  if (!chat.formats.includes(format.type)) return chat.refusesFormat?.(format.type);
  const hasWord = messages.some(({ content }) => /json/i.test(textOf(content)));
  if (format.type === 'json_object' && !hasWord)
    return {
      status: 400,
      body: { error: { message: "messages must contain the word 'json' in some form" } },
    };
  const bound = /"(minItems|maxItems|minLength|maxLength|pattern)":/.exec(
    JSON.stringify(format),
  )?.[1];
  return bound === undefined ? undefined : chat.refusesBounds?.(bound);
};

/** Characters of a chunk. */
const CHUNK_CHARACTERS = 24;

async function* stream(
  chat: ChatQuirks,
  {
    text,
    why,
    common,
    usage,
  }: { text: string; why: string | null; common: object; usage: unknown },
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const chunk = (choices: unknown[], more: object = {}) =>
    encoder.encode(
      `data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', choices, ...more })}\n\n`,
    );
  if (chat.before !== undefined) yield encoder.encode(chat.before);
  yield chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]);
  const characters = [...text];
  for (let at = 0; at < characters.length; at += CHUNK_CHARACTERS) {
    const piece = characters.slice(at, at + CHUNK_CHARACTERS).join('');
    yield chunk([
      { index: 0, delta: chat.delta?.(piece) ?? { content: piece }, finish_reason: null },
    ]);
    if (chat.between !== undefined) yield encoder.encode(chat.between);
  }
  yield chunk([{ index: 0, delta: {}, finish_reason: why }]);
  yield chunk([], { usage });
  if (chat.isWithoutDone !== true) yield encoder.encode('data: [DONE]\n\n');
}

/** Answers a request for embeddings as a provider does. */
const embeddingsOfProvider = (provider: Provider, json: Record<string, unknown>): LocalReply => {
  const { embeddings } = provider;
  const model = String(json.model);
  if (embeddings === undefined) return replyOf(provider.unknownPath(`${provider.path}/embeddings`));
  if (model !== embeddings.model) return replyOf(provider.unknownModel(model));
  const inputs = [json.input].flat().map(String);
  const refused = refusalOfInputs(embeddings, json, inputs);
  if (refused !== undefined) return replyOf(refused);
  const takesDimensions = embeddings.takes.includes('dimensions');
  const length =
    takesDimensions && typeof json.dimensions === 'number'
      ? json.dimensions
      : embeddings.dimensions;
  const isBase64 = json.encoding_format === 'base64' && embeddings.formats.includes('base64');
  const data = inputs.map((input, index) => {
    const vector = textVector(input, length);
    const embedding = isBase64 ? Buffer.from(vector.buffer).toString('base64') : [...vector];
    const isMissing = embeddings.order === 'missing-first' && index === 0;
    return { object: 'embedding', embedding, ...(isMissing ? {} : { index }) };
  });
  if (embeddings.order === 'reversed') data.reverse();
  return {
    status: 200,
    body: { object: 'list', data, model, usage: { prompt_tokens: 1, total_tokens: 1 } },
  };
};

const refusalOfInputs = (
  embeddings: EmbeddingQuirks,
  json: Record<string, unknown>,
  inputs: readonly string[],
): Refused | undefined => {
  const { takes, formats, maxInputs, maxCharacters = Number.POSITIVE_INFINITY } = embeddings;
  const others = Object.keys(json).filter((name) => !['model', 'input', ...takes].includes(name));
  if (others.length > 0 && embeddings.refuses !== undefined) return embeddings.refuses(others);
  const format = json.encoding_format;
  if (typeof format === 'string' && !formats.some((each) => each === format)) {
    const refused = embeddings.refusesFormat?.(format);
    if (refused !== undefined) return refused;
  }
  if (inputs.length > maxInputs) return embeddings.refusesInputs(inputs.length);
  const longest = Math.max(...inputs.map((input) => input.length));
  return longest > maxCharacters ? embeddings.refusesLength?.(longest) : undefined;
};

/** Refuses a request without the provider's key or version. */
const accessRefusalOf = (
  provider: Provider,
  { headers, query }: RecordedRequest,
  apiKey: string,
): LocalReply | undefined => {
  const given =
    provider.keyHeader === undefined ? headers.authorization : headers[provider.keyHeader];
  if (given !== (provider.keyHeader === undefined ? `Bearer ${apiKey}` : apiKey))
    return {
      status: 401,
      body: { error: { message: 'Access denied due to invalid subscription key.', code: '401' } },
    };
  if (provider.hasApiVersion === true && !/^\d{4}/.test(query.get('api-version') ?? ''))
    return { status: 404, body: { error: { code: '404', message: 'Resource not found' } } };
  return undefined;
};

/** Answers any request to a provider. */
export async function replyOfProvider(
  provider: Provider,
  request: RecordedRequest,
  { apiKey, answer }: { apiKey: string; answer: (asked: ChatRequest) => Promise<ScriptedAnswer> },
): Promise<LocalReply> {
  const { path } = request;
  const below = path.startsWith(`${provider.path}/`) ? path.slice(provider.path.length) : '';
  const [, deployment, endpoint = ''] =
    /^(\/[^/]+)?(\/chat\/completions|\/embeddings)$/.exec(below) ?? [];
  if (endpoint === '' || (provider.hasApiVersion === true) !== (deployment !== undefined))
    return replyOf(provider.unknownPath(path));
  const refused = accessRefusalOf(provider, request, apiKey);
  if (refused !== undefined) return refused;
  // What clients send is an object.
  const json = JSON.parse(request.body) as Record<string, unknown>;
  const named =
    deployment === undefined ? json : { ...json, model: decodeURIComponent(deployment.slice(1)) };
  return endpoint === '/embeddings'
    ? embeddingsOfProvider(provider, named)
    : chatOfProvider(provider, named, answer);
}
