import type { EmbeddingProvider } from '../../ai/embeddings/base.ts';
import type { VectorIndex } from '../../storage/vector-index.ts';
import type { Edition } from '../edition/open-edition.ts';
import { vectorsOf } from '../vectors/edition-vectors.ts';
import type { NearChunk } from '../vectors/nearest-rows.ts';
import { allowedChunks } from './allowed-chunks.ts';
import { type SearchOptions, type SearchOutcome, searchEdition } from './search-edition.ts';

/**
 * How meaning took part: `used`; `absent` (no model, or an edition without its vectors); `late` (not at hand in time; the same
 * question may have it the next time); `failed`.
 */
export type SemanticUse = 'used' | 'absent' | 'late' | 'failed';

export interface Retrieved {
  outcome: SearchOutcome;
  semantic: SemanticUse;
}

export interface RetrieveOptions extends SearchOptions {
  /** When it aborts, nobody waits any more: the retrieval rejects with its reason. */
  signal?: AbortSignal | undefined;
  /** Lets a late embedding go on to the cache after the answer. */
  waitUntil?: ((work: Promise<unknown>) => void) | undefined;
  /** All the time that the caller has; retrieval takes at most half of it. */
  timeLeftMs?: number | undefined;
}

/** Finds the best evidence for a question that is at hand in time. Rejects only when `signal` aborts. */
export type Retriever = (edition: Edition, question: string, options?: RetrieveOptions) => Promise<Retrieved>;

export interface RetrieverParts {
  /** Best with a cache. Absent: words alone. */
  embeddings?: EmbeddingProvider | undefined;
  /** The vector index of a workspace, for editions that do not carry their vectors. */
  indexOf?: ((workspace: string) => Pick<VectorIndex, 'query'>) | undefined;
  /** What a retrieval may take, in milliseconds (design, section 5). */
  deadlineMs?: number | undefined;
  /** Told of what failed; the answer goes out without it. */
  onFault?: ((where: string, error: unknown) => void) | undefined;
}

const DEADLINE_MS = 100;
/** A late embedding is waited for so long, for the sake of the cache. */
const EMBEDDING_LIMIT_MS = 15_000;
/** A question is a few sentences; a pasted log has its meaning at the front, and costs. */
const MAX_CHARACTERS = 2000;
/** Asked of an index: some may be of texts that are gone, or of other articles than those asked for. */
const ASKED_OF_INDEX = 60;
const NEAREST = 20;

/**
 * Searches words at once, and meanings besides as far as they come within the deadline: the embedding of the question races
 * the words, then the vectors are compared. What is not there in time is left out, and lands in the cache for the next time.
 */
export const createRetriever =
  ({ embeddings, indexOf, deadlineMs = DEADLINE_MS, onFault }: RetrieverParts): Retriever =>
  async (edition, question, options = {}) => {
    const { signal, timeLeftMs = Number.POSITIVE_INFINITY } = options;
    const compare = embeddings && comparisonWith(embeddings, { edition, indexOf, filter: options.filter });
    if (embeddings === undefined || compare === undefined)
      return { outcome: searchEdition(edition, question, options), semantic: 'absent' };
    signal?.throwIfAborted();
    const race = startRace(Math.min(deadlineMs, timeLeftMs / 2), signal);
    try {
      const embedded = embed(embeddings, questionText(question, options), options);
      const near = embedded.then((vector) => {
        // A late one is for the cache alone.
        race.signal.throwIfAborted();
        return compare(vector, race.signal);
      });
      // It may fail when nobody waits for it any more.
      near.catch(() => undefined);
      // While the embedding is on its way.
      const byWords = searchEdition(edition, question, options);
      const found = await race.first(near);
      if (found === 'late') return { outcome: byWords, semantic: 'late' };
      const meanings = { model: embeddings.model, near: found };
      return { outcome: searchEdition(edition, question, options, meanings), semantic: 'used' };
    } catch (error) {
      signal?.throwIfAborted();
      onFault?.('compare meanings', error);
      return { outcome: searchEdition(edition, question, options), semantic: 'failed' };
    } finally {
      race.end();
    }
  };

/** Goes on after the deadline, and after the caller has gone: whoever asks the same next has it from the cache. */
const embed = async (
  embeddings: EmbeddingProvider,
  text: string,
  { waitUntil }: Pick<RetrieveOptions, 'waitUntil'>,
): Promise<number[]> => {
  const embedded = embeddings.embed(text, { signal: AbortSignal.timeout(EMBEDDING_LIMIT_MS) });
  waitUntil?.(embedded.catch(() => undefined));
  return embedded;
};

/** With the turn of the user before it: "And on the other one?" means little by itself. */
const questionText = (question: string, { history = [] }: Pick<SearchOptions, 'history'>): string => {
  const before = history.findLast(({ speaker }) => speaker === 'user')?.text.slice(0, MAX_CHARACTERS / 2);
  return (before === undefined ? question : `${before}\n${question}`).slice(0, MAX_CHARACTERS);
};

type Compare = (vector: readonly number[], signal: AbortSignal) => NearChunk[] | Promise<NearChunk[]>;

/** How an edition's vectors are compared with those of a model; undefined when they cannot be. */
const comparisonWith = (
  { model, dimensions }: EmbeddingProvider,
  {
    edition,
    indexOf,
    filter = {},
  }: { edition: Edition } & Pick<RetrieverParts, 'indexOf'> & Pick<SearchOptions, 'filter'>,
): Compare | undefined => {
  const vectors = vectorsOf(edition);
  // Vectors of two models do not compare.
  if (vectors?.space.model !== model || vectors.space.dimensions !== dimensions) return undefined;
  const isAllowed = allowedChunks(edition, filter);
  if (vectors.kind === 'rows') return (vector) => vectors.nearest(vector, { limit: NEAREST, isAllowed });
  const index = indexOf?.(edition.workspace);
  if (index === undefined) return undefined;
  return async (vector, signal) => {
    const hits = await index.query(vector, { limit: ASKED_OF_INDEX, signal });
    // Ids are hashes of texts: one that this edition does not know is of a text that it does not have.
    const near = hits.flatMap(({ id, similarity }) => vectors.chunksOf(id).map((chunk) => ({ chunk, similarity })));
    return near.filter(({ chunk }) => isAllowed?.(chunk) !== false).slice(0, NEAREST);
  };
};

interface Race {
  /** Aborts when the time is up or the caller has gone. */
  signal: AbortSignal;
  /** What the work comes to, or `late` when the time is up first. Rejects when the caller goes. */
  first<T>(work: Promise<T>): Promise<T | 'late'>;
  end(): void;
}

const startRace = (limitMs: number, outer: AbortSignal | undefined): Race => {
  const controller = new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<'late'>();
  promise.catch(() => undefined);
  const timer = setTimeout(() => {
    resolve('late');
    controller.abort();
  }, limitMs);
  const giveUp = () => {
    reject(outer?.reason);
    controller.abort();
  };
  outer?.addEventListener('abort', giveUp, { once: true });
  return {
    signal: controller.signal,
    first: (work) => Promise.race([work, promise]),
    end: () => {
      controller.abort();
      clearTimeout(timer);
      outer?.removeEventListener('abort', giveUp);
    },
  };
};
