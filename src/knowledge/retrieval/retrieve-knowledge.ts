import {
  RETRIEVAL_MAX_SOURCES,
  RETRIEVAL_MIN_SCORE,
  unavailableRetrieval,
} from '../../contract/knowledge-retrieval.ts';
import type { OriginContext, VerifiedContext } from '../../runtime/request-context.ts';
import { answeringModelOf, relevanceOfHits } from '../answers/answering-model.ts';
import type { Edition } from '../edition/open-edition.ts';
import type { Retriever } from '../search/retrieve.ts';
import type { Knowledge, KnowledgeQuestion } from './knowledge.ts';

export interface RetrievalOptions {
  /** The current edition of the workspace; may take its time, and fail. */
  edition: Edition | (() => Promise<Edition>);
  /** Searches words and, as far as they come in time, meanings: `createRetriever`. */
  retrieve: Retriever;
  /** Products by name, beside those that articles are labelled with. */
  products?: readonly string[] | undefined;
  /** In whose name meanings are asked for. */
  context?: OriginContext | VerifiedContext | undefined;
  waitUntil?: ((work: Promise<unknown>) => void) | undefined;
  /** When it aborts, what is at hand is given back at once. */
  signal?: AbortSignal | undefined;
  /** 100 when absent, and at most (seed 001, Latency Budget). */
  timeoutMs?: number | undefined;
  now?: (() => number) | undefined;
  /** Told of what failed. */
  onFault?: ((where: string, error: unknown) => void) | undefined;
}

const TIMEOUT_MS = 100;

/**
 * The articles that answer a customer's message, how well they cover it, and what is missing (seed 001, contract 2; design 7.1). Never
 * rejects: what fails or comes too late gives the documented block without sources.
 */
export const retrieveKnowledge = async (question: KnowledgeQuestion, options: RetrievalOptions): Promise<Knowledge> => {
  const { now = Date.now, onFault } = options;
  const startedAt = now();
  try {
    const found = await find(question, options);
    return { ...found, retrieval_time_ms: Math.max(1, Math.round(now() - startedAt)) };
  } catch (error) {
    onFault?.('retrieve knowledge', error);
    return unavailableRetrieval();
  }
};

const find = async (
  { message, include_weak }: KnowledgeQuestion,
  { edition: given, retrieve, timeoutMs = TIMEOUT_MS, waitUntil, signal, context }: RetrievalOptions,
): Promise<Omit<Knowledge, 'retrieval_time_ms'>> => {
  const edition = typeof given === 'function' ? await given() : given;
  const { outcome, semantic } = await retrieve(edition, message, {
    timeLeftMs: 2 * timeoutMs,
    waitUntil,
    signal,
    context,
  });
  const relevances = relevanceOfHits(outcome, answeringModelOf(edition));
  const seen = new Set<number>();
  const best = outcome.hits
    .map((hit, at) => ({ hit, relevance: relevances[at] ?? 0 }))
    .toSorted((left, right) => right.relevance - left.relevance)
    .filter(({ hit, relevance }) => {
      const isNew = !seen.has(hit.article);
      seen.add(hit.article);
      return isNew && (include_weak === true || relevance >= RETRIEVAL_MIN_SCORE);
    })
    .slice(0, RETRIEVAL_MAX_SOURCES);
  const top = Math.max(0, ...relevances);
  return {
    edition: edition.id,
    sources_consulted: best.map(({ hit, relevance }) => {
      const { title, url, lastUpdated } = edition.article(hit.article);
      const excerpt = edition.chunk(hit.chunk).text.slice(0, 150);
      return {
        title: title.slice(0, 200),
        url: url.slice(0, 500),
        relevance_score: relevance,
        excerpt,
        last_updated: lastUpdated,
      };
    }),
    passages: best.map(({ hit, relevance }, source) => {
      const { id, title, url } = edition.article(hit.article);
      const { headingPath, text } = edition.chunk(hit.chunk);
      return { source, articleId: id, title, url, headingPath, text, relevance };
    }),
    coverage: top >= 0.8 ? 'high' : top >= 0.7 ? 'medium' : top >= 0.4 ? 'low' : 'none',
    gaps: [],
    foundGaps: [],
    ...(semantic === 'late' || semantic === 'failed' ? { degraded: ['embeddings'] } : {}),
  };
};
