import { dayBefore, dayOf, NUMBERS, nextDay, type Span, spansIn, UNITS } from './calendar-spans.ts';

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
export const readPeriod = (question: string, now: number): FoundPeriod | undefined | 'several' | 'unclear' => {
  const text = question.toLowerCase();
  const spans = spansIn(text, now);
  const [first, second] = spans;
  if (isUnclear(text, spans)) return 'unclear';
  if (first === undefined) return undefined;
  if (second !== undefined) return spans.length === 2 ? (rangeOf(text, first, second) ?? 'several') : 'several';
  return openEnded(text, first, dayOf(now)) ?? withPreposition(text, first);
};

/** `since January`, `before 2026`, `until the beginning of March`. */
const openEnded = (text: string, span: Span, today: string): FoundPeriod | undefined => {
  const before = text.slice(0, span.start);
  const since = SINCE.exec(before);
  if (since) {
    const isAfter = since[2] === 'end' || (since[1] === 'after' && since[2] === undefined);
    const from = isAfter ? nextDay(span.to) : span.from;
    const label = `${isAfter ? 'after' : 'since'} ${span.name}`;
    return { from, to: from > today ? ALL_DAYS.to : today, label, start: since.index, end: span.end };
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

const withPreposition = (text: string, { from, to, name, preposition, start, end }: Span): FoundPeriod => {
  const before = /\b(?:in|on|during|for|of|over|within|throughout)(?: the)? $/.exec(text.slice(0, start));
  return { from, to, label: `${preposition} ${name}`, start: before?.index ?? start, end };
};

/** Whether words around the spans change which days are meant in a way that is not supported. */
const isUnclear = (text: string, spans: readonly Span[]): boolean => {
  const isWithin = ({ index, 0: found }: RegExpMatchArray): boolean =>
    spans.some(({ start, end }) => start < (index ?? 0) + found.length && (index ?? 0) < end);
  if (UNCLEAR_PERIODS.some((pattern) => [...text.matchAll(pattern)].some((found) => !isWithin(found)))) return true;
  return spans.some((span, place) => {
    const before = text.slice(spans[place - 1]?.end ?? 0, span.start);
    // The first is a part of the second in `the last quarter of 2025` and `March last year`.
    if (place > 0 && /^ (?:(?:of|in) (?:the )?)?$/.test(before)) return true;
    if (UNCLEAR_OPEN_ENDED.some((pattern) => pattern.test(before))) return true;
    if (SINCE.test(before) || UNTIL.test(before)) return false;
    return UNCLEAR_BEFORE.some((pattern) => pattern.test(before)) || UNCLEAR_AFTER.test(text.slice(span.end));
  });
};

/** What makes a period open-ended, where supported: `since the end of`, `until`. */
const SINCE = /\b(since|from|after|starting)(?: the)?(?: (?:very )?(beginning|start|end) of)?(?: the)? $/;
const UNTIL = /\b(until|till|before|up to|through)(?: the)?(?: (?:very )?(beginning|start|end) of)?(?: the)? $/;

const ORDINAL = '(?:first|second|third|fourth|fifth|last|final|next|\\d{1,2}(?:st|nd|rd|th))';
const COUNT = `(?:\\d{1,15}|${NUMBERS.join('|')}|a few|few|a couple of|couple of|several|many|some)`;
const EDGE = '(?:beginning|start|end|middle|mid|half|halves|rest|remainder|part|parts|weekends?|early|late|later)';

/** Words before a period that change it in a way that is not read, open-ended forms aside. */
const UNCLEAR_BEFORE = [
  new RegExp(`\\b${EDGE}(?: of| in|-)?(?: the)? ?$`),
  new RegExp(`\\b${ORDINAL} (?:day|week|weekend|month|quarter|half|third|part)s? (?:of|in)(?: the)? $`),
  /\b(?:h[12]|fy|fiscal|fiscal year|financial year|tax year|spring|summer|autumn|fall|winter|christmas|easter) (?:of )?(?:the )?$/,
  /\b(?:prior to|(?:earlier|later|other|newer|older) than|around|about|outside|outside of|by|as of|towards?|except|not in|all but)(?: the)? $/,
];
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
  new RegExp(`\\b(?:last|past|previous|first|next|coming|upcoming|following|final) ${COUNT} ${UNITS}s?\\b`, 'g'),
  new RegExp(`\\b(?:within|for|in|over|during)(?: the)? ${COUNT} ${UNITS}s?\\b`, 'g'),
  new RegExp(`\\b${COUNT} ${UNITS}s? (?:ago|before|after|earlier|later|since|from)\\b`, 'g'),
  new RegExp(`\\b(?:next|coming|upcoming|following) ${UNITS}\\b|\\btomorrow\\b|\\b${UNITS} before last\\b`, 'g'),
];
