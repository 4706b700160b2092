import { splitBlocks } from '../knowledge/split-blocks.ts';
import { splitSentences } from '../knowledge/split-sentences.ts';
import { isNegated, stemsOf } from './support-of-statement.ts';

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
/** Texts are compared so far at most, so that a long quote costs no more than a few sentences. */
const MAX_LENGTH = 4000;

/**
 * Compares a quote with another source, sentence by sentence: agreement raises, a conflict lowers confidence (seed 004:
 * "sources conflict with each other").
 */
export const sourceComparer = (quote: string): ((other: string) => Comparison) => {
  const statements = statementsOf(quote.slice(0, MAX_LENGTH)).filter(({ words }) => words.size >= MIN_WORDS);
  return (other) => {
    let best = SILENT;
    const text = other.slice(0, MAX_LENGTH);
    const lower = text.toLowerCase();
    if (!statements.some((statement) => mayStandIn(lower, statement))) return best;
    for (const candidate of statementsOf(text)) {
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

interface Statement {
  start: number;
  end: number;
  text: string;
  words: Set<string>;
  numbers: string[];
}

const statementsOf = (text: string): Statement[] =>
  splitBlocks(text)
    .filter(({ kind }) => kind === 'prose' || kind === 'list' || kind === 'table')
    .flatMap((block) => (block.kind === 'prose' ? splitSentences(text, block) : block.items))
    .map(({ start, end }) => {
      const sentence = text.slice(start, end);
      const numbers = sentence.replace(/^\s*\d{1,3}[.)]\s/, '').match(/\d[\d.,:]*(?<![.,:])/g) ?? [];
      const words = new Set([...stemsOf(sentence)].filter((word) => !/^\d/.test(word)));
      return { start, end, text: sentence, words, numbers };
    });

/** A cheap look first: of the three longest words of a statement at least two begin a word or stand in one. */
const mayStandIn = (lower: string, { words }: Statement): boolean => {
  const longest = [...words].sort((a, b) => b.length - a.length).slice(0, 3);
  return longest.filter((word) => lower.includes(word.slice(0, 4))).length >= 2;
};

const overlapOf = (one: ReadonlySet<string>, other: ReadonlySet<string>): number => {
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
