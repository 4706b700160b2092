/** Days from `from` to `to`, both included, as YYYY-MM-DD. */
interface Period {
  from: string;
  to: string;
  /** As it is worded in an answer: `in March 2026`. */
  label: string;
}

export interface FoundPeriod extends Period {
  /** Position in the question, in UTF-16 units. */
  start: number;
  end: number;
}

export const ALL_DAYS: Period = { from: '0001-01-01', to: '9999-12-31', label: 'so far' };

/**
 * Reads the period that a question names, in UTC: days (`yesterday`, `2026-05-01`, `3 May 2026`), weeks from Monday, months, quarters,
 * years, the last N of them, `since`, `until` and `between ... and`. A month or quarter without a year is the latest that has begun.
 *
 * @param now Milliseconds since 1970.
 * @returns `undefined` when there is none, `several` when there are several that do not form a range, `unclear` when the days cannot
 *   be determined: `in the middle of March`, `in the last 999 years`, `next month`.
 */
export function readPeriod(
  question: string,
  now: number,
): FoundPeriod | undefined | 'several' | 'unclear' {
  const text = question.toLowerCase();
  const spans = spansIn(text, now);
  const [first, second] = spans;
  if (isUnclear(text, spans)) return 'unclear';
  if (first === undefined) return undefined;
  if (second !== undefined)
    return spans.length === 2 ? (rangeOf(text, first, second) ?? 'several') : 'several';
  return openEnded(text, first, dayOf(now)) ?? withPreposition(text, first);
}

/** `since January`, `before 2026`, `until the beginning of March`. */
const openEnded = (text: string, span: Span, today: string): FoundPeriod | undefined => {
  const before = text.slice(0, span.start);
  const since = SINCE.exec(before);
  if (since) {
    const isAfter = since[2] === 'end' || (since[1] === 'after' && since[2] === undefined);
    const from = isAfter ? nextDay(span.to) : span.from;
    const label = `${isAfter ? 'after' : 'since'} ${span.name}`;
    return {
      from,
      to: from > today ? ALL_DAYS.to : today,
      label,
      start: since.index,
      end: span.end,
    };
  }
  const until = UNTIL.exec(before);
  if (!until) return undefined;
  const isStart = until[2] === 'beginning' || until[2] === 'start';
  const isBefore = isStart || (until[1] === 'before' && until[2] === undefined);
  const to = isBefore ? dayBefore(span.from) : span.to;
  const label = `${isBefore ? 'before' : 'until'} ${span.name}${until[2] === undefined ? '' : ` (to ${to})`}`;
  return { from: ALL_DAYS.from, to, label, start: until.index, end: span.end };
};

const RANGE = /^ ?(?:to|until|till|through|-|–) ?$/;

/** `between March and May`, `from 2025 to 2026`; `undefined` when the two are not a range or run backwards. */
const rangeOf = (text: string, first: Span, second: Span): FoundPeriod | undefined => {
  const opening = /\b(?:between|from) $/.exec(text.slice(0, first.start));
  const between = text.slice(first.end, second.start);
  if (!RANGE.test(between) && between !== ' and ') return undefined;
  if (!opening || second.to < first.from) return undefined;
  const label = `from ${first.name} to ${second.name}`;
  return { from: first.from, to: second.to, label, start: opening.index, end: second.end };
};

const withPreposition = (
  text: string,
  { from, to, name, preposition, start, end }: Span,
): FoundPeriod => {
  const before = /\b(?:in|on|during|for|of|over|within|throughout)(?: the)? $/.exec(
    text.slice(0, start),
  );
  return { from, to, label: `${preposition} ${name}`, start: before?.index ?? start, end };
};

