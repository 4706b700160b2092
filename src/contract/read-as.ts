import type * as z from 'zod';
import { type Issue, issuesOf } from './issue.ts';

export type ReadValue<T> = { ok: true; value: T } | { ok: false; issues: Issue[] };

/**
 * Reads a value from outside as a schema has it. Unlike `safeParse` it never throws, whatever it is given.
 *
 * `safeParse` does throw for a text with bounds when it is sent an object whose `length` cannot be compared, which plain
 * JSON can say: `{ "query": { "length": { "valueOf": 0, "toString": 0 } } }` (seen with zod 4.6.7: bounds on a length
 * are checked even after the type was found wrong). In one process a getter or a proxy can throw as well.
 */
export const readAs = <T extends z.ZodType>(schema: T, value: unknown): ReadValue<z.output<T>> => {
  try {
    const { success, data, error } = schema.safeParse(value);
    return success ? { ok: true, value: data } : { ok: false, issues: issuesOf(error) };
  } catch {
    return { ok: false, issues: [{ path: '', message: 'cannot be read' }] };
  }
};
