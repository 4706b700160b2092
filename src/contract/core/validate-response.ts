import * as z from 'zod';
import { describeIssues, type Issue, readAs } from './error-info.ts';
import { isWithin } from './json-object.ts';
import {
  ANSWER_ADVISED_LENGTH,
  type DelegateRequest,
  isUnsure,
  LibrarianResponse,
  METADATA_LIMITS,
} from './response.ts';

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

/**
 * Checks a librarian's return value. A violated requirement is an issue, a violated recommendation a warning. Never throws.
 *
 * @example
 * const checked = validateResponse({ answer: 'Yes.' }, { known: ['navigator'], chain: ['gateway'] });
 * if (!checked.ok) throw new Error(checked.issues.map(({ path, message }) => `${path} ${message}`).join());
 */
export function validateResponse(value: unknown, rules: DelegationRules = {}): ValidatedResponse {
  const read = readAs(LibrarianResponse, value);
  if (!read.ok) return read;
  const issues = delegationIssues(read.value.delegate, rules);
  if (issues.length > 0) return { ok: false, issues };
  return { ok: true, value: read.value, warnings: warningsAbout(read.value) };
}

/**
 * Reads a Response as the runtime does: a faulty optional field never costs the answer. It is dropped; only a faulty answer, list of
 * sources, delegate or error code makes the Response unusable; `null` counts as absent. What was dropped and which recommendations are not followed is under
 * `metadata.warnings` of the value, after the warnings that it had.
 *
 * @example
 * const read = readResponse({ answer: 'Yes.', confidence: 'high' });
 * if (read.ok) read.value.metadata; // { warnings: ['confidence …; it was left out'] }
 */
export function readResponse(value: unknown): ValidatedResponse {
  const dropped = new Map<string, Issue | undefined>();
  let rest = value;
  for (;;) {
    const read = readAs(LibrarianResponse, rest);
    if (read.ok) {
      const warnings = [
        ...[...dropped.values()].filter((issue) => issue !== undefined),
        ...warningsAbout(read.value),
      ];
      return { ok: true, value: withWarnings(read.value, warnings), warnings };
    }
    const before = dropped.size;
    for (const { path: place, message } of read.issues) {
      const isAbsent = memberAt(rest, place.split('.')) === null;
      const path = isAbsent && NULLABLE.has(place) ? place : OPTIONAL.exec(place)?.[0];
      if (path === undefined) return read;
      if (dropped.has(path)) continue;
      dropped.set(path, isAbsent ? undefined : { path, message: `${message}; it was left out` });
      rest = withoutMember(rest, path.split('.'));
    }
    // What is dropped cannot be faulty again.
    if (dropped.size === before) return read;
  }
}

/** Members that some languages write as `null` where they are absent. */
const NULLABLE = new Set(['answer', 'sources', 'delegate', 'error']);

/** Fields that an answer can do without: members of the Response, of a source, of an error. */
const OPTIONAL =
  /^(?:confidence|partial|metadata|sources\.\d{1,2}\.(?:url|type|relevance)|error\.(?:librarian|query|recoverable|suggestion|details))(?=\.|$)/;

const memberAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined),
    value,
  );

/** For whoever writes the librarian. Dropped where the metadata has no room for it. */
const withWarnings = (response: LibrarianResponse, issues: readonly Issue[]): LibrarianResponse => {
  if (issues.length === 0) return response;
  const known = readAs(Warnings, response.metadata?.warnings);
  const lines = issues.map((issue) => describeIssues([issue]));
  const warnings = [...new Set([...(known.ok ? known.value : []), ...lines])].slice(
    0,
    MAX_WARNINGS,
  );
  const metadata = { ...response.metadata, warnings };
  return isWithin(metadata, METADATA_LIMITS) ? { ...response, metadata } : response;
};

const Warnings = z.array(z.string());
const MAX_WARNINGS = 20;

/** A copy without the member at a path: `['sources', '0', 'url']`. */
export function withoutMember(value: unknown, [name = '', ...path]: readonly string[]): unknown {
  if (Array.isArray(value))
    return value.map((item, at) => (String(at) === name ? withoutMember(item, path) : item));
  // Issues name members of objects and lists only.
  const { [name]: member, ...others } = value as Record<string, unknown>;
  return path.length === 0 ? others : { ...others, [name]: withoutMember(member, path) };
}

/**
 * Finds targets that do not exist or that the question already passed through.
 *
 * @example
 * delegationIssues({ to: 'navigator' }, { chain: ['gateway', 'navigator'] });
 * // [{ path: 'delegate.to', message: 'would loop: gateway > navigator > navigator' }]
 */
export function delegationIssues(
  delegate: DelegateRequest | readonly DelegateRequest[] | undefined,
  { known, chain = [] }: DelegationRules,
): Issue[] {
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
}

/** `Array.isArray` does not narrow readonly lists. */
const isList = (
  delegate: DelegateRequest | readonly DelegateRequest[],
): delegate is readonly DelegateRequest[] => Array.isArray(delegate);

const warningsAbout = ({
  answer,
  sources,
  confidence,
  partial,
  error,
}: LibrarianResponse): Issue[] => {
  const warnings: Issue[] = [];
  const warn = (path: string, message: string) => warnings.push({ path, message });
  if ((answer?.length ?? 0) > ANSWER_ADVISED_LENGTH)
    warn('answer', `is longer than ${ANSWER_ADVISED_LENGTH} characters`);
  if (isUnsure(confidence) && partial !== true)
    warn('partial', 'is not true, although confidence is below 0.6');
  const keys = sources?.map(({ name, url }) => JSON.stringify([name, url])) ?? [];
  if (new Set(keys).size < keys.length) warn('sources', 'names a source twice');
  const relevances = sources?.flatMap(({ relevance }) => relevance ?? []) ?? [];
  if (relevances.some((relevance, index) => relevance > (relevances[index - 1] ?? 1))) {
    warn('sources', 'is not ordered by relevance');
  }
  if (error !== undefined && error.recoverable === undefined)
    warn('error.recoverable', 'is missing');
  if (error !== undefined && error.suggestion === undefined) warn('error.suggestion', 'is missing');
  return warnings;
};
