import type { EmbeddingProvider } from '../ai/embeddings/base.ts';
import { WORD_VECTORS_MODEL, type WordVectors } from '../ai/embeddings/word-vectors.ts';
import type { VectorIndex } from '../storage/vector-index.ts';
import { type EditionVectors, vectorsOf } from './edition-vectors.ts';
import { type Meaning, type MeaningOf, meaningBy } from './meaning.ts';
import type { NearChunk } from './nearest-rows.ts';
import type { Edition } from './open-edition.ts';
import { allowedChunks, type SearchOptions, type SearchOutcome, searchEdition } from './search-edition.ts';

/**
 * How meaning took part: `used`; `absent` (no model, or an edition without its vectors); `late` (not at hand in time; the same
 * question may have it the next time); `failed`.
 */
export type SemanticUse = 'used' | 'absent' | 'late' | 'failed';

interface Retrieved {
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
  /** Vectors of questions for editions whose vectors are word vectors. They are computed at once, so nothing is waited for. */
  wordVectors?: (() => WordVectors) | undefined;
  /** What a question means: `meaningBy`. */
  meaningOf?: MeaningOf | undefined;
  /** The same, by a model: best with a cache. Without one or the other: words alone. */
  embeddings?: EmbeddingProvider | undefined;
  /** The vector index of a workspace, for editions that do not carry their vectors. */
  indexOf?: ((workspace: string) => Pick<VectorIndex, 'query'>) | undefined;
  /** How long meanings are waited for, in milliseconds; 90 when absent (design, section 5). */
  deadlineMs?: number | undefined;
  /** Told of what failed; the answer goes out without it. */
  onFault?: ((where: string, error: unknown) => void) | undefined;
}

/** Of the 100 ms that retrieval has, a tenth is for the clock of a busy isolate and for what is left to do then. */
const DEADLINE_MS = 90;
/** Chunks that are compared by meaning: the first become hits, all tell which articles are close. */
const NEAREST = 200;

/**
 * Searches words at once, and meanings besides as far as they come within the deadline: the embedding of the question races
 * the words, then the vectors are compared. What is not there in time is left out, and lands in the cache for the next time.
 */
export const createRetriever = (parts: RetrieverParts): Retriever => {
  const { embeddings, indexOf, wordVectors, deadlineMs = DEADLINE_MS, onFault } = parts;
  const meaningOf = parts.meaningOf ?? (embeddings && meaningBy(embeddings, indexOf));
  return async (edition, question, options = {}) => {
    const { signal, waitUntil, timeLeftMs = Number.POSITIVE_INFINITY } = options;
    const vectors = vectorsOf(edition);
    const byWordsAlone = () => searchEdition(edition, question, options);
    if (vectors?.space.model === WORD_VECTORS_MODEL && wordVectors !== undefined) {
      signal?.throwIfAborted();
      try {
        const near = nearByWordVectors(question, wordVectors(), { edition, vectors, ...options });
        if (near === undefined) return { outcome: byWordsAlone(), semantic: 'absent' };
        const meanings = { model: WORD_VECTORS_MODEL, near };
        return { outcome: searchEdition(edition, question, options, meanings), semantic: 'used' };
      } catch (error) {
        onFault?.('compare word vectors', error);
        return { outcome: byWordsAlone(), semantic: 'failed' };
      }
    }
    if (meaningOf === undefined || vectors === undefined) return { outcome: byWordsAlone(), semantic: 'absent' };
    // Vectors of two models do not compare.
    if (embeddings !== undefined && !isOf(vectors, embeddings)) return { outcome: byWordsAlone(), semantic: 'absent' };
    signal?.throwIfAborted();
    const race = startRace(Math.min(deadlineMs, timeLeftMs / 2), signal);
    try {
      const wants = vectors.kind === 'ids' ? 'hits' : 'vector';
      const asked = { wants, workspace: edition.workspace, signal: race.signal, waitUntil } as const;
      const meaning = meaningOf(questionText(question, options), asked);
      const near = meaning.then((told) => nearChunks(told, { edition, vectors, filter: options.filter }));
      // It may fail when nobody waits for it any more.
      near.catch(() => undefined);
      // While the meaning is on its way.
      const byWords = byWordsAlone();
      const found = await race.first(near);
      if (found === 'late') return { outcome: byWords, semantic: 'late' };
      if (found === undefined) return { outcome: byWords, semantic: 'absent' };
      const meanings = { model: vectors.space.model, near: found };
      return { outcome: searchEdition(edition, question, options, meanings), semantic: 'used' };
    } catch (error) {
      signal?.throwIfAborted();
      onFault?.('compare meanings', error);
      return { outcome: byWordsAlone(), semantic: 'failed' };
    } finally {
      race.end();
    }
  };
};

const isOf = ({ space }: EditionVectors, { model, dimensions }: Pick<Meaning, 'model' | 'dimensions'>): boolean =>
  space.model === model && space.dimensions === dimensions;

/** The chunks of an edition that are closest to a meaning; undefined when they cannot be compared. */
const nearChunks = (
  meaning: Meaning,
  { edition, vectors, filter = {} }: { edition: Edition; vectors: EditionVectors } & Pick<SearchOptions, 'filter'>,
): NearChunk[] | undefined => {
  if (!isOf(vectors, meaning)) return undefined;
  const isAllowed = allowedChunks(edition, filter);
  if (vectors.kind === 'rows') {
    return meaning.vector && vectors.nearest(meaning.vector, { limit: NEAREST, isAllowed });
  }
  // Ids are hashes of texts: one that this edition does not know is of a text that it does not have.
  const near = meaning.hits?.flatMap(({ id, similarity }) =>
    vectors.chunksOf(id).map((chunk) => ({ chunk, similarity })),
  );
  return near?.filter(({ chunk }) => isAllowed?.(chunk) !== false).slice(0, NEAREST);
};

/** The closest chunks by word vectors; undefined when no word of the question is known. */
const nearByWordVectors = (
  question: string,
  words: WordVectors,
  { edition, vectors, filter = {}, history }: { edition: Edition; vectors: EditionVectors } & SearchOptions,
): NearChunk[] | undefined => {
  const vector = words.vectorOfQuestion(questionText(question, { history }));
  if (vector === undefined || vectors.kind !== 'rows') return undefined;
  // Comparing brings vectors to length 1; the length of this one tells how much of the question is known.
  const share = Math.hypot(...vector);
  const near = vectors.nearest(vector, { limit: NEAREST, isAllowed: allowedChunks(edition, filter) });
  return near.map(({ chunk, similarity }) => ({ chunk, similarity: similarity * share }));
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

/** A question is a few sentences; a pasted log has its meaning at the front, and costs. */
const MAX_CHARACTERS = 2000;

/** What is embedded of a question, with the turn of the user before it: "And on the other one?" means little by itself. */
export const questionText = (question: string, { history = [] }: Pick<SearchOptions, 'history'>): string => {
  const before = history.findLast(({ speaker }) => speaker === 'user')?.text.slice(0, MAX_CHARACTERS / 2);
  return (before === undefined ? question : `${before}\n${question}`).slice(0, MAX_CHARACTERS);
};
