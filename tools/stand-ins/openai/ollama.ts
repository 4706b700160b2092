import type { Faults } from '../server/faults.ts';
import { type LocalReply, startLocalServer } from '../server/local-server.ts';
import type { RecordedRequest } from '../server/request-log.ts';
import { type ChatScript, usualAnswer } from './chat-answer.ts';
import { answerOf } from './openai-server.ts';
import { replyOfProvider } from './play-provider.ts';
import { PROVIDERS, type Provider } from './providers.ts';

/** A model that the server has pulled. */
export interface PulledModel {
  name: string;
  /** Older servers do not tell. */
  capabilities?: readonly string[] | undefined;
  /** Days ago; the order of pulling. */
  age?: number;
  /** Length of its vectors. */
  dimensions?: number;
  /** It runs at ollama.com. */
  isRemote?: boolean;
}

export interface OllamaServer {
  /** `http://127.0.0.1:<port>` */
  url: string;
  /** Its value for OLLAMA_HOST. */
  host: string;
  faults: Faults;
  requests: readonly RecordedRequest[];
  /** Bodies of the requests to a path, parsed. */
  sent(path: string): Record<string, unknown>[];
  /** Answers of the chat models. */
  answerWith(answer: ChatScript): void;
  stop(): Promise<void>;
}

export interface OllamaOptions {
  models?: readonly PulledModel[];
  port?: number;
  /** Tokens of a loaded model. */
  context?: number;
}

const PULLED_AT = Date.UTC(2026, 8, 1);
const DAY_MS = 86_400_000;

/**
 * Answers as an Ollama does: its list of models, what they can do, which are loaded (docs.ollama.com/api/tags, /api/show, /api/ps), and OpenAI's
 * chat completions and embeddings, for which it takes any key (docs.ollama.com/api/openai-compatibility).
 */
export async function startOllama({
  models = [],
  port,
  context = 4096,
}: OllamaOptions = {}): Promise<OllamaServer> {
  let usual: ChatScript = usualAnswer;
  const loaded = new Set<string>();
  const byName = (name: unknown) =>
    models.find((model) => model.name === name || model.name === `${name}:latest`);

  const handle = async (request: RecordedRequest): Promise<LocalReply> => {
    const { method, path, body, headers } = request;
    if (method === 'GET' && path === '/') return { status: 200, body: 'Ollama is running' };
    if (method === 'GET' && path === '/api/tags')
      return { status: 200, body: { models: models.map(listed) } };
    if (method === 'GET' && path === '/api/ps') {
      const running = models.filter(({ name }) => loaded.has(name));
      return {
        status: 200,
        body: { models: running.map((each) => ({ ...listed(each), context_length: context })) },
      };
    }
    if (method === 'POST' && path === '/api/show') {
      const model = byName(JSON.parse(body).model);
      return model === undefined
        ? { status: 404, body: { error: 'model not found' } }
        : { status: 200, body: shown(model) };
    }
    if (!path.startsWith('/v1/')) return { status: 404, body: '404 page not found' };
    const model = byName(JSON.parse(body).model);
    if (model !== undefined) loaded.add(model.name);
    return replyOfProvider(playing(model), request, {
      apiKey: headers.authorization?.replace('Bearer ', '') ?? '',
      answer: (asked) => answerOf(usual, asked),
    });
  };

  const server = await startLocalServer({
    port,
    handle,
    refusal: (_status, message = 'it failed') => ({
      error: { message, type: 'api_error', param: null, code: null },
    }),
  });
  return {
    url: server.url,
    host: server.url.replace('http://', ''),
    faults: server.faults,
    requests: server.requests,
    sent: (path) =>
      server.requests.filter((one) => one.path === path).map(({ body }) => JSON.parse(body)),
    answerWith: (answer) => {
      usual = answer;
    },
    stop: server.stop,
  };
}

const listed = ({ name, age = 0, isRemote = false }: PulledModel) => ({
  name,
  model: name,
  modified_at: new Date(PULLED_AT - age * DAY_MS).toISOString(),
  size: 4_920_753_328,
  digest: 'a2af6cc3eb7fa8be8504abaf9b04e88f17a119ec3f04a3addf55f92841195f5a',
  details: {
    format: 'gguf',
    family: 'llama',
    families: ['llama'],
    parameter_size: '8.0B',
    quantization_level: 'Q4_K_M',
  },
  ...(isRemote
    ? { remote_model: name.replace(/[:-]cloud$/, ''), remote_host: 'https://ollama.com:443' }
    : {}),
});

const shown = ({ dimensions, capabilities, ...model }: PulledModel) => {
  const architecture = dimensions === undefined ? 'llama' : 'nomic-bert';
  return {
    ...listed(model),
    model_info: {
      'general.architecture': architecture,
      [`${architecture}.context_length`]: 8192,
      [`${architecture}.embedding_length`]: dimensions ?? 4096,
      ...(dimensions === undefined ? {} : { [`${architecture}.pooling_type`]: 1 }),
    },
    ...(capabilities === undefined ? {} : { capabilities }),
  };
};

/** Ollama with this model alone, as it is now: it keeps to a schema. */
const playing = (model: PulledModel | undefined): Provider => {
  const ollama = PROVIDERS.find(({ name }) => name === 'Ollama');
  if (ollama?.chat === undefined || ollama.embeddings === undefined)
    throw new Error('Ollama is not played');
  const { chat, embeddings, ...provider } = ollama;
  if (model === undefined) return { ...provider, chat, embeddings };
  const { name, dimensions } = model;
  return {
    ...provider,
    chat: { ...chat, model: name, isFormatIgnored: false },
    ...(dimensions === undefined ? {} : { embeddings: { ...embeddings, model: name, dimensions } }),
  };
};
