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
