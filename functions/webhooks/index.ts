import { readConnections } from '../../src/helpdesk/connections.ts';
import type { DeskObjectEnv, TicketObjectEnv } from '../../src/helpdesk/tickets/durable-objects.ts';
import { type HandoverVariables, handoverTarget } from '../../src/helpdesk/tickets/handovers.ts';
import { ticketConsumer } from '../../src/helpdesk/tickets/queue-consumer.ts';
import {
  learnFrom,
  type Stubs,
  storeEvent,
  type TicketMessage,
  type TicketStub,
  ticketObjectName,
  type WorkspaceStub,
} from '../../src/helpdesk/tickets/ticket-objects.ts';
import { readTicketTimes } from '../../src/helpdesk/tickets/ticket-times.ts';
import { createTicketsApp } from '../../src/helpdesk/tickets/tickets-app.ts';
import { createApp } from '../../src/helpdesk/tickets/webhooks-app.ts';
import { helpdeskTools } from '../../src/helpdesk/tools/helpdesk-tools.ts';
import { serveApp } from '../../src/runtime/serve-app.ts';
import { identityFrom } from '../../src/signing/identity.ts';

// biome-ignore lint/performance/noBarrelFile: the runtime looks for the classes of Durable Objects here
export { DeskObject, TicketObject } from '../../src/helpdesk/tickets/durable-objects.ts';

interface Env extends TicketObjectEnv, DeskObjectEnv, HandoverVariables {
  TICKETS: DurableObjectNamespace;
}

const stubsOf = (env: Env): Stubs => ({
  // The classes are TicketObject and DeskObject, whose types the namespaces do not carry.
  ticketStub: (place) => env.TICKETS.getByName(ticketObjectName(place)) as unknown as TicketStub,
  workspaceStub: (workspace) => env.DESKS.getByName(workspace) as unknown as WorkspaceStub,
});

const enqueueOn = (env: Env) => async (message: TicketMessage) => void (await env.TICKET_QUEUE.send(message));

/** Without an identity, so that deliveries are stored even when the function has no keys. */
const deliveries = serveApp('webhooks', async (env: Env) => {
  // Fails early: the Durable Objects read them after a delivery was accepted.
  readTicketTimes(env);
  const stubs = stubsOf(env);
  return createApp({
    connections: readConnections(env),
    tools: helpdeskTools,
    store: (message) => storeEvent(message, stubs),
    countRefused: (workspace, helpdesk, count) => stubs.workspaceStub(workspace).addRefused(workspace, helpdesk, count),
    listOversized: (workspace, delivery) => stubs.workspaceStub(workspace).addOversized(workspace, delivery),
    learn: (sent, place) => learnFrom(sent, { ...place, ...stubs }),
    enqueue: enqueueOn(env),
  });
});

const tickets = serveApp('webhooks', async (env: Env) =>
  createTicketsApp({
    ...stubsOf(env),
    guard: await identityFrom(env, 'webhooks'),
    connectionsOf: (workspace) => readConnections(env).list(helpdeskTools, workspace),
    handoverTo: (workspace) => handoverTarget(workspace, env),
    enqueue: enqueueOn(env),
  }),
);

const DEAD_LETTER_QUEUE = /-dead$/;

export default {
  fetch: (request, env, ctx) =>
    (new URL(request.url).pathname.startsWith('/v1/') ? tickets : deliveries)(request, env, ctx),
  queue: async ({ queue, messages }, env) => {
    const { retryMs } = readTicketTimes(env);
    const consumer = ticketConsumer({ ...stubsOf(env), retryMs, now: Date.now, random: Math.random });
    await (DEAD_LETTER_QUEUE.test(queue) ? consumer.consumeDeadLetters(messages) : consumer.consume(messages));
  },
} satisfies ExportedHandler<Env>;
