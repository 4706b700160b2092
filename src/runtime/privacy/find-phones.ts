import type { Found } from './mask-kind.ts';
import { otherNumbersIn } from './other-numbers.ts';

/**
 * Finds telephone numbers: international ones, national ones in the form that is usual in North America or with a leading zero,
 * and what stands behind a word for telephones. A date, an address of the Internet and what another word claims is none.
 */
export const findPhones = (text: string): Found[] => {
  if (!/\d{2}/.test(text)) return [];
  const others = otherNumbersIn(text);
  return [...byForm(text, others), ...called(text, others), ...ownedIn(text)];
};

function* byForm(text: string, others: ReadonlySet<number>): Generator<Found> {
  for (const { 0: run, index } of text.matchAll(BY_FORM)) {
    const length = run[0] === '+' || run.startsWith('(+') ? internationalLength(run) : run.length;
    const digits = run.slice(0, length).replace(/\D/g, '').length;
    if (digits < 8 || digits > 15 || others.has(index) || isOtherForm(run)) continue;
    yield { kind: 'phone', start: index, end: index + length };
  }
}

function* called(text: string, others: ReadonlySet<number>): Generator<Found> {
  for (const { 0: all, 1: run = '', index } of text.matchAll(CALLED)) {
    const start = index + all.length - run.length;
    const digits = run.replace(/\D/g, '').length;
    if (digits >= 7 && digits <= 15 && !others.has(start) && !isOtherForm(run))
      yield { kind: 'phone', start, end: index + all.length };
  }
}

/** "612 345 678 is my number" */
function* ownedIn(text: string): Generator<Found> {
  for (const { 0: run, index } of text.matchAll(OWNED)) yield { kind: 'phone', start: index, end: index + run.length };
}

const OWNED =
  /(?<![\p{L}\d_.:+/-])\d(?:[ ./()-]{0,2}\d){6,14}(?=,? (?:is|ist|est|es) (?:my|meine|mon|mi) (?:\p{L}{1,12} ){0,2}(?:phone|number|mobile|cell|\p{L}{0,12}nummer|handy|numéro|número|móvil|portable)(?! is))/giu;

/** A number goes on over the end of a line while it is short, and no single digit that stands apart belongs to it. */
const internationalLength = (run: string): number => {
  let length = run.length;
  const broken = run.indexOf('\n');
  if (broken !== -1 && run.slice(0, broken).replace(/\D/g, '').length >= 9) length = broken;
  const isAmerican = /^\(?\+ ?1\D?[2-9]/.test(run);
  const limit = isAmerican ? 11 : 15;
  for (;;) {
    const kept = run.slice(0, length);
    const digits = kept.replace(/\D/g, '').length;
    const apart = /[ \n]\(?\d\)?$/.test(kept) && digits > 9;
    if (digits <= limit && !apart) return length;
    const cut = kept.search(/\D{0,3}\d+\)?$/);
    if (cut <= 0) return length;
    length = cut;
  }
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
    '\\(?0\\)?[1-9]\\d{0,4}\\)?(?: ?[/.-] ?| )\\d{2,8}(?:[ .-]\\d{2,6}){0,4}(?<=(?:\\d\\D{0,3}){9,})',
    '0[1-9]\\d{8,9}',
    // (11) 91234-5678
    '\\(\\d{2,3}\\) ?\\d{4,5}[- ]\\d{4}',
  ].join('|')})${END}`,
  'gu',
);

/** A date, with or without a time behind it, or an address of the Internet; not five pairs, as the French write. */
const isOtherForm = (run: string): boolean =>
  (!/^0\d(?:[ .-]\d{2}){4}$/.test(run) && /^\d{1,2}([./-])\d{1,2}\1(?:\d{4}|\d{2})(?!\d)/.test(run)) ||
  /^\d{4}([./-])\d{1,2}\1\d{1,2}(?!\d)/.test(run) ||
  /^\d{1,3}(?:\.\d{1,3}){3}$/.test(run);

const CALLED = new RegExp(
  `(?<![\\p{L}\\d])(?:${[
    'tel|telephone|phone|call|calls|ring|mobile|cell|cellphone|cellular|whats ?app|signal|sms|text|fax|contact number|my number',
    'telefon\\p{L}{0,9}|handy(?:nummer|nr)?|mobil(?:nummer|telefon|nr|e)?|rufnummer|anruf\\p{L}{0,3}|rückruf|meine nummer',
    'téléphon\\p{L}{0,3}|tél|portable|appele[rz]\\p{L}{0,3}|appel|mon numéro|teléfono|móvil|celular|llám\\p{L}{2,6}|mi número',
    'telefono|cellulare|chiam\\p{L}{2,6}|il mio numero|telefone|telemóvel|ligue|meu número|bel|mijn nummer|dzwoni\\p{L}{0,4}|komórk\\p{L}{1,3}|numer telefonu|ring',
  ].join(
    '|',
  )})\\.?(?:[ \\t]{1,2}(?:me|us|him|her|at|on|is|number|no|my|under|unter|an|au|al|en|sur|le|il|numéro|número|numero|nummer|nr|ist|est|es|è|to|back|mich|bitte|der|op|pod|på)\\.?){0,4}[ \\t]{0,2}[:#=]?[ \\t]{0,2}` +
    `((?:\\+ ?)?\\(?\\d(?:[ ./()-]{0,3}\\d){5,14})${END}`,
  'giu',
);
