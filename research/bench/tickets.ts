import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ROOT } from '../../tools/functions.ts';
import type { LocalDesk } from '../../tools/stand-ins/helpdesks/desk/local-desk.ts';
import { startHelpdesks } from '../../tools/stand-ins/helpdesks/start-helpdesks.ts';
import { type ProductWithDesks, startWithDesks } from './chaos/product-with-desks.ts';
import { percentilesOf, singleClient } from './single-client.ts';

const WARM_UP = 50;
const SINGLE_DELIVERIES = 500;
const TICKETS = 1000;
/** New tickets a second, 72,000 an hour, each delivered once, at a fixed rate. */
const STEADY_RATE = 20;
const STEADY_TICKETS = 400;
/** Deliveries per ticket. */
const TIMES = 2;
const CLIENTS = 8;
const PATIENCE_MS = 600_000;

interface Ticket {
  ticketId: string;
  messageId: string;
}

/**
 * Tickets in workerd, with the whole product behind them, without a model and without a network: how soon a delivery is answered on the
 * webhooks function's own socket, and how fast a thousand tickets become notes. Five are worked on at
 * once.
 */
export async function benchTickets(): Promise<void> {
  const helpdesks = await startHelpdesks();
  const { chatwoot } = helpdesks.desks;
  const running = await startWithDesks({ desks: { default: [chatwoot] } });
  try {
    await running.product.sync({ full: true });
    const first = createTickets(chatwoot, WARM_UP + SINGLE_DELIVERIES);
    await answersOf(running, chatwoot, first.slice(0, WARM_UP));
    await untilNoted(chatwoot, first.slice(0, WARM_UP));
    const known = first.slice(WARM_UP);
    const times = {
      new: await answersOf(running, chatwoot, known, { waits: true }),
      again: await answersOf(running, chatwoot, known),
    };
    const steady = await steadyAnswers(running, chatwoot);
    const drained = await drain(running, chatwoot);
    console.log(
      'POST /webhooks/chatwoot on the webhooks function itself, from signature to answer',
    );
    console.table([
      row('one client, each of another ticket, one after the other', times.new),
      row('one client, the same again', times.again),
      row(`${STEADY_RATE} new tickets a second, while they are worked on`, steady),
      row(`${CLIENTS} clients, while ${TICKETS} tickets are worked on`, drained.times),
    ]);
    console.log('The goal is p99 50 ms.\n');
    const { accepted, seconds, lost, doubled } = drained;
    console.log(
      `${TICKETS} tickets, each delivered ${TIMES} times (${accepted} deliveries): all noted after ${seconds.toFixed(1)} s, ` +
        `${Math.round(TICKETS / seconds)} a second; lost ${lost}, doubled ${doubled}\n`,
    );
  } finally {
    await running.stop();
    await helpdesks.stop();
  }
}

const createTickets = (desk: LocalDesk, count: number): Ticket[] => {
  const samples = JSON.parse(readFileSync(join(ROOT, 'tools/sample/tickets.json'), 'utf8')) as {
    message: string;
  }[];
  return Array.from({ length: count }, (_, at) =>
    desk.createTicket({
      message: `${samples[at % samples.length]?.message ?? ''}\n\nMy number is ${at}.`,
    }),
  );
};

/** Milliseconds that each delivery took, one after the other; `waits`: the next one once the note of the last is there. */
const answersOf = async (
  { webhooks }: ProductWithDesks,
  desk: LocalDesk,
  tickets: readonly Ticket[],
  { waits = false }: { waits?: boolean } = {},
): Promise<number[]> => {
  const client = singleClient({});
  const times: number[] = [];
  for (const { ticketId, messageId } of tickets) {
    const { headers, body } = desk.sign(ticketId, messageId);
    times.push(await client.post(new URL('/webhooks/chatwoot', webhooks), body, headers));
    if (waits) await untilNoted(desk, [{ ticketId, messageId }]);
  }
  client.close();
  return times;
};

/** Milliseconds since each delivery was due, independent of earlier ones. */
const steadyAnswers = async (
  { webhooks }: ProductWithDesks,
  desk: LocalDesk,
): Promise<number[]> => {
  const tickets = createTickets(desk, STEADY_TICKETS);
  const clients = Array.from({ length: STEADY_RATE }, () => singleClient({}));
  const url = new URL('/webhooks/chatwoot', webhooks);
  const startedAt = performance.now() + 100;
  const deliver = async ({ ticketId, messageId }: Ticket, at: number): Promise<number> => {
    const due = startedAt + (at * 1000) / STEADY_RATE;
    const { headers, body } = desk.sign(ticketId, messageId);
    await delay(Math.max(0, due - performance.now()));
    const late = performance.now() - due;
    return late + ((await clients[at % STEADY_RATE]?.post(url, body, headers)) ?? 0);
  };
  const times = await Promise.all(tickets.map(deliver));
  for (const client of clients) client.close();
  await untilNoted(desk, tickets);
  return times;
};

const drain = async (running: ProductWithDesks, desk: LocalDesk) => {
  const tickets = createTickets(desk, TICKETS);
  const deliveries = Array.from({ length: TIMES }, () => tickets).flat();
  const startedAt = performance.now();
  const shares = Array.from({ length: CLIENTS }, (_, client) =>
    deliveries.filter((_, at) => at % CLIENTS === client),
  );
  const times = (await Promise.all(shares.map((share) => answersOf(running, desk, share)))).flat();
  await untilNoted(desk, tickets);
  const seconds = (performance.now() - startedAt) / 1000;
  const notes = tickets.map(({ ticketId }) => desk.notes(ticketId).length);
  const [lost, doubled] = [
    notes.filter((count) => count === 0).length,
    notes.filter((count) => count > 1).length,
  ];
  return { times, seconds, lost, doubled, accepted: times.length };
};

const untilNoted = async (desk: LocalDesk, tickets: readonly Ticket[]): Promise<void> => {
  const end = performance.now() + PATIENCE_MS;
  while (
    tickets.some(({ ticketId }) => desk.notes(ticketId).length === 0) &&
    performance.now() < end
  )
    await delay(5);
};

const row = (what: string, times: readonly number[]) => {
  const { p50, p99 } = percentilesOf(times);
  return {
    what,
    deliveries: times.length,
    'p50 ms': p50.toFixed(1),
    'p99 ms': p99.toFixed(1),
    'max ms': Math.max(...times).toFixed(1),
  };
};
