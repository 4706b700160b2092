import { describeIssues, type Issue, readAs } from '../../contract/core/error-info.ts';
import { NavigatorResponse } from '../../contract/core/navigator-response.ts';
import { withoutMember } from '../../contract/core/validate-response.ts';
import { CodedError } from '../../platform/http/coded-error.ts';
import { oncePer } from '../../platform/once-per.ts';
import type { NavigatorAnswer } from './navigator-answer.ts';

/**
 * The answer, quoted or written, without optional members that break the navigator contract. A cached one is validated once.
 *
 * @throws {CodedError} When another member breaks it: such an answer does not leave.
 */
export const validAnswer = oncePer((answer: NavigatorAnswer): NavigatorAnswer => {
  const { probability, violations = [] } = answer;
  const result = readNavigatorResponse(answer.response);
  const issues = result.ok ? [] : result.issues;
  if (!(probability >= 0 && probability <= 1))
    issues.push({ path: 'probability', message: `is ${probability}, not 0 to 1` });
  if (!result.ok || issues.length > 0)
    throw new CodedError(
      'INTERNAL_ERROR',
      `the answer breaks the navigator contract: ${describeIssues(issues)}`,
    );
  if (result.dropped.length === 0) return answer;
  const form = { rule: 'form', outcome: 'dropped' } as const;
  return { ...answer, response: result.value, violations: [...violations, form] };
});

type ReadNavigatorResponse = {
  /** What was dropped: `relatedTopics`, `sources.0.excerpts`. */
  dropped: string[];
} & ({ ok: true; value: NavigatorResponse } | { ok: false; rest: unknown; issues: Issue[] });

/**
 * Reads a navigator's reply by the rules that need no knowledge base: a faulty optional member is dropped and never costs the answer.
 * Never throws.
 *
 * @returns The reply without what was dropped; or what remains of one that cannot be used, with its issues.
 */
export function readNavigatorResponse(reply: unknown): ReadNavigatorResponse {
  const dropped = new Set<string>();
  let rest = reply;
  for (;;) {
    const result = readAs(NavigatorResponse, rest);
    if (result.ok) return { ok: true, value: result.value, dropped: [...dropped] };
    const faultyPaths = result.issues.flatMap(
      ({ path }) => OPTIONAL_IN_NAVIGATOR.exec(path)?.[0] ?? [],
    );
    const paths = faultyPaths.filter((path) => !dropped.has(path));
    if (paths.length === 0)
      return { ok: false, rest, issues: result.issues, dropped: [...dropped] };
    for (const path of new Set(paths)) {
      dropped.add(path);
      rest = withoutMember(rest, path.split('.'));
    }
  }
}

/** Members that a navigator's answer can do without. */
const OPTIONAL_IN_NAVIGATOR =
  /^(?:statements|relatedTopics|confidenceComponents|searchStrategy|edition|metadata|alternatives|quality|sources\.\d{1,2}\.(?:excerpts|edition))(?=\.|$)/;
