import type {
  AnalyticsResult,
  ChartBlock,
  TableBlock,
  TableColumn,
} from '../../../contract/wire/agent-response.ts';
import { oneLine } from './markdown.ts';

const MAX_ROWS = 50;
const MAX_COLUMNS = 12;
const MAX_CELL = 120;
/** Characters of all cells together: wide tables show fewer rows. */
const MAX_CHARACTERS = 24_000;
const MIN_CHART_ROWS = 2;
const MAX_SERIES = 3;

/** The rows of a database as a table; `undefined` without columns. */
export function tableBlock(result: AnalyticsResult): TableBlock | undefined {
  const columns = columnsOf(result);
  if (columns.length === 0) return undefined;
  return {
    kind: 'table',
    columns: columns.map(({ label, align, unit }) => ({
      label,
      align,
      ...(unit === undefined ? {} : { unit }),
    })),
    rows: rowsOf(columns, Math.min(MAX_ROWS, result.rows.length)),
    row_count: result.row_count,
    hidden_columns: namesOf(result).length - columns.length,
  };
}

const rowsOf = (columns: readonly Column[], count: number): string[][] => {
  const rows: string[][] = [];
  for (let at = 0, length = 0; at < count; at++) {
    const cells = columns.map(({ values, isMoney }) =>
      isMoney ? moneyCell(values[at]) : cellOf(values[at]),
    );
    length += cells.reduce((sum, cell) => sum + cell.length, 0);
    if (length > MAX_CHARACTERS) break;
    rows.push(cells);
  }
  return rows;
};

/** The columns that the result names, otherwise those of the first row. */
const namesOf = ({ columns, rows }: Pick<AnalyticsResult, 'columns' | 'rows'>): string[] => [
  ...new Set(columns.length > 0 ? columns : Object.keys(rows[0] ?? {})),
];

/** A value as a cell shows it; an en dash for a missing one. */
export function cellOf(value: unknown): string {
  if (value === null || value === undefined) return NO_VALUE;
  if (typeof value === 'string') return oneLine(value, MAX_CELL) || NO_VALUE;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return String(Number(value.toPrecision(DIGITS)));
  return oneLine(JSON.stringify(value) ?? '', MAX_CELL) || NO_VALUE;
}

