import { SettingRefused } from '../service-address.ts';
import { findCards, findPhones } from './find-numbers.ts';
import { findKeys } from './find-secrets.ts';
import { findEmails, findWallets } from './find-wallets.ts';
import { type Found, MASK_KINDS, type MaskKind } from './mask-kind.ts';

/** Takes personal data and secrets out of a text. */
export interface Mask {
  /**
   * The text with `[email]`, `[phone]`, `[card]`, `[wallet]` and `[key]` in the place of what was found; everything else stays
   * as it is. Linear in the length of the text, and masking twice changes nothing more.
   */
  mask(text: string): string;
}

/**
 * Masks what leads to a person or opens something of theirs: before a text is logged, embedded, sent to a model or stored.
 *
 * What says what the matter is stays: versions, addresses and hosts of devices, serial, order and ticket numbers, dates, hash
 * rates, error codes. The rule for a bare number: it is taken for a telephone number where it has the form of one and does not
 * stand behind a word for another number ("order", "serial", "ticket"), or where a word for telephones stands before it; and for
 * a payment card where its first digits, length and check digit are those of one.
 */
export const createMask = (kinds: readonly MaskKind[]): Mask => {
  const finders = MASK_KINDS.filter((kind) => kinds.includes(kind)).map((kind) => FINDERS[kind]);
  const maskOnce = (text: string): string => {
    const plain = readPlainly(text);
    return replace(text, joined(finders.flatMap((find) => find(plain.text))).map(plain.inOriginal));
  };
  return {
    mask: (text) => {
      let masked = text;
      // What stands around a placeholder may only now be seen for what it is.
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const next = maskOnce(masked);
        if (next === masked) break;
        masked = next;
      }
      return masked;
    },
  };
};

/**
 * Reads the variable `PRIVACY_MASK`: kinds separated by commas, or `none`. Empty or absent: all.
 *
 * @throws {SettingRefused} When it names something else.
 */
export const readMaskKinds = (variable: string | undefined): readonly MaskKind[] => {
  const names = (variable ?? '').toLowerCase().match(/[^\s,]+/g) ?? MASK_KINDS;
  if (names.join() === 'none') return [];
  const unknown = names.find((name) => !Object.hasOwn(FINDERS, name));
  if (unknown !== undefined)
    throw new SettingRefused(
      `Cannot use PRIVACY_MASK: ${JSON.stringify(unknown.slice(0, 40))} is none of ${MASK_KINDS.join(', ')}`,
    );
  return MASK_KINDS.filter((kind) => names.includes(kind));
};

const FINDERS: Record<MaskKind, (text: string) => Found[]> = {
  key: findKeys,
  wallet: findWallets,
  card: findCards,
  email: findEmails,
  phone: findPhones,
};

/** Two suffice for all that was tried. */
const MAX_ROUNDS = 4;

/** Findings that overlap are one, of the kind that counts most. In the order of the text. */
const joined = (found: readonly Found[]): Found[] => {
  const joined: Found[] = [];
  for (const { kind, start, end } of found.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last === undefined || start >= last.end) joined.push({ kind, start, end });
    else {
      last.end = Math.max(last.end, end);
      if (MASK_KINDS.indexOf(kind) < MASK_KINDS.indexOf(last.kind)) last.kind = kind;
    }
  }
  return joined;
};

const replace = (text: string, found: readonly Found[]): string => {
  let masked = '';
  let from = 0;
  for (const { start, end, kind } of found) {
    masked += `${text.slice(from, start)}[${kind}]`;
    from = end;
  }
  return masked + text.slice(from);
};

/** A text as patterns are matched against it, and the way back to what was written. */
interface PlainText {
  text: string;
  /** The same finding in UTF-16 units of the original, which never cuts a surrogate pair. */
  inOriginal(found: Found): Found;
}

/**
 * Writes a text plainly: digits and letters of other widths and scripts in ASCII, dashes and spaces as the usual ones, without
 * invisible characters, and without the `>` in front of the lines of a forwarded mail. Placeholders become backticks, so that
 * nothing is found in them, nor across.
 */
const readPlainly = (text: string): PlainText => {
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
