import type { Found } from './mask-kind.ts';
import { otherNumbersIn } from './other-numbers.ts';

/** Finds numbers of payment cards (ISO/IEC 7812), their check codes where they are called so, and IBANs (ISO 13616). */
export const findCards = (text: string): Found[] => {
  const found: Found[] = [];
  let others: ReadonlySet<number> | undefined;
  for (const { 0: run, index } of text.matchAll(DIGITS)) {
    const length = cardLength(run);
    if (length === undefined) continue;
    others ??= otherNumbersIn(text);
    if (others.has(index) && !/\D/.test(run.slice(0, length))) continue;
    found.push({ kind: 'card', start: index, end: index + length });
  }
  for (const { 0: run, index } of text.matchAll(ACCOUNT)) {
    const length = accountLength(run);
    if (length !== undefined) found.push({ kind: 'card', start: index, end: index + length });
  }
  for (const { 0: all, 1: code = '', index } of text.matchAll(CHECK_CODE))
    found.push({ kind: 'card', start: index + all.length - code.length, end: index + all.length });
  return found;
};

/** Thirteen to nineteen digits, whatever stands between every two of them; more may follow. */
const DIGITS = /(?<![\p{L}\p{N}_.])\d(?:(?:[ -]|\s{1,2})?\d){12,27}/gu;

/** How much of a run of digits is a card: up to the end of a group. */
const cardLength = (run: string): number | undefined => {
  let digits = run.replace(/\D/g, '');
  for (let end = run.length; end > 0; end -= 1) {
    if (!/\d/.test(run[end - 1] ?? '')) continue;
    if (digits.length < 13) return undefined;
    const isGroupEnd = end === run.length || !/\d/.test(run[end] ?? '');
    if (isGroupEnd && isCard(digits)) return end;
    digits = digits.slice(0, -1);
  }
  return undefined;
};

const isCard = (digits: string): boolean => hasCardPrefix(digits) && luhn(digits);

/** By brand: first digits and length. */
const hasCardPrefix = (digits: string): boolean => {
  switch (digits.length) {
    case 14:
      return /^3(?:0[0-5]|[689])/.test(digits);
    case 15:
      return /^3[47]/.test(digits);
    case 16:
      return /^(?:[456]|3(?:0[0-5]|[5689])|2(?:2[2-9]|[3-6]|7[01]|720))/.test(digits);
    default:
      return digits.length > 16 && digits.length < 20 && /^[456]/.test(digits);
  }
};

const luhn = (digits: string): boolean => {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits[digits.length - 1 - place]);
    const value = place % 2 === 1 ? digit * 2 : digit;
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0 && !/^(\d)\1+$/.test(digits);
};

/** Groups of four, or none. */
const ACCOUNT = /(?<![\p{L}\p{N}])[A-Z]{2}\d{2}(?:[ -]?[A-Z\d]{4}){2,7}(?:[ -]?[A-Z\d]{1,4})?(?![\p{L}\p{N}])/giu;

/** How much of a run is an IBAN. */
const accountLength = (run: string): number | undefined => {
  for (let end = run.length; end > 0; end -= 1) {
    const isGroupEnd = end === run.length || /[ -]/.test(run[end] ?? '');
    if (!isGroupEnd || /[ -]/.test(run[end - 1] ?? '')) continue;
    const account = run.slice(0, end).replace(/[ -]/g, '').toUpperCase();
    if (account.length < 15) return undefined;
    if (account.length <= 34 && (account.match(/\d/g)?.length ?? 0) >= 10 && isAccount(account)) return end;
  }
  return undefined;
};

/** ISO 7064, MOD 97-10. */
const isAccount = (account: string): boolean => {
  let rest = 0;
  for (const letter of account.slice(4) + account.slice(0, 4)) {
    const value = Number.parseInt(letter, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
};

const CHECK_CODE =
  /\b(?:cvv2?|cvc2?|card security code|security code|prüfziffer|kartenprüfnummer)\b(?: is| ist)?[ :=#-]{1,3}(\d{3,4})(?!\d)/giu;
