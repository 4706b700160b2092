import type { StatementSource } from '../../contract/ask.ts';
import { analyseQuery } from '../../search/analyse-query.ts';
import { answeringModelOf, relevanceOfHits } from '../../search/answering-model.ts';
import { readPages } from '../../search/chunk-texts.ts';
import type { Edition } from '../../search/open-edition.ts';
import { type CachedChunk, cachedChunk } from '../../search/open-edition.ts';
import type { RetrieveOptions, Retriever } from '../../search/retrieve.ts';
import type { SearchOutcome } from '../../search/search-edition.ts';
import { linkOf } from '../librarian-response.ts';
import { withoutKinds } from './subject-of.ts';

/** A passage of the knowledge base. */
export interface FoundDocument {
  chunk: CachedChunk;
  /** How probably it answers the question, 0 to 1, comparable between questions. */
  score: number;
}

export interface Found {
  /** At or above the threshold, best first. */
  documents: FoundDocument[];
  /** The best three, whether they reach the threshold or not. */
  nearest: FoundDocument[];
  /** The outcome of the search, with the analysed question. */
  outcome: SearchOutcome;
  /** The text that was searched for. */
  subject: string;
  /** `embeddings` could not be compared, or `texts` not be read in time; empty when nothing was missing. */
  degraded: readonly string[];
}

/** The lead over the second hit counts for the score of the best, so that more hits are needed than shown. */
const FEWEST_HITS = 10;
const NEAREST = 3;

export interface FindOptions extends Pick<RetrieveOptions, 'signal' | 'waitUntil' | 'timeLeftMs' | 'devices'> {
  /** Least score of a document, 0 to 1. */
  similarity_threshold: number;
  /** Documents at most, 1 to 50. */
  limit: number;
  retrieve: Retriever;
}

/** The passages that fit a question, with scores; as many as `limit` allows. */
export const findDocuments = async (edition: Edition, subject: string, options: FindOptions): Promise<Found> => {
  const { similarity_threshold, limit } = options;
  const { retrieved, searchedFor } = await search(edition, subject, {
    ...options,
    limit: Math.max(FEWEST_HITS, limit),
  });
  const { outcome, semantic } = retrieved;
  const relevances = relevanceOfHits(outcome, answeringModelOf(edition));
  const { value: passages } = await readPages(edition, () =>
    outcome.hits.map(({ chunk }, at) => ({ chunk: cachedChunk(edition, chunk), score: rounded(relevances[at] ?? 0) })),
  );
  const found = passages.toSorted((a, b) => b.score - a.score);
  const documents = found.filter(({ score }) => score >= similarity_threshold).slice(0, limit);
  const degraded = [
    ...(semantic === 'late' || semantic === 'failed' ? ['embeddings'] : []),
    ...(retrieved.lacksTexts === true ? ['texts'] : []),
  ];
  return { documents, nearest: found.slice(0, NEAREST), outcome, subject: searchedFor, degraded };
};

/**
 * A word that no document uses has the highest weight, which is right for a thing, but not for a kind of text such as
 * `policy`.
 */
const search = async (edition: Edition, subject: string, { retrieve, limit, ...options }: FindOptions) => {
  const { terms } = analyseQuery(edition, subject);
  const unknown = new Set(terms.filter(({ isKnown }) => !isKnown).map(({ word }) => word.toLowerCase()));
  const without = withoutKinds(subject, (word) => unknown.has(word));
  const searchedFor = unknown.size === terms.length ? subject : without;
  return { retrieved: await retrieve(edition, searchedFor, { ...options, limit }), searchedFor };
};

/** Rounds down, so that no score is shown higher than it is. */
const rounded = (score: number): number => Math.floor(score * 10_000) / 10_000;

/** The place of a passage as the source of a statement. */
export const sourceOf = ({ source, headingPath }: Place): StatementSource => ({
  name: (source.title || source.id).slice(0, 500),
  ...linkOf(source.url),
  file: source.id,
  ...(headingPath.length === 0 ? {} : { section: headingPath.join(' > ').slice(0, 500) }),
});

interface Place extends Pick<FoundDocument['chunk'], 'source'> {
  headingPath: readonly string[];
}

/** "guides/ssl.md, Certificates": where a reader finds a passage. */
export const citationOf = ({ chunk: { source, headingPath } }: { chunk: Place }): string => {
  const section = (headingPath.at(-1) || source.title).replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return section === '' || section === source.id ? source.id : `${source.id}, ${section}`;
};
