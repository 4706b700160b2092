import { type ExecutionContext, Hono } from 'hono';
import { serviceTargets } from '../../../src/librarians/delegation/librarian-directory.ts';
import { type IdentityVariables, identityFrom } from '../../../src/platform/context/identity.ts';
import { originate } from '../../../src/platform/context/request-context.ts';
import { signedClient } from '../../../src/platform/context/signed-client.ts';
import { serveApp } from '../../../src/platform/serve/serve-app.ts';

/** Calls its relay once, with or without signed context and receipt, to measure a signed hop. */
const fetch = serveApp('gateway', async (env: IdentityVariables) => {
  const identity = await identityFrom(env, 'gateway');
  const targets = serviceTargets(env);
  const client = signedClient({ ...identity, targets });
  const app = new Hono();
  app.post('/unsigned', async (c) => {
    const request = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: await c.req.text(),
    };
    const answer = await targets['relay-1']?.fetch(new Request('http://relay-1/unsigned', request));
    return new Response(await answer?.arrayBuffer(), { status: answer?.status ?? 502 });
  });
  app.post('/signed', async (c) => {
    const context = originate({
      self: 'gateway',
      subject: 'user:bench',
      workspace: 'default',
      authentication: 'key',
      capabilities: ['kb:read'],
      now: Date.now(),
    });
    const body = await c.req.text();
    const answer = await client.call(context, {
      to: 'relay-1',
      path: '/librarians/relay-1/ask',
      body,
    });
    return answer.ok ? new Response(answer.body, { status: answer.status }) : c.json(answer, 502);
  });
  return app;
});

export default {
  fetch: (request: Request, env: IdentityVariables, ctx: ExecutionContext): Promise<Response> =>
    fetch(request, env, ctx),
};
