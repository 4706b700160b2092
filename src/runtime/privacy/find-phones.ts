import { type Found, findAll } from './mask-kind.ts';
import { otherNumbersIn } from './other-numbers.ts';

/**
 * Finds telephone numbers: international ones, national ones in the form that is usual in North America or with a leading zero,
 * and what stands behind a word for telephones. A date, an address of the Internet and what another word claims is none.
 */
export const findPhones = (text: string): Found[] => {
  if (!/\d{2}/.test(text)) return [];
  const others = otherNumbersIn(text);
  const isMeant = (run: string, start: number) => !others.has(start) && !isOtherForm(run);
  return [...byForm(text, isMeant), ...findAll('phone', text, CALLED, isMeant)];
};

function* byForm(text: string, isMeant: (run: string, start: number) => boolean): Generator<Found> {
  for (const { 0: run, index } of text.matchAll(BY_FORM)) {
    const length = run[0] === '+' || run.startsWith('(+') ? internationalLength(run) : run.length;
    if (length > 7 && isMeant(run, index)) yield { kind: 'phone', start: index, end: index + length };
  }
}

/** Eleven digits in North America, else up to fifteen; what it says on the next line, while it is short; no single digit apart. */
const internationalLength = (run: string): number => {
  const american = /^\D{0,3}1(?:\D{0,3}\d){10}(?!\d)/.exec(run)?.[0];
  if (american !== undefined) return american.length;
  const line = /^(?:[^\d\n]{0,3}\d){9,}(?=\n)/.exec(run)?.[0] ?? run;
  return (/^(?:\D{0,3}\d){8,15}(?!\d)/.exec(line)?.[0] ?? '').replace(/(?<=(?:\d.{0,3}){9})\s\d$/, '').length;
};

const SEPARATOR = '(?: ?[./-] ?| {1,2}|\\n)?';
const END = '(?![\\p{L}\\d_]|[.,:/-]\\d|-\\p{L})';

const BY_FORM = new RegExp(
  `(?<![\\p{L}\\d_.:+-]|\\d[/,])(?:${[
    // International, with its plus sign or two zeros.
    `\\(?\\+ ?[1-9]\\d{0,3}\\)?(?:${SEPARATOR}\\(?\\d{1,12}\\)?){1,7}`,
    '00 ?[1-9]\\d{0,2}(?:[ ./-]\\(?\\d{1,8}\\)?){2,6}',
    '00[1-9]\\d{9,12}',
    // North America: 555-123-4567, (555) 123-4567, 1-800-555-1234.
    '(?:1[-. ])?(?:\\([2-9]\\d{2}\\) ?[-.]?|[2-9]\\d{2}[-. /])\\d{3}[-. ]\\d{4}',
    // With a leading zero: 0170/1234567, 020 7946 0958, (030) 123 45 67, 06 12 34 56 78.
    '\\(?0\\)?[1-9]\\d{0,4}\\)?(?: ?[/.-] ?| )\\d{2,8}(?:[ .-]\\d{2,6}){0,4}(?<=(?:\\d\\D{0,3}){9})',
    '0[1-9]\\d{8,9}',
    // (11) 91234-5678
    '\\(\\d{2,3}\\) ?\\d{4,5}[- ]\\d{4}',
  ].join('|')})${END}`,
  'gu',
);

/** A date, with or without a time behind it, or an address of the Internet; not five pairs, as the French write. */
const isOtherForm = (run: string): boolean =>
  (/^(?:\d{1,2}([./-])\d{1,2}\1(?:\d\d){1,2}|\d{4}([./-])\d{1,2}\2\d{1,2})(?!\d)/.test(run) &&
    !/^0\d(?:\D\d\d){4}$/.test(run)) ||
  /^\d{1,3}(?:\.\d{1,3}){3}$/.test(run);

/** "call me on 612 345 678". Up to three small words between. */
const CALLED = new RegExp(
  `(?<![\\p{L}\\d])(?:tel(?!l)|call|ring|phone|cell|mobil|handy|portable|whats ?app|signal|sms|text|fax|(?:an|rück)?ruf|tél|móvil|celular|appel|llám|chiam|ligue|bel(?!\\p{L})|dzwoni|komórk|m(?:y|eine|on|i|ijn|io|eu) n[uú]m)\\p{L}{0,9}\\.?(?: {1,2}(?:\\p{L}{1,3}|back|n[uú]m\\p{L}{2,5}|unter)\\.?){0,3} {0,2}[:#=]? {0,2}(?<!\\p{L})((?:\\+ ?)?\\(?\\d(?:[ ./()-]{0,3}\\d){6,14})${END}`,
  'giu',
);
