import {
  type ChatScript,
  type Completion,
  completionOf,
  usualAnswer,
} from '../openai/chat-answer.ts';
import { ChatRequest } from '../openai/chat-request.ts';
import { answerOf } from '../openai/openai-server.ts';
import { textVector } from '../openai/text-vector.ts';
import type { Faults } from '../server/faults.ts';
import { type LocalReply, startLocalServer } from '../server/local-server.ts';
import type { RecordedRequest } from '../server/request-log.ts';

/** A call of the binding: `env.AI.run(model, inputs)`. */
interface Run {
  model: string;
  inputs: Record<string, unknown>;
}

export interface WorkersAIServer {
  /** What the binding of a local function leads to. */
  url: string;
  faults: Faults;
  /** Calls of a model, oldest first. */
  runs(model: string): Run['inputs'][];
  forgetRuns(): void;
  answerWith(answer: ChatScript): void;
  /** Queues replies of the service itself, in place of a model's. */
  refuse(...refusals: ServiceRefusal[]): void;
  /** Refuses everything, until `undefined`. */
  refuseAll(refusal: ServiceRefusal | undefined): void;
  stop(): Promise<void>;
}

/** developers.cloudflare.com/workers-ai/platform/errors */
interface ServiceRefusal {
  status: number;
  internalCode: number;
  description: string;
}

/** Models by the interface that the pages of the catalogue document. */
export const NATIVE_CHAT = '@cf/meta/llama-3.3-70b-instruct-fp8-fast';
export const OPENAI_CHAT = '@cf/google/gemma-4-26b-a4b-it';
const EMBEDDING = '@cf/baai/bge-m3';
const EMBEDDING_DIMENSIONS = 1024;
const MAX_TEXTS = 100;
const RERANKER = '@cf/baai/bge-reranker-base';

/**
 * Answers as Workers AI does behind a binding: the code of the binding is that of workerd itself, and what it sends comes here. Chat models with the
 * platform's own interface (`response`; a bare schema; JSON mode without streams) and with OpenAI's (`choices`; a schema with its name),
 * embeddings of at most 100 texts, the reranker, and the platform's form of errors.
 */
export async function startWorkersAI(): Promise<WorkersAIServer> {
  let usual: ChatScript = usualAnswer;
  const refusals: ServiceRefusal[] = [];
  let always: ServiceRefusal | undefined;

  const handle = async (request: RecordedRequest): Promise<LocalReply> => {
    const [run] = runsIn(request);
    if (run === undefined) return { status: 404, body: 'no call of a model' };
    const refused = refusals.shift() ?? always;
    const reply = refused === undefined ? await replyTo(run, usual) : refusalReply(refused);
    // The proxy in front of a local binding takes other replies for those of a page that asks to sign in.
    return { ...reply, headers: { ...reply.headers, 'mf-forwarded-response': '1' } };
  };
  const server = await startLocalServer({
    handle,
    refusal: (status, description = 'it failed') =>
      refusalBody({ status, internalCode: 3000, description }),
  });
  return {
    url: server.url,
    faults: server.faults,
    runs: (model) =>
      server.requests
        .flatMap(runsIn)
        .filter((run) => run.model === model)
        .map(({ inputs }) => inputs),
    forgetRuns: server.forgetRequests,
    answerWith: (answer) => {
      usual = answer;
    },
    refuse: (...those) => void refusals.push(...those),
    refuseAll: (refusal) => {
      always = refusal;
    },
    stop: server.stop,
  };
}

/** The proxy hands a header on under a name of its own. What has none is no call. */
const runsIn = ({ headers, body }: RecordedRequest): Run[] => {
  const model = headers['mf-header-cf-consn-model-id'];
  if (typeof model !== 'string') return [];
  return [{ model, inputs: (JSON.parse(body) as { inputs: Run['inputs'] }).inputs }];
};

const refusalBody = ({ internalCode, description }: ServiceRefusal) => ({
  internalCode,
  description,
  name: 'AiError',
  message: `AiError: ${description}`,
});
const refusalReply = (refusal: ServiceRefusal): LocalReply => ({
  status: refusal.status,
  body: refusalBody(refusal),
});
const badInput = (problem: string): LocalReply =>
  refusalReply({
    status: 400,
    internalCode: 5006,
    description: `AiError: Bad input: Error: ${problem}`,
  });

const replyTo = async ({ model, inputs }: Run, script: ChatScript): Promise<LocalReply> => {
  if (model === EMBEDDING) return embed(inputs);
  if (model === RERANKER) return rerank(inputs);
  if (model === NATIVE_CHAT) return chatNatively(inputs, script);
  if (model === OPENAI_CHAT) return chatAsOpenAI(inputs, script);
  return refusalReply({
    status: 400,
    internalCode: 5007,
    description: `No such model ${model} or task`,
  });
};

