import type { Element, ElementContent } from 'hast';
import { scripted } from '../script-marks.ts';

/** What the library gives of the text of a page: text with its place, or the border of a marked part. */
export interface PdfItem {
  /** Kind of a border. */
  type?: string;
  id?: string;
  str?: string;
  /** The last two are x and y from the lower left corner, in points. */
  transform?: number[];
  height?: number;
  width?: number;
  hasEOL?: boolean;
  /** Direction of its letters. */
  dir?: string;
  fontName?: string;
  /** Whether all letters of its font have the same width. */
  isFixed?: boolean;
}

export function element(
  tagName: string,
  children: ElementContent[],
  properties: Element['properties'] = {},
): Element {
  return { type: 'element', tagName, properties, children };
}

/** Letters in place of signs for how they look beside others: ligatures, and forms of Arabic letters. */
export function withLetters(text: string): string {
  return text.replace(/[\ufb00-\ufb06\ufb13-\ufb17\ufb50-\ufdfb\ufe70-\ufefc]+/g, (forms) =>
    forms.normalize('NFKC'),
  );
}

/** A sign before an item; those of fonts of signs have no letter that they stand for. */
export const BULLET = '[•◦▪●■‣⁃–\\p{Cc}\\p{Co}]';

/** On one line, without the dots that lead to a page number. */
export function plainText(text: string): string {
  return withLetters(text)
    .replaceAll(/(?:\s*\.){5,}\s*/g, ' … ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Whether smaller type stands above the line. */
export function isRaised(
  item: { y: number; height: number },
  line: { y: number; size: number },
): boolean {
  return item.height > 0 && item.height < 0.85 * line.size && item.y > line.y + 0.15 * line.size;
}

/** A raised number is a power behind a number or a sign (10⁶, m²), and the mark of a note behind a word or a sentence. */
export function raised(number: string, before: string): string {
  return /(?:\d|(?<!\p{L})\p{L}{1,2})$/u.test(before) ? scripted(number, 'sup') : ` [${number}]`;
}

/** Items before one that may show the same text. */
const MAX_AGAIN = 8;
/** Text that is drawn again to look bold is moved by less than this share of its size. */
const MAX_MOVE = 0.06;
/** Letters of a part that is drawn again; single ones may stand in a column that a long text runs into. */
const MIN_PART = 3;

/** Adds an item of a page, unless it draws text again at its place, which makes it look bold; the longer of two stays. */
export function addDrawn(items: PdfItem[], item: PdfItem): void {
  if ((item.str ?? '').trim() !== '')
    for (const other of items.slice(-MAX_AGAIN)) {
      if (covers(other, item)) return;
      if (covers(item, other)) other.str = '';
    }
  items.push(item);
}

/** Whether a text is part of another one, and stands where that part does. */
function covers(outer: PdfItem, inner: PdfItem): boolean {
  const text = inner.str?.trim() ?? '';
  const all = outer.str ?? '';
  const at = text === '' ? -1 : all.indexOf(text);
  if (at === -1) return false;
  const { width = 0, transform: [, slope, , , outerX = 0, outerY = 0] = [] } = outer;
  const { height = 0, transform: [, , , , x = 0, y = 0] = [] } = inner;
  const move = MAX_MOVE * height;
  const isThere =
    all.trim() === text
      ? Math.abs(x - outerX) < move
      : text.length >= MIN_PART && Math.abs(x - outerX - (at / all.length) * width) < height;
  return slope === 0 && Math.abs(y - outerY) < move && isThere;
}

/** Narrower gaps part no words; as a share of the size of the type. */
export const MIN_SPACE = 0.1;

/**
 * The text of items that stand in one line, in the order in which it is read: content may draw signs of another font, and runs of another
 * direction, later than what stands around them.
 */
export function textOfLine(items: readonly PdfItem[]): string {
  const isRightToLeft = readsRightToLeft(items);
  if (!isRightToLeft && isInOrder(items)) return items.map(({ str = '' }) => str).join('');
  const parts = items.flatMap((item): LinePart[] => {
    const { str = '', dir, width = 0, height = 0, transform = [] } = item;
    const [, , , , x = 0] = transform;
    return str.trim() === ''
      ? []
      : [{ text: str, x, end: x + width, size: height, isForeign: dir !== 'rtl' }];
  });
  parts.sort((one, other) => one.x - other.x);
  const ordered = isRightToLeft ? inReadingOrder(withMarksInside(parts)) : parts;
  const text = ordered.reduce((all, part, at) => {
    const last = ordered[at - 1];
    const gap = last === undefined ? 0 : Math.max(part.x - last.end, last.x - part.end);
    return all + (gap > MIN_SPACE * part.size ? ' ' : '') + part.text;
  }, '');
  return isRightToLeft ? withBracketsTurned(text) : text;
}

/** Some programs write a bracket as it looks, and others as it is read: the first one opens. */
const withBracketsTurned = (text: string): string =>
  /^[^()]*\)[^()]*\(/.test(text)
    ? text.replace(/[()]/g, (bracket) => (bracket === '(' ? ')' : '('))
    : text;

interface LinePart {
  text: string;
  x: number;
  end: number;
  size: number;
  /** Whether it is read from left to right, or has no direction. */
  isForeign: boolean;
}

const letterCount = (text: string): number => text.match(/\p{L}/gu)?.length ?? 0;

/** Whether most letters are of scripts that are read from right to left. */
export function readsRightToLeft(items: readonly PdfItem[]): boolean {
  let surplus = 0;
  for (const { str = '', dir } of items)
    surplus += dir === 'rtl' ? letterCount(str) : -letterCount(str);
  return surplus > 0;
}

function isInOrder(items: readonly PdfItem[]): boolean {
  const places = items
    .filter(({ str = '' }) => str.trim() !== '')
    .map(({ transform = [] }) => transform[4] ?? 0);
  return places.every((x, at) => x >= (places[at - 1] ?? x) - 1);
}

/** From right to left; what is read from left to right keeps its order within. */
function inReadingOrder(parts: readonly LinePart[]): LinePart[] {
  const ordered: LinePart[] = [];
  let foreign: LinePart[] = [];
  for (const part of parts.toReversed()) {
    if (part.isForeign && /[\p{L}\p{N}]/u.test(part.text)) foreign.unshift(part);
    else {
      ordered.push(...foreign, part);
      foreign = [];
    }
  }
  return [...ordered, ...foreign];
}

/** Marks that the library gives apart from the words around them go behind the word that ends where they stand. */
function withMarksInside(parts: readonly LinePart[]): LinePart[] {
  const runs = parts.filter(({ isForeign }) => !isForeign).map((part) => ({ ...part }));
  const others: LinePart[] = [];
  for (const mark of parts) {
    if (!mark.isForeign) continue;
    const around = runs.find(({ x, end }) => mark.x > x && mark.end < end);
    if (around === undefined) others.push(mark);
    else {
      const place = ((around.end - mark.end) / (around.end - around.x)) * around.text.length;
      const spaces = [...around.text.matchAll(/ /g)].map(({ index }) => index);
      const nearest = spaces.toSorted(
        (one, other) => Math.abs(one - place) - Math.abs(other - place),
      )[0];
      const at = nearest ?? around.text.length;
      around.text = around.text.slice(0, at) + mark.text.trim() + around.text.slice(at);
    }
  }
  return [...runs, ...others].sort((one, other) => one.x - other.x);
}
