import { detectLanguage } from '../../language/detect-language.ts';
import { isDenial } from '../../language/qualifiers.ts';
import type { Span } from '../../language/split-sentences.ts';
import { oncePer } from '../../platform/once-per.ts';
import { type Section, sentenceSpans } from '../edition/sections.ts';

/** A sentence, list item or table row. */
export interface Statement extends Span {
  text: string;
  /** Stems, without numbers. */
  words: ReadonlySet<string>;
  numbers: readonly string[];
  isDenial: boolean;
}

/** In UTF-16 units. Only the beginning of a longer section is compared. */
const MAX_LENGTH = 20_000;
const MIN_WORDS = 4;

/** Statements of a section that are long enough to be compared. Code, and what many articles repeat, is omitted. */
export const statementsOf = oncePer(
  ({ text, start: offset, pieces }: Section): readonly Statement[] => {
    const language = detectLanguage(text) ?? 'en';
    return pieces
      .filter(({ kind, isRepeated, end }) => kind !== 'code' && !isRepeated && end <= MAX_LENGTH)
      .flatMap((piece) =>
        sentenceSpans(text, piece).map(({ start, end }, at) => {
          const sentence = text.slice(start, end);
          return {
            start: offset + start,
            end: offset + end,
            text: sentence,
            words: new Set(
              (piece.sentences[at] ?? []).filter((stem) => stem !== 'not' && !/^\d/.test(stem)),
            ),
            isDenial: isDenial(sentence, language),
            numbers: sentence.replace(/^\s*\d{1,3}[.)]\s/, '').match(/\d[\d.,:]*(?<![.,:])/g) ?? [],
          };
        }),
      )
      .filter(({ words }) => words.size >= MIN_WORDS);
  },
);

/** Share of common words, without numbers, from which two sentences count as the same statement. */
export const SAME_PATTERN = 0.75;

/** Share of the words that two sets have in common, 0 to 1; 0 where it cannot reach `SAME_PATTERN`. */
export function overlapOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  // Sets of such different size cannot share enough.
  if (Math.min(one.size, other.size) < SAME_PATTERN * Math.max(one.size, other.size)) return 0;
  let shared = 0;
  for (const word of one) shared += other.has(word) ? 1 : 0;
  return shared / (one.size + other.size - shared);
}

/** What two statements of the same words contradict each other in, such as `24 instead of 12`; empty when in nothing. */
export function differenceOf(one: Statement, other: Statement): string {
  if (one.isDenial !== other.isDenial)
    return one.isDenial ? 'one denies what the other says' : 'the other denies it';
  // An additional number is more detail; a replaced number is a conflict.
  const missing = one.numbers.filter((number) => !other.numbers.includes(number));
  const extra = other.numbers.filter((number) => !one.numbers.includes(number));
  return missing.length > 0 && extra.length > 0 ? `${extra[0]} instead of ${missing[0]}` : '';
}
