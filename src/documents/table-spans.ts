import type { Element } from 'hast';
import { element, elementChildren, elementsOf, isElement, lineOf, textOf, words } from './hast.ts';

const MAX_ROWS = 2000;
const MAX_CELLS = 20_000;
const MAX_SPAN = 50;
/** Characters and elements that copies of cells have. */
const MAX_COPIED = 200_000;

interface Row {
  cells: Element[];
  isHead: boolean;
}

/**
 * Spells out the merged cells of a table: each is repeated in every row and column that it covers, and several header rows become one,
 * whose cells name what stands above a column. A table with too many cells, or too much in merged ones, stays as it is.
 */
export function spreadSpans(table: Element): void {
  const rows = rowsOf(table);
  if (rows.length === 0 || rows.length > MAX_ROWS) return;
  const all = gridOf(rows);
  if (all === undefined) return;
  // Columns that GitBook only keeps for its own use.
  const isHidden = all[0]?.map(({ properties }) => properties.dataHidden !== undefined) ?? [];
  const grid = isHidden.includes(true)
    ? all.map((cells) => cells.filter((_, at) => !isHidden[at]))
    : all;
  const headCount = headerRows(rows, grid);
  const body = grid.slice(headCount);
  const head = headCount > 1 ? [mergedHead(grid.slice(0, headCount))] : grid.slice(0, headCount);
  const captions = elementChildren(table).filter(({ tagName }) => tagName === 'caption');
  table.children = [...captions, ...[...head, ...body].map((cells) => element('tr', cells))];
}

function rowsOf(table: Element): Row[] {
  return elementChildren(table).flatMap((part): Row[] => {
    if (part.tagName === 'tr') return [rowOf(part, false)];
    if (!isElement(part, 'thead', 'tbody', 'tfoot')) return [];
    const rows = elementChildren(part).filter(({ tagName }) => tagName === 'tr');
    return rows.map((row) => rowOf(row, part.tagName === 'thead'));
  });
}

function rowOf(row: Element, isHead: boolean): Row {
  return { cells: elementChildren(row).filter((cell) => isElement(cell, 'td', 'th')), isHead };
}

/** The cells by row and column; undefined when there are too many. */
function gridOf(rows: readonly Row[]): Element[][] | undefined {
  const grid: Element[][] = rows.map(() => []);
  let count = 0;
  let copied = 0;
  for (const [y, { cells }] of rows.entries()) {
    let x = 0;
    for (const cell of cells) {
      while (grid[y]?.[x] !== undefined) x += 1;
      const width = spanOf(cell, 'colSpan', MAX_SPAN);
      const height = spanOf(cell, 'rowSpan', rows.length - y);
      delete cell.properties.colSpan;
      delete cell.properties.rowSpan;
      count += width * height;
      if (width * height > 1)
        copied += (width * height - 1) * (textOf(cell).length + elementsOf(cell).length);
      if (count > MAX_CELLS || copied > MAX_COPIED) return undefined;
      for (let dy = 0; dy < height; dy += 1) {
        const line = grid[y + dy] ?? [];
        for (let dx = 0; dx < width; dx += 1)
          line[x + dx] ??= dx + dy === 0 ? cell : structuredClone(cell);
      }
      x += width;
    }
  }
  const width = grid.reduce((most, line) => Math.max(most, line.length), 0);
  if (width * grid.length > MAX_CELLS) return undefined;
  for (const line of grid) for (let x = 0; x < width; x += 1) line[x] ??= element('td', []);
  return grid;
}

function spanOf({ properties }: Element, name: 'colSpan' | 'rowSpan', most: number): number {
  const given = Number(properties[name]);
  // 0 reaches to the end of the rows (HTML Standard, 4.9.11).
  if (name === 'rowSpan' && given === 0 && properties[name] !== undefined) return most;
  return Math.min(Math.max(Math.trunc(given) || 1, 1), most);
}

/** Those of `thead`; without one, the first rows of header cells alone. */
function headerRows(rows: readonly Row[], grid: readonly Element[][]): number {
  const end = rows.findIndex(
    ({ isHead }, y) =>
      !isHead &&
      !(grid[y] ?? []).every(({ tagName, children }) => tagName === 'th' || children.length === 0),
  );
  return end === -1
    ? rows.length > 1 && rows.some(({ isHead }) => isHead)
      ? rows.length
      : Math.min(rows.length, 1)
    : end;
}

function mergedHead(rows: readonly Element[][]): Element[] {
  return (rows[0] ?? []).map((_, x) => {
    const names: string[] = [];
    for (const row of rows) {
      const name = row[x] === undefined ? '' : lineOf(row[x]);
      if (name !== '' && names.at(-1) !== name) names.push(name);
    }
    return element('th', [words(names.join(' '))]);
  });
}
