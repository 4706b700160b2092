import * as z from 'zod';
import { describeIssues, readAs } from '../../contract/core/error-info.ts';
import { MAX_FACT_TOKENS } from '../../contract/wire/memory.ts';
import { isOwnAddress, SettingRefused, serviceAddress } from '../../platform/http/public-address.ts';
import { EMBEDDING_MODELS } from '../embeddings/openai.ts';
import { REASONING_EFFORTS, type ReasoningEffort } from '../openai-chat.ts';
import { priceOf } from '../prices.ts';
import type { WorkersAI } from '../workers-ai.ts';

/** The variables and secrets that choose adapters (docs/configuration.md). An empty one counts as not set. */
export interface AdapterVariables {
  /** `development` or `production`; anything but `development` counts as production. */
  ENVIRONMENT?: string | undefined;
  UPSTASH_VECTOR_REST_URL?: string | undefined;
  /** Secret. */
  UPSTASH_VECTOR_REST_TOKEN?: string | undefined;
  UPSTASH_REDIS_REST_URL?: string | undefined;
  /** Secret. */
  UPSTASH_REDIS_REST_TOKEN?: string | undefined;
  /** `none`: no model at all, whatever else is set. */
  MODELS?: string | undefined;
  OPENAI_BASE_URL?: string | undefined;
  /** Secret. */
  OPENAI_API_KEY?: string | undefined;
  /** `yes`: Workers AI where no other service is configured, by the binding below. */
  WORKERS_AI?: string | undefined;
  /** Workers AI, where the function is bound to it. */
  AI?: WorkersAI | undefined;
  EMBEDDING_MODEL?: string | undefined;
  EMBEDDING_DIMENSIONS?: string | undefined;
  CHAT_MODEL?: string | undefined;
  REASONING_EFFORT?: string | undefined;
  /** JSON: `{"<model>": {"inputPerMillion": 0.4, "outputPerMillion": 1.6}}`, in US dollars. */
  MODEL_PRICES?: string | undefined;
  RERANK_BASE_URL?: string | undefined;
  /** Secret. */
  RERANK_API_KEY?: string | undefined;
  RERANK_MODEL?: string | undefined;
  EMBEDDING_CACHE_SIZE?: string | undefined;
  EMBEDDING_CACHE_TTL_SECONDS?: string | undefined;
  TOKENS_PER_QUESTION?: string | undefined;
  COST_MICROS_PER_QUESTION?: string | undefined;
  FACT_TOKENS_PER_QUESTION?: string | undefined;
  /** JSON: `{"en": 1, "de": 2}`. */
  LANGUAGE_IDS?: string | undefined;
}

/** Names of the variables. */
export const ADAPTER_VARIABLES = [
  'UPSTASH_VECTOR_REST_URL',
  'UPSTASH_VECTOR_REST_TOKEN',
  'UPSTASH_REDIS_REST_URL',
  'UPSTASH_REDIS_REST_TOKEN',
  'MODELS',
  'OPENAI_BASE_URL',
  'OPENAI_API_KEY',
  'WORKERS_AI',
  'EMBEDDING_MODEL',
  'EMBEDDING_DIMENSIONS',
  'CHAT_MODEL',
  'REASONING_EFFORT',
  'MODEL_PRICES',
  'RERANK_BASE_URL',
  'RERANK_API_KEY',
  'RERANK_MODEL',
  'EMBEDDING_CACHE_SIZE',
  'EMBEDDING_CACHE_TTL_SECONDS',
  'TOKENS_PER_QUESTION',
  'COST_MICROS_PER_QUESTION',
  'FACT_TOKENS_PER_QUESTION',
  'LANGUAGE_IDS',
] as const satisfies Exclude<keyof AdapterVariables, 'AI'>[];

/** A service accessed with a token. */
interface ServiceAccess {
  url: string;
  token: string;
}

