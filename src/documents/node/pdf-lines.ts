import type { Element, Root } from 'hast';
import { codeSegments, linesOfCode } from './pdf-code.ts';
import { linesInColumns } from './pdf-columns.ts';
import { regionsOf } from './pdf-regions.ts';
import {
  BULLET,
  element,
  isRaised,
  type PdfItem,
  plainText,
  raised,
  readsRightToLeft,
  textOfLine,
} from './pdf-text.ts';

/** A line of a page, with its place in points from the lower left corner. */
export interface PdfLine {
  text: string;
  /** Size of its type, in points. */
  size: number;
  x: number;
  y: number;
  /** The cells of a row of a table. */
  cells?: string[];
  isCode?: boolean;
}

/** The lines of a page: in the order of its content, or column by column where text stands side by side. */
export function linesOfPage(items: readonly PdfItem[]): PdfLine[] {
  const regions = regionsOf(items);
  if (regions.length === 1) return linesOfRegion(items);
  return regions.flatMap((region) => linesOfRegion(region).sort((one, other) => other.y - one.y));
}

const linesOfRegion = (items: readonly PdfItem[]): PdfLine[] =>
  codeSegments(items).flatMap((segment) =>
    segment.isCode
      ? linesOfCode(segment.items).map((line) => ({ ...line, isCode: true }))
      : linesOfText(segment.items),
  );

const linesOfText = (items: readonly PdfItem[]): PdfLine[] => {
  const inColumns = linesInColumns(items);
  if (inColumns !== undefined) return inColumns;
  const lines: PdfLine[] = [];
  let parts: PdfItem[] = [];
  let at: Omit<PdfLine, 'text'> | undefined;
  const end = (): void => {
    const plain = plainText(textOfLine(parts));
    // A line that is read from the right begins at its right edge, and counts from there.
    if (at !== undefined && readsRightToLeft(parts)) at.x = -rightEdge(parts);
    if (at !== undefined && plain !== '') lines.push({ ...at, text: plain });
    parts = [];
    at = undefined;
  };
  for (const item of items) {
    const { str, height = 0, transform = [] } = item;
    if (str === undefined) continue;
    const [, , , , x = 0, y = 0] = transform;
    // What follows an end of the line may stand in it.
    if (at !== undefined && str.trim() !== '' && Math.abs(y - at.y) > Math.max(at.size, height) / 2)
      end();
    if (at !== undefined && /^\d{1,3}$/.test(str) && isRaised({ y, height }, at)) {
      parts.push({ ...item, str: raised(str, parts.at(-1)?.str ?? '') });
      continue;
    }
    if (str.trim() !== '') {
      at ??= { size: height, x, y };
      at.size = Math.max(at.size, height);
    }
    parts.push(item);
    if (item.hasEOL === true) end();
  }
  end();
  return lines;
};

const rightEdge = (items: readonly PdfItem[]): number =>
  Math.max(...items.map(({ transform = [], width = 0 }) => (transform[4] ?? 0) + width));

/** Type that is so much larger than that of the text is a heading. */
const HEADING_FACTOR = 1.15;
const MAX_HEADING_LENGTH = 200;
const MAX_LEVELS = 4;
/** A line that begins further below the last one than this many times its size begins a paragraph. */
const MAX_LINE_GAP = 1.7;
/** Scripts without capitals need no space behind the mark. */
const ITEM = new RegExp(`^(?:${BULLET}|-|(\\d{1,3})[.)、])(?:\\s+(?=\\S)|(?=\\p{Lo}))`, 'u');

