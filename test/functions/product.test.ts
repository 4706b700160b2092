import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Healthz } from '../../src/contract/core/librarian.ts';
import { validateResponse } from '../../src/contract/core/validate-response.ts';
import { ArticleListing } from '../../src/contract/wire/host-article.ts';
import { type KnowledgeHit, KnowledgeSearchResponse } from '../../src/contract/wire/knowledge.ts';
import { takeInArticle } from '../../src/knowledge/articles/normalise-article.ts';
import { buildEdition } from '../../src/knowledge/edition/build-edition.ts';
import { attachWordVectors } from '../../src/knowledge/edition/edition-vectors.ts';
import { type Edition, openEdition } from '../../src/knowledge/edition/open-edition.ts';
import { attachRepeatedBlocks } from '../../src/knowledge/edition/repeated-blocks.ts';
import { createRetriever, searchKnowledge } from '../../src/knowledge/search/retrieve.ts';
import { serveFolder } from '../../tools/run/folder-kb.ts';
import type { Product } from '../../tools/run/product.ts';
import { shippedWordVectors } from '../../tools/run/shipped-word-vectors.ts';
import { SAMPLE_KNOWLEDGE_BASE } from '../../tools/sample/files.ts';
import { describeMoving } from './describe-moving.ts';
import { answerLabelledQuestions, navigate, QUESTIONS } from './labelled-answers.ts';
import { ask, directoryOf, send, startEmbedded } from './product-for-test.ts';

const KEY = 'ck_test_0123456789abcdef';

let folder: string;
let product: Product;
const logs: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'constellation-product-'));
  cpSync(SAMPLE_KNOWLEDGE_BASE, folder, { recursive: true });
  product = await startEmbedded({
    kb: { folder },
    webSearch: 'local',
    key: KEY,
    onLog: (line) => logs.push(line),
  });
  const status = await product.sync({ full: true });
  // Word vectors do not count as embeddings.
  const last_report = { outcome: 'published', added: 40, error: null, embeddings: 0 };
  expect(status).toMatchObject({ articles: 40, last_report });
  expect(status.last_report?.embeddings_missing).toBeUndefined();
});

