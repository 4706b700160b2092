import type { Quantity } from './quantity.ts';
import { readNumber } from './read-number.ts';
import type { Around, Reader } from './reader.ts';
import { CURRENCIES, SCALES, UNITS } from './units.ts';

const NUMBER = String.raw`\d{1,3}(?:[,'’\u00a0\u202f]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)*`;
const SMALL = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];

const escaped = (words: Iterable<string>): string =>
  [...words]
    .toSorted((one, other) => other.length - one.length)
    .map((word) => word.replace(/[$/]/g, '\\$&'))
    .join('|');
const UNIT = escaped(UNITS.keys());
const MONEY = escaped(CURRENCIES.keys());
const SCALE = escaped(SCALES.keys());
const PERIOD = String.raw`(?:\s?(?:\/|per|an?|every|each)\s?(?<period>second|minute|hour|day|week|month|year|user|device|seat|unit))?`;
const RANGE_JOINT = String.raw`\s?(?:-|–|—|to|and|bis)\s?`;

/** For numbers written in digits, with what stands before and behind them: "€5 per month", "up to 30 days", "13 pieces". */
export const MEASURE_READER: Reader = {
  pattern: new RegExp(
    String.raw`(?=[\d$€£¥]|eur|usd|gbp|chf|jpy|btc)(?<![\p{L}\p{N}_.-])(?<front>${MONEY})?\s?(?:(?<low>${NUMBER})${RANGE_JOINT})?(?<number>${NUMBER})(?:\s?(?<scale>${SCALE})\b)?(?:[\s-]?(?:(?<degree>°\s?[cf]|degrees(?:\scelsius|\sfahrenheit)?)|(?<money>${MONEY})|(?<unit>${UNIT}))(?![\p{L}\p{N}]))?${PERIOD}`,
    'giu',
  ),
  read: (groups, around) => measureOf(groups, around),
};

/** For numbers written as words, with a unit: "three minutes". */
export const WORD_READER: Reader = {
  hint: /(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\s/i,
  pattern: new RegExp(String.raw`\b(?<word>${SMALL.slice(1).join('|')})\s(?<unit>${UNIT})\b`, 'gi'),
  read: ({ word = '', unit }, around) => measureOf({ number: String(SMALL.indexOf(word.toLowerCase())), unit }, around),
};

const measureOf = (
  groups: Record<string, string | undefined>,
  { before, after, whole }: Around,
): Quantity | undefined => {
  const { front, low, number = '', scale, degree, money, unit, period } = groups;
  const isBare = front === undefined && degree === undefined && money === undefined && unit === undefined;
  // The number of a name, a step or a kind ("8-pin", "5e") is part of what is spoken about.
  if (isBare && (KIND_AFTER.test(after) || LABEL_BEFORE.test(before))) return undefined;
  const [dimension, factor] = dimensionOf(groups, before);
  const size = factor * (SCALES.get(scale?.toLowerCase() ?? '') ?? 1);
  const isFahrenheit = /f/i.test(degree?.replace('degrees', '') ?? '');
  const baseOf = (value: number): number => (isFahrenheit ? ((value - 32) * 5) / 9 : value * size);
  const values = readNumber(number).map(baseOf);
  const decimals = /[.,](\d+)$/.exec(number)?.[1]?.length ?? 0;
  const lower = low === undefined ? undefined : readNumber(low).map(baseOf)[0];
  const word = BOUND_BEFORE.exec(before)?.[0] ?? '';
  const bound = lower === undefined ? boundOf(word.toLowerCase(), after) : 'range';
  return {
    text: `${word}${whole}`.trim(),
    dimension: period === undefined ? dimension : `${dimension}/${period.toLowerCase()}`,
    values: lower === undefined ? values : [lower],
    unit: (unit ?? money ?? front ?? degree ?? '').toLowerCase(),
    nouns: isBare ? nounsAfter(after) : [],
    step: size / 10 ** decimals,
    bound,
    ...(lower === undefined ? {} : { upTo: values[0] ?? lower }),
  };
};

const dimensionOf = (
  { front, degree, money, unit }: Record<string, string | undefined>,
  before: string,
): readonly [string, number] => {
  const currency = CURRENCIES.get((front ?? money ?? '').toLowerCase());
  if (currency !== undefined) return [`money ${currency}`, 1];
  if (degree !== undefined) return ['temperature', 1];
  const known = UNITS.get(unit?.toLowerCase() ?? '');
  if (known !== undefined) return known;
  return [/\bports?\s$/i.test(before) ? 'port' : 'count', 1];
};

/** Up to three words behind a count, as far as the phrase goes. */
const nounsAfter = (after: string): string[] => {
  const words = /^(?:\s[\p{L}-]+){1,3}/u.exec(after)?.[0].trim().toLowerCase().split(' ') ?? [];
  const end = words.findIndex((word) => PHRASE_ENDS.has(word));
  return (end < 0 ? words : words.slice(0, end))
    .map((word) => word.replace(/s$/, ''))
    .filter((word) => !GENERIC.has(word));
};

const PHRASE_ENDS = new Set(
  'in on at of for per by to from with and or is are was were has have can may will left available that which did do does'.split(
    ' ',
  ),
);
const GENERIC = new Set('unit piece item pc more new other total'.split(' '));

const boundOf = (word: string, after: string): Quantity['bound'] => {
  if (
    /up to|at most|maximum|max|less|under|below|no more|until|highest|within/.test(word) ||
    /^\s(?:or (?:less|fewer)|at most|maximum)\b/.test(after)
  )
    return 'most';
  if (
    /at least|minimum|min|more than|over|from|above|lowest|starting/.test(word) ||
    /^\s(?:or more|at least|minimum)\b|^\+/.test(after)
  )
    return 'least';
  return word === '' ? 'exact' : 'about';
};

const BOUND_BEFORE =
  /\b(?:up to|at most|at least|a (?:maximum|minimum) of|max\.?|min\.?|less than|fewer than|more than|no more than|under|below|over|above|starting (?:at|from)|about|around|approximately|approx\.?|roughly|nearly|almost|some|circa|ca\.|within)\s{1,3}(?:the\s)?$|[~≈]\s?$/i;

const KIND_AFTER = /^[-.]?\p{L}/u;

/** "Order 1042", "step 3", "iPhone 17": the number names something. */
const LABEL_BEFORE =
  /(?:#|\b(?:step|section|chapter|page|figure|table|article|order|ticket|invoice|case|phase|level|tier|room|gate|question|part|no\.?|nr\.?|number|id)\s|\p{L}*\p{Lu}\p{L}*\s(?<!\b(?:About|Only|Over|Under|Nearly|Exactly|Almost|Approximately|Around|Some|Roughly|To|At|In|By|Just|The|A|Is|Are|Port|Version|These|All|Every|And|Or|With|For|From|Than|Least|Most|Of|Has|Have|Holds|I|Yes|No)\s))$/u;
