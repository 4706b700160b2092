import { sha256 } from '@noble/hashes/sha2.js';
import { Hono } from 'hono/tiny';
import { type ErrorCode, HTTP_STATUS } from '../../contract/core/error-info.ts';
import type { Healthz } from '../../contract/core/librarian.ts';
import { waitUntilOf } from '../../platform/concurrency.ts';
import { faultHandler, type GuardedEnv, refusal } from '../../platform/context/context-guard.ts';
import { errorInfo } from '../../platform/context/error-info-of.ts';
import { type Bytes, encodeBase64url } from '../../platform/encoding.ts';
import { withDeadline } from '../../platform/http/deadline.ts';
import { jsonAnswer } from '../../platform/http/json-http.ts';
import { discard } from '../../platform/http/read-body.ts';
import { describeCause, type Log, logLine } from '../../platform/log.ts';
import { type Connections, ConnectionUnusable } from '../tools/connections.ts';
import {
  type Delivery,
  DeliveryUnreadable,
  HELPDESK_IDS,
  type HelpdeskEvent,
  type HelpdeskId,
  type HelpdeskTool,
  type SentReply,
} from '../tools/helpdesk-tool.ts';
import { startVerification, type Verification } from '../tools/signatures.ts';
import type { EventMessage, Oversized, TicketKey } from './ticket-objects.ts';

interface WebhooksAppOptions {
  connections: Pick<Connections, 'secretsOf' | 'list'>;
  tools: Readonly<Partial<Record<HelpdeskId, HelpdeskTool>>>;
  /** Stores an event in the Durable Object that works on it. */
  store(message: EventMessage): Promise<void>;
  /** Stores an event with its workspace, which hands it on. */
  storeLater(message: EventMessage): Promise<void>;
  /** Lists a verified delivery that is too large to be read. */
  listOversized(workspace: string, delivery: Oversized): Promise<void>;
  /** Counts deliveries to a connection that none of its secrets verifies. */
  countRefused(workspace: string, helpdesk: HelpdeskId, count: number): Promise<void>;
  /** Compares what an agent has sent with the draft. */
  learn?:
    | ((sent: SentReply, place: Pick<TicketKey, 'workspace' | 'helpdesk'>) => Promise<void>)
    | undefined;
  now?: (() => number) | undefined;
  log?: Log | undefined;
}

const SELF = 'webhooks';
const ROUTE = '/webhooks/:helpdesk/:workspace?';
/** Threads of Help Scout reach 626 KB, with the HTML of every email. */
const MAX_DELIVERY_BYTES = 4 * 1024 * 1024;
/** Up to here a delivery is verified as it arrives, and listed for a person where it is not read: some 0.2 s of work. */
const MAX_VERIFIED_BYTES = 32 * 1024 * 1024;
/** Zendesk repeats a delivery only when this is short. */
const RETRY_AFTER_SECONDS = 5;

