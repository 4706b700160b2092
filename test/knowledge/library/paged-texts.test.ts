import { beforeAll, describe, expect, it } from 'vitest';
import { drawQuestions, growCorpus, readBenchArticles } from '../../../src/dev/bench/corpus.ts';
import { shippedWordVectors } from '../../../src/dev/run/shipped-word-vectors.ts';
import { retrieveKnowledge } from '../../../src/knowledge/retrieval/retrieve-knowledge.ts';
import { answerQuestion } from '../../../src/navigator/answer-question.ts';
import { PagesMissing } from '../../../src/search/chunk-texts.ts';
import { loadEdition } from '../../../src/search/edition-reader.ts';
import { fitEdition } from '../../../src/search/fit-edition.ts';
import type { Edition } from '../../../src/search/open-edition.ts';
import { pageCache } from '../../../src/search/page-cache.ts';
import { createRetriever } from '../../../src/search/retrieve.ts';
import { searchKnowledge } from '../../../src/search/search-knowledge.ts';
import { type EditionManifest, type EditionParts, FIRST_PAGE, partKey } from '../../../src/storage/edition-storage.ts';
import { hostArticle, hostWith, libraryForTest, syncNow } from './library-for-test.ts';

/** About 14 pages. */
const CHUNKS = 2400;

const host = hostWith(
  [...growCorpus(readBenchArticles(undefined).articles, CHUNKS)].map(({ article, chunks }) =>
    hostArticle(
      article.id,
      chunks.map(({ headingPath, text }) => `## ${headingPath.at(-1) ?? 'Part'}\n\n${text}`).join('\n\n'),
      { title: article.title },
    ),
  ),
);

const published = async (pagedFromBytes: number) => {
  const parts = libraryForTest(host, { pagedFromBytes, wordVectors: shippedWordVectors, complete: fitEdition });
  const report = await syncNow(parts.library);
  expect(report).toMatchObject({ outcome: 'published', error: null });
  const manifest = parts.library.currentEdition();
  if (manifest === undefined) throw new Error('There is no edition');
  const stored: EditionParts = {
    readPart: async (_, part) => parts.editionStorage.parts.get(partKey(manifest, part)),
  };
  return { ...parts, manifest, stored };
};

let paged: Awaited<ReturnType<typeof published>>;
let whole: Edition;
let questions: string[];

/** The edition with pages, and the numbers of the pages that were requested. */
const openPaged = async (
  readPage?: (page: number, read: () => ReturnType<EditionParts['readPart']>) => ReturnType<EditionParts['readPart']>,
) => {
  const requested: number[] = [];
  const readPart = async (manifest: EditionManifest, part: number) => {
    if (part < FIRST_PAGE) return paged.stored.readPart(manifest, part);
    requested.push(part - FIRST_PAGE);
    const read = () => paged.stored.readPart(manifest, part);
    return readPage === undefined ? read() : readPage(part - FIRST_PAGE, read);
  };
  return { edition: await loadEdition(paged.manifest, { parts: [{ readPart }] }), requested };
};

const retrieve = createRetriever({ wordVectors: shippedWordVectors, deadlineMs: 60_000 });
const search = (edition: Edition, query: string) => searchKnowledge(edition, { query, limit: 10 }, { retrieve });

beforeAll(async () => {
  paged = await published(0);
  const all = await published(Number.POSITIVE_INFINITY);
  whole = await loadEdition(all.manifest, { parts: [all.stored] });
  const texts = Array.from({ length: whole.chunkCount }, (_, at) => whole.chunk(at).text);
  questions = drawQuestions(texts, 25);
});

