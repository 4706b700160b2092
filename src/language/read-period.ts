import {
  ALL_DAYS,
  dayAfter,
  dayOf,
  monthOrDay,
  type Period,
  type Unit,
  unitsAround,
} from './calendar.ts';
import { detectLanguage } from './detect-language.ts';
import { PERIOD_LANGUAGES, type PeriodWord, PLAIN, periodWordsOf } from './period-words.ts';

/** A word, or the words of a point as one item of type P. */
interface Item extends PeriodWord {
  /** The year that a point names alone (`2025`), or takes from another one (`March` in `March to May 2025`). */
  year?: 'alone' | 'borrowed' | undefined;
}

interface PeriodInText extends Period {
  /** Position in the text, in UTF-16 units, with the words that belong to it: `in`, `since`. */
  start: number;
  end: number;
}

/** `undefined` for a text without a period. */
export type PeriodReading = PeriodInText | undefined | 'several' | 'unclear';

/**
 * Reads the period that a text names in English, German, French or Spanish, in UTC: days, weeks from Monday, months, quarters, years, the
 * last N of them, what is open at one end, and ranges. A month or quarter without a year is the latest that has begun.
 *
 * Every word about time becomes one letter for its class, and patterns over these letters are the same for all languages. A run of such
 * words has to be read to its end: one that is not (`in the middle of March`, `31 February`, `yesterday evening`) is unclear, because
 * what remains changes which days are meant. So is a text that two languages read differently.
 *
 * @param now Milliseconds since 1970.
 * @returns `several` for periods that form no range, `unclear` when the days cannot be determined.
 */
export function readPeriod(text: string, now: number): PeriodReading {
  const detected = detectLanguage(text);
  const texts = PERIOD_LANGUAGES.map((language) => periodWordsOf(text, language));
  const covered = texts.map(lettersCovered);
  const candidates = texts.filter(
    (_, at) => covered[at] === Math.max(...covered) || PERIOD_LANGUAGES[at] === detected,
  );
  const [reading, ...others] = candidates.map((words) => readWords(words, now));
  // `mai` is a frequent word in Italian, but in `ventes de mai` it is read as May.
  const isForeign =
    isUnreadable(detected) &&
    candidates.every((words) => isUnreadable(detectLanguage(withoutMonths(text, words))));
  const isAgreed = others.every((other) => daysIn(other) === daysIn(reading));
  return isAgreed && (reading === undefined || !isForeign) ? reading : 'unclear';
}

const isUnreadable = (language: string | undefined): boolean =>
  language !== undefined && !PERIOD_LANGUAGES.includes(language);

const withoutMonths = (text: string, words: readonly PeriodWord[]): string =>
  words
    .filter(({ type }) => type === 'M')
    .reduce(
      (rest, { start, end }) => rest.slice(0, start) + ' '.repeat(end - start) + rest.slice(end),
      text,
    );

const lettersCovered = (words: readonly PeriodWord[]): number =>
  words.reduce((sum, { type, start, end }) => sum + (/[ k]/.test(type) ? 0 : end - start), 0);

const daysIn = (reading: PeriodReading): string | undefined =>
  typeof reading === 'object' ? `${reading.from} ${reading.to}` : reading;

/** Words about time without days: `three months ago`, `next month`, `within 3 months`. */
const UNCLEAR_ALONE = /[LlHp]Z|[LlHZOo]N?[UVW]|[pZB]N[UVW]|N[UVW][ZSXBAo]|[UVW][lZ]|[UVW]BL/;
const RANGE = /^[RFfS]?P[tX]P$|^[Rf]P&P$/;
const OPEN = /^([SABX])([Ee]?)P$/;

const readWords = (words: readonly PeriodWord[], now: number): PeriodReading => {
  const items = withPoints(words, now);
  if (items === undefined || items.some(({ type }) => /k/i.test(type))) return 'unclear';
  const readings = runsOf(items).map((run) =>
    run.some(({ type }) => type === 'P') ? readRun(run, dayOf(now)) : readUndated(run),
  );
  if (readings.includes('unclear')) return 'unclear';
  const [reading, ...others] = readings.filter((each) => each !== undefined);
  if (others.length > 0) return 'several';
  return typeof reading === 'object' ? withWordsBefore(reading, words) : reading;
};

const runsOf = (items: readonly Item[]): Item[][] => {
  const runs: Item[][] = [[]];
  for (const item of items) {
    if (item.type === PLAIN) runs.push([]);
    else runs.at(-1)?.push(item);
  }
  return runs;
};

const lettersOf = (run: readonly PeriodWord[]): string => run.map(({ type }) => type).join('');

const readUndated = (run: readonly PeriodWord[]): PeriodReading =>
  UNCLEAR_ALONE.test(lettersOf(run).replace(/g[UVW]/g, '')) ? 'unclear' : undefined;

