import type { ErrorCode } from '../contract/error-info.ts';
import type { Bytes } from '../runtime/base64url.ts';
import { untilAborted } from '../runtime/until-aborted.ts';
import { type Connections, SecretMissing } from './connections.ts';
import {
  type Delivery,
  DeliveryUnreadable,
  HELPDESK_IDS,
  type HelpdeskEvent,
  type HelpdeskId,
  type HelpdeskTool,
} from './helpdesk-tool.ts';
import { verifyDelivery } from './signatures.ts';
import type { TicketMessage } from './tickets/ticket-message.ts';

/** Where what was delivered is kept. */
interface KeepParts {
  /** In its ticket's object, or the workspace's desk. */
  keep(message: Extract<TicketMessage, { kind: 'event' }>): Promise<string | undefined>;
  /** On the queue: for what is kept, to be worked on soon; for what could not be kept, as a whole. */
  enqueue(message: TicketMessage): Promise<void>;
}

export interface ReceiveParts extends KeepParts {
  connections: Pick<Connections, 'secretsOf'>;
  tools: Readonly<Partial<Record<HelpdeskId, HelpdeskTool>>>;
  now: () => number;
  /** Goes on after the answer. */
  waitUntil: (work: Promise<unknown>) => void;
  onFault(where: string, error: unknown): void;
}

/** What a delivery came to. */
export type Receipt =
  | { ok: true; accepted: number; reason?: string | undefined }
  | { ok: false; code: Extract<ErrorCode, 'UNAUTHORIZED' | 'SERVICE_UNAVAILABLE'>; reason: string };

/** Together well below the second in which a tool gets its answer, whatever is down. */
const KEEP_MS = 500;
const ENQUEUE_MS = 300;
/** Of one delivery. */
const MAX_EVENTS = 100;
/** Stands for the secrets of a workspace that there is not: to verify against it takes as long. */
const NO_SECRET = ['whsec_bm9ib2R5IGhhcyB0aGlzIHNlY3JldA=='];

/**
 * Takes in a delivery: proved first, over its bytes, then read, then kept.
 *
 * An unknown workspace is refused as a wrong signature is, after the same work. What is proved and cannot be read is taken and left:
 * the tool would send the same again, and switch the webhook off after a while (reference: Help Scout after ten).
 */
export const receiveDelivery = async (
  delivery: Delivery,
  { helpdesk, workspace }: { helpdesk: string; workspace: string },
  parts: ReceiveParts,
): Promise<Receipt> => {
  const id = HELPDESK_IDS.find((known) => known === helpdesk);
  const tool = id === undefined ? undefined : parts.tools[id];
  const secrets = id === undefined ? undefined : secretsOf(parts.connections, workspace, id);
  if (secrets === 'none set') {
    return { ok: false, code: 'SERVICE_UNAVAILABLE', reason: 'no secret of the connection is set' };
  }
  const signatures = (tool ?? parts.tools.chatwoot)?.signatures ?? [];
  const isProved = await verifyDelivery(delivery, signatures, { secrets: secrets ?? NO_SECRET, now: parts.now() });
  if (!isProved || tool === undefined || secrets === undefined)
    return { ok: false, code: 'UNAUTHORIZED', reason: 'the delivery is not proved' };
  const events = readEvents(tool, delivery);
  if (!Array.isArray(events)) return { ok: true, accepted: 0, reason: events.reason };
  const wanted = events.filter((event) => event.kind !== 'ignored');
  const ignored = events.find((event) => event.kind === 'ignored');
  const kept = await Promise.all(
    wanted.map((event) => keepOrQueue({ kind: 'event', workspace, helpdesk: tool.id, event }, parts)),
  );
  if (kept.every(Boolean)) return { ok: true, accepted: wanted.length, reason: ignored?.reason.slice(0, 200) };
  return { ok: false, code: 'SERVICE_UNAVAILABLE', reason: 'neither the record nor the queue takes it' };
};

const secretsOf = (
  connections: ReceiveParts['connections'],
  workspace: string,
  helpdesk: HelpdeskId,
): readonly string[] | undefined | 'none set' => {
  try {
    return connections.secretsOf(workspace, helpdesk);
  } catch (error) {
    if (error instanceof SecretMissing) return 'none set';
    throw error;
  }
};

const readEvents = (tool: HelpdeskTool, delivery: Delivery): HelpdeskEvent[] | { reason: string } => {
  try {
    const events = tool.read(delivery);
    if (events.length > MAX_EVENTS) return { reason: `more than ${MAX_EVENTS} events` };
    return events.every(isBounded) ? events : { reason: 'an id is empty or too long' };
  } catch (error) {
    // Says what is missing, never what there is.
    if (error instanceof DeliveryUnreadable) return { reason: 'not what the tool sends' };
    throw error;
  }
};

const isId = (id: string): boolean => id.length > 0 && id.length <= 200;

const isBounded = (event: HelpdeskEvent): boolean =>
  event.kind !== 'message' || (isId(event.ticketId) && (typeof event.message === 'string' || isId(event.message.id)));

/** Kept, or on the queue as a whole where that fails or takes too long; the same twice is one job. False when neither takes it. */
const keepOrQueue = async (
  message: Extract<TicketMessage, { kind: 'event' }>,
  { keep, enqueue, waitUntil, onFault }: ReceiveParts,
): Promise<boolean> => {
  try {
    const ticketId = await within(() => keep(message), { ms: KEEP_MS, reason: 'the record did not answer in time' });
    const { workspace, helpdesk } = message;
    // Whether this succeeds or not: the record's alarm sees to it as well.
    if (ticketId !== undefined)
      waitUntil(enqueue({ kind: 'ticket', workspace, helpdesk, ticketId }).catch((error) => onFault('queue', error)));
    return true;
  } catch (error) {
    onFault('record', error);
  }
  try {
    await within(() => enqueue(message), { ms: ENQUEUE_MS, reason: 'the queue did not answer in time' });
    return true;
  } catch (error) {
    onFault('queue', error);
    return false;
  }
};

const within = <T>(work: () => Promise<T>, { ms, reason }: { ms: number; reason: string }): Promise<T> =>
  untilAborted(work, { signal: AbortSignal.timeout(ms), reason });

/** A delivery as it came, its body read once: signatures are over the bytes. */
export const deliveryOf = (request: Request, body: Bytes): Delivery => ({
  method: request.method,
  url: request.url,
  headers: request.headers,
  body,
});
