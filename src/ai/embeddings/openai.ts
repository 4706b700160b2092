import * as z from 'zod';
import { readAs } from '../../contract/core/error-info.ts';
import {
  type CallOpenAI,
  type FailedReply,
  type OpenAIConfig,
  openAICaller,
} from '../openai-client.ts';
import type { Refusal } from '../service-refusal.ts';
import { EmbeddingFailed, type EmbeddingOptions, type EmbeddingProvider } from './base.ts';

interface OpenAIEmbeddingConfig extends OpenAIConfig {
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

/** How the service takes texts, as far as its refusals have shown; kept for as long as the provider. */
interface EmbeddingForm {
  /** Whether the length of a vector is sent: to models that are known to shorten, and where the service gives longer vectors. */
  hasDimensions: boolean;
  encoding: 'base64' | 'float' | undefined;
  /** Texts of a request. */
  maxInputs: number;
  /** Bytes of UTF-8 of a text. */
  maxBytes: number;
}

/**
 * Embeddings of OpenAI, or of any service with the same protocol.
 *
 * A text that may exceed the model's limit of 8,192 tokens is truncated. As there is no tokenizer here and a token is at
 * least one byte, that is after 8,192 bytes of UTF-8, at the end of a word: 1,800 tokens of English. An empty text is sent
 * as a space, as the service rejects empty ones.
 *
 * What a service refuses is learned from its refusal, and then left out: more than so many texts in a request (split), a text that is
 * refused by itself (truncated), `encoding_format`, `dimensions`.
 */
export class OpenAIEmbeddingProvider implements EmbeddingProvider {
  readonly dimensions: number;
  readonly model: string;
  readonly #call: CallOpenAI;
  readonly #canLengthen: boolean;
  #form: EmbeddingForm;
  /** A request went through in this form. */
  #isAccepted = false;

  /** @throws {RangeError} When key, address or time cannot be right, or the model does not have these dimensions. */
  constructor({ model = 'text-embedding-3-small', ...config }: OpenAIEmbeddingConfig) {
    this.#call = openAICaller(config, { model, timeoutMs: TIMEOUT_MS });
    const known = EMBEDDING_MODELS.get(model.split('/').at(-1) ?? model);
    const { dimensions = known?.dimensions } = config;
    if (dimensions === undefined)
      throw new RangeError(`dimensions are not given, and those of ${model} are not known`);
    const most = known?.dimensions ?? MAX_DIMENSIONS;
    const least = known === undefined || known.canShorten ? 1 : most;
    if (!(Number.isInteger(dimensions) && dimensions >= least && dimensions <= most))
      throw new RangeError(
        `dimensions of ${model} are not ${least === most ? most : `${least} to ${most}`}`,
      );
    this.model = model;
    this.dimensions = dimensions;
    this.#canLengthen = known === undefined;
    this.#form = {
      // Other models, and other services, refuse the parameter.
      hasDimensions: known !== undefined && dimensions < known.dimensions,
      encoding: 'base64',
      maxInputs: MAX_INPUTS,
      maxBytes: MAX_INPUT_TOKENS,
    };
  }

  async embed(text: string, options?: EmbeddingOptions): Promise<number[]> {
    const [vector] = await this.embedBatch([text], options);
    if (vector === undefined)
      throw new EmbeddingFailed('malformed', 'Cannot embed the text: there is no vector');
    return vector;
  }

