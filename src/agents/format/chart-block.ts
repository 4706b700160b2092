import type { AnalyticsResult } from '../../contract/agent-response.ts';
import type { ChartBlock } from '../../contract/display-model.ts';
import type { Column } from './column.ts';
import { cellOf, columnsOf } from './table-block.ts';

const MIN_ROWS = 2;
const MAX_ROWS = 50;
const MAX_SERIES = 3;

/** A chart of the rows, where they are one column of labels, each once, and one to three of numbers; otherwise none. */
export const chartBlock = (result: AnalyticsResult): ChartBlock | undefined => {
  const count = result.rows.length;
  if (count < MIN_ROWS || count > MAX_ROWS) return undefined;
  const columns = columnsOf(result);
  const label = labelColumn(columns);
  if (label === undefined) return undefined;
  const series = columns.filter((column) => column !== label && !column.isKey);
  if (series.length < 1 || series.length > MAX_SERIES || !series.every(({ isNumeric }) => isNumeric)) return undefined;
  const labels = label.values.map(cellOf);
  if (new Set(labels).size < labels.length) return undefined;
  const order = label.isTime ? inTime(label.values) : [...labels.keys()];
  return {
    kind: 'chart',
    heading: headingOf(series, label),
    form: label.isTime ? 'line' : 'bar',
    label: label.label,
    labels: order.map((at) => labels[at] ?? ''),
    series: series.map(({ label: name, unit, values }) => ({
      ...{ name, values: order.map((at) => numberOr(values[at])) },
      ...(unit === undefined ? {} : { unit }),
    })),
  };
};

/** The only one that is no number and no key; or the only point in time; or the only key, beside numbers alone. */
const labelColumn = (columns: readonly Column[]): Column | undefined => {
  const words = columns.filter(({ isNumeric, isKey }) => !isNumeric && !isKey);
  if (words.length > 0) return words.length === 1 ? words[0] : undefined;
  const times = columns.filter(({ isTime }) => isTime);
  if (times.length > 0) return times.length === 1 ? times[0] : undefined;
  const keys = columns.filter(({ isKey }) => isKey);
  return keys.length === 1 ? keys[0] : undefined;
};

/** Places in ascending order; dates are written so that they sort as texts. */
const inTime = (values: readonly unknown[]): number[] =>
  [...values.keys()].sort((left, right) => {
    const [a, b] = [values[left], values[right]];
    if (typeof a === 'number' && typeof b === 'number') return a - b;
    return String(a) < String(b) ? -1 : 1;
  });

const numberOr = (value: unknown): number | null => (typeof value === 'number' ? value : null);

const headingOf = (series: readonly Column[], label: Column): string => {
  const names = series.map(({ label: name }, at) => (at === 0 ? name : uncapitalised(name)));
  const list = names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : names.join('');
  return `${list} by ${uncapitalised(label.label)}`.slice(0, 300);
};

/** "Total cents" -> "total cents"; "ID" stays. */
const uncapitalised = (label: string): string =>
  /^\p{Lu}\p{Ll}/u.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
