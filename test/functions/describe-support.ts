import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { KnowledgeGapsResponse, unavailableRetrieval } from '../../src/contract/wire/knowledge.ts';
import type { SupportRequest, SupportResponse } from '../../src/contract/wire/support-response.ts';
import { Taxonomy, TaxonomyWritten } from '../../src/contract/wire/taxonomy.ts';
import type { LogLine } from '../../src/platform/log.ts';
import type { Product } from '../../tools/run/product.ts';
import { SAMPLE_TAXONOMY } from '../../tools/sample/files.ts';
import { grant, send, startEmbedded, startOnServices } from './product-for-test.ts';
import { analyze, retrieve, TICKET, urlsOf } from './support-for-test.ts';

const NOT_HASHING = { intent: 'not_hashing', message: '0 H/s' };
const EMPTY_KEY = 'ck_empty_workspace_0123456789';
const READER_KEY = 'ck_support_reader_0123456789';
const ANALYST_KEY = 'ck_no_knowledge_0123456789';
const FUNCTIONS = ['support', 'library'];

/** The contract of support with the sample knowledge base: analysis, retrieval, gaps, and what is left when a part fails. */
export function describeSupport(productOf: () => Product): void {
  beforeAll(async () => {
    const capabilities = ['kb:*', 'support:analyze'];
    await grant(productOf(), EMPTY_KEY, { workspaces: ['empty'], capabilities });
    await grant(productOf(), READER_KEY, { capabilities: ['kb:read'] });
    await grant(productOf(), ANALYST_KEY, { capabilities: ['support:analyze'] });
    await vi.waitUntil(async () => (await coverageOf(TICKET)) === 'high', { timeout: 60_000 });
  });
  const coverageOf = async (request: SupportRequest) =>
    (await analyze(productOf(), request)).knowledge_retrieval.coverage;

  describe('the integration tests of the support API', () => {
    it('test_knowledge_retrieval_populated', async () => {
      const reply = await analyze(productOf(), TICKET);
      const { knowledge_retrieval: block, draft, agent_guidance: guidance } = reply;
      expect(block).toMatchObject({ coverage: 'high', gaps: [] });
      expect(urlsOf(reply).toSorted()).toEqual([
        'https://docs.example.com/troubleshooting/apollo-ii-not-hashing',
        'https://docs.example.com/troubleshooting/not-hashing',
      ]);
      expect(block.retrieval_time_ms).toBeGreaterThan(0);
      expect(block.degraded).toBeUndefined();
      expect(block.sources_consulted.map(({ excerpt }) => excerpt)).not.toContain('');
      // References stand beside the text, for the agent.
      expect(draft.references?.length).toBeGreaterThan(0);
      for (const { url } of draft.references ?? []) expect(urlsOf(reply)).toContain(url);
      expect(draft.text).not.toContain('[1]');
      expect(reply.intent_classification.primary_intent).toBe('not_hashing');
      expect(draft).toMatchObject({
        text: expect.stringMatching(/^Hello Dana Whitfield,/),
        source_grounding: 1,
      });
      expect(guidance.recommended_steps.length).toBeGreaterThan(0);
      // Steps that the customer already tried are not advised again.
      expect(JSON.stringify([draft, guidance.recommended_steps])).not.toMatch(/60 seconds|Restart/);
    });

    it('test_knowledge_retrieval_empty_on_failure', async () => {
      const retrieved = await retrieve(productOf(), NOT_HASHING, EMPTY_KEY);
      expect(retrieved).toEqual(unavailableRetrieval('unavailable'));
      expect(retrieved).toEqual({
        sources_consulted: [],
        coverage: 'none',
        gaps: ['Knowledge retrieval unavailable'],
        retrieval_time_ms: 0,
        degraded: ['unavailable'],
      });
      for (const [key, reason, primary_intent, thanks] of [
        [EMPTY_KEY, 'unavailable', 'unknown', 'thank you for your message.'],
        [ANALYST_KEY, 'not_allowed', 'not_hashing', 'thank you for writing to us.'],
      ] as const) {
        const reply = await analyze(productOf(), TICKET, key);
        expect(reply.knowledge_retrieval).toEqual(unavailableRetrieval(reason));
        expect(reply.intent_classification.primary_intent).toBe(primary_intent);
        expect(reply.draft.references).toEqual([]);
        expect(reply.draft.text).toContain(`Hello Dana Whitfield,\n\n${thanks}`);
      }
    });

    it('test_knowledge_retrieval_latency', async () => {
      const inTime = async () => {
        for (let ticket = 0; ticket < 20; ticket += 1) {
          const message = `${TICKET.message} Case ${crypto.randomUUID().slice(0, 4)}.`;
          const { knowledge_retrieval: block } = await analyze(productOf(), { ...TICKET, message });
          // A retrieval without results, or one that timed out, is quick too.
          expect(block).toMatchObject({ coverage: 'high', gaps: [] });
          expect(block.sources_consulted.length).toBeGreaterThan(0);
          expect(block.retrieval_time_ms).toBeGreaterThan(0);
          if (block.degraded !== undefined || block.retrieval_time_ms > 100) return block;
        }
        return 'all of them';
      };
      // Other load on the machine makes some of them slow, not all.
      await expect.poll(inTime, { timeout: 90_000 }).toBe('all of them');
    });

    it('test_knowledge_retrieval_does_not_break_auto_send', async () => {
      const sentWith = ({
        draft,
        agent_guidance: { auto_send },
        intent_classification,
      }: SupportResponse) => ({
        drafted: draft.auto_send,
        auto_send,
        intent_classification,
      });
      const seen: unknown[] = [];
      for (const request of [
        TICKET,
        { message: 'How do I make a backup of the settings of my Apollo II?' },
        { message: 'My Apollo III is loud' },
        { message: 'What is the weather like?' },
      ]) {
        // On a busy machine the first retrieval may time out.
        const whole = async () => {
          const reply = await analyze(productOf(), request);
          return reply.knowledge_retrieval.degraded === undefined ? reply : undefined;
        };
        const reply = await vi.waitUntil(whole, { timeout: 60_000 });
        const without = await analyze(productOf(), request, ANALYST_KEY);
        expect(without.knowledge_retrieval.degraded).toEqual(['not_allowed']);
        expect(sentWith(reply)).toEqual(sentWith(without));
        expect(reply.agent_guidance.auto_send.allowed).toBe(reply.draft.auto_send);
        seen.push(reply.draft.auto_send, reply.knowledge_retrieval.coverage);
      }
      expect(seen).toEqual(expect.arrayContaining([true, false, 'high', 'none']));
    });
  });

  describe('POST /v1/support/analyze', () => {
    it('refuses a key without support:analyze, and a body in another form', async () => {
      expect((await send(productOf(), 'POST /v1/support/analyze', TICKET, READER_KEY)).status).toBe(
        401,
      );
      expect((await send(productOf(), 'POST /v1/support/analyze', { message: ' ' })).status).toBe(
        400,
      );
    });

    it.each([
      ['of symbols', '🤖 ??? …'],
      ['of control characters', '\u0000\u202e'],
      ['of a regular expression', '^$.*+?()[]{}|\\'],
      ['of one word of 32,000 letters', 'a'.repeat(32_000)],
      ['of stop words', 'the of and to'],
    ])('accepts a message %s, which cannot be searched', async (_, message) => {
      const names = { subject: message.slice(0, 1000), customer_name: message.slice(0, 200) };
      const { knowledge_retrieval } = await analyze(productOf(), { message, ...names });
      expect(knowledge_retrieval).toMatchObject({ sources_consulted: [], coverage: 'none' });
    });

    it('uses the taxonomy of its workspace immediately after it is put or deleted', async () => {
      const sample = Taxonomy.parse(JSON.parse(readFileSync(SAMPLE_TAXONOMY, 'utf8')));
      const intents = sample.intents.map((intent) => ({
        ...intent,
        examples: intent.examples.slice(0, 16),
      }));
      const taxonomy = { ...sample, intents, out_of_scope_examples: [] };
      const call = (method: string, body?: unknown) =>
        send(productOf(), `${method} /v1/support/taxonomy`, body, EMPTY_KEY);
      const message = 'I forgot my dashboard password';
      const intentOf = async () =>
        (await analyze(productOf(), { message }, EMPTY_KEY)).intent_classification.primary_intent;
      expect([(await call('GET')).status, await intentOf()]).toEqual([404, 'unknown']);
      const written = TaxonomyWritten.parse(await (await call('PUT', { taxonomy })).json());
      expect(written).toMatchObject({ intents: 24, trained: 'here' });
      expect(await intentOf()).toBe('login_issue');
      expect((await call('PUT', { taxonomy: { ...sample, intents: [] } })).status).toBe(400);
      expect(await (await call('GET')).json()).toEqual({ taxonomy, in_use: true });
      expect([(await call('DELETE')).status, await intentOf()]).toEqual([204, 'unknown']);
    });
  });

  describe('POST /v1/knowledge/retrieve', () => {
    it('returns the articles of the named product for the example of the contract, with high coverage and no gap', async () => {
      const { message, metadata } = TICKET;
      const block = await retrieve(productOf(), { intent: 'not_hashing', message, metadata });
      expect(block).toMatchObject({ coverage: 'high', gaps: [] });
      const titles = block.sources_consulted.map(({ title }) => title);
      expect(titles).toEqual(['Device is not hashing (0 H/s)', 'Apollo II not hashing']);
    });

    it.each([
      ['a number as the intent', { intent: 7 }],
      ['no intent', { intent: '', message: 'x' }],
      ['no message', { intent: 'not_hashing' }],
      ['a number as the message', { intent: 'not_hashing', message: 7 }],
      ['a list as the product', { ...NOT_HASHING, metadata: { product: ['Apollo'] } }],
      ['a body that is not JSON', 'not json'],
      ['an empty body', ''],
      ['a body that is too long', 'x'.repeat(300_000)],
    ])('row: invalid query: the documented block for %s, and why', async (_, request) => {
      const { detail, ...block } = await retrieve(productOf(), request);
      expect(block).toEqual(unavailableRetrieval('invalid_query'));
      expect(detail).toMatch(
        typeof request === 'object' ? /intent|message|product/ : /JSON|longer than/,
      );
    });

    it('accepts metadata with unknown members, null and empty values', async () => {
      const odd = {
        product: null,
        attachments: null,
        person_id: '',
        channel: 'chat',
        tags: [null, { deep: true }],
      };
      const { message } = TICKET;
      for (const metadata of [odd, null])
        expect(
          (await retrieve(productOf(), { intent: 'not_hashing', message, metadata })).coverage,
        ).toBe('high');
      expect(await coverageOf({ ...TICKET, metadata: odd })).toBe('high');
    });
  });

  describe('GET /v1/knowledge/gaps', () => {
    const ZIGBEE = {
      intent: 'general_info',
      message:
        'Hi team,\ncan I pair my Apollo III with a Zigbee hub? Write to ann@example.org\nRegards\nAnn',
      metadata: { product: 'Apollo III' },
    };
    const listed = async (state: string, key?: string) => {
      const response = await send(
        productOf(),
        `GET /v1/knowledge/gaps?state=${state}`,
        undefined,
        key,
      );
      return KnowledgeGapsResponse.parse(await response.json());
    };
    const about = async (subject: string, state: string) =>
      (await listed(state)).gaps.filter(({ gap }) => gap.includes(subject));
    const LATER = { timeout: 60_000, interval: 250 };

    it('names a device without articles, with low coverage or none', async () => {
      const message = 'My Apollo IX shows 0 H/s for 3 days. What can I do?';
      const { knowledge_retrieval: block } = await analyze(productOf(), {
        message,
        metadata: { product: 'Apollo IX' },
      });
      expect([['low', 'none'].includes(block.coverage), block.sources_consulted]).toEqual([
        true,
        [],
      ]);
      expect(block.gaps.join('\n')).toContain('Apollo IX');
      await expect
        .poll(async () => (await about('Apollo IX', 'open')).length, LATER)
        .toBeGreaterThan(0);
    });

    it('lists a gap once with its count, closes it when its article is added, and reopens it when it is removed', async () => {
      const asked = (message: string) => retrieve(productOf(), { ...ZIGBEE, message });
      await asked(ZIGBEE.message);
      await asked(ZIGBEE.message);
      await asked('Does the Zigbee hub pair with my Apollo III?');
      await expect
        .poll(() => about('Zigbee', 'open'), LATER)
        .toMatchObject([
          { count: 2, product: 'Apollo III', intent: 'general_info', closed_at: null },
        ]);
      const [found] = await about('Zigbee', 'open');
      expect(found?.example_queries).toHaveLength(2);
      expect(JSON.stringify(found)).not.toMatch(/ann@example\.org|Regards/);
      expect(await listed('all', EMPTY_KEY)).toMatchObject({ gaps: [], total: 0, edition: null });

      const path = '/api/kb/articles/network/zigbee.md';
      const content =
        'Apollo III speaks Zigbee 3.0 from firmware 3.4.0 on. Hold the button of the hub for three seconds, then open\n' +
        '**Network > Zigbee** in the dashboard and select **Pair**. The hub is paired when the LED blinks blue.';
      const metadata = { intent: ['general_info'], device: ['Apollo III'] };
      const article = { title: 'Pair the Apollo III with a Zigbee hub', content, metadata };
      expect((await send(productOf(), `PUT ${path}`, article)).status).toBe(201);
      await expect
        .poll(() => about('Zigbee', 'closed'), LATER)
        .toMatchObject([{ state: 'closed' }]);
      const { gaps, edition } = await listed('closed');
      expect(gaps.find(({ gap }) => gap.includes('Zigbee'))?.checked_edition).toBe(edition);
      expect(await about('Zigbee', 'open')).toEqual([]);
      expect((await send(productOf(), `DELETE ${path}`)).status).toBe(204);
      const again = async () => {
        await asked('Is a Zigbee hub paired with the Apollo III by its button?');
        return about('Zigbee', 'open');
      };
      await expect.poll(again, LATER).toMatchObject([{ state: 'open', closed_at: null }]);
    });

    it.each([
      [401, 'without the right to analyse', '', READER_KEY],
      [400, 'for another state', '?state=gone', undefined],
      [400, 'for an invalid cursor', '?cursor=what', undefined],
    ])('answers %d %s', async (status, _, query, key) => {
      expect(
        (await send(productOf(), `GET /v1/knowledge/gaps${query}`, undefined, key)).status,
      ).toBe(status);
    });

    it('compares gaps with the edition on a schedule', async () => {
      const support = await productOf().miniflare.getWorker('constellation-support');
      expect(await support.scheduled({ cron: '53 * * * *' })).toMatchObject({ outcome: 'ok' });
    });
  });

  describe('the degradation table', () => {
    /** A product whose support reaches the library after a delay. */
    const startSlow = async (
      MS: string,
      work: (product: Product, logged: string[]) => Promise<void>,
    ) => {
      const logged: string[] = [];
      const main = 'test/functions/slow.ts';
      const product = await startEmbedded({
        functions: FUNCTIONS,
        moreWorkers: [
          { name: 'slow', main, services: { NEXT: 'constellation-library' }, vars: { MS } },
        ],
        moreServices: { 'constellation-support': { LIBRARY: 'slow' } },
        onLog: (line) => void logged.push(line),
      });
      await work(product, logged).finally(() => product.stop());
    };

    it('row: retrieval timeout: the documented block, within the time', () =>
      startSlow('60000', async (product, logged) => {
        const slow = await product.miniflare.getWorker('slow');
        const requests = async () =>
          Number(await (await slow.fetch('http://slow/requests')).json());
        /** The time that the function measured; polled, since the machine may be busy. */
        const timeMs = (route: string, work: () => Promise<unknown>) => async () => {
          expect(await work()).toEqual(unavailableRetrieval('timeout'));
          expect(await requests()).toBeGreaterThan(0);
          const lines = () =>
            logged.map((line) => JSON.parse(line) as LogLine & { librarian: string });
          const last = () =>
            lines().findLast(
              (line) =>
                line.librarian === 'support' && 'route' in line && line.route === `POST ${route}`,
            );
          return vi
            .waitUntil(() => last() as { duration_ms: number } | undefined)
            .then((line) => line.duration_ms);
        };
        const retrieved = timeMs('/v1/knowledge/retrieve', () => retrieve(product, NOT_HASHING));
        await expect.poll(retrieved, { timeout: 60_000 }).toBeLessThanOrEqual(100);
        // An analysis waits no longer for it.
        const analysed = timeMs(
          '/v1/support/analyze',
          async () => (await analyze(product, TICKET)).knowledge_retrieval,
        );
        await expect.poll(analysed, { timeout: 60_000 }).toBeLessThan(400);
      }));

    it('row: retrieval timeout: an analysis whose edition is late is one of v1.0, and the next one has sources', () =>
      startSlow('500', async (product) => {
        await product.sync({ full: true });
        const late = await analyze(product, TICKET);
        expect(late.knowledge_retrieval).toEqual(unavailableRetrieval('timeout'));
        expect(late.draft.references ?? []).toEqual([]);
        expect(late.agent_guidance.closest_articles ?? []).toEqual([]);
        expect(late.intent_classification.primary_intent).toBe('not_hashing');
        const inTime = async () => {
          const { knowledge_retrieval: block } = await analyze(product, TICKET);
          expect(block.retrieval_time_ms).toBeLessThanOrEqual(100);
          return block.coverage;
        };
        await expect.poll(inTime, { timeout: 60_000 }).toBe('high');
      }));

    describe('rows: vector store unavailable, embedding model error, too late', () => {
      let running: Awaited<ReturnType<typeof startOnServices>>;
      beforeAll(async () => {
        running = await startOnServices({ functions: FUNCTIONS });
        await running.product.sync({ full: true });
      });
      afterAll(() => running?.stop());

      it.each([
        ['the vector store is down', 'vector', { kind: 'reset' }],
        ['the vector store hangs', 'vector', { kind: 'hang-before-headers' }],
        ['the embedding model fails', 'openai', { kind: 'status', status: 500 }],
        ['the embedding model hangs', 'openai', { kind: 'hang-before-headers' }],
      ] as const)(
        'searches by words when %s, and reports it',
        async (_, service, fault) => {
          const { product, services } = running;
          let failed = 0;
          services[service].faults.sometimes(() => {
            failed += 1;
            return fault;
          });
          /** A result for which the service was called: on a busy machine it may be too late to call it, or for any result. */
          const whenFailed = <T>(
            work: (message: string) => Promise<T | undefined>,
          ): Promise<NonNullable<T>> => {
            const attempt = async () => {
              const before = failed;
              const result = await work(
                `${TICKET.message} Case ${crypto.randomUUID().slice(0, 4)}.`,
              );
              return failed > before ? result : undefined;
            };
            return vi.waitUntil(attempt, { timeout: 60_000 }) as Promise<NonNullable<T>>;
          };
          const block = await whenFailed(async (message) => {
            const found = await retrieve(product, { intent: 'not_hashing', message });
            if (found.degraded?.includes('timeout')) return undefined;
            expect(found.degraded).toContain('embeddings');
            return found.retrieval_time_ms <= 100 && found.degraded?.length === 1
              ? found
              : undefined;
          });
          const analysed = await whenFailed(async (message) => {
            const reply = await analyze(product, { ...TICKET, message });
            return reply.knowledge_retrieval.degraded?.includes('timeout') ? undefined : reply;
          });
          services[service].faults.none();
          expect(analysed.knowledge_retrieval.degraded).toContain('embeddings');
          expect(analysed.intent_classification.primary_intent).toBe('not_hashing');
          expect(block.coverage).toBe('high');
        },
        90_000,
      );
    });
  });
}
