import * as z from 'zod';
import { MAX_FACT_TOKENS } from '../../contract/wire/budgets.ts';
import { isOwnAddress } from '../../platform/http/public-address.ts';
import {
  environmentSettings,
  readSettings,
  SettingRefused,
  type Settings,
  type SettingsSchema,
  type Variables,
} from '../../platform/settings/settings.ts';
import { address, json, oneOf, text, token, wholeNumber } from '../../platform/settings/values.ts';
import { EMBEDDING_MODELS } from '../embeddings/openai.ts';
import { REASONING_EFFORTS, type ReasoningEffort } from '../openai-chat.ts';
import { priceOf } from '../prices.ts';
import type { WorkersAI } from '../workers-ai.ts';

/** In place of a model's name, and of all models. */
export const NO_MODEL = 'none';
const ALL_MODELS = 'all';
/** Largest vector dimension of an index (Upstash's largest plan). */
const MAX_DIMENSIONS = 4096;
/** The dated versions of Azure's API stand in the query. */
const AZURE_VERSION = /^\?api-version=[\w.-]{1,40}$/;
const MODEL_NAME = { pattern: /^[\w.:/@-]{1,100}$/, allowed: 'the name of a model' };
const LOCAL_DEFAULT = '`local` on this machine';

const Price = z.number().min(0).max(10_000);
const ModelPrices = z.record(
  z.string().min(1).max(100),
  z.strictObject({
    inputPerMillion: Price,
    cachedInputPerMillion: Price.optional(),
    outputPerMillion: Price,
  }),
);
/** US dollars for a million tokens, by model. */
type ModelPrices = z.infer<typeof ModelPrices>;

/** Which models answer and embed. */
export const modelSettings = {
  ...environmentSettings,
  MODELS: oneOf([ALL_MODELS, NO_MODEL], {
    what: '`none`: no model at all, whatever else is set, as `npm start -- --no-model` does ([which model answers](providers.md#which-model-answers))',
    usual: ALL_MODELS,
    otherwise: '`all`: those that are configured, or found by `npm start`',
    doctor: 'models',
  }),
  OPENAI_BASE_URL: address({
    what: "Base URL, with the version, of OpenAI's API or a [compatible one](providers.md)",
    otherwise: '`https://api.openai.com/v1`',
    query: AZURE_VERSION,
    doctor: 'models',
  }),
  OPENAI_API_KEY: token({
    what: 'Its key; switches embeddings and answers by a model on',
    otherwise: 'no model: search by words and word vectors, answers are quotes',
    doctor: 'models',
  }),
  WORKERS_AI: oneOf(['yes', 'no'], {
    what: '`yes`: [Workers AI](providers.md#workers-ai) of the account where `OPENAI_*` name no service; `npm run setup` asks for it',
    usual: 'no',
    doctor: 'models',
  }),
  EMBEDDING_MODEL: text({
    ...MODEL_NAME,
    what: 'The embedding model; `none` for the word vectors. A change embeds everything again',
    otherwise: '`text-embedding-3-small`; `@cf/baai/bge-m3` on Workers AI',
    doctor: 'models',
  }),
  EMBEDDING_DIMENSIONS: wholeNumber({
    from: 1,
    to: MAX_DIMENSIONS,
    what: 'Dimensions; needed for models that are not OpenAI’s, except bge-m3',
    otherwise: 'those of the model',
    doctor: 'models',
  }),
  CHAT_MODEL: text({
    ...MODEL_NAME,
    what: 'The model that writes answers; `none` for none',
    otherwise: '`gpt-4.1-mini`; `@cf/meta/llama-3.3-70b-instruct-fp8-fast` on Workers AI',
    doctor: 'models',
  }),
  REASONING_EFFORT: oneOf(REASONING_EFFORTS, {
    what: 'How much a model reasons before it answers, where it can',
    otherwise: 'as the model does; `none` for an Ollama model that is found',
    doctor: 'models',
  }),
  MODEL_PRICES: json(ModelPrices, {
    what: 'US dollars for a million tokens',
    example: '{"gpt-4.1-mini": {"inputPerMillion": 0.4, "outputPerMillion": 1.6}}',
    otherwise: 'costs are not reported',
    doctor: 'models',
  }),
} satisfies SettingsSchema;

