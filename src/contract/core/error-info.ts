import * as z from 'zod';
import { jsonObject } from './json-object.ts';

/** Minimum number of letters and digits; a character of a script without spaces between words counts as three. */
const MIN_SUBSTANCE = 10;

/**
 * Whether a suggestion or reason is long enough to be useful: at least ten letters and digits in at least two words. In scripts written
 * without spaces a character counts as three letters, and as a word.
 */
const saysSomething = (text: string): boolean => {
  const dense =
    text.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/gu)?.length ?? 0;
  const letters = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  return letters + 2 * dense >= MIN_SUBSTANCE && wordsOf(text).length + dense >= 2;
};

/** Whether `text` repeats `said`: the same words in the same order, or a part of them. */
export function repeats(text: string, said: string): boolean {
  return ` ${wordsOf(said).join(' ')} `.includes(` ${wordsOf(text).join(' ')} `);
}

/** Lower-case words, without punctuation. */
const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];

const codes = z.enum([
  'INVALID_QUERY',
  'UNAUTHORIZED',
  'NOT_FOUND',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'TIMEOUT',
  'SERVICE_UNAVAILABLE',
  'DELEGATION_FAILED',
  'LOOP_DETECTED',
  'MAX_DEPTH_EXCEEDED',
  'AI_UNAVAILABLE',
  'DATA_SOURCE_ERROR',
]);

/**
 * The twelve standard codes (docs/contract.md#errors). Callers branch on the code, never on text.
 *
 * @example
 * const isGap = (error?: ErrorInfo): boolean => error?.code === ErrorCode.NOT_FOUND;
 */
export const ErrorCode = Object.assign(codes, codes.enum);
export type ErrorCode = z.infer<typeof ErrorCode>;

/**
 * The HTTP status of each code. A new code does not compile until it has one.
 *
 * @example
 * HTTP_STATUS.NOT_FOUND; // 404
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-15
 */
export const HTTP_STATUS = {
  INVALID_QUERY: 400,
  UNAUTHORIZED: 401,
  NOT_FOUND: 404,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  DELEGATION_FAILED: 502,
  DATA_SOURCE_ERROR: 502,
  SERVICE_UNAVAILABLE: 503,
  AI_UNAVAILABLE: 503,
  TIMEOUT: 504,
  LOOP_DETECTED: 508,
  MAX_DEPTH_EXCEEDED: 508,
} as const satisfies Record<ErrorCode, number>;

/**
 * Why there is no answer, in a form that a caller can act on. A suggestion must add something to the message.
 *
 * @example
 * const error: ErrorInfo = {
 *   code: 'DATA_SOURCE_ERROR',
 *   message: 'Cannot read the stock: the warehouse did not answer',
 *   recoverable: true,
 *   suggestion: 'Ask again in a minute',
 * };
 */
export const ErrorInfo = z
  .object({
    code: ErrorCode,
    /** One sentence for a reader, without text from a source or a stack trace. */
    message: z.string().regex(/\S/, 'is empty').max(2000),
    /** The librarian that failed. */
    librarian: z.string().max(100).optional(),
    /** The question as received. */
    query: z.string().max(4000).optional(),
    /** Whether the same call may succeed later or elsewhere. */
    recoverable: z.boolean().optional(),
    suggestion: z.string().max(1000).refine(saysSomething, 'is too short to help').optional(),
    details: jsonObject({ maxDepth: 6, maxLength: 8000 }).optional(),
  })
  .superRefine(({ message, suggestion }, check) => {
    if (suggestion === undefined || !repeats(suggestion, message)) return;
    check.addIssue({ code: 'custom', path: ['suggestion'], message: 'only repeats the message' });
  });
export type ErrorInfo = z.infer<typeof ErrorInfo>;

/** The body of every failed request at the gateway. */
export const ErrorBody = z.object({ error: ErrorInfo });
export type ErrorBody = z.infer<typeof ErrorBody>;

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
 *
 * @example
 * import { AskRequest } from '@constellation/contract';
 *
 * const parsed = AskRequest.safeParse({ query: '' });
 * if (!parsed.success) issuesOf(parsed.error); // [{ path: 'query', message: 'is empty' }]
 */
export function issuesOf(error: { issues: readonly ZodIssue[] }): Issue[] {
  return error.issues.flatMap((issue) => flatten(issue, [])).slice(0, MAX_ISSUES);
}

/**
 * One line of text: `result.row_count: is 2, but there are 3 rows; query: is missing`. At most 500 characters.
 *
 * @example
 * describeIssues([{ path: 'query', message: 'is empty' }]); // 'query: is empty'
 */
export function describeIssues(issues: readonly Issue[]): string {
  const line = issues
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
    .join('; ');
  return line.length > 500 ? `${line.slice(0, 499)}…` : line;
}

/** A schema's own message, except that an absent member `is missing`: `z.iso.date({ error: unlessMissing('...') })`. */
export function unlessMissing(message: string) {
  return ({ input }: { input?: unknown }): string => (input === undefined ? 'is missing' : message);
}

const flatten = (issue: ZodIssue, above: readonly PropertyKey[]): Issue[] => {
  const path = [...above, ...issue.path];
  if (issue.code === 'invalid_union') {
    const branch = closestBranch(issue.errors);
    const saysMore =
      issue.message === 'Invalid input' || branch?.some((inner) => inner.path.length > 0);
    if (branch !== undefined && saysMore) return branch.flatMap((inner) => flatten(inner, path));
  }
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: joined([...path, key]),
      message: 'is not a known member',
    }));
  }
  return [{ path: joined(path), message: messageOf(issue) }];
};

const joined = (path: readonly PropertyKey[]): string => path.map(String).join('.').slice(0, 200);

const messageOf = ({ code, message }: ZodIssue): string =>
  code === 'invalid_type' && message.endsWith('received undefined')
    ? 'is missing'
    : message.slice(0, 300);

/** The branch that accepts the value's type; among several, the one with the fewest issues. */
const closestBranch = (branches: readonly ZodIssue[][]): ZodIssue[] | undefined => {
  const cost = (branch: ZodIssue[]) =>
    branch.length +
    (branch.some((issue) => issue.path.length === 0 && issue.code === 'invalid_type') ? 1000 : 0);
  return branches.filter((branch) => branch.length > 0).toSorted((a, b) => cost(a) - cost(b))[0];
};

export type ReadValue<T> = { ok: true; value: T } | { ok: false; issues: Issue[] };

/**
 * Parses an untrusted value with a schema. Unlike `safeParse` it never throws.
 *
 * `safeParse` throws for a string with bounds when it gets an object whose `length` cannot be compared, which plain JSON can express: `{
 * "query": { "length": { "valueOf": 0, "toString": 0 } } }` (seen with zod 4.6.7: bounds on a length are checked even when the type is
 * wrong). Within one process a getter or a proxy can throw as well.
 *
 * @example
 * import { LibrarianInfo } from '@constellation/contract';
 *
 * const read = readAs(LibrarianInfo, JSON.parse('{"id": "hours", "name": "Hours"}'));
 * if (read.ok) read.value.name; // 'Hours'
 * else describeIssues(read.issues);
 */
export function readAs<T extends z.ZodType>(schema: T, value: unknown): ReadValue<z.output<T>> {
  try {
    const read = schema.safeParse(value);
    if (read.success) return { ok: true, value: read.data };
    // Most callers only ask whether it could be read, and the error takes longer than the reading.
    return {
      ok: false,
      get issues() {
        return issuesOf(read.error);
      },
    };
  } catch {
    return { ok: false, issues: [{ path: '', message: 'cannot be read' }] };
  }
}
