import { oncePer } from '../runtime/once-per.ts';
import type { ParsedQuestion } from './parse-question.ts';
import { type Piece, type Section, stemsOf } from './sections.ts';
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
    return [...tables.values()].flatMap((table) => cellsIn(table.flatMap(rowsOf(section)), question));
  });
  return found.length === 1 ? found[0] : undefined;
};

/** A row of a table. */
interface Row {
  cells: readonly string[];
  /** Stems of the cell at a place. */
  stems(at: number): readonly string[];
}

const rowsOf = oncePer(({ text }: Section) =>
  oncePer(({ start, end }: Piece): Row[] => text.slice(start, end).split('\n').map(readRow)),
);

const readRow = (line: string): Row => {
  const cells = cellsOf(line);
  const known: (readonly string[])[] = [];
  return {
    cells,
    stems: (at) => {
      known[at] ??= stemsOf(cells[at] ?? '');
      return known[at];
    },
  };
};

const cellsIn = ([head, , ...rows]: readonly Row[], question: ParsedQuestion): string[] => {
  if (head === undefined || head.cells.length < 2 || head.cells.length * rows.length > MAX_CELLS) return [];
  const columns = mostSaid(
    head.cells.slice(1).map((_, at) => head.stems(at + 1)),
    question,
  );
  const named = mostSaid(
    rows.map(({ stems }) => stems(0)),
    question,
  );
  return named.flatMap((row) =>
    columns.flatMap((column) => {
      const [name, value] = [rows[row]?.cells[0], rows[row]?.cells[column + 1]];
      return value === undefined || value === '' ? [] : [`${head.cells[column + 1]}, ${name}: ${value}`];
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

/** Indexes of the names, as stems, that the question contains in full; of overlapping names, only the longer. */
const mostSaid = (names: readonly (readonly string[])[], { terms }: ParsedQuestion): number[] => {
  const said = names.flatMap((stems, at) => {
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
