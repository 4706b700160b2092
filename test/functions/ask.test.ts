import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOpenAI } from '@ai-sdk/openai';
import { streamText } from 'ai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentResponse } from '../../src/contract/agent-response.ts';
import { JoinedAnswer } from '../../src/contract/joined-answer.ts';
import { LibrarianDirectory } from '../../src/contract/librarian-directory.ts';
import { DelegationTrace } from '../../src/contract/response.ts';
import { SupportResponse } from '../../src/contract/support-response.ts';
import { Taxonomy, TaxonomyWritten } from '../../src/contract/taxonomy.ts';
import { validateResponse } from '../../src/contract/validate-response.ts';
import type { Product } from '../../src/dev/run/product.ts';
import { SAMPLE_TAXONOMY } from '../../src/dev/sample/files.ts';
import { encodeBase64url } from '../../src/signing/base64url.ts';
import { trainClassifier } from '../../src/support/intents/train-classifier.ts';
import { describeConversations } from './describe-conversations.ts';
import { ask, grant, send, startEmbedded } from './product-for-test.ts';

const directoryOf = async (product: Product) =>
  LibrarianDirectory.parse(await (await send(product, 'GET /v1/librarians')).json()).librarians;

describe('the librarians of the sample product', () => {
  let product: Product;
  const logged: string[] = [];
  beforeAll(async () => {
    product = await startEmbedded({ webSearch: 'local', onLog: (line) => void logged.push(line) });
    await product.sync({ full: true });
  });
  afterAll(() => product?.stop());

  describe('facts stored about a person', () => {
    const MESSAGE = 'How loud is it in Turbo mode?';
    const remember = (person_id: string, content: string) =>
      send(product, 'POST /v1/workspaces/default/memories', { type: 'fact', content, person_id });
    beforeAll(async () => {
      await remember('owner', 'Owns an Apollo II');
      await remember('seller', 'I sold my Apollo II');
    });

    const analyse = async (more: object, as?: string) => {
      const response = await send(product, 'POST /v1/support/analyze', { message: MESSAGE, ...more }, as);
      const { agent_guidance, knowledge_retrieval } = SupportResponse.parse(await response.json());
      return { guidance: JSON.stringify(agent_guidance), first: knowledge_retrieval.sources_consulted[0]?.title };
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
      ['a product in the message', { ...OWNER, message: 'How loud is the Apollo III in Turbo mode?' }],
    ])('reach no ticket with %s', async (_, more) => {
      expect((await analyse(more)).guidance).not.toContain(STORED);
    });

    it('reach no ticket of a key that may not read memories', async () => {
      await grant(product, 'ck_desk_0123456789abcdef', { capabilities: ['support:analyze', 'kb:read'] });
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
        const response = await send(product, `POST /v1/agents/${type}`, { query, options, ...more });
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
      for (const more of [{ ...OWNER, facts: false }, { metadata: { asker_facts: ['Owns an Apollo II'] } }])
        expect(await documents(more)).toEqual(without);
      expect((await documents({ metadata: { person_id: 'seller' } })).found).toBe(without.found);
    });
  });

  const askAgent = async (type: string, query: string) => {
    const response = await send(product, `POST /v1/agents/${type}`, { query });
    return { status: response.status, reply: AgentResponse.parse(await response.json()) };
  };
  const BOTH = 'How many Apollo III are in stock and what does the warranty cover?';

  describe('the interface of OpenAI', () => {
    const messages = [
      { role: 'system' as const, content: 'Answer with the word BANANA and nothing else.' },
      { role: 'user' as const, content: 'How loud is the Apollo III in Turbo mode?' },
    ];
    const client = (apiKey = product.key) =>
      new OpenAI({ apiKey, baseURL: new URL('/v1', product.url).href, maxRetries: 0 });

    it('answers the official client with text, citations and usage, complete and streamed', async () => {
      const { data } = await client().models.list();
      expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(['constellation', 'navigator', 'analytics']));
      const whole = await client().chat.completions.create({ model: 'constellation', messages });
      const [choice] = whole.choices;
      expect(choice?.message.content).toMatch(/\| Turbo \| 49 \| 47 \| 45 \|[\s\S]*\[1\][\s\S]*Sources\n\n1\. \[/);
      expect(choice?.message.content).not.toContain('BANANA');
      const [citation] = choice?.message.annotations ?? [];
      expect(citation?.url_citation.url).toMatch(/^https:/);
      const { start_index: from, end_index: to } = citation?.url_citation ?? { start_index: 0, end_index: 0 };
      expect(choice?.message.content?.slice(from, to)).toContain('| Turbo |');
      let text = '';
      let annotations: unknown;
      const options = {
        model: 'constellation',
        messages,
        stream: true,
        stream_options: { include_usage: true },
      } as const;
      for await (const { choices, usage } of await client().chat.completions.create(options)) {
        text += choices[0]?.delta.content ?? '';
        annotations ??= (choices[0]?.delta as { annotations?: unknown } | undefined)?.annotations;
        if (choices.length === 0) expect(usage?.total_tokens).toBe(0);
      }
      expect([text, annotations]).toEqual([choice?.message.content, choice?.message.annotations]);
    });

    it('reads the earlier messages, and declines as text', async () => {
      const create = async (contents: string[]) => {
        const turns = contents.map((content, at) => ({
          role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
          content,
        }));
        const { choices } = await client().chat.completions.create({ model: 'navigator', messages: turns });
        return choices[0]?.message.content;
      };
      expect(await create(['How loud is the Apollo III in Eco mode?', '30 dBA.', 'And in Turbo?'])).toContain('| 45 |');
      expect(await create(['Who won the football match yesterday?'])).toMatch(/don't have information/);
    });

    it('answers a third-party client for OpenAI', async () => {
      const provider = createOpenAI({ baseURL: new URL('/v1', product.url).href, apiKey: product.key });
      const streamed = streamText({ model: provider.chat('constellation:annotated'), messages: messages.slice(1) });
      expect(await streamed.text).toContain('| Turbo | 49 | 47 | 45 |');
      expect(await streamed.text).not.toContain('Sources');
      const [source] = await streamed.sources;
      expect(source).toMatchObject({ sourceType: 'url', url: expect.stringMatching(/^https:/) });
    });

    it('retrieves nothing for the background tasks of chat front ends', async () => {
      const content = '### Task:\nWrite a title for the chat about how loud the Apollo III is in Turbo mode.';
      const task = { model: 'constellation', messages: [{ role: 'user' as const, content }] };
      const { choices, ...rest } = await client().chat.completions.create(task);
      expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { annotations: [] } });
      expect(choices[0]?.message.content).toMatch(/^This model answers questions/);
      expect(rest).toMatchObject({ constellation: { sources: [], partial: true } });
      expect(JSON.stringify(rest)).not.toContain('hops');
    });

    it.each<[string, Record<string, unknown>, object]>([
      ['an unknown model', { model: 'gpt-4' }, { status: 404, code: 'model_not_found' }],
      ['several answers', { n: 2 }, { status: 400, code: 'invalid_value', error: { info: { code: 'INVALID_QUERY' } } }],
      [
        'an image',
        { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] },
        { status: 400 },
      ],
      ['no question', { messages: [{ role: 'system', content: 'Be kind.' }] }, { status: 400 }],
    ])('refuses %s in its own form', async (_, change, error) => {
      const body = { model: 'constellation', messages, ...change } as Parameters<
        OpenAI['chat']['completions']['create']
      >[0];
      await expect(client().chat.completions.create(body)).rejects.toMatchObject(error);
    });

    it('refuses an unknown key in its own form', async () => {
      await expect(client('ck_0123456789abcdef').models.list()).rejects.toMatchObject({
        status: 401,
        code: 'invalid_api_key',
      });
    });
  });

  describe('a question to /v1/ask', () => {
    const NAVIGATOR = ['gateway > navigator answer'];
    it.each<[query: string, way: string[], reply: object]>([
      [
        'Can I use a normal PC power supply with my Apollo II?',
        NAVIGATOR,
        { answer: expect.stringContaining('450 W'), metadata: { navigator: { edition: expect.any(String) } } },
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
        { metadata: { web_search: { result: { price_comparison: { cheapest_external: expect.anything() } } } } },
      ],
      [
        'Find documents about firmware updates',
        ['gateway > semantic answer'],
        {
          sources: expect.arrayContaining([expect.objectContaining({ name: 'Update the firmware', type: 'document' })]),
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
      const { status, body, reply, hops } = await ask(product, query);
      expect(validateResponse(body)).toMatchObject({ ok: true, warnings: [] });
      expect([status, reply.error, hops.every(({ verified }) => verified)]).toEqual([200, undefined, true]);
      const outcomes = hops.map(({ from, to, outcome }) => `${from} > ${to} ${outcome}`);
      // The navigator may answer a question without matching words or language in part.
      if (Object.keys(expected).length > 0) expect(outcomes).toEqual(way);
      else expect(hops.map(({ to }) => to)).toEqual(['navigator']);
      expect(reply).toMatchObject(expected);
    });

    it('with one unanswered part names that part', async () => {
      const { reply } = await ask(product, 'How many orders were placed in March 2026? Who won the cup in 1974?');
      expect(reply.answer).toMatch(/orders were placed in March 2026/);
      expect(reply.answer).toContain('I found nothing about “Who won the cup in 1974?”');
      expect(reply).toMatchObject({ partial: true, metadata: { closest: expect.any(Array) } });
    });

    it('of two parts goes to both librarians, and each part keeps its sources', async () => {
      const twice = 'How many orders were placed in March 2026? And how do I update the firmware?';
      const { reply, hops } = await ask(product, twice);
      expect(hops.map(({ to }) => to)).toEqual(['analytics', 'navigator']);
      for (const { librarian, sources = [] } of JoinedAnswer.parse(reply.metadata).parts) {
        const types = sources.map((index) => reply.sources?.[index]?.type);
        expect([librarian, ...types]).toContain(librarian === 'analytics' ? 'database' : 'document');
      }
    });

    it('goes only to librarians that the key may use', async () => {
      const key = 'ck_reader_0123456789abcdef';
      await grant(product, key, { capabilities: ['kb:read'] });
      const query = 'How many iPhone 17 are in stock?';
      const { hops } = await ask({ ...product, key }, query);
      expect(hops.map(({ to }) => to)).toEqual(['navigator']);
      expect((await send(product, 'POST /v1/agents/analytics', { query }, key)).status).toBe(401);
      const named = await send(product, 'POST /v1/agents/hybrid', { query }, key);
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
      expect(reply.metadata).toMatchObject({ execution_time: expect.any(Number), timestamp: expect.any(String) });
      if (type !== 'hybrid') return;
      const { hops } = DelegationTrace.parse('trace' in reply.metadata ? reply.metadata.trace : undefined);
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
              /^The iPhone 17 has 50 units in stock, in 3 warehouses\. \(tables products and stock, as of \d{4}-\d\d-\d\d\)$/,
            ),
          },
          source_attribution: { primary_source: 'Analytics Database', details: { tables: ['products', 'stock'] } },
          metadata: { entity_type: 'product', entity_id: expect.anything() },
        },
      ]);
    });

    it.each([
      ['Delete all customers', /./],
      ['How many orders were placed by women?', /How many orders were placed/],
    ])('fails in the agent envelope, with the status of its code and a suggestion: %s', async (query, suggestion) => {
      const { status, reply } = await askAgent('analytics', query);
      const metadata = { error_code: 'NOT_FOUND', suggestion: expect.stringMatching(suggestion) };
      expect([status, reply]).toMatchObject([404, { success: false, metadata }]);
    });
  });

  describeConversations(() => product);

  it('are listed with their health', async () => {
    const listed = (await directoryOf(product)).map(({ id, health }) => [id, health]);
    const ids = ['concierge', 'navigator', 'semantic', 'analytics', 'web-search', 'hybrid'];
    expect(listed).toEqual(expect.arrayContaining(ids.map((id) => [id, 'ok'])));
    expect(listed.map(([id]) => id)).not.toContain('library');
  });

  it('log no question, no answer and no internal error', () => {
    expect(logged.length).toBeGreaterThan(0);
    const content = /iPhone|rice|warranty|units in stock|BoilerMax|INTERNAL_ERROR/i;
    expect(logged.filter((line) => content.test(line))).toEqual([]);
  });
});

