import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { KnowledgeGapsResponse } from '../../src/contract/knowledge-gaps.ts';
import { type KnowledgeRetrieval, unavailableRetrieval } from '../../src/contract/knowledge-retrieval.ts';
import type { SupportRequest, SupportResponse } from '../../src/contract/support-response.ts';
import { type FolderKb, serveFolder } from '../../src/dev/run/folder-kb.ts';
import type { Product, ProductOptions } from '../../src/dev/run/product.ts';
import { SAMPLE_KNOWLEDGE_BASE, SAMPLE_TAXONOMY } from '../../src/dev/sample/files.ts';
import { grant, send, startEmbedded, startOnServices } from './product-for-test.ts';
import { analyze, retrieve, TICKET, urlsOf } from './support-for-test.ts';

/** A ticket whose draft may be sent automatically. */
const SENDABLE: SupportRequest = { message: 'How do I make a backup of the settings of my Apollo II?' };
const MESSAGES = [TICKET, SENDABLE, { message: 'My Apollo III is loud' }, { message: 'What is the weather like?' }];
const NOT_HASHING = { intent: 'not_hashing', message: '0 H/s' };
const OTHER_KEY = 'ck_other_workspace_0123456789';
const READER_KEY = 'ck_reader_0123456789abcdef';
const ANALYST_KEY = 'ck_no_knowledge_0123456789';

const opened: Product[] = [];
const start = async (options: Partial<ProductOptions>): Promise<Product> => {
  const product = await startEmbedded(options);
  opened.push(product);
  return product;
};

/** The folder of the knowledge base. */
let folder: string;
let host: FolderKb;
let product: Product;
/** Replies before the first sync, without an index. */
let without: SupportResponse[];
let retrievedWithout: KnowledgeRetrieval;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'constellation-contract-'));
  cpSync(SAMPLE_KNOWLEDGE_BASE, folder, { recursive: true });
  host = await serveFolder(folder, (id) => `https://docs.example.com/${id}`);
  product = await start({ kb: { url: host.url }, taxonomy: SAMPLE_TAXONOMY });
  const capabilities = ['kb:read', 'support:analyze'];
  await grant(product, OTHER_KEY, { workspaces: ['acme'], capabilities });
  await grant(product, READER_KEY, { capabilities: ['kb:read'] });
  await grant(product, ANALYST_KEY, { capabilities: ['support:analyze'] });
  retrievedWithout = await retrieve(product, NOT_HASHING);
  without = [];
  for (const message of MESSAGES) without.push(await analyze(product, message));
  await product.sync({ full: true });
  // An isolate looks for a newer edition every few seconds.
  const coverage = async () => (await analyze(product, TICKET)).knowledge_retrieval.coverage;
  await vi.waitUntil(async () => (await coverage()) === 'high', { timeout: 20_000 });
});