/** The store of vectors. */
export const vectorSettings = {
  ...environmentSettings,
  UPSTASH_VECTOR_REST_URL: address({
    what: 'Upstash Vector: an index that compares by cosine, with the dimensions of the embedding model (96 without one)',
    otherwise: 'vectors stay in the edition and in the Durable Objects',
    doctor: 'vector',
  }),
  UPSTASH_VECTOR_INDEX: oneOf(['dense', 'hybrid'], {
    what: '`hybrid`: it takes sparse vectors too, without a hosted model, and has the passages of a [large knowledge base](large.md)',
    usual: 'dense',
    doctor: 'vector',
  }),
  INDEX_FROM_PASSAGES: wholeNumber({
    from: 0,
    to: 10_000_000,
    usual: 100_000,
    what: 'From how many passages on a hybrid index has them, in place of the edition',
    doctor: 'vector',
  }),
  UPSTASH_VECTOR_REST_TOKEN: token({
    what: 'Its token, the one that may write',
    otherwise: LOCAL_DEFAULT,
    doctor: 'vector',
  }),
} satisfies SettingsSchema;

/** The cache of embeddings of questions. */
export const cacheSettings = {
  ...environmentSettings,
  UPSTASH_REDIS_REST_URL: address({
    what: 'Upstash Redis: the cache of embeddings of questions',
    otherwise: 'embeddings are cached in KV',
    doctor: 'redis',
  }),
  UPSTASH_REDIS_REST_TOKEN: token({
    what: 'Its token, the one that may write',
    otherwise: LOCAL_DEFAULT,
    doctor: 'redis',
  }),
  EMBEDDING_CACHE_SIZE: wholeNumber({
    from: 1,
    to: 10_000,
    usual: 2000,
    what: 'Embeddings of questions that an isolate caches',
  }),
  EMBEDDING_CACHE_TTL_SECONDS: wholeNumber({
    from: 60,
    to: 31_536_000,
    usual: 86_400,
    what: 'How long Redis or KV caches them; an isolate 600 at most',
  }),
} satisfies SettingsSchema;

/** The addresses of the stores, for a function that reports which adapters are in use and calls none. */
export const storeAddresses = {
  UPSTASH_VECTOR_REST_URL: vectorSettings.UPSTASH_VECTOR_REST_URL,
  UPSTASH_VECTOR_INDEX: vectorSettings.UPSTASH_VECTOR_INDEX,
  UPSTASH_REDIS_REST_URL: cacheSettings.UPSTASH_REDIS_REST_URL,
} satisfies SettingsSchema;

export const rerankSettings = {
  ...environmentSettings,
  RERANK_BASE_URL: address({
    what: 'Base URL, with the version, of a reranker with `POST /rerank`, such as `https://api.cohere.com/v2`',
    otherwise: 'passages for the model stay in the order of the search',
  }),
  RERANK_API_KEY: token({ what: 'Its key', otherwise: LOCAL_DEFAULT }),
  RERANK_MODEL: text({
    ...MODEL_NAME,
    what: 'Its model, or `none`; `@cf/baai/bge-reranker-base` without an address runs on Workers AI, whatever else has the models',
    otherwise: 'none; `@cf/baai/bge-reranker-base` with `WORKERS_AI`',
  }),
} satisfies SettingsSchema;

/** Limits of one question. */
export const budgetSettings = {
  TOKENS_PER_QUESTION: wholeNumber({
    from: 0,
    to: 10_000_000,
    usual: 30_000,
    what: 'Tokens that models may take for one question in all functions together ([budgets](delegation.md#budgets))',
  }),
  COST_MICROS_PER_QUESTION: wholeNumber({
    from: 0,
    to: 1_000_000_000,
    what: 'Millionths of a US dollar that models may cost for one question; needs `MODEL_PRICES`',
    otherwise: 'no limit',
  }),
  FACT_TOKENS_PER_QUESTION: wholeNumber({
    from: 0,
    to: MAX_FACT_TOKENS,
    usual: 300,
    what: 'Tokens of [facts about the asker](memory.md#facts-about-the-asker) for a question; 0 for none',
  }),
} satisfies SettingsSchema;

export const languageSettings = {
  LANGUAGE_IDS: json(
    z.record(z.string().regex(/^[a-z]{2,3}$/, 'is not a language such as en'), z.int()),
    {
      what: 'Ids of languages at a host; [agents](contract.md#agents) report that of the question',
      example: '{"en": 1, "de": 2}',
      otherwise: 'agents report no `language_id`',
    },
  ),
} satisfies SettingsSchema;

/** All of them. */
export const adapterSettings = {
  ...vectorSettings,
  ...cacheSettings,
  ...modelSettings,
  ...rerankSettings,
  ...budgetSettings,
  ...languageSettings,
} satisfies SettingsSchema;

/** The binding of Workers AI, where a function has it. */
interface ModelBinding {
  AI?: WorkersAI | undefined;
}
export type ModelVariables = Variables<typeof modelSettings> & ModelBinding;
export type AdapterVariables = Variables<typeof adapterSettings> & ModelBinding;

/** A service accessed with a token. */
interface ServiceAccess {
  url: string;
  token: string;
}