/** Headings, paragraphs and lists of the pages as their lines look. Rows of cells are a table. */
export function readLines(pages: readonly PdfLine[][]): Root[] {
  const all = withoutRepeated(pages).map(withoutContents);
  const levelOf = headingLevels(all.flat());
  const isWord = vocabularyOf(all.flat());
  const hasCode = isMinority(all.flat());
  let last: PdfLine | undefined;
  let open: OpenBlock | undefined;
  return all.map((lines) => {
    const blocks: Element[] = [];
    /** The list of the last block and those in its last items, with the place at which their items begin. */
    let lists: OpenList[] = [];
    const close = (): void => {
      if (open === undefined) return;
      const words: Element['children'] = [{ type: 'text', value: open.text }];
      if (open.tag === 'li') lists = addItem(blocks, lists, { item: element('li', words), open });
      else {
        blocks.push(element(open.tag, words));
        lists = [];
      }
      open = undefined;
    };
    for (const line of lines) {
      if (line.cells !== undefined) {
        close();
        lists = [];
        addRow(blocks, line.cells);
        last = undefined;
        continue;
      }
      if (line.isCode === true && hasCode) {
        close();
        lists = [];
        addCode(blocks, line, last);
        last = line;
        continue;
      }
      const level = levelOf(line);
      const item = level === 0 ? ITEM.exec(line.text) : null;
      if (
        open !== undefined &&
        last !== undefined &&
        item === null &&
        continues(line, { last, open, level })
      ) {
        open.text = joined(open.text, line.text, isWord);
      } else {
        close();
        const start = item?.[1] === undefined ? undefined : Number(item[1]);
        const tag = item !== null ? 'li' : level > 0 ? `h${level}` : 'p';
        open = { tag, level, text: line.text.slice(item?.[0].length ?? 0), start, x: line.x };
      }
      last = line;
    }
    close();
    return { type: 'root', children: blocks };
  });
}

interface OpenBlock {
  tag: string;
  level: number;
  text: string;
  /** Number of an item. */
  start: number | undefined;
  x: number;
}

interface OpenList {
  x: number;
  list: Element;
}

/** Items of a list begin within so many points of one another. */
const SAME_X = 8;

/** An item that begins further in than the last one is in it. */
function addItem(
  blocks: Element[],
  lists: readonly OpenList[],
  { item, open: { x, start } }: { item: Element; open: OpenBlock },
): OpenList[] {
  const outer = lists.filter((each) => each.x < x - SAME_X);
  const tagName = start === undefined ? 'ul' : 'ol';
  const same = lists.find((each) => Math.abs(each.x - x) <= SAME_X);
  if (same?.list.tagName === tagName) {
    same.list.children.push(item);
    return [...outer, same];
  }
  const list = element(tagName, [item], start === undefined ? {} : { start });
  const around = outer.at(-1)?.list.children.at(-1);
  if (around?.type === 'element') around.children.push(list);
  else blocks.push(list);
  return [...outer, { x, list }];
}

/** A document that is all set in a font of one width has no code. */
function isMinority(lines: readonly PdfLine[]): boolean {
  const letters = (each: readonly PdfLine[]): number =>
    each.reduce((sum, { text }) => sum + text.length, 0);
  return letters(lines.filter(({ isCode }) => isCode === true)) < letters(lines) / 2;
}

function addCode(blocks: Element[], { text, y, size }: PdfLine, before: PdfLine | undefined): void {
  const code = before?.isCode === true ? blocks.at(-1)?.children[0] : undefined;
  const [value] = code?.type === 'element' && code.tagName === 'code' ? code.children : [];
  if (value?.type !== 'text')
    blocks.push(element('pre', [element('code', [{ type: 'text', value: text }])]));
  else value.value += ((before?.y ?? y) - y > MAX_LINE_GAP * size ? '\n\n' : '\n') + text;
}

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
  if (open.level !== level || gap < 0 || gap > MAX_LINE_GAP * Math.max(last.size, line.size))
    return false;
  return level === 0 || Math.abs(last.size - line.size) < 0.5;
};

/**
 * A word that was divided at the end of a line is put together; it keeps its hyphen where the document has it with one elsewhere, or has
 * both of its parts as words and never the whole.
 */
const joined = (text: string, next: string, isWord: (word: string) => boolean): string => {
  const first = /(\p{L}+)-$/u.exec(text.slice(-MAX_WORD))?.[1]?.toLowerCase();
  const second = /^\p{Ll}+/u.exec(next.slice(0, MAX_WORD))?.[0];
  if (first === undefined || second === undefined) return `${text} ${next}`;
  const areWords =
    first.length >= MIN_PART && second.length >= MIN_PART && isWord(first) && isWord(second);
  const isCompound = isWord(`${first}-${second}`) || (areWords && !isWord(first + second));
  return (isCompound ? text : text.slice(0, -1)) + next;
};

const MAX_WORD = 60;
/** Letters of a part that may be a word of its own. */
const MIN_PART = 4;