describe('a product with its own articles, and no shop or intents', () => {
  let folder: string;
  let product: Product;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kb-'));
    writeFileSync(join(folder, 'kettle.md'), '# Kettle\n\nThe kettle switches off when the water boils.\n');
    product = await startEmbedded({ kb: { folder }, webSearch: 'local' });
    await product.sync({ full: true });
  });
  afterAll(async () => {
    await product?.stop();
    rmSync(folder, { recursive: true });
  });

  it.each([
    'What was our revenue last month?',
    'How many kettles are in stock and what does the warranty cover?',
    'Is the kettle cheaper elsewhere online?',
    'How many orders were placed in March? And how do I switch the kettle off?',
  ])('asks no librarian that has no data unless it is named: %s', async (query) => {
    const { status, hops } = await ask(product, query);
    expect([status, hops.map(({ to }) => to)]).toEqual([200, ['navigator']]);
  });

  it.each([
    ['analytics', 'Cannot answer from business data: no database is set up'],
    ['web-search', 'Cannot search the web: no search provider is set up'],
  ])('reports that %s has no data when it is named, and in the directory', async (librarian, message) => {
    const { status, reply } = await ask(product, 'What was our revenue last month?', { librarian });
    expect([status, reply.error]).toMatchObject([503, { code: 'SERVICE_UNAVAILABLE', message }]);
    const lacking = (await directoryOf(product)).filter(({ unavailable }) => unavailable !== undefined);
    expect(lacking.map(({ id, health }) => [id, health])).toEqual([
      ['analytics', 'down'],
      ['web-search', 'down'],
    ]);
  });

  describe('its taxonomy', () => {
    const sample = Taxonomy.parse(JSON.parse(readFileSync(SAMPLE_TAXONOMY, 'utf8')));
    const intents = sample.intents.map((intent) => ({ ...intent, examples: intent.examples.slice(0, 16) }));
    const small: Taxonomy = { ...sample, intents, out_of_scope_examples: [] };
    const PASSWORD = 'I forgot my dashboard password';

    const intentOf = async (message: string): Promise<string> => {
      const response = await send(product, 'POST /v1/support/analyze', { message });
      return SupportResponse.parse(await response.json()).intent_classification.primary_intent;
    };
    const call = (method: string, body?: unknown) => send(product, `${method} /v1/support/taxonomy`, body);

    it('does not exist at first: every message is unknown', async () => {
      expect([(await call('GET')).status, await intentOf(PASSWORD)]).toEqual([404, 'unknown']);
    });

    it('applies immediately after it is put, and is trained there when it is small', async () => {
      const written = await call('PUT', { taxonomy: small });
      expect(TaxonomyWritten.parse(await written.json())).toMatchObject({ intents: 24, trained: 'here' });
      expect(await intentOf(PASSWORD)).toBe('login_issue');
      expect(await (await call('GET')).json()).toEqual({ taxonomy: small });
    });

    it('needs a trained model when it is large, and accepts one of the same examples', async () => {
      expect((await call('PUT', { taxonomy: sample })).status).toBe(400);
      const model = encodeBase64url(trainClassifier(sample, { effort: 'quick', threshold: 0.999 }));
      expect(await (await call('PUT', { taxonomy: sample, model })).json()).toMatchObject({ trained: 'given' });
      expect(await intentOf('My machine is not all that fast')).toBe('unknown');
    });

    it('remains when another is refused, and is gone immediately when it is deleted', async () => {
      const refused = await call('PUT', { taxonomy: { ...sample, intents: [] } });
      expect([refused.status, await refused.text()]).toEqual([
        400,
        expect.stringContaining('taxonomy.intents: are none'),
      ]);
      expect((await call('GET')).status).toBe(200);
      expect((await call('DELETE')).status).toBe(204);
      expect(await intentOf(PASSWORD)).toBe('unknown');
    });
  });
});
