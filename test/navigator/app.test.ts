import { beforeAll, describe, expect, it } from 'vitest';
import { EditionUnavailable } from '../../src/knowledge/edition/edition-reader.ts';
import type { Edition } from '../../src/knowledge/edition/open-edition.ts';
import { createApp } from '../../src/navigator/app.ts';
import { identityFrom } from '../../src/runtime/identity.ts';
import { originate } from '../../src/runtime/request-context.ts';
import { signedClient } from '../../src/runtime/signed-client.ts';
import { openSmallKb } from './small-kb.ts';

let edition: Edition;
beforeAll(() => {
  edition = openSmallKb().edition;
});

const identityOf = (id: string) => identityFrom({ ENVIRONMENT: 'development' }, id);
const seen: string[] = [];
const call = async (path: string, body: unknown, { capabilities = ['kb:read'], fails = false } = {}) => {
  const app = createApp({
    ...(await identityOf('navigator')),
    log: () => {},
    editionFor: async ({ context }) => {
      seen.push(context.workspace);
      if (fails) throw new EditionUnavailable('Cannot answer yet: no knowledge base has been synced');
      return edition;
    },
  });
  const target = { fetch: async (request: Request) => app.fetch(request) };
  const client = signedClient({ ...(await identityOf('gateway')), targets: { navigator: target }, log: () => {} });
  const context = originate({
    self: 'gateway',
    subject: 'user:u1',
    workspace: 'acme',
    authentication: 'key',
    capabilities,
    now: Date.now(),
  });
  const answer = await client.call(context, { to: 'navigator', path, body });
  if (!answer.ok) throw new Error(answer.error.message);
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever came back
  return { status: answer.status, reply: answer.json() as any };
};

describe('the navigator function', () => {
  it('answers POST /v1/navigate in the shape of seed 004, signed, for the workspace of the context', async () => {
    const { status, reply } = await call('/v1/navigate', { query: 'How often must the boiler be descaled?' });
    expect(status).toBe(200);
    expect(reply).toMatchObject({
      confidence: 'high',
      outOfDomain: false,
      edition: 'e1',
      sources: [{ file: 'care/descale.md', section: 'How often' }],
    });
    expect(seen.at(-1)).toBe('acme');
  });

  it('answers as a librarian in the shape of seed 000', async () => {
    const { status, reply } = await call('/librarians/navigator/ask', {
      query: 'How often must the boiler be descaled?',
    });
    expect(status).toBe(200);
    expect(reply).toMatchObject({
      answer: expect.stringContaining('60 days'),
      metadata: { navigator: { confidence: 'high' } },
    });
  });

  it.each([
    ['an empty query', { query: ' ' }],
    ['an unknown member', { query: 'boiler', top: 3 }],
    ['no object', 7],
    ['an object that looks like a text', { query: { length: { valueOf: 0, toString: 0 } } }],
    ['a query of 100,000 characters', { query: 'x'.repeat(100_000) }],
  ])('refuses %s with INVALID_QUERY', async (_what, body) => {
    const { status, reply } = await call('/v1/navigate', body);
    expect([status, reply.error.code]).toEqual([400, 'INVALID_QUERY']);
  });

  it.each(['/v1/navigate', '/librarians/navigator/ask'])('refuses a context without kb:read at %s', async (path) => {
    const { status, reply } = await call(path, { query: 'boiler' }, { capabilities: ['sql:read'] });
    expect([status, reply.error.code]).toEqual([401, 'UNAUTHORIZED']);
  });

  it.each(['/v1/navigate', '/librarians/navigator/ask'])(
    'says at %s that there is nothing to answer from yet',
    async (path) => {
      const { status, reply } = await call(path, { query: 'boiler' }, { fails: true });
      expect([status, reply.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    },
  );

  it('refuses a call without a context', async () => {
    const app = createApp({ ...(await identityOf('navigator')), log: () => {}, editionFor: async () => edition });
    const response = await app.request('/v1/navigate', { method: 'POST', body: '{"query":"boiler"}' });
    expect(response.status).toBe(401);
  });
});
