import { afterEach, describe, expect, it } from 'vitest';
import type { AIClient, Librarian } from '../../../src/contract/core/librarian.ts';
import { DelegationTrace } from '../../../src/contract/core/response.ts';
import { validateResponse } from '../../../src/contract/core/validate-response.ts';
import { AgentResponse } from '../../../src/contract/wire/agent-response.ts';
import { CodedError } from '../../../src/platform/http/coded-error.ts';
import { ask, userContext } from '../../platform/context/callers.ts';
import { ANSWERS, askAgent, atDeadline, startClock, stopClock } from '../agents/agents-for-test.ts';
import { allowed, type Behaviour, hybridWith, saying, silent } from './hybrid-for-test.ts';

const QUESTION =
  'How many iPhone 17 are in stock and what does the return policy say about opened boxes?';
const THREE = `${QUESTION} What does the iPhone 17 cost at other shops?`;
type Behaviours = Parameters<typeof hybridWith>[0];
type Asked = { query?: string; options?: object; metadata?: object } & Parameters<
  typeof hybridWith
>[1];

const askHybrid = async (
  behaviours: Behaviours = {},
  {
    query = QUESTION,
    options,
    context = allowed(),
    ...served
  }: Asked & { context?: ReturnType<typeof allowed> } = {},
) => {
  const { app, calls } = await hybridWith(behaviours, served);
  const body = { query, ...(options === undefined ? {} : { options }) };
  return { ...(await askAgent(app, { type: 'hybrid', body, context })), calls };
};

/** Asks the hybrid agent as a librarian. */
const askLibrarian = async (
  behaviours: Behaviours = {},
  { query = QUESTION, metadata, ...served }: Asked = {},
) =>
  ask('hybrid', (await hybridWith(behaviours, served)).app, {
    query,
    metadata,
    context: allowed(),
  });

const coded =
  (code: ConstructorParameters<typeof CodedError>[0], reported: object = {}): Behaviour =>
  async () => {
    throw new CodedError(code, 'inside', { reported });
  };
const AWAY = coded('SERVICE_UNAVAILABLE');
const NOTHING = coded('NOT_FOUND');

/** An answer of an agent whose result has other members. */
const withResult = (type: 'analytics' | 'semantic', change: object, more: object = {}) => ({
  [type]: saying(type, { result: { ...ANSWERS[type].result, ...change }, ...more }),
});

afterEach(startClock);

