import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ErrorBody } from '../../src/contract/error-info.ts';
import { ArticleListing } from '../../src/contract/host-article.ts';
import { type KnowledgeHit, KnowledgeSearchResponse } from '../../src/contract/knowledge-search.ts';
import { Healthz, LibrarianDirectory } from '../../src/contract/librarian-directory.ts';
import { NavigatorResponse, statesLackOfInformation } from '../../src/contract/navigator-response.ts';
import { SyncStatus } from '../../src/contract/sync.ts';
import { validateResponse } from '../../src/contract/validate-response.ts';
import { ROOT } from '../../src/dev/functions.ts';
import { serveFolder } from '../../src/dev/run/folder-kb.ts';
import type { Product } from '../../src/dev/run/product.ts';
import { shippedWordVectors } from '../../src/dev/run/shipped-word-vectors.ts';
import { SAMPLE_KNOWLEDGE_BASE } from '../../src/dev/sample/files.ts';
import { type ApiKeyRecord, hashApiKey } from '../../src/gateway/api-keys.ts';
import { takeInArticle } from '../../src/knowledge/articles/take-in-article.ts';
import { HEDGE } from '../../src/navigator/compose-answer.ts';
import { attachWordVectors } from '../../src/search/attach-vectors.ts';
import { buildEdition } from '../../src/search/build-edition.ts';
import { fitEdition } from '../../src/search/fit-edition.ts';
import { type Edition, openEdition } from '../../src/search/open-edition.ts';
import { createRetriever } from '../../src/search/retrieve.ts';
import { searchKnowledge } from '../../src/search/search-knowledge.ts';
import { BACK_ENDS, type RunningBackEnd, servicesOf } from './back-ends.ts';
import { idsInVector } from './look-into-services.ts';

interface LabelledQuestion {
  question: string;
  kind: 'answerable' | 'no-information' | 'out-of-domain';
  article?: string;
  also?: string[];
  must_contain?: string[];
}

const QUESTIONS = JSON.parse(readFileSync(join(ROOT, 'src/dev/sample/questions.json'), 'utf8')) as LabelledQuestion[];
const KEY = 'ck_test_0123456789abcdef';
const READ_ONLY = 'ck_read_only_0123456789abcdef';

