import { answeringModelOf, relevanceOfHits } from '../../knowledge/answers/answering-model.ts';
import { type ChunkAtHand, chunkAtHand } from '../../knowledge/edition/chunks-at-hand.ts';
import type { Edition } from '../../knowledge/edition/open-edition.ts';
import { type SearchOutcome, searchEdition } from '../../knowledge/search/search-edition.ts';
import type { SemanticOptions } from './semantic-options.ts';
import { withoutKinds } from './subject-of.ts';

/** A passage of the knowledge base. */
export interface FoundDocument {
  chunk: ChunkAtHand;
  /** How probably it answers the question, 0 to 1, comparable between questions (design, section 5). */
  score: number;
  /** The search engine's own score, for the order of quotes. */
  rank: number;
}

export interface Found {
  /** At or above the threshold, best first. */
  documents: FoundDocument[];
  /** The best three, whether they reach the threshold or not. */
  nearest: FoundDocument[];
  /** The question as the search read it. */
  query: SearchOutcome['query'];
  /** What was searched for. */
  subject: string;
}

/** What the best hit leads by counts for its score: it takes a second one to tell. */
const FEWEST_HITS = 10;
const NEAREST = 3;

/** The passages that fit a question, with scores; as many as `limit` allows. */
export const findDocuments = (edition: Edition, subject: string, options: SemanticOptions): Found => {
  const { similarity_threshold, limit } = options;
  const { outcome, searchedFor } = search(edition, subject, Math.max(FEWEST_HITS, limit));
  const relevances = relevanceOfHits(outcome, answeringModelOf(edition));
  const found = outcome.hits
    .map((hit, at) => ({
      chunk: chunkAtHand(edition, hit.chunk),
      score: rounded(relevances[at] ?? 0),
      rank: hit.score,
    }))
    .toSorted((a, b) => b.score - a.score);
  const documents = found.filter(({ score }) => score >= similarity_threshold).slice(0, limit);
  return { documents, nearest: found.slice(0, NEAREST), query: outcome.query, subject: searchedFor };
};

/** A word that no document uses weighs most of all, which is right for a thing, and not for the kind of text that is wanted. */
const search = (edition: Edition, subject: string, limit: number) => {
  const outcome = searchEdition(edition, subject, { limit });
  const unknown = new Set(outcome.query.terms.filter(({ isKnown }) => !isKnown).map(({ word }) => word.toLowerCase()));
  const searchedFor = withoutKinds(subject, (word) => unknown.has(word));
  const isSame = searchedFor === subject || unknown.size === outcome.query.terms.length;
  if (isSame) return { outcome, searchedFor: subject };
  return { outcome: searchEdition(edition, searchedFor, { limit }), searchedFor };
};

/** Down, so that no score shows as one that it does not reach. */
const rounded = (score: number): number => Math.floor(score * 10_000) / 10_000;

/** "guides/ssl.md, Certificates": where a reader finds a passage. */
export const citationOf = ({ chunk: { source, headingPath } }: Pick<FoundDocument, 'chunk'>): string => {
  const section = (headingPath.at(-1) || source.title).replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return section === '' || section === source.id ? source.id : `${source.id}, ${section}`;
};
