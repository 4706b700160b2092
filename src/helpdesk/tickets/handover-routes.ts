import type { Context } from 'hono';
import * as z from 'zod';
import { describeIssues, readAs } from '../../contract/error-info.ts';
import {
  type HandoverAccepted,
  HandoverErasureQuery,
  HandoverRequest,
  type HandoversPage,
  HandoversRequest,
} from '../../contract/tickets.ts';
import { type GuardedEnv, refusal } from '../../runtime/context-guard.ts';
import { readJson } from '../../runtime/json-http.ts';
import type { HelpdeskId } from '../helpdesk-tool.ts';
import type { Stubs } from './ticket-objects.ts';

export interface HandoverRoutesOptions extends Pick<Stubs, 'workspaceStub'> {
  /** A tool or `list`, to which requests of a workspace go; undefined: it accepts none. */
  handoverTo(workspace: string): HelpdeskId | 'list' | undefined;
}

type Guarded = Context<GuardedEnv>;

const SELF = 'webhooks';
const RETRY_SECONDS = 3600;

/** What the gateway sends: the request, and by what its sender is counted. */
const Sent = z.strictObject({ request: HandoverRequest, sender: z.string().min(1).max(64).optional() });

const refuse = (
  c: Guarded,
  code: 'INVALID_QUERY' | 'NOT_FOUND' | 'RATE_LIMITED',
  known: Partial<Refusal>,
): Response => {
  c.set('outcome', code);
  return refusal(code, { librarian: SELF, ...known });
};
type Refusal = { message: string; suggestion: string; details: Record<string, unknown> };

/** Handlers of `/v1/support/requests`, behind the guard. */
export const handoverRoutes = ({ workspaceStub, handoverTo }: HandoverRoutesOptions) => ({
  accept: async (c: Guarded): Promise<Response> => {
    const { workspace } = c.get('context');
    const target = handoverTo(workspace);
    if (target === undefined)
      return refuse(c, 'NOT_FOUND', {
        message: 'Cannot hand over to a person: this workspace accepts no requests of visitors',
        suggestion: 'Set HANDOVER of the webhooks function (docs/widget.md), or use a contact link',
      });
    const sent = readJson(c.get('body'), Sent);
    if (!sent.ok) return refuse(c, 'INVALID_QUERY', { message: sent.problem });
    const { request, sender } = sent.value;
    const state = await workspaceStub(workspace).addHandover(workspace, request, { target, sender });
    if (state === 'too many')
      return refuse(c, 'RATE_LIMITED', {
        message: 'Cannot accept the request: there were too many within the last hour',
        suggestion: 'Send the same request again in an hour, or use another way to reach a person',
        details: { retry_after_seconds: RETRY_SECONDS },
      });
    return c.json({ id: request.idempotency_key, state } satisfies HandoverAccepted, 202);
  },
  list: async (c: Guarded): Promise<Response> => {
    const query = readAs(HandoversRequest, c.req.query());
    if (!query.ok)
      return refuse(c, 'INVALID_QUERY', { message: `Cannot list requests: ${describeIssues(query.issues)}` });
    const { workspace } = c.get('context');
    const page = await workspaceStub(workspace).handovers(workspace, query.value);
    if (page === 'unknown cursor')
      return refuse(c, 'INVALID_QUERY', { message: 'Cannot list requests: cursor is not one of ours' });
    return c.json(page satisfies HandoversPage);
  },
  erase: async (c: Guarded): Promise<Response> => {
    const query = readAs(HandoverErasureQuery, c.req.query());
    if (!query.ok)
      return refuse(c, 'INVALID_QUERY', { message: `Cannot erase requests: ${describeIssues(query.issues)}` });
    const { workspace } = c.get('context');
    return c.json({ erased: await workspaceStub(workspace).eraseHandovers(workspace, query.value) });
  },
});
