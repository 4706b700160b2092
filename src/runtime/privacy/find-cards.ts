import { type Found, findAll } from './mask-kind.ts';
import { otherNumbersIn } from './other-numbers.ts';

/** Finds numbers of payment cards (ISO/IEC 7812), their check codes where they are called so, and IBANs (ISO 13616). */
export const findCards = (text: string): Found[] => {
  const found: Found[] = [];
  const others = otherNumbersIn(text);
  for (const { 0: run, index } of text.matchAll(DIGITS)) {
    const length = lengthOf(run, isCard);
    // In groups it is a card wherever it stands.
    const isOther = others.has(index) && !/\D/.test(run.slice(0, length));
    if (length > 0 && !isOther) found.push({ kind: 'card', start: index, end: index + length });
  }
  for (const { 0: run, index } of text.matchAll(ACCOUNT)) {
    const length = lengthOf(run.toUpperCase(), isAccount);
    if (length > 0) found.push({ kind: 'card', start: index, end: index + length });
  }
  return [...found, ...findAll('card', text, CHECK_CODE)];
};

/** Thirteen digits or more, whatever stands between every two of them. */
const DIGITS = /(?<![\p{L}\p{N}_.])\d(?:(?:[ -]|\s{1,2})?\d){12,27}/gu;

/** Groups of four, or none. */
const ACCOUNT = /(?<![\p{L}\p{N}])[A-Z]{2}\d{2}(?:[ -]?[A-Z\d]{4}){2,7}(?:[ -]?[A-Z\d]{1,4})?(?![\p{L}\p{N}])/giu;

/** How much of a run is meant, up to the end of a group; 0 for nothing. */
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

/** First digits and length as of a brand, and the check digit of Luhn. */
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

/** Of the back of a card. */
const CHECK_CODE = /\b(?:cv[vc]2?|security code)\b(?: is| ist)?[ :=#-]{1,3}(\d{3,4})(?!\d)/gi;