const embed = ({ text }: Run['inputs']): LocalReply => {
  const texts = [text].flat().map(String);
  if (texts.length > MAX_TEXTS)
    return badInput(`oneOf at '/' not met: '/text' maxItems ${MAX_TEXTS}`);
  const data = texts.map((each) => [...textVector(each, EMBEDDING_DIMENSIONS)]);
  return {
    status: 200,
    body: { shape: [data.length, EMBEDDING_DIMENSIONS], data, pooling: 'cls' },
  };
};

const rerank = ({ query, contexts, top_k: most }: Run['inputs']): LocalReply => {
  if (typeof query !== 'string' || !Array.isArray(contexts))
    return badInput("required properties at '/' are 'query,contexts'");
  const asked = textVector(query, EMBEDDING_DIMENSIONS);
  const scores = contexts.map(({ text }: { text: string }, id) => {
    const score = textVector(text, EMBEDDING_DIMENSIONS).reduce(
      (sum, value, at) => sum + value * (asked[at] ?? 0),
      0,
    );
    return { id, score };
  });
  const response = scores
    .sort((one, other) => other.score - one.score)
    .slice(0, Number(most ?? contexts.length));
  return { status: 200, body: { response } };
};

type Schema = Record<string, unknown>;
interface Format {
  type: 'json_object' | 'json_schema';
  json_schema?: Schema;
}

/** What the scripts of models read: OpenAI's form. */
const askedIn = (inputs: Run['inputs'], format: ChatRequest['response_format']): ChatRequest => {
  const known = Object.entries(inputs).filter(([name]) => name in ChatRequest.shape);
  return ChatRequest.parse({
    ...Object.fromEntries(known),
    model: 'workers-ai',
    response_format: format,
  });
};

const complete = async (asked: ChatRequest, script: ChatScript): Promise<Completion> =>
  completionOf(await answerOf(script, asked), {
    request: asked,
    model: {
      kind: 'chat',
      id: asked.model,
      dated: asked.model,
      isReasoning: false,
      contextTokens: 24_000,
    },
    id: 'run-1',
    now: Date.now(),
  });

const chatNatively = async (inputs: Run['inputs'], script: ChatScript): Promise<LocalReply> => {
  const format = inputs.response_format as Format | undefined;
  if (format !== undefined && inputs.stream === true)
    return badInput('JSON Mode does not support stream');
  const schema = format?.json_schema;
  if (schema !== undefined && typeof schema.type !== 'string')
    return badInput("response_format/json_schema: required properties at '/' are 'type'");
  const named = schema && {
    type: 'json_schema' as const,
    json_schema: { name: String(schema.title ?? 'reply'), schema },
  };
  const { content, usage } = await complete(askedIn(inputs, named), script);
  if (inputs.stream !== true) {
    const response = format !== undefined && content ? JSON.parse(content) : content;
    return { status: 200, body: { response, tool_calls: [], usage } };
  }
  const pieces = [...(content ?? '').matchAll(/.{1,12}/gsu)].map(([response]) => ({
    response,
    p: 'abdefgh',
  }));
  return streamed([...pieces, { response: '', usage }]);
};

const chatAsOpenAI = async (inputs: Run['inputs'], script: ChatScript): Promise<LocalReply> => {
  const format = inputs.response_format as ChatRequest['response_format'];
  if (
    format?.type === 'json_schema' &&
    !('schema' in format.json_schema && 'name' in format.json_schema)
  )
    return badInput("required properties at '/response_format/json_schema' are 'name'");
  const { content, finish, usage, id, created, model } = await complete(
    askedIn(inputs, format),
    script,
  );
  const common = { id, created, model };
  if (inputs.stream !== true) {
    const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: finish }];
    return { status: 200, body: { ...common, object: 'chat.completion', choices, usage } };
  }
  const chunk = (delta: object, finish_reason: string | null) => ({
    ...common,
    choices: [{ index: 0, delta, finish_reason }],
  });
  return streamed([
    chunk({ role: 'assistant', content }, null),
    chunk({}, finish),
    { ...common, choices: [], usage },
  ]);
};

const streamed = (events: readonly unknown[]): LocalReply => ({
  status: 200,
  body: '',
  headers: { 'content-type': 'text/event-stream' },
  chunks: linesOf(events),
});

async function* linesOf(events: readonly unknown[]): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for (const event of events) yield encoder.encode(`data: ${JSON.stringify(event)}\n\n`);
  yield encoder.encode('data: [DONE]\n\n');
}
