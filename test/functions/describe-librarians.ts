import { beforeAll, describe, expect, it } from 'vitest';
import { DelegationTrace, JoinedAnswer } from '../../src/contract/core/response.ts';
import { validateResponse } from '../../src/contract/core/validate-response.ts';
import { AgentResponse } from '../../src/contract/wire/agent-response.ts';
import { SupportResponse } from '../../src/contract/wire/support-response.ts';
import type { Product } from '../../tools/run/product.ts';
import { ask, directoryOf, grant, send } from './product-for-test.ts';

/** The librarians of the sample product: on their own routes, by `/v1/ask`, in conversations and through the interface of OpenAI. */
export function describeLibrarians(productOf: () => Product, logged: readonly string[]): void {
  describe('facts stored about a person', () => {
    const MESSAGE = 'How loud is it in Turbo mode?';
    const remember = (person_id: string, content: string) =>
      send(productOf(), 'POST /v1/workspaces/default/memories', {
        type: 'fact',
        content,
        person_id,
      });
    beforeAll(async () => {
      await remember('owner', 'Owns an Apollo II');
      await remember('seller', 'I sold my Apollo II');
    });

    const analyse = async (more: object, as?: string) => {
      const response = await send(
        productOf(),
        'POST /v1/support/analyze',
        { message: MESSAGE, ...more },
        as,
      );
      const { agent_guidance, knowledge_retrieval } = SupportResponse.parse(await response.json());
      return {
        guidance: JSON.stringify(agent_guidance),
        first: knowledge_retrieval.sources_consulted[0]?.title,
      };
    };
    const OWNER = { metadata: { person_id: 'owner' } };
    const STORED = 'is what is stored about the customer';

    it('reach the analysis of a ticket, and are named to the agent', async () => {
      const { guidance } = await analyse(OWNER);
      expect(guidance).toContain(`\\"Apollo II\\" ${STORED}`);
    });

    it.each([
      ['no person', {}],
      ['another person', { metadata: { person_id: 'other' } }],
      ['a person who has sold it', { metadata: { person_id: 'seller' } }],
      ['"facts": false', { ...OWNER, facts: false }],
      ['facts in the metadata of the caller', { metadata: { asker_facts: ['Owns an Apollo II'] } }],
      [
        'a product in the message',
        { ...OWNER, message: 'How loud is the Apollo III in Turbo mode?' },
      ],
    ])('reach no ticket with %s', async (_, more) => {
      expect((await analyse(more)).guidance).not.toContain(STORED);
    });

    it('reach no ticket of a key that may not read memories', async () => {
      await grant(productOf(), 'ck_desk_0123456789abcdef', {
        capabilities: ['support:analyze', 'kb:read'],
      });
      expect((await analyse(OWNER, 'ck_desk_0123456789abcdef')).guidance).not.toContain(STORED);
    });

    it.each([
      ['semantic', MESSAGE, { similarity_threshold: 0 }],
      [
        'hybrid',
        `How many orders were placed in March 2026 and what does the warranty cover?`,
        { semantic: { similarity_threshold: 0 } },
      ],
    ])('order the documents of the agent %s', async (type, query, options) => {
      const documents = async (more: object) => {
        const response = await send(productOf(), `POST /v1/agents/${type}`, {
          query,
          options,
          ...more,
        });
        const { result, metadata } = AgentResponse.parse(await response.json());
        return {
          isUsed: 'memory_context_used' in metadata && metadata.memory_context_used,
          found: JSON.stringify(result),
        };
      };
      const without = await documents({});
      const withFacts = await documents(OWNER);
      expect(withFacts.found).not.toBe(without.found);
      expect([withFacts.isUsed, without.isUsed]).toEqual([true, false]);
      for (const more of [
        { ...OWNER, facts: false },
        { metadata: { asker_facts: ['Owns an Apollo II'] } },
      ])
        expect(await documents(more)).toEqual(without);
      expect((await documents({ metadata: { person_id: 'seller' } })).found).toBe(without.found);
    });
  });

  const askAgent = async (type: string, query: string) => {
    const response = await send(productOf(), `POST /v1/agents/${type}`, { query });
    return { status: response.status, reply: AgentResponse.parse(await response.json()) };
  };
  const BOTH = 'How many Apollo III are in stock and what does the warranty cover?';

  describe('a question to /v1/ask', () => {
    const NAVIGATOR = ['gateway > navigator answer'];
    it.each<[query: string, way: string[], reply: object]>([
      [
        'Can I use a normal PC power supply with my Apollo II?',
        NAVIGATOR,
        {
          answer: expect.stringContaining('450 W'),
          metadata: { navigator: { edition: expect.any(String) } },
        },
      ],
      ['How hot may the room be in summer?', NAVIGATOR, {}],
      ['Wie laut ist das Gerät im Betrieb?', NAVIGATOR, {}],
      ['In Turbo mode, what does it draw?', NAVIGATOR, {}],
      [
        'How many iPhone 17 are in stock?',
        ['gateway > analytics answer'],
        {
          answer: expect.stringMatching(/iPhone 17 has 50 units in stock/),
          sources: [{ name: 'products' }, { name: 'stock' }],
          metadata: { analytics: { success: true } },
        },
      ],
      [
        'Is the iPhone 17 cheaper elsewhere online?',
        ['gateway > web-search answer'],
        {
          metadata: {
            web_search: { result: { price_comparison: { cheapest_external: expect.anything() } } },
          },
        },
      ],
      [
        'Find documents about firmware updates',
        ['gateway > semantic answer'],
        {
          sources: expect.arrayContaining([
            expect.objectContaining({ name: 'Update the firmware', type: 'document' }),
          ]),
        },
      ],
      [
        BOTH,
        ['gateway > hybrid answer', 'hybrid > analytics answer', 'hybrid > semantic answer'],
        { metadata: { hybrid: { result: { sources_used: ['analytics', 'semantic'] } } } },
      ],
      [
        'How do I cook rice?',
        ['gateway > navigator partial'],
        { sources: [], partial: true, metadata: { closest: expect.any(Array) } },
      ],
    ])('%s takes the path %j, over verified hops', async (query, way, expected) => {
      const { status, body, reply, hops } = await ask(productOf(), query);
      expect(validateResponse(body)).toMatchObject({ ok: true, warnings: [] });
      expect([status, reply.error, hops.every(({ verified }) => verified)]).toEqual([
        200,
        undefined,
        true,
      ]);
      const outcomes = hops.map(({ from, to, outcome }) => `${from} > ${to} ${outcome}`);
      // The navigator may answer a question without matching words or language in part.
      if (Object.keys(expected).length > 0) expect(outcomes).toEqual(way);
      else expect(hops.map(({ to }) => to)).toEqual(['navigator']);
      expect(reply).toMatchObject(expected);
    });

    it('with one unanswered part names that part', async () => {
      const { reply } = await ask(
        productOf(),
        'How many orders were placed in March 2026? Who won the cup in 1974?',
      );
      expect(reply.answer).toMatch(/orders were placed in March 2026/);
      expect(reply.answer).toContain('I found nothing about “Who won the cup in 1974?”');
      expect(reply).toMatchObject({ partial: true, metadata: { closest: expect.any(Array) } });
    });

    it('of two parts goes to both librarians, and each part keeps its sources', async () => {
      const twice = 'How many orders were placed in March 2026? And how do I update the firmware?';
      const { reply, hops } = await ask(productOf(), twice);
      expect(hops.map(({ to }) => to)).toEqual(['analytics', 'navigator']);
      for (const { librarian, sources = [] } of JoinedAnswer.parse(reply.metadata).parts) {
        const types = sources.map((index) => reply.sources?.[index]?.type);
        expect([librarian, ...types]).toContain(
          librarian === 'analytics' ? 'database' : 'document',
        );
      }
    });

    it('goes only to librarians that the key may use', async () => {
      const key = 'ck_reader_0123456789abcdef';
      await grant(productOf(), key, { capabilities: ['kb:read'] });
      const query = 'How many iPhone 17 are in stock?';
      const { hops } = await ask({ ...productOf(), key }, query);
      expect(hops.map(({ to }) => to)).toEqual(['navigator']);
      expect((await send(productOf(), 'POST /v1/agents/analytics', { query }, key)).status).toBe(
        401,
      );
      const named = await send(productOf(), 'POST /v1/agents/hybrid', { query }, key);
      expect([named.status, AgentResponse.parse(await named.json()).success]).toEqual([401, false]);
    });
  });

  describe('an agent on its own route', () => {
    it.each([
      ['semantic', 'Find documents about firmware updates'],
      ['web_search', 'Is the iPhone 17 cheaper elsewhere online?'],
      ['hybrid', BOTH],
    ])('%s answers in the agent envelope', async (type, query) => {
      const { status, reply } = await askAgent(type, query);
      expect([status, reply.success, reply.type, reply.query]).toEqual([200, true, type, query]);
      expect(reply.metadata).toMatchObject({
        execution_time: expect.any(Number),
        timestamp: expect.any(String),
      });
      if (type !== 'hybrid') return;
      const { hops } = DelegationTrace.parse(
        'trace' in reply.metadata ? reply.metadata.trace : undefined,
      );
      expect(hops).toMatchObject(['analytics', 'semantic'].map((to) => ({ to, verified: true })));
    });

    it('analytics answers from the sample shop, with its statement', async () => {
      const { status, reply } = await askAgent('analytics', 'how many iPhone 17 are in stock');
      expect([status, reply]).toMatchObject([
        200,
        {
          success: true,
          type: 'analytics',
          result: {
            columns: ['product_id', 'name', 'units', 'warehouses'],
            rows: [{ name: 'iPhone 17', units: 50, warehouses: 3 }],
            row_count: 1,
            sql_query: expect.stringContaining("WHERE p.name = 'iPhone 17'"),
            interpretation: expect.stringMatching(
              /^The iPhone 17 has 50 units in stock, in 3 warehouses\. \(as of \d{4}-\d\d-\d\d\)$/,
            ),
          },
          source_attribution: {
            primary_source: 'Analytics Database',
            details: { tables: ['products', 'stock'] },
          },
          metadata: { entity_type: 'product', entity_id: expect.anything() },
        },
      ]);
    });

    it.each([
      ['Delete all customers', /./],
      ['How many orders were placed by women?', /How many orders were placed/],
    ])(
      'fails in the agent envelope, with the status of its code and a suggestion: %s',
      async (query, suggestion) => {
        const { status, reply } = await askAgent('analytics', query);
        const metadata = { error_code: 'NOT_FOUND', suggestion: expect.stringMatching(suggestion) };
        expect([status, reply]).toMatchObject([404, { success: false, metadata }]);
      },
    );
  });

  it('are listed with their health', async () => {
    const listed = (await directoryOf(productOf())).map(({ id, health }) => [id, health]);
    const ids = ['concierge', 'navigator', 'semantic', 'analytics', 'web-search', 'hybrid'];
    expect(listed).toEqual(expect.arrayContaining(ids.map((id) => [id, 'ok'])));
    expect(listed.map(([id]) => id)).not.toContain('library');
  });

  it('log no question, no answer and no internal error', () => {
    expect(logged.length).toBeGreaterThan(0);
    const content = /iPhone|rice|warranty|units in stock|BoilerMax|INTERNAL_ERROR/i;
    expect(logged.filter((line) => content.test(line))).toEqual([]);
  });
}