/** Webhooks of helpdesk tools: public, and verified by the secret that workspace and tool share instead of an API key. */
export function createApp(options: WebhooksAppOptions) {
  const { now = Date.now, log = logLine } = options;
  const app = new Hono<GuardedEnv>();
  app.onError(faultHandler({ self: SELF, now, log }));
  app.notFound(() => refusal('NOT_FOUND', { librarian: SELF }));
  const onFault = (where: string, error: unknown): void => {
    const cause = describeCause(error);
    log({
      event: 'fault',
      time: now(),
      librarian: SELF,
      where,
      code: 'SERVICE_UNAVAILABLE',
      cause,
    });
  };

  const connections = options.connections.list(options.tools);
  const wrong = connections.filter(({ problem }) => problem !== undefined);
  for (const { problem = '' } of wrong)
    log({
      event: 'fault',
      time: now(),
      librarian: SELF,
      where: 'HELPDESKS',
      code: 'SERVICE_UNAVAILABLE',
      cause: problem,
    });
  const misconfigured = [...new Set(wrong.map(({ helpdesk }) => helpdesk))].slice(0, 100);
  const health: Healthz = {
    status: wrong.length > 0 ? 'degraded' : 'ok',
    adapters: {},
    helpdesks: { connections: connections.length, misconfigured },
  };
  app.get('/healthz', (c) => c.json(health));

  const countRefused = refusalCounter({ ...options, onFault });
  // Intercom checks the URL with HEAD, which Hono routes as GET.
  app.get(ROUTE, (c) =>
    c.req.method === 'HEAD' ? c.body(null, 200) : refusal('NOT_FOUND', { librarian: SELF }),
  );
  app.post(ROUTE, async (c) => {
    const arrival = now();
    const place = {
      helpdesk: c.req.param('helpdesk'),
      workspace: c.req.param('workspace') ?? 'default',
    };
    const receipt = await receive(c.req.raw, place, {
      ...options,
      now,
      onFault,
      countRefused,
      waitUntil: waitUntilOf(c),
    });
    const status = receipt.ok ? 200 : HTTP_STATUS[receipt.code];
    const line = {
      event: 'request' as const,
      time: arrival,
      librarian: SELF,
      route: `POST ${ROUTE}`,
      status,
      outcome: receipt.ok ? 'ok' : receipt.code,
      duration_ms: now() - arrival,
      reason: receipt.reason,
    };
    log(line, waitUntilOf(c));
    return receipt.ok ? jsonAnswer({ accepted: receipt.accepted }) : refused(receipt.code);
  });

  return app;
}

type RefusalCode = Extract<ErrorCode, 'UNAUTHORIZED' | 'SERVICE_UNAVAILABLE' | 'INVALID_QUERY'>;

const refused = (code: RefusalCode): Response =>
  jsonAnswer(
    { error: errorInfo(code, { librarian: SELF, ...REFUSALS[code] }) },
    { status: HTTP_STATUS[code], headers: HEADERS[code] ?? {} },
  );

const REFUSALS: Record<RefusalCode, { message: string; suggestion: string }> = {
  UNAUTHORIZED: {
    message: 'Cannot accept the delivery: it is not signed with a secret of this address',
    suggestion:
      'Compare the address and the secret in the tool with the connection, and the clocks of both',
  },
  SERVICE_UNAVAILABLE: {
    message: 'Cannot store the delivery right now',
    suggestion: 'Send the same delivery again in a few seconds',
  },
  INVALID_QUERY: {
    message: `Cannot read the delivery: it has more than ${MAX_VERIFIED_BYTES} bytes`,
    suggestion: 'Have the tool send less: ids are enough, since the ticket is read over the API',
  },
};

const HEADERS: Partial<Record<RefusalCode, Record<string, string>>> = {
  UNAUTHORIZED: { 'WWW-Authenticate': 'WebhookSignature' },
  SERVICE_UNAVAILABLE: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
};

/**
 * Counts refused deliveries. While a count is being stored, further ones wait for the next call: an isolate has one call in flight for a
 * connection, however many deliveries it refuses.
 */
const refusalCounter = ({
  countRefused,
  onFault,
}: Pick<WebhooksAppOptions, 'countRefused'> &
  Pick<ReceiveOptions, 'onFault'>): ReceiveOptions['countRefused'] => {
  const waiting = new Map<string, number>();
  return async (workspace, helpdesk) => {
    const name = `${helpdesk} ${workspace}`;
    const isStoring = waiting.has(name);
    waiting.set(name, (waiting.get(name) ?? 0) + 1);
    if (isStoring) return;
    try {
      for (let count = waiting.get(name) ?? 0; count > 0; count = waiting.get(name) ?? 0) {
        waiting.set(name, 0);
        await within(() => countRefused(workspace, helpdesk, count), {
          ms: STORE_MS,
          reason: 'no count was stored in time',
        });
      }
    } catch (error) {
      onFault('refused', error);
    } finally {
      waiting.delete(name);
    }
  };
};

interface ReceiveOptions extends Omit<WebhooksAppOptions, 'log' | 'countRefused'> {
  now: () => number;
  /** Never rejects. */
  countRefused(workspace: string, helpdesk: HelpdeskId): Promise<void>;
  /** Continues work after the response. */
  waitUntil: (work: Promise<unknown>) => void;
  onFault(where: string, error: unknown): void;
}

