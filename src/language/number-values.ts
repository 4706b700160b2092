import NUMBER_WORDS from './number-words.json' with { type: 'json' };
import { withoutListNumbers } from './split-sentences.ts';
import { UNITS_OF_MEASUREMENT } from './units-of-measurement.ts';

/** A number as a text writes it, with every value that it may have: `1.440` is 1440 in German and 1.44 in English. */
export interface WrittenNumber {
  text: string;
  values: readonly string[];
  /** Canonical name of the unit behind it. */
  unit: string | undefined;
  /** With its unit, as written. */
  written: string;
}

/** Groups of three digits behind a space, and digits with points and commas; not within a code such as `E22`, but behind the `v` of a version. */
const NUMBER =
  /(?<![\p{N}_]|\p{sc=Latn}\p{sc=Latn}|(?![vV])[\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}])(?:\d{1,3}(?:[ \u00A0\u202F'’]\d{3})+(?![\d\p{L}])|\d+(?:[.,:]\d+)*)/gu;
const MAX_NUMBERS = 4000;

/** The numbers of a text in order, without the numbers of list items. Digits of all scripts are read. */
export function numbersIn(text: string): WrittenNumber[] {
  const plain = withoutListNumbers(inPlainDigits(text));
  return [...plain.matchAll(NUMBER)].slice(0, MAX_NUMBERS).map(({ 0: digits, index }) => {
    const end = index + digits.length;
    const [suffix = '', symbol = ''] = UNIT.exec(plain.slice(end, end + MAX_UNIT)) ?? [];
    const unit = UNITS_OF_MEASUREMENT.get(symbol.toLowerCase())?.[0];
    const written = unit === undefined ? digits : digits + suffix;
    return { text: digits, values: valuesOf(digits), unit, written };
  });
}

/** A unit behind a number, which may have an ending: `20th`, `12 V`, `30-day`. */
const UNIT = /^(?:st|nd|rd|th|s)?[\s\u00A0\u202F-]?(°[cf]|%|[mgt]h\/s|\p{L}{1,12})(?!\p{L})/iu;
const MAX_UNIT = 20;

/** The numbers of a text that no other text has, or has only with another unit. */
export function missingNumbers(text: string, texts: readonly string[]): WrittenNumber[] {
  const numbers = numbersIn(text);
  if (numbers.length === 0) return [];
  const unitsOf = new Map<string, Set<string | undefined>>();
  for (const { values, unit } of texts.flatMap(numbersIn))
    for (const value of values) unitsOf.set(value, (unitsOf.get(value) ?? new Set()).add(unit));
  const spelled = valuesIn(texts);
  return numbers.filter(({ values, unit }) => {
    if (unit === undefined) return !values.some((value) => spelled.has(value));
    const units = values.flatMap((value) => [...(unitsOf.get(value) ?? [])]);
    return !units.some((other) => other === undefined || other === unit);
  });
}

/** `１２`, `١٢` and `१२` as `12`. */
const inPlainDigits = (text: string): string => text.replace(/(?![0-9])\p{Nd}/gu, digitOf);

const digitOf = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0;
  // The digits of a script stand together, from its zero on.
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(code - zero);
};

/** Every value that a number in digits may have. */
export function valuesOf(written: string): string[] {
  const plain = written.replace(/[ \u00A0\u202F'’]/g, '');
  const marks = plain.match(/[.,]/g) ?? [];
  const last = marks.at(-1);
  // With a colon, or with the same mark around groups of other lengths: a time, a version, an address.
  if (plain.includes(':')) return [plain];
  if (last === undefined) return [numericValue(plain)];
  const isGrouped = /^\d{1,3}(?:[.,]\d{3})+$/.test(plain) && new Set(marks).size === 1;
  const decimal = `${plain.slice(0, plain.lastIndexOf(last)).replace(/[.,]/g, '')}.${plain.slice(plain.lastIndexOf(last) + 1)}`;
  if (marks.length === 1)
    return [
      ...new Set([
        ...(isGrouped ? [numericValue(plain.replace(/[.,]/g, ''))] : []),
        numericValue(decimal),
      ]),
    ];
  if (isGrouped) return [numericValue(plain.replace(/[.,]/g, '')), plain];
  const isNumber = /^\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*(?!\1)[.,]\d+$/.test(plain);
  return [isNumber ? numericValue(decimal) : plain];
}

const numericValue = (digits: string): string => {
  const value = Number(digits);
  return Number.isSafeInteger(Math.floor(value)) ? String(value) : digits;
};

/** Every value of the numbers of texts, and of small numbers in words. */
export function valuesIn(texts: readonly string[]): ReadonlySet<string> {
  const values = new Set<string>();
  for (const text of texts) {
    for (const number of numbersIn(text)) for (const value of number.values) values.add(value);
    for (const word of wordsIn(text)) {
      const value = numberOfWord(word);
      if (value !== undefined) values.add(String(value));
    }
  }
  return values;
}

/** The small number that a word in lower case means in one of the languages. */
export function numberOfWord(word: string): number | undefined {
  words ??= new Map(
    Object.values(NUMBER_WORDS).flatMap((list) =>
      list.split(' ').map((each, value) => [each, value]),
    ),
  );
  return words.get(word);
}
let words: ReadonlyMap<string, number> | undefined;

/** Languages whose words for numbers are read. */
export const NUMBER_LANGUAGES: readonly string[] = Object.keys(NUMBER_WORDS);

/** In scripts whose words are not spaced, each character may be a number. */
const wordsIn = (text: string): string[] =>
  text.toLowerCase().match(/\p{sc=Han}|[\p{L}\p{M}]+/gu) ?? [];

/** The numbers of the months that texts name. */
export function monthsIn(texts: readonly string[]): ReadonlySet<string> {
  months ??= new Map(NUMBER_LANGUAGES.flatMap((language) => [...monthsOf(language)]));
  const values = new Set<string>();
  for (const text of texts)
    for (const word of wordsIn(text)) {
      const month = months.get(word);
      if (month !== undefined) values.add(String(month));
    }
  return values;
}
let months: ReadonlyMap<string, number> | undefined;

/** The numbers of the months of a language, 1 to 12, by their names and short names in lower case. */
const monthsOf = (language: string): ReadonlyMap<string, number> => {
  const names = new Map<string, number>();
  for (const month of ['long', 'short'] as const) {
    const format = new Intl.DateTimeFormat(language, { month, day: 'numeric', timeZone: 'UTC' });
    for (let at = 0; at < 12; at += 1) {
      const parts = format.formatToParts(new Date(Date.UTC(2000, at, 15)));
      const part = parts.find(({ type }) => type === 'month')?.value ?? '';
      const name = part.toLowerCase().replace(/\.$/, '');
      if (/^\p{L}+$/u.test(name)) names.set(name, at + 1);
    }
  }
  return names;
};

/** The words for 0 to 12 in a language; none for one without a list. */
export function numberWordsOf(language: string): readonly string[] {
  return (
    Object.entries(NUMBER_WORDS)
      .find(([tag]) => tag === language)?.[1]
      .split(' ') ?? []
  );
}

/** Factors between units of time, shares and thousands, which a sum may use without a source. */
export const UNIT_FACTORS = [7, 12, 24, 30, 60, 100, 365, 1000] as const;
const MAX_OPERANDS = 40;

/** Whether a value is a factor between units. */
export function isUnitFactor(value: string): boolean {
  return UNIT_FACTORS.some((factor) => factor === Number(value));
}

/**
 * How a number follows from others: `2 × 48`.
 *
 * @param operands What may be used, as values.
 * @returns Undefined when no sum, difference, product or quotient of two gives it.
 */
export function sumFor(
  { text, values }: WrittenNumber,
  operands: Iterable<string>,
): string | undefined {
  const known = [...new Set(operands)]
    .map(Number)
    .filter((value) => Number.isFinite(value))
    .slice(0, MAX_OPERANDS);
  const decimals = /[.,](\d+)$/.exec(text)?.[1]?.length ?? 0;
  const isResult = (result: number): boolean =>
    values.some(
      (value) => Math.abs(Number(value) - result) < (decimals > 0 ? 0.51 * 10 ** -decimals : 1e-9),
    );
  for (const one of known)
    for (const other of [...known, ...UNIT_FACTORS]) {
      if (isResult(one * other)) return `${one} × ${other}`;
      if (isResult(one + other) && known.includes(other)) return `${one} + ${other}`;
      if (isResult(one - other) && known.includes(other)) return `${one} − ${other}`;
      if (other !== 0 && isResult(one / other)) return `${one} ÷ ${other}`;
    }
  return undefined;
}
