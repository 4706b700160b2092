import * as z from 'zod';
import { EmbeddingFailed } from '../../ai/embeddings/base.ts';
import { StoreUnavailable } from '../../platform/storage/store-unavailable.ts';
import type { VectorIndex, VectorRecord } from '../../platform/storage/vector-index.ts';
import { embeddingTextOf } from '../edition/edition-vectors.ts';
import { packVector, quantise } from '../edition/nearest-rows.ts';
import type { ArticleStore, LibraryState } from './article-store.ts';
import {
  fitsEdition,
  type LibraryEmbedding,
  type PlanParts,
  planVectors,
  type VectorStore,
} from './vector-store.ts';

interface EmbeddingParts extends Omit<PlanParts, 'space'> {
  embedding: LibraryEmbedding;
  onFault: (where: string, error: unknown) => void;
}

/** Result of a step. */
export interface EmbeddingStep {
  /** Texts whose vectors are stored now. */
  embedded: number;
  /**
   * `more`: continue. `waiting`: not before `dueAt`. `done`: every chunk has its vector, or gets none until the next full sync. `given-up`:
   * some have none, since the model or the index does not answer; retried later.
   */
  next: 'more' | 'waiting' | 'done' | 'given-up';
  /** A warning for the report, and the article it concerns. */
  warning?: string | undefined;
  article?: string | undefined;
}

export interface ChunkEmbedder {
  /**
   * Does the next piece of work. The returned function records it in the database, and must be called in the transaction that counts the step. A
   * crash before that loses only the step's work.
   */
  step(options?: { limitMs?: number }): Promise<() => EmbeddingStep>;
  /** When there is work outside of a sync; undefined when there is none. */
  dueAt(): number | undefined;
  /**
   * Forgets earlier failures, since a requested sync retries them. A full one retries refused texts, too, since an outage may have
   * caused the refusal, and compares the index with the database; `force` embeds and stores everything again.
   */
  restart(sync: { full: boolean; force: boolean }): void;
  /** Pauses for a while. */
  postpone(): void;
}

const LIMIT_MS = 20_000;
const MAX_FAILURES = 4;
/** A service that does not answer at all is not retried within a sync, so that the sync ends and the articles are published without vectors. */
const MAX_FAILING_MS = 15_000;
const FIRST_WAIT_MS = 1000;
/** Pause after giving up: five minutes, ten, twenty, up to an hour. */
const ROUND_MS = 300_000;
const MAX_ROUND_MS = 3_600_000;
/** Indexing usually takes seconds; until then, published articles are found by their words. */
const VISIBLE_WITHIN_MS = 60_000;
const FIRST_POLL_MS = 200;
const MAX_POLL_MS = 4000;
/** A text that no model refuses for its content. */
const HARMLESS = 'Good morning';
/** After this many single refusals in a row, the cause is not the texts. */
const MAX_REFUSED = 16;
/** Ids per statement. */
const IDS_AT_ONCE = 10_000;