afterAll(async () => {
  await Promise.all(opened.map((each) => each.stop()));
  await host?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the integration tests of the support API', () => {
  it('test_knowledge_retrieval_populated', async () => {
    const reply = await analyze(product, TICKET);
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
    expect(draft).toMatchObject({ text: expect.stringMatching(/^Hello Dana Whitfield,/), source_grounding: 1 });
    expect(guidance.recommended_steps.length).toBeGreaterThan(0);
    // Steps that the customer already tried are not advised again.
    expect(JSON.stringify([draft, guidance.recommended_steps])).not.toMatch(/60 seconds|Restart/);
  });

  it('test_knowledge_retrieval_empty_on_failure', () => {
    expect(retrievedWithout).toEqual(unavailableRetrieval('unavailable'));
    expect(retrievedWithout).toEqual({
      sources_consulted: [],
      coverage: 'none',
      gaps: ['Knowledge retrieval unavailable'],
      retrieval_time_ms: 0,
      degraded: ['unavailable'],
    });
    const text = expect.stringMatching(/^Hello Dana Whitfield,\n\nthank you for writing to us\./);
    expect(without[0]).toMatchObject({
      intent_classification: { primary_intent: 'not_hashing' },
      draft: { text, references: [] },
    });
    expect(without[0]?.knowledge_retrieval).toEqual(unavailableRetrieval('unavailable'));
  });

  it('test_knowledge_retrieval_latency', async () => {
    let day = 0;
    /** The median and the longest time of twenty different tickets. */
    const timesMs = async () => {
      const times: number[] = [];
      for (let ticket = 0; ticket < 20; ticket += 1) {
        day += 1;
        const { knowledge_retrieval } = await analyze(product, { ...TICKET, message: `${TICKET.message} Day ${day}.` });
        // A retrieval without results, or one that timed out, is quick too.
        expect(knowledge_retrieval).toMatchObject({ coverage: 'high', gaps: [] });
        expect(knowledge_retrieval.sources_consulted.length).toBeGreaterThan(0);
        if (knowledge_retrieval.degraded !== undefined) return { degraded: knowledge_retrieval.degraded };
        expect(knowledge_retrieval.retrieval_time_ms).toBeGreaterThan(0);
        times.push(knowledge_retrieval.retrieval_time_ms);
      }
      times.sort((one, other) => one - other);
      const [median = Infinity, longest = Infinity] = [times[10], times[19]];
      return median <= 35 && longest <= 100 ? 'in time' : { median, longest };
    };
    // Other load on the machine makes some of them slow, not all.
    await expect.poll(timesMs, { timeout: 90_000 }).toBe('in time');
  });

  it('test_knowledge_retrieval_does_not_break_auto_send', async () => {
    const sentWith = ({ draft, agent_guidance: { auto_send }, intent_classification }: SupportResponse) => ({
      ...{ drafted: draft.auto_send, auto_send, intent_classification },
    });
    const allowed = new Set<boolean>();
    const coverages = new Set<string>();
    for (const [index, request] of MESSAGES.entries()) {
      // On a busy machine the first retrieval may time out.
      const whole = async () => {
        const reply = await analyze(product, request);
        return reply.knowledge_retrieval.degraded === undefined ? reply : undefined;
      };
      const reply = await vi.waitUntil(whole, { timeout: 20_000 });
      // The two replies differ in retrieved knowledge.
      expect(without[index]?.knowledge_retrieval.degraded).toEqual(['unavailable']);
      coverages.add(reply.knowledge_retrieval.coverage);
      expect(sentWith(reply)).toEqual(sentWith(without[index]!));
      expect(reply.agent_guidance.auto_send.allowed).toBe(reply.draft.auto_send);
      allowed.add(reply.draft.auto_send);
    }
    expect(allowed).toEqual(new Set([true, false]));

    expect([...coverages]).toEqual(expect.arrayContaining(['high', 'none']));
  }, 90_000);
});

describe('POST /v1/support/analyze', () => {
  it('works without the knowledge base when the right to read it is missing', async () => {
    expect((await analyze(product, TICKET, ANALYST_KEY)).knowledge_retrieval).toEqual(
      unavailableRetrieval('not_allowed'),
    );
  });

  it('refuses a key without support:analyze, and a body in another form', async () => {
    expect((await send(product, 'POST /v1/support/analyze', TICKET, READER_KEY)).status).toBe(401);
    expect((await send(product, 'POST /v1/support/analyze', { message: ' ' })).status).toBe(400);
  });

  it.each(['🤖 ??? …', '\u0000\u202e', '^$.*+?()[]{}|\\', 'a'.repeat(32_000), 'the of and to'])(
    'accepts a message that cannot be searched: %j',
    async (message) => {
      const names = { subject: message.slice(0, 1000), customer_name: message.slice(0, 200) };
      const { knowledge_retrieval } = await analyze(product, { message, ...names });
      expect(knowledge_retrieval).toMatchObject({ sources_consulted: [], coverage: 'none' });
    },
  );
});

describe('POST /v1/knowledge/retrieve', () => {
  it('returns the articles of the named product for the example of the contract, with high coverage and no gap', async () => {
    const { message, metadata } = TICKET;
    const block = await retrieve(product, { intent: 'not_hashing', message, metadata });
    expect(block).toMatchObject({ coverage: 'high', gaps: [] });
    const titles = block.sources_consulted.map(({ title }) => title);
    expect(titles).toEqual(['Device is not hashing (0 H/s)', 'Apollo II not hashing']);
  });

  it.each([
    { intent: 7 },
    { intent: '', message: 'x' },
    { intent: 'not_hashing' },
    { intent: 'not_hashing', message: 7 },
    { intent: 'not_hashing', message: '0 H/s', metadata: { product: ['Apollo'] } },
    'not json',
    '',
    'x'.repeat(300_000),
  ])('row: invalid query: the documented block for %.80j, and why', async (request) => {
    const { detail, ...block } = await retrieve(product, request);
    expect(block).toEqual(unavailableRetrieval('invalid_query'));
    expect(detail).toMatch(typeof request === 'object' ? /intent|message|product/ : /JSON|longer than/);
  });

  it('accepts metadata with unknown members, null and empty values', async () => {
    const metadata = { product: null, attachments: null, person_id: '', channel: 'chat', tags: [null, { deep: true }] };
    const { message } = TICKET;
    expect((await retrieve(product, { intent: 'not_hashing', message, metadata })).coverage).toBe('high');
    expect((await retrieve(product, { intent: 'not_hashing', message, metadata: null })).coverage).toBe('high');
    expect((await analyze(product, { ...TICKET, metadata })).knowledge_retrieval.coverage).toBe('high');
  });

  it('returns the documented block for a workspace without a knowledge base', async () => {
    expect(await retrieve(product, ZIGBEE, OTHER_KEY)).toEqual(unavailableRetrieval('unavailable'));
  });
});

