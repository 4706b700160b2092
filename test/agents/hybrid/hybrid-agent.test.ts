import { describe, expect, it } from 'vitest';
import { AgentResponse } from '../../../src/contract/agent-response.ts';
import type { AIClient } from '../../../src/contract/librarian.ts';
import { DelegationTrace } from '../../../src/contract/response.ts';
import { validateResponse } from '../../../src/contract/validate-response.ts';
import { CodedError } from '../../../src/http/coded-error.ts';
import { ask, userContext } from '../../signing/callers.ts';
import { ANSWERS, askAgent } from '../agents-for-test.ts';
import { allowed, type Behaviour, hybridWith, saying, silent } from './hybrid-for-test.ts';

const QUESTION = 'How many iPhone 17 are in stock and what does the return policy say about opened boxes?';
const THREE = `${QUESTION} What does the iPhone 17 cost at other shops?`;

type Question = { query?: string; options?: object; context?: ReturnType<typeof allowed>; timeoutMs?: number };

const askHybrid = async (
  behaviours: Parameters<typeof hybridWith>[0] = {},
  more: Question & Parameters<typeof hybridWith>[1] = {},
) => {
  const { query = QUESTION, options, context = allowed(), timeoutMs, ...served } = more;
  const { app, calls } = await hybridWith(behaviours, served);
  const body = { query, ...(options === undefined ? {} : { options }) };
  return { ...(await askAgent(app, { type: 'hybrid', body, context, timeoutMs })), calls };
};

/** Asks the hybrid agent as a librarian. */
const askLibrarian = async (behaviours: Parameters<typeof hybridWith>[0] = {}, query = QUESTION, more: object = {}) => {
  const { app } = await hybridWith(behaviours);
  return ask('hybrid', app, { query, context: allowed(), ...more });
};

const coded =
  (code: ConstructorParameters<typeof CodedError>[0]): Behaviour =>
  async () => {
    throw new CodedError(code, 'inside');
  };

const AWAY = coded('SERVICE_UNAVAILABLE');

/** Retries, as a busy machine can miss the deadline. */
const IN_TIME = { retry: 3, timeout: 60_000 };