  /** At most 10,000 texts. The first request that fails ends the others. */
  async embedBatch(texts: string[], { signal }: EmbeddingOptions = {}): Promise<number[][]> {
    if (texts.length > MAX_TEXTS)
      throw new EmbeddingFailed('refused', `Cannot embed more than ${MAX_TEXTS} texts`);
    const { maxBytes, maxInputs } = this.#form;
    const batches = batchesOf(
      texts.map((text) => fitText(text, maxBytes)),
      maxInputs,
    );
    const failing = new AbortController();
    const given = signal === undefined ? failing.signal : AbortSignal.any([signal, failing.signal]);
    const vectors: number[][][] = [];
    let failure: unknown;
    let next = 0;
    const lane = async (): Promise<void> => {
      while (failure === undefined && next < batches.length) {
        const at = next;
        next += 1;
        vectors[at] = await this.#embedAll(batches[at] ?? [], given);
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

  /** What the service has refused so far, for people: `more than 32 texts a request`. */
  refusals(): readonly string[] {
    const { encoding, maxInputs, maxBytes } = this.#form;
    return [
      ...(maxInputs < MAX_INPUTS ? [`more than ${maxInputs} texts a request`] : []),
      ...(maxBytes < MAX_INPUT_TOKENS
        ? [`texts longer than ${maxBytes} bytes (they are cut)`]
        : []),
      ...(encoding === 'base64'
        ? []
        : [encoding === 'float' ? 'encoding_format base64' : 'encoding_format']),
    ];
  }

  /** Embeds a batch, in as many requests as the service needs. */
  async #embedAll(batch: readonly string[], signal: AbortSignal): Promise<number[][]> {
    const vectors: number[][] = [];
    let form = this.#form;
    let hasTriedDimensions = form.hasDimensions;
    /** The service says that a text is too long. */
    let isLength = false;
    let isSplit = false;
    /** Texts of a request from the next one on that is accepted. */
    let sizeThen: number | undefined;
    while (vectors.length < batch.length) {
      // Others may have learned in the meantime.
      const size = Math.min(form.maxInputs, this.#form.maxInputs);
      const { maxBytes } = form;
      const texts = batch
        .slice(vectors.length, vectors.length + size)
        .map((text) => fitText(text, maxBytes));
      const reply = await this.#request(texts, form, signal);
      if (Array.isArray(reply)) {
        vectors.push(...reply);
        this.#isAccepted = true;
        const known = this.#form;
        // A text that is refused for another reason than its length is no reason to cut others.
        const learned = isLength ? Math.min(maxBytes, known.maxBytes) : known.maxBytes;
        form = { ...form, maxBytes: learned, maxInputs: sizeThen ?? form.maxInputs };
        sizeThen = undefined;
        this.#form = { ...form, maxInputs: known.maxInputs };
        isSplit ||= form.maxInputs < known.maxInputs;
      } else if ('length' in reply) {
        if (hasTriedDimensions || !this.#canLengthen || reply.length < this.dimensions)
          throw this.#otherLength(reply.length);
        hasTriedDimensions = true;
        form = { ...form, hasDimensions: true };
      } else {
        const next = this.#formAfter(reply.refusal, form, texts);
        if (next === undefined) throw failureOf(reply);
        isLength ||= reply.refusal?.why === 'length' || reply.refusal?.status === 413;
        // What one text alone shows: that the number is the reason, or else what was changed after that.
        if (this.#isUnclear(reply.refusal) && texts.length > 1)
          sizeThen = Math.ceil(texts.length / 2);
        if (next.maxBytes < maxBytes || next.encoding !== form.encoding)
          sizeThen = this.#form.maxInputs;
        form = next;
      }
    }
    // At the end, since one text that is too long makes every batch with it too large.
    if (isSplit && form.maxInputs < this.#form.maxInputs)
      this.#form = { ...this.#form, maxInputs: form.maxInputs };
    return vectors;
  }

  /** A refusal without a reason, before anything was accepted. */
  #isUnclear(refusal: Refusal | undefined): boolean {
    if (refusal === undefined || this.#isAccepted) return false;
    return refusal.why === undefined && !refusal.isBatch && refusal.status !== 413;
  }

  /** The form after a refusal: fewer texts, another encoding, shorter texts. Undefined when no other would be accepted. */
  #formAfter(
    refusal: Refusal | undefined,
    form: EmbeddingForm,
    texts: readonly string[],
  ): EmbeddingForm | undefined {
    if (refusal === undefined) return undefined;
    const { status, why, named, isBatch, numbers } = refusal;
    const isOfForm = why === undefined || why === 'length' || why === 'parameters';
    if (!isOfForm || (![400, 413, 422].includes(status) && why !== 'length')) return undefined;
    if (named.includes('dimensions') && form.hasDimensions)
      return { ...form, hasDimensions: false };
    const isUnclear = this.#isUnclear(refusal);
    if (isUnclear && texts.length > 1) return { ...form, maxInputs: 1 };
    if ((named.includes('encoding_format') || isUnclear) && form.encoding !== undefined)
      return { ...form, encoding: form.encoding === 'base64' ? 'float' : undefined };
    if (texts.length > 1) {
      const limit = Math.max(
        0,
        ...(isBatch ? numbers.filter((number) => number < texts.length) : []),
      );
      return { ...form, maxInputs: limit > 1 ? limit : Math.ceil(texts.length / 2) };
    }
    const bytes = utf8LengthOf(texts[0] ?? '');
    return bytes < 2 * LEAST_TEXT_BYTES ? undefined : { ...form, maxBytes: Math.floor(bytes / 2) };
  }

  /** The vectors; or a length that all of them have and should not; or how it failed. */
  async #request(
    input: string[],
    { hasDimensions, encoding }: EmbeddingForm,
    signal: AbortSignal,
  ): Promise<number[][] | { length: number } | FailedReply> {
    const { model, dimensions } = this;
    const body = { model, input, ...(hasDimensions ? { dimensions } : {}) };
    // Until one came through, their length may be another.
    const longest = this.#isAccepted ? dimensions : Math.max(dimensions, USUAL_DIMENSIONS);
    const maxBytes = input.length * (longest * MAX_NUMBER_BYTES + 200) + MAX_OVERHEAD_BYTES;
    const bounds = { signal, maxBytes, retries: 1 } as const;
    const reply = await this.#call((client, options) => {
      // The client asks for base64 and decodes it, unless another format is named.
      if (encoding === 'base64') return client.embeddings.create(body, options);
      const asked = encoding === undefined ? body : { ...body, encoding_format: encoding };
      return client.post('/embeddings', { body: asked, ...options });
    }, bounds);
    if (!reply.ok) return reply;
    const vectors = readEmbeddings(reply.value, input.length);
    if (vectors === undefined) throw this.#malformed(input.length);
    if (vectors.every((vector) => isVector(vector, dimensions))) return vectors;
    const length = vectors[0]?.length ?? 0;
    if (length === dimensions || !vectors.every((vector) => isVector(vector, length)))
      throw this.#malformed(input.length);
    return { length };
  }

  #malformed(count: number): EmbeddingFailed {
    const wanted = `${count} vectors of ${this.dimensions} numbers`;
    return new EmbeddingFailed('malformed', `Cannot embed texts: the reply is not ${wanted}`);
  }

  #otherLength(length: number): EmbeddingFailed {
    const problem = `its vectors have ${length} numbers, not ${this.dimensions}`;
    return new EmbeddingFailed('malformed', `Cannot embed texts: ${problem}`, {
      dimensions: length,
    });
  }
}

