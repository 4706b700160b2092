import type { ParsedQuestion } from './parse-question.ts';
import { stemsOf } from './sections.ts';
import type { Unit } from './units.ts';

/** Cells read per table. */
const MAX_CELLS = 2000;

/**
 * The value of a table cell when the question names its row and its column: "Model III, Turbo: 45".
 *
 * @returns Undefined unless exactly one cell has a row and a column whose names the question contains in full.
 */
export const cellAskedFor = ({ parts }: Pick<Unit, 'parts'>, question: ParsedQuestion): string | undefined => {
  const found = parts.flatMap(({ section, pieces }) => {
    const tables = Map.groupBy(
      pieces.filter(({ kind }) => kind === 'table' || kind === 'head' || kind === 'row'),
      ({ block }) => block,
    );
    return [...tables.values()].flatMap((table) =>
      cellsIn(table.map(({ start, end }) => section.text.slice(start, end)).join('\n'), question),
    );
  });
  return found.length === 1 ? found[0] : undefined;
};

const cellsIn = (markdown: string, question: ParsedQuestion): string[] => {
  const [head = [], , ...rows] = markdown.split('\n').map(cellsOf);
  if (head.length < 2 || head.length * rows.length > MAX_CELLS) return [];
  const columns = mostSaid(head.slice(1), question);
  const named = mostSaid(
    rows.map(([name = '']) => name),
    question,
  );
  return named.flatMap((row) =>
    columns.flatMap((column) => {
      const value = rows[row]?.[column + 1];
      const name = rows[row]?.[0];
      return value === undefined || value === '' ? [] : [`${head[column + 1]}, ${name}: ${value}`];
    }),
  );
};

/** The cells of a row as written, without white space around them. */
export const cellsOf = (row: string): string[] =>
  row
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

/** Indexes of the names that the question contains in full; of overlapping names, only the longer. */
const mostSaid = (names: readonly string[], { terms }: ParsedQuestion): number[] => {
  const said = names.flatMap((name, at) => {
    const stems = stemsOf(name);
    const isSaid =
      stems.length > 0 && stems.every((stem) => terms.some(({ forms, weight }) => weight === 1 && forms.has(stem)));
    return isSaid ? [{ at, stems }] : [];
  });
  return said
    .filter(
      ({ stems }) =>
        !said.some((other) => other.stems.length > stems.length && stems.every((stem) => other.stems.includes(stem))),
    )
    .map(({ at }) => at);
};