/** Embeds the chunks of a library, step by step. */
export function chunkEmbedder(parts: EmbeddingParts): ChunkEmbedder {
  const { state, articles, vectors, embedding, now } = parts;
  const { provider, index } = embedding;
  const place = index === undefined ? 'edition' : `index ${embedding.indexName ?? ''}`;
  const progress = progressStore(state);

  const step: ChunkEmbedder['step'] = async ({ limitMs = LIMIT_MS } = {}) => {
    const startedAt = now();
    try {
      return await nextStep(AbortSignal.timeout(limitMs), startedAt);
    } catch (error) {
      parts.onFault('embed', error);
      return () => failed(error, startedAt);
    }
  };

  const nextStep = async (signal: AbortSignal, startedAt: number): Promise<() => EmbeddingStep> => {
    if (!fitsEdition(embedding, articles.chunkCount())) return () => ended({ warning: TOO_MANY });
    if (state.read('vectors_in') !== place) return moved;
    if (await planVectors({ ...parts, space: provider })) return () => MORE;
    const { check, texts = BATCH.texts } = progress.read() ?? {};
    if (check === 'again') return again;
    if (check !== undefined && index !== undefined) return compare(index, signal);
    const kept = index === undefined ? [] : vectors.kept(BATCH.texts);
    if (index !== undefined && kept.length > 0) {
      await index.upsert(kept, { signal });
      return () => stored(kept);
    }
    const batch = nextBatch(parts, texts);
    return batch.length === 0 ? settle(signal) : embed(batch, { signal, startedAt });
  };

  const embed = async (
    batch: readonly Wanted[],
    { signal, startedAt }: { signal: AbortSignal; startedAt: number },
  ): Promise<() => EmbeddingStep> => {
    const texts = batch.map(({ text }) => text);
    const found = await provider.embedBatch(texts, { signal }).catch(async (error) => {
      if (!isRefusal(error)) throw error;
      // Distinguishes a refused text from a refused key or model, which fails here too.
      await provider.embed(HARMLESS, { signal });
      parts.onFault('embed', error);
      return undefined;
    });
    if (found === undefined) return () => refused(batch);
    const usable = usableVectors(batch, found, provider.dimensions);
    try {
      if (index !== undefined && usable.length > 0) await index.upsert(usable, { signal });
    } catch (error) {
      parts.onFault('store vectors', error);
      return () => {
        vectors.keep(usable);
        return failed(error, startedAt);
      };
    }
    return () => {
      const ids = new Set(usable.map(({ id }) => id));
      for (const { vector } of batch) if (!ids.has(vector)) vectors.setNone(vector);
      return { ...stored(usable), embedded: batch.length };
    };
  };

  const stored = (records: readonly { id: string; vector: readonly number[] }[]): EmbeddingStep => {
    for (const { id, vector } of records)
      vectors.setStored(id, index === undefined ? packVector(quantise(vector)) : undefined);
    if (records.length > 0) state.bumpRevision();
    const visibleBy = index === undefined ? undefined : now() + VISIBLE_WITHIN_MS;
    const texts = (progress.read()?.texts ?? BATCH.texts) * 2;
    progress.update({ ...NO_FAILURES, visibleBy, texts: texts < BATCH.texts ? texts : undefined });
    return { embedded: records.length, next: 'more' };
  };

  /** Halves the batch down to a single text, which is marked as having no vector. */
  const refused = (batch: readonly Wanted[]): EmbeddingStep => {
    const [first] = batch;
    const { refused: before = 0 } = progress.read() ?? {};
    if (first === undefined || batch.length > 1) {
      progress.update({ ...NO_FAILURES, refused: before, texts: Math.ceil(batch.length / 2) });
      return MORE;
    }
    vectors.setRefused(first.vector);
    progress.update({ ...NO_FAILURES, refused: before + 1 });
    const refused = { article: first.article, warning: REFUSED };
    if (before + 1 < MAX_REFUSED) return { ...MORE, ...refused };
    progress.update({ refused: 0, retryAt: now() + ROUND_MS });
    return { embedded: 0, next: 'given-up', ...refused };
  };

  const again = (): EmbeddingStep => {
    progress.update({ check: undefined });
    vectors.setAllWantedAgain();
    return MORE;
  };

  const compare = async (index: VectorIndex, signal: AbortSignal): Promise<() => EmbeddingStep> => {
    const missing = await missingVectors(index, vectors.stored(), { signal }).catch((error) => {
      parts.onFault('compare vectors', error);
      return undefined;
    });
    return () => {
      progress.update({ check: undefined });
      if (missing === undefined) return { ...MORE, warning: NOT_COMPARED };
      if (missing.length === 0) return MORE;
      for (let from = 0; from < missing.length; from += IDS_AT_ONCE)
        vectors.setWanted(missing.slice(from, from + IDS_AT_ONCE));
      state.bumpRevision();
      return {
        ...MORE,
        warning: `The vector index had lost ${missing.length} vectors: they are stored again`,
      };
    };
  };

  const moved = (): EmbeddingStep => {
    if (state.read('vectors_in') !== undefined) {
      vectors.setAllWanted();
      state.bumpRevision();
    }
    state.write('vectors_in', place);
    return MORE;
  };

  const ended = (more: { warning?: string } = {}): EmbeddingStep => {
    progress.clear();
    return { embedded: 0, next: 'done', ...more };
  };

  /** Everything is stored; whether it can be found is polled at growing intervals. */
  const settle = async (signal: AbortSignal): Promise<() => EmbeddingStep> => {
    const visibleBy = progress.read()?.visibleBy;
    if (index === undefined || visibleBy === undefined) return () => ended();
    const pending = await index.pending({ signal }).catch((error) => {
      parts.onFault('look for vectors', error);
      return Number.POSITIVE_INFINITY;
    });
    if (pending === 0) return () => ended();
    if (now() >= visibleBy) return () => ended({ warning: NOT_VISIBLE });
    return () => {
      const waits = progress.read()?.waits ?? 0;
      const retryAt = now() + Math.min(MAX_POLL_MS, FIRST_POLL_MS * 2 ** waits);
      progress.update({ ...NO_FAILURES, waits: waits + 1, retryAt });
      return { embedded: 0, next: 'waiting' };
    };
  };

  const failed = (error: unknown, startedAt: number): EmbeddingStep => {
    const { failures = 0, failingMs: before = 0, rounds = 0 } = progress.read() ?? {};
    const failingMs = before + now() - startedAt;
    const known =
      error instanceof EmbeddingFailed || error instanceof StoreUnavailable
        ? error.reason
        : 'unavailable';
    const isOver =
      known === 'refused' || failures + 1 >= MAX_FAILURES || failingMs >= MAX_FAILING_MS;
    const asked = error instanceof EmbeddingFailed ? (error.retryAfterMs ?? 0) : 0;
    const wait = isOver
      ? Math.min(MAX_ROUND_MS, ROUND_MS * 2 ** rounds)
      : Math.max(Math.min(asked, ROUND_MS), FIRST_WAIT_MS * 2 ** failures);
    const counted = isOver
      ? { failures: 0, failingMs: 0, rounds: rounds + 1 }
      : { failures: failures + 1, failingMs };
    progress.update({ ...counted, retryAt: now() + wait });
    if (!isOver) return { embedded: 0, next: 'waiting' };
    const what = `Cannot embed ${vectors.wantedCount()} texts now${isRefusal(error) ? REFUSED_ALL : ''}`;
    return {
      embedded: 0,
      next: 'given-up',
      warning: `${what}: texts without a vector are found by keyword search only`,
    };
  };

  return {
    step,
    dueAt: () => {
      const stands = progress.read();
      return stands && (stands.retryAt ?? now());
    },
    restart: ({ full, force }) => {
      if (full) vectors.setRefusedWanted();
      const check = force ? 'again' : full && index !== undefined ? 'compare' : undefined;
      if (check !== undefined) progress.update({ ...NO_FAILURES, check });
      else if (progress.read() !== undefined) progress.update(NO_FAILURES);
    },
    postpone: () => progress.update({ retryAt: now() + ROUND_MS }),
  };
}

