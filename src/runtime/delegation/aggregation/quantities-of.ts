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
  if (HAS_DIGIT.test(statement)) {
    if (HAS_POINT.test(statement)) for (const reader of POINT_READERS) rest = takeOut(reader, rest, quantities);
    rest = takeOut(MEASURE_READER, rest, quantities);
  }
  rest = takeOut(WORD_READER, rest, quantities);
  return { quantities: quantities.slice(0, MAX_QUANTITIES), rest };
};

const HAS_DIGIT = /\d/;
/** What one of the `POINT_READERS` needs; most statements with a number have none of it. */
const HAS_POINT =
  /:\/\/|@|\d[.:-]\d|(?:19|20)\d\d|\d\s?[ap]\.?m\b|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|version|release|firmware|\bv/i;

/** Reads what a reader finds, and leaves blanks in its place, so that those after it do not find it again. */
const takeOut = ({ hint, pattern, read }: Reader, text: string, found: Quantity[]): string => {
  if (hint?.test(text) === false) return text;
  let rest = '';
  let from = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [whole] = match;
    const groups = match.groups ?? {};
    const end = match.index + whole.length;
    const around = {
      before: text.slice(Math.max(0, match.index - NEAR), match.index),
      after: text.slice(end, end + NEAR),
      whole,
    };
    const quantity = read(groups, around);
    if (quantity !== undefined) found.push(quantity);
    else if (groups.gone === undefined) continue;
    rest += text.slice(from, match.index) + ' '.repeat(whole.length);
    from = end;
  }
  return from === 0 ? text : rest + text.slice(from);
};

/** As far as a reader looks around, in UTF-16 units. */
const NEAR = 60;