/** Whether words around the spans change which days are meant in a way that is not supported. */
const isUnclear = (text: string, spans: readonly Span[]): boolean => {
  const isWithin = ({ index, 0: found }: RegExpMatchArray): boolean =>
    spans.some(({ start, end }) => start < (index ?? 0) + found.length && (index ?? 0) < end);
  if (
    UNCLEAR_PERIODS.some((pattern) => [...text.matchAll(pattern)].some((found) => !isWithin(found)))
  )
    return true;
  return spans.some((span, place) => {
    const before = text.slice(spans[place - 1]?.end ?? 0, span.start);
    // The first is a part of the second in `the last quarter of 2025` and `March last year`.
    if (place > 0 && /^ (?:(?:of|in) (?:the )?)?$/.test(before)) return true;
    if (UNCLEAR_OPEN_ENDED.some((pattern) => pattern.test(before))) return true;
    if (SINCE.test(before) || UNTIL.test(before)) return false;
    return (
      UNCLEAR_BEFORE.some((pattern) => pattern.test(before)) ||
      UNCLEAR_AFTER.test(text.slice(span.end))
    );
  });
};

/** What makes a period open-ended, where supported: `since the end of`, `until`. */
const SINCE =
  /\b(since|from|after|starting)(?: the)?(?: (?:very )?(beginning|start|end) of)?(?: the)? $/;
const UNTIL =
  /\b(until|till|before|up to|through)(?: the)?(?: (?:very )?(beginning|start|end) of)?(?: the)? $/;

const ORDINAL = '(?:first|second|third|fourth|fifth|last|final|next|\\d{1,2}(?:st|nd|rd|th))';

const NUMBERS = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');

const COUNT = `(?:\\d{1,15}|${NUMBERS.join('|')}|a few|few|a couple of|couple of|several|many|some)`;
const EDGE =
  '(?:beginning|start|end|middle|mid|half|halves|rest|remainder|part|parts|weekends?|early|late|later)';

/** Words before a period that change it in a way that is not read, open-ended forms aside. */
const UNCLEAR_BEFORE = [
  new RegExp(`\\b${EDGE}(?: of| in|-)?(?: the)? ?$`),
  new RegExp(
    `\\b${ORDINAL} (?:day|week|weekend|month|quarter|half|third|part)s? (?:of|in)(?: the)? $`,
  ),
  /\b(?:h[12]|fy|fiscal|fiscal year|financial year|tax year|spring|summer|autumn|fall|winter|christmas|easter) (?:of )?(?:the )?$/,
  /\b(?:prior to|(?:earlier|later|other|newer|older) than|around|about|outside|outside of|by|as of|towards?|except|not in|all but)(?: the)? $/,
];

const UNITS = '(day|week|month|quarter|year)';

/** `after the start of March` may mean any day of it; `two weeks before March` and `the month after` are not open-ended periods. */
const UNCLEAR_OPEN_ENDED = [
  /\bafter(?: the)?(?: very)? (?:beginning|start) of(?: the)? $/,
  /\bthrough(?: the)?(?: very)? (?:beginning|start) of(?: the)? $/,
  new RegExp(
    `\\b(?:the|${COUNT}|${ORDINAL}) ${UNITS}s? (?:right |just )?(?:since|from|after|until|till|before)(?: the)? $`,
  ),
  /\b(?:not|shortly|just|long|soon|right|immediately) (?:since|after|until|till|before)(?: the)? $/,
];
const UNCLEAR_AFTER =
  /^,? ?(?:(?:or|and) (?:later|earlier|before|after|since|newer|older|beyond|onwards?)|onwards?|ago|and on)\b/;
/** Periods whose days cannot be determined. */
const UNCLEAR_PERIODS = [
  new RegExp(
    `\\b(?:last|past|previous|first|next|coming|upcoming|following|final) ${COUNT} ${UNITS}s?\\b`,
    'g',
  ),
  new RegExp(`\\b(?:within|for|in|over|during)(?: the)? ${COUNT} ${UNITS}s?\\b`, 'g'),
  new RegExp(`\\b${COUNT} ${UNITS}s? (?:ago|before|after|earlier|later|since|from)\\b`, 'g'),
  new RegExp(
    `\\b(?:next|coming|upcoming|following) ${UNITS}\\b|\\btomorrow\\b|\\b${UNITS} before last\\b`,
    'g',
  ),
];

