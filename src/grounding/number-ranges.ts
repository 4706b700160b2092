import { chunkAtHand } from '../search/chunks-at-hand.ts';
import type { Edition } from '../search/open-edition.ts';
import type { SearchOutcome } from '../search/search-edition.ts';
import { UNITS_OF_MEASUREMENT } from '../text/units-of-measurement.ts';
import type { ParsedQuestion } from './parse-question.ts';

/** "110 volts", "230V". */
const MEASURED = /(?<![\p{L}\p{N}.,])(\d{1,9}(?:\.\d{1,9})?)[\s-]?(°[CF]|%|\p{L}{1,12})(?![\p{L}\p{N}])/gu;
/** "100 to 240 V", "100–240V". */
const RANGE =
  /(?<![\p{L}\p{N}.,])(\d{1,9}(?:\.\d{1,9})?)\s{0,2}(?:to|and|[-–—…]|\.{2,3})\s{0,2}(\d{1,9}(?:\.\d{1,9})?)[\s-]?(°[CF]|%|\p{L}{1,12})(?![\p{L}\p{N}])/gu;

/** A question whose numbers with a unit are also found by the ranges that they lie in, where what was found states such a range. */
export const withRanges = (
  edition: Edition,
  question: ParsedQuestion,
  searches: readonly SearchOutcome[],
): ParsedQuestion => {
  const measured = [...question.text.matchAll(MEASURED)].flatMap(([, digits = '', unit = '']) => {
    const name = nameOf(unit);
    return name === undefined ? [] : [{ digits, name }];
  });
  if (measured.length === 0) return question;
  const chunks = new Set(searches.flatMap(({ hits }) => hits.map(({ chunk }) => chunk)));
  const ranges = [...chunks].flatMap((chunk) => [...chunkAtHand(edition, chunk).text.matchAll(RANGE)]);
  const boundsOf = (word: string): string[] =>
    measured
      .filter(({ digits }) => digits === word)
      .flatMap(({ digits, name }) =>
        ranges
          .filter(
            ([, low, high, unit = '']) => nameOf(unit) === name && +digits >= Number(low) && +digits <= Number(high),
          )
          .map(([, , high = '']) => high),
      );
  const terms = question.terms.map((term) => {
    const bounds = boundsOf(term.word);
    return bounds.length === 0 ? term : { ...term, isKnown: true, forms: new Set([...term.forms, ...bounds]) };
  });
  return { ...question, terms };
};

const nameOf = (unit: string): string | undefined => UNITS_OF_MEASUREMENT.get(unit.toLowerCase())?.[0];
