import { MEASURE_READER, WORD_READER } from './measure-readers.ts';
import { POINT_READERS } from './point-readers.ts';
import type { Quantity } from './quantity.ts';
import type { Reader } from './reader.ts';

/** Numbers of one statement that are read at most. */
const MAX_QUANTITIES = 20;

/**
 * Reads the quantities of one statement: amounts of money, percentages, measures, durations, dates, times of day,
 * versions, and counts of things. Numbers that belong to a name (`iPhone 17`, `step 3`, `8-pin`) are no quantities.
 *
 * @returns `rest` is the statement with blanks in their place.
 */
export const quantitiesOf = (statement: string): { quantities: Quantity[]; rest: string } => {
  const quantities: Quantity[] = [];
  let rest = statement;
  for (const reader of HAS_DIGIT.test(statement) ? READERS : WORD_READERS) rest = takeOut(reader, rest, quantities);
  return { quantities: quantities.slice(0, MAX_QUANTITIES), rest };
};

const HAS_DIGIT = /\d/;
/** For numbers written as words. */
const WORD_READERS: readonly Reader[] = [WORD_READER];
/** What one has read is gone for those after it. */
const READERS: readonly Reader[] = [...POINT_READERS, MEASURE_READER, ...WORD_READERS];

const takeOut = ({ hint, pattern, read }: Reader, text: string, found: Quantity[]): string => {
  if (hint?.test(text) === false) return text;
  let rest = '';
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    const [whole] = match;
    const groups = match.groups ?? {};
    const end = match.index + whole.length;
    const quantity = read(groups, {
      before: text.slice(Math.max(0, match.index - NEAR), match.index),
      after: text.slice(end, end + NEAR),
      whole,
    });
    if (quantity !== undefined) found.push(quantity);
    else if (groups.gone === undefined) continue;
    rest += text.slice(from, match.index) + ' '.repeat(whole.length);
    from = end;
  }
  return from === 0 ? text : rest + text.slice(from);
};

/** As far as a reader looks around, in UTF-16 units. */
const NEAR = 60;
