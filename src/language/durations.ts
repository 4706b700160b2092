import { NUMBER_LANGUAGES, numberOfWord, valuesOf } from './number-values.ts';
import { BORDERED } from './spaced-words.ts';

/** A length of time that a text states. */
interface Duration {
  /** Its number as written; empty for one in words, or for none ("a month"). */
  digits: string;
  /** From and to, in days: a month has 28 to 31. */
  days: readonly [number, number];
  /** Undefined for what is shorter than a month. */
  months: number | undefined;
}

/** Units of time by their names in `Intl`, in days. */
const DAYS: Readonly<Record<string, readonly [number, number]>> = {
  second: [1 / 86_400, 1 / 86_400],
  minute: [1 / 1440, 1 / 1440],
  hour: [1 / 24, 1 / 24],
  day: [1, 1],
  week: [7, 7],
  month: [28, 31],
  year: [365, 366],
};
const MONTHS: Readonly<Record<string, number>> = { month: 1, year: 12 };
/** Amounts that have, together, every plural form of the languages. */
const AMOUNTS = [0, 1, 2, 5, 11, 1.5];
/** For rounded shares of a day. */
const TOLERANCE = 1e-6;

/** Whether a number of a text is a length of time that another text states in another unit: 30 days for "a month". */
export function statesSameTime(digits: string, text: string, others: readonly string[]): boolean {
  const own = durationsIn(text).filter((each) => each.digits === digits);
  if (own.length === 0) return false;
  const stated = others.flatMap(durationsIn);
  return own.some((one) => stated.some((other) => isSame(one, other)));
}

const isSame = (one: Duration, other: Duration): boolean =>
  one.months !== undefined && other.months !== undefined
    ? one.months === other.months
    : one.days[0] <= other.days[1] + TOLERANCE && other.days[0] <= one.days[1] + TOLERANCE;

const durationsIn = (text: string): Duration[] => {
  units ??= unitsByName();
  pattern ??= patternOf([...units.keys()]);
  return [...text.toLowerCase().matchAll(pattern)].flatMap(
    ([, digits = '', word = '', name = '']) => {
      const amounts =
        digits === '' ? [numberOfWord(word.trim()) ?? 1] : valuesOf(digits).map(Number);
      return (units?.get(name) ?? []).flatMap((unit) =>
        amounts.map((amount) => durationOf(amount, unit, digits)),
      );
    },
  );
};

const durationOf = (amount: number, unit: string, digits: string): Duration => {
  const [from, to] = DAYS[unit] ?? [0, 0];
  const months = MONTHS[unit];
  return {
    digits,
    days: [from * amount, to * amount],
    months: months === undefined ? undefined : months * amount,
  };
};

/** By each name of a unit in lower case, as CLDR has it (`days`, `Tage`, `天`): the units with this name. */
let units: ReadonlyMap<string, readonly string[]> | undefined;

const unitsByName = (): ReadonlyMap<string, readonly string[]> => {
  const names = NUMBER_LANGUAGES.flatMap((language) =>
    Object.keys(DAYS).flatMap((unit) =>
      [
        ...namesOf(unit, { language, unitDisplay: 'long' }),
        ...namesOf(unit, { language, unitDisplay: 'short' }),
        // Symbols of one letter are those of settings (`30d`); those of other languages collide with them.
        ...(language === 'en' ? namesOf(unit, { language, unitDisplay: 'narrow' }) : []),
      ].map((name) => ({ name, unit })),
    ),
  );
  return new Map(
    [...Map.groupBy(names, ({ name }) => name)].map(([name, own]) => [
      name,
      [...new Set(own.map(({ unit }) => unit))],
    ]),
  );
};

const namesOf = (
  unit: string,
  { language, unitDisplay }: { language: string; unitDisplay: 'long' | 'short' | 'narrow' },
): string[] => {
  const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay });
  const names = AMOUNTS.map((amount) =>
    format
      .formatToParts(amount)
      .find(({ type }) => type === 'unit')
      ?.value.toLowerCase(),
  );
  return [...new Set(names)].filter((name) => name !== undefined);
};

/** A number in digits or a word, and a unit; a name of one or two letters is a unit behind digits alone. */
let pattern: RegExp | undefined;

const patternOf = (names: readonly string[]): RegExp => {
  const any = (own: readonly string[]): string =>
    own
      .toSorted((one, other) => other.length - one.length)
      .map((name) => name.replaceAll('.', '\\.'))
      .join('|');
  const long = names.filter((name) => name.length > 2 || /\p{sc=Han}|\p{sc=Hang}/u.test(name));
  return new RegExp(
    `(?<!${BORDERED})(?:(\\d[\\d.,]*)[\\s\\u00A0\\u202F-]?(?=(?:${any(names)})(?!${BORDERED}))|(\\p{sc=Han}|[\\p{L}\\p{M}]{1,20}[\\s-])?(?=(?:${any(long)})(?!${BORDERED})))(${any(names)})`,
    'gu',
  );
};