/** The adapters in use and their parameters. Absent means not configured: then the embedded adapter runs, or none. */
export interface AdapterSettings {
  vector: ServiceAccess | undefined;
  redis: ServiceAccess | undefined;
  /** `MODELS=none`. */
  isOff: boolean;
  openai: ServiceAccess | undefined;
  /** Chosen instead of `openai`; its binding is absent outside of a function, and where one lacks it. */
  workersAI: { binding: WorkersAI | undefined } | undefined;
  /** Only with one of these two. */
  embedding: { model: string; dimensions: number } | undefined;
  /** Only with one of these two. */
  chat: { model: string; prices: ModelPrices | undefined; reasoningEffort: ReasoningEffort | undefined } | undefined;
  /** Limits of the cache in the isolate, and of the store behind it. */
  cache: { maxSize: number; ttlSeconds: number };
  /** Limits for all model calls of one question, named as in the signed context. Absent: no limit. */
  budgets: { tokens: number; cost_micros?: number };
  /** Tokens of what is known about the asker; 0 for none. */
  factTokens: number;
  /** The ids that agents report for languages, by primary tag of BCP 47; absent when none are configured. */
  languageIds: Readonly<Record<string, number>> | undefined;
}

const Price = z.number().min(0).max(10_000);
const ModelPrices = z.record(
  z.string().min(1).max(100),
  z.strictObject({ inputPerMillion: Price, cachedInputPerMillion: Price.optional(), outputPerMillion: Price }),
);
/** US dollars for a million tokens, by model. */
type ModelPrices = z.infer<typeof ModelPrices>;

const LanguageIds = z.record(z.string().regex(/^[a-z]{2,3}$/, 'is not a language such as en'), z.int());

const whole = (least: number, most: number) => z.coerce.number('is not a number').pipe(z.int().min(least).max(most));
const ModelName = z.string().regex(/^[\w.:/@-]{1,100}$/, 'is not the name of a model');
/** Largest vector dimension of an index (Upstash's largest plan). */
const MAX_DIMENSIONS = 4096;

/** In place of a model's name, and of all models. */
export const NO_MODEL = 'none';
const ALL_MODELS = 'all';

/** Models that are used where none is named. Those of Workers AI read and write many languages, and the first takes schemas. */
const DEFAULT_MODELS = {
  openai: { chat: 'gpt-4.1-mini', embedding: 'text-embedding-3-small' },
  workersAI: { chat: '@cf/meta/llama-3.3-70b-instruct-fp8-fast', embedding: '@cf/baai/bge-m3' },
} as const;

const Plain = z.object({
  MODELS: z.enum([ALL_MODELS, NO_MODEL], `is neither ${ALL_MODELS} nor ${NO_MODEL}`).default(ALL_MODELS),
  WORKERS_AI: z.enum(['yes', 'no'], 'is neither yes nor no').default('no'),
  EMBEDDING_MODEL: ModelName.optional(),
  EMBEDDING_DIMENSIONS: whole(1, MAX_DIMENSIONS).optional(),
  CHAT_MODEL: ModelName.optional(),
  REASONING_EFFORT: z.enum(REASONING_EFFORTS, `is none of ${REASONING_EFFORTS.join(', ')}`).optional(),
  EMBEDDING_CACHE_SIZE: whole(1, 10_000).default(2000),
  EMBEDDING_CACHE_TTL_SECONDS: whole(60, 31_536_000).default(86_400),
  TOKENS_PER_QUESTION: whole(0, 10_000_000).default(30_000),
  COST_MICROS_PER_QUESTION: whole(0, 1_000_000_000).optional(),
  FACT_TOKENS_PER_QUESTION: whole(0, MAX_FACT_TOKENS).default(300),
});

/**
 * Reads the configuration of a function, once, when it starts.
 *
 * @throws {SettingRefused} For an invalid value, naming its variable; never with the value of a secret.
 */
