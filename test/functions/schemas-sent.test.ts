import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryPage } from '../../src/contract/memory.ts';
import type { ChatRequest } from '../../src/dev/local-services/openai/chat-request.ts';
import { strictSchemaProblem } from '../../src/dev/local-services/openai/check-strict-schema.ts';
import { BACK_ENDS, type RunningBackEnd, servicesOf } from './back-ends.ts';

const production = BACK_ENDS.find(({ name }) => name === 'production');

let running: RunningBackEnd | undefined;
let sent: ChatRequest[] = [];

beforeAll(async () => {
  running = await production?.start({ webSearch: 'local' });
  if (running === undefined) throw new Error('There is no production back end');
  const { product } = running;
  await product.sync({ full: true });
  const post = async (path: string, body: object): Promise<void> => {
    const response = await product.fetch(path, { method: 'POST', body: JSON.stringify(body) });
    await response.json();
  };
  const { openai } = servicesOf(running);
  openai.forgetRequests();
  await post('/v1/navigate', { query: 'Can I use a normal PC power supply with my Apollo II?' });
  await post('/v1/agents/semantic', { query: 'Find documents about firmware updates' });
  await post('/v1/agents/web_search', { query: 'Is the iPhone 17 cheaper elsewhere online?' });
  await post('/v1/agents/analytics', { query: 'How many iPhone 17 are in stock?' });
  await post('/v1/agents/hybrid', { query: 'How many Apollo III are in stock and what does the warranty cover?' });
  const conversation_id = 'c';
  await post('/v1/ask', { query: 'What should I do when my Apollo III is not hashing?', conversation_id });
  // The turn is kept after the answer has gone out.
  const kept = `/v1/workspaces/default/memories?conversation_id=${conversation_id}`;
  await expect
    .poll(async () => MemoryPage.parse(await (await product.fetch(kept)).json()).memories.length, { timeout: 30_000 })
    .toBe(2);
  await post('/v1/ask', { query: 'And on the Apollo II?', conversation_id });
  // Words alone leave a doubt here.
  await post('/v1/ask', { query: 'Which articles tell how much the Apollo III costs in our shop?' });
  // The server checks each request against the service's specification before it answers.
  sent = openai.sent('/chat/completions') as ChatRequest[];
}, 120_000);

afterAll(() => running?.stop());

const formatsOf = (requests: readonly ChatRequest[]) =>
  requests.flatMap(({ response_format: format }) => (format?.type === 'json_schema' ? [format.json_schema] : []));

describe('what a model is asked', () => {
  it('comes from everybody who asks one, with the schema of each', () => {
    const names = formatsOf(sent).map(({ name }) => name);
    expect([...new Set(names)].toSorted()).toEqual([
      'answer_from_passages',
      'routes',
      'standalone_question',
      'statement',
      'sub_queries',
    ]);
    // Nobody asks for prose.
    expect(sent.filter(({ response_format }) => response_format === undefined)).toEqual([]);
  });

  it('has only schemas that strict mode takes', () => {
    for (const { name, schema, strict } of formatsOf(sent)) {
      expect([name, strict, strictSchemaProblem(schema)]).toEqual([name, true, undefined]);
    }
  });
});
