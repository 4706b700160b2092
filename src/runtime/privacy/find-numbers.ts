import { type Found, findAll } from './mask-kind.ts';

/** Finds payment card numbers (ISO/IEC 7812), labelled card check codes, and IBANs (ISO 13616). */
export const findCards = (text: string): Found[] => {
  if (!TWO_DIGITS.test(text)) return [];
  const found: Found[] = [];
  const isLabelled = labelledIn(text);
  for (const { 0: run, index } of text.matchAll(DIGITS)) {
    const length = lengthOf(run, isCard);
    // A grouped number is a card in any context.
    const isOther = length > 0 && !/\D/.test(run.slice(0, length)) && isLabelled(index);
    if (length > 0 && !isOther) found.push({ kind: 'card', start: index, end: index + length });
  }
  for (const { 0: run, index } of text.matchAll(ACCOUNT)) {
    const length = lengthOf(run.toUpperCase(), isAccount);
    if (length > 0) found.push({ kind: 'card', start: index, end: index + length });
  }
  return [...found, ...findAll('card', text, CHECK_CODE)];
};

/** Every card and account number has two digits with at most a separator in between; most texts have none. */
const TWO_DIGITS = /\d(?:[ -]|\s{1,2})?\d/;

/** Thirteen or more digits, with optional separators. */
const DIGITS = /(?<![\p{L}\p{N}_.])\d(?:(?:[ -]|\s{1,2})?\d){12,27}/gu;

/** In groups of four, or ungrouped. */
const ACCOUNT = /(?<![\p{L}\p{N}])[A-Z]{2}\d{2}(?:[ -]?[A-Z\d]{4}){2,7}(?:[ -]?[A-Z\d]{1,4})?(?![\p{L}\p{N}])/giu;

/** Length of the longest matching prefix of a run that ends with a group; 0 for none. */
const lengthOf = (run: string, isMeant: (number: string) => boolean): number => {
  for (let end = run.length; end > 12; end -= 1)
    if (
      !/^[A-Z\d]{2}/.test(run.slice(end - 1)) &&
      /[A-Z\d]/.test(run[end - 1] ?? '') &&
      isMeant(run.slice(0, end).replace(/[^A-Z\d]/g, ''))
    )
      return end;
  return 0;
};

/** Whether prefix and length are those of a card brand and the Luhn check digit is valid. */
const isCard = (digits: string): boolean => {
  let sum = 0;
  for (let place = 1; place <= digits.length; place += 1) {
    const value = Number(digits[digits.length - place]) * (place % 2 === 0 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0 && BRANDS.test(digits);
};

const BRANDS =
  /^(?:3(?:0[0-5]|[689]\d)\d{11}|3[47]\d{13}|(?:[456]\d\d|30[0-5]|3[5689]\d|22[2-9]|2[3-6]\d|27[0-2])\d{13}|[456]\d{16,18})$/;

/** ISO 7064, MOD 97-10. */
const isAccount = (account: string): boolean => {
  let rest = 0;
  for (const letter of account.slice(4) + account.slice(0, 4)) {
    const value = Number.parseInt(letter, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1 && account.length > 14 && account.length < 35 && /(?:\d.*){10}/.test(account);
};

/** Check code on the back of a card. */
const CHECK_CODE = /\b(?:cv[vc]2?|security code)\b(?: is| ist)?[ :=#-]{1,3}(\d{3,4})(?!\d)/gi;

/**
 * Finds telephone numbers: international ones, national ones in North American form or with a leading zero, and numbers after a word for
 * telephones. Dates, IP addresses and numbers labelled as something else are excluded.
 */
export const findPhones = (text: string): Found[] => {
  if (!FIVE_DIGITS.test(text)) return [];
  const isLabelled = labelledIn(text);
  const isMeant = (run: string, start: number) => !isOtherForm(run) && !isLabelled(start);
  return [...byForm(text, isMeant), ...findAll('phone', text, CALLED, isMeant)];
};

/** No telephone number has fewer, nor longer separators. */
const FIVE_DIGITS = /(?:\d\D{0,5}){4}\d/;

function* byForm(text: string, isMeant: (run: string, start: number) => boolean): Generator<Found> {
  for (const { 0: run, index } of text.matchAll(BY_FORM)) {
    const length = run[0] === '+' || run.startsWith('(+') ? internationalLength(run) : run.length;
    if (length > 7 && isMeant(run, index)) yield { kind: 'phone', start: index, end: index + length };
  }
}

/**
 * Length of an international number: 11 digits in North America, up to 15 elsewhere; may continue on the next line while it is short;
 * never ends with a single separate digit.
 */
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

/** A date, with or without a time, or an IP address; not five pairs, the French form. */
const isOtherForm = (run: string): boolean =>
  (/^(?:\d{1,2}([./-])\d{1,2}\1(?:\d\d){1,2}|\d{4}([./-])\d{1,2}\2\d{1,2})(?!\d)/.test(run) &&
    !/^0\d(?:\D\d\d){4}$/.test(run)) ||
  /^\d{1,3}(?:\.\d{1,3}){3}$/.test(run);

/** "call me on 612 345 678". Up to three short words in between. */
const CALLED = new RegExp(
  `(?<![\\p{L}\\d])(?:tel(?!l)|call|ring|phone|cell|mobil|handy|portable|whats ?app|signal|sms|text|fax|(?:an|rück)?ruf|tél|móvil|celular|appel|llám|chiam|ligue|bel(?!\\p{L})|dzwoni|komórk|m(?:y|eine|on|i|ijn|io|eu) n[uú]m)\\p{L}{0,9}\\.?(?: {1,2}(?:\\p{L}{1,3}|back|n[uú]m\\p{L}{2,5}|unter)\\.?){0,3} {0,2}[:#=]? {0,2}(?<!\\p{L})((?:\\+ ?)?\\(?\\d(?:[ ./()-]{0,3}\\d){6,14})${END}`,
  'giu',
);

/**
 * Whether the word before the number at an offset labels it as something else: "order no. 5551234567", "Serial: …", "ticket #…". The text
 * is read when the first number is asked for.
 */
const labelledIn = (text: string): ((start: number) => boolean) => {
  let starts: Set<number> | undefined;
  return (start) => {
    starts ??= new Set(Array.from(text.matchAll(OTHER), ({ 0: all, index }) => index + all.length));
    return starts.has(start);
  };
};

const NAMES =
  'order|serial|s/?n|ticket|case|invoice|tracking|rma|ref\\w*|customer|p(?:ar)?t|model|sku|firmware|version|block|height|t(?:ransaction|x(?:id)?)|nonce|error|code|u?id|imei|item|device|' +
  '(?:bestell|auftrag|serie|rechnung|kunde|sendung|vorgang|artikel|order|fa[ck]tu|commande|pedido|ordine|zamówieni)\\p{L}{0,9}|série|colis|suivi|envío';

const OTHER = new RegExp(
  `(?<![\\p{L}\\d])(?:${NAMES})(?:[ -](?:n[uú]m\\p{L}*|nr|no|id|code))?\\.?[ \\t]{0,2}(?:(?:is|was|ist|lautet|est|es|è|[:#=]|n[or°º]\\.?|№|del?)[ \\t]{0,2}){0,3}["'(#]?(?=[+(]?\\d)`,
  'giu',
);
