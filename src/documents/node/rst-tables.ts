import type { Element } from 'hast';
import { gridAt, readGrid } from '../grid-table.ts';
import { element } from '../hast.ts';
import { type BlockPlace, codeBlock, indentOf, type Read, trimmedLines } from './rst-lines.ts';

const MAX_LINES = 3000;
const MAX_WIDTH = 2000;

const cell = (
  lines: readonly string[],
  tag: 'td' | 'th',
  { document, depth }: BlockPlace,
): Element => {
  const trimmed = trimmedLines(lines.map((line) => line.trimEnd()));
  const common = Math.min(...trimmed.filter((line) => line !== '').map(indentOf));
  const plain = trimmed.map((line) => line.slice(common));
  const blocks =
    plain.length === 0 || plain.join('') === '\\' ? [] : document.readBlocks(plain, depth + 1);
  const [only] = blocks;
  return element(tag, blocks.length === 1 && only?.tagName === 'p' ? only.children : blocks);
};

/** A table drawn with `+`, `-` and `|`. */
export function readGridTable(place: BlockPlace): Read | undefined {
  const { lines, at } = place;
  const drawn = gridAt(lines, at);
  if (drawn === undefined) return undefined;
  const rows = readGrid(drawn)?.map((cells) =>
    element(
      'tr',
      cells.map(({ lines: text, isHead, rowSpan, colSpan }) => {
        const read = cell(text, isHead ? 'th' : 'td', place);
        read.properties = { rowSpan, colSpan };
        return read;
      }),
    ),
  );
  return {
    blocks: [rows === undefined ? codeBlock(drawn) : element('table', rows)],
    next: at + drawn.length,
  };
}

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
  [...line.matchAll(/[=-]+/g)].map(({ 0: mark, index }) => ({
    from: index,
    to: index + mark.length,
  }));

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
    else if (SPANS.test(line) && columnsOf(line).length <= columns.length)
      flush(columnsOf(line), at < headEnd);
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
