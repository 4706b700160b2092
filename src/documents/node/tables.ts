import type { BlockContent, PhrasingContent, Root, TableCell } from 'mdast';
import { readDocument } from '../read-document.ts';
import { plainText } from '../read-html.ts';
import { writeMarkdown } from '../write-markdown.ts';

/** A value as it is shown; `isStruck` when it is struck out. */
export interface Cell {
  text: string;
  isStruck?: boolean;
  /** Its parts, where only some are struck out. */
  runs?: { text: string; isStruck: boolean }[];
}

/** Shared by all empty cells: a sheet may have millions. */
export const EMPTY: Cell = { text: '' };

/** Rows of a table after which it is cut: each part repeats the header. */
const MAX_PART = 100;
/** Tables that are wider, or hold texts, are read row by row. */
const MAX_COLUMNS = 12;
const MAX_ROW_LENGTH = 400;
const MAX_COLUMNS_READ = 200;
/** Characters that are written: an article has no more. */
const MAX_CHARACTERS = 500_000;
/** Tags of HTML in cells that are read; in others they are dropped. */
const MAX_TAGS = 20_000;

/**
 * Markdown of rows as a sheet has them. Empty rows part tables, a single cell above a table is its title. Wide tables, and those whose
 * cells are texts, become a section a row, with the name of each column before its value.
 */
export function markdownOfRows(rows: readonly Cell[][]): { text: string; isCut: boolean } {
  const parts: string[] = [];
  const budget: Budget = { characters: MAX_CHARACTERS, tags: MAX_TAGS };
  let last: Cell[] | undefined;
  for (const block of blocksOf(rows)) {
    const from = block.findIndex((row) => row.filter(isFilled).length > 1);
    const titles = from === -1 ? block : block.slice(0, from);
    for (const row of titles)
      for (const cell of row.filter(isFilled)) parts.push(paragraphOf(cell));
    if (from === -1) continue;
    const { header, body } = headed(block.slice(from), last);
    last = header;
    const add = (part: string): boolean => {
      budget.characters -= part.length;
      if (budget.characters >= 0) parts.push(part);
      return budget.characters >= 0;
    };
    if (body.length === 0) add(tableOf(header, []));
    else if (isWide(header, body)) body.every((row) => add(recordOf(header, row, budget)));
    else
      for (
        let at = 0;
        at < body.length && add(tableOf(header, body.slice(at, at + MAX_PART)));
        at += MAX_PART
      );
    if (budget.characters < 0) break;
  }
  return { text: parts.filter((part) => part !== '').join('\n\n'), isCut: budget.characters < 0 };
}

interface Budget {
  characters: number;
  tags: number;
}

const isFilled = ({ text }: Cell): boolean => text !== '';

/** Runs of rows that are not empty, without columns that are. */
function blocksOf(rows: readonly Cell[][]): Cell[][][] {
  const blocks: Cell[][][] = [];
  let open: Cell[][] = [];
  const close = (): void => {
    if (open.length > 0) blocks.push(withoutEmptyColumns(open));
    open = [];
  };
  for (const row of rows) {
    if (row.some(isFilled)) open.push(row.slice(0, MAX_COLUMNS_READ));
    else close();
  }
  close();
  return blocks;
}

function withoutEmptyColumns(rows: readonly Cell[][]): Cell[][] {
  const filled = new Set<number>();
  for (const row of rows)
    for (const [at, cell] of row.entries()) if (isFilled(cell)) filled.add(at);
  const columns = [...filled].sort((one, other) => one - other);
  return rows.map((row) => columns.map((at) => row[at] ?? EMPTY));
}

const isNumber = ({ text }: Cell): boolean => /^[-+−]?[\d.,\s%€$£]*\d[\d.,\s%€$£]*$/.test(text);

/** The first row names the columns, unless it holds numbers or leaves most of them out; then those of the table before, or letters do. */
function headed(
  rows: readonly Cell[][],
  last: Cell[] | undefined,
): { header: Cell[]; body: Cell[][] } {
  const [first = [], ...others] = rows;
  const names = first.filter(isFilled);
  const isHeader =
    names.length > first.length / 2 &&
    !names.some(isNumber) &&
    new Set(names.map(({ text }) => text)).size === names.length;
  if (isHeader && (others.length > 0 || last === undefined)) return { header: first, body: others };
  const header =
    last?.length === first.length ? last : first.map((_, at) => ({ text: letterOf(at) }));
  return { header, body: [...rows] };
}

