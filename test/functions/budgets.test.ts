import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MemoryPage } from '../../src/contract/memory.ts';
import { NavigatorResponse } from '../../src/contract/navigator-response.ts';
import { DelegationTrace, LibrarianResponse } from '../../src/contract/response.ts';
import { type Product, startProduct } from '../../src/dev/run/product.ts';
import { quotingModel } from '../../src/dev/stand-ins/quoting-model.ts';
import { type LocalServices, startServices } from '../../src/dev/stand-ins/start-services.ts';
import type { LogLine } from '../../src/runtime/log.ts';
import { readJws } from '../../src/signing/compact-jws.ts';

const PRICE = { inputPerMillion: 0.4, outputPerMillion: 1.6 };
const QUESTION = 'Can I use a normal PC power supply with my Apollo II?';
const MODEL_CALLS = '/chat/completions';

let services: LocalServices;
let product: Product;
const lines: LogLine[] = [];

const start = (limits: Record<string, string>) =>
  startProduct({
    kb: 'sample',
    port: 0,
    adapters: {
      ...services.variables,
      MODEL_PRICES: JSON.stringify({ 'gpt-4.1-mini': PRICE }),
      ...limits,
    },
    onLog: (line) => {
      if (line.startsWith('{')) lines.push(JSON.parse(line));
    },
  });

const post = async (path: string, body: Record<string, unknown>) => {
  const response = await product.fetch(path, { method: 'POST', body: JSON.stringify(body) });
  return { id: response.headers.get('X-Request-Id') ?? '', json: await response.json() };
};

const ask = async (query: string, more: Record<string, unknown> = {}) => {
  const { id, json } = await post('/v1/ask', { query, ...more });
  const response = LibrarianResponse.parse(json);
  const trace = DelegationTrace.parse(response.metadata?.trace);
  const usage = response.metadata?.usage as { tokens: number; cost_usd: number; librarian?: unknown } | undefined;
  return { id, response, trace, usage };
};

/** What the functions wrote about one question, once all of them have. */
const linesOf = async (traceId: string, count: number) => {
  const found = () => lines.filter((line) => line.trace_id === traceId && line.event === 'request');
  await expect.poll(() => found().length, { timeout: 5000 }).toBeGreaterThanOrEqual(count);
  return found();
};

const tokensIn = (logged: LogLine[]) => {
  const requests = logged.filter((line) => line.event === 'request');
  return {
    tokens: requests.reduce((sum, line) => sum + (line.input_tokens ?? 0) + (line.output_tokens ?? 0), 0),
    costUsd: requests.reduce((sum, line) => sum + (line.cost_usd ?? 0), 0),
  };
};

/** What each receipt of a trace says was spent. */
const usesOf = ({ hops }: DelegationTrace) =>
  hops.flatMap(({ receipt }) =>
    receipt === undefined ? [] : [readJws(receipt, 'ctx-receipt+jwt').claims.use as Record<string, number>],
  );

beforeAll(async () => {
  services = await startServices();
  services.openai.answerWith(quotingModel);
}, 60_000);
afterAll(() => services?.stop());
afterEach(() => services.openai.forgetRequests());

describe('a question within its budget', () => {
  beforeAll(async () => {
    product = await start({ COST_MICROS_PER_QUESTION: '50000' });
    await product.sync({ full: true });
  }, 120_000);
  afterAll(() => product?.stop());

  it('reports model usage as in receipts and log', async () => {
    const { id, response, trace, usage } = await ask(QUESTION, { librarian: 'navigator' });
    expect(response.metadata).toMatchObject({ answered_by: 'model' });
    const [use] = usesOf(trace);
    expect(use?.tokens).toBeGreaterThan(100);
    expect(usage).toEqual({
      tokens: use?.tokens,
      cost_usd: (use?.cost_micros ?? 0) / 1_000_000,
      librarian: expect.objectContaining({ calls: 1 }),
    });
    const told = tokensIn(await linesOf(id, 2));
    expect(told.tokens).toBe(usage?.tokens);
    // Receipts are in whole millionths.
    expect(Math.abs(told.costUsd - (usage?.cost_usd ?? 0))).toBeLessThan(0.000_002);
  });

  it('adds up what the librarians took that were asked at once, within the one budget', async () => {
    const { id, response, trace, usage } = await ask(`How many fans are in stock? ${QUESTION}`);
    const own = trace.hops.filter(({ from }) => from === 'gateway');
    expect(own.length).toBeGreaterThanOrEqual(2);
    expect(response.answer).toContain('450 W');
    const uses = usesOf({ ...trace, hops: own });
    expect(uses.filter(({ tokens = 0 }) => tokens > 0).length).toBeGreaterThanOrEqual(2);
    const spent = uses.reduce((sum, { tokens = 0 }) => sum + tokens, 0);
    const logged = await linesOf(id, own.length + 1);
    const gateway = tokensIn(logged.filter((line) => line.event === 'request' && line.route === 'POST /v1/ask'));
    expect(usage?.tokens).toBe(spent + gateway.tokens);
    expect(usage?.tokens).toBe(tokensIn(logged).tokens);
    expect(usage?.tokens).toBeLessThanOrEqual(30_000);
  });

  it("counts the gateway's own calls, and writes them into its line of the log", async () => {
    const conversation_id = 'budgets';
    await ask('What should I do when my Apollo III is not hashing?', { conversation_id, librarian: 'navigator' });
    // An answer does not wait until its turn is kept.
    const kept = `/v1/workspaces/default/memories?conversation_id=${conversation_id}`;
    const turns = async () => MemoryPage.parse(await (await product.fetch(kept)).json()).memories.length;
    await expect.poll(turns, { timeout: 5000 }).toBe(2);
    services.openai.forgetRequests();
    const { id, trace, usage } = await ask('And on the Apollo II?', { conversation_id, librarian: 'navigator' });
    const logged = await linesOf(id, 2);
    const gateway = logged.find((line) => line.event === 'request' && line.route === 'POST /v1/ask');
    expect(gateway).toMatchObject({ model: 'gpt-4.1-mini', input_tokens: expect.any(Number) });
    expect(services.openai.sent(MODEL_CALLS)).toHaveLength(2);
    const below = usesOf(trace).reduce((sum, { tokens = 0 }) => sum + tokens, 0);
    expect(below).toBeGreaterThan(0);
    expect(usage?.tokens).toBe(below + tokensIn(gateway === undefined ? [] : [gateway]).tokens);
  });
});

describe.each([
  ['tokens', { TOKENS_PER_QUESTION: '90' }],
  ['money', { COST_MICROS_PER_QUESTION: '20' }],
])('a question with hardly any %s', (_what, limits) => {
  beforeAll(async () => {
    product = await start(limits);
    await product.sync({ full: true });
  }, 120_000);
  afterAll(() => product?.stop());

  it('is answered with quotes, whichever way it comes', async () => {
    for (const librarian of ['navigator', 'concierge']) {
      const { id, response, usage } = await ask(QUESTION, { librarian });
      expect(response.answer).toContain('450 W');
      expect(response.metadata).toMatchObject({ answered_by: 'quotes', model_refused: 'over_budget' });
      expect(usage).toBeUndefined();
      expect(tokensIn(await linesOf(id, 2)).tokens).toBe(0);
    }
    const { metadata } = NavigatorResponse.parse((await post('/v1/navigate', { query: QUESTION })).json);
    expect(metadata).toMatchObject({ answered_by: 'quotes', model_refused: 'over_budget' });
    expect(services.openai.sent(MODEL_CALLS)).toHaveLength(0);
  });
});
