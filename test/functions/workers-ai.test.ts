import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Product } from '../../tools/run/product.ts';
import {
  NATIVE_CHAT,
  startWorkersAI,
  type WorkersAIServer,
} from '../../tools/stand-ins/cloudflare/workers-ai.ts';
import { quotingModel } from '../../tools/stand-ins/quoting-model.ts';
import { send, startEmbedded } from './product-for-test.ts';

const EMBEDDING = '@cf/baai/bge-m3';
const RERANKER = '@cf/baai/bge-reranker-base';
const CANADA = 'How long does shipping to Canada take?';

let ai: WorkersAIServer;
let product: Product;
beforeAll(async () => {
  ai = await startWorkersAI();
  ai.answerWith(quotingModel);
  product = await startEmbedded({ adapters: { WORKERS_AI: 'yes' }, workersAI: ai.url });
  await product.sync({ full: true });
});
afterAll(async () => {
  await product?.stop();
  await ai?.stop();
});

const ask = async (route: string, body: object) => (await send(product, route, body)).text();

describe('the product on Workers AI, without a key', { timeout: 300_000 }, () => {
  it('says which models it uses', async () => {
    const { adapters } = (await (await send(product, 'GET /healthz')).json()) as {
      adapters: object;
    };
    expect(adapters).toMatchObject({
      model: NATIVE_CHAT,
      embeddings: EMBEDDING,
      knowledge: 'embedded',
    });
  });
  it('embeds the articles, and the question', async () => {
    const texts = () => ai.runs(EMBEDDING).flatMap(({ text }) => text);
    expect(texts().length).toBeGreaterThan(100);
    ai.forgetRuns();
    await ask('POST /v1/ask', { query: CANADA, librarian: 'navigator' });
    expect(texts()).toContain(CANADA);
  });
  it('answers from its articles by the chat model, with reranked passages', async () => {
    ai.forgetRuns();
    const reply = JSON.parse(
      await ask('POST /v1/ask', { query: 'What does the warranty cover?', librarian: 'navigator' }),
    );
    expect(reply).toMatchObject({
      answer: expect.stringMatching(/warranty/i),
      confidence: expect.any(Number),
    });
    expect(reply.sources.length).toBeGreaterThan(0);
    const prompts = ai.runs(NATIVE_CHAT);
    expect(prompts.length).toBeGreaterThan(0);
    expect(JSON.stringify(prompts)).toMatch(/warranty/i);
    expect(prompts.every(({ response_format: format }) => format !== undefined)).toBe(true);
    expect(ai.runs(RERANKER)[0]).toMatchObject({
      query: expect.any(String),
      contexts: expect.arrayContaining([{ text: expect.any(String) }]),
    });
  });
  it('streams an answer', async () => {
    const response = await fetch(new URL('/v1/ask', product.url), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${product.key}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({ query: CANADA, librarian: 'navigator' }),
    });
    const events = await response.text();
    expect(events).toMatch(/^event: statement$[\s\S]*^event: done$/m);
    expect(events).toContain(`"model":"${NATIVE_CHAT}"`);
  });
  it.each([
    [
      'an account without neurons',
      {
        status: 429,
        internalCode: 3036,
        description: 'You have used up your daily free allocation',
      },
    ],
    [
      'a model that is gone',
      { status: 400, internalCode: 5007, description: 'No such model or task' },
    ],
    ['an outage', { status: 500, internalCode: 3043, description: 'Internal server error' }],
  ])('answers with quotes in %s', async (_, refusal) => {
    ai.refuseAll(refusal);
    const reply = JSON.parse(
      await ask('POST /v1/ask', {
        query: 'How do I reset the dashboard password?',
        librarian: 'navigator',
      }),
    );
    ai.refuseAll(undefined);
    expect(reply.answer).toMatch(/password/i);
    expect(reply.error).toBeUndefined();
  });
});
