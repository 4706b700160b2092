import type * as z from 'zod';

/** One problem of a value, and its place: `{ path: 'result.row_count', message: 'is 2, but there are 3 rows' }`. */
export interface Issue {
  /** Members joined by dots, list positions from 0: `sources.0.name`. Empty for the value as a whole. */
  path: string;
  message: string;
}

type ZodIssue = z.core.$ZodIssue;

/** Maximum number of reported issues. */
const MAX_ISSUES = 20;

/**
 * The issues of a failed parse, flat and in schema order, at most 20. A union reports the branch that came closest, so that the path
 * names a field and not the union; unless the value as a whole is wrong and the union has a message of its own.
 */
export const issuesOf = (error: { issues: readonly ZodIssue[] }): Issue[] =>
  error.issues.flatMap((issue) => flatten(issue, [])).slice(0, MAX_ISSUES);

/** One line of text: `result.row_count: is 2, but there are 3 rows; query: is missing`. At most 500 characters. */
export const describeIssues = (issues: readonly Issue[]): string => {
  const line = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
  return line.length > 500 ? `${line.slice(0, 499)}…` : line;
};

/** A schema's own message, except that an absent member `is missing`: `z.iso.date({ error: unlessMissing('...') })`. */
export const unlessMissing =
  (message: string) =>
  ({ input }: { input?: unknown }): string =>
    input === undefined ? 'is missing' : message;

const flatten = (issue: ZodIssue, above: readonly PropertyKey[]): Issue[] => {
  const path = [...above, ...issue.path];
  if (issue.code === 'invalid_union') {
    const branch = closestBranch(issue.errors);
    const saysMore = issue.message === 'Invalid input' || branch?.some((inner) => inner.path.length > 0);
    if (branch !== undefined && saysMore) return branch.flatMap((inner) => flatten(inner, path));
  }
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: joined([...path, key]), message: 'is not a known member' }));
  }
  return [{ path: joined(path), message: messageOf(issue) }];
};

const joined = (path: readonly PropertyKey[]): string => path.map(String).join('.').slice(0, 200);

const messageOf = ({ code, message }: ZodIssue): string =>
  code === 'invalid_type' && message.endsWith('received undefined') ? 'is missing' : message.slice(0, 300);

/** The branch that accepts the value's type; among several, the one with the fewest issues. */
const closestBranch = (branches: readonly ZodIssue[][]): ZodIssue[] | undefined => {
  const cost = (branch: ZodIssue[]) =>
    branch.length + (branch.some((issue) => issue.path.length === 0 && issue.code === 'invalid_type') ? 1000 : 0);
  return branches.filter((branch) => branch.length > 0).toSorted((a, b) => cost(a) - cost(b))[0];
};

export type ReadValue<T> = { ok: true; value: T } | { ok: false; issues: Issue[] };

/**
 * Parses an untrusted value with a schema. Unlike `safeParse` it never throws.
 *
 * `safeParse` throws for a string with bounds when it gets an object whose `length` cannot be compared, which plain JSON can express: `{
 * "query": { "length": { "valueOf": 0, "toString": 0 } } }` (seen with zod 4.6.7: bounds on a length are checked even when the type is
 * wrong). Within one process a getter or a proxy can throw as well.
 */
export const readAs = <T extends z.ZodType>(schema: T, value: unknown): ReadValue<z.output<T>> => {
  try {
    const { success, data, error } = schema.safeParse(value);
    return success ? { ok: true, value: data } : { ok: false, issues: issuesOf(error) };
  } catch {
    return { ok: false, issues: [{ path: '', message: 'cannot be read' }] };
  }
};