describe.each(BACK_ENDS)('on the $name back end', ({ name, start }) => {
  let folder: string;
  let running: RunningBackEnd;
  let product: Product;
  const logs: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'constellation-product-'));
    cpSync(SAMPLE_KNOWLEDGE_BASE, folder, { recursive: true });
    running = await start({ kb: { folder }, key: KEY, onLog: (line) => logs.push(line) });
    product = running.product;
    const record: ApiKeyRecord = {
      name: 'reader',
      workspaces: ['default'],
      capabilities: ['kb:read'],
      rate: 'unlimited',
    };
    const keys = await product.miniflare.getKVNamespace('API_KEYS', 'constellation-gateway');
    await keys.put(await hashApiKey(READ_ONLY), JSON.stringify(record));
    const status = await product.sync({ full: true });
    expect(status).toMatchObject({ articles: 40, last_report: { outcome: 'published', added: 40, error: null } });
    // Every chunk its vector from the model, where there is one; word vectors are no embeddings.
    expect(status.last_report?.embeddings).toBe(name === 'production' ? status.chunks : 0);
    expect(status.last_report?.embeddings_missing).toBeUndefined();
  }, 120_000);

  afterAll(async () => {
    await running?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const post = (path: string, body: unknown, init: RequestInit = {}) =>
    product.fetch(path, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body), ...init });

  const navigate = async (query: string): Promise<NavigatorResponse> =>
    NavigatorResponse.parse(await (await post('/v1/navigate', { query })).json());

  const codeOf = async (response: Response): Promise<string> => ErrorBody.parse(await response.json()).error.code;

  const textOf = async (file: string): Promise<string> => {
    const response = await product.fetch(`/api/kb/text/${file.split('/').map(encodeURIComponent).join('/')}`);
    return ((await response.json()) as { text: string }).text;
  };

  describe('the product, all functions in workerd', () => {
    it('says what it runs on', async () => {
      const { adapters } = Healthz.parse(await (await product.fetch('/healthz')).json());
      const [store, embeddings, model] =
        name === 'production'
          ? ['upstash', 'text-embedding-3-small', 'gpt-4.1-mini']
          : ['embedded', 'static-words-2', 'none'];
      expect(adapters).toEqual({ knowledge: store, memory: store, embedding_cache: store, embeddings, model });
    });

    it('answers a question with sources, confidence and the edition', async () => {
      const response = await post('/v1/ask', { query: 'How many API calls per minute are allowed?' });
      expect(response.status).toBe(200);
      const checked = validateResponse(await response.json());
      expect(checked).toMatchObject({
        ok: true,
        value: { answer: expect.stringContaining('60 requests per minute'), confidence: expect.any(Number) },
      });
      expect(checked.ok && checked.value.sources?.[0]).toMatchObject({
        name: expect.any(String),
        url: expect.stringContaining('https://docs.example.com/'),
      });
    });

    it('quotes its sources word for word, at the offsets it names', async () => {
      const { sources, outOfDomain } = await navigate('Can I point other miners at the node of my Apollo?');
      expect(outOfDomain).toBe(false);
      expect(sources.length).toBeGreaterThan(0);
      for (const { file, excerpts = [] } of sources) {
        const text = await textOf(file);
        expect(excerpts.length).toBeGreaterThan(0);
        for (const { quote, start, end } of excerpts) expect(text.slice(start, end)).toBe(quote);
      }
    });

    it('answers labelled questions from the right article, cites what its sources say, and declines in one shape', async () => {
      const right = { answerable: 0, 'no-information': 0, 'out-of-domain': 0 };
      const answeredBy = new Set<unknown>();
      const texts = new Map<string, string>();
      for (const { question, kind, article, also = [] } of QUESTIONS) {
        const { sources, metadata, outOfDomain, answer, confidence } = await navigate(question);
        if (sources.length > 0) answeredBy.add(metadata?.answered_by ?? 'quotes');
        else expect([question, confidence, statesLackOfInformation(answer)]).toEqual([question, 'low', true]);
        if (outOfDomain) expect([question, sources]).toEqual([question, []]);
        for (const { file, excerpts = [] } of sources) {
          const text = texts.get(file) ?? (await textOf(file));
          texts.set(file, text);
          for (const { quote, start, end } of excerpts) expect(text.slice(start, end)).toBe(quote);
        }
        const isRight =
          kind === 'answerable'
            ? sources.some(({ file }) => file === article || also.includes(file))
            : sources.length === 0 || answer.startsWith(HEDGE);
        if (isRight) right[kind] += 1;
      }
      expect(answeredBy).toContain(name === 'production' ? 'model' : 'quotes');
      // The figures are those of the passages shown; where a stand-in for a model writes, they would be its own.
      if (name === 'production') return;
      // Of 61, 14 and 10; reached on 2026-11-22: 47, 14 and 10.
      expect(right.answerable).toBeGreaterThanOrEqual(40);
      expect(right['no-information']).toBeGreaterThanOrEqual(12);
      expect(right['out-of-domain']).toBeGreaterThanOrEqual(9);
    }, 120_000);

    it('ranks passages without a threshold', async () => {
      const response = await post('/v1/knowledge/search', {
        query: 'fan noise',
        limit: 5,
        filter: { device: 'Apollo II' },
      });
      const { hits, edition } = KnowledgeSearchResponse.parse(await response.json());
      expect(edition).toMatch(/^e\d+/);
      expect(hits).toHaveLength(5);
      expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).sort((a, b) => b - a));
    });

    it.runIf(name === 'embedded')('finds an article by a question in other words', async () => {
      const path = '/api/kb/articles/notes/axles.md';
      const content = 'Wheels squeak without grease. Grease them twice a year.';
      const article = { title: 'Wheels', url: 'https://docs.example.com/axles', content };
      expect((await product.fetch(path, { method: 'PUT', body: JSON.stringify(article) })).status).toBeLessThan(300);
      await eventually(async () => {
        const found = await post('/v1/knowledge/search', { query: 'lubricate the axle' });
        const { hits, degraded } = KnowledgeSearchResponse.parse(await found.json());
        expect(degraded).toBeUndefined();
        return hits[0]?.article_id === 'notes/axles.md';
      });
      expect((await product.fetch(path, { method: 'DELETE' })).status).toBeLessThan(300);
      await eventually(async () => {
        const found = await post('/v1/knowledge/search', { query: 'lubricate the axle' });
        const { hits } = KnowledgeSearchResponse.parse(await found.json());
        return hits.every(({ article_id }) => article_id !== 'notes/axles.md');
      });
    });

    // Where an embedding service takes part, it does as far as it answers in time: not the same on every run.
    it.runIf(name === 'embedded')(
      'finds in workerd what it finds in Node, with the same scores but for their last digits',
      async () => {
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
          const remote = KnowledgeSearchResponse.parse(await (await post('/v1/knowledge/search', request)).json());
          expect(remote.hits).toEqual(local.hits.map(withoutLastDigits));
          hits += local.hits.length;
        }
        expect(hits).toBeGreaterThan(asked.length);
      },
    );

    it('introduces its librarians', async () => {
      const directory = LibrarianDirectory.parse(await (await product.fetch('/v1/librarians')).json());
      expect(directory.librarians).toContainEqual(
        expect.objectContaining({ id: 'navigator', health: 'ok', description: expect.any(String) }),
      );
    });

    it.each([
      ['an empty question', { query: '' }],
      ['a question of 100,000 characters', `{"query":"${'a'.repeat(100_000)}"}`],
      ['a question of control characters', { query: '\u0000\u0007\u001b' }],
      ['half a body', '{"query": "wha'],
    ])('refuses %s with a clear error', async (_name, body) => {
      for (const path of ['/v1/ask', '/v1/navigate', '/v1/knowledge/search']) {
        const response = await post(path, body);
        expect([path, response.status, await codeOf(response)]).toEqual([path, 400, 'INVALID_QUERY']);
      }
    });

    it.each(['我的矿机不工作了怎么办？', 'asdf qwer zxcv', '???', '🔥🔥🔥', 'the of and'])(
      'declines %s honestly',
      async (query) => {
        const { sources, answer, confidenceReason } = await navigate(query);
        expect(sources).toEqual([]);
        expect(answer).not.toBe('');
        expect(confidenceReason.length).toBeGreaterThan(10);
      },
    );

    it('refuses an unknown key, and a key without the capability', async () => {
      const direct = await fetch(new URL('/v1/ask', product.url), {
        method: 'POST',
        headers: { authorization: 'Bearer ck_unknown_0123456789abcdef', 'content-type': 'application/json' },
        body: '{"query":"x"}',
      });
      expect([direct.status, await codeOf(direct)]).toEqual([401, 'UNAUTHORIZED']);
      const sync = await fetch(new URL('/v1/sync', product.url), {
        method: 'POST',
        headers: { authorization: `Bearer ${READ_ONLY}`, 'content-type': 'application/json' },
        body: '{}',
      });
      expect([sync.status, await codeOf(sync)]).toEqual([401, 'UNAUTHORIZED']);
    });

    it('takes an article in, answers from it, and forgets it when it is deleted', async () => {
      const path = '/api/kb/articles/notes/zeppelin.md';
      const article = {
        title: 'Zeppelin mode',
        url: 'https://docs.example.com/zeppelin',
        content: 'Zeppelin mode is started by holding the mushroom switch for eleven seconds.',
      };
      expect((await product.fetch(path, { method: 'PUT', body: JSON.stringify(article) })).status).toBeLessThan(300);
      await eventually(async () => (await navigate('How is zeppelin mode started?')).answer.includes('eleven seconds'));
      expect((await product.fetch(path, { method: 'DELETE' })).status).toBeLessThan(300);
      await eventually(async () => !(await navigate('How is zeppelin mode started?')).answer.includes('eleven'));
      expect((await product.fetch(path)).status).toBe(404);
    });

    it.runIf(name === 'production')(
      'has a vector for each chunk in the index, and none of what is deleted',
      async () => {
        const { vector } = servicesOf(running);
        const inIndex = () => idsInVector(vector, 'kb_default');
        const { chunks } = SyncStatus.parse(await (await product.fetch('/v1/sync')).json());
        await expect.poll(async () => (await inIndex()).length, { timeout: 10_000 }).toBe(chunks);
        const before = await inIndex();
        const path = '/api/kb/articles/notes/dirigible.md';
        const content = 'Dirigible mode is ended by singing.';
        const article = { title: 'Dirigible mode', url: 'https://docs.example.com/dirigible', content };
        expect((await product.fetch(path, { method: 'PUT', body: JSON.stringify(article) })).status).toBeLessThan(300);
        await expect.poll(async () => (await inIndex()).length, { timeout: 10_000 }).toBe(chunks + 1);
        expect((await product.fetch(path, { method: 'DELETE' })).status).toBeLessThan(300);
        await expect.poll(async () => (await inIndex()).toSorted(), { timeout: 10_000 }).toEqual(before.toSorted());
      },
    );

    it('shows an edited and a deleted file in the next answers', async () => {
      const edited = join(folder, 'orders/shipping.md');
      writeFileSync(
        edited,
        readFileSync(edited, 'utf8').replace(
          /^## .*$/m,
          (heading) => `${heading}\n\nParcels travel by camel caravan on Tuesdays.\n`,
        ),
      );
      rmSync(join(folder, 'network/port-forwarding.md'));
      const { last_report: report } = await product.sync({ full: true });
      expect(report).toMatchObject({ outcome: 'published', changed: 1, removed: 1, added: 0 });
      await eventually(async () =>
        (await navigate('Do parcels travel by camel caravan?')).answer.includes('camel caravan'),
      );
      await eventually(async () =>
        (await navigate('Which port must be forwarded on my router?')).sources.every(
          ({ file }) => file !== 'network/port-forwarding.md',
        ),
      );
    });

    it('writes nothing when nothing has changed', async () => {
      const { last_report: report } = await product.sync({ full: true });
      expect(report).toMatchObject({ outcome: 'unchanged', writes: 0, embeddings: 0 });
    });

    it('logs one JSON line a request and function, without questions, answers, keys or tokens', async () => {
      logs.length = 0;
      await post('/v1/ask', { query: 'Does the wombat in my kitchen disturb the Apollo II?' });
      await eventually(async () => logs.length >= 2);
      const all = logs.map((line) => JSON.parse(line) as Record<string, unknown>);
      // A service that is slow for a moment is a fault of nobody's request.
      const lines = name === 'production' ? all.filter(({ event }) => event === 'request') : all;
      expect(new Set(lines.map(({ trace_id }) => trace_id)).size).toBe(1);
      expect(lines.map(({ event }) => event)).toEqual(lines.map(() => 'request'));
      expect(logs.join('\n')).not.toMatch(/wombat|kitchen|ck_test|eyJ[\w-]{8}/);
    });
  });
});

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
  return openEdition(attachWordVectors(fitEdition(buildEdition(entries, identity)), shippedWordVectors()));
};

/** Readers ask for a newer edition every few seconds at most, so a change shows within that bound, not at once. */
const eventually = (holds: () => Promise<boolean>): Promise<void> =>
  expect.poll(holds, { timeout: 10_000, interval: 100 }).toBe(true);
