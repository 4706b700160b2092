import { createApp } from '../../src/helpdesk/app.ts';
import { readConnections } from '../../src/helpdesk/connections.ts';
import { ticketConsumer } from '../../src/helpdesk/tickets/consume-tickets.ts';
import type { DeskObjectEnv } from '../../src/helpdesk/tickets/desk-object.ts';
import type { DeskStub } from '../../src/helpdesk/tickets/desk-stub.ts';
import { keepEvent } from '../../src/helpdesk/tickets/keep-event.ts';
import { nameOfPlace, type TicketMessage, type TicketPlace } from '../../src/helpdesk/tickets/ticket-message.ts';
import type { TicketObjectEnv } from '../../src/helpdesk/tickets/ticket-object.ts';
import type { TicketStub } from '../../src/helpdesk/tickets/ticket-stub.ts';
import { readTicketTimes } from '../../src/helpdesk/tickets/ticket-times.ts';
import { createTicketsApp } from '../../src/helpdesk/tickets-app.ts';
import { helpdeskTools } from '../../src/helpdesk/tools/helpdesk-tools.ts';
import { identityFrom } from '../../src/runtime/identity.ts';
import { serveApp } from '../../src/runtime/serve-app.ts';

// biome-ignore lint/performance/noBarrelFile: the runtime looks for the classes of Durable Objects here
export { DeskObject } from '../../src/helpdesk/tickets/desk-object.ts';
export { TicketObject } from '../../src/helpdesk/tickets/ticket-object.ts';

interface Env extends TicketObjectEnv, DeskObjectEnv {
  TICKETS: DurableObjectNamespace;
}

const objectsOf = (env: Env) => ({
  // The classes are TicketObject and DeskObject, whose types the namespaces do not carry.
  ticket: (place: TicketPlace) => env.TICKETS.getByName(nameOfPlace(place)) as unknown as TicketStub,
  desk: (workspace: string) => env.DESKS.getByName(workspace) as unknown as DeskStub,
});

const enqueueOn = (env: Env) => async (message: TicketMessage) => void (await env.TICKET_QUEUE.send(message));

/** By themselves: a function that cannot say who it is keeps what is delivered all the same. */
const deliveries = serveApp('webhooks', async (env: Env) => {
  // What the objects read as well: a wrong value is told before a delivery is taken.
  readTicketTimes(env);
  const objects = objectsOf(env);
  return createApp({
    connections: readConnections(env),
    tools: helpdeskTools,
    keep: (message) => keepEvent(message, objects),
    enqueue: enqueueOn(env),
  });
});

const tickets = serveApp('webhooks', async (env: Env) =>
  createTicketsApp({ ...objectsOf(env), guard: await identityFrom(env, 'webhooks'), enqueue: enqueueOn(env) }),
);

const DEAD_LETTERS = /-dead$/;

export default {
  fetch: (request, env, ctx) =>
    (new URL(request.url).pathname.startsWith('/webhooks/') ? deliveries : tickets)(request, env, ctx),
  queue: async ({ queue, messages }, env) => {
    const { retryMs } = readTicketTimes(env);
    const { consume, bury } = ticketConsumer({ ...objectsOf(env), retryMs, now: Date.now, random: Math.random });
    await (DEAD_LETTERS.test(queue) ? bury(messages) : consume(messages));
  },
} satisfies ExportedHandler<Env>;
