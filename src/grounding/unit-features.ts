import { oncePer } from '../runtime/once-per.ts';
import { analyseQuery, type Turn } from '../search/analyse-query.ts';
import type { Edition, EditionArticle } from '../search/open-edition.ts';
import type { SearchOptions, SearchOutcome } from '../search/search-edition.ts';
import {
  type ArticleContents,
  type ArticleMatches,
  cachedContents,
  closer,
  type Matches,
  matchArticle,
  matchSentences,
  readUnit,
  type UnitContents,
  type UnitMatches,
  unitsToRead,
} from './article-contents.ts';
import { type CandidateArticle, candidateArticles, isOutdatedIn } from './candidate-articles.ts';
import type { ParsedQuestion, QuestionTerm, TextVectors } from './parse-question.ts';
import { cellAskedFor, UNIT_SIZE, type Unit } from './units.ts';
import { closeWordsIn, dot } from './word-closeness.ts';

/** A unit that may answer a question, with its features. */
export interface CandidateUnit {
  unit: Unit;
  source: EditionArticle;
  /** In the order of `UNIT_FEATURES`, each 0 to about 1. */
  features: number[];
  /** The devices that it applies to, by its heading, else by its article, in lower case; empty for all. */
  devices: readonly string[];
  /** It applies only to devices that the question does not name. */
  isOtherDevice: boolean;
  /** Its article is far older than most. */
  isOutdated: boolean;
}

export interface CandidateOptions extends Pick<SearchOptions, 'filter' | 'language'> {
  history?: readonly Turn[] | undefined;
  /** Searches for the question, and for the previous turn together with the question when there is a turn. */
  searches: readonly SearchOutcome[];
  vectors?: TextVectors | undefined;
  isShown?: ((unit: Unit) => boolean) | undefined;
  /** Indexes in the edition of articles that stay candidates at any rank. */
  always?: readonly number[] | undefined;
}

/** An article compared with a question. */
interface ArticleReading {
  question: ParsedQuestion;
  candidate: CandidateArticle;
  contents: ArticleContents;
  matches: ArticleMatches;
  /** Per sentence: share of the question's words, close ones counted in part. */
  sentences: readonly number[];
  titleSaid: number;
  meaningOfTitle: number;
  /** Share of the assistant's previous turn that it contains. */
  talked: number;
  isOutdated: boolean;
}

/** A unit of an article, compared with a question. */
interface UnitReading extends Pick<CandidateUnit, 'devices' | 'isOtherDevice'> {
  article: ArticleReading;
  contents: UnitContents;
  unit: Unit;
  question: ParsedQuestion;
  matches: UnitMatches;
  /** In text, headings or title. */
  anywhere: Matches;
  vectors: TextVectors | undefined;
}

type Feature = (reading: UnitReading) => number | boolean;

const FEATURES: Readonly<Record<string, Feature>> = {
  article: ({ article }) => article.candidate.odds,
  articleInverseRank: ({ article }) => 1 / article.candidate.place,
  passage: ({ contents, article }) => passageShare(contents, article.candidate),
  passageBest: ({ article }) => article.candidate.best,
  passageInverseRank: ({ article }) => 1 / article.candidate.rank,
  titleSaid: ({ article }) => article.titleSaid,
  headingSaid: ({ question, contents: { headings } }) => {
    const [{ last }] = headings;
    return last.filter((word) => isSaid(word, question.terms)).length / Math.max(1, last.length);
  },
  assistant: ({ article }) => article.talked,
  meaning: ({ question, contents, vectors }) => dot(question.vector, contents.meaning(vectors)),
  meaningOfTitle: ({ article }) => article.meaningOfTitle,
  softCoverage: ({ question, anywhere }) => softShare(question, anywhere),
  softSentence: ({ contents, article }) => bestSentence(contents, article.sentences),
  softHeading: ({ question, matches, article }) => softShare(question, closer(matches.headings, article.matches.title)),
  size: ({ unit }) => Math.min(2, unit.size / 900),
  short: ({ unit }) => Math.max(0, 1 - unit.size / 200),
  cell: ({ question, contents, unit }) => contents.hasTable && cellAskedFor(unit, question) !== undefined,
  lead: ({ unit }) => unit.parts[0].section.at === 0,
  group: ({ unit }) => unit.kind === 'group',
};