type Receipt =
  | { ok: true; accepted: number; reason?: string | undefined }
  | { ok: false; code: RefusalCode; reason: string };

/** Together well below one second, the time within which a tool gets its response whatever is down. */
const STORE_MS = 500;
const STORE_LATER_MS = 300;
const MAX_EVENTS = 100;
/** Verified against for unknown workspaces, so that they take as long as known ones. */
const DUMMY_SECRETS = ['whsec_bm9ib2R5IGhhcyB0aGlzIHNlY3JldA=='];

/**
 * Verifies a delivery over its bytes, reads it, and stores its events.
 *
 * An unknown workspace is refused like a wrong signature, after the same work. A verified delivery that cannot be read is accepted and
 * dropped: the tool would only repeat it, and disable the webhook after a while (Help Scout after ten failures).
 */
const receive = async (
  request: Request,
  { helpdesk, workspace }: { helpdesk: string; workspace: string },
  options: ReceiveOptions,
): Promise<Receipt> => {
  const id = HELPDESK_IDS.find((known) => known === helpdesk);
  const tool = id === undefined ? undefined : options.tools[id];
  const secrets = id === undefined ? undefined : secretsOf(options.connections, workspace, id);
  const { method, url, headers } = request;
  const verification = startVerification(
    { method, url, headers },
    (tool ?? options.tools.chatwoot)?.signatures ?? [],
    {
      secrets: secrets === 'unusable' ? [] : (secrets ?? DUMMY_SECRETS),
      now: options.now(),
    },
  );
  const received = verification.isPossible
    ? await receiveBody(request, verification)
    : discard(request.body);
  if (received === 'too large')
    return { ok: false, code: 'INVALID_QUERY', reason: 'the body is too large' };
  if (secrets === 'unusable')
    return { ok: false, code: 'SERVICE_UNAVAILABLE', reason: 'the connection cannot be used' };
  const isVerified = received !== undefined && (await verification.isVerified(received.body));
  if (!isVerified || tool === undefined || secrets === undefined) {
    // Only for connections that exist: no one else can make a workspace's object.
    if (tool !== undefined && secrets !== undefined)
      options.waitUntil(options.countRefused(workspace, tool.id));
    return { ok: false, code: 'UNAUTHORIZED', reason: 'the delivery is not verified' };
  }
  const { body } = received;
  if (body === undefined) return listed(received, { workspace, helpdesk: tool.id }, options);
  const delivery = { method, url, headers, body };
  const events = readEvents(tool, delivery);
  if (!Array.isArray(events)) return { ok: true, accepted: 0, reason: events.reason };
  const wanted = events.flatMap((event): Exclude<HelpdeskEvent, { kind: 'ignored' }>[] =>
    event.kind === 'ignored' ? listedEvent(event) : [event],
  );
  const ignored = events.find((event) => event.kind === 'ignored');
  const sent = ignored?.sent;
  // A figure that is lost does no harm: no work depends on it, and the tool need not wait.
  if (sent !== undefined && isId(sent.ticketId))
    options.waitUntil(
      options
        .learn?.(sent, { workspace, helpdesk: tool.id })
        .catch((error) => options.onFault('learn', error)) ?? Promise.resolve(),
    );
  const stored = await Promise.all(
    wanted.map((event) =>
      storeEither({ kind: 'event', workspace, helpdesk: tool.id, event }, options),
    ),
  );
  const accepted = events.filter(({ kind }) => kind !== 'ignored').length;
  if (stored.every(Boolean)) return { ok: true, accepted, reason: ignored?.reason.slice(0, 200) };
  return { ok: false, code: 'SERVICE_UNAVAILABLE', reason: 'neither object stores it' };
};

/** A body that has arrived: whole up to 4 MiB; of a larger one its size and hash. */
type Received = { body: Bytes } | { body: undefined; bytes: number; hash: string };