describe('an edition whose texts are on pages', () => {
  it('has the pages in edition storage and in the library, and a smaller index', () => {
    expect(paged.manifest.pages).toBeGreaterThan(8);
    expect(paged.manifest.bytes).toBeLessThan(whole.byteLength / 1.5);
    for (let page = 0; page < (paged.manifest.pages ?? 0); page++) {
      const key = partKey(paged.manifest, FIRST_PAGE + page);
      expect(paged.library.editionPart(paged.manifest.edition, FIRST_PAGE + page)).toEqual(
        paged.editionStorage.parts.get(key),
      );
    }
  });

  it('gives the same results and answers as an edition in memory', async () => {
    const { edition, requested } = await openPaged();
    expect(requested).toEqual([]);
    for (const question of questions) {
      expect(await search(edition, question)).toEqual(await search(whole, question));
      const options = { retrieve, wordVectors: shippedWordVectors, timeLeftMs: () => 60_000 };
      expect(await answerQuestion(edition, question, options)).toEqual(await answerQuestion(whole, question, options));
      const ticket = { intent: 'general_info', message: `${question}. It did not work. ${questions[0]}` };
      const [one, other] = await Promise.all(
        [edition, whole].map((each) => retrieveKnowledge(ticket, { edition: each, retrieve, now: () => 0 })),
      );
      expect({ ...one, evidence: undefined }).toEqual({ ...other, evidence: undefined });
    }
  });

  it('fetches only the pages of its results, once', async () => {
    const { edition, requested } = await openPaged();
    await search(edition, questions[1] ?? '');
    expect(new Set(requested).size).toBe(requested.length);
    await search(edition, questions[1] ?? '');
    expect(new Set(requested).size).toBe(requested.length);
  });

  it('omits results on missing or damaged pages, reports it, and shows no wrong text', async () => {
    const texts = new Set(Array.from({ length: whole.chunkCount }, (_, at) => whole.chunk(at).text));
    for (const lose of [
      async () => undefined,
      async (_: number, read: () => ReturnType<EditionParts['readPart']>) => (await read())?.map((byte) => byte ^ 1),
      // A valid page of another position.
      async (page: number) => paged.stored.readPart(paged.manifest, FIRST_PAGE + page + 1),
    ]) {
      const { edition } = await openPaged((page, read) => (page % 2 === 0 ? lose(page, read) : read()));
      let isDegraded = 0;
      for (const question of questions.slice(0, 8)) {
        const { hits, degraded } = await search(edition, question);
        for (const { text } of hits) expect(texts.has(text)).toBe(true);
        isDegraded += degraded?.includes('texts') ? 1 : 0;
        const { metadata } = await answerQuestion(edition, question, { retrieve, timeLeftMs: () => 60_000 });
        expect(metadata.degraded ?? ['texts']).toContain('texts');
      }
      expect(isDegraded).toBeGreaterThan(0);
    }
  });

  it('reads a page from the library when edition storage does not have a valid one', async () => {
    const { library, manifest, stored } = paged;
    const edition = await loadEdition(manifest, {
      parts: [
        { readPart: async (of, part) => (part < FIRST_PAGE ? stored.readPart(of, part) : new Uint8Array(9)) },
        { readPart: async ({ edition: id }, part) => library.editionPart(id, part) },
      ],
    });
    expect(await search(edition, questions[2] ?? '')).toEqual(await search(whole, questions[2] ?? ''));
  });

  it('answers at the deadline without missing pages, and with them the next time', async () => {
    const arrivals: (() => void)[] = [];
    const { edition } = await openPaged(async (_, read) => {
      await new Promise<void>((resolve) => arrivals.push(resolve));
      return read();
    });
    const hasty = createRetriever({ wordVectors: shippedWordVectors, deadlineMs: 1 });
    const { outcome, lacksTexts } = await hasty(edition, questions[3] ?? '');
    expect({ hits: outcome.hits, lacksTexts }).toEqual({ hits: [], lacksTexts: true });
    expect(arrivals.length).toBeGreaterThan(0);
    const message = questions[3] ?? '';
    const late = await retrieveKnowledge(
      { intent: 'general_info', message },
      { edition, retrieve: hasty, timeoutMs: 25 },
    );
    expect(late).toMatchObject({ sources_consulted: [], degraded: expect.arrayContaining(['timeout']) });
    for (const arrive of arrivals.splice(0)) arrive();
    await new Promise((resolve) => setImmediate(resolve));
    const { edition: ready } = await openPaged();
    expect((await retrieve(ready, message)).outcome.hits.length).toBeGreaterThan(0);
  });

  it('throws outside of readPages instead of returning an empty text', async () => {
    const { edition } = await openPaged();
    expect(() => edition.chunk(0)).toThrow(PagesMissing);
    expect(() => edition.headingPath(0)).not.toThrow();
    expect(edition.sampleTexts()).toEqual(whole.sampleTexts());
  });

  it('answers with a cache that is smaller than its pages', async () => {
    const requested: number[] = [];
    const readPart: EditionParts['readPart'] = async (manifest, part) => {
      if (part >= FIRST_PAGE) requested.push(part);
      return paged.stored.readPart(manifest, part);
    };
    const edition = await loadEdition(paged.manifest, { parts: [{ readPart }] }, pageCache(1));
    for (const question of questions.slice(0, 5)) {
      expect(await search(edition, question)).toEqual(await search(whole, question));
    }
    expect(requested.length).toBeGreaterThan(new Set(requested).size);
  });

  it('removes the pages of an edition with it', async () => {
    const { library, editionStorage, clock, manifest } = await published(0);
    host.articles.push(hostArticle('zz.md', 'One more.'));
    await syncNow(library, { full: true });
    host.articles.pop();
    expect(editionStorage.parts.has(partKey(manifest, FIRST_PAGE))).toBe(true);
    clock.now += 400_000;
    await library.work();
    expect([...editionStorage.parts.keys()].filter((key) => key.includes(manifest.edition))).toEqual([]);
    expect(library.editionPart(manifest.edition, FIRST_PAGE)).toBeUndefined();
  });
});
