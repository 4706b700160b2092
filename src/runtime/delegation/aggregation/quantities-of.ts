/** A number with what it counts, in a form that can be compared. */
export interface Quantity {
  /** As written: "up to 30 days". */
  text: string;
  /** What can be compared: `time`, `money EUR`, `money EUR/month`, `date`, `version`, `count`. */
  dimension: string;
  /** In the base unit of the dimension; several where the writing is ambiguous ("1.234"). Parts of a version or date in order. */
  values: readonly number[];
  unit: string;
  /** What is counted, in words that may stand between: `new`, `projects`. Empty for anything but counts. */
  nouns: readonly string[];
  /** Smallest step of the number as written, in the base unit: 0.1 for "12.4". */
  step: number;
  bound: 'exact' | 'about' | 'most' | 'least' | 'range';
  /** The upper end of a range. */
  upTo?: number;
}

/** Numbers of one statement that are read at most. */
const MAX_QUANTITIES = 20;

/**
 * Reads the quantities of one statement: amounts of money, percentages, measures, durations, dates, times of day,
 * versions, and counts of things. Numbers that belong to a name (`iPhone 17`, `step 3`) are no quantities.
 *
 * @returns `rest` is the statement with blanks in their place.
 */
export const quantitiesOf = (statement: string): { quantities: Quantity[]; rest: string } => {
  const found: Quantity[] = [];
  let rest = statement;
  for (const { pattern, hint, read } of HAS_DIGIT.test(statement) ? READERS : WORD_READERS) {
    if (hint?.test(rest) === false) continue;
    rest = rest.replace(pattern, (...match: unknown[]) => {
      const groups = match.at(-1) as Record<string, string | undefined>; // named groups come last
      const at = match.at(-3) as number; // before them the whole text, and the place of the match
      const whole = String(match[0]);
      const quantity = read(groups, { before: rest.slice(0, at), after: rest.slice(at + whole.length), whole });
      if (quantity === undefined) return groups.gone === undefined ? whole : ' '.repeat(whole.length);
      found.push(quantity);
      return ' '.repeat(whole.length);
    });
  }
  return { quantities: found.slice(0, MAX_QUANTITIES), rest };
};

interface Around {
  before: string;
  after: string;
  whole: string;
}

