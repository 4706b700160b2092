import type { Element, Root } from 'hast';
import { linesInColumns } from './pdf-columns.ts';
import { element, isRaised, type PdfItem, plainText, raised } from './pdf-text.ts';

/** A line of a page, with its place in points from the lower left corner. */
export interface PdfLine {
  text: string;
  /** Size of its type, in points. */
  size: number;
  x: number;
  y: number;
  /** The cells of a row of a table. */
  cells?: string[];
}

/** The lines of a page: in the order of its content, or column by column where text stands side by side. */
export const linesOfPage = (items: readonly PdfItem[]): PdfLine[] => {
  const inColumns = linesInColumns(items);
  if (inColumns !== undefined) return inColumns;
  const lines: PdfLine[] = [];
  let text = '';
  let at: Omit<PdfLine, 'text'> | undefined;
  const end = (): void => {
    const plain = plainText(text);
    if (at !== undefined && plain !== '') lines.push({ ...at, text: plain });
    text = '';
    at = undefined;
  };
  for (const { str, height = 0, transform = [], hasEOL } of items) {
    if (str === undefined) continue;
    const [, , , , x = 0, y = 0] = transform;
    if (at !== undefined && Math.abs(y - at.y) > Math.max(at.size, height) / 2) end();
    if (at !== undefined && /^\d{1,3}$/.test(str) && isRaised({ y, height }, at)) {
      text += raised(str, text);
      continue;
    }
    if (str.trim() !== '') {
      at ??= { size: height, x, y };
      at.size = Math.max(at.size, height);
    }
    text += str;
    if (hasEOL === true) end();
  }
  end();
  return lines;
};

/** Type that is so much larger than that of the text is a heading. */
const HEADING_FACTOR = 1.15;
const MAX_HEADING_LENGTH = 200;
const MAX_LEVELS = 4;
/** A line that begins further below the last one than this many times its size begins a paragraph. */
const MAX_LINE_GAP = 1.7;
const ITEM = /^(?:[•◦▪●■‣⁃–-]|(\d{1,3})[.)])\s+(?=\S)/;

/** Headings, paragraphs and lists of the pages as their lines look. Rows of cells are a table. */
export const readLines = (pages: readonly PdfLine[][]): Root[] => {
  const all = withoutRepeated(pages);
  const levelOf = headingLevels(all.flat());
  let last: PdfLine | undefined;
  let open: { tag: string; level: number; text: string; start: number | undefined } | undefined;
  return all.map((lines) => {
    const blocks: Element[] = [];
    const close = (): void => {
      if (open === undefined) return;
      const words: Element['children'] = [{ type: 'text', value: open.text }];
      const list = open.start === undefined ? 'ul' : 'ol';
      const previous = blocks.at(-1);
      if (open.tag !== 'li') blocks.push(element(open.tag, words));
      else if (previous?.tagName === list) previous.children.push(element('li', words));
      else blocks.push(element(list, [element('li', words)], open.start === undefined ? {} : { start: open.start }));
      open = undefined;
    };
    for (const line of lines) {
      if (line.cells !== undefined) {
        close();
        addRow(blocks, line.cells);
        last = undefined;
        continue;
      }
      const level = levelOf(line);
      const item = level === 0 ? ITEM.exec(line.text) : null;
      if (open !== undefined && last !== undefined && item === null && continues(line, { last, open, level })) {
        open.text = joined(open.text, line.text);
      } else {
        close();
        const start = item?.[1] === undefined ? undefined : Number(item[1]);
        const tag = item !== null ? 'li' : level > 0 ? `h${level}` : 'p';
        open = { tag, level, text: line.text.slice(item?.[0].length ?? 0), start };
      }
      last = line;
    }
    close();
    return { type: 'root', children: blocks };
  });
};

/** The first row of a table is its header. */
const addRow = (blocks: Element[], cells: readonly string[]): void => {
  const last = blocks.at(-1);
  const isFirst = last?.tagName !== 'table';
  const row = element(
    'tr',
    cells.map((cell) => element(isFirst ? 'th' : 'td', [{ type: 'text', value: cell }])),
  );
  if (last?.tagName === 'table') last.children.push(row);
  else blocks.push(element('table', [row]));
};

const continues = (
  line: PdfLine,
  { last, open, level }: { last: PdfLine; open: { tag: string; level: number }; level: number },
): boolean => {
  const gap = last.y - line.y;
  if (open.level !== level || gap < 0 || gap > MAX_LINE_GAP * Math.max(last.size, line.size)) return false;
  return level === 0 || Math.abs(last.size - line.size) < 0.5;
};

/** A word that was divided at the end of a line is put together. */
const joined = (text: string, next: string): string =>
  /\p{L}-$/u.test(text) && /^\p{Ll}/u.test(next) ? text.slice(0, -1) + next : `${text} ${next}`;

/** Headers and footers: the first and the last line of a page where most pages have the same there, whatever its numbers. */
const withoutRepeated = (pages: readonly PdfLine[][]): PdfLine[][] => {
  const keyOf = ({ text }: PdfLine): string => text.replaceAll(/\d+/g, '#');
  const edges = pages.map((lines) => {
    const byHeight = lines.toSorted((one, other) => other.y - one.y);
    return new Set([...byHeight.slice(0, 1), ...byHeight.slice(1).slice(-1)]);
  });
  const counts = new Map<string, number>();
  for (const lines of edges)
    for (const key of new Set([...lines].map(keyOf))) counts.set(key, (counts.get(key) ?? 0) + 1);
  const isRepeated = (line: PdfLine): boolean => (counts.get(keyOf(line)) ?? 0) > Math.max(2, pages.length / 2);
  return pages.map((lines, page) => lines.filter((line) => !(edges[page]?.has(line) === true && isRepeated(line))));
};

/** 0 for text, 1 for the largest type of all headings. */
const headingLevels = (lines: readonly PdfLine[]): ((line: PdfLine) => number) => {
  const round = (size: number): number => Math.round(size * 2) / 2;
  const letters = new Map<number, number>();
  for (const { size, text } of lines) letters.set(round(size), (letters.get(round(size)) ?? 0) + text.length);
  const [body = 0] = [...letters].toSorted(([, one], [, other]) => other - one)[0] ?? [];
  const isHeading = ({ size, text }: PdfLine): boolean =>
    size > HEADING_FACTOR * body && text.length <= MAX_HEADING_LENGTH && /\p{L}/u.test(text);
  const sizes = [...new Set(lines.filter(isHeading).map(({ size }) => round(size)))].sort((one, other) => other - one);
  return (line) => (isHeading(line) ? Math.min(sizes.indexOf(round(line.size)) + 1, MAX_LEVELS) : 0);
};
