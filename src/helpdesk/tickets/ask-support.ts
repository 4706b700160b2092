import { readAs } from '../../contract/read-as.ts';
import { type SupportRequest, SupportResponse } from '../../contract/support-response.ts';
import { originate } from '../../runtime/request-context.ts';
import type { SignedClient } from '../../runtime/signed-client.ts';
import { AnalysisFailed } from './attempt-failed.ts';

const SELF = 'webhooks';
const SUPPORT = 'support';
/** Calls that an analysis may lead to: library, meanings, a model. */
const CALLS = 12;

/** Context of what this function does by itself, in a workspace and with these rights alone (design, section 8). */
export const ownContext = (
  workspace: string,
  options: { capabilities: readonly string[]; timeoutMs: number; now: number },
) =>
  originate({
    ...options,
    self: SELF,
    subject: `svc:${SELF}`,
    authentication: 'none',
    workspace,
    budgets: { calls: CALLS },
  });

/**
 * Asks the support function for the analysis of a message.
 *
 * @throws {AnalysisFailed} When there is none. It passes unless the question itself was refused.
 */
export const supportAnalysis =
  (client: SignedClient, { workspace, timeoutMs, now }: { workspace: string; timeoutMs: number; now: () => number }) =>
  async (request: SupportRequest, { signal }: { signal: AbortSignal }): Promise<SupportResponse> => {
    const capabilities = ['support:analyze', 'kb:read'];
    const answer = await client.call(ownContext(workspace, { capabilities, timeoutMs, now: now() }), {
      to: SUPPORT,
      path: '/v1/support/analyze',
      // Agents see what may help, where nothing surely does.
      body: JSON.stringify({ ...request, include_weak: true }),
      signal,
    });
    if (!answer.ok) throw failed(`there is no answer of support (${answer.error.code})`);
    if (answer.status !== 200) throw failed(`support answered with status ${answer.status}`, answer.status !== 400);
    const read = readAs(SupportResponse, parsed(answer.json));
    if (!read.ok) throw failed('the answer of support has another form');
    return read.value;
  };

const failed = (problem: string, isTransient = true): AnalysisFailed =>
  new AnalysisFailed(`Cannot analyse the message: ${problem}`, { isTransient });

const parsed = (json: () => unknown): unknown => {
  try {
    return json();
  } catch {
    return undefined;
  }
};
