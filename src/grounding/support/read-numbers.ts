export type NumberKind = 'year' | 'decade' | 'ordinal' | 'percent' | 'money' | 'plain';

interface ReadNumber {
  text: string;
  key: string;
  kind: NumberKind;
  value: number;
}

/** Reads the number that stands as `run` at `index` of a sentence; what stands around it tells its kind. */
export const numberInDigits = (run: string, sentence: string, index: number): ReadNumber => {
  const text = run.toLowerCase();
  const digits = text.replace(/(?:st|nd|rd|th|s)$/, '');
  const before = sentence.slice(Math.max(0, index - 3), index);
  const kind = kindOf(text, digits, before, sentence.slice(index + run.length, index + run.length + 10));
  const sign = /(?:^|[\s(])[-−]$/.test(before) ? '-' : '';
  const key = `${sign}${canonical(digits, kind)}`;
  return { text, key: `#${key}`, kind, value: Number.parseFloat(key) };
};

const kindOf = (text: string, digits: string, before: string, after: string): NumberKind => {
  if (/^\s?(?:%|per ?cent)/.test(after)) return 'percent';
  if (/[$€£¥]\s?$/.test(before)) return 'money';
  if (/(?:st|nd|rd|th)$/.test(text)) return 'ordinal';
  if (text.endsWith('s')) return 'decade';
  return /^(?:1\d|20)\d\d$/.test(digits) ? 'year' : 'plain';
};

/** `1,299.00`, `1299.0` and `1299` are one number, and so are the amounts `50.10` and `50.1`; versions keep their parts. */
const canonical = (digits: string, kind: NumberKind): string => {
  const plain = digits.replace(/,(?=\d{3}(?:\D|$))/g, '').replace(/^0+(?=\d)/, '');
  const whole = plain.replace(/^(\d+)\.0+$/, '$1');
  return kind === 'money' ? whole.replace(/^(\d+\.\d)0$/, '$1') : whole;
};

export const isNumberWord = (text: string): boolean => VALUES.has(text);

/** Reads a number word; a `million` after a number multiplies it, and replaces it. */
export const numberInWords = (text: string, before: { value?: number; kind?: NumberKind } | undefined) => {
  const own = VALUES.get(text) ?? 0;
  const isMultiplied = MULTIPLIERS.has(text) && before?.value !== undefined;
  const value = isMultiplied ? (before?.value ?? 1) * own : own;
  const kind: NumberKind = ORDINALS.includes(text)
    ? 'ordinal'
    : isMultiplied && before?.kind === 'money'
      ? 'money'
      : 'plain';
  return { key: `#${value}`, value, kind, isMultiplied };
};

const CARDINALS =
  'zero - two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const ORDINALS =
  '- first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth'.split(
    ' ',
  );
const TENS = '- - twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const MULTIPLIERS: ReadonlyMap<string, number> = new Map([
  ['dozen', 12],
  ['hundred', 100],
  ['thousand', 1e3],
  ['million', 1e6],
  ['billion', 1e9],
  ['trillion', 1e12],
]);

/** `one` is left out: it mostly counts nothing. */
const VALUES: ReadonlyMap<string, number> = new Map([
  ...CARDINALS.map((word, at): [string, number] => [word, at]),
  ...ORDINALS.map((word, at): [string, number] => [word, at]),
  ...TENS.map((word, at): [string, number] => [word, at * 10]),
  ...MULTIPLIERS,
  ['half', 0.5],
  ['twice', 2],
  ['double', 2],
]);