/** Names of the features, in their order. */
export const UNIT_FEATURES: readonly string[] = Object.keys(FEATURES);

const READERS = Object.values(FEATURES);
/** Filled with fractions first: an array of whole numbers would be copied when the first fraction is set. */
const NO_FEATURES = UNIT_FEATURES.map(() => 0.5).fill(0);

/** All units of the candidate articles, with their features. */
export const candidateUnits = (
  edition: Edition,
  question: ParsedQuestion,
  options: CandidateOptions,
  articleWeights?: readonly number[],
): CandidateUnit[] => {
  const { vectors, isShown } = options;
  const closeWords = closeWordsIn(edition, vectors);
  const close = question.terms.map(({ forms }) => closeWords(forms).inArticles);
  const assistant = options.history?.findLast(({ speaker }) => speaker === 'assistant')?.text.slice(0, 4000);
  const talk = assistant === undefined ? [] : analyseQuery(edition, assistant).terms;
  return candidateArticles(edition, question, options, articleWeights).flatMap((candidate) => {
    const contents = cachedContents(edition, candidate);
    const matches = matchArticle(contents, question.terms, close);
    const article = readArticle(edition, { question, candidate, contents, matches, talk, vectors });
    return unitsToRead(contents.units, candidate).flatMap((each) => {
      const isTable = each.unit.kind === 'rows';
      const own = isTable ? readUnit(withBestRows(each.unit, article), contents) : each;
      return isShown?.(own.unit) === false ? [] : [readCandidate(own, { article, of: each, vectors })];
    });
  });
};

const readArticle = (
  edition: Edition,
  {
    question,
    candidate,
    contents,
    matches,
    talk,
    vectors,
  }: Pick<ArticleReading, 'question' | 'candidate' | 'contents' | 'matches'> & {
    talk: readonly { stem: string; idf: number }[];
    vectors: TextVectors | undefined;
  },
): ArticleReading => {
  return {
    ...{ question, candidate, contents, matches },
    sentences: matches.sentences.map((sentence) => softShare(question, sentence)),
    titleSaid: saidShare(edition, contents.titleStems, question),
    meaningOfTitle: dot(question.vector, contents.titleMeaning(vectors)),
    talked: shareOf(talk, ({ stem }) => contents.words.has(stem)),
    isOutdated: isOutdatedIn(edition)(candidate.source),
  };
};

const readCandidate = (
  contents: UnitContents,
  { article, of, vectors }: { article: ArticleReading; of: UnitContents; vectors: TextVectors | undefined },
): CandidateUnit => {
  const { question, matches: all } = article;
  const { unit } = contents;
  const known = all.units.get(of);
  if (known === undefined) throw new Error('Cannot read a unit: it is of another article');
  const matches = contents === of ? known : { ...known, text: matchSentences(contents.sentences, all) };
  const named = contents.headings.map(({ devices }) => devices).filter(({ length }) => length > 0);
  const devices = named.length > 0 ? [...new Set(named.flat())] : article.contents.devices;
  // One part about another device is enough to exclude it: its text could be taken for the device of the question.
  const isOtherDevice =
    question.devices.length > 0 &&
    (named.length > 0
      ? !named.every((about) => isAbout(about, question))
      : devices.length > 0 && !isAbout(devices, question));
  const anywhere = closer(closer(matches.text, matches.headings), all.title);
  const reading = { article, contents, unit, question, matches, anywhere, devices, isOtherDevice, vectors };
  const features = NO_FEATURES.slice();
  for (let at = 0; at < READERS.length; at++) features[at] = Number((READERS[at] as Feature)(reading));
  const { isOutdated } = article;
  return { unit, source: article.candidate.source, features, devices, isOtherDevice, isOutdated };
};

const isAbout = (about: readonly string[], { devices }: ParsedQuestion): boolean =>
  about.some((device) => devices.includes(device));

