import type { ComposedParts } from './composed-parts.ts';

/** What the analytics agent may say about a database: data that a team writes for its own (docs/analytics.md). */
export interface Catalogue {
  /** The tables that questions may read, and nothing else. */
  tables: readonly TableDescription[];
  /** Lists of names that questions may contain, by id: one column, read from the database by the statement. */
  names: Readonly<Record<string, string>>;
  /** Words that mean the same here; the first stands for all. Single words, lower case. */
  synonyms: readonly (readonly string[])[];
  questions: readonly NamedQuestion[];
  /** What questions without a name are composed of. */
  composed?: ComposedParts;
}

/** A table as a model is told about it. */
interface TableDescription {
  name: string;
  description: string;
  /** By column name. */
  columns: Readonly<Record<string, string>>;
}

/** A question that the agent can answer without a model. */
export interface NamedQuestion {
  /** Lower case and underscores. */
  name: string;
  /** What it answers, in a sentence of a few words: it is matched as well, and shown as a suggestion. */
  description: string;
  /** In the words of those who ask; a parameter stands as its name in braces, `{product}`. */
  examples: readonly string[];
  /** One SELECT with parameters `:name`; a period called `period` gives `:period_from` and `:period_to`, both included. */
  sql: string;
  parameters: readonly Parameter[];
  reading: Reading;
  /** What the question is about, and the column of the first row that holds its id. */
  entity?: { type: string; column: string };
}

/** A value that is taken from the question. An optional one that is not found is NULL in the statement. */
export type Parameter =
  | { kind: 'number'; name: string; least: number; most: number; default?: number }
  /** All days there are, unless the question names some or `isRequired`. */
  | { kind: 'period'; name: string; isRequired?: boolean }
  /** One of `Catalogue.names[list]`. */
  | { kind: 'name'; name: string; list: string; isOptional?: boolean }
  /** The words of a question, lower case, by the value that they mean. */
  | { kind: 'choice'; name: string; values: Readonly<Record<string, readonly string[]>>; isOptional?: boolean };

/**
 * How the rows are said. In braces stands a column or a parameter: `{units}` as it is, `{units:number}` with separators,
 * `{units:count unit}` as "1 unit" or "2 units", `{total_cents:money}` as an amount of the row's `currency`, `{period}` as
 * "in March 2026", `{row_count:count product}` for all rows. A part in brackets is left out when a value in it is missing.
 */
export interface Reading {
  /** Of the first row; or before the lines, when there is `each`. */
  text: string;
  /** One for each row, up to ten. */
  each?: string;
  /** When there are no rows. */
  none: string;
}