interface Reader {
  pattern: RegExp;
  /** Without this there is nothing to find; a cheap look first. */
  hint?: RegExp;
  read: (groups: Record<string, string | undefined>, around: Around) => Quantity | undefined;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';
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

/** Unit as written -> dimension, and how many base units it is. */
const UNITS = new Map<string, readonly [string, number]>(
  Object.entries({
    time: 'ms 0.001 millisecond 0.001 milliseconds 0.001 s 1 sec 1 secs 1 second 1 seconds 1 min 60 mins 60 minute 60 minutes 60 h 3600 hr 3600 hrs 3600 hour 3600 hours 3600 day 86400 days 86400 week 604800 weeks 604800 month 2629800 months 2629800 year 31557600 years 31557600',
    size: 'kb 1e3 kib 1024 mb 1e6 mib 1048576 gb 1e9 gib 1073741824 tb 1e12 tib 1099511627776 bytes 1 byte 1',
    length:
      'mm 0.001 cm 0.01 m 1 km 1000 metre 1 metres 1 meter 1 meters 1 kilometres 1000 kilometers 1000 inch 0.0254 inches 0.0254 ft 0.3048 feet 0.3048 miles 1609.344 mile 1609.344',
    mass: 'mg 0.001 g 1 kg 1000 grams 1 gram 1 kilograms 1000 kilogram 1000 lb 453.592 lbs 453.592 pounds 453.592 oz 28.3495',
    volume: 'ml 0.001 l 1 litre 1 litres 1 liter 1 liters 1',
    power: 'w 1 watt 1 watts 1 kw 1000',
    energy: 'wh 1 kwh 1000',
    voltage: 'v 1 volt 1 volts 1 kv 1000',
    current: 'ma 0.001 amp 1 amps 1 ampere 1',
    frequency: 'hz 1 khz 1e3 mhz 1e6 ghz 1e9',
    speed: 'kbit/s 1e3 mbit/s 1e6 gbit/s 1e9 kbps 1e3 mbps 1e6 gbps 1e9',
    hashes: 'kh/s 1e3 mh/s 1e6 gh/s 1e9 th/s 1e12 ph/s 1e15',
    noise: 'db 1 decibels 1',
    share: '% 1 percent 1',
    pixels: 'px 1 pixels 1 pixel 1',
  }).flatMap(([dimension, list]) => {
    const words = list.split(' ');
    return words.flatMap((word, at) => (at % 2 === 0 ? [[word, [dimension, Number(words[at + 1])]] as const] : []));
  }),
);

const CURRENCIES = new Map(
  Object.entries({
    '€': 'EUR',
    eur: 'EUR',
    euro: 'EUR',
    euros: 'EUR',
    $: 'USD',
    usd: 'USD',
    dollar: 'USD',
    dollars: 'USD',
    '£': 'GBP',
    gbp: 'GBP',
    chf: 'CHF',
    '¥': 'JPY',
    jpy: 'JPY',
    yen: 'JPY',
    btc: 'BTC',
  }),
);
const SCALES = new Map(Object.entries({ k: 1e3, thousand: 1e3, million: 1e6, mio: 1e6, billion: 1e9, bn: 1e9 }));

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

const dateOf = (parts: readonly (number | undefined)[], text: string): Quantity => ({
  text,
  dimension: 'date',
  values: parts.map((part) => part ?? 0),
  unit: '',
  nouns: [],
  step: 0,
  bound: 'exact',
});

const monthOf = (name = ''): number => MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;

const HAS_DIGIT = /\d/;

/** For numbers written as words. */
const WORD_READERS: readonly Reader[] = [
  {
    pattern: new RegExp(String.raw`\b(?<word>${SMALL.slice(1).join('|')})\s(?<unit>${UNIT})\b`, 'gi'),
    read: ({ word = '', unit }, around) =>
      measureOf({ number: String(SMALL.indexOf(word.toLowerCase())), unit }, around),
  },
];

const READERS: readonly Reader[] = [
  // Addresses, e-mail and the like hold digits that state nothing.
  {
    pattern: /(?<gone>https?:\/\/\S+|\b[\w.+-]{1,64}@[\w-]{1,64}\.\S+|\b\d{1,3}(?:\.\d{1,3}){3}\b)/gi,
    read: () => undefined,
  },
  {
    pattern: /\b(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})\b/g,
    read: ({ year, month, day }, { whole }) => dateOf([Number(year), Number(month), Number(day)], whole),
  },
  {
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
    pattern: /(?<=\b(?:in|since|by|until|from|of|during|year|before|after)\s)(?<year>(?:19|20)\d{2})\b(?![.,]?\d)/gi,
    read: ({ year }, { whole }) => dateOf([Number(year), 0, 0], whole),
  },
  {
    pattern:
      /\b(?:(?<hour>\d{1,2}):(?<minute>\d{2})(?::\d{2})?(?:\s?(?<half>[ap]\.?m\b))?|(?<plain>\d{1,2})\s?(?<late>[ap]\.?m\b))/gi,
    read: ({ hour, minute, half, plain, late }, { whole }) => ({
      text: whole,
      dimension: 'time of day',
      values: [
        ((Number(hour ?? plain) % 12) +
          (Number(hour ?? plain) >= 12 && (half ?? late) === undefined ? 12 : 0) +
          (/^p/i.test(half ?? late ?? '') ? 12 : 0)) *
          60 +
          Number(minute ?? 0),
      ],
      unit: '',
      nouns: [],
      step: 0,
      bound: 'exact',
    }),
  },
  {
    pattern:
      /\b(?:(?:versions?|release|firmware|v\.?)(?:\s+(?:is|was|of|number))?\s?(?<named>\d+(?:\.\d+){0,3})|(?<long>\d+\.\d+\.\d+))\b/gi,
    read: ({ named, long }, { whole }) => ({
      text: whole,
      dimension: 'version',
      values: (named ?? long ?? '').split('.').map(Number),
      unit: '',
      nouns: [],
      step: 0,
      bound: 'exact',
    }),
  },
  {
    pattern: new RegExp(
      String.raw`(?<![\p{L}\p{N}_.-])(?=[\d$€£¥]|eur|usd|gbp|chf|jpy|btc)(?<front>${MONEY})?\s?(?:(?<low>${NUMBER})${RANGE_JOINT})?(?<number>${NUMBER})(?:\s?(?<scale>${SCALE})\b)?(?:[\s-]?(?:(?<degree>°\s?[cf]|degrees(?:\scelsius|\sfahrenheit)?)|(?<money>${MONEY})|(?<unit>${UNIT}))(?![\p{L}\p{N}]))?${PERIOD}`,
      'giu',
    ),
    read: (groups, around) => measureOf(groups, around),
  },
  ...WORD_READERS,
];

