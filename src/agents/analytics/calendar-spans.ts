/** Days that a text names on their own, from `from` to `to`, both included, as YYYY-MM-DD. */
export interface Span {
  from: string;
  to: string;
  /** `March 2026`, without a preposition. */
  name: string;
  preposition: string;
  start: number;
  end: number;
}

/** In milliseconds. */
const DAY_MS = 86_400_000;
const MONTHS = 'january february march april may june july august september october november december'.split(' ');
const MONTH = `(${MONTHS.map((month) => (month === 'may' ? 'may' : `${month.slice(0, 3)}(?:${month.slice(3)}|${month.slice(3, 4)})?`)).join('|')})`;
export const UNITS = '(day|week|month|quarter|year)';
/** Largest N of `the last N days`: about ten years. */
const MAX_COUNT: Readonly<Record<string, number>> = { day: 3660, week: 520, month: 120, quarter: 40, year: 10 };
export const NUMBERS = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');

/** The day of a time in milliseconds since 1970, in UTC. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
const dateOf = (year: number, month: number, day: number): string => dayOf(Date.UTC(year, month, day));
const isDay = (day: string): boolean => !Number.isNaN(Date.parse(day)) && dayOf(Date.parse(day)) === day;

type Reader = (match: RegExpExecArray, now: Date) => Pick<Span, 'from' | 'to' | 'name' | 'preposition'> | undefined;

/** The most specific first: a match that overlaps an earlier one is ignored. */
const READERS: readonly (readonly [RegExp, Reader])[] = [
  [/\b(\d{4}-\d{2}-\d{2})\b/g, ([, day = '']) => (isDay(day) ? oneDay(day) : undefined)],
  [
    new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${MONTH}\\.?,?(?: (20\\d{2}))?\\b`, 'g'),
    ([, day, month, year], now) => dayInMonth({ day, month, year }, now),
  ],
  [
    new RegExp(`\\b${MONTH}\\.? (\\d{1,2})(?:st|nd|rd|th)?(?:,? (20\\d{2}))?\\b`, 'g'),
    ([, month, day, year], now) => dayInMonth({ day, month, year }, now),
  ],
  [/\b(20\d{2})-(0[1-9]|1[0-2])\b(?!-)/g, ([, year, month]) => wholeMonth(Number(year), Number(month) - 1)],
  [
    new RegExp(`\\b${MONTH}\\.?,? (?:of )?(20\\d{2})\\b`, 'g'),
    ([, month, year]) => wholeMonth(Number(year), monthOf(month)),
  ],
  [
    /\b(?:q([1-4])|(first|second|third|fourth|1st|2nd|3rd|4th) quarter)(?:,? (?:of )?(20\d{2}))?\b/g,
    ([, digit, word = '', year], now) => {
      const quarter = digit ? Number(digit) - 1 : QUARTERS.findIndex((each) => each.includes(word));
      return wholeQuarter(year ? Number(year) : latestYear(now, 3 * quarter), quarter);
    },
  ],
  [/\b(today|yesterday)\b/g, ([, word = ''], now) => oneDay(dayOf(+now - (word === 'today' ? 0 : DAY_MS)))],
  [
    new RegExp(`\\b(?:last|past|previous) (\\d{1,15}|${NUMBERS.join('|')}) ${UNITS}s?\\b`, 'g'),
    ([, count = '', unit = ''], now) =>
      lastUnits(NUMBERS.includes(count) ? NUMBERS.indexOf(count) + 1 : Number(count), unit, now),
  ],
  [
    new RegExp(`\\b(this|current|last|past|previous) ${UNITS}\\b`, 'g'),
    ([, which = '', unit = ''], now) => unitAround(now, unit, /this|current/.test(which) ? 0 : -1),
  ],
  [/\b(?:year to date|ytd|so far this year)\b/g, (_match, now) => unitAround(now, 'year', 0)],
  [new RegExp(`\\b${MONTH}\\b`, 'g'), ([, month], now) => latestMonth(month, now)],
  [
    /\b(20\d{2})\b(?!-)/g,
    ([, year]) => ({ from: `${year}-01-01`, to: `${year}-12-31`, name: year ?? '', preposition: 'in' }),
  ],
];

const QUARTERS: readonly string[][] = [
  ['first', '1st'],
  ['second', '2nd'],
  ['third', '3rd'],
  ['fourth', '4th'],
];

/** Every day, week, month, quarter and year that a text in lower case names, and the last N of them, in text order. */
export const spansIn = (text: string, now: number): Span[] => {
  const spans: Span[] = [];
  for (const [pattern, read] of READERS) {
    for (const match of text.matchAll(pattern)) {
      const [start, end] = [match.index, match.index + match[0].length];
      if (spans.some((span) => start < span.end && span.start < end)) continue;
      // `may` is a month only after a word that dates follow.
      if (
        match[0] === 'may' &&
        !/\b(?:in|of|since|until|till|for|during|from|and|to|by|before|after|last|this) $/.test(text.slice(0, start))
      )
        continue;
      const found = read(match, new Date(now));
      if (found) spans.push({ ...found, start, end });
    }
  }
  return withYears(
    text,
    spans.sort((a, b) => a.start - b.start),
    now,
  );
};

const YEAR = /\b20\d{2}\b/;
const YEARLESS = new RegExp(`^(?:${MONTH}|q[1-4]|(?:first|second|third|fourth|1st|2nd|3rd|4th) quarter)$`);

/** A month or quarter without a year takes the year beside it: `January and February 2025`. */
const withYears = (text: string, spans: readonly Span[], now: number): Span[] => {
  const words = (span: Span): string => text.slice(span.start, span.end);
  return spans.map((span, place) => {
    if (!YEARLESS.test(words(span))) return span;
    const after = spans.slice(place + 1).find((each) => YEAR.test(words(each)));
    const before = spans.slice(0, place).findLast((each) => YEAR.test(words(each)));
    const [year] = YEAR.exec(words(after ?? before ?? span)) ?? [];
    const [dated] = year === undefined ? [] : spansIn(`${words(span)} ${year}`, now);
    return dated === undefined ? span : { ...dated, start: span.start, end: span.end };
  });
};

const monthOf = (word = ''): number => MONTHS.findIndex((month) => month.startsWith(word.slice(0, 3)));

/** The latest year in which the month has begun. */
const latestYear = (now: Date, month: number): number => now.getUTCFullYear() - (month > now.getUTCMonth() ? 1 : 0);

const titled = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const oneDay = (day: string) => ({ from: day, to: day, name: day, preposition: 'on' });

const dayInMonth = (
  { day, month, year }: { day?: string | undefined; month?: string | undefined; year?: string | undefined },
  now: Date,
) => {
  const place = monthOf(month);
  const date = dateOf(year ? Number(year) : latestYear(now, place), place, Number(day));
  return Number(date.slice(5, 7)) === place + 1 ? oneDay(date) : undefined;
};

const wholeMonth = (year: number, month: number) => ({
  from: dateOf(year, month, 1),
  to: dateOf(year, month + 1, 0),
  name: `${titled(MONTHS[month] ?? '')} ${year}`,
  preposition: 'in',
});

const wholeQuarter = (year: number, quarter: number) => ({
  from: dateOf(year, 3 * quarter, 1),
  to: dateOf(year, 3 * quarter + 3, 0),
  name: `Q${quarter + 1} ${year}`,
  preposition: 'in',
});

const latestMonth = (month: string | undefined, now: Date) => {
  const place = monthOf(month);
  return wholeMonth(latestYear(now, place), place);
};

/** The day, week, month, quarter or year that is `offset` away from the current one. */
const unitAround = (now: Date, unit: string, offset: number) => {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  if (unit === 'day') return oneDay(dayOf(+now + offset * DAY_MS));
  if (unit === 'month') {
    const first = new Date(Date.UTC(year, month + offset, 1));
    return wholeMonth(first.getUTCFullYear(), first.getUTCMonth());
  }
  if (unit === 'quarter') {
    const first = new Date(Date.UTC(year, 3 * (Math.floor(month / 3) + offset), 1));
    return wholeQuarter(first.getUTCFullYear(), first.getUTCMonth() / 3);
  }
  if (unit === 'year') {
    const whole = String(year + offset);
    return { from: `${whole}-01-01`, to: `${whole}-12-31`, name: whole, preposition: 'in' };
  }
  const monday = +now - ((now.getUTCDay() + 6) % 7) * DAY_MS + 7 * offset * DAY_MS;
  return {
    from: dayOf(monday),
    to: dayOf(monday + 6 * DAY_MS),
    name: `the week of ${dayOf(monday)}`,
    preposition: 'in',
  };
};

/** Days and weeks are counted back from today; of months and longer, the last N complete ones count. */
const lastUnits = (count: number, unit: string, now: Date) => {
  // The number stays in the question, where no parameter can take it.
  if (count < 1 || count > (MAX_COUNT[unit] ?? 0)) return undefined;
  const isRolling = unit === 'day' || unit === 'week';
  const days = unit === 'week' ? 7 * count : count;
  const from = isRolling ? dayOf(+now - (days - 1) * DAY_MS) : unitAround(now, unit, -count).from;
  const to = isRolling ? dayOf(+now) : unitAround(now, unit, -1).to;
  return { from, to, name: `the last ${count} ${unit}${count === 1 ? '' : 's'} (${from} to ${to})`, preposition: 'in' };
};

export const nextDay = (day: string): string => dayOf(Date.parse(day) + DAY_MS);

export const dayBefore = (day: string): string => dayOf(Date.parse(day) - DAY_MS);
