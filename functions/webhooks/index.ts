import { identityFrom } from '../../src/platform/context/identity.ts';
import { faultLogger } from '../../src/platform/log.ts';
import { serveApp } from '../../src/platform/serve/serve-app.ts';
import type { Variables } from '../../src/platform/settings/settings.ts';
import { storeQueued } from '../../src/support/tickets/deliveries.ts';
import type { DeskObjectEnv, TicketObjectEnv } from '../../src/support/tickets/durable-objects.ts';
import { readHandoverTargets } from '../../src/support/tickets/handover-target.ts';
import {
  learnFrom,
  type Stubs,
  storeEvent,
  ticketObjectName,
} from '../../src/support/tickets/ticket-objects.ts';
import { readTicketTimes } from '../../src/support/tickets/ticket-times.ts';
import { createTicketsApp } from '../../src/support/tickets/tickets-app.ts';
import { createApp } from '../../src/support/tickets/webhooks-app.ts';
import { readConnections } from '../../src/support/tools/connections.ts';
import { helpdeskTools } from '../../src/support/tools/helpdesk-tools.ts';
import type { settings } from './settings.ts';

// biome-ignore lint/performance/noBarrelFile: the runtime looks for the classes of Durable Objects here
export { DeskObject, TicketObject } from '../../src/support/tickets/durable-objects.ts';

interface Env extends Variables<typeof settings>, TicketObjectEnv, DeskObjectEnv {}

const stubsOf = (env: Env): Stubs => ({
  ticketStub: (place) => env.TICKETS.getByName(ticketObjectName(place)),
  workspaceStub: (workspace) => env.DESKS.getByName(workspace),
});

/** Without an identity, so that deliveries are stored even when the function has no keys. */
const deliveries = serveApp('webhooks', async (env: Env) => {
  // Fails early: the Durable Objects read them after a delivery was accepted.
  readTicketTimes(env);
  const stubs = stubsOf(env);
  return createApp({
    connections: readConnections(env),
    tools: helpdeskTools,
    store: (message) => storeEvent(message, stubs),
    storeLater: (message) =>
      stubs.workspaceStub(message.workspace).addDelivery(message.workspace, message),
    countRefused: (workspace, helpdesk, count) =>
      stubs.workspaceStub(workspace).addRefused(workspace, helpdesk, count),
    listOversized: (workspace, delivery) =>
      stubs.workspaceStub(workspace).addOversized(workspace, delivery),
    learn: (sent, place) => learnFrom(sent, { ...place, ...stubs }),
  });
});

const tickets = serveApp('webhooks', async (env: Env) =>
  createTicketsApp({
    ...stubsOf(env),
    guard: await identityFrom(env, 'webhooks'),
    connectionsOf: (workspace) => readConnections(env).list(helpdeskTools, workspace),
    handoverTo: readHandoverTargets(env),
  }),
);

export default {
  fetch: (request, env, ctx) =>
    (new URL(request.url).pathname.startsWith('/v1/') ? tickets : deliveries)(request, env, ctx),
  // For one release: deliveries on the queue of an earlier version, whose consumer stays until the queue is deleted.
  queue: ({ messages }, env) =>
    storeQueued(messages, {
      store: (message) => storeEvent(message, stubsOf(env)),
      onFault: faultLogger('webhooks'),
    }),
} satisfies ExportedHandler<Env>;