/** The models in use and their parameters. Absent means not configured: then there is none. */
export interface ModelChoice {
  /** `MODELS=none`. */
  isOff: boolean;
  openai: ServiceAccess | undefined;
  /** Chosen instead of `openai`; its binding is absent outside of a function, and where one lacks it. */
  workersAI: { binding: WorkersAI | undefined } | undefined;
  /** Only with one of these two. */
  embedding: { model: string; dimensions: number } | undefined;
  /** Only with one of these two. */
  chat:
    | {
        model: string;
        prices: ModelPrices | undefined;
        reasoningEffort: ReasoningEffort | undefined;
      }
    | undefined;
}

/** A hybrid index. */
export interface HybridChoice extends ServiceAccess {
  /** From how many passages on it has them. */
  fromPassages: number;
}

/** The adapters in use. Absent means not configured: then the embedded adapter runs. */
export interface AdapterChoice extends ModelChoice {
  vector: ServiceAccess | undefined;
  hybrid: HybridChoice | undefined;
  redis: ServiceAccess | undefined;
  /** Limits of the cache in the isolate, and of the store behind it. */
  cache: { maxSize: number; ttlSeconds: number };
}

/** Models that are used where none is named. Those of Workers AI read and write many languages, and the first takes schemas. */
const DEFAULT_MODELS = {
  openai: { chat: 'gpt-4.1-mini', embedding: 'text-embedding-3-small' },
  workersAI: { chat: '@cf/meta/llama-3.3-70b-instruct-fp8-fast', embedding: '@cf/baai/bge-m3' },
} as const;

/**
 * Reads which models and stores a function uses, once, when it starts.
 *
 * @throws {SettingRefused} For an invalid value, naming its variable; never with the value of a secret.
 */
export function readAdapters(variables: AdapterVariables): AdapterChoice {
  const models = readModels(variables);
  const vector = readVectorIndex(variables, models);
  const values = readSettings(cacheSettings, variables);
  return {
    ...models,
    vector,
    hybrid: readHybridIndex(variables),
    redis: accessOf(values, { url: 'UPSTASH_REDIS_REST_URL', token: 'UPSTASH_REDIS_REST_TOKEN' }),
    cache: { maxSize: values.EMBEDDING_CACHE_SIZE, ttlSeconds: values.EMBEDDING_CACHE_TTL_SECONDS },
  };
}

const NO_MODELS: ModelChoice = {
  isOff: true,
  openai: undefined,
  workersAI: undefined,
  embedding: undefined,
  chat: undefined,
};

/** The models alone, for a function that has no store and so needs no secrets of one. Throws as `readAdapters` does. */
export function readModels(variables: ModelVariables): ModelChoice {
  // What the models need may then be as it is.
  const { MODELS } = modelSettings;
  if (readSettings({ MODELS }, variables).MODELS === NO_MODEL) return NO_MODELS;
  const values = readSettings(modelSettings, variables);
  const services = serviceOf(values, variables.AI);
  const { chat, embedding } = namesOf(values, services);
  const { MODEL_PRICES: prices, REASONING_EFFORT: reasoningEffort, EMBEDDING_DIMENSIONS } = values;
  return {
    ...services,
    isOff: false,
    embedding:
      embedding === undefined
        ? undefined
        : { model: embedding, dimensions: dimensionsOf(embedding, EMBEDDING_DIMENSIONS) },
    chat: chat === undefined ? undefined : { model: chat, prices, reasoningEffort },
  };
}

/** The hybrid index, if the one that is set is hybrid. Throws as `readAdapters` does. */
export function readHybridIndex(
  variables: Variables<typeof vectorSettings>,
): HybridChoice | undefined {
  const values = readSettings(vectorSettings, variables);
  const access = vectorAccessOf(values);
  return access === undefined || values.UPSTASH_VECTOR_INDEX !== 'hybrid'
    ? undefined
    : { ...access, fromPassages: values.INDEX_FROM_PASSAGES };
}

const vectorAccessOf = (values: Settings<typeof vectorSettings>): ServiceAccess | undefined =>
  accessOf(values, { url: 'UPSTASH_VECTOR_REST_URL', token: 'UPSTASH_VECTOR_REST_TOKEN' });

/** The dense index, which needs an embedding model. Throws as `readAdapters` does. */
export function readVectorIndex(
  variables: Variables<typeof vectorSettings>,
  { embedding }: Pick<ModelChoice, 'embedding'>,
): ServiceAccess | undefined {
  const values = readSettings(vectorSettings, variables);
  const vector = vectorAccessOf(values);
  if (values.UPSTASH_VECTOR_INDEX === 'hybrid') return undefined;
  if (vector !== undefined && embedding === undefined)
    throw new SettingRefused(
      'UPSTASH_VECTOR_REST_URL',
      'there is no embedding model. Set OPENAI_API_KEY, or remove the index',
    );
  return vector;
}

