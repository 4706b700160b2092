import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { NavigatorResponse } from '../../src/contract/core/navigator-response.ts';
import {
  KnowledgeSearchResponse,
  WeakKnowledgeRetrieval,
} from '../../src/contract/wire/knowledge.ts';
import type { Product } from '../../tools/run/product.ts';
import { hostArticle } from '../knowledge/library/library-for-test.ts';
import { serveHost } from './library/served-library.ts';
import { ask, send, startEmbedded } from './product-for-test.ts';

const TOPICS = [
  'grinder',
  'boiler',
  'filter',
  'drip tray',
  'milk pump',
  'water tank',
  'display',
  'cup warmer',
];
const textOn = (topic: string, days: number): string =>
  `Clean the ${topic} of the Barista every ${days} days with warm water and a soft brush. Dry the ${topic} before use.`;
const articleOn = (topic: string, days: number, updated = '2026-01-05T10:00:00Z') => {
  const article = hostArticle(`care/${topic.replace(' ', '-')}.md`, textOn(topic, days));
  return {
    ...article,
    title: `Clean the ${topic}`,
    metadata: { ...article.metadata, last_updated: updated },
  };
};
const QUESTION = 'How often must the grinder of the Barista be cleaned?';

const days = new Map(TOPICS.map((topic, at) => [topic, 20 + at]));
const behaviour = { requests: [] as string[], delayMs: 0, status: 200 };
let changedAt = '2026-01-05T10:00:00Z';

let host: Awaited<ReturnType<typeof serveHost>>;
let product: Product;
beforeAll(async () => {
  host = await serveHost(async (request, response) => {
    behaviour.requests.push(request.url ?? '');
    await new Promise((resolve) => setTimeout(resolve, behaviour.delayMs));
    response.writeHead(behaviour.status, { 'content-type': 'application/json' });
    if (behaviour.status !== 200)
      return response.end('{"error": "Internal server error", "message": "down"}');
    // A host that knows `updated_since`: the answer is what changed since that day.
    const since =
      new URL(request.url ?? '/', 'http://host').searchParams.get('updated_since') ?? '';
    const articles = TOPICS.map((topic) =>
      articleOn(topic, days.get(topic) ?? 0, topic === 'grinder' ? changedAt : undefined),
    ).filter(({ metadata }) => metadata.last_updated >= since);
    return response.end(JSON.stringify({ articles, total: articles.length }));
  });
  const url = host.variables.KB_URL;
  product = await startEmbedded({ kb: { url }, allVars: { KB_FRESHNESS: 'live' } });
  await product.sync({ full: true });
}, 240_000);
afterAll(async () => {
  await product?.stop();
  host?.stop();
});

/** Longer than questions share what the host said, and than a failed host is left alone. */
const pause = (ms = 600) => new Promise((resolve) => setTimeout(resolve, ms));
const change = (to: number): void => {
  days.set('grinder', to);
  changedAt = new Date().toISOString();
};
beforeEach(async () => {
  Object.assign(behaviour, { delayMs: 0, status: 200, requests: [] });
  await vi.waitUntil(async () => (await navigate()).metadata?.degraded === undefined, {
    timeout: 60_000,
    interval: 700,
  });
  await pause();
  behaviour.requests = [];
});

const navigate = async () =>
  NavigatorResponse.parse(
    await (await send(product, 'POST /v1/navigate', { query: QUESTION })).json(),
  );
const retrieve = async () => {
  const body = { intent: 'cleaning', message: QUESTION };
  return WeakKnowledgeRetrieval.parse(
    await (await send(product, 'POST /v1/knowledge/retrieve', body)).json(),
  );
};

it('answers with what the host changed between two questions, without a sync', async () => {
  expect((await ask(product, QUESTION)).reply.answer).toContain(
    `every ${days.get('grinder')} days`,
  );
  await pause();
  change(33);
  const { reply } = await ask(product, QUESTION);
  expect(reply.answer).toContain('every 33 days');
  expect(reply.metadata?.degraded).toBeUndefined();
  // It is asked what changed, not for everything.
  expect(behaviour.requests.every((address) => address.includes('updated_since='))).toBe(true);
});

it('retrieves what the host changed, for tickets and for searches', async () => {
  change(44);
  // On a busy machine the host may be too late for a retrieval once.
  const inTime = async () => (await retrieve()).sources_consulted[0]?.excerpt ?? '';
  await expect.poll(inTime, { timeout: 60_000, interval: 600 }).toContain('every 44 days');
  await pause();
  change(45);
  const body = { query: QUESTION, limit: 1 };
  const found = await (await send(product, 'POST /v1/knowledge/search', body)).json();
  expect(KnowledgeSearchResponse.parse(found).hits[0]?.text).toContain('every 45 days');
});

it('asks the host once for fifty questions at the same time', async () => {
  const replies = await Promise.all(Array.from({ length: 50 }, () => navigate()));
  expect(replies.every(({ answer }) => answer.includes(`every ${days.get('grinder')} days`))).toBe(
    true,
  );
  // One check, and on a machine where fifty answers take seconds one more for each half second.
  expect(behaviour.requests.length).toBeLessThanOrEqual(5);
  expect(behaviour.requests.length).toBeGreaterThanOrEqual(1);
});

it('answers from the last edition when the host is slow, says so, and has the change later', async () => {
  const before = days.get('grinder');
  behaviour.delayMs = 3000;
  change(55);
  const begun = performance.now();
  const { answer, metadata } = await navigate();
  expect(performance.now() - begun).toBeLessThan(2800);
  expect(answer).toContain(`every ${before} days`);
  expect(metadata?.degraded).toEqual(['freshness']);
  const { reply } = await ask(product, QUESTION);
  expect([reply.partial, reply.metadata?.degraded]).toEqual([true, ['freshness']]);
  // On a busy machine a retrieval may be too late altogether.
  const marked = async () => {
    const { degraded, sources_consulted, retrieval_time_ms } = await retrieve();
    expect(retrieval_time_ms).toBeLessThanOrEqual(100);
    return degraded?.includes('freshness') === true && sources_consulted.length > 0;
  };
  behaviour.delayMs = 20_000;
  await expect.poll(marked, { timeout: 60_000, interval: 50 }).toBe(true);
  behaviour.delayMs = 0;
  await expect
    .poll(async () => (await navigate()).answer, { timeout: 60_000, interval: 500 })
    .toContain('every 55 days');
}, 60_000);

it('answers from the last edition when the host fails, says so, and leaves it alone for a while', async () => {
  const before = days.get('grinder');
  behaviour.status = 500;
  change(66);
  await vi.waitUntil(async () => (await navigate()).metadata?.degraded !== undefined, {
    timeout: 60_000,
  });
  const { answer, metadata } = await navigate();
  expect([answer.includes(`every ${before} days`), metadata?.degraded]).toEqual([
    true,
    ['freshness'],
  ]);
  const asked = behaviour.requests.length;
  for (let at = 0; at < 5; at += 1) await navigate();
  expect(behaviour.requests.length - asked).toBeLessThanOrEqual(4);
  behaviour.status = 200;
  await expect
    .poll(async () => (await navigate()).answer, { timeout: 60_000, interval: 500 })
    .toContain('every 66 days');
}, 90_000);
