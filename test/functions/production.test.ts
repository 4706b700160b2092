import { Redis } from '@upstash/redis';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Healthz } from '../../src/contract/core/librarian.ts';
import type { DelegationTrace } from '../../src/contract/core/response.ts';
import { AgentResponse } from '../../src/contract/wire/agent-response.ts';
import type { SyncStatus } from '../../src/contract/wire/sync.ts';
import { readJws } from '../../src/platform/context/compact-jws.ts';
import type { LogLine } from '../../src/platform/log.ts';
import type { Product } from '../../tools/run/product.ts';
import type { ChatScript, ScriptedAnswer } from '../../tools/stand-ins/openai/chat-answer.ts';
import type { ChatRequest } from '../../tools/stand-ins/openai/chat-request.ts';
import { strictSchemaProblem } from '../../tools/stand-ins/openai/check-strict-schema.ts';
import { quotingModel } from '../../tools/stand-ins/quoting-model.ts';
import { readPrompt } from '../../tools/stand-ins/read-prompt.ts';
import type { LocalServices } from '../../tools/stand-ins/start-services.ts';
import { askAndKeep, describeConversations } from './describe-conversations.ts';
import { answerLabelledQuestions, navigate } from './labelled-answers.ts';
import { idsInVector } from './look-into-services.ts';
import { ask, send, startOnServices } from './product-for-test.ts';
import { analyze, TICKET } from './support-for-test.ts';

const QUESTION = 'Can I use a normal PC power supply with my Apollo II?';
const FUNCTIONS = [
  'library',
  'navigator',
  'semantic',
  'analytics',
  'web-search',
  'hybrid',
  'memory',
  'support',
  'a2a',
];
const CHAT = '/chat/completions';
const MODEL_PRICES = JSON.stringify({
  'gpt-4.1-mini': { inputPerMillion: 0.4, outputPerMillion: 1.6 },
});

let product: Product;
let services: LocalServices;
let stop: (() => Promise<void>) | undefined;
let synced: SyncStatus;
const logged: string[] = [];

const usageOf = (metadata: object | undefined) =>
  metadata !== undefined && 'usage' in metadata
    ? (metadata.usage as { tokens: number; cost_usd: number })
    : undefined;

/** The log lines of one question, once there are this many. */
const linesOf = async (traceId: string, count: number) => {
  const found = () =>
    logged
      .filter((line) => line.startsWith('{') && line.includes(traceId))
      .map((line) => JSON.parse(line) as LogLine)
      .flatMap((line) => (line.event === 'request' ? [line] : []));
  await expect.poll(() => found().length, { timeout: 60_000 }).toBeGreaterThanOrEqual(count);
  return found();
};

const sum = (numbers: (number | undefined)[]): number =>
  numbers.reduce<number>((total, each = 0) => total + each, 0);
const tokensIn = (lines: Awaited<ReturnType<typeof linesOf>>): number =>
  sum(lines.flatMap((line) => [line.input_tokens, line.output_tokens]));

/** The usage in each receipt of a trace. */
const usesOf = (hops: DelegationTrace['hops']) =>
  hops.flatMap(({ receipt }) =>
    receipt === undefined
      ? []
      : [readJws(receipt, 'ctx-receipt+jwt').claims.use as Record<string, number>],
  );

