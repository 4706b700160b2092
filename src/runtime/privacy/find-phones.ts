import type { Found } from './mask-kind.ts';
import { isBehindOtherNumber } from './other-numbers.ts';

/**
 * Finds telephone numbers: international ones, national ones in the form that is usual in North America and with a leading zero
 * elsewhere, and what stands behind a word for telephones.
 */
export const findPhones = (text: string): Found[] => {
  if (!/\d{2}/.test(text)) return [];
  const found: Found[] = [];
  for (const { 0: run, index } of text.matchAll(CANDIDATE)) {
    const number = numberIn(text, run, index);
    if (number !== undefined) found.push({ kind: 'phone', start: index, end: index + number.length });
  }
  return found;
};

/** Digits in up to eight groups. A single line break may part them. */
const CANDIDATE =
  /(?<![\p{L}\p{N}_.:/@=-]|[\p{L}\p{N}][+])(?:\+ ?)?(?:\(\+?\d{1,5}\)[ -]?)?\d{1,15}(?:(?:[ .\-/]|[ -]{1,2}|\s?\(0?\d{0,4}\)\s?|\s\/\s|\n)\d{1,12}){0,7}(?![\p{L}\p{N}_]|[.,:]\d|-[\p{L}])/gu;

/** The telephone number that a run of digits begins with; undefined where it is none. */
const numberIn = (text: string, run: string, index: number): string | undefined => {
  const digits = run.replace(/\D/g, '');
  if (digits.length < 7 || digits.length > 16 || isOtherForm(run)) return undefined;
  if (isBehindOtherNumber(text, index)) return undefined;
  if (isCalled(text, index)) return run;
  if (/^(?:\+|\(\+)/.test(run)) return digits.length >= 8 && /^\D*[1-9]/.test(run) ? run : undefined;
  if (/^00[ -]?[1-9]/.test(run)) return digits.length >= 11 ? run : undefined;
  if (NORTH_AMERICAN.test(run) || BRACKETED.test(run)) return run;
  if (!/^\(?0[1-9]/.test(run)) return undefined;
  return /\D/.test(run)
    ? digits.length >= 9 && digits.length <= 13
      ? run
      : undefined
    : /^\d{10,11}$/.test(run)
      ? run
      : undefined;
};

/** A date, a time, an address of the Internet, a list of small numbers. */
const isOtherForm = (run: string): boolean =>
  /^\d{1,2}([./-])\d{1,2}\1(?:\d{4}|\d{2})(?!\d)/.test(run) ||
  /^\d{4}([./-])\d{1,2}\1\d{1,2}(?!\d)/.test(run) ||
  /^\d{1,3}(?:\.\d{1,3}){3}$/.test(run) ||
  (/^\d{1,3}(?:[ .]\d{3}){2,}$/.test(run) && !/^0/.test(run));

const NORTH_AMERICAN = /^(?:1[-. ])?(?:\([2-9]\d{2}\)[-. ]?|[2-9]\d{2}[-. /])[2-9]\d{2}[-. ]\d{4}$/;
const BRACKETED = /^\(0?\d{2,5}\) ?[-/]? ?\d{3,5}(?:[- ]?\d{2,5}){1,3}$/;

const isCalled = (text: string, at: number): boolean => CALLED.test(text.slice(Math.max(0, at - 60), at));

const CALLED =
  /(?<![\p{L}\p{N}])(?:tel|telephone|phone|call|calls|ring|mobile|cell|cellphone|whatsapp|signal|sms|text|fax|telefon\p{L}*|telef\p{L}*|handy\p{L}*|mobil\p{L}*|ruf\p{L}*|anruf\p{L}*|téléphon\p{L}*|tél|portable|appel\p{L}*|teléfono|móvil|celular|llám\p{L}*|cellulare|chiam\p{L}*|telefone|telemóvel|ligue|bel|dzwoni\p{L}*|komórk\p{L}*|ring|telefonnummer)\.?(?:[ \t]+(?:me|us|him|her|at|on|is|number|numbers|no|my|under|unter|an|au|al|en|sur|le|numéro|número|numero|nummer|nr|ist|est|es|è|to|back|mich|bitte|der|die|und|mij|op|pod|på))*\.?[ \t]{0,2}[:#=(]?[ \t]{0,2}$/iu;
