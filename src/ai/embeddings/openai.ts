import * as z from 'zod';
import { readAs } from '../../contract/error-info.ts';
import { type CallOpenAI, type OpenAIConfig, openAICaller } from '../openai-client.ts';
import { EmbeddingFailed, type EmbeddingOptions, type EmbeddingProvider } from './base.ts';

export interface OpenAIEmbeddingConfig extends OpenAIConfig {
  /** `text-embedding-3-small` when absent. */
  model?: string | undefined;
  /**
   * Length of a vector. A smaller length than the default shortens the vectors of `text-embedding-3-*`; required for
   * models of other providers.
   */
  dimensions?: number | undefined;
}

const TIMEOUT_MS = 30_000;
/** Texts of one call: their vectors have to fit into the memory of an isolate. */
const MAX_TEXTS = 10_000;
/** Parallel requests; Cloudflare allows six connections per request. */
const MAX_PARALLEL = 4;
const MAX_DIMENSIONS = 16_384;
/** Longest number as text: `-0.0123456789012345678,`. */
const MAX_NUMBER_BYTES = 24;
const MAX_OVERHEAD_BYTES = 65_536;

/**
 * Embeddings of OpenAI, or of any service with the same protocol.
 *
 * A text that may exceed the model's limit of 8,192 tokens is truncated. As there is no tokenizer here and a token is at
 * least one byte, that is after 8,192 bytes of UTF-8, at the end of a word: 1,800 tokens of English. An empty text is sent
 * as a space, as the service rejects empty ones.
 */
export class OpenAIEmbeddingProvider implements EmbeddingProvider {
  readonly dimensions: number;
  readonly model: string;
  readonly #call: CallOpenAI;
  /** Sent only when it shortens: other models, and other services, refuse the parameter. */
  readonly #shortened: boolean;

  /** @throws {RangeError} When key, address or time cannot be right, or the model does not have these dimensions. */
  constructor({ model = 'text-embedding-3-small', ...config }: OpenAIEmbeddingConfig) {
    this.#call = openAICaller(config, { model, timeoutMs: TIMEOUT_MS });
    const known = EMBEDDING_MODELS.get(model.split('/').at(-1) ?? model);
    const { dimensions = known?.dimensions } = config;
    if (dimensions === undefined) throw new RangeError(`dimensions are not given, and those of ${model} are not known`);
    const most = known?.dimensions ?? MAX_DIMENSIONS;
    const least = known === undefined || known.canShorten ? 1 : most;
    if (!(Number.isInteger(dimensions) && dimensions >= least && dimensions <= most))
      throw new RangeError(`dimensions of ${model} are not ${least === most ? most : `${least} to ${most}`}`);
    this.model = model;
    this.dimensions = dimensions;
    this.#shortened = known !== undefined && dimensions < known.dimensions;
  }

  async embed(text: string, options?: EmbeddingOptions): Promise<number[]> {
    const [vector] = await this.embedBatch([text], options);
    if (vector === undefined) throw new EmbeddingFailed('malformed', 'Cannot embed the text: there is no vector');
    return vector;
  }

  /** At most 10,000 texts. The first request that fails ends the others. */
  async embedBatch(texts: string[], { signal }: EmbeddingOptions = {}): Promise<number[][]> {
    if (texts.length > MAX_TEXTS) throw new EmbeddingFailed('refused', `Cannot embed more than ${MAX_TEXTS} texts`);
    const batches = batchesOf(texts.map(fitText));
    const failing = new AbortController();
    const given = signal === undefined ? failing.signal : AbortSignal.any([signal, failing.signal]);
    const vectors: number[][][] = [];
    let failure: unknown;
    let next = 0;
    const lane = async (): Promise<void> => {
      while (failure === undefined && next < batches.length) {
        const at = next;
        next += 1;
        vectors[at] = await this.#request(batches[at] ?? [], given);
      }
    };
    const guarded = () =>
      lane().catch((error: unknown) => {
        failure ??= error;
        failing.abort();
      });
    await Promise.all(Array.from({ length: Math.min(MAX_PARALLEL, batches.length) }, guarded));
    if (failure !== undefined) throw failure;
    return vectors.flat();
  }