describe('The hybrid agent', () => {
  it('calls the agent of each part and joins the findings in the order of the question', async () => {
    const { reply, status, calls, answer } = await askHybrid();
    expect([status, AgentResponse.safeParse(reply).success]).toEqual([200, true]);
    expect(calls.map(({ type, query }) => [type, query]).toSorted()).toEqual([
      ['analytics', 'How many iPhone 17 are in stock'],
      ['semantic', 'what does the return policy say about opened boxes?'],
    ]);
    const partOf = ({ type, result, source_attribution }: AgentResponse) => ({
      type,
      result,
      source_attribution,
      success: true,
    });
    expect(reply.result).toMatchObject({
      synthesis:
        'The iPhone 17 has 50 units in stock. Our return policy allows returns within 14 days of purchase.',
      sources_used: ['analytics', 'semantic'],
      sub_queries: [partOf(ANSWERS.analytics), partOf(ANSWERS.semantic)],
    });
    const details = { sources: ['analytics', 'semantic'] };
    expect(reply.source_attribution).toEqual({
      primary_source: 'Mixed',
      icon: '🔀',
      details,
      confidence: 0.9,
    });
    expect(reply.metadata).toMatchObject({ sub_query_count: 2, failed: [], split_by: 'rules' });
    expect(reply.metadata).not.toHaveProperty('partial');
    const hops = ['analytics', 'semantic'].map((to) => ({ to, verified: true }));
    expect(DelegationTrace.parse(reply.metadata.trace).hops).toMatchObject(hops);
    const sub = [expect.any(String), expect.any(String)];
    expect(answer.ok && answer.receipt).toMatchObject({ use: { calls: 2 }, sub });
  });
  it('as a librarian names the sources of all parts, and a hop with a verified receipt for each', async () => {
    const { reply } = await askLibrarian({}, { query: THREE });
    expect(validateResponse(reply).ok).toBe(true);
    const hops = ['analytics', 'semantic', 'web-search'].map((to) => ({
      from: 'hybrid',
      to,
      outcome: 'answer',
      verified: true,
      receipt: expect.any(String),
    }));
    expect(DelegationTrace.parse(reply.metadata.trace).hops).toMatchObject(hops);
    const names = reply.sources.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['clic products', 'policies.pdf']));
  });
  it('states how each part was routed, and the common metadata of the parts', async () => {
    const about = (id: number, hit: boolean) => ({
      entity_id: id,
      entity_type: 'product',
      cache_hit: hit,
    });
    const metadataOf = async (first: object, second: object) =>
      (
        await askHybrid({
          analytics: saying('analytics', { metadata: first }),
          semantic: saying('semantic', { metadata: second }),
        })
      ).reply.metadata;
    const same = await metadataOf(about(11, true), about(11, true));
    expect(same).toMatchObject({ ...about(11, true), user_id: 'user:u_secret', language: 'en' });
    expect(same.classification_reasoning).toEqual([
      'Part 1 goes to the database, whose examples fit its words best',
      'Part 2 goes to the knowledge base, whose examples fit its words best',
    ]);
    expect((await metadataOf(about(11, true), about(11, false))).cache_hit).toBe(false);
    const apart = await metadataOf(about(11, true), { entity_id: 12, entity_type: 'product' });
    for (const name of ['entity_id', 'entity_type', 'cache_hit'])
      expect(apart).not.toHaveProperty(name);
  });
  it('sends the whole question to one agent when it needs one kind of source', async () => {
    const query = 'How many iPhone 17 are in stock?';
    const { reply, calls } = await askHybrid({}, { query });
    expect(calls).toEqual([{ type: 'analytics', query, options: {} }]);
    expect(reply.result.sources_used).toEqual(['analytics']);
  });
  it.each([
    ['as an option sets', { options: { semantic: { similarity_threshold: 0.8 } } }, 0.8],
    ['below that of a search by default', {}, 0.4],
  ])(
    'passes each agent only its own options, with the similarity threshold %s',
    async (_, asked, threshold) => {
      const { calls } = await askHybrid({}, asked);
      const optionsOf = (wanted: string) => calls.find(({ type }) => type === wanted)?.options;
      expect([optionsOf('analytics'), optionsOf('semantic')]).toEqual([
        {},
        { similarity_threshold: threshold },
      ]);
    },
  );

  const UNKNOWN_OPTIONS = [
    { limit: 3 },
    { semantic: { similarity: 0.8 } },
    { analytics: { limit: 3 } },
  ];
  it.each(UNKNOWN_OPTIONS)(
    'refuses unknown options before it calls an agent: %j',
    async (options) => {
      const { reply, status, calls } = await askHybrid({}, { options });
      expect([status, reply.metadata.error_code, calls]).toEqual([400, 'INVALID_QUERY', []]);
      expect(reply.metadata.suggestion).toContain('analytics, semantic, web_search');
    },
  );
  it('keeps the citations of a finding, and confines its Markdown to its part', async () => {
    const summary = 'Within 14 days (policies.md, Returns).\n\n# Ours\n\n```\nopen';
    const { synthesis } = (await askHybrid(withResult('semantic', { summary }))).reply.result;
    expect(synthesis).toContain('Within 14 days (policies.md, Returns).');
    expect(synthesis).not.toMatch(/^# /m);
    expect(synthesis.match(/```/g)).toHaveLength(2);
  });
  it('includes the answer of the web search', async () => {
    const metadata = { answer: 'The cheapest offer is 949.99: [A shop](https://shop.example/1).' };
    const query = 'How many iPhone 17 are in stock and is it cheaper elsewhere?';
    const { reply } = await askHybrid(
      { web_search: saying('web_search', { metadata }) },
      { query },
    );
    expect(reply.result.synthesis).toContain('[A shop](https://shop.example/1)');
    expect(reply.result.sources_used).toEqual(['analytics', 'web_search']);
  });
  it('is partial and does not count a source that found nothing', async () => {
    const summary = 'Nothing is written about this.';
    const source_attribution = { ...ANSWERS.semantic.source_attribution, confidence: 0 };
    const nothing = { documents: [], document_count: 0, summary };
    const { reply } = await askHybrid(withResult('semantic', nothing, { source_attribution }));
    expect(reply).toMatchObject({
      result: {
        sources_used: ['analytics'],
        synthesis: expect.stringMatching(/No answer to “what does .*: it has nothing on this/),
        sub_queries: [{}, { result: { summary } }],
      },
      source_attribution: { confidence: 0.45 },
      metadata: { partial: true },
    });
    expect(reply.result.synthesis).not.toContain(summary);
  });
});

describe('The hybrid agent, when a part fails', () => {
  it.each<[string, Behaviour, string]>([
    ['is down', 'down', 'DELEGATION_FAILED'],
    ['returns no envelope', { success: true } as AgentResponse, 'INTERNAL_ERROR'],
    ['returns an answer of another kind', ANSWERS.analytics, 'INTERNAL_ERROR'],
    ['refuses the question', coded('INVALID_QUERY'), 'INVALID_QUERY'],
    ['has no source', coded('DATA_SOURCE_ERROR'), 'DATA_SOURCE_ERROR'],
    ['finds nothing', NOTHING, 'NOT_FOUND'],
    ['is not set up', AWAY, 'SERVICE_UNAVAILABLE'],
  ])('answers the rest and names the part whose agent %s', async (_, semantic, error_code) => {
    const { reply, status } = await askHybrid({ semantic });
    const failed = { type: 'semantic', error_code };
    expect([status, reply]).toMatchObject([
      200,
      {
        result: {
          sources_used: ['analytics'],
          synthesis: expect.stringMatching(
            /^The iPhone 17 has 50 units in stock\..*No answer to “what does the return policy say about opened boxes\?” from the knowledge base/s,
          ),
          sub_queries: [{}, { ...failed, success: false, result: {} }],
        },
        source_attribution: { confidence: 0.45 },
        metadata: {
          partial: true,
          sub_query_count: 2,
          failed: [{ ...failed, librarian: 'semantic' }],
        },
      },
    ]);
  });

  const WITHIN = 'Within 14 days.';
  const unsigned = (response: Response) => new Response(`{"answer":"${WITHIN}"}`, response);
  const answering = (metadata: Record<string, unknown>) => ({
    librarians: { semantic: async () => ({ answer: WITHIN, metadata }) },
  });
  it.each([
    ['without an envelope', answering({})],
    ['with an envelope of another kind', answering({ semantic: ANSWERS.analytics })],
    [
      'with a broken envelope',
      answering({ semantic: { ...ANSWERS.semantic, result: { documents: 'all' } } }),
    ],
    ['whose receipt does not match', { tamper: { semantic: unsigned } }],
  ])('rejects an answer %s', async (_, served) => {
    const { reply } = await askHybrid({}, served);
    expect(reply.result.sources_used).toEqual(['analytics']);
    expect(reply.result.synthesis).not.toContain(WITHIN);
    expect(reply.metadata.failed).toMatchObject([
      { type: 'semantic', error_code: 'DELEGATION_FAILED' },
    ]);
  });
  it('sends its parts even when the question has large metadata', async () => {
    const { reply, status } = await askLibrarian({}, { metadata: { note: 'x'.repeat(15_985) } });
    expect([status, reply.partial]).toEqual([200, undefined]);
    expect(reply.metadata.hybrid.result.sources_used).toEqual(['analytics', 'semantic']);
  });
  it.each<['agent' | 'librarian', string, Behaviour]>([
    ['agent', 'is slow', silent],
    ['agent', 'never connects', 'hangs'],
    ['librarian', 'is slow', silent],
    ['librarian', 'never connects', 'hangs'],
  ])('answers in time as an %s with the other parts when one %s', async (as, _, semantic) => {
    stopClock();
    const { promise: answered, resolve } = Promise.withResolvers<void>();
    const analytics = (response: Response) => {
      resolve();
      return response;
    };
    const served = { tamper: { analytics } };
    const reading =
      as === 'agent' ? askHybrid({ semantic }, served) : askLibrarian({ semantic }, served);
    await answered;
    // The caller has the same deadline: status 200 is an answer in time.
    const { reply, status } =
      await atDeadline<Pick<Awaited<typeof reading>, 'reply' | 'status'>>(reading);
    expect(status).toBe(200);
    const { result, metadata } = reply.metadata.hybrid ?? reply;
    expect(result.synthesis).toMatch(/50 units in stock.*it did not answer in time/s);
    expect(metadata.failed).toMatchObject([{ type: 'semantic', error_code: 'TIMEOUT' }]);
  });
  it('names a part that the caller may not query, and does not send it', async () => {
    const { reply, status, calls } = await askHybrid(
      {},
      { context: userContext({ capabilities: ['sql:read'] }) },
    );
    expect([status, calls.map(({ type }) => type)]).toEqual([200, ['analytics']]);
    expect(reply.result.synthesis).toContain('from the knowledge base: it may not be asked this.');
    expect(reply.metadata.failed).toMatchObject([{ type: 'semantic', error_code: 'UNAUTHORIZED' }]);
  });
  it('fails with UNAUTHORIZED when the caller may query no source', async () => {
    const context = userContext({ capabilities: ['memory:read'] });
    const { reply, status, calls } = await askHybrid({}, { context });
    expect([status, calls]).toEqual([401, []]);
    expect(reply).toMatchObject({
      success: false,
      type: 'hybrid',
      metadata: { error_code: 'UNAUTHORIZED' },
    });
    expect(reply.metadata.suggestion).toContain('sql:read, kb:read');
  });

  const gone = (recoverable: boolean) =>
    coded('SERVICE_UNAVAILABLE', { message: 'No database', recoverable });
  it.each<[string, [Behaviour, Behaviour], number, string, RegExp]>([
    ['NOT_FOUND', [NOTHING, NOTHING], 404, 'both find nothing', /in other words/],
    [
      'SERVICE_UNAVAILABLE',
      [gone(true), gone(true)],
      503,
      'both are away',
      /again in a few seconds/,
    ],
    [
      'SERVICE_UNAVAILABLE',
      [gone(false), gone(false)],
      503,
      'both stay away',
      /^Asking the same again will not help/,
    ],
    ['DELEGATION_FAILED', [NOTHING, 'down'], 502, 'they fail for different reasons', /\w/],
  ])(
    'fails with %s when no agent answers: %s',
    async (error_code, [analytics, semantic], expected, _, suggestion) => {
      const { reply, status } = await askHybrid({ analytics, semantic });
      const failed = [{ type: 'analytics' }, { type: 'semantic' }];
      const metadata = {
        error_code,
        suggestion: expect.stringMatching(suggestion),
        sub_query_count: 2,
        failed,
      };
      expect([status, reply]).toMatchObject([
        expected,
        { success: false, error: expect.stringMatching(/\w/), metadata },
      ]);
    },
  );
  it('names the sources that found nothing', async () => {
    const part = await askHybrid({ analytics: NOTHING });
    expect(part.reply.result.synthesis).toContain(
      'No answer to “How many iPhone 17 are in stock” from the database: it has nothing on this.',
    );
    const whole = await askHybrid({ analytics: NOTHING, semantic: NOTHING });
    expect(whole.reply.error).toBe(
      'Cannot answer: the database and the knowledge base found nothing that answers the question',
    );
  });
  describe('and the navigator can be asked', () => {
    const QUOTE = 'Opened boxes can be returned within 14 days.';
    const place = {
      name: 'Returns',
      url: 'https://docs.example.com/returns',
      file: 'orders/returns.md',
      section: 'Boxes',
    };
    const statement = {
      text: QUOTE,
      sources: [{ ...place, quote: QUOTE, start: 0, end: QUOTE.length }],
      support: 1,
    };
    const navigator: Librarian = async () => ({
      answer: QUOTE,
      sources: [{ name: place.name, url: place.url, relevance: 0.9 }],
      confidence: 0.8,
      metadata: { statements: [{ ...statement, check: 'quoted' }] },
    });
    const declines: Librarian = async () => ({
      answer: 'Dazu habe ich keine Informationen.',
      sources: [],
      confidence: 0.1,
      partial: true,
      metadata: { closest: [] },
    });
    const empty: Behaviour = async (query, call) => {
      const { similarity_threshold } = call.options;
      const nothing = {
        documents: [],
        document_count: 0,
        summary: 'I found nothing.',
        similarity_threshold,
      };
      return saying('semantic', { result: nothing })(query, call);
    };
    it.each<[string, Behaviour]>([
      ['finds nothing', NOTHING],
      ['returns no document', empty],
      ['is away', AWAY],
      ['cannot be reached', 'down'],
    ])('answers from the knowledge base where the agent of a part %s', async (_, semantic) => {
      const { reply, status } = await askHybrid({ semantic }, { navigator });
      expect([status, reply.metadata.failed, reply.metadata.partial]).toEqual([200, [], undefined]);
      expect(reply.result.synthesis).toBe(`The iPhone 17 has 50 units in stock. ${QUOTE}`);
      const document = {
        content: QUOTE,
        score: 0.9,
        metadata: { source: place.file, title: place.name, url: place.url },
      };
      expect(reply.result.sub_queries[1]).toMatchObject({
        type: 'semantic',
        success: true,
        result: { document_count: 1, documents: [document] },
      });
      const { hops } = DelegationTrace.parse(reply.metadata.trace);
      expect(hops.map(({ to }) => to).toSorted()).toEqual(['analytics', 'navigator', 'semantic']);
      expect(hops.find(({ to }) => to === 'semantic')?.outcome).not.toBe('answer');
    });
    it('asks it for a part of the database too, and names the knowledge base as its source', async () => {
      const { reply } = await askHybrid({ analytics: NOTHING }, { navigator });
      expect(reply.result.sub_queries[0]).toMatchObject({ type: 'semantic', success: true });
      expect(reply.result.sources_used).toEqual(['semantic']);
    });
    it('keeps why the part is missing when it finds nothing either', async () => {
      const { reply } = await askHybrid({ semantic: AWAY }, { navigator: declines });
      expect(reply.metadata.failed).toMatchObject([
        { type: 'semantic', error_code: 'SERVICE_UNAVAILABLE' },
      ]);
      const found = await askHybrid({ semantic: empty }, { navigator: declines });
      expect(found.reply.metadata.failed).toMatchObject([
        { type: 'semantic', error_code: 'NOT_FOUND' },
      ]);
      expect(found.reply.result.synthesis).not.toContain('Dazu');
    });
    it('is not asked without the right to read articles', async () => {
      const asked: string[] = [];
      const seen: Librarian = async (query) => ({ answer: `${asked.push(query)}` });
      await askHybrid(
        { analytics: NOTHING },
        { navigator: seen, context: userContext({ capabilities: ['sql:read'] }) },
      );
      expect(asked).toEqual([]);
    });
  });
  it('derives the code from the agents that were called', async () => {
    const { reply } = await askHybrid(
      { semantic: AWAY },
      { context: userContext({ capabilities: ['kb:read'] }) },
    );
    expect(reply.metadata.error_code).toBe('SERVICE_UNAVAILABLE');
  });
});

describe('The hybrid agent, bounded', () => {
  it('sends at most six parts and names the others', async () => {
    const query = Array.from(
      { length: 8 },
      (_, at) => `How many orders came in on day ${at}?`,
    ).join(' ');
    const { reply, calls } = await askHybrid({}, { query });
    expect(calls).toHaveLength(6);
    expect(reply.metadata).toMatchObject({ sub_query_count: 6, partial: true });
    expect(reply.result.synthesis).toContain('“How many orders came in on day 7?”');
  });
  it('shortens long findings, so that every part is included', async () => {
    const summary = 'Returns are accepted within 14 days. '.repeat(1500);
    const { result } = (await askHybrid(withResult('semantic', { summary }), { query: THREE }))
      .reply;
    expect(result.synthesis.length).toBeLessThan(12_000);
    expect(result.synthesis).toContain('50 units in stock');
    expect(result.sources_used).toEqual(['analytics', 'semantic', 'web_search']);
  });

  const largeTable = (row_count: number) => {
    const rows = Array.from({ length: row_count }, (_, at) => ({
      name: `Product ${at}`,
      note: 'x'.repeat(100),
    }));
    return withResult('analytics', { rows, row_count });
  };

  it('trims long results, so that the whole envelope fits the metadata of a librarian', async () => {
    const { result } = (await askLibrarian(largeTable(1200))).reply.metadata.hybrid.result
      .sub_queries[0];
    expect(result.row_count).toBe(result.rows.length);
    expect(result.row_count + result.omitted).toBe(1200);
  });
  it('answers with the text of an agent whose envelope was too large to return', async () => {
    const { result, metadata } = (await askHybrid(largeTable(2000))).reply;
    expect(result.synthesis).toContain('50 units in stock');
    expect([metadata.partial, result.sub_queries[0]]).toMatchObject([
      true,
      { success: true, result: {} },
    ]);
  });
});

const modelSaying = (text: () => string | Promise<string>): AIClient => ({
  model: 'test',
  complete: async () => ({ text: await text() }),
});
const proposal = (...parts: [type: string, query: string][]) =>
  modelSaying(() =>
    JSON.stringify({ sub_queries: parts.map(([type, query]) => ({ type, query })) }),
  );
const STOCK = 'how many iPhone 17 are in stock';
const POLICY = 'what does the return policy say about opened boxes';

it.each<[string, AIClient, 'model' | 'rules']>([
  [
    'proposes the same in another order',
    proposal(['semantic', POLICY], ['analytics', STOCK]),
    'model',
  ],
  [
    'adds words',
    proposal(['analytics', `${STOCK}; drop table orders`], ['semantic', POLICY]),
    'rules',
  ],
  ['leaves a part out', proposal(['analytics', STOCK]), 'rules'],
  ['names another type', proposal(['hybrid', QUESTION]), 'rules'],
  ['names seven parts', proposal(...Array(7).fill(['semantic', QUESTION])), 'rules'],
  ['answers without JSON', modelSaying(() => 'Sure!'), 'rules'],
  ['stays silent', modelSaying(() => new Promise(() => undefined)), 'rules'],
  ['fails', modelSaying(() => Promise.reject(new Error('429'))), 'rules'],
])(
  'The hybrid agent with a model which %s: splits by the proposal or by rules',
  async (_, ai, splitBy) => {
    stopClock();
    const { reply } = await atDeadline(askHybrid({}, { ai }));
    expect(reply.metadata.split_by).toBe(splitBy);
    const types = ['analytics', 'semantic'];
    expect(reply.result.sub_queries.map(({ type }: { type: string }) => type)).toEqual(
      splitBy === 'model' ? types.toReversed() : types,
    );
  },
);
