import type { EmbeddingProvider } from '../../ai/embeddings/base.ts';
import { WORD_VECTORS_MODEL, type WordVectors } from '../../ai/embeddings/word-vectors.ts';
import type {
  KnowledgeHit,
  KnowledgeSearchRequest,
  KnowledgeSearchResponse,
} from '../../contract/wire/knowledge.ts';
import { startDeadline, TooLate, withDeadline } from '../../platform/http/deadline.ts';
import type { VectorIndex } from '../../platform/storage/vector-index.ts';
import { readPages } from '../edition/chunk-texts.ts';
import { type EditionVectors, vectorsOf } from '../edition/edition-vectors.ts';
import type { NearChunk } from '../edition/nearest-rows.ts';
import type { Edition } from '../edition/open-edition.ts';
import { relevanceOfHits } from './relevance.ts';
import {
  allowedChunks,
  type Meanings,
  type SearchHit,
  type SearchOptions,
  type SearchOutcome,
  searchEdition,
} from './search-edition.ts';

/**
 * How meaning contributed: `used`; `absent` (no model, or an edition without its vectors); `late` (not available by the
 * deadline; the next query with the same text may find it in the cache); `failed`.
 */
export type SemanticUse = 'used' | 'absent' | 'late' | 'failed';

interface Retrieved {
  outcome: SearchOutcome;
  semantic: SemanticUse;
  /** Texts could not be had in time, or at all: their passages are no hits. */
  lacksTexts?: boolean | undefined;
}

export interface RetrieveOptions extends SearchOptions {
  /** When aborted, the retrieval rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Keeps a late embedding alive after the response, so that it is cached. */
  waitUntil?: ((work: Promise<unknown>) => void) | undefined;
  /** Time left to the caller, of which retrieval takes at most half. */
  timeLeftMs?: number | undefined;
}

/** Finds the best evidence for a question within the deadline. Rejects only when `signal` aborts. */
export type Retriever = (
  edition: Edition,
  question: string,
  options?: RetrieveOptions,
) => Promise<Retrieved>;

export interface RetrieverParts {
  /** Question vectors for editions with word vectors; computed synchronously. */
  wordVectors?: (() => WordVectors) | undefined;
  /** Source of the meaning of a question for other editions: `meaningBy`. Without it only words are searched there. */
  meaningOf?: MeaningOf | undefined;
  /** Timeout for meanings in milliseconds; 90 by default. */
  deadlineMs?: number | undefined;
  /** Receives failures of the search by meaning; the result then rests on words. */
  onFault?: ((where: string, error: unknown) => void) | undefined;
}

/** Retrieval has 100 ms; a tenth is reserved for timers of a busy isolate and for the remaining work. */
const DEADLINE_MS = 90;
/** Number of chunks compared by meaning: the first become hits, all serve to find close articles. */
const NEAREST = 200;

/**
 * Searches words, and meanings if they arrive within the deadline: the question is embedded while words are searched, then
 * vectors are compared. A late embedding is omitted from the result but cached for the next query.
 */
