import { dayBefore, dayOf, nextDay, type Span, spansIn } from './calendar-spans.ts';
import { isUnclear, SINCE, UNTIL } from './unclear-period.ts';

/** Days from `from` to `to`, both included, as YYYY-MM-DD. */
export interface Period {
  from: string;
  to: string;
  /** As it stands in a sentence: `in March 2026`. */
  label: string;
}

export interface FoundPeriod extends Period {
  /** Where it stands in the question, in UTF-16 units. */
  start: number;
  end: number;
}

/** All days there are. */
export const ALL_DAYS: Period = { from: '0001-01-01', to: '9999-12-31', label: 'in all' };

/**
 * The period that a question names, in UTC: days (`yesterday`, `2026-05-01`, `3 May 2026`), weeks from Monday, months, quarters, years,
 * the last so many of them, and `since`, `until`, `between ... and`. A month or quarter without a year is the latest that has begun.
 *
 * @param now Milliseconds since 1970.
 * @returns `undefined` when there is none, `many` when there are several that do not make one, `unclear` when it is not known which
 *   days are meant: `in the middle of March`, `in the last 999 years`, `next month`.
 */
export const readPeriod = (question: string, now: number): FoundPeriod | undefined | 'many' | 'unclear' => {
  const text = question.toLowerCase();
  const spans = spansIn(text, now);
  const [first, second] = spans;
  if (isUnclear(text, spans)) return 'unclear';
  if (first === undefined) return undefined;
  if (second !== undefined) return spans.length === 2 ? (rangeOf(text, first, second) ?? 'many') : 'many';
  return openEnded(text, first, dayOf(now)) ?? withPreposition(text, first);
};

/** Each period that a question names, where they do not make one: `Q1 2026` and `Q1 2025`. None with an open end among them, or unclear ones. */
export const readPeriods = (question: string, now: number): FoundPeriod[] => {
  const text = question.toLowerCase();
  const spans = spansIn(text, now);
  const isOpen = spans.some((span) => openEnded(text, span, dayOf(now)) !== undefined);
  const isRange = spans.some((span, place) => {
    const before = spans[place - 1];
    return before !== undefined && RANGE.test(text.slice(before.end, span.start));
  });
  return isOpen || isRange || isUnclear(text, spans) ? [] : spans.map((span) => withPreposition(text, span));
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

/** `between March and May`, `from 2025 to 2026`; nothing when the two are not a range, or run backwards. */
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