const ZIGBEE = {
  intent: 'general_info',
  message: 'Hi team,\ncan I pair my Apollo III with a Zigbee hub? Write to ann@example.org\nRegards\nAnn',
  metadata: { product: 'Apollo III' },
};
const ARTICLE = `---
title: Pair the Apollo III with a Zigbee hub
intent: [general_info]
device: [Apollo III]
last_updated: 2026-10-01T00:00:00Z
---

Apollo III speaks Zigbee 3.0 from firmware 3.4.0 on. Hold the button of the hub for three seconds, then open
**Network > Zigbee** in the dashboard and select **Pair**. The hub is paired when the LED blinks blue.`;

describe('GET /v1/knowledge/gaps', () => {
  const listed = async (state: string, key?: string) =>
    KnowledgeGapsResponse.parse(
      await (await send(product, `GET /v1/knowledge/gaps?state=${state}`, undefined, key)).json(),
    );
  const about = async (subject: string, state: string) =>
    (await listed(state)).gaps.filter(({ gap }) => gap.includes(subject));
  const LATER = { timeout: 20_000, interval: 250 };

  it('names a device without articles, with low coverage or none', async () => {
    const message = 'My Apollo IX shows 0 H/s for 3 days. What can I do?';
    const { knowledge_retrieval: block } = await analyze(product, { message, metadata: { product: 'Apollo IX' } });
    expect([['low', 'none'].includes(block.coverage), block.sources_consulted]).toEqual([true, []]);
    expect(block.gaps.join('\n')).toContain('Apollo IX');
    await expect.poll(async () => (await about('Apollo IX', 'open')).length, LATER).toBeGreaterThan(0);
  });

  it('lists a gap once with its count, without personal data, and only in its workspace', async () => {
    await retrieve(product, ZIGBEE);
    await retrieve(product, ZIGBEE);
    await retrieve(product, { ...ZIGBEE, message: 'Does the Zigbee hub pair with my Apollo III?' });
    await expect
      .poll(() => about('Zigbee', 'open'), LATER)
      .toMatchObject([{ count: 2, product: 'Apollo III', intent: 'general_info', closed_at: null }]);
    const [found] = await about('Zigbee', 'open');
    expect(found?.example_queries).toHaveLength(2);
    expect(JSON.stringify(found)).not.toMatch(/ann@example\.org|Regards/);
    expect(await listed('all', OTHER_KEY)).toMatchObject({ gaps: [], total: 0, edition: null });
  });

  it.each([
    [401, 'without the right to analyse', '', READER_KEY],
    [400, 'for another state', '?state=gone', undefined],
    [400, 'for an invalid cursor', '?cursor=what', undefined],
  ])('answers %d %s', async (status, _, query, key) => {
    expect((await send(product, `GET /v1/knowledge/gaps${query}`, undefined, key)).status).toBe(status);
  });

  it('closes a gap when a sync adds the article, and reopens it when the article is removed', async () => {
    const file = join(folder, 'network/zigbee.md');
    writeFileSync(file, ARTICLE);
    await product.sync({ full: true });
    await expect.poll(() => about('Zigbee', 'closed'), LATER).toMatchObject([{ state: 'closed' }]);
    const { gaps, edition } = await listed('closed');
    expect(gaps.find(({ gap }) => gap.includes('Zigbee'))?.checked_edition).toBe(edition);
    expect(await about('Zigbee', 'open')).toEqual([]);
    rmSync(file);
    await product.sync({ full: true });
    const again = async () => {
      await retrieve(product, { ...ZIGBEE, message: 'Is a Zigbee hub paired with the Apollo III by its button?' });
      return about('Zigbee', 'open');
    };
    await expect.poll(again, LATER).toMatchObject([{ state: 'open', closed_at: null }]);
  });

  it('compares gaps with the edition on a schedule', async () => {
    const support = await product.miniflare.getWorker('constellation-support');
    expect(await support.scheduled({ cron: '53 * * * *' })).toMatchObject({ outcome: 'ok' });
  });
});

