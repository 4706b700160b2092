import { Hono } from 'hono';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Librarian, LibrarianInfo } from '../../src/contract/librarian.ts';
import { LibrarianResponse } from '../../src/contract/response.ts';
import { validateResponse } from '../../src/contract/validate-response.ts';
import { createAsk } from '../../src/gateway/ask.ts';
import { errorOf, errorResponse, GatewayError } from '../../src/gateway/gateway-error.ts';
import { createLibrarians } from '../../src/gateway/librarian-directory.ts';
import type { GatewayEnv } from '../../src/gateway/request-log.ts';
import { serveLibrarian } from '../../src/runtime/serve-librarian.ts';
import { signedClient, type Target } from '../../src/runtime/signed-client.ts';
import { randomHex } from '../../src/signing/digest.ts';
import { identityOf } from '../signing/callers.ts';
import { HOUSE } from './concierge/house.ts';

const NOT_HERE = { code: 'NOT_FOUND' as const, message: 'Cannot find the page', suggestion: 'Ask for another page' };
const answering =
  (answer: string): Librarian =>
  async () => ({ answer, confidence: 0.9, sources: [{ name: `Source of ${answer}`, relevance: 0.9 }] });

let asked: { id: string; query: string; capabilities: readonly string[] | undefined; timeout: number | undefined }[];

beforeEach(() => {
  asked = [];
});

/** The gateway's route in front of real librarians, over signed calls with receipts. */
const start = async ({
  librarians = {},
  infos = HOUSE,
  capabilities = ['kb:read', 'sql:read', 'web:search'],
  own = infos.map(({ id }) => id),
}: {
  librarians?: Record<string, Librarian>;
  infos?: readonly LibrarianInfo[];
  capabilities?: string[];
  own?: string[];
} = {}) => {
  const targets: Record<string, Target> = {};
  for (const info of infos) {
    const librarian: Librarian = async (query, context) => {
      const { user, timeout } = context ?? {};
      asked.push({ id: info.id, query, capabilities: user?.capabilities, timeout });
      return (librarians[info.id] ?? answering(info.id))(query, context);
    };
    const app = serveLibrarian(librarian, info, { ...(await identityOf(info.id)), log: () => {} });
    targets[info.id] = { fetch: async (request) => app.fetch(request) };
  }
  const identity = await identityOf('gateway');
  const app = new Hono<GatewayEnv>();
  app.use(async (c, next) => {
    c.set('traceId', randomHex(16));
    c.set('apiKey', { id: '0123456789abcdef', name: 'test', workspaces: ['acme'], capabilities, rate: 'unlimited' });
    await next();
  });
  app.post(
    '/v1/ask',
    createAsk({
      client: signedClient({ ...identity, targets, log: () => {} }),
      directory: identity.directory,
      librarians: createLibrarians({ targets, own }),
      log: () => {},
    }),
  );
  app.onError((error) => {
    if (error instanceof GatewayError) return errorResponse(errorOf(error.code, error.reported));
    throw error;
  });
  return async (body: Record<string, unknown>) => {
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await app.request('/v1/ask', request);
    return { status: response.status, headers: response.headers, body: LibrarianResponse.parse(await response.json()) };
  };
};

/** Who asked whom, and what came of it. */
const hopsOf = ({ metadata }: LibrarianResponse) =>
  ((metadata?.trace as { hops: { from: string; to: string; outcome: string; verified: boolean }[] })?.hops ?? []).map(
    ({ from, to, outcome, verified }) => `${from} > ${to}: ${outcome}${verified ? '' : ', not verified'}`,
  );

describe('POST /v1/ask through the concierge', () => {
  it.each([{}, { librarian: 'concierge' }])('finds the librarian with %j', async (named) => {
    const ask = await start();
    const { status, body } = await ask({ query: 'How many fans are in stock?', ...named });
    expect(status).toBe(200);
    expect(body).toMatchObject({ answer: 'analytics', confidence: 0.9 });
    expect(hopsOf(body)).toEqual(['gateway > analytics: answer']);
    expect(asked).toMatchObject([{ id: 'analytics', query: 'How many fans are in stock?' }]);
    expect(validateResponse(body)).toMatchObject({ ok: true });
  });

  it('asks several at once, and keeps the part of each', async () => {
    const ask = await start();
    const { body } = await ask({ query: 'How many fans are in stock? How do I reset my password?' });
    expect(asked.map(({ id, query }) => [id, query]).sort()).toEqual([
      ['analytics', 'How many fans are in stock?'],
      ['navigator', 'How do I reset my password?'],
    ]);
    expect(body.metadata?.parts).toMatchObject([{ librarian: 'analytics' }, { librarian: 'navigator' }]);
    expect(hopsOf(body)).toHaveLength(2);
  });

  it('falls back to the default librarian when the specialist fails', async () => {
    const ask = await start({ librarians: { analytics: async () => ({ error: NOT_HERE }) } });
    const { body } = await ask({ query: 'How many fans are in stock?' });
    expect(body.answer).toBe('navigator');
    expect(hopsOf(body)).toEqual(['gateway > analytics: NOT_FOUND', 'gateway > navigator: answer']);
  });

  it('routes only to librarians that the key permits, and delegates no write rights', async () => {
    const ask = await start({ capabilities: ['kb:*'] });
    await ask({ query: 'How many fans are in stock?' });
    expect(asked).toMatchObject([{ id: 'navigator', capabilities: ['kb:read'] }]);
  });

  it('does not route to an external librarian, but calls it when it is named', async () => {
    const ask = await start({ own: ['navigator'] });
    await ask({ query: 'How many fans are in stock?' });
    await ask({ query: 'How many fans are in stock?', librarian: 'analytics' });
    expect(asked.map(({ id }) => id)).toEqual(['navigator', 'analytics']);
  });

  it('answers within timeout_ms, and passes librarians the time left', async () => {
    const ask = await start({ librarians: { navigator: () => new Promise(() => {}) } });
    const startedAt = performance.now();
    const { status, body } = await ask({ query: 'How do I reset my password?', timeout_ms: 300 });
    expect(performance.now() - startedAt).toBeLessThan(400);
    expect([status, body.error?.code]).toEqual([504, 'TIMEOUT']);
    expect(asked[0]?.timeout).toBeLessThan(300);
  });
});

