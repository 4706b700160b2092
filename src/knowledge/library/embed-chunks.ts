import * as z from 'zod';
import { EmbeddingFailed } from '../../ai/embeddings/base.ts';
import { StoreUnavailable } from '../../storage/store-unavailable.ts';
import type { VectorRecord } from '../../storage/vector-index.ts';
import { embeddingTextOf } from '../vectors/embedding-text.ts';
import { packVector, quantise } from '../vectors/quantise.ts';
import { fitsEdition, type LibraryEmbedding } from './library-embedding.ts';
import { type PlanParts, planVectors } from './plan-vectors.ts';

export interface EmbeddingParts extends Omit<PlanParts, 'space'> {
  embedding: LibraryEmbedding;
  onFault: (where: string, error: unknown) => void;
}

/** What a step came to. */
export interface EmbeddingStep {
  /** Texts embedded. */
  embedded: number;
  /**
   * `more`: go on. `waiting`: not before `dueAt`. `done`: every chunk has its vector. `given-up`: some have none, for the
   * model or the index does not answer; it is tried again later.
   */
  next: 'more' | 'waiting' | 'done' | 'given-up';
  /** Something that people should know of. */
  warning?: string | undefined;
}

export interface ChunkEmbedder {
  /**
   * Does the next piece of work. What comes back notes it in the database: to be called within a transaction, with whatever
   * counts the step. A crash before that costs the step's work, and nothing else.
   */
  step(options?: { limitMs?: number }): Promise<() => EmbeddingStep>;
  /** When there is something to do outside of a sync; undefined when there is not. */
  dueAt(): number | undefined;
  /** Forgets earlier failures: who asks for a sync asks to try again. */
  restart(): void;
}

const Count = z.int().min(0);

/** How embedding stands, between two steps. There is none when everything has its vector. */
const Progress = z.object({
  /** Steps in a row that failed, and times it was given up for that. */
  failures: Count.default(0),
  rounds: Count.default(0),
  /** Milliseconds that they took, without the waits between them. */
  failingMs: z.number().default(0),
  /** Nothing is tried before. */
  retryAt: z.number().optional(),
  /** The index may not have caught up with what was stored; so long that is waited for. */
  visibleBy: z.number().optional(),
  waits: Count.default(0),
});
type Progress = z.infer<typeof Progress>;

/** What one step embeds, some 100,000 tokens of English: a provider cuts it into as many requests as its service wants. */
const BATCH = { texts: 256, characters: 400_000 };
const LIMIT_MS = 20_000;
const MAX_FAILURES = 4;
/** A service that does not answer at all is not asked again: a sync has an end, and the words are published. */
const MAX_FAILING_MS = 15_000;
const FIRST_WAIT_MS = 1000;
/** After giving up: five minutes, ten, twenty, up to an hour. */
const ROUND_MS = 300_000;
const MAX_ROUND_MS = 3_600_000;
/** Indexing takes seconds as a rule; what is published sooner is found by its words until then. */
const VISIBLE_WITHIN_MS = 60_000;
const FIRST_LOOK_MS = 200;
const MAX_LOOK_MS = 4000;