const failureOf = ({ reason, problem, why, retryAfterMs }: FailedReply): EmbeddingFailed =>
  new EmbeddingFailed(reason, `Cannot embed texts: ${problem}`, { why, retryAfterMs });

/** A shorter text is no longer cut. */
const LEAST_TEXT_BYTES = 256;
/** Most models have fewer. */
const USUAL_DIMENSIONS = 4096;

/** OpenAI's models (platform.openai.com/docs/guides/embeddings) and the one that Workers AI embeds with where none is named. */
export const EMBEDDING_MODELS: ReadonlyMap<string, { dimensions: number; canShorten: boolean }> =
  new Map([
    ['text-embedding-3-small', { dimensions: 1536, canShorten: true }],
    ['text-embedding-3-large', { dimensions: 3072, canShorten: true }],
    ['text-embedding-ada-002', { dimensions: 1536, canShorten: false }],
    ['bge-m3', { dimensions: 1024, canShorten: false }],
  ]);

/** The fields that are read (OpenAI's specification, CreateEmbeddingResponse). */
const Reply = z.object({
  data: z.array(
    z.object({
      index: z
        .union([
          z.int().min(0),
          z
            .string()
            .regex(/^\d{1,5}$/)
            .transform(Number),
        ])
        .nullish(),
      embedding: z.unknown(),
    }),
  ),
});

