import {
  type Found,
  findCards,
  findEmails,
  findKeys,
  findPhones,
  findWallets,
  MASK_KINDS,
  type MaskKind,
} from './find-personal-data.ts';

/** Removes personal data and secrets from a text. */
export interface Mask {
  /**
   * The text with `[email]`, `[phone]`, `[card]`, `[wallet]` and `[key]` in place of what was found; everything else is unchanged. Linear
   * in the length of the text, and idempotent.
   */
  mask(text: string): string;
}

/**
 * Masks personal data and credentials before a text is logged, embedded, sent to a model or stored.
 *
 * Technical details stay: versions, addresses and hosts of devices, serial, order and ticket numbers, dates, hash rates, error codes. A
 * bare number is a telephone number if it has the form of one and no word for another number ("order", "serial", "ticket") precedes it,
 * or if a word for telephones does; it is a payment card if prefix, length and check digit are those of one.
 */
export function createMask(kinds: readonly MaskKind[]): Mask {
  const finders = MASK_KINDS.filter((kind) => kinds.includes(kind)).map((kind) => FINDERS[kind]);
  const maskOnce = (text: string): string => {
    const plain = readPlainly(text);
    return replace(text, joined(finders.flatMap((find) => find(plain.text))).map(plain.inOriginal));
  };
  /** Texts without anything to mask: sentences of articles come again and again. */
  const clean = new Set<string>();
  let cleanLength = 0;
  return {
    mask: (text) => {
      if (clean.has(text)) return text;
      let masked = text;
      // The text around a placeholder may only match now.
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const next = maskOnce(masked);
        if (next === masked) break;
        masked = next;
      }
      if (masked === text && text.length <= MAX_CLEAN_LENGTH) {
        cleanLength += text.length;
        if (cleanLength > MAX_CLEAN_LENGTH) {
          clean.clear();
          cleanLength = text.length;
        }
        clean.add(text);
      }
      return masked;
    },
  };
}

const FINDERS: Record<MaskKind, (text: string) => Found[]> = {
  key: findKeys,
  wallet: findWallets,
  card: findCards,
  email: findEmails,
  phone: findPhones,
};

/** Two sufficed for all texts that were tried. */
const MAX_ROUNDS = 4;

/** UTF-16 units of all clean texts that are remembered. */
const MAX_CLEAN_LENGTH = 500_000;

/** Merges overlapping findings into one of the kind with the highest precedence; in text order. */
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

/** A normalised text for matching, and the mapping back to the original. */
interface PlainText {
  text: string;
  /** The same finding in UTF-16 units of the original, which never cuts a surrogate pair. */
  inOriginal(found: Found): Found;
}

/**
 * Normalises a text for matching: digits and letters of other widths and scripts become ASCII, dashes and spaces the usual ones;
 * invisible characters and the `>` before lines of a forwarded mail are removed. Placeholders become backticks, so that nothing matches
 * in or across them.
 */
const readPlainly = (text: string): PlainText => {
  const hidden = text.replace(/\[(?:email|phone|card|wallet|key)\]/g, (all) =>
    '`'.repeat(all.length),
  );
  const parts: PlainPart[] = [];
  let from = 0;
  for (const { 0: unit, index } of hidden.matchAll(UNUSUAL)) {
    parts.push(
      { plain: hidden.slice(from, index), from },
      { plain: plainOf(unit), from: index, length: unit.length },
    );
    from = index + unit.length;
  }
  if (from === 0) return { text: hidden, inOriginal: (found) => found };
  parts.push({ plain: hidden.slice(from), from });
  // Most texts have nothing to be found.
  let offsets: ReturnType<typeof offsetsOf> | undefined;
  return {
    text: parts.map(({ plain }) => plain).join(''),
    inOriginal: ({ kind, start, end }) => {
      offsets ??= offsetsOf(parts);
      return { kind, start: offsets.starts[start] ?? 0, end: offsets.ends[end - 1] ?? 0 };
    },
  };
};

/** A run of usual characters, or what an unusual one of this length became: one character or none. */
interface PlainPart {
  plain: string;
  /** Its beginning in the original. */
  from: number;
  length?: number;
}

/** The beginning and the end in the original of each character of the plain text. */
const offsetsOf = (parts: readonly PlainPart[]): { starts: number[]; ends: number[] } => {
  const starts: number[] = [];
  const ends: number[] = [];
  for (const { plain, from, length } of parts) {
    for (let at = 0; at < plain.length; at += 1) {
      starts.push(length === undefined ? from + at : from);
      ends.push(from + (length ?? at + 1));
    }
  }
  return { starts, ends };
};

/** A tab, what is neither ASCII nor a Latin letter, and the end of a line with two characters or with the `>` of a forwarded mail. */
const UNUSUAL = /\r?\n(?:[ \t]{0,8}>){1,20} ?|\r\n|[^\n -~¡-¬®-ɏ]/gu;

const plainOf = (unit: string): string => {
  if (unit.includes('\n')) return '\n';
  if (/\p{DI}/u.test(unit)) return '';
  if (/[\p{Pd}−]/u.test(unit)) return '-';
  if (/\s/.test(unit)) return /[\r\u2028]/.test(unit) ? '\n' : ' ';
  const code = unit.charCodeAt(0);
  const zero = ZEROS.find((each) => code >= each && code < each + 10);
  const usual = zero === undefined ? unit.normalize('NFKC') : String(code - zero);
  return /^[ -~]$/.test(usual) ? usual : unit;
};

/** Zeros of digits that Unicode normalisation does not map to ASCII: Arabic, Persian, Devanagari, Bengali. */
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6];
