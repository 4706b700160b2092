import { type Checked, refuseStatement as refuse } from './checked.ts';

/** Of the contract's `columns`. */
const MAX_NAME_LENGTH = 300;

/** The names of a result's columns: an expression without an alias is called as it is written, however long. */
export const checkColumns = (columns: readonly string[]): Checked<readonly string[]> =>
  columns.some(({ length }) => length > MAX_NAME_LENGTH)
    ? refuse(`returns a column whose name is longer than ${MAX_NAME_LENGTH} characters: give each column an alias`)
    : { ok: true, value: columns };
