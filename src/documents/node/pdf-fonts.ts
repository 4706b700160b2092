import type { PdfItem } from './pdf-text.ts';

/** Letters of scripts in which all have one width, whatever their font. */
const WIDE = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]/gu;
const MAX_WIDE = 0.3;
/** What no letter is: controls, and characters that are not assigned. */
const NO_LETTER = /(?![\t\n\r])[\p{Cc}\p{Cn}]/gu;
/** Signs before items are single characters of such fonts. */
const MIN_LENGTH = 3;
const MIN_COUNT = 3;
const MAX_SHARE = 0.02;

/** What is known of the fonts of a file, by the names that the library gives them. */
export interface PdfFonts {
  /** Those whose letters have the same width. */
  fixed: Set<string>;
  /**
   * Those that show glyphs by number and do not say which letters they are (ISO 32000-2, 9.10.2): the library takes the numbers for
   * characters, and those of spaces and digits mostly are controls.
   */
  unreadable: Set<string>;
}

/** Empties the text of a page that no one can read, and marks what is set in a font of one width. */
export function readFonts(items: readonly PdfItem[], { fixed, unreadable }: PdfFonts): void {
  const byFont = Map.groupBy(items, ({ fontName = '' }) => fontName);
  for (const [font, own] of byFont) {
    if (font === '') continue;
    if (isUnreadable(own)) unreadable.add(font);
    if (unreadable.has(font)) for (const item of own) item.str = '';
    const isFixed =
      fixed.has(font) && shareOf(WIDE, own.map(({ str = '' }) => str).join('')) <= MAX_WIDE;
    for (const item of own) item.isFixed = isFixed;
  }
}

function isUnreadable(items: readonly PdfItem[]): boolean {
  const text = items.flatMap(({ str = '' }) => (str.length < MIN_LENGTH ? [] : [str])).join('');
  return countOf(NO_LETTER, text) >= MIN_COUNT && shareOf(NO_LETTER, text) > MAX_SHARE;
}

const countOf = (pattern: RegExp, text: string): number => text.match(pattern)?.length ?? 0;
const shareOf = (pattern: RegExp, text: string): number =>
  countOf(pattern, text) / Math.max(1, text.length);
