import { splitBlocks } from '../../markup/split-blocks.ts';
import { readSentence, type SourceSentence } from '../support/prepare-source.ts';
import { phraseOf } from './name-value-pairs.ts';

/** A table row as something that bears a statement. */
export interface Row {
  /** What its first cell names, and what those of all rows of its table do. */
  label: readonly (readonly string[])[];
  labels: readonly (readonly (readonly string[])[])[];
  /** The other cells, each with the head of its column. */
  cells: readonly { head: readonly string[]; value: readonly string[] }[];
}

interface ReadRow {
  sentence: SourceSentence;
  head: SourceSentence;
  row: Row | undefined;
}

/**
 * The rows of a Markdown table. Where the head of a column denies, as in `Included | Not included`, a row says nothing by
 * itself, and its cells are read one by one.
 */
export const readTable = (table: string): ReadRow[] => {
  const [block] = splitBlocks(table);
  const [headSpan, ...rows] = block?.items ?? [];
  const heads = cellsOf(table.slice(headSpan?.start ?? 0, headSpan?.end ?? 0).split('\n')[0] ?? '');
  const lines = rows.map(({ start, end }) => ({ text: table.slice(start, end), span: { start, end } }));
  if (heads.some((head) => DENIES.test(head))) {
    return lines.flatMap(({ text, span }) =>
      cellsOf(text).map((cell, at) => ({
        sentence: readSentence(cell, span),
        head: readSentence(heads[at] ?? '', span),
        row: undefined,
      })),
    );
  }
  const labels = lines.map(({ text }) => namesIn(cellsOf(text)[0] ?? ''));
  return lines.map(({ text, span }, at) => ({
    sentence: readSentence(text, span),
    head: readSentence(heads.join(' | '), span),
    row: {
      label: labels[at] ?? [],
      labels,
      cells: cellsOf(text)
        .slice(1)
        .map((cell, place) => ({ head: phraseOf(heads[place + 1] ?? ''), value: phraseOf(cell) })),
    },
  }));
};

/** `United States, Canada` names the row by all of it and by each part. */
const namesIn = (cell: string): string[][] => [
  phraseOf(cell),
  ...(LISTED.test(cell) ? cell.split(',').map(phraseOf) : []),
];

/** Capitals throughout: names, and not a condition as in `Under warranty, later`. */
const LISTED = /^\p{Lu}[^,]*(?:, ?\p{Lu}[^,]*)+$/u;
const DENIES = /\b(?:not?|never|without)\b/i;

const cellsOf = (row: string): string[] =>
  row
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