describe('POST /v1/ask and questions that nothing answers', () => {
  const QUESTION = 'Which team won the cup in 1974?';
  const closest = [{ title: 'The cup', url: 'https://kb.example/cup', heading: 'History' }];
  const declined: LibrarianResponse = {
    answer: "I don't have information about this. The closest article is [The cup](https://kb.example/cup).",
    sources: [],
    confidence: 0.1,
    partial: true,
    metadata: { closest, navigator: { outOfDomain: true } },
  };

  it('returns the abstention of the librarian, with the closest articles', async () => {
    const ask = await start({ librarians: { navigator: async () => declined } });
    const { status, body } = await ask({ query: QUESTION });
    expect(status).toBe(200);
    expect(body).toMatchObject(declined);
    expect(hopsOf(body)).toEqual(['gateway > navigator: partial']);
    expect(validateResponse(body)).toMatchObject({ ok: true, warnings: [] });
  });

  it.each([{}, { librarian: 'navigator' }])('says so in the same shape for NOT_FOUND with %j', async (named) => {
    const ask = await start({ librarians: { navigator: async () => ({ error: NOT_HERE }) } });
    const { status, body } = await ask({ query: QUESTION, ...named });
    expect(status).toBe(200);
    expect(body).toMatchObject({ sources: [], partial: true, confidence: 0, metadata: { closest: [] } });
    expect(body.answer).toMatch(/^I found nothing/);
    expect(body.error).toBeUndefined();
    expect(validateResponse(body)).toMatchObject({ ok: true, warnings: [] });
  });

  it('names the part of a message that nothing answers, and keeps the closest articles', async () => {
    const ask = await start({ librarians: { navigator: async () => declined } });
    const { status, body } = await ask({ query: 'How many fans are in stock? Who won the cup in 1974?' });
    expect([status, body.partial]).toEqual([200, true]);
    expect(body.answer).toContain('analytics');
    expect(body.answer).toContain(
      'I found nothing about “Who won the cup in 1974?”. The closest articles: [The cup](https://kb.example/cup).',
    );
    expect(body.metadata?.closest).toEqual(closest);
  });

  it('returns the error of the chosen librarian when it fails and no other fits', async () => {
    const unavailable = { ...NOT_HERE, code: 'SERVICE_UNAVAILABLE' as const };
    const librarians = { analytics: async () => ({ error: unavailable }), navigator: async () => declined };
    const { status, body } = await (await start({ librarians }))({ query: 'How many fans are in stock?' });
    expect([status, body.error?.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    const { body: found } = await (
      await start({ librarians: { ...librarians, analytics: async () => ({ error: NOT_HERE }) } })
    )({ query: 'How many fans are in stock?' });
    expect(found).toMatchObject({ answer: declined.answer, metadata: { closest } });
  });

  it('names the missing rights when no librarian is permitted', async () => {
    const ask = await start({ capabilities: ['memory:read'] });
    const { status, body } = await ask({ query: QUESTION });
    expect([status, body.error?.code, asked]).toEqual([401, 'UNAUTHORIZED', []]);
  });
});

describe('POST /v1/ask with a librarian named', () => {
  it('calls it, whatever the subject of the question, and adds the trace', async () => {
    const ask = await start();
    const { body } = await ask({ query: 'How many fans are in stock?', librarian: 'semantic' });
    expect(body.answer).toBe('semantic');
    expect(hopsOf(body)).toEqual(['gateway > semantic: answer']);
  });

  it('returns its error with the status of its code, and the trace', async () => {
    const ask = await start({
      librarians: { semantic: async () => ({ error: { ...NOT_HERE, code: 'SERVICE_UNAVAILABLE' } }) },
    });
    const { status, headers, body } = await ask({ query: 'Find pages', librarian: 'semantic' });
    expect([status, body.error?.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(headers.get('Retry-After')).toMatch(/^\d+$/);
    expect(headers.get('Content-Type')).toBe('application/json');
    expect(hopsOf(body).at(-1)).toContain('SERVICE_UNAVAILABLE');
  });

  it.each(['oracle', 'gateway', 'library', 'constructor'])('refuses %s, which is none', async (librarian) => {
    const ask = await start();
    const { status, body } = await ask({ query: 'x', librarian });
    expect([status, body.error?.code]).toEqual([404, 'NOT_FOUND']);
    expect(body.error?.suggestion).toContain('concierge, navigator');
    expect(asked).toEqual([]);
  });
});