  async #request(input: string[], signal: AbortSignal): Promise<number[][]> {
    const { model, dimensions } = this;
    // The client asks for base64 and decodes it.
    const body = { model, input, ...(this.#shortened ? { dimensions } : {}) };
    const maxBytes = input.length * (dimensions * MAX_NUMBER_BYTES + 200) + MAX_OVERHEAD_BYTES;
    const bounds = { signal, maxBytes, retries: 1 } as const;
    const reply = await this.#call((client, options) => client.embeddings.create(body, options), bounds);
    if (!reply.ok) {
      const { reason, problem, retryAfterMs } = reply;
      throw new EmbeddingFailed(reason, `Cannot embed texts: ${problem}`, { retryAfterMs });
    }
    const vectors = readEmbeddings(reply.value, { count: input.length, dimensions });
    if (vectors === undefined) {
      const wanted = `${input.length} vectors of ${dimensions} numbers`;
      throw new EmbeddingFailed('malformed', `Cannot embed texts: the reply is not ${wanted}`);
    }
    return vectors;
  }
}

/** OpenAI's models (platform.openai.com/docs/guides/embeddings). */
export const EMBEDDING_MODELS: ReadonlyMap<string, { dimensions: number; canShorten: boolean }> = new Map([
  ['text-embedding-3-small', { dimensions: 1536, canShorten: true }],
  ['text-embedding-3-large', { dimensions: 3072, canShorten: true }],
  ['text-embedding-ada-002', { dimensions: 1536, canShorten: false }],
]);

/** The fields that are read (OpenAI's specification, CreateEmbeddingResponse). */
const Reply = z.object({ data: z.array(z.object({ index: z.int().min(0), embedding: z.unknown() })) });

/**
 * The vectors of a reply in the order of the texts, whichever order they came in.
 *
 * @returns `undefined` unless there is exactly one for each text, each of the right length, finite, and not all zeros (which is
 *   close to nothing and so not an embedding).
 */
const readEmbeddings = (
  value: unknown,
  { count, dimensions }: { count: number; dimensions: number },
): number[][] | undefined => {
  const reply = readAs(Reply, value);
  if (!reply.ok || reply.value.data.length !== count) return undefined;
  const vectors = new Map<number, number[]>();
  for (const { index, embedding } of reply.value.data) {
    if (!isVector(embedding, dimensions) || index >= count || vectors.has(index)) return undefined;
    vectors.set(index, embedding);
  }
  return Array.from({ length: count }, (_, at) => vectors.get(at) ?? []);
};

/** `Number.isFinite` is false for everything that is not a number. */
const isVector = (value: unknown, dimensions: number): value is number[] =>
  Array.isArray(value) &&
  value.length === dimensions &&
  value.every(Number.isFinite) &&
  value.some((number) => number !== 0);

/** Limits of the API (its specification, createEmbedding): entries of a request, tokens of an entry and of all. */
const MAX_INPUTS = 2048;
const MAX_INPUT_TOKENS = 8192;
const MAX_REQUEST_TOKENS = 300_000;

/** How far back the end of a word is looked for, in UTF-16 units. */
const WORD_REACH = 200;

/**
 * Splits texts into requests that the API accepts, in order. A token of its vocabularies is at least one byte of UTF-8, so
 * bytes are an upper bound; a request holds some 65,000 tokens of English prose.
 *
 * @param texts As `fitText` gives them.
 */
export const batchesOf = (texts: readonly string[]): string[][] => {
  const batches: string[][] = [];
  let current: string[] = [];
  let bytes = 0;
  for (const text of texts) {
    const length = utf8LengthOf(text);
    if (current.length === MAX_INPUTS || bytes + length > MAX_REQUEST_TOKENS) {
      batches.push(current);
      current = [];
      bytes = 0;
    }
    current.push(text);
    bytes += length;
  }
  return current.length === 0 ? batches : [...batches, current];
};

/**
 * A text as the API accepts it: not empty, well-formed Unicode, and at most 8,192 bytes, cut after a word where one ends within
 * the last 200 characters, and never inside a character.
 */
export const fitText = (text: string): string => {
  if (text === '') return ' ';
  // A unit takes at least one byte, so what lies behind is cut off in any case.
  const whole = text.slice(0, MAX_INPUT_TOKENS + 1).toWellFormed();
  const end = endWithin(whole, MAX_INPUT_TOKENS);
  if (end === text.length) return whole;
  const cut = whole.slice(0, end);
  const space = cut.slice(-WORD_REACH).search(/\s\S*$/);
  const fitted = space === -1 ? cut : cut.slice(0, cut.length - Math.min(WORD_REACH, cut.length) + space);
  return fitted.trim() === '' ? cut : fitted;
};

/** End of the longest prefix, in UTF-16 units, that has at most so many bytes and ends after a whole code point. */
const endWithin = (text: string, maxBytes: number): number => {
  let bytes = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    bytes += bytesOf(unit);
    if (bytes > maxBytes) return isSecondHalf(unit) ? at - 1 : at;
  }
  return text.length;
};

const utf8LengthOf = (text: string): number => {
  let bytes = 0;
  for (let at = 0; at < text.length; at += 1) bytes += bytesOf(text.charCodeAt(at));
  return bytes;
};

/** Bytes of a UTF-16 unit in well-formed text: a surrogate pair has four between them. */
const bytesOf = (unit: number): number => (unit < 0x80 ? 1 : unit < 0x800 || isSurrogate(unit) ? 2 : 3);

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;
const isSecondHalf = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
