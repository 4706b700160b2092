import { Hono } from 'hono';
import { serveApp } from '../../src/runtime/serve-app.ts';

export default { fetch: serveApp('sources', async () => new Hono()) } satisfies ExportedHandler<object>;
