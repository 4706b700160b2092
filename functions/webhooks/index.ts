import { DurableObject } from 'cloudflare:workers';
import { Hono } from 'hono';
import { serveApp } from '../../src/runtime/serve-app.ts';

export class TicketObject extends DurableObject {}
export class DeskObject extends DurableObject {}

export default {
  fetch: serveApp('webhooks', async () => new Hono()),
  queue: async () => undefined,
} satisfies ExportedHandler<object>;