const measureOf = (
  groups: Record<string, string | undefined>,
  { before, after, whole }: Around,
): Quantity | undefined => {
  const { front, low, number = '', scale, degree, money, unit, period } = groups;
  const isBare = front === undefined && degree === undefined && money === undefined && unit === undefined;
  // The number of a name or a step is part of what is spoken about.
  if (isBare && LABEL_BEFORE.test(before)) return undefined;
  const [dimension, factor] = dimensionOf(groups, before);
  const size = factor * (SCALES.get(scale?.toLowerCase() ?? '') ?? 1);
  const isFahrenheit = /f/i.test(degree?.replace('degrees', '') ?? '');
  const baseOf = (value: number): number => (isFahrenheit ? ((value - 32) * 5) / 9 : value * size);
  const values = readNumber(number).map(baseOf);
  const decimals = /[.,](\d+)$/.exec(number)?.[1]?.length ?? 0;
  const lower = low === undefined ? undefined : readNumber(low).map(baseOf)[0];
  const bound = lower === undefined ? boundOf(before, after) : 'range';
  return {
    text: `${BOUND_BEFORE.exec(before)?.[0] ?? ''}${whole}`.trim(),
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

const readNumber = (written: string): number[] => {
  const plain = written.replace(/['’\u00a0\u202f]/g, '');
  const english = Number(plain.replaceAll(',', ''));
  const german = Number(plain.replaceAll('.', '').replace(',', '.'));
  const isAmbiguous = /^\d{1,3}[.,]\d{3}$/.test(plain);
  if (isAmbiguous) return [english, german].filter(Number.isFinite);
  const isGerman = /,\d{1,2}$|,\d{4,}$/.test(plain) || /\.\d{3}(?:\.|,)/.test(plain);
  return [isGerman ? german : english].filter(Number.isFinite);
};

const boundOf = (before: string, after: string): Quantity['bound'] => {
  const word = BOUND_BEFORE.exec(before)?.[0].toLowerCase() ?? '';
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

/** "Order 1042", "step 3", "iPhone 17": the number names something. */
const LABEL_BEFORE =
  /(?:#|\b(?:step|section|chapter|page|figure|table|article|order|ticket|invoice|case|phase|level|tier|room|gate|question|part|no\.?|nr\.?|number|id)\s|\p{L}*\p{Lu}\p{L}*\s(?<!\b(?:About|Only|Over|Under|Nearly|Exactly|Almost|Approximately|Around|Some|Roughly|To|At|In|By|Just|The|A|Is|Are|Port|Version|These|All|Every|And|Or|With|For|From|Than|Least|Most|Of|Has|Have|Holds|I|Yes|No)\s))$/u;
