import type { Faults } from '../server/faults.ts';
import { type LocalReply, startLocalServer } from '../server/local-server.ts';
import type { RecordedRequest } from '../server/request-log.ts';
import {
  type ChatScript,
  completionBody,
  completionOf,
  type ScriptedAnswer,
  usualAnswer,
} from './chat-answer.ts';
import { type ChatRequest, readChatRequest } from './chat-request.ts';
import { streamCompletion } from './chat-stream.ts';
import { replyToEmbeddings } from './embeddings.ts';
import { type LocalModel, localModels } from './models.ts';
import { replyOfProvider } from './play-provider.ts';
import type { Provider } from './providers.ts';
import { unknownModel } from './read-request.ts';
import { refusal, refusalBody, USUAL_MESSAGES } from './refusal.ts';

export interface OpenAIServerOptions {
  /** 0, a free one, when absent. */
  port?: number | undefined;
  apiKey?: string | undefined;
  /** Dimensions of the model `local-embedding`, which stands for one that is not OpenAI's; 384 when absent. */
  dimensions?: number | undefined;
  /** Another service to play than OpenAI. */
  provider?: Provider | undefined;
}

export interface OpenAIServer {
  /** Ends in `/v1`, or as the provider has it: what goes into a client's `baseURL`. */
  url: string;
  apiKey: string;
  /** Paths begin with `/v1`: `faults.always({ kind: 'delay', ms: 50 }, '/v1/embeddings')`. */
  faults: Faults;
  /** What has arrived, oldest first, within bounds. */
  requests: readonly RecordedRequest[];
  forgetRequests(): void;
  /** Bodies of the requests to a path below `/v1`, parsed: `sent('/chat/completions')`. */
  sent(path: string): unknown[];
  /** Queues answers of the chat model, one for each request that is accepted. */
  script(...answers: ChatScript[]): void;
  /** Answers whatever no script is left for; `undefined`: as before, a document that fits the schema asked for. */
  answerWith(answer: ChatScript | undefined): void;
  stop(): Promise<void>;
}

/** An exhausted account: status 429 like a limit that passes, distinguished by its code alone. */
export const QUOTA_USED_UP = {
  kind: 'status',
  status: 429,
  message: 'You exceeded your current quota, please check your plan and billing details.',
} as const;

/** Answers as api.openai.com does to embeddings, chat completions and models: over the loopback interface, from a script. */
export async function startOpenAIServer(options: OpenAIServerOptions = {}): Promise<OpenAIServer> {
  const { port, apiKey = 'sk-local-0000', dimensions = 384, provider } = options;
  const models = localModels(dimensions);
  const queue: ChatScript[] = [];
  let usual: ChatScript = usualAnswer;
  let count = 0;

  const handle = async (request: RecordedRequest): Promise<LocalReply> => {
    count += 1;
    if (provider !== undefined) {
      const answer = (asked: ChatRequest) => answerOf(queue.shift() ?? usual, asked);
      return replyOfProvider(provider, request, { apiKey, answer });
    }
    const id = `${count}`.padStart(8, '0');
    const reply = refusalOfKey(request, apiKey) ?? (await route(request, id));
    return { ...reply, headers: { ...commonHeaders(id), ...reply.headers } };
  };

  const route = async (
    { method, path, body }: RecordedRequest,
    id: string,
  ): Promise<LocalReply> => {
    if (method === 'GET' && (path === '/v1/models' || path.startsWith('/v1/models/')))
      return replyToModels(path, models);
    if (method === 'POST' && path === '/v1/embeddings') return replyToEmbeddings(body, models);
    if (method === 'POST' && path === '/v1/chat/completions') return chat(body, id);
    return refusal(404, `Invalid URL (${method} ${path})`);
  };

  const chat = async (body: string, id: string): Promise<LocalReply> => {
    const read = readChatRequest(body, models);
    if (!read.ok) return read.refused;
    const { request, model } = read;
    const answer = await answerOf(queue.shift() ?? usual, request);
    if (answer.error !== undefined) {
      const { status, message = USUAL_MESSAGES[status] ?? 'It failed.', headers } = answer.error;
      return refusal(status, message, { headers });
    }
    const completion = completionOf(answer, {
      request,
      model,
      id: `chatcmpl-local${id}`,
      now: Date.now(),
    });
    if (request.stream !== true) return { status: 200, body: completionBody(completion) };
    const includeUsage = request.stream_options?.include_usage === true;
    return {
      status: 200,
      body: '',
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
      chunks: streamCompletion(completion, { ...answer, includeUsage, fault: answer.stream }),
    };
  };

  const server = await startLocalServer({
    port,
    handle,
    refusal: (status, message) =>
      refusalBody(status, message ?? USUAL_MESSAGES[status] ?? 'It failed.'),
  });
  return {
    url: addressOf(server.url, provider),
    apiKey,
    faults: server.faults,
    requests: server.requests,
    forgetRequests: server.forgetRequests,
    sent: (path) =>
      server.requests.filter((one) => one.path.endsWith(path)).map(({ body }) => JSON.parse(body)),
    script: (...answers) => void queue.push(...answers),
    answerWith: (answer) => {
      usual = answer ?? usualAnswer;
    },
    stop: server.stop,
  };
}

const addressOf = (origin: string, provider: Provider | undefined): string => {
  if (provider === undefined) return `${origin}/v1`;
  if (provider.hasApiVersion !== true) return `${origin}${provider.path}`;
  return `${origin}${provider.path}/${provider.chat?.model}?api-version=2024-10-21`;
};

export async function answerOf(script: ChatScript, request: ChatRequest): Promise<ScriptedAnswer> {
  const answer = typeof script === 'function' ? await script(request) : script;
  return typeof answer === 'string' ? { text: answer } : answer;
}

const refusalOfKey = ({ headers }: RecordedRequest, apiKey: string): LocalReply | undefined => {
  const { authorization } = headers;
  if (authorization === `Bearer ${apiKey}`) return undefined;
  if (authorization !== undefined) return refusal(401, USUAL_MESSAGES[401] ?? '');
  return refusal(
    401,
    "You didn't provide an API key. You need to provide your API key in an Authorization header.",
  );
};

const commonHeaders = (id: string) => ({
  'x-request-id': `req_local${id}`,
  'openai-version': '2020-10-01',
  'openai-processing-ms': '1',
  'x-ratelimit-limit-requests': '10000',
  'x-ratelimit-remaining-requests': '9999',
  'x-ratelimit-reset-requests': '6ms',
});

const replyToModels = (path: string, models: ReadonlyMap<string, LocalModel>): LocalReply => {
  const data = [...models.keys()].map((id) => ({
    id,
    object: 'model',
    created: 1_700_000_000,
    owned_by: 'local',
  }));
  if (path === '/v1/models') return { status: 200, body: { object: 'list', data } };
  const id = decodeURIComponent(path.slice('/v1/models/'.length));
  const model = data.find((one) => one.id === id);
  return model === undefined ? unknownModel(id) : { status: 200, body: model };
};