/** Reads a body for its verification. The largest costs no more memory than one that is kept. */
const receiveBody = async (
  { body: stream, headers }: Request,
  verification: Verification,
): Promise<Received | 'too large'> => {
  if (Number(headers.get('Content-Length')) > MAX_VERIFIED_BYTES) {
    discard(stream);
    return 'too large';
  }
  const kept: Bytes[] = [];
  let hash: ReturnType<typeof sha256.create> | undefined;
  let bytes = 0;
  for await (const chunk of stream ?? []) {
    bytes += chunk.length;
    // Leaving the loop cancels the stream.
    if (bytes > MAX_VERIFIED_BYTES) return 'too large';
    verification.add(chunk);
    kept.push(chunk);
    if (bytes <= MAX_DELIVERY_BYTES) continue;
    hash ??= sha256.create();
    for (const part of kept.splice(0)) hash.update(part);
  }
  if (hash !== undefined)
    return { body: undefined, bytes, hash: encodeBase64url(new Uint8Array(hash.digest())) };
  return { body: new Uint8Array(await new Blob(kept).arrayBuffer()) };
};

/** Accepts a delivery that is too large to be read: the tool would only repeat it, and a person finds it in the list. */
const listed = async (
  { bytes, hash }: Omit<Oversized, 'helpdesk'>,
  { workspace, helpdesk }: { workspace: string; helpdesk: string },
  { listOversized, onFault }: ReceiveOptions,
): Promise<Receipt> => {
  try {
    const work = () => listOversized(workspace, { helpdesk, bytes, hash });
    await within(work, { ms: STORE_MS, reason: 'the list did not answer in time' });
    return { ok: true, accepted: 0, reason: `listed only: it has ${bytes} bytes` };
  } catch (error) {
    onFault('list', error);
    return {
      ok: false,
      code: 'SERVICE_UNAVAILABLE',
      reason: 'a large delivery could not be listed',
    };
  }
};

const secretsOf = (
  connections: WebhooksAppOptions['connections'],
  workspace: string,
  helpdesk: HelpdeskId,
): readonly string[] | undefined | 'unusable' => {
  try {
    return connections.secretsOf(workspace, helpdesk);
  } catch (error) {
    if (error instanceof ConnectionUnusable) return 'unusable';
    throw error;
  }
};

const readEvents = (
  tool: HelpdeskTool,
  delivery: Delivery,
): HelpdeskEvent[] | { reason: string } => {
  try {
    const events = tool.read(delivery);
    if (events.length > MAX_EVENTS) return { reason: `more than ${MAX_EVENTS} events` };
    return events.every(isBounded) ? events : { reason: 'an id is empty or too long' };
  } catch (error) {
    if (error instanceof DeliveryUnreadable) return { reason: 'not what the tool sends' };
    throw error;
  }
};

/** Automatic mail is stored like a message, so that it is listed, and ends at once. */
const listedEvent = ({
  listed: mail,
}: Extract<HelpdeskEvent, { kind: 'ignored' }>): MessageEventOf[] =>
  mail === undefined || !isId(mail.ticketId) || !isId(mail.messageId)
    ? []
    : [
        {
          kind: 'message',
          ticketId: mail.ticketId,
          message: { id: mail.messageId },
          automatic: mail.reason,
        },
      ];

type MessageEventOf = Extract<HelpdeskEvent, { kind: 'message' }>;

const isId = (id: string): boolean => id.length > 0 && id.length <= 200;

const isBounded = (event: HelpdeskEvent): boolean =>
  event.kind !== 'message' ||
  (isId(event.ticketId) && (typeof event.message === 'string' || isId(event.message.id)));

/** Stores an event in its object, or with the workspace where that fails or takes too long; both together give one job. */
const storeEither = async (
  message: EventMessage,
  { store, storeLater, onFault }: ReceiveOptions,
): Promise<boolean> => {
  try {
    await within(() => store(message), {
      ms: STORE_MS,
      reason: 'the object did not answer in time',
    });
    return true;
  } catch (error) {
    onFault('object', error);
  }
  try {
    await within(() => storeLater(message), {
      ms: STORE_LATER_MS,
      reason: 'the workspace did not answer in time',
    });
    return true;
  } catch (error) {
    onFault('workspace', error);
    return false;
  }
};

const within = <T>(
  work: () => Promise<T>,
  { ms, reason }: { ms: number; reason: string },
): Promise<T> => withDeadline(work, { signal: AbortSignal.timeout(ms), reason });
