import { readAs } from '../../contract/core/error-info.ts';
import { waitAtMost, withDeadline } from '../../platform/http/deadline.ts';
import { describeCause, type Log, logLine } from '../../platform/log.ts';
import { type EventMessage, type Stubs, storeEvent, type TicketKey, TicketMessage } from './ticket-objects.ts';
import { backOffMs } from './ticket-times.ts';

/** A message of the queue, as the runtime passes it. */
interface QueuedMessage {
  body: unknown;
  attempts: number;
  ack(): void;
  retry(options: { delaySeconds: number }): void;
}

export interface ConsumerParts extends Stubs {
  /** Wait after the first failure: see `TicketTimes`. */
  retryMs: number;
  now: () => number;
  random: () => number;
  log?: Log | undefined;
}

/** How long a batch waits for one ticket, which usually takes a few hundred milliseconds; its object continues afterwards. */
const WORK_MS = 2000;
const RPC_MS = 5000;
const MAX_DELAY_SECONDS = 600;

/**
 * Consumes the queue. A failed job is retried by its ticket's object, whose alarm queues it; messages are retried only when an object
 * could not be called. Never throws.
 */
export const ticketConsumer = (parts: ConsumerParts) => {
  const { ticketStub, workspaceStub, retryMs, now, random, log = logLine } = parts;
  const fault = (where: string, error: unknown): void => {
    const cause = describeCause(error);
    log({ ...{ event: 'fault', time: now(), librarian: 'webhooks', where, code: 'INTERNAL_ERROR' }, cause });
  };

  const retry = (message: QueuedMessage): void => {
    const seconds = Math.round(backOffMs(message.attempts, { retryMs, random }) / 1000);
    message.retry({ delaySeconds: Math.min(seconds, MAX_DELAY_SECONDS) });
  };

  const work = async (place: TicketKey, pausedUntil: number | undefined): Promise<void> => {
    const object = ticketStub(place);
    const isPaused = pausedUntil !== undefined && pausedUntil > now();
    const working: Promise<unknown> = isPaused ? object.postpone(place, pausedUntil) : object.work(place);
    await waitAtMost(working, WORK_MS, undefined);
  };

  const handle = async (message: QueuedMessage, pausesOf: PausesOf): Promise<void> => {
    const read = readAs(TicketMessage, message.body);
    if (!read.ok) {
      fault('queue', new Error('a message is not one of ours'));
      return message.ack();
    }
    const { workspace, helpdesk } = read.value;
    try {
      const ticketId = read.value.kind === 'ticket' ? read.value.ticketId : await storeInTime(read.value, parts);
      if (ticketId !== undefined) {
        const pauses = await pausesOf(workspace);
        await work({ workspace, helpdesk, ticketId }, pauses[helpdesk]);
      }
      message.ack();
    } catch (error) {
      fault('queue', error);
      retry(message);
    }
  };

  return {
    consume: async (messages: readonly QueuedMessage[]): Promise<void> => {
      const known = new Map<string, Promise<Record<string, number>>>();
      const pausesOf: PausesOf = (workspace) => {
        const pauses =
          known.get(workspace) ??
          withDeadline(() => workspaceStub(workspace).pausedUntil(workspace), {
            signal: AbortSignal.timeout(RPC_MS),
            reason: 'the object of the workspace did not answer',
          }).catch((error: unknown) => {
            // The tool's own replies show a rate limit as well.
            fault('workspace', error);
            return {};
          });
        known.set(workspace, pauses);
        return pauses;
      };
      await Promise.all(messages.map((message) => handle(message, pausesOf)));
    },
    /** After all retries: a delivery is listed for people; for a ticket its object has everything. */
    consumeDeadLetters: async (messages: readonly QueuedMessage[]): Promise<void> => {
      await Promise.all(
        messages.map(async (message) => {
          const read = readAs(TicketMessage, message.body);
          try {
            if (read.ok && read.value.kind === 'event') await storeOrList(read.value, parts);
            message.ack();
          } catch (error) {
            fault('dead letters', error);
            message.retry({ delaySeconds: MAX_DELAY_SECONDS });
          }
        }),
      );
    },
  };
};

type PausesOf = (workspace: string) => Promise<Record<string, number>>;

/** Tries to store the event once more, and lists it as dead otherwise. */
const storeOrList = async (message: EventMessage, parts: ConsumerParts): Promise<void> => {
  try {
    // The alarm of the ticket's object starts the work.
    await storeInTime(message, parts);
  } catch (error) {
    const { workspace, helpdesk, event } = message;
    if (event.kind !== 'message') throw error;
    const { ticketId } = event;
    const about = typeof event.message === 'object' ? event.message.id : event.message;
    const delivery = { helpdesk, ticketId, about, message: JSON.stringify(message) };
    await parts.workspaceStub(workspace).addUndelivered(workspace, delivery);
  }
};

const storeInTime = (message: EventMessage, stubs: Stubs): Promise<string | undefined> =>
  withDeadline(() => storeEvent(message, stubs), {
    signal: AbortSignal.timeout(RPC_MS),
    reason: 'the object of the ticket did not answer in time',
  });