/** The days of a run that has one of the forms, apart from words that change no days: groupings, counts, prepositions. */
const readRun = (run: readonly Item[], today: string): PeriodReading => {
  const form = lettersOf(run)
    // `in March excluding VAT`, and `until 3 May inclusive`, but not `before March inclusive`.
    .replace(/o[oipf]*$/, '')
    .replace(/^([^AB]*)i[oipf]*$/, '$1')
    .replace(/Xi/g, 'X')
    // `3 months to March` are a period of their own.
    .replace(/g[UVW]|N?(?<![LlHZOn])[UVW](?![SABXlZt])|F(?!P)/g, '')
    .replace(/(?<![tX&P])N(?![tX&P])|p/g, '')
    .replace(/[,&]+/g, '&')
    .replace(/^[t&]+|[gfFAB&]+$/g, '')
    // `in March to Germany`, but not `from March to now`.
    .replace(/^([^fRS].*)t$/, '$1');
  const points = run.filter(({ type }) => type === 'P');
  const [first, last] = [points[0], points.at(-1)];
  if (first?.days === undefined || last?.days === undefined) return 'unclear';
  if (hasShortUnit(run)) return 'unclear';
  const { days } = first;
  const span = { start: first.start, end: last.end };
  // `from March` is in March, but `from 3 May` is probably since.
  if (/^F?P$/.test(form) || (form === 'fP' && days.from < days.to)) return { ...days, ...span };
  // `March - 2025`: a range, or a month and its year.
  const isOneYear = first.year !== last.year && first.year !== undefined && last.year !== undefined;
  if (RANGE.test(form) && isOneYear) return 'unclear';
  if (RANGE.test(form) && days.from <= last.days.to)
    return { from: days.from, to: last.days.to, ...span };
  const open = openDays(form, { days, today });
  if (open !== undefined) return { ...open, ...span };
  return /^P(?:[&t]P)+$/.test(form) ? 'several' : 'unclear';
};

/**
 * Whether a unit is longer than what it names: `the week of 3 May`, but not `the week of 3 to 9 May`. A range that begins before the unit
 * (`from the week of 3 May to 9 May`) is not what it names.
 */
const hasShortUnit = (run: readonly Item[]): boolean =>
  run.some(({ unit }, at) => {
    const before = lettersOf(run.slice(0, at));
    const [form, end] = /^[RFf]?P([tX&]P)?/.exec(lettersOf(run.slice(at + 1))) ?? [];
    if (unit === undefined || form === undefined || before.endsWith('g')) return false;
    const [first, second] = run.slice(at).filter(({ type }) => type === 'P');
    const isRange = end !== undefined && (/^[RFf]/.test(form) || /^[pN]*$/.test(before));
    const to = (isRange ? second : first)?.days?.to ?? ALL_DAYS.from;
    return to < dayAfter(first?.days?.from ?? to, Math.floor(DAYS_IN[unit] - MAX_MISSING_DAYS));
  });

/** Days by which a unit may be shorter than it mostly is: a working week, a February. */
const MAX_MISSING_DAYS = 3;

/** `since January`, `before 2026`, `until the beginning of March`. */
const openDays = (
  form: string,
  { days: { from, to }, today }: { days: Period; today: string },
): Period | undefined => {
  const [, which, edge] = OPEN.exec(form) ?? [];
  if (which === undefined || (which === 'A' && edge === 'E')) return undefined;
  if (which === 'S' || which === 'A') {
    const start = edge === 'e' || which === 'A' ? dayAfter(to, 1) : from;
    return { from: start, to: start > today ? ALL_DAYS.to : today };
  }
  const isBefore = edge === 'E' || (which === 'B' && edge === '');
  return { from: ALL_DAYS.from, to: isBefore ? dayAfter(from, -1) : to };
};

/** With the words directly before that belong to a period: `in the`, `since the beginning of`. */
const withWordsBefore = (reading: PeriodInText, words: readonly PeriodWord[]): PeriodInText => {
  let at = words.findIndex(({ start }) => start === reading.start);
  while (/^[SABXRFfEepti]?$/.test(words[at - 1]?.type ?? PLAIN)) at -= 1;
  return { ...reading, start: words[at]?.start ?? reading.start };
};

/** Replaces the words of each point by one item of type P; `undefined` when a point names days that there are not. */
const withPoints = (all: readonly PeriodWord[], now: number): Item[] | undefined => {
  const words = all.filter(({ type }) => type !== '');
  const letters = lettersOf(words);
  const items: Item[] = [];
  for (const [at, word] of words.entries()) {
    if (word.start < (items.at(-1)?.end ?? 0)) continue;
    const point = pointAt(letters, at);
    if (point === undefined) {
      items.push(word);
      continue;
    }
    const form = letters.slice(at, at + point.length);
    let year: Item['year'] = form === 'Y' ? 'alone' : undefined;
    const days = point.read({
      word: (types) => words.slice(at, at + point.reach).find(({ type }) => types.includes(type)),
      now,
      yearFor: (month) => {
        const other = yearBeside(words, at);
        if (other !== undefined) year = 'borrowed';
        return other ?? latestYear(now, month);
      },
    });
    if (days === undefined) return undefined;
    const end = words[at + point.length - 1]?.end ?? word.end;
    items.push({ type: 'P', value: 0, days, year, start: word.start, end });
  }
  return items;
};

