import type { Found } from './mask-kind.ts';

/** A text as patterns are matched against it, and the way back to what was written. */
export interface PlainText {
  text: string;
  /** The same finding in UTF-16 units of the original, which never cuts a surrogate pair. */
  inOriginal(found: Found): Found;
}

/**
 * Writes a text plainly: digits and letters of other widths and scripts in ASCII, dashes and spaces as the usual ones, without
 * invisible characters, and without the `>` in front of the lines of a forwarded mail. Placeholders become `HIDDEN`, so that
 * nothing is found in them, nor across.
 */
export const readPlainly = (text: string): PlainText => {
  const hidden = text.replace(PLACEHOLDER, (all) => HIDDEN.repeat(all.length));
  if (!UNUSUAL.test(hidden)) return { text: hidden, inOriginal: (found) => found };
  let plain = '';
  const starts: number[] = [];
  const ends: number[] = [];
  let at = 0;
  while (at < hidden.length) {
    const quote = hidden[at] === '\n' || hidden[at] === '\r' ? lineBreakAt(hidden, at) : undefined;
    const unit = quote ?? String.fromCodePoint(hidden.codePointAt(at) ?? 0);
    const written = quote === undefined ? plainOf(unit) : '\n';
    plain += written;
    for (let place = 0; place < written.length; place += 1) {
      starts.push(at);
      ends.push(at + unit.length);
    }
    at += unit.length;
  }
  return {
    text: plain,
    inOriginal: ({ kind, start, end }) => ({ kind, start: starts[start] ?? 0, end: ends[end - 1] ?? 0 }),
  };
};

/** Stands for a character of a placeholder. */
export const HIDDEN = '\ue000';

const PLACEHOLDER = /\[(?:email|phone|card|wallet|key)\]/g;
const INVISIBLE = /^\p{DI}$/u;
const DASH = /^[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]$/;
/** What makes reading character by character worth while. Letters with marks do not. */
const UNUSUAL =
  /[\p{DI}\u00a0\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\u1680\u2000-\u2015\u2028-\u202f\u205f\u2070-\u209c\u2212\u2460-\u249b\u3000\ufe50-\ufe6f\uff01-\uff5e\u{1d400}-\u{1d7ff}]|\r|\n[ \t]{0,8}>/u;

/** The line break at a place with the quote marks of the next line. */
const lineBreakAt = (text: string, at: number): string => {
  LINE_BREAK.lastIndex = at;
  return LINE_BREAK.exec(text)?.[0] ?? '\n';
};
const LINE_BREAK = /\r?\n(?:(?:[ \t]{0,8}>){1,20} ?)?|\r/y;

const plainOf = (unit: string): string => {
  const code = unit.codePointAt(0) ?? 0;
  if (code < 0xa0) return unit;
  if (INVISIBLE.test(unit)) return '';
  if (DASH.test(unit)) return '-';
  if (/\s/.test(unit)) return code === 0x2028 || code === 0x2029 ? '\n' : ' ';
  const zero = ZEROS.find((each) => code >= each && code < each + 10);
  if (zero !== undefined) return String(code - zero);
  const usual = unit.normalize('NFKC');
  return usual.length === 1 && usual < '\u0080' ? usual : unit;
};

/** Of digits that no normalisation makes ASCII: Arabic, Persian, Devanagari, Bengali. */
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6];
