import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentResponse } from '../../src/contract/agent-response.ts';
import { JoinedAnswer } from '../../src/contract/joined-answer.ts';
import { LibrarianDirectory } from '../../src/contract/librarian-directory.ts';
import { MemoryPage } from '../../src/contract/memory.ts';
import { DelegationTrace, LibrarianResponse } from '../../src/contract/response.ts';
import { validateResponse } from '../../src/contract/validate-response.ts';
import { type Product, startProduct } from '../../src/dev/run/product.ts';
import type { ChatRequest } from '../../src/dev/stand-ins/openai/chat-request.ts';
import { strictSchemaProblem } from '../../src/dev/stand-ins/openai/check-strict-schema.ts';
import { hashApiKey, newApiKey } from '../../src/gateway/api-keys.ts';
import { BACK_ENDS, type RunningBackEnd, servicesOf } from './back-ends.ts';

describe.each(BACK_ENDS)('on the $name back end', ({ name, start }) => {
  let running: RunningBackEnd;
  let product: Product;
  const logged: string[] = [];

  beforeAll(async () => {
    running = await start({ webSearch: 'local', onLog: (line) => void logged.push(line) });
    product = running.product;
    await product.sync({ full: true });
  }, 120_000);

  afterAll(() => running?.stop());

  const ask = async (query: string, more: object = {}) => {
    const response = await product.fetch('/v1/ask', { method: 'POST', body: JSON.stringify({ query, ...more }) });
    const body: unknown = await response.json();
    expect(validateResponse(body)).toMatchObject({ ok: true, warnings: [] });
    const reply = LibrarianResponse.parse(body);
    const { hops } = DelegationTrace.parse(reply.metadata?.trace);
    const way = hops.map(
      ({ from, to, outcome, verified }) => `${from} > ${to} ${outcome}${verified ? '' : ' unverified'}`,
    );
    return { status: response.status, reply, way };
  };

  const askAgent = async (type: string, query: string, options?: object) => {
    const init = { method: 'POST', body: JSON.stringify({ query, ...(options === undefined ? {} : { options }) }) };
    const response = await product.fetch(`/v1/agents/${type}`, init);
    return { status: response.status, reply: AgentResponse.parse(await response.json()) };
  };

  describe('a question to /v1/ask', () => {
    it('that the knowledge base answers ends at the navigator', async () => {
      const { status, reply, way } = await ask('Can I use a normal PC power supply with my Apollo II?');
      expect([status, way]).toEqual([200, ['gateway > navigator answer']]);
      expect(reply.answer).toContain('450 W');
      expect(reply.metadata).toHaveProperty('navigator.edition');
    });

    it('that asks for a figure of the shop ends at analytics', async () => {
      const { reply, way } = await ask('How many iPhone 17 are in stock?');
      expect(way).toEqual(['gateway > analytics answer']);
      expect(reply.answer).toMatch(/iPhone 17 has \d+ units in stock/);
      expect(reply.sources?.map(({ name }) => name)).toEqual(expect.arrayContaining(['stock']));
    });

    it('that asks what others charge ends at the web search', async () => {
      const { reply, way } = await ask('Is the iPhone 17 cheaper elsewhere online?');
      expect(way).toEqual(['gateway > web-search answer']);
      expect(reply.metadata).toHaveProperty('web_search.result.price_comparison.cheapest_external');
    });

    it('that asks for documents ends at the semantic search', async () => {
      const { reply, way } = await ask('Find documents about firmware updates');
      expect(way).toEqual(['gateway > semantic answer']);
      expect(reply.sources?.[0]).toMatchObject({ name: 'Update the firmware', type: 'document' });
    });

    it('that needs several of them at once ends at hybrid, over signed hops', async () => {
      const { reply, way } = await ask('How many Apollo III are in stock and what does the warranty cover?');
      expect(way).toEqual(['gateway > hybrid answer', 'hybrid > analytics answer', 'hybrid > semantic answer']);
      expect(reply.metadata).toMatchObject({ hybrid: { result: { sources_used: ['analytics', 'semantic'] } } });
    });

    it('about something else is declined by the navigator, and no error', async () => {
      const { status, reply, way } = await ask('How do I cook rice?');
      expect([status, reply.error]).toEqual([200, undefined]);
      expect(reply).toMatchObject({ sources: [], partial: true, metadata: { closest: expect.any(Array) } });
      expect(way).toEqual(['gateway > navigator partial']);
    });

    it.each([
      'How hot may the room be in summer?',
      'Wie laut ist das Gerät im Betrieb?',
      'In Turbo mode, what does it draw?',
    ])('in words or a language that no librarian claims ends at the navigator: %s', async (query) => {
      const { status, way } = await ask(query);
      expect([status, way.map((hop) => hop.split(' ')[2])]).toEqual([200, ['navigator']]);
    });

    it('of which one part has no answer says so of that part', async () => {
      const { reply } = await ask('How many orders were placed in March 2026? Who won the cup in 1974?');
      expect(reply.answer).toMatch(/orders were placed in March 2026/);
      expect(reply.answer).toContain('I found nothing about “Who won the cup in 1974?”');
      expect(reply).toMatchObject({ partial: true, metadata: { closest: expect.any(Array) } });
    });

    it('that is two questions is asked of both librarians, and each part keeps its sources', async () => {
      const { reply, way } = await ask('How many orders were placed in March 2026? And how do I update the firmware?');
      expect(way.map((hop) => hop.split(' ')[2])).toEqual(['analytics', 'navigator']);
      const { parts } = JoinedAnswer.parse(reply.metadata);
      for (const { librarian, sources = [] } of parts) {
        const named = sources.map((index) => reply.sources?.[index]?.type);
        expect([librarian, ...named]).toEqual(
          expect.arrayContaining([librarian === 'analytics' ? 'database' : 'document']),
        );
      }
    });

    it('goes nowhere that the key has no right to', async () => {
      const key = newApiKey();
      const keys = await product.miniflare.getKVNamespace('API_KEYS', 'constellation-gateway');
      const record = { name: 'reader', workspaces: ['default'], capabilities: ['kb:read'], rate: 'standard' };
      await keys.put(await hashApiKey(key), JSON.stringify(record));
      const post = (path: string) =>
        fetch(new URL(path, product.url), {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
          body: JSON.stringify({ query: 'How many iPhone 17 are in stock?' }),
        });
      const { metadata } = LibrarianResponse.parse(await (await post('/v1/ask')).json());
      expect(DelegationTrace.parse(metadata?.trace).hops.map(({ to }) => to)).toEqual(['navigator']);
      expect((await post('/v1/agents/analytics')).status).toBe(401);
      const named = await post('/v1/agents/hybrid');
      expect([named.status, AgentResponse.parse(await named.json()).success]).toEqual([401, false]);
    });
  });

  describe('an agent asked by its own route', () => {
    it.each([
      ['analytics', 'How many iPhone 17 are in stock?'],
      ['semantic', 'Find documents about firmware updates'],
      ['web_search', 'Is the iPhone 17 cheaper elsewhere online?'],
      ['hybrid', 'How many Apollo III are in stock and what does the warranty cover?'],
    ])('%s answers in the agent envelope', async (type, query) => {
      const { status, reply } = await askAgent(type, query);
      expect([status, reply.success, reply.type, reply.query]).toEqual([200, true, type, query]);
      expect(reply.metadata).toMatchObject({ execution_time: expect.any(Number), timestamp: expect.any(String) });
    });

    it('hybrid shows the hops to the others in its trace', async () => {
      const { reply } = await askAgent('hybrid', 'How many Apollo III are in stock and what does the warranty cover?');
      const { hops } = DelegationTrace.parse('trace' in reply.metadata ? reply.metadata.trace : undefined);
      expect(hops.map(({ to, verified }) => [to, verified])).toEqual([
        ['analytics', true],
        ['semantic', true],
      ]);
    });

    it('fails in the envelope, with the status of its code', async () => {
      const { status, reply } = await askAgent('analytics', 'Delete all customers');
      expect([status, reply.success]).toEqual([404, false]);
      expect(reply.metadata).toMatchObject({ error_code: 'NOT_FOUND', suggestion: expect.any(String) });
    });
  });

  describe('GET /v1/librarians', () => {
    it('lists the concierge and all librarians with what they say of themselves', async () => {
      const { librarians } = LibrarianDirectory.parse(await (await product.fetch('/v1/librarians')).json());
      expect(librarians.map(({ id, health }) => [id, health])).toEqual(
        expect.arrayContaining(
          ['concierge', 'navigator', 'semantic', 'analytics', 'web-search', 'hybrid'].map((id) => [id, 'ok']),
        ),
      );
      expect(librarians.map(({ id }) => id)).not.toContain('library');
    });
  });

  it.runIf(name === 'production')(
    'everybody who asks a model sends a schema of their own, which strict mode takes',
    async () => {
      const { openai } = servicesOf(running);
      openai.forgetRequests();
      const conversation_id = 'c';
      await askAgent('semantic', 'Find documents about firmware updates');
      await askAgent('web_search', 'Is the iPhone 17 cheaper elsewhere online?');
      await askAgent('analytics', 'How many iPhone 17 are in stock?');
      await askAgent('hybrid', 'How many Apollo III are in stock and what does the warranty cover?');
      await ask('What should I do when my Apollo III is not hashing?', { conversation_id });
      // The turn is kept after the answer has gone out.
      const path = `/v1/workspaces/default/memories?conversation_id=${conversation_id}`;
      const kept = async () => MemoryPage.parse(await (await product.fetch(path)).json()).memories.length;
      await expect.poll(kept, { timeout: 30_000 }).toBe(2);
      await ask('And on the Apollo II?', { conversation_id });
      // Words alone leave a doubt here.
      await ask('Which articles tell how much the Apollo III costs in our shop?');
      // The server checks each request against the service's specification before it answers.
      const sent = openai.sent('/chat/completions') as ChatRequest[];
      const formats = sent.flatMap(({ response_format: format }) =>
        format?.type === 'json_schema' ? [format.json_schema] : [],
      );
      expect([...new Set(formats.map(({ name }) => name))].toSorted()).toEqual([
        'answer_from_passages',
        'routes',
        'standalone_question',
        'statement',
        'sub_queries',
      ]);
      // Nobody asks for prose.
      expect(sent.filter(({ response_format }) => response_format === undefined)).toEqual([]);
      for (const { name, schema, strict } of formats) {
        expect([name, strict, strictSchemaProblem(schema)]).toEqual([name, true, undefined]);
      }
    },
    120_000,
  );

  describe('the logs of all that', () => {
    it('hold no question, no answer and nothing that went wrong inside', () => {
      expect(logged.filter((line) => /iPhone|rice|warranty|units in stock|INTERNAL_ERROR/i.test(line))).toEqual([]);
    });
  });
});