const pointAt = (letters: string, at: number) => {
  for (const [pattern, read] of POINTS) {
    pattern.lastIndex = at;
    const match = pattern.exec(letters);
    const length = match?.[0].length ?? 0;
    if (match !== null) return { read, length, reach: length + (match[1]?.length ?? 0) };
  }
  return undefined;
};

/** The year that another word names. */
const yearBeside = (words: readonly PeriodWord[], at: number): number | undefined => {
  const isYear = ({ type }: PeriodWord): boolean => type === 'Y' || type === 'I';
  return (words.slice(at).find(isYear) ?? words.slice(0, at).findLast(isYear))?.value;
};

/** The latest year in which the month has begun. */
const latestYear = (now: number, month: number): number => {
  const today = new Date(now);
  return today.getUTCFullYear() - (month > today.getUTCMonth() + 1 ? 1 : 0);
};

interface Point {
  /** Its first word of one of these types. */
  word: (types: string) => PeriodWord | undefined;
  now: number;
  /** The year of a month without one: that beside it (`January and February 2025`), else the latest in which it has begun. */
  yearFor: (month: number) => number;
}

type PointReader = (point: Point) => Period | undefined;

const readMonth: PointReader = ({ word, yearFor }) => {
  const month = word('M')?.value ?? 0;
  return monthOrDay(word('Y')?.value ?? yearFor(month), month, word('NnO')?.value);
};

const readQuarter: PointReader = ({ word, yearFor }) => {
  const month = 3 * (word('QnO')?.value ?? 0) - 2;
  const first = Date.UTC(word('Y')?.value ?? yearFor(month), month - 1, 1);
  return month > 12 ? undefined : unitsAround(first, { unit: 'quarter', offset: 0 });
};

/** By ISO 8601: the first week of a year has 4 January in it. */
const readWeek: PointReader = ({ word, yearFor }) => {
  const week = word('N')?.value ?? 0;
  const year = word('Y')?.value ?? yearFor(Math.ceil((week * 12) / 53));
  const days = unitsAround(Date.UTC(year, 0, 4), { unit: 'week', offset: week - 1 });
  return week < 1 || week > 53 ? undefined : days;
};

const DAYS_IN: Readonly<Record<Unit, number>> = {
  day: 1,
  week: 7,
  month: 30.5,
  quarter: 91.5,
  year: 366,
};
/** Longest time of `the last N days`: ten years. */
const MAX_DAYS = 3660;

/** Days and weeks are counted back from today; of months and longer, the last N complete ones count. */
const readLast: PointReader = ({ word, now }) => {
  const count = word('N')?.value ?? 0;
  const unit = word('UVW')?.unit ?? 'day';
  const days = DAYS_IN[unit] * count;
  if (count < 1 || days > MAX_DAYS) return undefined;
  return unit === 'day' || unit === 'week'
    ? unitsAround(now, { unit: 'day', offset: 1 - days, count: days })
    : unitsAround(now, { unit, offset: -count, count });
};

const readUnit: PointReader = ({ word, now }) =>
  unitsAround(now, { unit: word('UVW')?.unit ?? 'day', offset: word('H') === undefined ? -1 : 0 });

const readDay: PointReader = ({ word, now }) =>
  unitsAround(now, { unit: word('D')?.unit ?? 'day', offset: -(word('D')?.value ?? 0) });

const readYear: PointReader = ({ word }) =>
  unitsAround(Date.UTC(word('Y')?.value ?? 0, 0), { unit: 'year', offset: 0 });

/** Days that stand for themselves, the most specific first. */
const POINTS: readonly (readonly [RegExp, PointReader])[] = [
  [/I/y, ({ word }) => word('I')?.days],
  // The first day of `between 3 and 9 May`: the month follows.
  [/[Nn](?=([t&X,][Nn]M,?Y?))/y, readMonth],
  [/[NnO]M,?Y?|M[Nn],?Y?|M,?Y?/y, readMonth],
  [/[nO]V,?Y?|Q,?Y?/y, readQuarter],
  // The number of `the week of 3 to 9 May` belongs to the month.
  [/(?<!g)WN(?![t&X,][Nn]M),?Y?/y, readWeek],
  [/[Ll]N[UVW]|NL[UVW]/y, readLast],
  [/[LlH][UVW]|(?<!g)[UVW]l/y, readUnit],
  [/D/y, readDay],
  [/Y/y, readYear],
];
