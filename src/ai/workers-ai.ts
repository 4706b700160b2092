import { EventSourceParserStream } from 'eventsource-parser/stream';
import * as z from 'zod';
import { readAs } from '../contract/core/error-info.ts';
import { parseJson } from '../contract/core/json-object.ts';
import { isEventStream } from '../platform/http/event-stream.ts';

/** The part of a Workers AI binding that is used (developers.cloudflare.com/workers-ai/configuration/bindings). */
export interface WorkersAI {
  run(
    model: string,
    input: Record<string, unknown>,
    options?: { returnRawResponse?: boolean; signal?: AbortSignal },
  ): Promise<unknown>;
}

/** Stands for the binding where a client wants an address and a key: nothing is sent there. */
export const WORKERS_AI_SERVICE = {
  baseURL: 'https://workers-ai.invalid/v1',
  apiKey: 'binding',
} as const;

/**
 * A `fetch` that answers OpenAI's chat completions and embeddings from a binding of Workers AI, so that what is known of services that speak
 * OpenAI's protocol (refusals, streams, replies that hold an object) holds for it too.
 *
 * A schema is sent as the guide to JSON mode has it, bare; a model that refuses it so gets it with its name, as OpenAI's own models there
 * take it, and then always. JSON mode does not stream: with a schema the reply comes whole.
 */
export function workersAIFetch(ai: WorkersAI): typeof globalThis.fetch {
  /** Models that take a schema with its name alone. */
  const named = new Set<string>();
  const chat = async (
    { model, ...asked }: ChatBody,
    signal: AbortSignal | undefined,
  ): Promise<Response> => {
    const { schema, ...input } = chatInput(asked);
    const run = (isNamed: boolean) => {
      const format = schema === undefined ? {} : { response_format: formatOf(schema, isNamed) };
      return runRaw(ai, model, { ...input, ...format }, signal);
    };
    const isNamed = named.has(model);
    const reply = await run(isNamed);
    if (schema === undefined || isNamed || reply.status !== 400) return chatReply(reply, input);
    const text = await reply.text();
    const refused = () => new Response(text, reply);
    if (!/json_schema|response_format/.test(text) || UNMET.test(text))
      return chatReply(refused(), input);
    const again = await run(true);
    if (!again.ok) return chatReply(refused(), input);
    named.add(model);
    return chatReply(again, input);
  };
  return async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    const signal = init?.signal ?? undefined;
    const body = parseJson(String(init?.body));
    const request = readAs(pathname.endsWith('/embeddings') ? EmbeddingBody : ChatBody, body);
    if (!request.ok) throw new TypeError(`${pathname} is not answered by Workers AI`);
    if ('messages' in request.value) return chat(request.value, signal);
    const { model, input: text } = request.value;
    return embeddingReply(await runRaw(ai, model, { text }, signal));
  };
}

/** What the clients send here; the rest is passed on. */
const ChatBody = z.looseObject({ model: z.string(), messages: z.array(z.unknown()) });
type ChatBody = z.infer<typeof ChatBody>;
const EmbeddingBody = z.object({ model: z.string(), input: z.array(z.string()) });

const NamedSchema = z.object({
  type: z.literal('json_schema'),
  json_schema: z.looseObject({ name: z.string(), schema: z.record(z.string(), z.unknown()) }),
});
type NamedSchema = z.infer<typeof NamedSchema>;

const chatInput = (
  asked: Omit<ChatBody, 'model'>,
): Record<string, unknown> & { schema: NamedSchema | undefined } => {
  // A stream tells its tokens without being asked to.
  const { response_format: format, stream, stream_options: _, ...input } = asked;
  const read = readAs(NamedSchema, format);
  if (read.ok) return { ...input, schema: read.value };
  if (format !== undefined) return { ...input, response_format: format, schema: undefined };
  return { ...input, ...(stream === true ? { stream } : {}), schema: undefined };
};

const formatOf = (format: NamedSchema, isNamed: boolean): object =>
  isNamed
    ? format
    : { ...format, json_schema: { title: format.json_schema.name, ...format.json_schema.schema } };

/** The reply with its status; a binding that knows no raw replies gives the value alone. */
const runRaw = async (
  ai: WorkersAI,
  model: string,
  input: Record<string, unknown>,
  signal: AbortSignal | undefined,
): Promise<Response> => {
  const reply = await ai.run(model, input, {
    returnRawResponse: true,
    ...(signal === undefined ? {} : { signal }),
  });
  if (reply instanceof Response) return reply.ok ? reply : refusalOf(reply);
  if (reply instanceof ReadableStream)
    return new Response(reply, { headers: { 'content-type': 'text/event-stream' } });
  return Response.json(reply);
};

const ServiceRefusal = z.object({ internalCode: z.int(), description: z.string() });