/** Days that a text names on their own, from `from` to `to`, both included, as YYYY-MM-DD. */
interface Span {
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
const MONTHS =
  'january february march april may june july august september october november december'.split(
    ' ',
  );
const MONTH = `(${MONTHS.map((month) => (month === 'may' ? 'may' : `${month.slice(0, 3)}(?:${month.slice(3)}|${month.slice(3, 4)})?`)).join('|')})`;

/** Largest N of `the last N days`: about ten years. */
const MAX_COUNT: Readonly<Record<string, number>> = {
  day: 3660,
  week: 520,
  month: 120,
  quarter: 40,
  year: 10,
};

/** The day of a time in milliseconds since 1970, in UTC. */
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
const dateOf = (year: number, month: number, day: number): string =>
  dayOf(Date.UTC(year, month, day));
const isDay = (day: string): boolean =>
  !Number.isNaN(Date.parse(day)) && dayOf(Date.parse(day)) === day;

type Reader = (
  match: RegExpExecArray,
  now: Date,
) => Pick<Span, 'from' | 'to' | 'name' | 'preposition'> | undefined;

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
  [
    /\b(20\d{2})-(0[1-9]|1[0-2])\b(?!-)/g,
    ([, year, month]) => wholeMonth(Number(year), Number(month) - 1),
  ],
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
  [
    /\b(today|yesterday)\b/g,
    ([, word = ''], now) => oneDay(dayOf(+now - (word === 'today' ? 0 : DAY_MS))),
  ],
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
    ([, year]) => ({
      from: `${year}-01-01`,
      to: `${year}-12-31`,
      name: year ?? '',
      preposition: 'in',
    }),
  ],
];

const QUARTERS: readonly string[][] = [
  ['first', '1st'],
  ['second', '2nd'],
  ['third', '3rd'],
  ['fourth', '4th'],
];

/** Every day, week, month, quarter and year that a text in lower case names, and the last N of them, in text order. */
const spansIn = (text: string, now: number): Span[] => {
  const spans: Span[] = [];
  for (const [pattern, read] of READERS) {
    for (const match of text.matchAll(pattern)) {
      const [start, end] = [match.index, match.index + match[0].length];
      if (spans.some((span) => start < span.end && span.start < end)) continue;
      // `may` is a month only after a word that dates follow.
      if (
        match[0] === 'may' &&
        !/\b(?:in|of|since|until|till|for|during|from|and|to|by|before|after|last|this) $/.test(
          text.slice(0, start),
        )
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
const YEARLESS = new RegExp(
  `^(?:${MONTH}|q[1-4]|(?:first|second|third|fourth|1st|2nd|3rd|4th) quarter)$`,
);

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

const monthOf = (word = ''): number =>
  MONTHS.findIndex((month) => month.startsWith(word.slice(0, 3)));

/** The latest year in which the month has begun. */
const latestYear = (now: Date, month: number): number =>
  now.getUTCFullYear() - (month > now.getUTCMonth() ? 1 : 0);

const titled = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const oneDay = (day: string) => ({ from: day, to: day, name: day, preposition: 'on' });

const dayInMonth = (
  {
    day,
    month,
    year,
  }: { day?: string | undefined; month?: string | undefined; year?: string | undefined },
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
  return {
    from,
    to,
    name: `the last ${count} ${unit}${count === 1 ? '' : 's'} (${from} to ${to})`,
    preposition: 'in',
  };
};

const nextDay = (day: string): string => dayOf(Date.parse(day) + DAY_MS);

const dayBefore = (day: string): string => dayOf(Date.parse(day) - DAY_MS);