/**
 * The vectors of a reply in the order of the texts, whichever order they came in.
 *
 * @returns `undefined` unless there is exactly one for each text. Where no index is given, the order is meant; where one alone is missing,
 *   it is 0, which some serializers omit.
 */
const readEmbeddings = (value: unknown, count: number): number[][] | undefined => {
  const reply = readAs(Reply, value);
  if (!reply.ok || reply.value.data.length !== count) return undefined;
  const isOrdered = reply.value.data.every(({ index }) => index === undefined || index === null);
  const vectors = new Map<number, number[]>();
  for (const [position, { index, embedding }] of reply.value.data.entries()) {
    const at = isOrdered ? position : (index ?? 0);
    const numbers = numbersOf(embedding);
    if (!Array.isArray(numbers) || at >= count || vectors.has(at)) return undefined;
    vectors.set(at, numbers);
  }
  return Array.from({ length: count }, (_, at) => vectors.get(at) ?? []);
};

/** A vector as numbers, as texts of numbers, or within a list of its own, as a service has it that gives one for each token or part. */
const numbersOf = (embedding: unknown): unknown => {
  if (typeof embedding === 'string') return fromBase64(embedding);
  if (!Array.isArray(embedding)) return undefined;
  const [first] = embedding;
  if (embedding.length === 1 && Array.isArray(first)) return first;
  return typeof first === 'string'
    ? embedding.map((number) => (number === '' ? Number.NaN : Number(number)))
    : embedding;
};

/** Numbers of 32 bits, as the client decodes them where it has asked for them. */
const fromBase64 = (text: string): number[] | undefined => {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  const bytes = Uint8Array.from(atob(text), (unit) => unit.charCodeAt(0));
  return bytes.length % 4 === 0 ? Array.from(new Float32Array(bytes.buffer)) : undefined;
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
 * @param maxInputs Texts of a request.
 */
export function batchesOf(texts: readonly string[], maxInputs = MAX_INPUTS): string[][] {
  const batches: string[][] = [];
  let current: string[] = [];
  let bytes = 0;
  for (const text of texts) {
    const length = utf8LengthOf(text);
    if (current.length === maxInputs || bytes + length > MAX_REQUEST_TOKENS) {
      batches.push(current);
      current = [];
      bytes = 0;
    }
    current.push(text);
    bytes += length;
  }
  return current.length === 0 ? batches : [...batches, current];
}

/**
 * A text as the API accepts it: not empty, well-formed Unicode, and at most 8,192 bytes (or `maxBytes`), cut after a word where one ends within
 * the last 200 characters, and never inside a character.
 */
export function fitText(text: string, maxBytes = MAX_INPUT_TOKENS): string {
  if (text === '') return ' ';
  // A unit takes at least one byte, so what lies behind is cut off in any case.
  const whole = text.slice(0, maxBytes + 1).toWellFormed();
  const end = endWithin(whole, maxBytes);
  if (end === text.length) return whole;
  const cut = whole.slice(0, end);
  const space = cut.slice(-WORD_REACH).search(/\s\S*$/);
  const fitted =
    space === -1 ? cut : cut.slice(0, cut.length - Math.min(WORD_REACH, cut.length) + space);
  return fitted.trim() === '' ? cut : fitted;
}

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
const bytesOf = (unit: number): number =>
  unit < 0x80 ? 1 : unit < 0x800 || isSurrogate(unit) ? 2 : 3;

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;
const isSecondHalf = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
