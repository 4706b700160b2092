/** What questions are composed of, beside the named ones: data, all SQL in it is written by the catalogue's team. */
export interface ComposedParts {
  /**
   * What words stand for: by concept, phrases of up to five lower-case words with commas between. Several concepts, with spaces
   * between, are all meant. `status=paid` is a value of a dimension, `status=pending|paid` either of two.
   */
  words: Readonly<Record<string, string>>;
  /** What is counted. The first that fits is taken. */
  measures: readonly Measure[];
  /** What it is counted by, or for; a concept each. */
  dimensions: Readonly<Record<string, Dimension>>;
  /** The tables that are joined, by name. */
  bases: Readonly<Record<string, Base>>;
}

export interface Measure {
  /** Lower case and underscores: a column of the result. */
  name: string;
  /** In a sentence: `revenue`. */
  label: string;
  /** Which concepts together mean it, whatever their order; one with `?` may be left out. */
  said: readonly string[];
  kind: 'count' | 'money';
  /** Where it can be read, the simplest first: `day` is the column that periods are about. */
  on: readonly { base: string; sql: string; day?: string; also?: string }[];
  /** The value of one row, where an average, a least and a greatest can be asked. */
  row?: string;
  /** It is an average, a least or a greatest only. */
  isRowOnly?: boolean;
  /** It is told of the rows of this dimension only. */
  onlyOf?: string;
  /** Goes into WHERE, unless the question names a status of its own. */
  where?: { sql: string; label: string };
  /** The column of the currency: what is money is told apart by it. */
  currency?: string;
  /** What is zero is in no row, so that questions for less than a number cannot be answered. */
  leavesOutZero?: boolean;
}

export interface Dimension {
  label: string;
  /** What its column is called in results, where that is not its concept. */
  column?: string;
  /** `{day}` is the measure's day, `{currency}` its currency. */
  sql: string;
  /** What it is grouped by, when that is more than its name. */
  key?: string;
  /** The list of names that a question may restrict it to. */
  list?: string;
  /** Days: ordered by themselves, the latest first. */
  isTime?: boolean;
  /** The measure meant when a question ranks it without saying by what. */
  rankedBy?: string;
  /** The measure meant when it is limited by a number alone: `orders over 500 euros`. */
  limitedBy?: string;
  /** How its rows are listed. */
  listing?: { base: string; columns: string; order: string; each: string; day?: string; said: string };
}

export interface Base {
  from: string;
  /** By alias, in order; one is left out where nothing uses it. */
  joins: Readonly<Record<string, string>>;
}
