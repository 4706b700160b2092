import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import type { AskRequest, ProgressEvent } from '../../src/contract/ask.ts';
import { type GatewayCall, routeMatcher } from '../../src/contract/http-routes.ts';
import type { LibrarianResponse } from '../../src/contract/response.ts';
import type { Asking } from '../../src/gateway/ask.ts';
import { callsFor } from '../../src/gateway/calls-for-caller.ts';
import { GatewayError, type RateLimit } from '../../src/gateway/gateway-error.ts';
import type { GatewayEnv } from '../../src/gateway/request-log.ts';

const QUESTION = { query: 'How long does shipping to Canada take?' };
const STATEMENT = { text: 'Shipping takes 4 to 7 days.', sources: [], support: 0.9, check: 'quoted' as const };
const ANSWER: LibrarianResponse = { answer: STATEMENT.text, confidence: 0.9, metadata: { statements: [STATEMENT] } };

/** What a function that translates a protocol gets for one request; `use` is that function. */
const withCall = async (
  use: (call: GatewayCall) => Promise<void>,
  { asking = () => async () => ANSWER, left = 0, gone }: { asking?: Asking; left?: number; gone?: AbortSignal } = {},
): Promise<{ outcome: string | undefined }> => {
  const app = new Hono<GatewayEnv>();
  let room = left;
  const standard: RateLimit = { limit: async () => ({ success: room-- > 0 }) };
  let outcome: string | undefined;
  app.get('/v1/models', (c) => c.json({ signedBy: c.req.header('Authorization') }));
  app.post('/v1/sync', (c) => c.body(null));
  app.post('/protocol', async (c) => {
    c.set('apiKey', { id: 'k', name: 'test', workspaces: ['acme'], capabilities: [], rate: 'standard' });
    const limits = { standard, high: standard, anonymous: standard };
    const isCallable = routeMatcher(['GET /v1/models']);
    await use(callsFor(c, { app, asking, limits, isCallable, gone }));
    outcome = c.get('outcome');
    return c.body(null);
  });
  app.onError((error) => {
    throw error;
  });
  await app.request('/protocol', { method: 'POST', headers: { Authorization: 'Bearer secret' } });
  return { outcome };
};

describe('what a function may do in the name of a caller', () => {
  it('asks one question for the request that was counted, and counts each further one', async () => {
    await withCall(
      async (call) => {
        expect((await call.ask(QUESTION)).answer).toBe(ANSWER.answer);
        expect((await call.ask(QUESTION)).answer).toBe(ANSWER.answer);
        expect((await call.ask(QUESTION)).error?.code).toBe('RATE_LIMITED');
      },
      { left: 1 },
    );
  });

  it('reports what happens before it answers, and every statement of the answer once', async () => {
    const asking: Asking =
      () =>
      async ({ progress }) => {
        progress?.({ type: 'searching' });
        return ANSWER;
      };
    await withCall(
      async (call) => {
        const seen: ProgressEvent['type'][] = [];
        await call.ask(QUESTION, async ({ type }) => {
          await new Promise((resolve) => void setTimeout(resolve, 1));
          seen.push(type);
        });
        expect(seen).toEqual(['searching', 'statement', 'metadata']);
      },
      { asking },
    );
  });

  it('answers a question that it refuses with the error, which is the outcome of the request', async () => {
    const refuses: Asking = (_c, { librarian }: AskRequest) => {
      throw new GatewayError('NOT_FOUND', { message: `there is no ${librarian}` });
    };
    const { outcome } = await withCall(
      async (call) => {
        expect(await call.ask({ ...QUESTION, librarian: 'x' })).toMatchObject({ error: { message: 'there is no x' } });
      },
      { asking: refuses },
    );
    expect(outcome).toBe('NOT_FOUND');
    await withCall(async (call) => {
      const { error } = await call.ask({ query: 7, surprise: true });
      expect(error).toMatchObject({ code: 'INVALID_QUERY', message: expect.stringContaining('query') });
    });
  });

  it('ends what was begun when it is stopped, or when the caller is gone', async () => {
    const asking: Asking =
      () =>
      ({ signal }) =>
        new Promise((resolve) => {
          if (signal.aborted) resolve({ error: { code: 'TIMEOUT', message: 'stopped' } });
          signal.addEventListener('abort', () => resolve({ error: { code: 'TIMEOUT', message: 'stopped' } }));
        });
    await withCall(
      async (call) => {
        const asked = call.ask(QUESTION);
        await call.stop();
        expect((await asked).error?.message).toBe('stopped');
      },
      { asking },
    );
    const leave = new AbortController();
    await withCall(
      async (call) => {
        const asked = call.ask(QUESTION);
        leave.abort();
        expect((await asked).error?.message).toBe('stopped');
      },
      { asking, gone: leave.signal },
    );
  });

  it('calls the routes that are listed with the credentials of the caller, and no others', async () => {
    await withCall(async (call) => {
      const listed = await call.route(new Request('http://127.0.0.1/v1/models'));
      expect(await listed.json()).toEqual({ signedBy: 'Bearer secret' });
      expect((await call.route(new Request('http://127.0.0.1/v1/sync', { method: 'POST' }))).status).toBe(404);
    });
  });
});
