import { CODE_SPAN, outsideCode } from './outside-code.ts';

/**
 * Lets `[2]` in a part name the same source as before: the second of its own list, by its place in the joined one, from 1.
 * Where the text has such a number beyond its sources, none of them is a citation, and all stay. One whose source was
 * cut off goes.
 *
 * @param places Where each source of the part stands in the joined list, from 0.
 */
export const renumberCitations = (text: string, places: readonly (number | undefined)[]): string => {
  const numbers = [...text.matchAll(CITATION)].flatMap(({ groups }) => groups?.number ?? []);
  if (numbers.length === 0 || numbers.some((number) => Number(number) < 1 || Number(number) > places.length))
    return text;
  const renumber = (line: string): string =>
    line.replace(CITATION, (whole, _span, number: string | undefined) => {
      if (number === undefined) return whole;
      const place = places[Number(number) - 1];
      return place === undefined ? '' : `[${place + 1}]`;
    });
  return outsideCode(text.split('\n'), renumber).lines.join('\n');
};

const CITATION = new RegExp(`${CODE_SPAN}|(?<!\\\\)\\[(?<number>\\d{1,2})\\](?![(:\\\\])`, 'g');
