import { SettingRefused } from '../service-address.ts';
import { findCards } from './find-cards.ts';
import { findEmails } from './find-emails.ts';
import { findKeys } from './find-keys.ts';
import { findPhones } from './find-phones.ts';
import { findWallets } from './find-wallets.ts';
import { type Found, MASK_KINDS, type MaskKind } from './mask-kind.ts';
import { readPlainly } from './plain-text.ts';

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
