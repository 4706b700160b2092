import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import type { LibrarianResponse } from '../../../src/contract/core/response.ts';
import { routeMatcher } from '../../../src/contract/routes/http-routes.ts';
import type { GatewayCall } from '../../../src/contract/wire/gateway-call.ts';
import { GatewayError, type RateLimit } from '../../../src/gateway/access/gateway-error.ts';
import type { GatewayEnv } from '../../../src/gateway/access/request-log.ts';
import type { Asking } from '../../../src/gateway/ask/ask.ts';
import { callsFor } from '../../../src/gateway/protocols/calls-for-caller.ts';

const QUESTION = { query: 'How long does shipping to Canada take?' };
const STATEMENT = {
  text: 'Shipping takes 4 to 7 days.',
  sources: [],
  support: 0.9,
  check: 'quoted' as const,
};
const ANSWER: LibrarianResponse = {
  answer: STATEMENT.text,
  confidence: 0.9,
  metadata: { statements: [STATEMENT] },
};

/** What a function that translates a protocol gets for one request; `use` is that function. Returns the outcome. */
const withCall = async (
  use: (call: GatewayCall) => Promise<void>,
  {
    asking = () => async () => ANSWER,
    left = 0,
    gone,
  }: { asking?: Asking; left?: number; gone?: AbortSignal | undefined } = {},
): Promise<string | undefined> => {
  const app = new Hono<GatewayEnv>();
  let room = left;
  const standard: RateLimit = { limit: async () => ({ success: room-- > 0 }) };
  let outcome: string | undefined;
  app.get('/v1/models', (c) => c.json({ signedBy: c.req.header('Authorization') }));
  app.post('/v1/sync', (c) => c.body(null));
  app.post('/protocol', async (c) => {
    c.set('apiKey', {
      id: 'k',
      name: 'test',
      workspaces: ['acme'],
      capabilities: [],
      rate: 'standard',
    });
    const limits = { standard, high: standard, anonymous: standard };
    await use(
      callsFor(c, { app, asking, limits, isCallable: routeMatcher(['GET /v1/models']), gone }),
    );
    outcome = c.get('outcome');
    return c.body(null);
  });
  app.onError((error) => {
    throw error;
  });
  await app.request('/protocol', { method: 'POST', headers: { Authorization: 'Bearer secret' } });
  return outcome;
};

describe('what a function may do in the name of a caller', () => {
  it('asks one question for the request that was counted, and counts each further one', async () => {
    const asksThrice = async (call: GatewayCall) => {
      const { answer } = ANSWER;
      for (const expected of [{ answer }, { answer }, { error: { code: 'RATE_LIMITED' } }])
        expect(await call.ask(QUESTION)).toMatchObject(expected);
    };
    await withCall(asksThrice, { left: 1 });
  });
  it('reports what happens before it answers, and every statement of the answer once', async () => {
    const searches: Asking = () => async (reporting) => {
      reporting.progress?.({ type: 'searching' });
      return ANSWER;
    };
    const reports = async (call: GatewayCall) => {
      const seen: string[] = [];
      await call.ask(QUESTION, async ({ type }) => {
        await new Promise((resolve) => void setTimeout(resolve, 1));
        seen.push(type);
      });
      expect(seen).toEqual(['searching', 'statement', 'metadata']);
    };
    await withCall(reports, { asking: searches });
  });
  it('answers a question that it refuses with the error, which is the outcome of the request', async () => {
    const refuses: Asking = (_, { librarian }) => {
      throw new GatewayError('NOT_FOUND', { message: `there is no ${librarian}` });
    };
    const asks = (body: object, error: object) => async (call: GatewayCall) =>
      expect(await call.ask(body)).toMatchObject({ error });
    const unknown = { ...QUESTION, librarian: 'x' };
    expect(await withCall(asks(unknown, { message: 'there is no x' }), { asking: refuses })).toBe(
      'NOT_FOUND',
    );
    const invalid = { code: 'INVALID_QUERY', message: expect.stringContaining('query') };
    await withCall(asks({ query: 7, surprise: true }, invalid));
  });

  const leave = new AbortController();
  it.each<[string, (call: GatewayCall) => Promise<void> | void, AbortSignal?]>([
    ['it is stopped', (call) => call.stop()],
    ['the caller is gone', () => leave.abort(), leave.signal],
  ])('ends what was begun when %s', async (_, ends, gone) => {
    const stopped = { error: { code: 'TIMEOUT' as const, message: 'stopped' } };
    const waits: Asking = () => (reporting) =>
      new Promise((resolve) => {
        if (reporting.signal.aborted) resolve(stopped);
        reporting.signal.addEventListener('abort', () => resolve(stopped));
      });
    const asksAndEnds = async (call: GatewayCall) => {
      const asked = call.ask(QUESTION);
      await ends(call);
      expect(await asked).toMatchObject(stopped);
    };
    await withCall(asksAndEnds, { asking: waits, gone });
  });
  it('calls the routes that are listed with the credentials of the caller, and no others', async () => {
    await withCall(async (call) => {
      const listed = await call.route(new Request('http://127.0.0.1/v1/models'));
      expect(await listed.json()).toEqual({ signedBy: 'Bearer secret' });
      expect(
        (await call.route(new Request('http://127.0.0.1/v1/sync', { method: 'POST' }))).status,
      ).toBe(404);
    });
  });
});