/** Limits for all model calls of one question, named as in the signed context. Absent: no limit. */
interface QuestionLimits {
  budgets: { tokens: number; cost_micros?: number };
  /** Tokens of what is known about the asker; 0 for none. */
  factTokens: number;
}

/** @throws {SettingRefused} For an invalid value, or a limit of costs that are not known. */
export function readQuestionLimits(
  variables: Variables<typeof budgetSettings>,
  { chat }: Pick<ModelChoice, 'chat'>,
): QuestionLimits {
  const values = readSettings(budgetSettings, variables);
  const { TOKENS_PER_QUESTION: tokens, COST_MICROS_PER_QUESTION: micros } = values;
  const factTokens = values.FACT_TOKENS_PER_QUESTION;
  if (micros === undefined) return { budgets: { tokens }, factTokens };
  // Without a price the cost of a call is unknown: the limit would never be reached.
  if (chat !== undefined && priceOf(chat.model, chat.prices ?? {}) === undefined)
    throw new SettingRefused(
      'COST_MICROS_PER_QUESTION',
      `MODEL_PRICES has no price of ${chat.model}`,
    );
  return { budgets: { tokens, cost_micros: micros }, factTokens };
}

/**
 * Which service has the models: the one that `OPENAI_*` name, else Workers AI where it was agreed to. Under
 * `npm start` a local Ollama that is found stands in `OPENAI_*` (tools/run/choose-models.ts).
 */
const serviceOf = (
  values: Settings<typeof modelSettings>,
  binding: WorkersAI | undefined,
): Pick<ModelChoice, 'openai' | 'workersAI'> => {
  const openai = accessOf(values, {
    url: 'OPENAI_BASE_URL',
    token: 'OPENAI_API_KEY',
    address: OPENAI,
  });
  const isWorkersAI = openai === undefined && values.WORKERS_AI === 'yes';
  return { openai, workersAI: isWorkersAI ? { binding } : undefined };
};

/** The names of the models; `undefined` for none. */
const namesOf = (
  { CHAT_MODEL, EMBEDDING_MODEL }: Settings<typeof modelSettings>,
  { openai, workersAI }: Pick<ModelChoice, 'openai' | 'workersAI'>,
): { chat?: string | undefined; embedding?: string | undefined } => {
  if (openai === undefined && workersAI === undefined) return {};
  const usual = DEFAULT_MODELS[openai === undefined ? 'workersAI' : 'openai'];
  const chat = CHAT_MODEL ?? usual.chat;
  const embedding = EMBEDDING_MODEL ?? usual.embedding;
  if (workersAI !== undefined)
    for (const [name, model] of Object.entries({ CHAT_MODEL: chat, EMBEDDING_MODEL: embedding }))
      if (model !== NO_MODEL && !model.startsWith('@'))
        throw new SettingRefused(
          name,
          `${model} is no model of Workers AI, whose names begin with @cf/`,
        );
  return {
    chat: chat === NO_MODEL ? undefined : chat,
    embedding: embedding === NO_MODEL ? undefined : embedding,
  };
};

const OPENAI = 'https://api.openai.com/v1';
/** A token that the local servers accept, so that development needs no secret. */
const LOCAL_TOKEN = 'local';

/** A service configured by two variables; `undefined` when neither is set. */
export function accessOf<Name extends string>(
  values: Partial<Record<Name, string | undefined>>,
  names: { url: Name; token: Name; address?: string },
): ServiceAccess | undefined {
  const secret = values[names.token];
  if (values[names.url] === undefined && secret === undefined) return undefined;
  const url = values[names.url] ?? names.address;
  if (url === undefined) throw new SettingRefused(names.token, `${names.url} is not set`);
  // An address on this machine is accepted in development alone.
  const token = secret ?? (isOwnAddress(url) ? LOCAL_TOKEN : undefined);
  if (token === undefined) throw new SettingRefused(names.url, `${names.token} is not set`);
  return { url, token };
}

const dimensionsOf = (model: string, configured: number | undefined): number => {
  const native = EMBEDDING_MODELS.get(model.split('/').at(-1) ?? model)?.dimensions;
  const dimensions = configured ?? native;
  if (dimensions === undefined)
    throw new SettingRefused(
      'EMBEDDING_MODEL',
      `set EMBEDDING_DIMENSIONS too, ${model} is not known here`,
    );
  if (native !== undefined && dimensions > native)
    throw new SettingRefused('EMBEDDING_DIMENSIONS', `vectors of ${model} have ${native} numbers`);
  return dimensions;
};
