import type { Context } from 'hono';
import { Hono } from 'hono/tiny';
import { describeIssues, issuesOf } from '../contract/issue.ts';
import { ReplayRequest, TicketsRequest } from '../contract/tickets.ts';
import {
  contextGuard,
  faultHandler,
  type GuardedEnv,
  type GuardOptions,
  refusal,
  requireCapability,
} from '../runtime/context-guard.ts';
import { readJson } from '../runtime/read-json.ts';
import type { DeskStub } from './tickets/desk-stub.ts';
import { replayTickets } from './tickets/replay-tickets.ts';
import type { TicketMessage, TicketPlace } from './tickets/ticket-message.ts';
import type { TicketStub } from './tickets/ticket-stub.ts';

interface TicketsAppOptions {
  guard: Omit<GuardOptions, 'self' | 'access' | 'replay'>;
  desk(workspace: string): DeskStub;
  ticket(place: TicketPlace): TicketStub;
  enqueue(message: TicketMessage): Promise<void>;
}

const SELF = 'webhooks';

/** How the tickets of a workspace stand, and dead ones once more: for a signed context with `helpdesk:write`. */
export const createTicketsApp = (options: TicketsAppOptions) => {
  const { guard, desk } = options;
  const app = new Hono<GuardedEnv>();
  app.onError(faultHandler({ ...guard, self: SELF }));
  app.notFound(() => refusal('NOT_FOUND', { librarian: SELF }));
  const settings = { ...guard, self: SELF, access: 'signed' as const };
  const replay = {
    isFirst: (linkHash: string, { workspace, ...call }: { workspace: string; ttlSeconds: number; nowMs: number }) =>
      desk(workspace).isFirstCall(workspace, linkHash, call),
  };
  const mayWrite = requireCapability('helpdesk:write');
  app.get('/v1/support/tickets', contextGuard(settings), mayWrite, (c) => listTickets(c, options));
  app.post('/v1/support/tickets/replay', contextGuard({ ...settings, replay }), mayWrite, async (c) => {
    const request = readJson(c.get('body'), ReplayRequest);
    if (!request.ok) return invalid(c, request.problem);
    return c.json(await replayTickets(request.value, { ...options, workspace: c.get('context').workspace }));
  });
  return app;
};

const listTickets = async (c: Context<GuardedEnv>, { desk }: TicketsAppOptions): Promise<Response> => {
  const query = TicketsRequest.safeParse(c.req.query());
  if (!query.success) return invalid(c, `Cannot list tickets: ${describeIssues(issuesOf(query.error))}`);
  const { workspace } = c.get('context');
  const tickets = await desk(workspace).list(workspace, query.data);
  if (tickets === 'unknown cursor') return invalid(c, 'Cannot list tickets: cursor is not one of ours');
  return c.json(tickets);
};

const invalid = (c: Context<GuardedEnv>, message: string): Response => {
  c.set('outcome', 'INVALID_QUERY');
  return refusal('INVALID_QUERY', { librarian: SELF, message });
};