/** Gives the chunks of a library their vectors, step by step. */
export const chunkEmbedder = (parts: EmbeddingParts): ChunkEmbedder => {
  const { state, articles, vectors, embedding, now } = parts;
  const { provider, index } = embedding;
  const place = index === undefined ? 'edition' : `index ${embedding.indexName ?? ''}`;
  const read = (): Progress | undefined => {
    const stored = state.read('embedding');
    return stored === undefined ? undefined : Progress.catch(() => Progress.parse({})).parse(stored);
  };
  const write = (progress: Partial<Progress>): void =>
    state.write('embedding', { failures: 0, failingMs: 0, rounds: 0, waits: 0, ...progress });

  const step: ChunkEmbedder['step'] = async ({ limitMs = LIMIT_MS } = {}) => {
    if (!fitsEdition(embedding, articles.chunkCount())) return () => ended({ warning: TOO_MANY });
    if (state.read('vectors_in') !== place) return () => moved();
    if (await planVectors({ ...parts, space: provider })) return () => ({ embedded: 0, next: 'more' });
    const batch = nextBatch(parts);
    if (batch.length === 0) return settle(limitMs);
    const startedAt = now();
    try {
      const signal = AbortSignal.timeout(limitMs);
      const found = await provider.embedBatch(
        batch.map(({ text }) => text),
        { signal },
      );
      const usable = usableVectors(batch, found, provider.dimensions);
      if (index !== undefined && usable.length > 0) await index.upsert(usable, { signal });
      const packed = new Map(
        index === undefined ? usable.map(({ id, vector }) => [id, packVector(quantise(vector))]) : [],
      );
      return () => stored(batch, packed);
    } catch (error) {
      parts.onFault('embed', error);
      return () => failed(error, startedAt);
    }
  };

  const stored = (batch: readonly Wanted[], packed: ReadonlyMap<string, Uint8Array<ArrayBuffer>>): EmbeddingStep => {
    for (const { vector } of batch) vectors.setStored(vector, packed.get(vector));
    state.bumpRevision();
    write(index === undefined ? {} : { visibleBy: now() + VISIBLE_WITHIN_MS });
    return { embedded: batch.length, next: 'more' };
  };

  const moved = (): EmbeddingStep => {
    if (state.read('vectors_in') !== undefined) {
      vectors.setAllWanted();
      state.bumpRevision();
    }
    state.write('vectors_in', place);
    return { embedded: 0, next: 'more' };
  };

  const ended = (more: { warning?: string } = {}): EmbeddingStep => {
    state.write('embedding', undefined);
    return { embedded: 0, next: 'done', ...more };
  };

  /** Everything is stored; whether it can be found is asked again and again, at growing intervals. */
  const settle = async (limitMs: number): Promise<() => EmbeddingStep> => {
    const visibleBy = read()?.visibleBy;
    if (index === undefined || visibleBy === undefined) return () => ended();
    const pending = await index.pending({ signal: AbortSignal.timeout(limitMs) }).catch((error) => {
      parts.onFault('look for vectors', error);
      return Number.POSITIVE_INFINITY;
    });
    if (pending === 0) return () => ended();
    if (now() >= visibleBy) return () => ended({ warning: NOT_VISIBLE });
    return () => {
      const waits = read()?.waits ?? 0;
      const retryAt = now() + Math.min(MAX_LOOK_MS, FIRST_LOOK_MS * 2 ** waits);
      write({ visibleBy, waits: waits + 1, retryAt });
      return { embedded: 0, next: 'waiting' };
    };
  };

  const failed = (error: unknown, startedAt: number): EmbeddingStep => {
    const { failures = 0, failingMs: before = 0, rounds = 0, visibleBy } = read() ?? {};
    const failingMs = before + now() - startedAt;
    const known = error instanceof EmbeddingFailed || error instanceof StoreUnavailable ? error.reason : 'unavailable';
    const isOver = known === 'refused' || failures + 1 >= MAX_FAILURES || failingMs >= MAX_FAILING_MS;
    const asked = error instanceof EmbeddingFailed ? (error.retryAfterMs ?? 0) : 0;
    const wait = isOver
      ? Math.min(MAX_ROUND_MS, ROUND_MS * 2 ** rounds)
      : Math.max(Math.min(asked, ROUND_MS), FIRST_WAIT_MS * 2 ** failures);
    const counted = isOver ? { failures: 0, rounds: rounds + 1 } : { failures: failures + 1, rounds, failingMs };
    write({ ...counted, retryAt: now() + wait, ...(visibleBy === undefined ? {} : { visibleBy }) });
    if (!isOver) return { embedded: 0, next: 'waiting' };
    const count = vectors.wantedCount();
    return {
      embedded: 0,
      next: 'given-up',
      warning: `Cannot embed ${count} texts now: they are searched by their words`,
    };
  };

  return {
    step,
    dueAt: () => {
      const progress = read();
      return progress && (progress.retryAt ?? now());
    },
    restart: () => {
      const progress = read();
      if (progress) write(progress.visibleBy === undefined ? {} : { visibleBy: progress.visibleBy });
    },
  };
};

const TOO_MANY =
  'Cannot embed the texts: there are too many for an edition without a vector index; they are searched by their words';
const NOT_VISIBLE =
  'The vector index has not caught up after a minute: some texts are found by their words only until it has';

interface Wanted {
  vector: string;
  text: string;
}

/** The texts of the next wanted vectors, each once; bounded in number and length but for the first. */
const nextBatch = ({ vectors, articles }: EmbeddingParts): Wanted[] => {
  const batch = new Map<string, Wanted>();
  let characters = 0;
  let entry: ReturnType<typeof articles.entry>;
  for (const { vector, article, position } of vectors.wanted(BATCH.texts)) {
    if (batch.has(vector)) continue;
    if (entry?.article.id !== article) entry = articles.entry(article);
    const chunk = entry?.chunks[position];
    if (!entry || !chunk) continue;
    const text = embeddingTextOf({ ...chunk, title: entry.article.title });
    characters += text.length;
    if (batch.size > 0 && characters > BATCH.characters) break;
    batch.set(vector, { vector, text });
  }
  return [...batch.values()];
};

/** A vector without a direction, as of a text without words, is near to nothing: its text is done without one. */
const usableVectors = (batch: readonly Wanted[], found: readonly number[][], dimensions: number): VectorRecord[] => {
  const isWhole = found.length === batch.length && found.every(({ length }) => length === dimensions);
  if (!isWhole || !found.every((vector) => vector.every(Number.isFinite)))
    throw new EmbeddingFailed('malformed', 'Cannot store the vectors: some are missing or not of the right form');
  return batch.flatMap(({ vector: id }, at) => {
    const vector = found[at] ?? [];
    return vector.some((value) => value !== 0) ? [{ id, vector }] : [];
  });
};