describe('the degradation table', () => {
  it('row: retrieval timeout: the documented block, within the time', async () => {
    const logged: { librarian: string; route: string; duration_ms: number }[] = [];
    const slow = await start({
      moreWorkers: [{ name: 'hanging', main: 'test/functions/hanging.ts' }],
      moreServices: { 'constellation-support': { LIBRARY: 'hanging' } },
      onLog: (line) => void (line.startsWith('{') && logged.push(JSON.parse(line))),
    });
    const hanging = await slow.miniflare.getWorker('hanging');
    const hungRequests = async () => Number(await (await hanging.fetch('http://hanging/requests')).json());
    /** The time that the function measured; polled, since the machine may be busy. */
    const timeMs = (route: string, work: () => Promise<unknown>) => async () => {
      expect(await work()).toEqual(unavailableRetrieval('timeout'));
      expect(await hungRequests()).toBeGreaterThan(0);
      const lines = () => logged.filter((line) => line.librarian === 'support' && line.route === `POST ${route}`);
      return vi.waitUntil(() => lines().at(-1)?.duration_ms);
    };
    const retrieved = timeMs('/v1/knowledge/retrieve', () => retrieve(slow, NOT_HASHING));
    await expect.poll(retrieved, { timeout: 30_000 }).toBeLessThanOrEqual(100);
    // An analysis waits for the edition, but not indefinitely.
    const analysed = timeMs('/v1/support/analyze', async () => (await analyze(slow, TICKET)).knowledge_retrieval);
    await expect.poll(analysed, { timeout: 60_000 }).toBeLessThan(2500);
  });

  it('row: retrieval timeout: the first analysis of an isolate waits for the edition', async () => {
    const services = { NEXT: 'constellation-library' };
    const cold = await start({
      moreWorkers: [{ name: 'slow', main: 'test/functions/slow.ts', services, vars: { MS: '500' } }],
      moreServices: { 'constellation-support': { LIBRARY: 'slow' } },
    });
    await cold.sync({ full: true });
    const { knowledge_retrieval } = await analyze(cold, TICKET);
    expect(knowledge_retrieval.coverage).toBe('high');
    // The wait is part of the retrieval time.
    expect(knowledge_retrieval.retrieval_time_ms).toBeGreaterThanOrEqual(500);
  });

  describe('rows: vector store unavailable, embedding model error, too late', () => {
    let running: Awaited<ReturnType<typeof startOnServices>>;
    beforeAll(async () => {
      running = await startOnServices();
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
        const { product: served, services } = running;
        let failed = 0;
        services[service].faults.sometimes(() => {
          failed += 1;
          return fault;
        });
        /** Undefined while the machine is too busy to reach the service, or to compare even the words, in 100 ms. */
        const attempt = async () => {
          const before = failed;
          const message = `${TICKET.message} Case ${crypto.randomUUID().slice(0, 4)}.`;
          const block = await retrieve(served, { intent: 'not_hashing', message });
          expect(block.degraded).toContain('embeddings');
          const isInTime = block.retrieval_time_ms <= 100;
          return failed > before && isInTime && block.degraded?.length === 1 ? block : undefined;
        };
        const block = await vi.waitUntil(attempt, { timeout: 30_000 });
        const analysis = async () => {
          const before = failed;
          const message = `${TICKET.message} Case ${crypto.randomUUID().slice(0, 4)}.`;
          const reply = await analyze(served, { ...TICKET, message });
          return failed > before ? reply : undefined;
        };
        const analysed = await vi.waitUntil(analysis, { timeout: 30_000 });
        expect(analysed.knowledge_retrieval.degraded).toContain('embeddings');
        expect(analysed.intent_classification.primary_intent).toBe('not_hashing');
        services[service].faults.none();
        expect(block.coverage).toBe('high');
      },
      90_000,
    );
  });

  it('row: host API unreachable: the synced articles remain', async () => {
    await host.close();
    const { last_report } = await product.sync({ full: true });
    expect(last_report).toMatchObject({ outcome: 'failed', error: { code: 'DATA_SOURCE_ERROR' } });
    const reply = await analyze(product, TICKET);
    expect(reply.knowledge_retrieval.coverage).toBe('high');
    expect(urlsOf(reply)).toContain('https://docs.example.com/troubleshooting/not-hashing');
  });
});