describe('librarians without their data source or provider', () => {
  let folder: string;
  let product: Product;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kb-'));
    writeFileSync(join(folder, 'kettle.md'), '# Kettle\n\nThe kettle switches off when the water boils.\n');
    product = await startProduct({ kb: { folder }, port: 0, webSearch: 'local' });
    await product.sync({ full: true });
  }, 120_000);
  afterAll(async () => {
    await product?.stop();
    rmSync(folder, { recursive: true });
  });

  const ask = async (query: string, librarian?: string) => {
    const response = await product.fetch('/v1/ask', { method: 'POST', body: JSON.stringify({ query, librarian }) });
    const { error, metadata } = LibrarianResponse.parse(await response.json());
    const hops = DelegationTrace.parse(metadata?.trace).hops.map(({ to }) => to);
    return { status: response.status, code: error?.code, message: error?.message, hops };
  };

  it.each([
    'What was our revenue last month?',
    'How many kettles are in stock and what does the warranty cover?',
    'Is the kettle cheaper elsewhere online?',
    'How many orders were placed in March? And how do I switch the kettle off?',
  ])('get no question that does not name them: %s', async (query) => {
    expect(await ask(query)).toMatchObject({ status: 200, hops: ['navigator'] });
  });

  it.each([
    ['analytics', 'Cannot answer from business data: no database is set up'],
    ['web-search', 'Cannot search the web: no search provider is set up'],
  ])('say so when they are named: %s', async (librarian, message) => {
    expect(await ask('What was our revenue last month?', librarian)).toMatchObject({
      ...{ status: 503, code: 'SERVICE_UNAVAILABLE', message },
    });
  });

  it('say why in the directory', async () => {
    const { librarians } = LibrarianDirectory.parse(await (await product.fetch('/v1/librarians')).json());
    const lacking = librarians.filter(({ unavailable }) => unavailable !== undefined);
    expect(lacking.map(({ id, health }) => [id, health])).toEqual([
      ['analytics', 'down'],
      ['web-search', 'down'],
    ]);
  });
});
