import { readAs } from '../../contract/issue.ts';
import { describeCause, type Log, logLine } from '../../runtime/log.ts';
import { untilAborted } from '../../runtime/until-aborted.ts';
import type { DeskStub } from './desk-stub.ts';
import { keepEvent } from './keep-event.ts';
import { TicketMessage, type TicketPlace } from './ticket-message.ts';
import type { TicketStub } from './ticket-stub.ts';
import { backOffMs } from './ticket-times.ts';

/** A message of the queue, as the runtime hands it over. */
interface QueuedMessage {
  body: unknown;
  attempts: number;
  ack(): void;
  retry(options: { delaySeconds: number }): void;
}

export interface ConsumerParts {
  ticket(place: TicketPlace): TicketStub;
  desk(workspace: string): DeskStub;
  /** Wait after the first failure: see `TicketTimes`. */
  retryMs: number;
  now: () => number;
  random: () => number;
  log?: Log | undefined;
}

/** How long the others of a batch wait for one ticket, which usually takes some tenths of a second; its object goes on by itself. */
const WORK_MS = 2000;
const ASK_MS = 5000;
const MAX_DELAY_SECONDS = 600;

/**
 * Works on what is queued. When a failed job is tried again is its object's affair, whose alarm queues it: here only what could not be
 * handed to an object is retried. None of it throws.
 */
export const ticketConsumer = (parts: ConsumerParts) => {
  const { ticket, desk, retryMs, now, random, log = logLine } = parts;
  const fault = (where: string, error: unknown): void =>
    log({
      event: 'fault',
      time: now(),
      librarian: 'webhooks',
      where,
      code: 'INTERNAL_ERROR',
      cause: describeCause(error),
    });

  const retry = (message: QueuedMessage): void => {
    const seconds = Math.round(backOffMs(message.attempts, { retryMs, random }) / 1000);
    message.retry({ delaySeconds: Math.min(seconds, MAX_DELAY_SECONDS) });
  };

  const work = async (place: TicketPlace, pausedUntil: number | undefined): Promise<void> => {
    const object = ticket(place);
    const isPaused = pausedUntil !== undefined && pausedUntil > now();
    const { promise: isLong, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, WORK_MS);
    const working = isPaused ? object.postpone(place, pausedUntil) : object.work(place);
    await Promise.race([working, isLong]).finally(() => clearTimeout(timer));
  };

  const handle = async (message: QueuedMessage, pausesOf: PausesOf): Promise<void> => {
    const read = readAs(TicketMessage, message.body);
    if (!read.ok) {
      fault('queue', new Error('a message is none of ours'));
      return message.ack();
    }
    const { workspace, helpdesk } = read.value;
    try {
      const ticketId = read.value.kind === 'ticket' ? read.value.ticketId : await keepInTime(read.value, parts);
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
        const asking =
          known.get(workspace) ??
          untilAborted(() => desk(workspace).pausedUntil(workspace), {
            signal: AbortSignal.timeout(ASK_MS),
            reason: 'the desk did not answer',
          }).catch((error: unknown) => {
            // Whether the tool wants rest, its own answer tells as well.
            fault('desk', error);
            return {};
          });
        known.set(workspace, asking);
        return asking;
      };
      await Promise.all(messages.map((message) => handle(message, pausesOf)));
    },
    /** What was retried in vain: a delivery is listed for people, a ticket's own record holds the rest. */
    bury: async (messages: readonly QueuedMessage[]): Promise<void> => {
      await Promise.all(
        messages.map(async (message) => {
          const read = readAs(TicketMessage, message.body);
          try {
            if (read.ok && read.value.kind === 'event') await buryEvent(read.value, parts);
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

/** Once more, and then to the list of dead ones. */
const buryEvent = async (message: Extract<TicketMessage, { kind: 'event' }>, parts: ConsumerParts): Promise<void> => {
  try {
    // The object's own alarm has it worked on.
    await keepInTime(message, parts);
  } catch (error) {
    const { workspace, helpdesk, event } = message;
    if (event.kind !== 'message') throw error;
    const { ticketId } = event;
    const about = typeof event.message === 'object' ? event.message.id : event.message;
    const delivery = { helpdesk, ticketId, about, message: JSON.stringify(message) };
    await parts.desk(workspace).addUndelivered(workspace, delivery);
  }
};

const keepInTime = (
  message: Extract<TicketMessage, { kind: 'event' }>,
  parts: ConsumerParts,
): Promise<string | undefined> =>
  untilAborted(() => keepEvent(message, parts), {
    signal: AbortSignal.timeout(ASK_MS),
    reason: 'the record did not answer in time',
  });
