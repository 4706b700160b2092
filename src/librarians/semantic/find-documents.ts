import type { StatementSource } from '../../contract/core/ask.ts';
import { readPages } from '../../knowledge/edition/chunk-texts.ts';
import type { SearchToDo } from '../../knowledge/edition/current-edition.ts';
import {
  type CachedChunk,
  cachedChunk,
  type Edition,
} from '../../knowledge/edition/open-edition.ts';
import { analyseQuery } from '../../knowledge/search/analyse-query.ts';
import { relevanceOfHits } from '../../knowledge/search/relevance.ts';
import type { RetrieveOptions, Retriever } from '../../knowledge/search/retrieve.ts';
import type { SearchOutcome } from '../../knowledge/search/search-edition.ts';
import { titleOfPath } from '../../language/title-of-path.ts';
import { linkOf } from '../agents/librarian-response.ts';
import kinds from './kinds-of-text.json' with { type: 'json' };

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

interface FindOptions
  extends Pick<RetrieveOptions, 'signal' | 'waitUntil' | 'timeLeftMs' | 'devices'> {
  /** Least score of a document, 0 to 1. */
  similarity_threshold: number;
  /** Documents at most, 1 to 50. */
  limit: number;
  retrieve: Retriever;
}

/**
 * The passages that fit a question, with scores; as many as `limit` allows. A word for a kind of text may be a thing, too ("the same page"):
 * a passage has to reach the threshold without such words as well, or it fits the request and not its subject.
 */
export async function findDocuments(
  edition: Edition,
  subject: string,
  options: FindOptions,
): Promise<Found> {
  const { similarity_threshold, limit } = options;
  const wide = { ...options, limit: Math.max(FEWEST_HITS, limit) };
  const { retrieved, searchedFor } = await search(edition, subject, wide);
  const found = await scored(edition, retrieved.outcome);
  const withoutKind = await scoresWithoutKinds(edition, searchedFor, wide);
  const fits = ({ chunk, score }: FoundDocument): boolean =>
    score >= similarity_threshold && (withoutKind?.(chunk.index) ?? score) >= similarity_threshold;
  const documents = found.filter(fits).slice(0, limit);
  const degraded = [
    ...(retrieved.semantic === 'late' || retrieved.semantic === 'failed' ? ['embeddings'] : []),
    ...(retrieved.lacksTexts === true ? ['texts'] : []),
  ];
  return {
    documents,
    nearest: found.slice(0, NEAREST),
    outcome: retrieved.outcome,
    subject: searchedFor,
    degraded,
  };
}

/** The searches that `findDocuments` may do: for an edition in large mode, which has what they find. */
export function searchesFor(subject: string): SearchToDo[] {
  const bare = withoutKinds(subject, () => true);
  return [subject, bare]
    .filter((text, at) => at === 0 || text !== subject)
    .map((question) => ({ question }));
}

/** The score of a passage without the words for kinds of text; undefined when the subject has none, or no other word that is known. */
const scoresWithoutKinds = async (
  edition: Edition,
  subject: string,
  { retrieve, ...options }: FindOptions,
) => {
  const bare = withoutKinds(subject, () => true);
  if (bare === subject || !analyseQuery(edition, bare).terms.some(({ isKnown }) => isKnown))
    return undefined;
  const { outcome } = await retrieve(edition, bare, options);
  const scores = new Map(
    (await scored(edition, outcome)).map(({ chunk, score }) => [chunk.index, score]),
  );
  return (chunk: number): number => scores.get(chunk) ?? 0;
};

/** The passages of a search, best first. */
const scored = async (edition: Edition, outcome: SearchOutcome): Promise<FoundDocument[]> => {
  const relevances = relevanceOfHits(outcome);
  const { value } = await readPages(edition, () =>
    outcome.hits.map(({ chunk }, at) => ({
      chunk: cachedChunk(edition, chunk),
      score: rounded(relevances[at] ?? 0),
    })),
  );
  return value.toSorted((a, b) => b.score - a.score);
};

/**
 * A word that no document uses has the highest weight, which is right for a thing, but not for a kind of text such as
 * `policy`.
 */
const search = async (
  edition: Edition,
  subject: string,
  { retrieve, limit, ...options }: FindOptions,
) => {
  const { terms } = analyseQuery(edition, subject);
  const unknown = new Set(
    terms.filter(({ isKnown }) => !isKnown).map(({ word }) => word.toLowerCase()),
  );
  const without = withoutKinds(subject, (word) => unknown.has(word));
  const searchedFor = unknown.size === terms.length ? subject : without;
  return { retrieved: await retrieve(edition, searchedFor, { ...options, limit }), searchedFor };
};

/** Rounds down, so that no score is shown higher than it is. */
const rounded = (score: number): number => Math.floor(score * 10_000) / 10_000;

/** The place of a passage as the source of a statement. */
export function sourceOf({ source, headingPath }: Place): StatementSource {
  return {
    name: (source.title || titleOfPath(source.id)).slice(0, 500),
    ...linkOf(source.url),
    file: source.id,
    ...(headingPath.length === 0 ? {} : { section: headingPath.join(' > ').slice(0, 500) }),
  };
}

interface Place extends Pick<FoundDocument['chunk'], 'source'> {
  headingPath: readonly string[];
}

