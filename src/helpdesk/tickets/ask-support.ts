import { readAs } from '../../contract/error-info.ts';
import { isWithin } from '../../contract/json-object.ts';
import { type SupportRequest, SupportResponse, type TicketMessage } from '../../contract/support-response.ts';
import type { SignedClient } from '../../runtime/signed-client.ts';
import { utf8 } from '../../signing/encoding.ts';
import { originate } from '../../signing/request-context.ts';
import type { HelpdeskMessage, Ticket } from '../helpdesk-tool.ts';

/** The support function returned no analysis. */
export class AnalysisFailed extends Error {
  override readonly name = 'AnalysisFailed';
  /** Whether the same request may succeed later. */
  readonly isTransient: boolean;

  constructor(message: string, { isTransient, cause }: { isTransient: boolean; cause?: unknown }) {
    super(message, { cause });
    this.isTransient = isTransient;
  }
}

const SELF = 'webhooks';
const SUPPORT = 'support';
/** Calls that an analysis may make: library, meanings, a model. */
const CALLS = 12;

/** Context of calls that this function makes on its own behalf, in one workspace and with these capabilities only. */
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
 * @throws {AnalysisFailed} When there is none; transient unless support refused the request itself.
 */
export const supportAnalysis =
  (client: SignedClient, { workspace, timeoutMs, now }: { workspace: string; timeoutMs: number; now: () => number }) =>
  async (request: SupportRequest, { signal }: { signal: AbortSignal }): Promise<SupportResponse> => {
    const capabilities = ['support:analyze', 'kb:read'];
    const answer = await client.call(ownContext(workspace, { capabilities, timeoutMs, now: now() }), {
      to: SUPPORT,
      path: '/v1/support/analyze',
      // Agents also see weak sources, where there are no better ones.
      body: JSON.stringify({ ...request, include_weak: true }),
      signal,
    });
    if (!answer.ok) throw failed(`there is no answer of support (${answer.error.code})`);
    if (answer.status !== 200) throw failed(`support answered with status ${answer.status}`, answer.status !== 400);
    const read = readAs(SupportResponse, parsed(answer.json));
    if (!read.ok) throw failed('the answer of support is not in the expected form');
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

const MAX_TEXT = 32_000;
const MAX_SUBJECT = 1000;
const MAX_NAME = 200;
const MAX_HISTORY = 100;
/** UTF-8 bytes. With message and metadata the body stays below the 256 KiB that a guarded route reads. */
const MAX_HISTORY_BYTES = 80_000;
/** A little below the contract's limits, which count the values in another order. */
const METADATA = { maxDepth: 6, maxLength: 15_000 };
const MAX_MEMBERS = 100;

/**
 * The request for the analysis of a message: its text, the public messages before it, and what the helpdesk knows, each within the
 * limits of the contract. The latest messages and the first members of the metadata have priority.
 *
 * @returns Undefined when the message is empty.
 */
export const supportRequestOf = (ticket: Ticket, message: HelpdeskMessage): SupportRequest | undefined => {
  const isFirst = ticket.messages.find(({ from }) => from === 'customer')?.id === message.id;
  // A first message may consist of its subject.
  const text = cut(message.text.trim() !== '' || !isFirst ? message.text : (ticket.subject ?? ''), MAX_TEXT);
  if (text.trim() === '') return undefined;
  const metadata = boundedMetadata(ticket.metadata);
  const history = historyBefore(ticket, message);
  return {
    message: text,
    ...(ticket.subject?.trim() ? { subject: cut(ticket.subject.trim(), MAX_SUBJECT) } : {}),
    ...(ticket.customer.name?.trim() ? { customer_name: cut(ticket.customer.name.trim(), MAX_NAME) } : {}),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    ...(history.length > 0 ? { history } : {}),
  };
};

/** Public messages of customer and agents, oldest first, without internal notes. */
const historyBefore = ({ messages }: Ticket, message: HelpdeskMessage): TicketMessage[] => {
  const at = messages.findIndex(({ id }) => id === message.id);
  const history: TicketMessage[] = [];
  let bytes = 0;
  for (const { from, isPublic, text, sentAtMs } of messages.slice(0, Math.max(at, 0)).reverse()) {
    if (from === 'system' || !isPublic || text.trim() === '') continue;
    const entry = { from, text: cut(text, MAX_TEXT) };
    bytes += utf8(JSON.stringify(entry)).length + 40;
    if (bytes > MAX_HISTORY_BYTES || history.length === MAX_HISTORY) break;
    history.unshift({ ...entry, ...(isTime(sentAtMs) ? { sent_at: new Date(sentAtMs).toISOString() } : {}) });
  }
  return history;
};

const boundedMetadata = (metadata: Ticket['metadata']): Record<string, unknown> => {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(metadata).slice(0, MAX_MEMBERS)) {
    if (value === undefined || name === '__proto__') continue;
    if (isWithin({ ...kept, [name]: value }, METADATA)) kept[name] = value;
  }
  return kept;
};

/** Up to the year 9999, as in the contract's timestamps. */
const isTime = (ms: number | undefined): ms is number => ms !== undefined && ms >= 0 && ms < 253_402_300_800_000;

/** Without half of a surrogate pair at the end. */
const cut = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '');
