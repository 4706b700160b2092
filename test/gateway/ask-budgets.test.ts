import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import type { AIClient } from '../../src/contract/librarian.ts';
import { LibrarianResponse } from '../../src/contract/response.ts';
import { createLibrarians } from '../../src/delegation/librarian-directory.ts';
import { createAsk, createAsking, withUsage } from '../../src/gateway/ask.ts';
import { type GatewayEnv, requestLog } from '../../src/gateway/request-log.ts';
import type { RequestScope } from '../../src/runtime/request-scope.ts';
import { serveLibrarian } from '../../src/runtime/serve-librarian.ts';
import { signedClient, type Target } from '../../src/runtime/signed-client.ts';
import type { Amounts } from '../../src/signing/limits.ts';
import { identityOf, notebook } from '../signing/callers.ts';
import { LIBRARIANS } from './concierge/decide.ts';

const PRICE = { inputPerMillion: 1, outputPerMillion: 2 };

/** Routes every question to one librarian, for 700 + 50 tokens and 800 millionths of a dollar. */
const routingTo = (librarian: string): AIClient => ({
  model: 'router-1',
  complete: async () => ({
    text: JSON.stringify({ librarians: [librarian] }),
    usage: { inputTokens: 700, outputTokens: 50 },
    costUsd: 0.0008,
  }),
});

/** For 100 tokens and 150 millionths. */
const writer: AIClient = {
  model: 'writer-1',
  complete: async () => ({ text: 'Under the mat.', usage: { inputTokens: 60, outputTokens: 40 }, costUsd: 0.00015 }),
};

/** The gateway's route in front of librarians that use a model, and record their granted budgets. */
const start = async ({ ai, budgets }: { ai?: AIClient; budgets: Amounts }) => {
  const granted: Record<string, Amounts> = {};
  const { lines, log } = notebook();
  const targets: Record<string, Target> = {};
  for (const info of LIBRARIANS) {
    const librarian = {
      forRequest: ({ context, model }: RequestScope) => {
        granted[info.id] = context.budgets;
        return async (query: string) => {
          const written = await model?.ai.complete([{ role: 'user', content: query }]).catch(() => undefined);
          return { answer: written?.text ?? 'No model.', confidence: 0.9, metadata: { usage: { calls: 99 } } };
        };
      },
    };
    const app = serveLibrarian(librarian, info, { ...(await identityOf(info.id)), ai: writer, log: () => {} });
    targets[info.id] = { fetch: async (request) => app.fetch(request) };
  }
  const identity = await identityOf('gateway');
  const app = new Hono<GatewayEnv>();
  app.use(requestLog({ log, now: Date.now }));
  app.use(async (c, next) => {
    const capabilities = ['kb:read', 'sql:read', 'web:search'];
    c.set('apiKey', { id: '0123456789abcdef', name: 'test', workspaces: ['acme'], capabilities, rate: 'unlimited' });
    await next();
  });
  const librarians = createLibrarians({ targets, own: LIBRARIANS.map(({ id }) => id) });
  const client = signedClient({ ...identity, targets, log: () => {} });
  const { directory } = identity;
  app.post(
    '/v1/ask',
    createAsk(createAsking({ client, directory, librarians, ai, aiPrice: PRICE, budgets, log: () => {} })),
  );
  const ask = async (body: Record<string, unknown>) => {
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    return LibrarianResponse.parse(await (await app.request('/v1/ask', request)).json());
  };
  return { ask, granted, lines };
};

/** Words alone do not route this question. */
const UNCLEAR = 'Is the newest Galaxy a good deal?';

describe('the budget of POST /v1/ask', () => {
  it('is granted to the librarian of the question', async () => {
    const { ask, granted } = await start({ budgets: { tokens: 5000, cost_micros: 9000 } });
    const { answer, metadata } = await ask({ query: 'Where is it?', librarian: 'semantic' });
    expect(answer).toBe('Under the mat.');
    expect(granted.semantic).toMatchObject({ tokens: 5000, cost_micros: 9000 });
    expect(metadata?.usage).toEqual({ tokens: 100, cost_usd: 0.00015, librarian: { calls: 99 } });
  });

  it('pays for routing first, and grants delegates the rest', async () => {
    const { ask, granted, lines } = await start({
      ai: routingTo('navigator'),
      budgets: { tokens: 20_000, cost_micros: 90_000 },
    });
    const { metadata } = await ask({ query: UNCLEAR });
    expect(granted.navigator).toMatchObject({ tokens: 19_250, cost_micros: 89_200 });
    expect(metadata?.usage).toMatchObject({ tokens: 850, cost_usd: 0.00095 });
    expect(lines).toMatchObject([{ model: 'router-1', input_tokens: 700, output_tokens: 50, cost_usd: 0.0008 }]);
  });

  it('when zero, routes by words, answers with quotes, and reports no usage', async () => {
    const { ask, lines } = await start({ ai: routingTo('navigator'), budgets: { tokens: 0 } });
    const { answer, metadata } = await ask({ query: UNCLEAR });
    expect(answer).toBe('No model.');
    expect(metadata?.usage).toEqual({ tokens: 0, librarian: { calls: 99 } });
    expect(lines[0]).not.toHaveProperty('model');
  });
});

describe('withUsage()', () => {
  it('leaves a response unchanged when no model was used', () => {
    const response = { answer: 'x' };
    expect(withUsage(response, { own: undefined, below: { tokens: 0, cost_micros: 0 } })).toBe(response);
  });

  it('reports no costs when no model has a price', () => {
    const own = { model: 'm', calls: 1, inputTokens: 5, outputTokens: 2 };
    expect(withUsage({ answer: 'x' }, { own, below: {} }).metadata).toEqual({ usage: { tokens: 7 } });
  });
});