export const readSettings = (variables: AdapterVariables): AdapterSettings => {
  const plain = readPlain(variables);
  const { openai, workersAI } = serviceOf(variables, plain);
  const vector = accessOf(variables, { url: 'UPSTASH_VECTOR_REST_URL', token: 'UPSTASH_VECTOR_REST_TOKEN' });
  const redis = accessOf(variables, { url: 'UPSTASH_REDIS_REST_URL', token: 'UPSTASH_REDIS_REST_TOKEN' });
  const prices = jsonIn(variables, 'MODEL_PRICES', ModelPrices);
  const models = modelsOf(plain, { openai, workersAI });
  const embedding =
    models.embedding === undefined
      ? undefined
      : { model: models.embedding, dimensions: dimensionsOf(models.embedding, plain.EMBEDDING_DIMENSIONS) };
  if (vector !== undefined && embedding === undefined)
    throw new SettingRefused(
      'Cannot use UPSTASH_VECTOR_REST_URL: there is no embedding model. Set OPENAI_API_KEY, or remove the index',
    );
  const chat =
    models.chat === undefined ? undefined : { model: models.chat, prices, reasoningEffort: plain.REASONING_EFFORT };
  const cache = { maxSize: plain.EMBEDDING_CACHE_SIZE, ttlSeconds: plain.EMBEDDING_CACHE_TTL_SECONDS };
  return {
    vector,
    redis,
    isOff: plain.MODELS === NO_MODEL,
    openai,
    workersAI,
    embedding,
    chat,
    cache,
    budgets: budgetsOf(plain, chat),
    factTokens: plain.FACT_TOKENS_PER_QUESTION,
    languageIds: jsonIn(variables, 'LANGUAGE_IDS', LanguageIds),
  };
};

/**
 * The same for a function that has a model and no store, so that it needs no store secrets. Throws as `readSettings` does.
 */
export const readModelSettings = (variables: AdapterVariables): AdapterSettings => {
  const stores = [
    'UPSTASH_VECTOR_REST_URL',
    'UPSTASH_VECTOR_REST_TOKEN',
    'UPSTASH_REDIS_REST_URL',
    'UPSTASH_REDIS_REST_TOKEN',
  ];
  return readSettings({ ...variables, ...Object.fromEntries(stores.map((name) => [name, undefined])) });
};

/**
 * Which service has the models: none with `MODELS=none`, else the one that `OPENAI_*` name, else Workers AI where it was agreed to. Under
 * `npm start` a local Ollama that is found stands in `OPENAI_*` (tools/run/choose-models.ts).
 */
const serviceOf = (
  variables: AdapterVariables,
  { MODELS: models, WORKERS_AI: workersAI }: z.infer<typeof Plain>,
): Pick<AdapterSettings, 'openai' | 'workersAI'> => {
  if (models === NO_MODEL) return { openai: undefined, workersAI: undefined };
  const names = { url: 'OPENAI_BASE_URL', token: 'OPENAI_API_KEY' };
  const openai = accessOf(variables, { ...names, address: OPENAI, query: AZURE_VERSION });
  const isWorkersAI = openai === undefined && workersAI === 'yes';
  return { openai, workersAI: isWorkersAI ? { binding: variables.AI } : undefined };
};

/** The names of the models; `undefined` for none. */
const modelsOf = (
  { CHAT_MODEL, EMBEDDING_MODEL }: z.infer<typeof Plain>,
  { openai, workersAI }: Pick<AdapterSettings, 'openai' | 'workersAI'>,
): { chat?: string | undefined; embedding?: string | undefined } => {
  if (openai === undefined && workersAI === undefined) return {};
  const usual = DEFAULT_MODELS[openai === undefined ? 'workersAI' : 'openai'];
  const chat = CHAT_MODEL ?? usual.chat;
  const embedding = EMBEDDING_MODEL ?? usual.embedding;
  if (workersAI !== undefined)
    for (const [name, model] of Object.entries({ CHAT_MODEL: chat, EMBEDDING_MODEL: embedding }))
      if (model !== NO_MODEL && !model.startsWith('@'))
        throw new SettingRefused(`Cannot use ${name}: ${model} is no model of Workers AI, whose names begin with @cf/`);
  return {
    chat: chat === NO_MODEL ? undefined : chat,
    embedding: embedding === NO_MODEL ? undefined : embedding,
  };
};