export function createRetriever(parts: RetrieverParts): Retriever {
  const { wordVectors, meaningOf, deadlineMs = DEADLINE_MS, onFault } = parts;
  return async (edition, question, options = {}) => {
    const { signal, timeLeftMs = Number.POSITIVE_INFINITY } = options;
    signal?.throwIfAborted();
    const timeoutMs = Math.min(deadlineMs, timeLeftMs / 2);
    const deadline = startDeadline({ timeoutMs, signal, errorFor: () => new TooLate() });
    let lacksTexts: boolean | undefined;
    const search = async (meanings?: Meanings): Promise<SearchOutcome> => {
      const work = () => searchEdition(edition, question, options, meanings);
      const { value, isComplete } = await readPages(edition, work, { deadline });
      lacksTexts = isComplete ? undefined : true;
      signal?.throwIfAborted();
      return value;
    };
    let byWords: Promise<SearchOutcome> | undefined;
    const without = async (semantic: SemanticUse): Promise<Retrieved> => ({
      outcome: await (byWords ?? search()),
      semantic,
      lacksTexts,
    });
    try {
      if (edition.meanings !== undefined) {
        const meanings = edition.meanings(questionText(question, options));
        if (meanings === undefined || meanings === 'late')
          return await without(meanings ?? 'absent');
        return { outcome: await search(meanings), semantic: 'used', lacksTexts };
      }
      const vectors = vectorsOf(edition);
      if (vectors === undefined) return await without('absent');
      let near: NearChunk[] | undefined;
      if (vectors.space.model === WORD_VECTORS_MODEL && wordVectors !== undefined)
        near = nearByWordVectors(question, wordVectors(), { ...options, edition, vectors });
      else if (meaningOf !== undefined) {
        const meaning = nearByMeaning(question, meaningOf, {
          ...options,
          edition,
          vectors,
          signal: deadline.signal,
        });
        // It may fail after the result has been returned.
        meaning.catch(() => undefined);
        // Runs while the meaning is pending.
        byWords = search();
        byWords.catch(() => undefined);
        near = await deadline.race(meaning);
        await byWords;
      }
      if (near === undefined) return await without('absent');
      const outcome = await search({ model: vectors.space.model, near });
      return { outcome, semantic: 'used', lacksTexts };
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof TooLate) return await without('late');
      onFault?.('compare meanings', error);
      return await without('failed');
    } finally {
      deadline.end();
    }
  };
}

const isOf = (
  { space }: EditionVectors,
  { model, dimensions }: Pick<Meaning, 'model' | 'dimensions'>,
): boolean => space.model === model && space.dimensions === dimensions;

/** What a search by meaning reads. */
interface Comparison extends SearchOptions {
  edition: Edition;
  vectors: EditionVectors;
}

/** The chunks of an edition closest to a question; `undefined` if they cannot be compared. */
const nearByMeaning = async (
  question: string,
  meaningOf: MeaningOf,
  {
    edition,
    vectors,
    signal,
    waitUntil,
    ...options
  }: Comparison & Pick<MeaningOptions, 'signal' | 'waitUntil'>,
): Promise<NearChunk[] | undefined> => {
  const meaning = await meaningOf(questionText(question, options), {
    wants: vectors.kind === 'ids' ? 'hits' : 'vector',
    workspace: edition.workspace,
    readableShare: edition.narrowed && edition.chunkCount / edition.narrowed.from.chunkCount,
    signal,
    waitUntil,
  });
  // Vectors of different models are not comparable.
  if (!isOf(vectors, meaning)) return undefined;
  const isAllowed = allowedChunks(edition, question, options);
  if (vectors.kind === 'rows') {
    return meaning.vector && vectors.nearest(meaning.vector, { limit: NEAREST, isAllowed });
  }
  // Ids are hashes of texts: an id that is unknown here belongs to a text outside this edition.
  const near = meaning.hits?.flatMap(({ id, similarity }) =>
    vectors.chunksOf(id).map((chunk) => ({ chunk, similarity })),
  );
  return near?.filter(({ chunk }) => isAllowed?.(chunk) !== false).slice(0, NEAREST);
};

/** The closest chunks by word vectors; `undefined` if no word of the question is known. */
const nearByWordVectors = (
  question: string,
  words: WordVectors,
  { edition, vectors, filter, language, history }: Comparison,
): NearChunk[] | undefined => {
  const vector = words.vectorOfQuestion(questionText(question, { history }));
  if (vector === undefined || vectors.kind !== 'rows') return undefined;
  // The comparison normalises vectors; the original length is the share of the question that is known.
  const share = Math.hypot(...vector);
  const near = vectors.nearest(vector, {
    limit: NEAREST,
    isAllowed: allowedChunks(edition, question, { filter, language }),
  });
  return near.map(({ chunk, similarity }) => ({ chunk, similarity: similarity * share }));
};

/** A question is a few sentences; a pasted log has its meaning at the beginning, and tokens cost money. */
const MAX_CHARACTERS = 2000;

/**
 * Text to embed for a question. Includes the previous turn of the user, as "And on the other one?" means little by itself.
 */
export function questionText(
  question: string,
  { history = [] }: Pick<SearchOptions, 'history'>,
): string {
  const before = history
    .findLast(({ speaker }) => speaker === 'user')
    ?.text.slice(0, MAX_CHARACTERS / 2);
  return (before === undefined ? question : `${before}\n${question}`).slice(0, MAX_CHARACTERS);
}

