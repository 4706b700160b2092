import { type OpenAIService, type OpenAIServiceConfig, openAIService } from '../openai-service.ts';
import { EmbeddingFailed, type EmbeddingOptions, type EmbeddingProvider } from './base.ts';
import { batchesOf, fitText } from './batch-texts.ts';
import { readEmbeddings } from './read-embeddings.ts';

export interface OpenAIEmbeddingConfig extends OpenAIServiceConfig {
  /** `text-embedding-3-small` when absent. */
  model?: string | undefined;
  /**
   * Numbers of a vector. Fewer than the usual ones shorten the vectors of `text-embedding-3-*`; of a model that is not
   * OpenAI's it tells how many its vectors have.
   */
  dimensions?: number | undefined;
}

const TIMEOUT_MS = 30_000;
/** Texts of one call: their vectors have to fit into the memory of an isolate. */
const MAX_TEXTS = 10_000;
/** Requests at a time; Cloudflare opens six connections for a request. */
const MAX_PARALLEL = 4;
const MAX_DIMENSIONS = 16_384;
/** A number as text is at most so long: `-0.0123456789012345678,`. */
const MAX_NUMBER_BYTES = 24;
const MAX_OVERHEAD_BYTES = 65_536;

/**
 * Embeddings of OpenAI, or of any service that speaks its protocol (seed 002, Embedding Provider Interface).
 *
 * A text that may have more tokens than the model reads (8,192) is embedded by its beginning. As no tokenizer is at hand
 * and a token is at least one byte, that is its first 8,192 bytes of UTF-8, cut after a word: 1,800 tokens of English.
 * A text that is empty is embedded as a blank, as the service refuses none at all.
 */
export class OpenAIEmbeddingProvider implements EmbeddingProvider {
  readonly dimensions: number;
  readonly model: string;
  readonly #service: OpenAIService;
  /** Sent along only where they shorten: other models, and other services, refuse the parameter. */
  readonly #shortened: boolean;

  /** @throws {RangeError} When key, address or time cannot be right, or the model has not, or not surely, these dimensions. */
  constructor(config: OpenAIEmbeddingConfig) {
    const { model = 'text-embedding-3-small' } = config;
    this.#service = openAIService(config, { model, timeoutMs: TIMEOUT_MS });
    const known = KNOWN.get(model.split('/').at(-1) ?? model);
    const { dimensions = known?.dimensions } = config;
    if (dimensions === undefined) throw new RangeError(`dimensions are not given, and those of ${model} are not known`);
    const most = known?.dimensions ?? MAX_DIMENSIONS;
    const least = known === undefined || known.canShorten ? 1 : most;
    if (!(Number.isInteger(dimensions) && dimensions >= least && dimensions <= most)) {
      throw new RangeError(`dimensions of ${model} are not ${least === most ? most : `${least} to ${most}`}`);
    }
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

  async #request(texts: readonly string[], signal: AbortSignal): Promise<number[][]> {
    const { model, dimensions } = this;
    const body = {
      model,
      input: texts,
      encoding_format: 'base64',
      ...(this.#shortened ? { dimensions } : {}),
    };
    const maxBytes = texts.length * (dimensions * MAX_NUMBER_BYTES + 200) + MAX_OVERHEAD_BYTES;
    const reply = await this.#service.post('/embeddings', body, { signal, maxBytes, retries: 1 });
    if (!reply.ok) {
      const { reason, problem, retryAfterMs } = reply;
      throw new EmbeddingFailed(reason, `Cannot embed texts: ${problem}`, { retryAfterMs });
    }
    const vectors = readEmbeddings(reply.json, { count: texts.length, dimensions });
    if (vectors === undefined) {
      const wanted = `${texts.length} vectors of ${dimensions} numbers`;
      throw new EmbeddingFailed('malformed', `Cannot embed texts: the answer is not ${wanted}`);
    }
    return vectors;
  }
}

/** OpenAI's models (platform.openai.com/docs/guides/embeddings). */
const KNOWN: ReadonlyMap<string, { dimensions: number; canShorten: boolean }> = new Map([
  ['text-embedding-3-small', { dimensions: 1536, canShorten: true }],
  ['text-embedding-3-large', { dimensions: 3072, canShorten: true }],
  ['text-embedding-ada-002', { dimensions: 1536, canShorten: false }],
]);
