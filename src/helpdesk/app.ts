import type { Context } from 'hono';
import { Hono } from 'hono/tiny';
import { type ErrorCode, HTTP_STATUS } from '../contract/error-info.ts';
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
import { errorInfo } from '../runtime/error-info-of.ts';
import { jsonAnswer } from '../runtime/json-answer.ts';
import { describeCause, type Log, logLine } from '../runtime/log.ts';
import { readBody } from '../runtime/read-body.ts';
import { readJson } from '../runtime/read-json.ts';
import { waitUntilOf } from '../runtime/wait-until.ts';
import { deliveryOf, type Receipt, type ReceiveParts, receiveDelivery } from './receive-delivery.ts';
import type { DeskStub } from './tickets/desk-stub.ts';
import { replayTickets } from './tickets/replay-tickets.ts';
import type { TicketMessage, TicketPlace } from './tickets/ticket-message.ts';
import type { TicketStub } from './tickets/ticket-stub.ts';

export interface WebhooksAppOptions extends Pick<ReceiveParts, 'connections' | 'tools' | 'keep'> {
  guard: Omit<GuardOptions, 'self' | 'access' | 'replay'>;
  desk(workspace: string): DeskStub;
  ticket(place: TicketPlace): TicketStub;
  enqueue(message: TicketMessage): Promise<void>;
  now?: (() => number) | undefined;
  log?: Log | undefined;
}

const SELF = 'webhooks';
const ROUTE = '/webhooks/:helpdesk/:workspace?';
/** Zendesk sends 256 KiB at most, Chatwoot mails with their HTML. */
const MAX_DELIVERY_BYTES = 512 * 1024;
/** Short: Zendesk sends again only when it is. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Deliveries of helpdesk tools, and how the tickets stand. Deliveries are public and proved by the secret that workspace and tool
 * share; the rest needs a signed context with `helpdesk:write`.
 */
export const createApp = (options: WebhooksAppOptions) => {
  const { guard, desk, now = Date.now, log = logLine } = options;
  const app = new Hono<GuardedEnv>();
  app.onError(faultHandler({ ...guard, self: SELF, log }));
  app.notFound(() => refusal('NOT_FOUND', { librarian: SELF }));
  const onFault: ReceiveParts['onFault'] = (where, error) =>
    log({
      event: 'fault',
      time: now(),
      librarian: SELF,
      where,
      code: 'SERVICE_UNAVAILABLE',
      cause: describeCause(error),
    });

  // Intercom asks so whether there is anybody; Hono answers HEAD as it answers GET.
  app.get(ROUTE, (c) => (c.req.method === 'HEAD' ? c.body(null, 200) : refusal('NOT_FOUND', { librarian: SELF })));
  app.post(ROUTE, async (c) => {
    const arrival = now();
    const body = await readBody(c.req.raw, MAX_DELIVERY_BYTES);
    const place = { helpdesk: c.req.param('helpdesk'), workspace: c.req.param('workspace') ?? 'default' };
    const receipt =
      body === undefined
        ? ({ ok: false, code: 'INVALID_QUERY', reason: 'the body is too large' } as const)
        : await receiveDelivery(deliveryOf(c.req.raw, body), place, {
            ...options,
            ...{ now, onFault },
            waitUntil: waitUntilOf(c),
          });
    const status = receipt.ok ? 200 : HTTP_STATUS[receipt.code];
    log({
      ...{ event: 'request', time: arrival, librarian: SELF, route: `POST ${ROUTE}`, status },
      outcome: receipt.ok ? 'ok' : receipt.code,
      duration_ms: now() - arrival,
      reason: receipt.reason,
    });
    return receipt.ok ? jsonAnswer({ accepted: receipt.accepted }) : refused(receipt.code);
  });

  const settings = { ...guard, self: SELF, access: 'signed' as const, log };
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

const listTickets = async (c: Context<GuardedEnv>, { desk }: WebhooksAppOptions): Promise<Response> => {
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

type Refused = Extract<Receipt, { ok: false }>['code'] | Extract<ErrorCode, 'INVALID_QUERY'>;

const refused = (code: Refused): Response =>
  jsonAnswer(
    { error: errorInfo(code, { librarian: SELF, ...TOLD[code] }) },
    { status: HTTP_STATUS[code], headers: HEADERS[code] ?? {} },
  );

const TOLD: Record<Refused, { message: string; suggestion: string }> = {
  UNAUTHORIZED: {
    message: 'Cannot accept the delivery: it is not proved by a secret of this address',
    suggestion: 'Compare the address and the secret in the tool with the connection, and the clocks of both',
  },
  SERVICE_UNAVAILABLE: {
    message: 'Cannot keep the delivery right now',
    suggestion: 'Send the same delivery again in a few seconds',
  },
  INVALID_QUERY: {
    message: `Cannot read the delivery: it has more than ${MAX_DELIVERY_BYTES} bytes`,
    suggestion: 'Have the tool send less: ids alone are enough, the ticket is read back',
  },
};

const HEADERS: Partial<Record<Refused, Record<string, string>>> = {
  UNAUTHORIZED: { 'WWW-Authenticate': 'WebhookSignature' },
  SERVICE_UNAVAILABLE: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
};