/** The meaning of a question: its vector, or the closest vectors of an index. */
interface Meaning {
  model: string;
  dimensions: number;
  vector?: readonly number[] | undefined;
  /** Best first. */
  hits?: readonly { id: string; similarity: number }[] | undefined;
}

interface MeaningOptions {
  wants: 'vector' | 'hits';
  workspace: string;
  /** Share of the texts that the asker may read, above 0 to 1; 1 when absent. An index knows no audiences, so it is asked for more. */
  readableShare?: number | undefined;
  /** When aborted, the promise rejects with the signal's reason; a pending embedding continues and fills the cache. */
  signal: AbortSignal;
  /** Keeps a late embedding alive after the response, so that it is cached. */
  waitUntil?: ((work: Promise<unknown>) => void) | undefined;
}

/** Throws what the model or the index throws. */
export type MeaningOf = (text: string, options: MeaningOptions) => Promise<Meaning>;

/** How long a late embedding may continue, for the cache. */
const EMBEDDING_LIMIT_MS = 15_000;
/** Number of results requested from an index: some may belong to deleted texts or to articles that the filter excludes. */
const ASKED_OF_INDEX = 60;
/** The most that an index gives. */
const MAX_ASKED = 1000;

/** Creates a source of meanings from a model and, if vectors are stored in one, the vector index of a workspace. */
export function meaningBy(
  embeddings: EmbeddingProvider,
  indexOf?: ((workspace: string) => Pick<VectorIndex, 'query'>) | undefined,
): MeaningOf {
  return async (text, { wants, workspace, readableShare = 1, signal, waitUntil }) => {
    const { model, dimensions } = embeddings;
    // Continues after the deadline and after the caller has disconnected: the next caller with this query gets it from the
    // cache.
    const embedded = embeddings.embed(text, { signal: AbortSignal.timeout(EMBEDDING_LIMIT_MS) });
    const settled = embedded.catch(() => undefined);
    waitUntil?.(settled);
    const vector = await withDeadline(() => embedded, {
      signal,
      reason: 'the model has not answered in time',
    });
    const index = wants === 'hits' ? indexOf?.(workspace) : undefined;
    if (index === undefined) return { model, dimensions, vector };
    signal.throwIfAborted();
    const limit = Math.min(MAX_ASKED, Math.ceil(ASKED_OF_INDEX / readableShare));
    return { model, dimensions, hits: await index.query(vector, { limit, signal }) };
  };
}

/** Ranked passages of an edition, in the reply format of `POST /v1/knowledge/search`. */
export async function searchKnowledge(
  edition: Edition,
  { query, limit, filter }: KnowledgeSearchRequest,
  {
    retrieve,
    ...options
  }: Pick<RetrieveOptions, 'signal' | 'waitUntil' | 'timeLeftMs'> & { retrieve: Retriever },
): Promise<KnowledgeSearchResponse> {
  const { outcome, semantic, lacksTexts } = await retrieve(edition, query, {
    ...options,
    limit,
    filter,
  });
  const relevances = relevanceOfHits(outcome);
  const hits = await readPages(edition, () =>
    outcome.hits.map((hit, index) => hitOf(edition, hit, relevances[index] ?? 0)),
  );
  const degraded = [
    ...(semantic === 'late' || semantic === 'failed' ? (['embeddings'] as const) : []),
    ...(lacksTexts === true ? (['texts'] as const) : []),
  ];
  return {
    edition: edition.id,
    hits: hits.value,
    ...(degraded.length > 0 ? { degraded } : {}),
  };
}

const hitOf = (edition: Edition, hit: SearchHit, relevance: number): KnowledgeHit => {
  const { id, title, url, lastUpdated } = edition.article(hit.article);
  const { headingPath, text } = edition.chunk(hit.chunk);
  return {
    article_id: id,
    title,
    url,
    text,
    relevance,
    heading: headingPath.join(' > ').slice(0, 2000),
    score: hit.fused ?? hit.score,
    last_updated: lastUpdated,
  };
};