afterAll(async () => {
  await product?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const search = async (request: object) => {
  const response = await send(product, 'POST /v1/knowledge/search', request);
  return KnowledgeSearchResponse.parse(await response.json());
};

describe('the product, all functions in workerd', () => {
  it('reports its adapters', async () => {
    const { adapters } = Healthz.parse(await (await send(product, 'GET /healthz')).json());
    const stores = { knowledge: 'embedded', memory: 'embedded', embedding_cache: 'embedded' };
    expect(adapters).toEqual({ ...stores, embeddings: 'static-words-2', model: 'none' });
  });

  it('lets no page frame the agent panel unless PANEL_ORIGINS names it', async () => {
    for (const helpdesk of ['chatwoot', 'zendesk']) {
      const page = await fetch(new URL(`/panel/${helpdesk}`, product.url), {
        headers: { accept: 'text/html' },
      });
      expect([page.status, page.headers.get('Content-Security-Policy')]).toEqual([
        ...[200, expect.stringContaining("frame-ancestors 'none';")],
      ]);
    }
  });

  it('answers a question with sources, confidence and the edition', async () => {
    const response = await send(product, 'POST /v1/ask', {
      query: 'How many API calls per minute are allowed?',
    });
    expect([response.status, validateResponse(await response.json())]).toMatchObject([
      200,
      {
        ok: true,
        value: {
          answer: expect.stringContaining('60 requests per minute'),
          confidence: expect.any(Number),
          sources: expect.arrayContaining([
            expect.objectContaining({
              name: expect.any(String),
              url: expect.stringContaining('https://docs.example.com/'),
            }),
          ]),
        },
      },
    ]);
  });

  it('answers labelled questions from the right article, quotes its sources, and declines in one form', async () => {
    const { right, answeredBy } = await answerLabelledQuestions(product);
    expect(answeredBy).toContain('quotes');
    // There are 61, 14 and 10 questions; 47, 14 and 10 were right on 2026-11-22.
    expect(right.answerable).toBeGreaterThanOrEqual(40);
    expect(right['no-information']).toBeGreaterThanOrEqual(12);
    expect(right['out-of-domain']).toBeGreaterThanOrEqual(9);
  });

  it('ranks passages without a threshold', async () => {
    const { hits, edition } = await search({
      query: 'fan noise',
      limit: 5,
      filter: { device: 'Apollo II' },
    });
    expect(edition).toMatch(/^e\d+/);
    expect(hits).toHaveLength(5);
    expect(hits.map(({ score }) => score)).toEqual(
      hits.map(({ score }) => score).sort((a, b) => b - a),
    );
  });

  it('finds the same in workerd as in Node, with the same scores up to rounding', async () => {
    const edition = await openLocally(folder);
    const retrieve = createRetriever({ wordVectors: shippedWordVectors });
    const asked = [
      ...QUESTIONS.map(({ question }) => ({ query: question })),
      { query: "What's the pool’s fee, and why dosn't my Apolo hsah?", limit: 50 },
      { query: 'fan noise', filter: { device: 'apollo ii' } },
      { query: '/api/v2/status café 重置 16.0.4266 SmartCard' },
    ];
    let hits = 0;
    for (const request of asked) {
      const local = await searchKnowledge(edition, request, { retrieve });
      expect((await search(request)).hits).toEqual(local.hits.map(withoutLastDigits));
      hits += local.hits.length;
    }
    expect(hits).toBeGreaterThan(asked.length);
  });

  it.each(['我的矿机不工作了怎么办？', 'asdf qwer zxcv', '???', '🔥🔥🔥', 'the of and'])(
    'declines %s honestly',
    async (query) => {
      const { sources, answer, confidenceReason } = await navigate(product, query);
      expect([sources, answer === '']).toEqual([[], false]);
      expect(confidenceReason.length).toBeGreaterThan(10);
    },
  );

  it('stores an article, answers from it in the same or other words, and not after it is deleted', async () => {
    const path = '/api/kb/articles/notes/axles.md';
    const content =
      'Wheels squeak without grease. Grease them twice a year, in zeppelin mode for eleven seconds.';
    const article = {
      title: 'Wheels in zeppelin mode',
      url: 'https://docs.example.com/axles',
      content,
    };
    const answers = async () =>
      (await navigate(product, 'How long is zeppelin mode?')).answer.includes('eleven seconds');
    expect((await send(product, `PUT ${path}`, article)).status).toBe(201);
    await eventually(answers);
    const best = async () => {
      const { hits, degraded } = await search({ query: 'lubricate the axle' });
      expect(degraded).toBeUndefined();
      return hits[0]?.article_id;
    };
    await eventually(async () => (await best()) === 'notes/axles.md');
    expect((await send(product, `DELETE ${path}`)).status).toBe(204);
    await eventually(async () => !(await answers()) && (await best()) !== 'notes/axles.md');
    expect((await send(product, `GET ${path}`)).status).toBe(404);
  });

  it('reflects an edited and a deleted file in the next answers, and writes nothing on the next sync', async () => {
    const edited = join(folder, 'orders/shipping.md');
    const camels = (heading: string) =>
      `${heading}\n\nParcels travel by camel caravan on Tuesdays.\n`;
    writeFileSync(edited, readFileSync(edited, 'utf8').replace(/^## .*$/m, camels));
    rmSync(join(folder, 'network/port-forwarding.md'));
    const { last_report: report } = await product.sync({ full: true });
    expect(report).toMatchObject({ outcome: 'published', changed: 1, removed: 1, added: 0 });
    await eventually(async () => {
      const [camel, port] = [
        await navigate(product, 'Do parcels travel by camel caravan?'),
        await navigate(product, 'Which port must be forwarded on my router?'),
      ];
      const isGone = port.sources.every(({ file }) => file !== 'network/port-forwarding.md');
      return camel.answer.includes('camel caravan') && isGone;
    });
    const { last_report: again } = await product.sync({ full: true });
    expect(again).toMatchObject({ outcome: 'unchanged', writes: 0, embeddings: 0 });
  });

  it('answers from the articles of the last sync while the host fails', async () => {
    renameSync(folder, `${folder}-away`);
    const { last_report } = await product.sync({ full: true });
    renameSync(`${folder}-away`, folder);
    expect(last_report).toMatchObject({ outcome: 'failed', error: { code: 'DATA_SOURCE_ERROR' } });
    expect(
      (await navigate(product, 'How many API calls per minute are allowed?')).answer,
    ).toContain('60 requests');
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
  ])(
    'reports that %s has no data when it is named, and in the directory',
    async (librarian, message) => {
      const { status, reply } = await ask(product, 'What was our revenue last month?', {
        librarian,
      });
      expect([status, reply.error]).toMatchObject([503, { code: 'SERVICE_UNAVAILABLE', message }]);
      const lacking = (await directoryOf(product)).filter(
        ({ unavailable }) => unavailable !== undefined,
      );
      expect(lacking.map(({ id, health }) => `${id} ${health}`)).toEqual([
        'analytics down',
        'web-search down',
      ]);
    },
  );

  it('logs one JSON line per request and function, without questions, answers, keys or tokens', async () => {
    const { id } = await ask(product, 'Does the wombat in my kitchen disturb the Apollo II?');
    const lines = () =>
      logs.filter((line) => line.includes(id)).map((line) => JSON.parse(line) as { event: string });
    await eventually(async () => lines().length >= 2);
    expect(new Set(lines().map(({ event }) => event))).toEqual(new Set(['request']));
    expect(logs.join('\n')).not.toMatch(/wombat|kitchen|ck_test|eyJ[\w-]{8}/);
  });
});

describe('moving', () => describeMoving(() => product));

/** Two releases of V8 need not agree on the last bit of a logarithm. */
const withoutLastDigits = (hit: KnowledgeHit) => ({
  ...hit,
  score: expect.closeTo(hit.score, 9),
  relevance: expect.closeTo(hit.relevance, 9),
});

/** The same articles taken in, chunked, built and fitted in this process. */
const openLocally = async (kb: string): Promise<Edition> => {
  const served = await serveFolder(kb, (id) => `https://docs.example.com/${id}`);
  const { articles } = ArticleListing.parse(await (await fetch(`${served.url}?limit=100`)).json());
  await served.close();
  const entries = articles.map((article) => takeInArticle(article, { articleUrl: () => '' }));
  const identity = { id: 'local', workspace: 'default', createdAt: '2026-01-01T00:00:00Z' };
  return openEdition(
    attachWordVectors(attachRepeatedBlocks(buildEdition(entries, identity)), shippedWordVectors()),
  );
};

/** Readers look for a newer edition every few seconds, so a change does not show immediately. */
const eventually = (holds: () => Promise<boolean>): Promise<void> =>
  expect.poll(holds, { timeout: 60_000, interval: 250 }).toBe(true);
