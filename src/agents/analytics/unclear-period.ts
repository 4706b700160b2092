import { NUMBERS, type Span, UNITS } from './calendar-spans.ts';

/** Whether the days that are meant are others than those of the spans, in a way that is not read. */
export const isUnclear = (text: string, spans: readonly Span[]): boolean => {
  const isWithin = ({ index, 0: found }: RegExpMatchArray): boolean =>
    spans.some(({ start, end }) => start < (index ?? 0) + found.length && (index ?? 0) < end);
  if (UNCLEAR_PERIODS.some((pattern) => [...text.matchAll(pattern)].some((found) => !isWithin(found)))) return true;
  return spans.some((span, place) => {
    const before = text.slice(spans[place - 1]?.end ?? 0, span.start);
    // `the last quarter of 2025`, `March last year`: the first is a part of the second.
    if (place > 0 && /^ (?:(?:of|in) (?:the )?)?$/.test(before)) return true;
    if (UNCLEAR_LIMIT.some((pattern) => pattern.test(before))) return true;
    if (SINCE.test(before) || UNTIL.test(before)) return false;
    return UNCLEAR_BEFORE.some((pattern) => pattern.test(before)) || UNCLEAR_AFTER.test(text.slice(span.end));
  });
};

/** What opens a period to one side, as far as it is read: `since the end of`, `until`. */
export const SINCE = /\b(since|from|after|starting)(?: the)?(?: (?:very )?(beginning|start|end) of)?(?: the)? $/;
export const UNTIL = /\b(until|till|before|up to|through)(?: the)?(?: (?:very )?(beginning|start|end) of)?(?: the)? $/;

const ORDINAL = '(?:first|second|third|fourth|fifth|last|final|next|\\d{1,2}(?:st|nd|rd|th))';
const COUNT = `(?:\\d{1,15}|${NUMBERS.join('|')}|a few|few|a couple of|couple of|several|many|some)`;
const EDGE = '(?:beginning|start|end|middle|mid|half|halves|rest|remainder|part|parts|weekends?|early|late|later)';

/** What stands before a period and makes it another one, unless it is a limit that is understood. */
const UNCLEAR_BEFORE = [
  new RegExp(`\\b${EDGE}(?: of| in|-)?(?: the)? ?$`),
  new RegExp(`\\b${ORDINAL} (?:day|week|weekend|month|quarter|half|third|part)s? (?:of|in)(?: the)? $`),
  /\b(?:h[12]|fy|fiscal|fiscal year|financial year|tax year|spring|summer|autumn|fall|winter|christmas|easter) (?:of )?(?:the )?$/,
  /\b(?:prior to|(?:earlier|later|other|newer|older) than|around|about|outside|outside of|by|as of|towards?|except|not in|all but)(?: the)? $/,
];
/** `after the start of March` may be any day of it; `two weeks before March` is no open end, and neither is `the month after`. */
const UNCLEAR_LIMIT = [
  /\bafter(?: the)?(?: very)? (?:beginning|start) of(?: the)? $/,
  /\bthrough(?: the)?(?: very)? (?:beginning|start) of(?: the)? $/,
  new RegExp(
    `\\b(?:the|${COUNT}|${ORDINAL}) ${UNITS}s? (?:right |just )?(?:since|from|after|until|till|before)(?: the)? $`,
  ),
  /\b(?:not|shortly|just|long|soon|right|immediately) (?:since|after|until|till|before)(?: the)? $/,
];
const UNCLEAR_AFTER =
  /^,? ?(?:(?:or|and) (?:later|earlier|before|after|since|newer|older|beyond|onwards?)|onwards?|ago|and on)\b/;
/** What would be a period if one knew which. */
const UNCLEAR_PERIODS = [
  new RegExp(`\\b(?:last|past|previous|first|next|coming|upcoming|following|final) ${COUNT} ${UNITS}s?\\b`, 'g'),
  new RegExp(`\\b(?:within|for|in|over|during)(?: the)? ${COUNT} ${UNITS}s?\\b`, 'g'),
  new RegExp(`\\b${COUNT} ${UNITS}s? (?:ago|before|after|earlier|later|since|from)\\b`, 'g'),
  new RegExp(`\\b(?:next|coming|upcoming|following) ${UNITS}\\b|\\btomorrow\\b|\\b${UNITS} before last\\b`, 'g'),
];