/** Whether a word, in small letters, stands somewhere undivided. */
function vocabularyOf(lines: readonly PdfLine[]): (word: string) => boolean {
  const all = new Set<string>();
  let isDivided = false;
  for (const { text } of lines) {
    const line = text.toLowerCase().replace(isDivided ? /^\p{L}+|\p{L}+-$/gu : /\p{L}+-$/u, '');
    isDivided = /\p{L}-$/u.test(text);
    for (const [word] of line.matchAll(/\p{L}+(?:-\p{L}+)*/gu)) {
      all.add(word);
      if (word.includes('-')) for (const part of word.split('-')) all.add(part);
    }
  }
  return (word) => all.has(word);
}

/** Heights of a header or footer whose parts stand beside each other, in points. */
const SAME_Y = 3;

/**
 * Headers and footers: what stands highest and lowest on a page, where most pages, or most of those on the same side of the sheet, have the
 * same there in type of the same size, whatever its numbers.
 */
const withoutRepeated = (pages: readonly PdfLine[][]): PdfLine[][] => {
  const keyOf = ({ text, size }: PdfLine): string =>
    `${Math.round(size)} ${text.replaceAll(/\d+/g, '#').replace(/^[ivxlc]+ | [ivxlc]+$/, '#')}`;
  const edges = pages.map((lines) => {
    const heights = lines.map(({ y }) => y);
    const [top, bottom] = [Math.max(...heights), Math.min(...heights)];
    return new Set(lines.filter(({ y }) => y > top - SAME_Y || y < bottom + SAME_Y));
  });
  const counts = new Map<string, [number, number]>();
  for (const [page, lines] of edges.entries())
    for (const key of new Set([...lines].map(keyOf))) {
      const count = counts.get(key) ?? [0, 0];
      count[page % 2 === 0 ? 0 : 1] += 1;
      counts.set(key, count);
    }
  const isRepeated = (line: PdfLine): boolean => {
    const [odd, even] = counts.get(keyOf(line)) ?? [0, 0];
    return (
      odd + even > Math.max(2, pages.length / 2) ||
      Math.max(odd, even) > Math.max(2, pages.length / 4)
    );
  };
  return pages.map((lines, page) =>
    lines.filter((line) => !(edges[page]?.has(line) === true && isRepeated(line))),
  );
};

/** The end of a line of a table of contents: dots and the number of a page. */
const LEADER = /… (?:(\d{1,4})|[ivxlc]{1,7})$/;
const MIN_CONTENTS = 5;

/** Without a table of contents: lines that lead to numbers which never fall; those of a list of prices do. */
function withoutContents(lines: readonly PdfLine[]): PdfLine[] {
  const leaders = lines.filter(({ text }) => LEADER.test(text));
  const numbers = leaders.flatMap(({ text }) => Number(LEADER.exec(text)?.[1] ?? 0) || []);
  const rises = numbers.every((number, at) => number >= (numbers[at - 1] ?? 0));
  if (leaders.length < MIN_CONTENTS || !rises) return [...lines];
  // Titles of chapters lead to theirs without dots.
  const isContents = leaders.length > lines.length / 2 ? / (?:\d{1,4}|[ivxlc]{1,7})$/ : LEADER;
  return lines.filter(({ text }) => !isContents.test(text));
}

/** 0 for text, 1 for the largest type of all headings. */
const headingLevels = (lines: readonly PdfLine[]): ((line: PdfLine) => number) => {
  const round = (size: number): number => Math.round(size * 2) / 2;
  const letters = new Map<number, number>();
  for (const { size, text } of lines)
    letters.set(round(size), (letters.get(round(size)) ?? 0) + text.length);
  const [body = 0] = [...letters].toSorted(([, one], [, other]) => other - one)[0] ?? [];
  const isHeading = ({ size, text }: PdfLine): boolean =>
    size > HEADING_FACTOR * body && text.length <= MAX_HEADING_LENGTH && /\p{L}/u.test(text);
  const sizes = [...new Set(lines.filter(isHeading).map(({ size }) => round(size)))].sort(
    (one, other) => other - one,
  );
  return (line) =>
    isHeading(line) ? Math.min(sizes.indexOf(round(line.size)) + 1, MAX_LEVELS) : 0;
};