/** "Set up SSL, Certificates": where a reader finds a passage. */
export function citationOf({ chunk: { source, headingPath } }: { chunk: Place }): string {
  const [title, section] = [source.title || titleOfPath(source.id), headingPath.at(-1) ?? ''].map(
    (text) => text.replace(/[\s\p{Cc}]+/gu, ' ').trim(),
  );
  return section === '' || section === title ? `${title}` : `${title}, ${section}`;
}

/**
 * The subject of a request for documents, without the words of the request: "Find all documents about backups" ->
 * "backups". A question that is not such a request is returned unchanged.
 */
export function subjectOf(query: string): string {
  const asked = query.replace(POLITE, '').replace(/[\s?!.]+$/, '');
  for (const request of REQUESTS) {
    const subject = request.exec(asked)?.[1]?.trim();
    if (subject !== undefined && /[\p{L}\p{N}]/u.test(subject)) return subject;
  }
  // "What does the return policy say about used devices?": both nouns are the subject.
  const [, source = '', matter = ''] = SAYING.exec(asked) ?? [];
  return /[\p{L}\p{N}]/u.test(matter) ? `${source}, ${matter}` : query;
}

const SAYING =
  /^what\s+do(?:es)?\s+((?:our|the|your)\s+\S.{0,100}?)\s+say\s+(?:about|on)\s+(.{1,3000})$/is;

/**
 * Removes words for the kind of text such as "policy" and "explain" that no document uses: "our policy on returns" is
 * about returns. A subject that has no other words is returned unchanged.
 *
 * @param isUnknown Whether no document uses a word, given in lower case.
 */
export function withoutKinds(subject: string, isUnknown: (word: string) => boolean): string {
  const rest = subject.replace(/[\p{L}\p{N}]+/gu, (word) => {
    const lower = word.toLowerCase();
    return KINDS.has(lower) && isUnknown(lower) ? '' : word;
  });
  return /[\p{L}\p{N}]/u.test(rest) ? rest.replace(/\s+/g, ' ').trim() : subject;
}

const KINDS: ReadonlySet<string> = new Set(kinds);

const POLITE =
  /^\s*(?:please|could you|can you|would you|i am looking for|i'm looking for|i want|i need)(?:\s+please)?[\s,]+/i;

const KIND =
  '(?:(?:help\\s+)?(?:documents?|docs?|documentation|articles?|pages?|guides?|manuals?|passages?|sections?|texts?|entries|material|how-tos?|paragraphs?))';
const QUALITIES =
  '(?:(?:all|any|every|the|our|of|most|relevant|related|several|some|a|an|of)\\s+){0,4}';
const SAYS =
  '(?:that\\s+|which\\s+)?(?:about|on|for|regarding|concerning|mention(?:s|ing)?|cover(?:s|ing)?|describ(?:es?|ing)|discuss(?:es|ing)?|explain(?:s|ing)?|deal(?:s|ing)?\\s+with|talk(?:s|ing)?\\s+about|speak(?:s|ing)?\\s+of|refer(?:s|ring)?\\s+to|say\\s+(?:something\\s+)?about|(?:is|are)\\s+about|to\\s+do\\s+with|contain(?:s|ing)?|similar\\s+to|have\\s+(?:written\\s+)?(?:about|on))';
const VERB =
  '(?:find|show|list|search(?:\\s+for)?|look\\s+up|look\\s+for|give|get|quote|link|point\\s+me\\s+to|gather|which|what|are\\s+there|is\\s+there|do\\s+we\\s+have|where\\s+are|overview\\s+of|summari[sz]e|a\\s+summary\\s+of)(?:\\s+me)?';

/** The subject is the first group. Bounded repetitions: no text is slow. */
const REQUESTS = [
  new RegExp(
    `^(?:${VERB}\\s+)?${QUALITIES}${KIND}\\s+(?:(?:of|in)\\s+(?:our|the)\\s+\\w{1,20}\\s+)?${SAYS}\\s+(.{1,3000})$`,
    'is',
  ),
  new RegExp(
    `^${VERB}\\s+(?:everything|anything)\\s+(?:that\\s+is\\s+written\\s+)?(?:about|on)\\s+(.{1,3000})$`,
    'is',
  ),
  new RegExp(
    `^search\\s+(?:our|the)\\s+(?:${KIND}|knowledge\\s+base)\\s+(?:for|on|about)\\s+(.{1,3000})$`,
    'is',
  ),
  new RegExp(
    `^(?:what|which)\\s+${KIND}\\s+do\\s+we\\s+have\\s+(?:about|on|for)\\s+(.{1,3000})$`,
    'is',
  ),
  /^what\s+(?:has\s+been|is|was)\s+written\s+(?:about|on)\s+(.{1,3000})$/is,
  new RegExp(
    `^what\\s+do(?:es)?\\s+(?:our|the)\\s+${KIND}\\s+say\\s+(?:about|on)\\s+(.{1,3000})$`,
    'is',
  ),
  new RegExp(
    `^summari[sz]e\\s+what\\s+(?:our|the)\\s+${KIND}\\s+(?:says?|writes?)\\s+(?:about|on)\\s+(.{1,3000})$`,
    'is',
  ),
];