const MORE: EmbeddingStep = { embedded: 0, next: 'more' };

const TOO_MANY =
  'Cannot embed the texts: there are too many for an edition without a vector index; they are found by keyword search only';
const NOT_VISIBLE =
  'The vector index has not caught up after a minute: until then some texts are found by keyword search only';
const NOT_COMPARED =
  'Cannot compare the vectors with those of the index: the next full sync compares them';
const REFUSED =
  'Cannot embed one of its texts: the model refuses it; it is found by keyword search only';
const REFUSED_ALL =
  ', because the model refuses every text, as with a wrong key, a used-up quota or an unknown model';

const isRefusal = (error: unknown): boolean =>
  error instanceof EmbeddingFailed && error.reason === 'refused';

const Count = z.int().min(0);

/** State of embedding between two steps; absent when everything has its vector. */
const Progress = z.object({
  /** Consecutive failed steps, and how often embedding was given up for that. */
  failures: Count.default(0),
  rounds: Count.default(0),
  /** Milliseconds that they took, without the waits between them. */
  failingMs: z.number().default(0),
  /** Earliest time of the next attempt. */
  retryAt: z.number().optional(),
  /** Time limit for the index to show what was stored. */
  visibleBy: z.number().optional(),
  waits: Count.default(0),
  /** Size of the next batch while the model refuses one of its texts; the default size when absent. */
  texts: z.int().min(1).optional(),
  /** Consecutive texts that were refused on their own. */
  refused: Count.default(0),
  /** To do first: compare the index with the database, or store everything again. */
  check: z.enum(['compare', 'again']).optional(),
});
type Progress = z.infer<typeof Progress>;

