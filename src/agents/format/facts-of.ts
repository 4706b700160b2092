import { memberOf } from './members.ts';
import { oneLine } from './plain-text.ts';
import { cellOf } from './table-block.ts';

/** The details of an attribution of any shape, at most eight: "document count: 3", "tables: orders, customers". */
export const factsOf = (details: unknown): string[] => {
  if (typeof details !== 'object' || details === null || Array.isArray(details)) return [];
  return Object.keys(details)
    .slice(0, 8)
    .map((name) => `${oneLine(name.replaceAll('_', ' '), 60)}: ${factOf(memberOf(details, name))}`);
};

const factOf = (value: unknown): string =>
  Array.isArray(value) ? oneLine(value.slice(0, 10).map(cellOf).join(', '), 120) : cellOf(value);