/** Share of the idf of the terms that satisfy a predicate. */
const shareOf = <Term extends { idf: number }>(
  terms: readonly Term[],
  holds: (term: Term, place: number) => boolean,
): number => {
  let total = 0;
  let found = 0;
  terms.forEach((term, place) => {
    total += term.idf;
    if (holds(term, place)) found += term.idf;
  });
  return total > 0 ? found / total : 0;
};

/** Share of the idf of the terms that a text contains, with close words counted in part. */
const softShare = ({ terms, total }: ParsedQuestion, matches: Matches): number =>
  total === 0 ? 0 : terms.reduce((sum, { idf }, place) => sum + idf * (matches[place] ?? 0), 0) / total;

/** Maximum number of sentences per unit that are compared. */
const MAX_SENTENCES = 60;

const bestSentence = ({ sentences }: UnitContents, shares: readonly number[]): number => {
  let best = 0;
  const count = Math.min(MAX_SENTENCES, sentences.length);
  for (let at = 0; at < count; at++) best = Math.max(best, shares[sentences[at] ?? -1] ?? 0);
  return best;
};

/** Share of a title that the question contains, by idf. */
const saidShare = (edition: Edition, stems: readonly string[], { terms }: ParsedQuestion): number => {
  const idfOf = idfsIn(edition);
  const words = [...new Set(stems)].map((word) => ({ word, idf: idfOf(word) }));
  return shareOf(words, ({ word }) => isSaid(word, terms));
};

/** Whether the question itself or the user's previous turn contains a word. */
const isSaid = (word: string, terms: readonly QuestionTerm[]): boolean =>
  terms.some(({ weight, forms }) => weight >= 0.4 && forms.has(word));

/** Cached idf values of title words. */
const MAX_WORDS = 20_000;

const idfsIn = oncePer((edition: Edition) => {
  const known = new Map<string, number>();
  return (word: string): number => {
    const found = known.get(word);
    if (found !== undefined) return found;
    if (known.size >= MAX_WORDS) known.clear();
    const idf = analyseQuery(edition, word).terms[0]?.idf ?? 1;
    known.set(word, idf);
    return idf;
  };
});

/** Reduces a large table to the rows that best match the question, in their order. */
const withBestRows = (unit: Unit, { question, contents, matches }: ArticleReading): Unit => {
  const [part] = unit.parts;
  const rows = part.pieces
    .filter(({ kind }) => kind === 'row')
    .map((row) => {
      const { start, end } = contents.sentencesOf.get(row) ?? { start: 0, end: 0 };
      const said = matchSentences(
        Uint32Array.from({ length: end - start }, (_, at) => start + at),
        matches,
      );
      return { row, fit: question.terms.reduce((sum, { idf }, place) => sum + idf * (said[place] ?? 0), 0) };
    })
    .sort((left, right) => right.fit - left.fit || left.row.start - right.row.start);
  const others = part.pieces.filter(({ kind }) => kind !== 'row');
  let room = UNIT_SIZE - others.reduce((sum, { size }) => sum + size, 0);
  const kept = new Set(others);
  for (const { row, fit } of rows.slice(0, MAX_ROWS)) {
    const isFirst = kept.size === others.length;
    if (!isFirst && (fit < GOOD_ROW * (rows[0]?.fit ?? 0) || row.size > room)) break;
    kept.add(row);
    room -= row.size;
  }
  const pieces = part.pieces.filter((piece) => kept.has(piece));
  return { ...unit, parts: [{ ...part, pieces }], size: pieces.reduce((sum, { size }) => sum + size + 1, 0) };
};

/** Maximum number of rows shown of a large table, and the least match of each relative to the best. */
const MAX_ROWS = 6;
const GOOD_ROW = 0.7;

/** Score of the passage hit that a unit overlaps most, 0 to 1. */
const passageShare = ({ spans }: UnitContents, { hits }: CandidateArticle): number => {
  let most = 0;
  for (const { start, end } of spans) {
    for (const hit of hits) {
      const overlap = Math.min(hit.end, end) - Math.max(hit.start, start);
      if (overlap <= 0) continue;
      most = Math.max(most, hit.share * Math.min(1, overlap / Math.min(end - start, hit.end - hit.start)));
    }
  }
  return most;
};