describe('The hybrid agent', () => {
  it('calls the agent of each part and joins the findings in the order of the question', async () => {
    const { reply, status, calls } = await askHybrid();
    expect([status, AgentResponse.safeParse(reply).success]).toEqual([200, true]);
    expect(calls.map(({ type, query }) => [type, query]).toSorted()).toEqual([
      ['analytics', 'How many iPhone 17 are in stock'],
      ['semantic', 'what does the return policy say about opened boxes?'],
    ]);
    const partOf = ({ type, result, source_attribution }: AgentResponse) => ({
      ...{ type, result, source_attribution, success: true },
    });
    expect(reply.result).toMatchObject({
      synthesis: 'The iPhone 17 has 50 units in stock. Our return policy allows returns within 14 days of purchase.',
      sources_used: ['analytics', 'semantic'],
      sub_queries: [partOf(ANSWERS.analytics), partOf(ANSWERS.semantic)],
    });
    const details = { sources: ['analytics', 'semantic'] };
    expect(reply.source_attribution).toEqual({ primary_source: 'Mixed', icon: '🔀', details, confidence: 0.9 });
    expect(reply.metadata).toMatchObject({ sub_query_count: 2, failed: [], split_by: 'rules' });
    expect(reply.metadata).not.toHaveProperty('partial');
  });

  it('states how each part was routed, and the common metadata of the parts', async () => {
    const about = (id: number, hit: boolean) => ({
      metadata: { entity_id: id, entity_type: 'product', cache_hit: hit },
    });
    const metadataOf = async (analytics: object, semantic: object) =>
      (
        await askHybrid({
          analytics: saying('analytics', analytics),
          semantic: saying('semantic', semantic),
        })
      ).reply.metadata;
    const same = await metadataOf(about(11, true), about(11, true));
    expect(same).toMatchObject({ ...about(11, true).metadata, user_id: 'user:u_secret', language: 'en' });
    expect(same.classification_reasoning).toEqual([
      expect.stringMatching(/^Part 1 goes to the shop database by its words: counts/),
      expect.stringMatching(/^Part 2 goes to the knowledge base/),
    ]);
    expect((await metadataOf(about(11, true), about(11, false))).cache_hit).toBe(false);
    const apart = await metadataOf(about(11, true), { metadata: { entity_id: 12, entity_type: 'product' } });
    for (const name of ['entity_id', 'entity_type', 'cache_hit']) expect(apart).not.toHaveProperty(name);
  });

  it('calls all agents in parallel', async () => {
    let waiting = 0;
    const { promise: bothAreThere, resolve } = Promise.withResolvers<void>();
    const meeting =
      (type: 'analytics' | 'semantic'): Behaviour =>
      async (query, call) => {
        if (++waiting === 2) resolve();
        await bothAreThere;
        return saying(type)(query, call);
      };
    const { reply } = await askHybrid({ analytics: meeting('analytics'), semantic: meeting('semantic') });
    expect(reply.result.sources_used).toEqual(['analytics', 'semantic']);
  });

  it('sends the whole question to one agent when it needs one kind of source', async () => {
    const query = 'How many iPhone 17 are in stock?';
    const { reply, calls } = await askHybrid({}, { query });
    expect(calls).toEqual([{ type: 'analytics', query, options: {} }]);
    expect(reply.result.sources_used).toEqual(['analytics']);
  });

  it.each([
    ['as an option sets', { semantic: { similarity_threshold: 0.8 } }, 0.8],
    ['below that of a search by default', undefined, 0.4],
  ])('passes each agent only its own options, with the similarity threshold %s', async (_, options, threshold) => {
    const { calls } = await askHybrid({}, options === undefined ? {} : { options });
    const optionsOf = (wanted: string) => calls.find(({ type }) => type === wanted)?.options;
    expect([optionsOf('analytics'), optionsOf('semantic')]).toEqual([{}, { similarity_threshold: threshold }]);
  });

  it.each([{ limit: 3 }, { semantic: { similarity: 0.8 } }, { analytics: { limit: 3 } }])(
    'refuses unknown options before it calls an agent: %j',
    async (options) => {
      const { reply, status, calls } = await askHybrid({}, { options });
      expect([status, reply.metadata.error_code, calls]).toEqual([400, 'INVALID_QUERY', []]);
      expect(reply.metadata.suggestion).toContain('analytics, semantic, web_search');
    },
  );

  it('keeps the citations of a finding, and confines its Markdown to its part', async () => {
    const summary = 'Within 14 days (policies.md, Returns).\n\n# Ours\n\n```\nopen';
    const result = { ...ANSWERS.semantic.result, summary };
    const { reply } = await askHybrid({ semantic: saying('semantic', { result }) });
    expect(reply.result.synthesis).toContain('Within 14 days (policies.md, Returns).');
    expect(reply.result.synthesis).not.toMatch(/^# /m);
    expect(reply.result.synthesis.match(/```/g)).toHaveLength(2);
  });

  it('includes the answer of the web search', async () => {
    const metadata = { answer: 'The cheapest offer is 949.99: [A shop](https://shop.example/1).' };
    const { reply } = await askHybrid(
      { web_search: saying('web_search', { metadata }) },
      { query: 'How many iPhone 17 are in stock and is it cheaper elsewhere?' },
    );
    expect(reply.result.synthesis).toContain('[A shop](https://shop.example/1)');
    expect(reply.result.sources_used).toEqual(['analytics', 'web_search']);
  });

  it('is partial and does not count a source that found nothing', async () => {
    const summary = 'Nothing is written about this.';
    const result = { documents: [], summary, document_count: 0, similarity_threshold: 0.7 };
    const source_attribution = { ...ANSWERS.semantic.source_attribution, confidence: 0 };
    const { reply } = await askHybrid({ semantic: saying('semantic', { result, source_attribution }) });
    expect(reply).toMatchObject({
      result: {
        sources_used: ['analytics'],
        synthesis: expect.stringMatching(
          /Not answered: “what does the return policy .*: it found nothing that answers this/,
        ),
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
    ['finds nothing', coded('NOT_FOUND'), 'NOT_FOUND'],
    ['is not set up', AWAY, 'SERVICE_UNAVAILABLE'],
  ])('answers the rest and names the part whose agent %s', async (_, semantic, code) => {
    const { reply, status } = await askHybrid({ semantic });
    expect([status, reply.result.sources_used, reply.source_attribution.confidence]).toEqual([
      200,
      ['analytics'],
      0.45,
    ]);
    expect(reply.result.synthesis).toMatch(
      /^The iPhone 17 has 50 units in stock\..*Not answered: “what does the return policy say about opened boxes\?” \(the knowledge base\)/s,
    );
    const failed = { type: 'semantic', error_code: code };
    expect(reply.result.sub_queries[1]).toMatchObject({ ...failed, success: false, result: {} });
    const expected = { partial: true, sub_query_count: 2, failed: [{ ...failed, librarian: 'semantic' }] };
    expect(reply.metadata).toMatchObject(expected);
  });

  it.each([
    ['none', {}],
    ['one of another kind', { semantic: ANSWERS.analytics }],
    ['a broken one', { semantic: { ...ANSWERS.semantic, result: { documents: 'all' } } }],
  ])('rejects an answer whose envelope is %s', async (_, metadata) => {
    const librarian = async () => ({ answer: 'Within 14 days.', metadata });
    const { reply } = await askHybrid({}, { librarians: { semantic: librarian } });
    expect(reply.result.synthesis).not.toContain('14 days');
    expect(reply.metadata.failed).toMatchObject([{ type: 'semantic', error_code: 'DELEGATION_FAILED' }]);
  });

  it('rejects an answer whose receipt does not match', async () => {
    const query = 'What is pruning and how many customers do we have?';
    const unsigned = (response: Response) => new Response('{"answer":"50"}', response);
    const { reply } = await askHybrid({}, { query, tamper: { semantic: unsigned } });
    expect(reply.result.sources_used).toEqual(['analytics']);
    expect(reply.metadata.failed).toMatchObject([{ type: 'semantic', error_code: 'DELEGATION_FAILED' }]);
  });

  it('sends its parts even when the question has large metadata', async () => {
    const { reply, status } = await askLibrarian({}, QUESTION, { metadata: { note: 'x'.repeat(15_985) } });
    expect([status, reply.partial]).toEqual([200, undefined]);
    expect(reply.metadata.hybrid.result.sources_used).toEqual(['analytics', 'semantic']);
  });

  it.each<[string, string, Behaviour]>([
    ['POST /v1/agents/hybrid', 'is slow', silent],
    ['POST /v1/agents/hybrid', 'never connects', 'hangs'],
    ['POST /librarians/hybrid/ask', 'is slow', silent],
    ['POST /librarians/hybrid/ask', 'never connects', 'hangs'],
  ])('%s answers in time with the other parts when one %s', IN_TIME, async (route, _, semantic) => {
    // The first request of a process is slow.
    await askHybrid({ semantic: 'down' });
    const timing = { timeoutMs: 4000 };
    // The caller has the same deadline: status 200 is an answer in time.
    const { reply, status } = route.includes('librarians')
      ? await askLibrarian({ semantic }, QUESTION, timing)
      : await askHybrid({ semantic }, timing);
    expect(status).toBe(200);
    const { result, metadata } = reply.metadata.hybrid ?? reply;
    expect(result.synthesis).toMatch(/50 units in stock.*it did not answer in time/s);
    expect(metadata.failed).toMatchObject([{ type: 'semantic', error_code: 'TIMEOUT' }]);
  });

  it('names a part that the caller may not query, and does not send it', async () => {
    const context = userContext({ capabilities: ['sql:read'] });
    const { reply, status, calls } = await askHybrid({}, { context });
    expect(status).toBe(200);
    expect(calls.map(({ type }) => type)).toEqual(['analytics']);
    expect(reply.result.synthesis).toContain('takes the capability kb:read, which is not allowed here');
    expect(reply.metadata.failed).toMatchObject([{ type: 'semantic', error_code: 'UNAUTHORIZED' }]);
  });

  it('fails with UNAUTHORIZED when the caller may query no source', async () => {
    const context = userContext({ capabilities: ['memory:read'] });
    const { reply, status, calls } = await askHybrid({}, { context });
    expect([status, calls]).toEqual([401, []]);
    expect(reply).toMatchObject({ success: false, type: 'hybrid', metadata: { error_code: 'UNAUTHORIZED' } });
    expect(reply.metadata.suggestion).toContain('sql:read, kb:read');
  });

  it.each<[string, [Behaviour, Behaviour], string, number]>([
    ['the code that both have', [coded('NOT_FOUND'), coded('NOT_FOUND')], 'NOT_FOUND', 404],
    ['SERVICE_UNAVAILABLE when both are away', [AWAY, AWAY], 'SERVICE_UNAVAILABLE', 503],
    ['DELEGATION_FAILED for codes that differ', [coded('NOT_FOUND'), 'down'], 'DELEGATION_FAILED', 502],
  ])('fails with %s when no agent answers', async (_, [analytics, semantic], code, expected) => {
    const { reply, status } = await askHybrid({ analytics, semantic });
    expect([status, reply.success, reply.metadata.error_code]).toEqual([expected, false, code]);
    expect(reply.metadata).toMatchObject({ sub_query_count: 2, failed: [{ type: 'analytics' }, { type: 'semantic' }] });
    expect(reply.error).toMatch(/\w/);
  });

  it('advises a retry only when it may help', async () => {
    const suggestionOf = async (recoverable: boolean) => {
      const away: Behaviour = async () => {
        throw new CodedError('SERVICE_UNAVAILABLE', 'inside', { reported: { message: 'No database', recoverable } });
      };
      return (await askHybrid({ analytics: away, semantic: away })).reply.metadata.suggestion;
    };
    expect(await suggestionOf(true)).toMatch(/again in a few seconds/);
    expect(await suggestionOf(false)).toMatch(/^Asking the same again will not help/);
  });

  it('names the sources that found nothing', async () => {
    const nothing = coded('NOT_FOUND');
    const part = await askHybrid({ analytics: nothing });
    expect(part.reply.result.synthesis).toContain(
      'Not answered: “How many iPhone 17 are in stock” (the shop database): it found nothing that answers this; ask for it in other words.',
    );
    const whole = await askHybrid({ analytics: nothing, semantic: nothing });
    expect(whole.reply.error).toBe(
      'Cannot answer: the shop database and the knowledge base found nothing that answers the question',
    );
    expect(whole.reply.metadata.suggestion).toContain('in other words');
  });

  it('derives the code from the agents that were called', async () => {
    const context = userContext({ capabilities: ['kb:read'] });
    const { reply } = await askHybrid({ semantic: AWAY }, { context });
    expect(reply.metadata.error_code).toBe('SERVICE_UNAVAILABLE');
  });
});

describe('The hybrid agent, bounded', () => {
  it('sends at most six parts and names the others', async () => {
    const query = Array.from({ length: 8 }, (_, at) => `How many orders came in on day ${at}?`).join(' ');
    const { reply, calls } = await askHybrid({}, { query });
    expect(calls).toHaveLength(6);
    expect(reply.metadata).toMatchObject({ sub_query_count: 6, partial: true });
    expect(reply.result.synthesis).toContain('“How many orders came in on day 7?”');
  });

  it('shortens long findings, so that every part is included', async () => {
    const summary = 'Returns are accepted within 14 days. '.repeat(1500);
    const result = { ...ANSWERS.semantic.result, summary };
    const { reply } = await askHybrid({ semantic: saying('semantic', { result }) }, { query: THREE });
    expect(reply.result.synthesis.length).toBeLessThan(12_000);
    expect(reply.result.synthesis).toContain('50 units in stock');
    expect(reply.result.sources_used).toEqual(['analytics', 'semantic', 'web_search']);
  });

  const largeTable = (length: number) => {
    const rows = Array.from({ length }, (_, at) => ({ name: `Product ${at}`, note: 'x'.repeat(100) }));
    return { analytics: saying('analytics', { result: { ...ANSWERS.analytics.result, rows, row_count: length } }) };
  };

  it('trims long results, so that the whole envelope fits the metadata of a librarian', async () => {
    const { reply } = await askLibrarian(largeTable(1200));
    const [part] = reply.metadata.hybrid.result.sub_queries;
    expect(part.result.row_count).toBe(part.result.rows.length);
    expect(part.result.row_count + part.result.omitted).toBe(1200);
  });

  it('answers with the text of an agent whose envelope was too large to return', async () => {
    const { reply } = await askHybrid(largeTable(2000));
    expect(reply.result.synthesis).toContain('50 units in stock');
    expect(reply.metadata.partial).toBe(true);
    expect(reply.result.sub_queries[0]).toMatchObject({ success: true, result: {} });
  });
});

describe('The trace of a hybrid question', () => {
  it('is part of the librarian response, each hop with its verified receipt', async () => {
    const { reply } = await askLibrarian({}, THREE);
    expect(validateResponse(reply).ok).toBe(true);
    const trace = DelegationTrace.parse(reply.metadata.trace);
    expect(trace.hops).toMatchObject(
      ['analytics', 'semantic', 'web-search'].map((to) => ({ from: 'hybrid', to, outcome: 'answer', verified: true })),
    );
    expect(trace.hops.every(({ receipt }) => receipt !== undefined)).toBe(true);
    const names = reply.sources.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['clic_products', 'policies.pdf']));
  });

  it('is part of the metadata of POST /v1/agents/hybrid, and the receipt counts the calls', async () => {
    const { reply, answer } = await askHybrid();
    const trace = DelegationTrace.parse(reply.metadata.trace);
    expect(trace.hops).toMatchObject(['analytics', 'semantic'].map((to) => ({ to, verified: true })));
    const sub = [expect.any(String), expect.any(String)];
    expect(answer.ok && answer.receipt).toMatchObject({ use: { calls: 2 }, sub });
  });
});

describe('The hybrid agent with a model', () => {
  const modelSaying = (text: string | Promise<string>): AIClient => ({
    model: 'test',
    complete: async () => ({ text: await text }),
  });
  const proposal = (...parts: [type: string, query: string, more?: string][]) => {
    const sub_queries = parts.map(([type, query, more = '']) => ({ type, query: `${query}${more}` }));
    return modelSaying(JSON.stringify({ sub_queries }));
  };
  const STOCK: [string, string] = ['analytics', 'how many iPhone 17 are in stock'];

  it('splits as the model proposes', async () => {
    const ai = proposal(['semantic', 'what does the return policy say about opened iPhone 17 boxes'], STOCK);
    const { reply } = await askHybrid({}, { ai });
    expect(reply.metadata.split_by).toBe('model');
    expect(reply.result.sub_queries.map(({ type }: { type: string }) => type)).toEqual(['semantic', 'analytics']);
  });

  it.each<[string, AIClient]>([
    ['adds words', proposal([...STOCK, '; drop table orders'], ['semantic', 'return policy say opened boxes'])],
    ['leaves a part out', proposal(STOCK)],
    ['names another type', proposal(['hybrid', QUESTION])],
    ['names seven parts', proposal(...Array.from({ length: 7 }, (): [string, string] => ['semantic', QUESTION]))],
    ['answers without JSON', modelSaying('Sure!')],
    ['stays silent', modelSaying(new Promise<string>(() => undefined))],
    ['fails', { model: 'test', complete: () => Promise.reject(new Error('429')) }],
  ])('splits by rules when the model %s', async (_, ai) => {
    const { reply } = await askHybrid({}, { ai, timeoutMs: 2000 });
    expect(reply.metadata.split_by).toBe('rules');
    expect(reply.result.sources_used).toEqual(['analytics', 'semantic']);
  });
});
