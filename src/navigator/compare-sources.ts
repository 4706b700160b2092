import type { Unit } from '../grounding/read-passage.ts';
import type { Span } from '../text/split-sentences.ts';
import { isNegated } from './support-of-statement.ts';

/** What another source says about a quoted statement. */
export interface Comparison {
  /** `agrees`: it says the same; `conflicts`: the same pattern with another number, or denied; `silent`: neither. */
  verdict: 'agrees' | 'conflicts' | 'silent';
  /** Where in the other text the sentence stands that decides. */
  start: number;
  end: number;
  /** For a conflict: what differs, "24 V instead of 12 V" or "not". */
  difference: string;
}

const SILENT: Comparison = { verdict: 'silent', start: 0, end: 0, difference: '' };
/** Share of words that two sentences have in common, beyond numbers, from which on they are the same statement. */
const SAME_PATTERN = 0.75;
const MIN_WORDS = 4;
/** Texts are compared so far at most, so that a long one costs no more than a few sentences. In UTF-16 units. */
const MAX_LENGTH = 4000;

/** A text as it is compared with others. */
export interface ComparableText {
  statements: readonly Statement[];
  lower: string;
}

/** What a text states, one sentence, list item or table row each; for all comparisons with it. */
export const comparableText = (text: string, units: readonly Unit[]): ComparableText => ({
  statements: units
    .filter(({ block, end }) => block !== 'code' && end <= MAX_LENGTH)
    .map((unit) => statementOf(text.slice(unit.start, unit.end), unit)),
  lower: text.slice(0, MAX_LENGTH).toLowerCase(),
});

/**
 * Compares a quote with other sources, sentence by sentence: agreement raises, a conflict lowers confidence (seed 004:
 * "sources conflict with each other").
 *
 * @param quoted The parts of `text` that are quoted.
 */
export const sourceComparer = (
  text: ComparableText,
  quoted: readonly Span[],
): ((other: ComparableText) => Comparison) => {
  const statements = text.statements.filter(
    ({ start, end, words }) => words.size >= MIN_WORDS && quoted.some((part) => start >= part.start && end <= part.end),
  );
  return (other) => {
    let best = SILENT;
    if (!statements.some((statement) => mayStandIn(other.lower, statement))) return best;
    for (const candidate of other.statements) {
      for (const statement of statements) {
        if (overlapOf(statement.words, candidate.words) < SAME_PATTERN) continue;
        const difference = differenceOf(statement, candidate);
        const { start, end } = candidate;
        if (difference !== '') return { verdict: 'conflicts', start, end, difference };
        best = { verdict: 'agrees', start, end, difference };
      }
    }
    return best;
  };
};

interface Statement extends Span {
  text: string;
  /** Stems. */
  words: ReadonlySet<string>;
  /** How its three longest words begin. */
  beginnings: readonly string[];
  numbers: readonly string[];
}

const statementOf = (text: string, { start, end, words: { words, stems, kinds } }: Unit): Statement => {
  const own = new Set(
    stems.filter(
      (stemmed, at) =>
        (kinds[at] === 'word' || kinds[at] === 'compound') && words[at] !== 'not' && !/^\d/.test(stemmed),
    ),
  );
  const longest = [...own].sort((a, b) => b.length - a.length).slice(0, 3);
  const numbers = text.replace(/^\s*\d{1,3}[.)]\s/, '').match(/\d[\d.,:]*(?<![.,:])/g) ?? [];
  return { start, end, text, words: own, beginnings: longest.map((word) => word.slice(0, 4)), numbers };
};

/** A cheap look first: of the three longest words of a statement at least two begin a word or stand in one. */
const mayStandIn = (lower: string, { beginnings }: Statement): boolean =>
  beginnings.filter((beginning) => lower.includes(beginning)).length >= 2;

const overlapOf = (one: ReadonlySet<string>, other: ReadonlySet<string>): number => {
  // Of sets that differ so much in size no share can be large enough.
  if (Math.min(one.size, other.size) < SAME_PATTERN * Math.max(one.size, other.size)) return 0;
  let shared = 0;
  for (const word of one) shared += other.has(word) ? 1 : 0;
  return shared / Math.max(1, one.size + other.size - shared);
};

const differenceOf = (one: Statement, other: Statement): string => {
  if (isNegated(one.text) !== isNegated(other.text))
    return isNegated(one.text) ? 'one denies what the other says' : 'the other denies it';
  // A number more is more detail; a number that stands in for another is a conflict.
  const missing = one.numbers.filter((number) => !other.numbers.includes(number));
  const extra = other.numbers.filter((number) => !one.numbers.includes(number));
  return missing.length > 0 && extra.length > 0 ? `${extra[0]} instead of ${missing[0]}` : '';
};
