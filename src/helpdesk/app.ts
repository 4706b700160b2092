import { Hono } from 'hono/tiny';
import { type ErrorCode, HTTP_STATUS } from '../contract/error-info.ts';
import { readBody } from '../http/read-body.ts';
import { faultHandler, type GuardedEnv, refusal } from '../runtime/context-guard.ts';
import { errorInfo } from '../runtime/error-info-of.ts';
import { jsonAnswer } from '../runtime/json-answer.ts';
import { describeCause, type Log, logLine } from '../runtime/log.ts';
import { waitUntilOf } from '../runtime/wait-until.ts';
import { deliveryOf, type Receipt, type ReceiveParts, receiveDelivery } from './receive-delivery.ts';

interface WebhooksAppOptions extends Pick<ReceiveParts, 'connections' | 'tools' | 'keep' | 'enqueue'> {
  now?: (() => number) | undefined;
  log?: Log | undefined;
}

const SELF = 'webhooks';
const ROUTE = '/webhooks/:helpdesk/:workspace?';
/** Zendesk sends 256 KiB at most, Chatwoot mails with their HTML. */
const MAX_DELIVERY_BYTES = 512 * 1024;
/** Short: Zendesk sends again only when it is. */
const RETRY_AFTER_SECONDS = 5;

/** Deliveries of helpdesk tools, which are public and proved by the secret that workspace and tool share: they take no key of ours. */
export const createApp = (options: WebhooksAppOptions) => {
  const { now = Date.now, log = logLine } = options;
  const app = new Hono<GuardedEnv>();
  app.onError(faultHandler({ self: SELF, now, log }));
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

  return app;
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
