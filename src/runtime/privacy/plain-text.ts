import type { Found } from './mask-kind.ts';

/** A text as patterns are matched against it, and the way back to what was written. */
export interface PlainText {
  text: string;
  /** The same finding in UTF-16 units of the original, which never cuts a surrogate pair. */
  inOriginal(found: Found): Found;
}

/**
 * Writes a text plainly: digits and letters of other widths and scripts in ASCII, dashes and spaces as the usual ones, without
 * invisible characters, and without the `>` in front of the lines of a forwarded mail. Placeholders become backticks, so that
 * nothing is found in them, nor across.
 */
export const readPlainly = (text: string): PlainText => {
  const hidden = text.replace(/\[(?:email|phone|card|wallet|key)\]/g, (all) => '`'.repeat(all.length));
  if (!UNUSUAL.test(hidden)) return { text: hidden, inOriginal: (found) => found };
  let plain = '';
  const ends: number[] = [];
  const starts: number[] = [];
  for (const { 0: unit, index } of hidden.matchAll(/\r?\n(?:(?:[ \t]{0,8}>){1,20} ?)?|[\s\S]/gu)) {
    const written = unit.length > 1 && unit.includes('\n') ? '\n' : plainOf(unit);
    if (written === '') continue;
    plain += written;
    for (const _ of written.split('')) {
      starts.push(index);
      ends.push(index + unit.length);
    }
  }
  return {
    text: plain,
    inOriginal: ({ kind, start, end }) => ({ kind, start: starts[start] ?? 0, end: ends[end - 1] ?? 0 }),
  };
};

/** Neither ASCII nor a Latin letter, or a mark of a forwarded mail. */
const UNUSUAL = /[^\t\n -~¡-¬®-ɏ]|\n[ \t]{0,8}>/;

const plainOf = (unit: string): string => {
  if (/^[\n -~]$/.test(unit)) return unit;
  if (/\p{DI}/u.test(unit)) return '';
  if (/[\p{Pd}−]/u.test(unit)) return '-';
  if (/\s/.test(unit)) return /[\r\u2028]/.test(unit) ? '\n' : ' ';
  const code = unit.charCodeAt(0);
  const zero = ZEROS.find((each) => code >= each && code < each + 10);
  const usual = zero === undefined ? unit.normalize('NFKC') : String(code - zero);
  return /^[ -~]$/.test(usual) ? usual : unit;
};

/** Of digits that no normalisation makes ASCII: Arabic, Persian, Devanagari, Bengali. */
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6];
