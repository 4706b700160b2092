import type { Quantity } from './quantity.ts';

/** What stands around a match: the text before it and after it, and the match itself. */
export interface Around {
  before: string;
  after: string;
  whole: string;
}

/** Reads quantities of one kind. */
export interface Reader {
  pattern: RegExp;
  /** Without this there is nothing to find; a cheap look first. */
  hint?: RegExp;
  /** Undefined for what is none. */
  read: (groups: Record<string, string | undefined>, around: Around) => Quantity | undefined;
}