/** Codes of developers.cloudflare.com/workers-ai/platform/errors, as OpenAI has them: a model that the account may not use, a quota. */
const CODES: ReadonlyMap<number, { status?: number; code: string }> = new Map([
  [5007, { status: 404, code: 'model_not_found' }],
  [5016, { status: 404, code: 'model_not_found' }],
  [5018, { status: 404, code: 'model_not_found' }],
  [3041, { status: 404, code: 'model_not_found' }],
  [3042, { code: 'model_not_found' }],
  [3036, { code: 'insufficient_quota' }],
]);

const refusalOf = async (reply: Response): Promise<Response> => {
  const text = await reply.text();
  const read = readAs(ServiceRefusal, parseJson(text));
  if (!read.ok) return new Response(text, reply);
  const { internalCode, description: message } = read.value;
  const { status = reply.status, code = String(internalCode) } = CODES.get(internalCode) ?? {};
  return Response.json({ error: { message, code } }, { status });
};

/** A model that did not keep to the schema this time (the guide to JSON mode): a reply, though not the one that was asked for. */
const UNMET = /couldn't be met/i;

/** Most models reply with `response`, as text or parsed; those with OpenAI's interface with `choices`. */
const ChatReply = z.object({
  response: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
  tool_calls: z.unknown().optional(),
  usage: z.unknown().optional(),
});

const Usage = z.object({ completion_tokens: z.number() });

/** Most models do not say why they ended: at the limit of tokens a text is cut off. */
const finishOf = (
  usage: unknown,
  { max_tokens: limit }: Record<string, unknown>,
): 'stop' | 'length' => {
  const read = readAs(Usage, usage);
  return read.ok && typeof limit === 'number' && read.value.completion_tokens >= limit
    ? 'length'
    : 'stop';
};

const chatReply = async (reply: Response, input: Record<string, unknown>): Promise<Response> => {
  if (reply.ok && reply.body !== null && isEventStream(reply.headers))
    return new Response(chunksOf(reply.body, input), {
      headers: { 'content-type': 'text/event-stream' },
    });
  const text = await reply.text();
  if (!reply.ok && UNMET.test(text)) return completion('', { finish: 'stop' });
  const value = parseJson(text);
  const read = readAs(ChatReply, value);
  if (!reply.ok || !read.ok || isOpenAIs(value)) return new Response(text, reply);
  const { response, usage } = read.value;
  if (response === undefined || response === null) return new Response(text, reply);
  return completion(response, { finish: finishOf(usage, input), usage });
};

const isOpenAIs = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'choices' in value;

const completion = (
  content: unknown,
  { finish, usage }: { finish: string; usage?: unknown },
): Response =>
  Response.json({
    choices: [{ message: { role: 'assistant', content }, finish_reason: finish }],
    usage,
  });

const Event = z.object({
  response: z.union([z.string(), z.number()]).nullish(),
  usage: z.unknown().optional(),
});

/** The events of a stream as OpenAI's: a piece of the text in each, its end when the service says so. */
const chunksOf = (
  body: ReadableStream<Uint8Array>,
  input: Record<string, unknown>,
): ReadableStream<Uint8Array> => {
  let lastUsage: unknown;
  let isOther = false;
  const asChunk = new TransformStream<{ data: string }, string>({
    transform: ({ data }, controller) => {
      const send = (value: unknown) => controller.enqueue(`data: ${JSON.stringify(value)}\n\n`);
      const value = parseJson(data);
      const read = readAs(Event, value);
      if (data.trim() === '[DONE]') {
        if (!isOther) send({ choices: [{ delta: {}, finish_reason: finishOf(lastUsage, input) }] });
        controller.enqueue('data: [DONE]\n\n');
      } else if (!read.ok || isOpenAIs(value) || read.value.response == null) {
        isOther ||= isOpenAIs(value);
        controller.enqueue(`data: ${data}\n\n`);
      } else {
        const { response, usage } = read.value;
        lastUsage = usage ?? lastUsage;
        send({ choices: [{ delta: { content: String(response) } }], usage });
      }
    },
  });
  return body
    .pipeThrough(new TextDecoderStream() as unknown as ReadableWritablePair<string, Uint8Array>)
    .pipeThrough(new EventSourceParserStream())
    .pipeThrough(asChunk)
    .pipeThrough(new TextEncoderStream());
};

const EmbeddingReply = z.object({ data: z.array(z.unknown()) });

/** `{shape, data: [[…], …]}` (developers.cloudflare.com/workers-ai/models/bge-m3), in the order of the texts. */
const embeddingReply = async (reply: Response): Promise<Response> => {
  if (!reply.ok) return reply;
  const text = await reply.text();
  const read = readAs(EmbeddingReply, parseJson(text));
  if (!read.ok) return new Response(text, reply);
  const data = read.value.data.map((embedding, index) =>
    Array.isArray(embedding) ? { index, embedding } : embedding,
  );
  return Response.json({ data });
};