/** Without the currency, which is the column's unit or in the currency column. */
const moneyCell = (value: unknown): string =>
  typeof value === 'number' && Math.abs(value) < 1e15
    ? value.toLocaleString('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
    : cellOf(value);

const NO_VALUE = '–';
/** Significant digits: 0.1 + 0.2 shows as 0.3. Whole numbers up to 10^15 stay exact. */
const DIGITS = 15;

/**
 * A chart of rows with one column of distinct labels and one to three columns of numbers; otherwise `undefined`. Amounts of several
 * currencies are series of their own, each over the labels that it has, and then the only ones.
 */
export function chartBlock(result: AnalyticsResult): ChartBlock | undefined {
  const count = result.rows.length;
  if (count < MIN_CHART_ROWS || count > MAX_ROWS) return undefined;
  const all = columnsOf(result);
  // Beside amounts a column of currencies belongs to them.
  const columns = all.some(({ isMoney }) => isMoney)
    ? all.filter(({ isCurrency }) => !isCurrency)
    : all;
  const label = labelColumn(columns);
  if (label === undefined) return undefined;
  const measures = columns.filter((column) => column !== label && !column.isKey);
  if (measures.length < 1 || !measures.every(({ isNumeric }) => isNumeric)) return undefined;
  const labels = [...new Set(label.values)];
  const series = seriesOf(measures, {
    label,
    labels,
    currencies: all.find(({ isCurrency }) => isCurrency)?.values,
  });
  if (series === undefined || series.length > MAX_SERIES || labels.length < MIN_CHART_ROWS)
    return undefined;
  const order = label.isTime ? inTime(labels) : [...labels.keys()];
  return {
    kind: 'chart',
    heading: headingOf(measuresIn(series, measures), label),
    form: label.isTime ? 'line' : 'bar',
    label: label.label,
    labels: order.map((at) => cellOf(labels[at])),
    series: series.map(({ name, unit, values }) => ({
      name,
      values: order.map((at) => numberOr(values[at])),
      ...(unit === undefined ? {} : { unit }),
    })),
  };
}

/** A line or a row of bars. */
interface Series {
  name: string;
  measure: Column;
  unit: string | undefined;
  /** One for each label, in their order. */
  values: readonly unknown[];
}

interface Labelled {
  label: Column;
  /** The distinct values of the label. */
  labels: readonly unknown[];
  /** The currency of each row; absent without such a column. */
  currencies: readonly unknown[] | undefined;
}

/** `undefined` when a label has several values of one series. */
const seriesOf = (
  measures: readonly Column[],
  { label, labels, currencies = [] }: Labelled,
): Series[] | undefined => {
  const amounts = measures.filter(({ isMoney }) => isMoney);
  const codes = [...new Set(currencies)].map(String);
  const wanted =
    codes.length > 1 && amounts.length > 0
      ? amounts.flatMap((measure) => codes.map((currency) => ({ measure, currency })))
      : measures.map((measure) => ({ measure, currency: undefined }));
  const series = wanted.flatMap(({ measure, currency }): Series[] => {
    const rows = [...measure.values.keys()].filter(
      (at) => currency === undefined || currencies[at] === currency,
    );
    const places = new Map(rows.map((at) => [label.values[at], at]));
    if (places.size < rows.length) return [];
    const values = labels.map((each) => measure.values[places.get(each) ?? -1]);
    const name = currency === undefined ? measure.label : `${measure.label}, ${currency}`;
    return [{ name, measure, unit: currency ?? measure.unit, values }];
  });
  return series.length === wanted.length ? series : undefined;
};

const measuresIn = (series: readonly Series[], measures: readonly Column[]): Column[] =>
  measures.filter((each) => series.some(({ measure }) => measure === each));

/** The only column that is neither number nor key, else the only point in time, else the only key. */
const labelColumn = (columns: readonly Column[]): Column | undefined => {
  const words = columns.filter(({ isNumeric, isKey }) => !isNumeric && !isKey);
  if (words.length > 0) return words.length === 1 ? words[0] : undefined;
  const times = columns.filter(({ isTime }) => isTime);
  if (times.length > 0) return times.length === 1 ? times[0] : undefined;
  const keys = columns.filter(({ isKey }) => isKey);
  return keys.length === 1 ? keys[0] : undefined;
};

/** Indices in chronological order; ISO dates sort as text. */
const inTime = (values: readonly unknown[]): number[] =>
  [...values.keys()].sort((left, right) => {
    const [a, b] = [values[left], values[right]];
    if (typeof a === 'number' && typeof b === 'number') return a - b;
    return String(a) < String(b) ? -1 : 1;
  });

const numberOr = (value: unknown): number | null => (typeof value === 'number' ? value : null);

const headingOf = (series: readonly Column[], label: Column): string => {
  const names = series.map(({ label: name }, at) => (at === 0 ? name : uncapitalised(name)));
  const list =
    names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : names.join('');
  return `${list} by ${uncapitalised(label.label)}`.slice(0, 300);
};

/** "Total cents" -> "total cents"; "ID" stays. */
const uncapitalised = (label: string): string =>
  /^\p{Lu}\p{Ll}/u.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;

/** The columns that are shown, with their values in the rows that are shown. */
const columnsOf = ({ columns, rows }: Pick<AnalyticsResult, 'columns' | 'rows'>): Column[] => {
  const shown = rows.slice(0, MAX_ROWS);
  const read = namesOf({ columns, rows })
    .slice(0, MAX_COLUMNS)
    .map((name) => columnOf(name, shown));
  const currencies = read.find(({ isCurrency }) => isCurrency);
  return currencies === undefined ? read : read.map((column) => inUnits(column, currencies.values));
};

/** Cents as units of the currency in the same row; where all rows have the same one, it is the unit. */
const inUnits = (column: Column, currencies: readonly unknown[]): Column => {
  const words = column.label.split(' ');
  if (!column.isNumeric || words.at(-1)?.toLowerCase() !== 'cents') return column;
  const { unit: _, ...rest } = column;
  const [only, ...others] = new Set(currencies);
  return {
    ...rest,
    isMoney: true,
    label: words.slice(0, -1).join(' ') || 'Amount',
    values: column.values.map((value) => (typeof value === 'number' ? value / 100 : value)),
    ...(others.length === 0 ? { unit: String(only) } : {}),
  };
};

/** The kind of a column, derived from its name and its values. */
interface Column extends TableColumn {
  name: string;
  values: readonly unknown[];
  /** All values are numbers or missing, and at least one is a number. */
  isNumeric: boolean;
  /** Identifies a row and measures nothing. */
  isKey: boolean;
  /** All values are dates or periods, or missing. */
  isTime: boolean;
  /** All values are currency codes. */
  isCurrency: boolean;
  /** Amounts in units of a currency. */
  isMoney: boolean;
}

const columnOf = (name: string, rows: readonly Readonly<Record<string, unknown>>[]): Column => {
  const values = rows.map((row) => (Object.hasOwn(row, name) ? row[name] : undefined));
  const present = values.filter((value) => value !== null && value !== undefined);
  const isNumeric = present.length > 0 && present.every((value) => typeof value === 'number');
  const words = wordsOf(name);
  const last = words.at(-1) ?? '';
  // Omitted where the label is the unit: `Units (units)`.
  const unit = isNumeric && UNITS[last] !== last ? UNITS[last] : undefined;
  return {
    name,
    values,
    isNumeric,
    isMoney: false,
    isCurrency: words.at(-1) === 'currency' && values.length > 0 && values.every(isCurrencyCode),
    isKey: ['id', 'sku', 'key'].includes(words.at(-1) ?? ''),
    isTime: present.length > 0 && (present.every(isDate) || areYears(present)),
    label: labelOf(name),
    align: isNumeric ? 'right' : 'left',
    ...(unit === undefined ? {} : { unit }),
  };
};

/** `products_quantity` -> "Products quantity". */
const labelOf = (name: string): string => {
  const label = oneLine(name.replaceAll('_', ' '), 80) || '–';
  return label.charAt(0).toUpperCase() + label.slice(1);
};

const wordsOf = (name: string): string[] =>
  name
    .slice(0, 300)
    .toLowerCase()
    .match(/[\p{L}]+/gu) ?? [];

const isDate = (value: unknown): boolean => typeof value === 'string' && DATE.test(value);

/** Whole numbers are years where they follow one another without a gap: the name of a column would take `sales_per_year` for a time. */
const areYears = (values: readonly unknown[]): boolean => {
  const years = [...new Set(values)].filter((value) => Number.isInteger(value)).map(Number);
  const [first, last] = [Math.min(...years), Math.max(...years)];
  const isWhole = years.length > 1 && years.length === new Set(values).size;
  return isWhole && first >= 1900 && last < 2100 && last - first === years.length - 1;
};

const isCurrencyCode = (value: unknown): boolean =>
  typeof value === 'string' && /^[A-Z]{3}$/.test(value);

const DATE = /^(?:19|20)\d\d$|^\d{4}-(?:\d{2}(?:-\d{2}(?:[T ][\d:.]{4,15}Z?)?)?|Q[1-4]|W\d{2})$/;

/** By the last word of a column's name. */
const UNITS: Readonly<Record<string, string>> = {
  cents: 'cents',
  eur: 'EUR',
  usd: 'USD',
  gbp: 'GBP',
  chf: 'CHF',
  percent: '%',
  pct: '%',
  percentage: '%',
  ms: 'ms',
  seconds: 's',
  minutes: 'min',
  hours: 'h',
  days: 'days',
  kg: 'kg',
  watts: 'W',
  kwh: 'kWh',
  quantity: 'units',
  units: 'units',
};
