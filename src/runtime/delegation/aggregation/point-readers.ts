import type { Quantity } from './quantity.ts';
import type { Reader } from './reader.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';

/** For what names a point rather than an amount: dates, times of day and versions, the most telling first. */
export const POINT_READERS: readonly Reader[] = [
  // Addresses, e-mail and the like hold digits that state nothing.
  {
    hint: /:\/\/|@|\d\.\d{1,3}\.\d/,
    pattern: /(?<gone>https?:\/\/\S+|\b[\w.+-]{1,64}@[\w-]{1,64}\.\S+|\b\d{1,3}(?:\.\d{1,3}){3}\b)/gi,
    read: () => undefined,
  },
  {
    hint: /\d-\d\d-\d/,
    pattern: /(?<![\w.-])(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})\b/g,
    read: ({ year, month, day }, { whole }) => dateOf([Number(year), Number(month), Number(day)], whole),
  },
  {
    hint: /\d\.\d{1,2}\.\d/,
    pattern: /\b(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})\b/g,
    read: ({ year, month, day }, { whole }) => dateOf([Number(year), Number(month), Number(day)], whole),
  },
  {
    hint: /jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec/i,
    pattern: new RegExp(
      String.raw`\b(?:(?<day>\d{1,2})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?)?(?<month>${MONTH})\.?(?:\s+(?<later>\d{1,2})(?:st|nd|rd|th)?(?!\d))?(?:,?\s+(?<year>\d{4}))?\b`,
      'gi',
    ),
    read: ({ day, month, later, year }, { whole }) =>
      (day ?? later ?? year) === undefined
        ? undefined
        : dateOf(
            [year, undefined, day ?? later].map((part, at) => (at === 1 ? monthOf(month) : Number(part ?? 0))),
            whole,
          ),
  },
  {
    hint: /(?:19|20)\d\d/,
    pattern: /(?<=\b(?:in|since|by|until|from|of|during|year|before|after)\s)(?<year>(?:19|20)\d{2})\b(?![.,]?\d)/gi,
    read: ({ year }, { whole }) => dateOf([Number(year), 0, 0], whole),
  },
  {
    hint: /\d:\d|\d\s?[ap]\.?m\b/i,
    pattern:
      /\b(?:(?<hour>\d{1,2}):(?<minute>\d{2})(?::\d{2})?(?:\s?(?<half>[ap]\.?m\b))?|(?<plain>\d{1,2})\s?(?<late>[ap]\.?m\b))/gi,
    read: ({ hour, minute, half, plain, late }, { whole }) =>
      pointOf('time of day', [minutesOf(Number(hour ?? plain), half ?? late) + Number(minute ?? 0)], whole),
  },
  {
    hint: /version|release|firmware|\bv|\d\.\d+\.\d/i,
    pattern:
      /\b(?:(?:versions?|release|firmware|v\.?)(?:\s+(?:is|was|of|number))?\s?(?<named>\d+(?:\.\d+){0,3})|(?<long>\d+\.\d+\.\d+))\b(?!\.?\w)/gi,
    read: ({ named, long }, { whole, after }) => ({
      ...pointOf('version', (named ?? long ?? '').split('.').map(Number), whole),
      bound: /^\s(?:or|and) (?:later|newer|higher|above)\b/.test(after) ? 'least' : 'exact',
    }),
  },
];

const dateOf = (parts: readonly (number | undefined)[], text: string): Quantity =>
  pointOf(
    'date',
    parts.map((part) => part ?? 0),
    text,
  );

const pointOf = (dimension: string, values: readonly number[], text: string): Quantity => ({
  text,
  dimension,
  values,
  unit: '',
  nouns: [],
  step: 0,
  bound: 'exact',
});

const monthOf = (name = ''): number => MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;

const minutesOf = (hour: number, half: string | undefined): number => {
  const isLate = half === undefined ? hour >= 12 : /^p/i.test(half);
  return ((hour % 12) + (isLate ? 12 : 0)) * 60;
};