/** Without failures, as before the first one. */
const NO_FAILURES = {
  failures: 0,
  rounds: 0,
  failingMs: 0,
  waits: 0,
  refused: 0,
  retryAt: undefined,
} as const;

interface ProgressStore {
  read(): Progress | undefined;
  /** Changes some fields; `undefined` removes one. */
  update(changes: { [Name in keyof Progress]?: Progress[Name] | undefined }): void;
  clear(): void;
}

const progressStore = (state: LibraryState): ProgressStore => {
  const read = (): Progress | undefined => {
    const stored = state.read('embedding');
    return stored === undefined
      ? undefined
      : Progress.catch(() => Progress.parse({})).parse(stored);
  };
  return {
    read,
    update: (changes) => state.write('embedding', { ...read(), ...changes }),
    clear: () => state.write('embedding', undefined),
  };
};

/** Pages of a listing, of a thousand ids as a rule: more than an edition has chunks. */
const MAX_PAGES = 300;

/**
 * Vectors that an index lacks: all of them after it was emptied.
 *
 * @throws {StoreUnavailable} Also when the index has more than 300 pages.
 */
const missingVectors = async (
  index: Pick<VectorIndex, 'list'>,
  ids: readonly string[],
  { signal }: { signal: AbortSignal },
): Promise<string[]> => {
  const missing = new Set(ids);
  let cursor: string | undefined;
  for (let page = 0; missing.size > 0; page += 1) {
    if (page === MAX_PAGES)
      throw new StoreUnavailable(
        'malformed',
        'Cannot compare the vectors: the index lists too many',
      );
    const listed = await index.list({ cursor, signal });
    for (const id of listed.ids) missing.delete(id);
    if (listed.next === undefined) break;
    cursor = listed.next;
  }
  return [...missing];
};

/** A text without a vector. */
interface Wanted {
  vector: string;
  /** Id of one article that has it. */
  article: string;
  text: string;
}

/** Upper bound of a step, some 100,000 tokens of English: a provider splits it into as many requests as its service requires. */
const BATCH = { texts: 256, characters: 400_000 };

/** The texts of the next missing vectors, without duplicates; bounded in number and length, except the first. */
const nextBatch = (
  { vectors, articles }: { vectors: VectorStore; articles: ArticleStore },
  maxTexts: number,
): Wanted[] => {
  const batch = new Map<string, Wanted>();
  let characters = 0;
  let entry: ReturnType<typeof articles.entry>;
  for (const { vector, article, position } of vectors.wanted(maxTexts)) {
    if (batch.has(vector)) continue;
    if (entry?.article.id !== article) entry = articles.entry(article);
    const chunk = entry?.chunks[position];
    if (!entry || !chunk) continue;
    const text = embeddingTextOf({ ...chunk, title: entry.article.title });
    characters += text.length;
    if (batch.size > 0 && characters > BATCH.characters) break;
    batch.set(vector, { vector, article, text });
  }
  return [...batch.values()];
};

/**
 * A zero vector, as of a text without words, is similar to nothing: its text is marked as having none.
 *
 * @throws {EmbeddingFailed} When a vector is missing or malformed.
 */
const usableVectors = (
  batch: readonly Wanted[],
  found: readonly number[][],
  dimensions: number,
): VectorRecord[] => {
  const isWhole =
    found.length === batch.length && found.every(({ length }) => length === dimensions);
  if (!isWhole || !found.every((vector) => vector.every(Number.isFinite)))
    throw new EmbeddingFailed(
      'malformed',
      'Cannot store the vectors: some are missing or not of the right form',
    );
  return batch.flatMap(({ vector: id }, at) => {
    const vector = found[at] ?? [];
    return vector.some((value) => value !== 0) ? [{ id, vector }] : [];
  });
};
