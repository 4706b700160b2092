import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { AgentResponse } from '../../src/contract/wire/agent-response.ts';
import { KeptAnswer } from '../../src/contract/wire/answers.ts';
import { KnowledgeStats } from '../../src/contract/wire/knowledge.ts';
import { ask, send, startOnServices } from './product-for-test.ts';

let running: Awaited<ReturnType<typeof startOnServices>>;
beforeAll(async () => {
  running = await startOnServices();
  await running.product.sync({ full: true });
}, 600_000);
afterAll(() => running?.stop());

/** A question that no cache knows. */
const question = () => `What does error E30 mean (case ${crypto.randomUUID().slice(0, 6)})?`;

it('an answer without its vectors is partial, in a stream too, and kept with what it lacked', async () => {
  const { product, services } = running;
  services.vector.faults.always({ kind: 'reset' });
  const { reply } = await ask(product, question());
  expect([reply.partial, reply.metadata?.degraded]).toEqual([
    true,
    expect.arrayContaining(['embeddings']),
  ]);
  expect(reply.confidence).toBeGreaterThan(0.6);

  const stream = await fetch(new URL('/v1/ask', product.url), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${product.key}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify({ query: question() }),
  });
  const done = (await stream.text()).split('event: done')[1] ?? '';
  expect(done).toContain('"partial":true');

  const id = String(reply.metadata?.answer_id);
  const kept = async () => (await send(product, `GET /v1/answers/${id}`)).json();
  const stored = await vi.waitUntil(async () => KeptAnswer.safeParse(await kept()).data, {
    timeout: 60_000,
  });
  // It did well without them.
  expect([stored.verdict, JSON.stringify(stored)]).toEqual([
    'answered',
    expect.stringContaining('"degraded":["embeddings"'),
  ]);
  services.vector.faults.none();
}, 90_000);

it('an agent without its vectors says so in its metadata', async () => {
  const { product, services } = running;
  services.vector.faults.always({ kind: 'reset' });
  const body = { query: question(), options: { similarity_threshold: 0.1 } };
  const { metadata } = AgentResponse.parse(
    await (await send(product, 'POST /v1/agents/semantic', body)).json(),
  );
  services.vector.faults.none();
  expect(metadata).toMatchObject({
    partial: true,
    degraded: expect.arrayContaining(['embeddings']),
  });
}, 60_000);

it('the statistics of the knowledge count what retrieval embeds', async () => {
  const { product } = running;
  const stats = async () =>
    KnowledgeStats.parse(await (await send(product, 'GET /v1/knowledge/stats')).json());
  const before = (await stats()).by_function?.support;
  const message = question();
  for (let at = 0; at < 3; at += 1) {
    await send(product, 'POST /v1/knowledge/retrieve', { intent: 'error_code', message });
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  const { embedding_cache: all, by_function: each } = await stats();
  expect(each?.support?.hits ?? 0).toBeGreaterThan(before?.hits ?? 0);
  expect(all?.hits ?? 0).toBeGreaterThanOrEqual(each?.support?.hits ?? 0);
}, 60_000);