describe('the product on Upstash and a model', () => {
  beforeAll(async () => {
    const adapters = { MODEL_PRICES, COST_MICROS_PER_QUESTION: '50000' };
    const onLog = (line: string) => void logged.push(line);
    ({ product, services, stop } = await startOnServices({
      functions: FUNCTIONS,
      webSearch: 'local',
      adapters,
      onLog,
    }));
    synced = await product.sync({ full: true });
  });
  afterAll(() => stop?.());
  afterEach(() => {
    for (const { faults } of [services.openai, services.vector]) faults.none();
    services.openai.answerWith(quotingModel);
    services.openai.forgetRequests();
  });

  it('reports its adapters', async () => {
    const { adapters } = Healthz.parse(await (await send(product, 'GET /healthz')).json());
    expect(adapters).toEqual({
      knowledge: 'upstash',
      memory: 'upstash',
      embedding_cache: 'upstash',
      embeddings: 'text-embedding-3-small',
      model: 'gpt-4.1-mini',
    });
  });

  it('has a vector from the model for each chunk in the index, and none for a deleted article', async () => {
    expect(synced).toMatchObject({
      articles: 40,
      last_report: { outcome: 'published', added: 40, error: null },
    });
    expect([synced.last_report?.embeddings, synced.last_report?.embeddings_missing]).toEqual([
      synced.chunks,
      undefined,
    ]);
    const inIndex = async () => (await idsInVector(services.vector, 'kb_default')).toSorted();
    await expect
      .poll(async () => (await inIndex()).length, { timeout: 60_000 })
      .toBe(synced.chunks);
    const before = await inIndex();
    const path = '/api/kb/articles/notes/dirigible.md';
    const content = 'Dirigible mode is ended by singing.';
    const article = { title: 'Dirigible mode', url: 'https://docs.example.com/dirigible', content };
    expect((await send(product, `PUT ${path}`, article)).status).toBe(201);
    await expect
      .poll(async () => (await inIndex()).length, { timeout: 60_000 })
      .toBe(before.length + 1);
    expect((await send(product, `DELETE ${path}`)).status).toBe(204);
    await expect.poll(inIndex, { timeout: 60_000 }).toEqual(before);
    const { last_report: report } = await product.sync({ full: true });
    expect(report).toMatchObject({ outcome: 'unchanged', writes: 0, embeddings: 0 });
  });

  it('answers labelled questions with its model from its sources, and declines in one form', async () => {
    expect((await answerLabelledQuestions(product)).answeredBy).toContain('model');
  });

  describeConversations(() => product);

  it('leaves no embedding of an erased conversation, whichever function asked the model', async () => {
    const { url, token } = services.redis;
    const redis = new Redis({ url, token, automaticDeserialization: false });
    const embeddings = async () => ((await redis.keys('embedding:*')) as string[]).toSorted();
    const before = await embeddings();
    for (const query of [
      'What should I do when my Apollo III is not hashing after the walk?',
      'And on the Apollo II?',
      'How do I reset it to factory settings?',
    ]) {
      expect((await askAndKeep(product, query, { conversation_id: 'walk' })).status).toBe(200);
    }
    await expect
      .poll(async () => (await embeddings()).length, { timeout: 60_000 })
      .toBeGreaterThan(before.length + 2);
    const erased = await send(
      product,
      'DELETE /v1/workspaces/default/memories?conversation_id=walk',
    );
    expect(await erased.json()).toMatchObject({ erased: 6 });
    // The same question of another conversation is erased too: it is embedded again the next time.
    expect((await embeddings()).filter((key) => !before.includes(key))).toEqual([]);
  });

  it('sends a strict schema with every model request', async () => {
    for (const [type, query] of [
      ['semantic', 'Find documents about firmware updates'],
      ['web_search', 'Is the iPhone 17 cheaper elsewhere online?'],
      ['analytics', 'How many iPhone 17 are in stock?'],
      ['hybrid', 'How many Apollo III are in stock and what does the warranty cover?'],
    ]) {
      const reply = AgentResponse.parse(
        await (await send(product, `POST /v1/agents/${type}`, { query })).json(),
      );
      expect([type, reply.success]).toEqual([type, true]);
    }
    const conversation_id = 'schemas';
    await askAndKeep(product, 'What should I do when my Apollo III is not hashing?', {
      conversation_id,
    });
    await ask(product, 'And on the Apollo II?', { conversation_id });
    // A question that words alone do not route.
    await ask(product, 'Which articles tell how much the Apollo III costs in our shop?');
    // The server checks each request against the service's specification before it answers.
    const sent = services.openai.sent(CHAT) as ChatRequest[];
    const formats = sent.flatMap(({ response_format: format }) =>
      format?.type === 'json_schema' ? [format.json_schema] : [],
    );
    const names = [
      'answer_from_passages',
      'judged_statements',
      'routes',
      'search_queries',
      'standalone_question',
      'statement',
      'sub_queries',
    ];
    expect([...new Set(formats.map(({ name }) => name))].toSorted()).toEqual(names);
    // No request is without a schema, and nothing is stored.
    expect(
      sent.filter(({ response_format: format, store }) => format === undefined || store !== false),
    ).toEqual([]);
    for (const { name, schema, strict } of formats) {
      expect([name, strict, strictSchemaProblem(schema)]).toEqual([name, true, undefined]);
    }
    expect(JSON.stringify(sent)).not.toContain(product.key);
  });

  describe('and usage', () => {
    it('is in metadata, receipts and log of every librarian', async () => {
      const { id, reply, hops } = await ask(product, QUESTION, { librarian: 'navigator' });
      const [use] = usesOf(hops);
      expect(use?.tokens).toBeGreaterThan(100);
      expect(reply).toMatchObject({
        answer: expect.stringContaining('450 W'),
        metadata: {
          answered_by: 'model',
          model: 'gpt-4.1-mini',
          navigator: { confidence: expect.any(String) },
          usage: {
            tokens: use?.tokens,
            cost_usd: (use?.cost_micros ?? 0) / 1_000_000,
            librarian: { calls: 2 },
          },
        },
      });
      const lines = await linesOf(id, 2);
      expect(tokensIn(lines)).toBe(use?.tokens);
      // Receipts are in whole millionths.
      const difference =
        sum(lines.map((line) => line.cost_usd)) - (usageOf(reply.metadata)?.cost_usd ?? 0);
      expect(Math.abs(difference)).toBeLessThan(0.000_002);
      expect(JSON.stringify(lines)).not.toContain('power supply');
    });

    it('is the sum of all librarians that were asked in parallel, within one budget', async () => {
      const { id, reply, hops } = await ask(product, `How many fans are in stock? ${QUESTION}`);
      const own = hops.filter(({ from }) => from === 'gateway');
      expect(own.length).toBeGreaterThanOrEqual(2);
      expect(reply.answer).toContain('450 W');
      const uses = usesOf(own).map(({ tokens = 0 }) => tokens);
      expect(uses.filter((tokens) => tokens > 0).length).toBeGreaterThanOrEqual(2);
      const lines = await linesOf(id, own.length + 1);
      const gateway = tokensIn(lines.filter(({ route }) => route === 'POST /v1/ask'));
      const tokens = usageOf(reply.metadata)?.tokens;
      expect([tokens, tokens]).toEqual([sum(uses) + gateway, tokensIn(lines)]);
      expect(tokens).toBeLessThanOrEqual(30_000);
    });

    it("includes the gateway's own calls, which are in its line of the log", async () => {
      const more = { conversation_id: 'budgets', librarian: 'navigator' };
      await askAndKeep(product, 'What should I do when my Apollo III is not hashing?', more);
      services.openai.forgetRequests();
      const { id, reply, hops } = await ask(product, 'And on the Apollo II?', more);
      const gateway = (await linesOf(id, 2)).filter(({ route }) => route === 'POST /v1/ask');
      expect(gateway).toMatchObject([{ model: 'gpt-4.1-mini', input_tokens: expect.any(Number) }]);
      // The question in full; queries, answer and judge of the navigator.
      expect(services.openai.sent(CHAT)).toHaveLength(4);
      const below = sum(usesOf(hops).map(({ tokens }) => tokens));
      expect(below).toBeGreaterThan(0);
      expect(usageOf(reply.metadata)?.tokens).toBe(below + tokensIn(gateway));
    });
  });

  /** A statement copied from the first matching passage, optionally changed. */
  const saying =
    (change = (text: string) => text): ChatScript =>
    ({ messages }): ScriptedAnswer => {
      const passages = readPrompt(String(messages[1]?.content))?.passages ?? [];
      const passage = passages.find(({ text }) => text.includes('450 W'));
      const quote =
        passage?.text.split(/\n|(?<=\.)\s/).find((text) => text.includes('450 W')) ?? '';
      return statementOf({ passage: passage?.passage ?? 'p1', quote }, change(quote));
    };
  const statementOf = (
    quote: { passage: string; quote: string },
    text: string,
  ): ScriptedAnswer => ({
    json: {
      parts: [{ asked: 'power supply', passages: [quote.passage], answered: 'yes' }],
      statements: [{ part: 1, quotes: [quote], text }],
      missing: '',
      related: [],
    },
  });

  it.each<[what: string, script: ChatScript | undefined, refused: RegExp]>([
    // Without a script the server fills the schema with samples, which no source supports.
    ['only a valid schema', undefined, /^(?!unavailable)/],
    ['a refusal', { refusal: 'I cannot help with that.' }, /^refused$/],
    [
      'half a document',
      { text: '{"statements":[{"quotes":[{"passage":"p1","quo', finish: 'length' },
      /^cut$/,
    ],
    ['a filtered answer', { text: '', finish: 'content_filter' }, /^filtered$/],
    ['nothing', { text: '' }, /^empty$/],
    ['prose', { text: 'Yes, any power supply will do.' }, /^malformed$/],
    [
      'an unknown passage',
      statementOf({ passage: 'p99', quote: '450 W' }, 'Any of 450 W.'),
      /^unsupported$/,
    ],
    ['another number', saying((text) => text.replace('450', '900')), /^unsupported$/],
    ['429', { error: { status: 429 } }, /^unavailable$/],
    ['500', { error: { status: 500 } }, /^unavailable$/],
  ])('quotes when the model returns %s', async (_what, script, refused) => {
    services.openai.answerWith(script);
    const { answer, confidenceReason, metadata } = await navigate(product, QUESTION);
    expect(services.openai.sent(CHAT).length).toBeGreaterThan(0);
    expect(metadata).toMatchObject({
      answered_by: 'quotes',
      model_refused: expect.stringMatching(refused),
    });
    expect(confidenceReason).toContain('These are quotes, because');
    expect([answer.includes('450 W'), answer.includes('900')]).toEqual([true, false]);
  });

  it.each([
    ['hang-in-body', 'timeout'],
    ['html-502', 'unavailable'],
  ] as const)(
    'quotes before the deadline when the service fails with %s',
    async (kind, model_refused) => {
      services.openai.faults.always({ kind }, '/v1/chat/completions');
      const begun = Date.now();
      const timeout_ms = model_refused === 'timeout' ? 2000 : 8000;
      const { reply } = await ask(product, QUESTION, { librarian: 'navigator', timeout_ms });
      expect(Date.now() - begun).toBeLessThan(timeout_ms);
      expect(reply.answer).toContain('450 W');
      const degraded = expect.arrayContaining(['model']);
      expect(reply.metadata).toMatchObject({ answered_by: 'quotes', model_refused, degraded });
    },
  );

  it('lets a model smooth the draft, and uses the template when it fails or hangs', async () => {
    /** A retrieval that a busy machine makes late leaves the model nothing to write from. */
    const inTime = (request: typeof TICKET) =>
      vi.waitUntil(
        async () => {
          const begun = performance.now();
          const reply = await analyze(product, request);
          expect(performance.now() - begun).toBeLessThan(16_000);
          return reply.knowledge_retrieval.degraded?.includes('timeout') ? undefined : reply;
        },
        { timeout: 60_000 },
      );
    const { draft } = await inTime(TICKET);
    expect(draft).toMatchObject({
      written_by: 'model',
      text: expect.stringMatching(/^Hello Dana Whitfield,/),
    });
    for (const kind of ['hang-before-headers', 'reset'] as const) {
      services.openai.faults.always({ kind }, '/v1/chat/completions');
      const reply = await inTime({ ...TICKET, customer_name: `Dana ${kind}` });
      services.openai.faults.none();
      expect(reply.draft).toMatchObject({ written_by: 'template', auto_send: draft.auto_send });
      expect(reply.agent_guidance.risks.join('\n')).toContain('written without a model');
    }
  });
});

it('a question with almost no budget is answered with quotes, whichever librarian is asked', async () => {
  const adapters = { MODEL_PRICES, COST_MICROS_PER_QUESTION: '20' };
  const poor = await startOnServices({ functions: ['library', 'navigator'], adapters });
  try {
    await poor.product.sync({ full: true });
    const refused = { answered_by: 'quotes', model_refused: 'over_budget' };
    for (const librarian of ['navigator', 'concierge']) {
      const { reply, hops } = await ask(poor.product, QUESTION, { librarian });
      expect(reply).toMatchObject({ answer: expect.stringContaining('450 W'), metadata: refused });
      expect([usageOf(reply.metadata), usesOf(hops).map(({ tokens }) => tokens)]).toEqual([
        undefined,
        [0],
      ]);
    }
    expect((await navigate(poor.product, QUESTION)).metadata).toMatchObject(refused);
    expect(poor.services.openai.sent(CHAT)).toHaveLength(0);
  } finally {
    await poor.stop();
  }
});
