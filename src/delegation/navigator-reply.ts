import * as z from 'zod';
import { type Issue, readAs } from '../contract/error-info.ts';
import { NavigatorResponse, statesLackOfInformation } from '../contract/navigator-response.ts';
import type { LibrarianResponse } from '../contract/response.ts';
import { withoutMember } from '../contract/validate-response.ts';
import { nothingFound } from './abstention.ts';

/** The reply of another navigator as it may be passed on. */
export interface NavigatorReply {
  response: LibrarianResponse;
  /** The rules that it broke (docs/contract.md#navigator), and what was done. */
  violations: { rule: string; outcome: 'dropped' | 'abstained' }[];
}

/** Members that an answer can do without. */
const OPTIONAL =
  /^(?:statements|relatedTopics|confidenceComponents|searchStrategy|edition|metadata|alternatives|quality|sources\.\d{1,2}\.(?:excerpts|edition))(?=\.|$)/;

/**
 * Validates the navigator's response in `metadata` of another librarian, under `navigator` or its own name, by the rules that need no knowledge base. A faulty optional member is left out, then
 * the block; an answer without evidence that does not say so, or one that cites sources out of domain, is not passed on.
 */
export const checkNavigatorReply = (response: LibrarianResponse, librarian: string): NavigatorReply => {
  const name = ['navigator', librarian].find((each) => isNavigatorBlock(response.metadata?.[each]));
  if (name === undefined || response.answer === undefined) return { response, violations: [] };
  const { [name]: received, ...metadata } = response.metadata ?? {};
  const violations: NavigatorReply['violations'] = [];
  let block: unknown = received;
  for (;;) {
    const read = readAs(NavigatorResponse, block);
    if (read.ok) {
      if (violations.length === 0) return { response, violations };
      return {
        response: withRules({ ...response, metadata: { ...metadata, [name]: block } }, violations),
        violations,
      };
    }
    const optional = read.issues.flatMap(({ path }) => OPTIONAL.exec(path)?.[0] ?? []);
    if (optional.length === 0) return refused(response, { block, issues: read.issues, violations, metadata });
    for (const path of new Set(optional)) {
      violations.push({ rule: 'form', outcome: 'dropped' });
      block = withoutMember(block, path.split('.'));
    }
  }
};

/** A librarian puts its full response under its own name; only that of a navigator has these members. */
const isNavigatorBlock = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  ['answer', 'confidenceReason', 'outOfDomain'].every((name) => name in value);

const refused = (
  response: LibrarianResponse,
  {
    block,
    issues,
    violations,
    metadata,
  }: {
    block: unknown;
    issues: readonly Issue[];
    violations: NavigatorReply['violations'];
    metadata: Record<string, unknown>;
  },
): NavigatorReply => {
  const ungrounded = ungroundedRule(block);
  const rule = ungrounded ?? (issues[0]?.path === 'confidenceReason' ? 'reason-meaningful' : 'form');
  const outcome = ungrounded === undefined ? 'dropped' : 'abstained';
  const all = [...violations, { rule, outcome } as const];
  const passed = ungrounded === undefined ? { ...response, metadata } : nothingFound();
  return { response: withRules(passed, all), violations: all };
};

/** The rule that an answer without valid evidence breaks; undefined when it has some, or says that it has none. */
const ungroundedRule = (block: unknown): string | undefined => {
  const read = readAs(Evidence, block);
  if (!read.ok) return undefined;
  const { outOfDomain, sources, answer } = read.value;
  if (outOfDomain) return sources.length > 0 ? 'out-of-domain-empty' : undefined;
  return sources.length > 0 || statesLackOfInformation(answer) ? undefined : 'sources-or-lack';
};

const Evidence = z.object({ answer: z.string(), sources: z.array(z.unknown()), outOfDomain: z.boolean() });

const withRules = (response: LibrarianResponse, violations: NavigatorReply['violations']): LibrarianResponse => {
  const once = [...new Map(violations.map((each) => [JSON.stringify(each), each])).values()];
  return { ...response, metadata: { ...response.metadata, violations: once } };
};
