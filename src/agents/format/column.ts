import type { TableColumn } from '../../contract/display-model.ts';
import { oneLine } from './plain-text.ts';

/** What a column of a result holds, told from its name and its values. */
export interface Column extends TableColumn {
  name: string;
  values: readonly unknown[];
  /** All values are numbers or missing, and at least one is a number. */
  isNumeric: boolean;
  /** A key, which says which thing it is and not how much. */
  isKey: boolean;
  /** All values are points in time. */
  isTime: boolean;
}

export const columnOf = (name: string, rows: readonly Readonly<Record<string, unknown>>[]): Column => {
  const values = rows.map((row) => (Object.hasOwn(row, name) ? row[name] : undefined));
  const present = values.filter((value) => value !== null && value !== undefined);
  const isNumeric = present.length > 0 && present.every((value) => typeof value === 'number');
  const words = wordsOf(name);
  const unit = isNumeric ? UNITS[words.at(-1) ?? ''] : undefined;
  return {
    ...{ name, values, isNumeric },
    isKey: ['id', 'sku', 'key'].includes(words.at(-1) ?? ''),
    isTime: present.length > 0 && present.every((value) => isTime(value, words)),
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

const isTime = (value: unknown, words: readonly string[]): boolean => {
  if (typeof value === 'number') return Number.isInteger(value) && words.some((word) => TIME_WORDS.has(word));
  if (typeof value !== 'string') return false;
  return DATE.test(value) || (/^(?:19|20)\d\d$/.test(value) && words.includes('year'));
};

const TIME_WORDS = new Set(['year', 'month', 'week', 'day', 'quarter', 'hour']);
const DATE = /^\d{4}-(?:\d{2}(?:-\d{2}(?:[T ][\d:.]{4,15}Z?)?)?|Q[1-4]|W\d{2})$/;

/** By the last word of a column's name. */
const UNITS: Readonly<Record<string, string>> = {
  ...{ cents: 'cents', eur: 'EUR', usd: 'USD', gbp: 'GBP', chf: 'CHF' },
  ...{ percent: '%', pct: '%', percentage: '%' },
  ...{ ms: 'ms', seconds: 's', minutes: 'min', hours: 'h', days: 'days' },
  ...{ kg: 'kg', watts: 'W', kwh: 'kWh', quantity: 'units', units: 'units' },
};
