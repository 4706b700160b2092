import { computed, signal } from '@preact/signals';
import type english from './en.json';
import type englishOfViews from './en-views.json';

export type Language = 'en' | 'de';
export type TextKey = keyof typeof english | keyof typeof englishOfViews;
type Texts = Readonly<Partial<Record<TextKey, string>>>;
/** Keys of texts that differ by number: `ask.sources` for `ask.sources.one` and `ask.sources.other`. */
type CountKey = {
  [Key in TextKey]: Key extends `${infer Stem}.other` ? Stem : never;
}[TextKey];

type Load = () => Promise<{ default: Texts }>;

/** Texts of the frame and the first view, and of all other views. */
export const LANGUAGES: Readonly<
  Record<Language, { name: string; load: Load; loadOfViews: Load }>
> = {
  en: {
    name: 'English',
    load: () => import('./en.json', { with: { type: 'json' } }),
    loadOfViews: () => import('./en-views.json', { with: { type: 'json' } }),
  },
  de: {
    name: 'Deutsch',
    load: () => import('./de.json', { with: { type: 'json' } }),
    loadOfViews: () => import('./de-views.json', { with: { type: 'json' } }),
  },
};

const current = signal<{ language: Language; texts: Texts } | undefined>(undefined);

export const language = computed<Language>(() => current.value?.language ?? 'en');

const STORED = 'constellation.language';

/** Loads the texts of the language that was chosen here before, else of the browser's. */
export async function loadTexts(): Promise<void> {
  const wanted = [
    localStorage.getItem(STORED),
    ...navigator.languages.map((each) => each.slice(0, 2)),
  ];
  await show(wanted.find(isLanguage) ?? 'en');
}

export async function chooseLanguage(chosen: Language): Promise<void> {
  localStorage.setItem(STORED, chosen);
  await show(chosen);
}

let ofViews: Promise<void> | undefined;

/** Loads the texts that the first view has no need of. */
export function loadTextsOfViews(): Promise<void> {
  ofViews ??= show(language.value, { withViews: true });
  return ofViews;
}

const isLanguage = (name: string | null): name is Language =>
  name !== null && Object.hasOwn(LANGUAGES, name);

const show = async (
  chosen: Language,
  { withViews = ofViews !== undefined } = {},
): Promise<void> => {
  const { load, loadOfViews } = LANGUAGES[chosen];
  const parts = await Promise.all([load(), ...(withViews ? [loadOfViews()] : [])]);
  current.value = {
    language: chosen,
    texts: Object.assign({}, ...parts.map((part) => part.default)),
  };
  document.documentElement.lang = chosen;
};

type Values = Readonly<Record<string, string | number>>;

/** The text of a key with its values: `{name}` in the text. */
export function t(key: TextKey, values: Values = {}): string {
  return (current.value?.texts[key] ?? key).replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : typeof value === 'number' ? formatNumber(value) : value;
  });
}

/** As `t`, for texts that differ by `count`. */
export function count(key: CountKey, number: number, values: Values = {}): string {
  const rule = formatter(Intl.PluralRules).select(number) === 'one' ? 'one' : 'other';
  return t(`${key}.${rule}` as TextKey, { ...values, count: number }); // both forms exist, as a test checks
}

const formatters = new Map<string, unknown>();
const MAX_FORMATTERS = 100;

/** Those of the languages and options in use: making one takes longer than drawing a row of a table. */
const formatter = <Formatter, Options extends object>(
  Type: new (language: string, options?: Options) => Formatter,
  options?: Options,
): Formatter => {
  const key = `${Type.name} ${language.value} ${JSON.stringify(options)}`;
  const made = formatters.get(key) ?? new Type(language.value, options);
  if (formatters.size >= MAX_FORMATTERS) formatters.clear();
  formatters.set(key, made);
  return made as Formatter; // the key names its type
};

export function formatNumber(value: number, options: Intl.NumberFormatOptions = {}): string {
  return formatter(Intl.NumberFormat, options).format(value);
}

/** A difference with its sign: `+3`, `±0`, `−2`. */
export function formatChange(difference: number): string {
  return difference === 0 ? '±0' : formatNumber(difference, { signDisplay: 'always' });
}

/** `de` -> `German`. */
export function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames(language.value, { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** 0.714 -> `71 %`. */
export function formatShare(share: number): string {
  return formatNumber(share, { style: 'percent', maximumFractionDigits: 0 });
}

export function formatMs(ms: number): string {
  return ms < 1000
    ? `${formatNumber(Math.round(ms))}\u00a0ms`
    : `${formatNumber(ms / 1000, { maximumFractionDigits: 1 })}\u00a0s`;
}

/** Few digits of small amounts, so that a tenth of a cent is not zero. */
export function formatDollars(dollars: number): string {
  return formatNumber(dollars, { style: 'currency', currency: 'USD', maximumFractionDigits: 5 });
}

/** A day, or an hour of it. Buckets are in UTC, hours are shown as on the clock of the reader. */
export function formatDate(moment: Date, withHour: boolean): string {
  return formatter(
    Intl.DateTimeFormat,
    withHour
      ? { hour: '2-digit', minute: '2-digit' }
      : { day: 'numeric', month: 'short', timeZone: 'UTC' },
  ).format(moment);
}

export function formatMoment(moment: Date): string {
  return formatter(Intl.DateTimeFormat, { dateStyle: 'medium', timeStyle: 'medium' }).format(
    moment,
  );
}

const UNITS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];

/** `3 minutes ago`. */
export function formatAge(moment: Date, now: number): string {
  const seconds = Math.round((moment.getTime() - now) / 1000);
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1];
  return formatter(Intl.RelativeTimeFormat, { numeric: 'auto' }).format(
    Math.trunc(seconds / size),
    unit,
  );
}
