import type { Element } from 'hast';
import { element } from '../../documents/hast.ts';
import { type BlockPlace, codeBlock, indentOf, type Read, trimmedLines } from './rst-lines.ts';

const MAX_LINES = 3000;
const MAX_WIDTH = 2000;
/** Corners and edges that are looked at; a table that needs more is shown as it is drawn. */
const MAX_WORK = 500_000;

const cell = (lines: readonly string[], tag: 'td' | 'th', { document, depth }: BlockPlace): Element => {
  const trimmed = trimmedLines(lines.map((line) => line.trimEnd()));
  const common = Math.min(...trimmed.filter((line) => line !== '').map(indentOf));
  const plain = trimmed.map((line) => line.slice(common));
  const blocks = plain.length === 0 || plain.join('') === '\\' ? [] : document.readBlocks(plain, depth + 1);
  const [only] = blocks;
  return element(tag, blocks.length === 1 && only?.tagName === 'p' ? only.children : blocks);
};

/** A table drawn with `+`, `-` and `|`. */
export function readGridTable(place: BlockPlace): Read | undefined {
  const { lines, at } = place;
  if (!/^\+(?:-+\+)+$/.test(lines[at] ?? '')) return undefined;
  let next = at;
  while (next < lines.length && /^[+|]/.test(lines[next] ?? '') && next - at < MAX_LINES) next += 1;
  const drawn = lines.slice(at, next);
  const table = gridOf(drawn, place);
  return { blocks: [table ?? codeBlock(drawn)], next };
}

interface GridCell {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

/** Follows the edges of each cell from its upper left corner (the algorithm of docutils). */
function gridOf(drawn: readonly string[], place: BlockPlace): Element | undefined {
  const width = drawn[0]?.length ?? 0;
  if (width > MAX_WIDTH || drawn.length < 3) return undefined;
  const at = (y: number, x: number): string => drawn[y]?.[x] ?? ' ';
  let work = 0;
  const isEdge = (y: number, from: number, to: number): boolean => {
    work += to - from;
    for (let x = from; x <= to; x += 1) if (!/[-+=]/.test(at(y, x))) return false;
    return true;
  };
  const isSide = (x: number, from: number, to: number): boolean => {
    work += to - from;
    for (let y = from; y <= to; y += 1) if (!/[|+]/.test(at(y, x))) return false;
    return true;
  };
  const find = (top: number, left: number): GridCell | undefined => {
    for (let right = left + 1; right < width && /[-+=]/.test(at(top, right)); right += 1) {
      if (at(top, right) !== '+') continue;
      for (
        let bottom = top + 1;
        bottom < drawn.length && /[|+]/.test(at(bottom, right)) && /[|+]/.test(at(bottom, left));
        bottom += 1
      ) {
        work += 1;
        if (work > MAX_WORK) return undefined;
        if (at(bottom, right) !== '+' || at(bottom, left) !== '+') continue;
        if (isEdge(bottom, left, right) && isSide(right, top, bottom)) return { top, left, bottom, right };
      }
    }
    return undefined;
  };
  const cells: GridCell[] = [];
  const corners: [number, number][] = [[0, 0]];
  const seen = new Set<string>();
  for (let corner = corners.shift(); corner !== undefined; corner = corners.shift()) {
    const [top, left] = corner;
    const key = `${top} ${left}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const size = find(top, left);
    if (work > MAX_WORK) return undefined;
    if (size === undefined) continue;
    cells.push(size);
    corners.push([top, size.right], [size.bottom, left], [size.bottom, size.right]);
  }
  if (cells.length === 0) return undefined;
  const headEnd = drawn.findIndex((line) => /^\+(?:=+\+)+$/.test(line));
  return tableOf(cells, { drawn, headEnd, place });
}

function tableOf(
  cells: readonly GridCell[],
  { drawn, headEnd, place }: { drawn: readonly string[]; headEnd: number; place: BlockPlace },
): Element {
  const tops = sorted(cells.map(({ top }) => top));
  const lefts = sorted(cells.map(({ left }) => left));
  const rows = tops.map((top) =>
    cells.filter((each) => each.top === top).toSorted((one, other) => one.left - other.left),
  );
  const between = (values: readonly number[], from: number, to: number): number =>
    values.filter((value) => value >= from && value < to).length;
  return element(
    'table',
    rows.map((row) =>
      element(
        'tr',
        row.map(({ top, left, bottom, right }) => {
          const text = drawn.slice(top + 1, bottom).map((line) => line.slice(left + 1, right));
          const read = cell(text, top < headEnd ? 'th' : 'td', place);
          read.properties = { rowSpan: between(tops, top, bottom), colSpan: between(lefts, left, right) };
          return read;
        }),
      ),
    ),
  );
}

const sorted = (values: readonly number[]): number[] => [...new Set(values)].sort((one, other) => one - other);

const BORDER = /^=+(?: +=+)+ *$/;
const SPANS = /^-+(?: +-+)* *$/;

/** A table whose columns stand below lines of `=`. */
export function readSimpleTable(place: BlockPlace): Read | undefined {
  const { lines, at } = place;
  const border = lines[at] ?? '';
  if (!BORDER.test(border) || border.length > MAX_WIDTH) return undefined;
  let next = at + 1;
  let borders = 1;
  for (; next < lines.length && next - at < MAX_LINES; next += 1) {
    if (!BORDER.test(lines[next] ?? '')) continue;
    borders += 1;
    if (borders === 3 || (lines[next + 1] ?? '') === '') break;
  }
  if (next >= lines.length || borders < 2) return { blocks: [codeBlock([border])], next: at + 1 };
  const rows = rowsOf(lines.slice(at + 1, next), border, place);
  return { blocks: [element('table', rows)], next: next + 1 };
}

interface Column {
  from: number;
  to: number;
}

const columnsOf = (line: string): Column[] =>
  [...line.matchAll(/[=-]+/g)].map(({ 0: mark, index }) => ({ from: index, to: index + mark.length }));

function rowsOf(lines: readonly string[], border: string, place: BlockPlace): Element[] {
  const columns = columnsOf(border);
  const headEnd = lines.findIndex((line) => BORDER.test(line));
  const rows: Element[] = [];
  let pending: string[][] = [];
  const flush = (spans: readonly Column[], isHead: boolean): void => {
    for (const group of pending) rows.push(rowOf(group, { columns, spans, isHead, place }));
    pending = [];
  };
  for (const [at, line] of lines.entries()) {
    if (BORDER.test(line)) flush(columns, at <= headEnd);
    else if (SPANS.test(line) && columnsOf(line).length <= columns.length) flush(columnsOf(line), at < headEnd);
    else if (line === '') pending.at(-1)?.push('');
    else {
      const first = line.slice(0, columns[1]?.from ?? line.length).trim();
      const last = pending.at(-1);
      if (first !== '' || last === undefined) pending.push([line]);
      else last.push(line);
    }
  }
  flush(columns, false);
  return rows;
}

function rowOf(
  lines: readonly string[],
  {
    columns,
    spans,
    isHead,
    place,
  }: { columns: readonly Column[]; spans: readonly Column[]; isHead: boolean; place: BlockPlace },
): Element {
  return element(
    'tr',
    spans.map(({ from, to }, at) => {
      const end = at === spans.length - 1 ? Number.POSITIVE_INFINITY : (spans[at + 1]?.from ?? to);
      const text = lines.map((line) => line.slice(from, end));
      const read = cell(text, isHead ? 'th' : 'td', place);
      const width = columns.filter((column) => column.from >= from && column.from < to).length;
      if (width > 1) read.properties = { colSpan: width };
      return read;
    }),
  );
}
