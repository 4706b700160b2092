import type { Issue } from './issue.ts';
import { readAs } from './issue.ts';
import type { DelegateRequest } from './response.ts';
import { ANSWER_ADVISED_LENGTH, isUnsure, LibrarianResponse } from './response.ts';

/** What a delegation is checked against. The rule of an absent member is skipped. */
export interface DelegationRules {
  /** Ids of the librarians that exist. */
  known?: Iterable<string> | undefined;
  /** Ids passed through so far, the current librarian last. */
  chain?: readonly string[] | undefined;
}

export type ValidatedResponse =
  | { ok: true; value: LibrarianResponse; warnings: Issue[] }
  | { ok: false; issues: Issue[] };

/** Checks a librarian's return value. A violated requirement is an issue, a violated recommendation a warning. Never throws. */
export const validateResponse = (value: unknown, rules: DelegationRules = {}): ValidatedResponse => {
  const read = readAs(LibrarianResponse, value);
  if (!read.ok) return read;
  const issues = delegationIssues(read.value.delegate, rules);
  if (issues.length > 0) return { ok: false, issues };
  return { ok: true, value: read.value, warnings: warningsAbout(read.value) };
};

/**
 * Reads a Response as the runtime does: a faulty optional field never costs the answer. It is dropped and named in `warnings`; only a faulty
 * answer, list of sources, delegate or error code makes the Response unusable. Violated recommendations are warnings too.
 */
export const readResponse = (value: unknown): ValidatedResponse => {
  const dropped: Issue[] = [];
  let rest = value;
  for (;;) {
    const read = readAs(LibrarianResponse, rest);
    if (read.ok) return { ...read, warnings: [...dropped, ...warningsAbout(read.value)] };
    const faults = read.issues.map(({ path, message }) => ({ path: OPTIONAL.exec(path)?.[0], message }));
    if (faults.some(({ path }) => path === undefined)) return read;
    const fresh = faults.filter(({ path }) => !dropped.some((issue) => issue.path === path));
    // What is dropped cannot be faulty again.
    if (fresh.length === 0) return read;
    for (const { path = '', message } of fresh) {
      if (dropped.some((issue) => issue.path === path)) continue;
      dropped.push({ path, message: `${message}; it was left out` });
      rest = without(rest, path.split('.'));
    }
  }
};

/** Fields that an answer can do without: members of the Response, of a source, of an error. */
const OPTIONAL =
  /^(?:confidence|partial|metadata|sources\.\d{1,2}\.(?:url|type|relevance)|error\.(?:librarian|query|recoverable|suggestion|details))(?=\.|$)/;
/** A copy without the member at a path. */
const without = (value: unknown, [name = '', ...path]: readonly string[]): unknown => {
  if (Array.isArray(value)) return value.map((item, at) => (String(at) === name ? without(item, path) : item));
  // Issues name members of objects and lists only.
  const { [name]: member, ...others } = value as Record<string, unknown>;
  return path.length === 0 ? others : { ...others, [name]: without(member, path) };
};

/** Finds targets that do not exist or that the question already passed through. */
export const delegationIssues = (
  delegate: DelegateRequest | readonly DelegateRequest[] | undefined,
  { known, chain = [] }: DelegationRules,
): Issue[] => {
  if (delegate === undefined) return [];
  const existing = known === undefined ? undefined : new Set(known);
  const check = ({ to }: DelegateRequest, path: string): Issue[] => {
    if (chain.includes(to)) return [{ path, message: `would loop: ${[...chain, to].join(' > ')}` }];
    if (existing?.has(to) === false) return [{ path, message: `names no known librarian: ${to}` }];
    return [];
  };
  return isList(delegate)
    ? delegate.flatMap((request, index) => check(request, `delegate.${index}.to`))
    : check(delegate, 'delegate.to');
};

/** `Array.isArray` does not narrow readonly lists. */
const isList = (delegate: DelegateRequest | readonly DelegateRequest[]): delegate is readonly DelegateRequest[] =>
  Array.isArray(delegate);

const warningsAbout = ({ answer, sources, confidence, partial, error }: LibrarianResponse): Issue[] => {
  const warnings: Issue[] = [];
  const warn = (path: string, message: string) => warnings.push({ path, message });
  if ((answer?.length ?? 0) > ANSWER_ADVISED_LENGTH)
    warn('answer', `is longer than ${ANSWER_ADVISED_LENGTH} characters`);
  if (isUnsure(confidence) && partial !== true) warn('partial', 'is not true, although confidence is below 0.6');
  const keys = sources?.map(({ name, url }) => JSON.stringify([name, url])) ?? [];
  if (new Set(keys).size < keys.length) warn('sources', 'names a source twice');
  const relevances = sources?.flatMap(({ relevance }) => relevance ?? []) ?? [];
  if (relevances.some((relevance, index) => relevance > (relevances[index - 1] ?? 1))) {
    warn('sources', 'is not ordered by relevance');
  }
  if (error !== undefined && error.recoverable === undefined) warn('error.recoverable', 'is missing');
  if (error !== undefined && error.suggestion === undefined) warn('error.suggestion', 'is missing');
  return warnings;
};