/** A, B … Z, AA, as sheets name their columns. */
const letterOf = (at: number): string =>
  (at >= 26 ? letterOf(Math.floor(at / 26) - 1) : '') + String.fromCharCode(65 + (at % 26));

function isWide(header: readonly Cell[], body: readonly Cell[][]): boolean {
  if (header.length > MAX_COLUMNS) return true;
  const length = body.reduce(
    (sum, row) => sum + row.reduce((all, { text }) => all + text.length, 0),
    0,
  );
  return length / body.length > MAX_ROW_LENGTH;
}

function inline({ text, isStruck = false, runs = [{ text, isStruck }] }: Cell): PhrasingContent[] {
  const last = runs.length - 1;
  return runs.flatMap((run, at): PhrasingContent[] => {
    const value = run.text.replace(/\s+/g, ' ');
    const words = at === last ? value.trimEnd() : value;
    if (!run.isStruck || words.trim() === '')
      return words === '' ? [] : [{ type: 'text', value: at === 0 ? words.trimStart() : words }];
    const struck: PhrasingContent = {
      type: 'delete',
      children: [{ type: 'text', value: words.trim() }],
    };
    return at === last ? [struck] : [struck, { type: 'text', value: ' ' }];
  });
}

const paragraphOf = (cell: Cell): string =>
  writeMarkdown({
    type: 'root',
    children: [{ type: 'paragraph', children: [{ type: 'strong', children: inline(cell) }] }],
  });

function tableOf(header: readonly Cell[], body: readonly Cell[][]): string {
  const row = (cells: readonly Cell[]) => ({
    type: 'tableRow' as const,
    children: cells.map((cell): TableCell => ({ type: 'tableCell', children: inline(cell) })),
  });
  return writeMarkdown({
    type: 'root',
    children: [{ type: 'table', children: [row(header), ...body.map(row)] }],
  });
}

const HTML = /<\/(?:p|div|ul|ol|li|a|b|strong|em|i|span|table|h[1-6])>|<br\s*\/?>/i;

/** A row as a section: its first value, which is a text, is the heading. */
function recordOf(header: readonly Cell[], row: readonly Cell[], budget: Budget): string {
  const named = row.findIndex(
    (cell) =>
      isFilled(cell) && !isNumber(cell) && cell.text.length <= 200 && !cell.text.includes('\n'),
  );
  const title: Root = {
    type: 'root',
    children:
      named === -1 ? [] : [{ type: 'heading', depth: 2, children: inline(row[named] ?? EMPTY) }],
  };
  const parts = [writeMarkdown(title)];
  for (const [at, cell] of row.entries()) {
    if (at === named || !isFilled(cell)) continue;
    const label: PhrasingContent = {
      type: 'strong',
      children: [
        { type: 'text', value: `${header[at]?.text.replace(/\s+/g, ' ') ?? letterOf(at)}:` },
      ],
    };
    if (HTML.test(cell.text)) {
      budget.tags -= cell.text.match(/<[a-z]/gi)?.length ?? 0;
      parts.push(
        writeMarkdown({ type: 'root', children: [{ type: 'paragraph', children: [label] }] }),
      );
      parts.push(
        (budget.tags < 0
          ? plainText(cell.text)
          : readDocument(cell.text, { format: 'html' }).text
        ).replace(/^(#{1,5})(?= )/gm, '#$1'),
      );
      continue;
    }
    const lines = cell.text.split(/\n+/).filter((line) => line.trim() !== '');
    const blocks = lines.map((line, index): BlockContent => {
      const words = inline({ text: line, isStruck: cell.isStruck ?? false });
      return {
        type: 'paragraph',
        children: index === 0 ? [label, { type: 'text', value: ' ' }, ...words] : words,
      };
    });
    parts.push(writeMarkdown({ type: 'root', children: blocks }));
  }
  return parts.filter((part) => part !== '').join('\n\n');
}
