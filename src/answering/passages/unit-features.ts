import type { Edition, EditionArticle } from '../../knowledge/edition/open-edition.ts';
import type { Turn } from '../../knowledge/search/analyse-query.ts';
import type { SearchOutcome } from '../../knowledge/search/search-edition.ts';
import { isCode } from '../../language/analyse-text.ts';
import type { ParsedQuestion, QuestionTerm, TextVectors } from '../understand/parse-question.ts';
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
import { cellAskedFor, rowNamesIn, UNIT_SIZE, type Unit } from './units.ts';
import { closeWordsIn } from './word-closeness.ts';

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
  /** How far codes that name it (in its title, its headings or the first cell of a row) are more than half of the question, by idf, 0 to 1. */
  named: number;
}

export interface CandidateOptions {
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
  /** Which terms are codes that the knowledge base has; absent without one. */
  codes: readonly boolean[] | undefined;
  candidate: CandidateArticle;
  contents: ArticleContents;
  matches: ArticleMatches;
  isOutdated: boolean;
}

/** A unit of an article, compared with a question. */
interface UnitReading {
  article: ArticleReading;
  contents: UnitContents;
  unit: Unit;
  question: ParsedQuestion;
  matches: UnitMatches;
}

/**
 * Features of a unit, in their order. Twelve more (place of the article, meanings by word vectors,
 * single sentences, titles) answered fewer questions to other knowledge bases (docs/answers.md).
 */
const FEATURES = {
  passage: ({ contents, article }: UnitReading) => passageShare(contents, article.candidate),
  softCoverage: ({ question, matches }: UnitReading) =>
    softShare(question, closer(matches.text, matches.above)),
  softHeading: ({ question, matches }: UnitReading) => softShare(question, matches.above),
  group: ({ unit }: UnitReading) => Number(unit.kind === 'group'),
  short: ({ unit }: UnitReading) => Math.max(0, 1 - unit.size / 200),
  cell: ({ unit, question }: UnitReading) => Number(cellAskedFor(unit, question) !== undefined),
};

/** Names of the features, in their order. */
export const UNIT_FEATURES = Object.keys(FEATURES) as (keyof typeof FEATURES)[];

const READERS = Object.values(FEATURES);

/** All units of the candidate articles, with their features. */
export function candidateUnits(
  edition: Edition,
  question: ParsedQuestion,
  { searches, vectors, isShown, always }: CandidateOptions,
): CandidateUnit[] {
  const closeWords = closeWordsIn(edition, vectors);
  const close = question.terms.map(({ forms }) => closeWords(forms));
  const codes = codesIn(question);
  return candidateArticles(edition, searches, always).flatMap((candidate) => {
    const contents = cachedContents(edition, candidate);
    const matches = matchArticle(contents, question.terms, close);
    const isOutdated = isOutdatedIn(edition)(candidate.source);
    const article = { question, codes, candidate, contents, matches, isOutdated };
    return unitsToRead(contents.units, candidate).flatMap((each) => {
      const isTable = each.unit.kind === 'rows';
      const own = isTable ? readUnit(withBestRows(each.unit, article), contents) : each;
      return isShown?.(own.unit) === false ? [] : [readCandidate(own, article, each)];
    });
  });
}

/** @param whole The unit of the article that a table with some of its rows is a part of; else the unit itself. */
const readCandidate = (
  contents: UnitContents,
  article: ArticleReading,
  whole: UnitContents,
): CandidateUnit => {
  const { question, matches: all } = article;
  const { unit } = contents;
  const unitMatches = all.units.get(whole);
  if (unitMatches === undefined) throw new Error('Cannot read a unit: it is of another article');
  const matches =
    contents === whole
      ? unitMatches
      : { ...unitMatches, text: matchSentences(contents.sentences, all) };
  const { named } = contents;
  const devices = named.length > 0 ? [...new Set(named.flat())] : article.contents.devices;
  // One part about another device is enough to exclude it: its text could be taken for the device of the question.
  const isOtherDevice =
    question.devices.length > 0 &&
    (named.length > 0
      ? !named.every((about) => isAbout(about, question))
      : devices.length > 0 && !isAbout(devices, question));
  const reading = { article, contents, unit, question, matches };
  const features = READERS.map((read) => read(reading));
  const { isOutdated } = article;
  return {
    unit,
    source: article.candidate.source,
    features,
    devices,
    isOtherDevice,
    isOutdated,
    named: namedShare(reading),
  };
};

const codesIn = ({ terms }: ParsedQuestion): readonly boolean[] | undefined => {
  const codes = terms.map(({ weight, isKnown, word }) => weight === 1 && isKnown && isCode(word));
  return codes.includes(true) ? codes : undefined;
};

const namedShare = ({
  question: { terms },
  matches: { above },
  article: { codes },
  unit,
}: UnitReading): number => {
  if (codes === undefined) return 0;
  const rows = new Set(rowNamesIn(unit));
  const isNamed = ({ forms }: QuestionTerm, at: number) =>
    above[at] === 1 || [...forms].some((form) => rows.has(form));
  const total = terms.reduce((sum, { idf, weight }) => sum + (weight === 1 ? idf : 0), 0);
  const named = terms.reduce(
    (sum, term, at) => sum + (codes[at] && isNamed(term, at) ? term.idf : 0),
    0,
  );
  return Math.max(0, (2 * named) / Math.max(Number.EPSILON, total) - 1);
};

const isAbout = (about: readonly string[], { devices }: ParsedQuestion): boolean =>
  about.some((device) => devices.includes(device));

/** Share of the idf of the terms that a text contains, with close words counted in part. */
const softShare = ({ terms, total }: ParsedQuestion, matches: Matches): number =>
  total === 0
    ? 0
    : terms.reduce((sum, { idf }, place) => sum + idf * (matches[place] ?? 0), 0) / total;

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
      return {
        row,
        fit: question.terms.reduce((sum, { idf }, place) => sum + idf * (said[place] ?? 0), 0),
      };
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
  return {
    ...unit,
    parts: [{ ...part, pieces }],
    size: pieces.reduce((sum, { size }) => sum + size + 1, 0),
  };
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
      most = Math.max(
        most,
        hit.share * Math.min(1, overlap / Math.min(end - start, hit.end - hit.start)),
      );
    }
  }
  return most;
};
