import { DurableObject } from 'cloudflare:workers';
import { Hono } from 'hono';
import { serveApp } from '../../src/runtime/serve-app.ts';

export class GapsObject extends DurableObject {}

export default { fetch: serveApp('support', async () => new Hono()) } satisfies ExportedHandler<object>;
