import type { TicketRef } from './ticket-objects.ts';

/** First guess of how long a ticket works, and how much of it each ticket that leaves corrects. */
const FIRST_MS = 500;
const SHARE = 0.1;
/** A ticket that was not called asks again after twice the time in which its turn should have come, and this. */
const SLACK_MS = 5000;
const MAX_WAITING = 10_000;

interface TurnParts {
  /** Tickets that work at once. */
  limit: number;
  /** A ticket that has not left by then counts no more, in milliseconds. */
  longestMs: number;
  now: () => number;
  /** Tells a waiting ticket that its turn has come. False when it has nothing to do. */
  call(place: TicketRef): Promise<boolean>;
}

/**
 * Lets few tickets of a workspace work at once: each holds a connection to the helpdesk, and support analyses its message. The others wait
 * in the order in which they came. In memory: after a restart of the object the waiting ones ask again, and a few more work for a while.
 */
export function createTurns({ limit, longestMs, now, call }: TurnParts) {
  const startTimes = new Map<string, number>();
  const queue = new Map<string, TicketRef>();
  let averageMs = FIRST_MS;

  /** @param asker A ticket that asks at this moment, which needs no call. */
  const callNext = (asker?: string): void => {
    for (const [name, place] of queue) {
      if (startTimes.size >= limit) return;
      queue.delete(name);
      startTimes.set(name, now());
      if (name === asker) continue;
      call(place).then(
        (begins) => begins || free(name),
        () => free(name),
      );
    }
  };
  const free = (name: string, asker?: string): void => {
    startTimes.delete(name);
    callNext(asker);
  };
  return {
    /** When a ticket may begin, in milliseconds since 1970: at once when that is not later than now. */
    enter: (place: TicketRef): number => {
      const name = nameOf(place);
      for (const [each, at] of startTimes) if (now() - at > longestMs) free(each, name);
      if (startTimes.has(name) || startTimes.size < limit) {
        queue.delete(name);
        startTimes.set(name, now());
        return now();
      }
      // Beyond, a ticket comes again by its own alarm alone.
      if (queue.size < MAX_WAITING) queue.set(name, place);
      return Math.ceil(now() + SLACK_MS + (2 * queue.size * averageMs) / limit);
    },
    leave: (place: TicketRef): void => {
      const name = nameOf(place);
      const at = startTimes.get(name);
      if (at === undefined) return;
      averageMs += SHARE * (now() - at - averageMs);
      free(name);
    },
    /** A ticket that may not work for now neither has a turn nor waits for one. */
    remove: (place: TicketRef): void => {
      queue.delete(nameOf(place));
      free(nameOf(place));
    },
  };
}

const nameOf = ({ helpdesk, ticketId }: TicketRef): string => `${helpdesk} ${ticketId}`;