const OPENAI = 'https://api.openai.com/v1';
/** The dated versions of Azure's API stand in the query. */
const AZURE_VERSION = /^\?api-version=[\w.-]{1,40}$/;
/** A token that the local servers accept, so that development needs no secret. */
const LOCAL_TOKEN = 'local';

const readPlain = (variables: AdapterVariables): z.infer<typeof Plain> => {
  const set = Object.fromEntries(Object.keys(Plain.shape).map((name) => [name, given(variables, name)]));
  const read = readAs(Plain, set);
  if (read.ok) return read.value;
  throw new SettingRefused(`Cannot use ${describeIssues(read.issues)}`);
};

/** A service configured by two variables; `undefined` when neither is set. */
export const accessOf = (
  variables: AdapterVariables,
  names: { url: string; token: string; address?: string; query?: RegExp },
): ServiceAccess | undefined => {
  const isLocal = variables.ENVIRONMENT === 'development';
  const text = given(variables, names.url);
  const secret = given(variables, names.token);
  if (text === undefined && secret === undefined) return undefined;
  const address = text ?? names.address;
  if (address === undefined) throw new SettingRefused(`Cannot use ${names.token}: ${names.url} is not set`);
  const url = serviceAddress(address, { name: names.url, isLocal, query: names.query });
  const token = secret ?? (isLocal && isOwnAddress(address) ? LOCAL_TOKEN : undefined);
  if (token === undefined) throw new SettingRefused(`Cannot use ${names.url}: ${names.token} is not set`);
  if (!/^[\x21-\x7e]{1,1000}$/.test(token)) throw new SettingRefused(`Cannot use ${names.token}: it is not a token`);
  return { url, token };
};

/** A variable that holds JSON; `undefined` when it is not set. */
const jsonIn = <Schema extends z.ZodType>(
  variables: AdapterVariables,
  name: 'MODEL_PRICES' | 'LANGUAGE_IDS',
  schema: Schema,
): z.output<Schema> | undefined => {
  const text = given(variables, name);
  if (text === undefined) return undefined;
  const read = readAs(schema, parsed(text.slice(0, 20_000)));
  if (read.ok) return read.value;
  throw new SettingRefused(`Cannot use ${name}: ${describeIssues(read.issues)}`);
};

const dimensionsOf = (model: string, given: number | undefined): number => {
  const known = EMBEDDING_MODELS.get(model.split('/').at(-1) ?? model)?.dimensions;
  const dimensions = given ?? known;
  if (dimensions === undefined)
    throw new SettingRefused(`Cannot use EMBEDDING_MODEL: set EMBEDDING_DIMENSIONS too, ${model} is not known here`);
  if (known !== undefined && dimensions > known)
    throw new SettingRefused(`Cannot use EMBEDDING_DIMENSIONS: vectors of ${model} have ${known} numbers`);
  return dimensions;
};

/** An empty variable counts as not set. */
const given = (variables: AdapterVariables, name: string): string | undefined => {
  const value = (variables as Record<string, unknown>)[name];
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
};

const budgetsOf = (
  { TOKENS_PER_QUESTION: tokens, COST_MICROS_PER_QUESTION: micros }: z.infer<typeof Plain>,
  chat: AdapterSettings['chat'],
): AdapterSettings['budgets'] => {
  if (micros === undefined) return { tokens };
  // Without a price the cost of a call is unknown: the limit would never be reached.
  if (chat !== undefined && priceOf(chat.model, chat.prices ?? {}) === undefined)
    throw new SettingRefused(`Cannot use COST_MICROS_PER_QUESTION: MODEL_PRICES has no price of ${chat.model}`);
  return { tokens, cost_micros: micros };
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
