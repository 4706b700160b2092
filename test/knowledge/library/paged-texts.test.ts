import { beforeAll, describe, expect, it } from 'vitest';
import { drawQuestions, growCorpus, readBenchArticles } from '../../../research/bench/corpus.ts';
import { loadEdition, pageCache } from '../../../src/knowledge/edition/edition-reader.ts';
import type { Edition } from '../../../src/knowledge/edition/open-edition.ts';
import { attachRepeatedBlocks } from '../../../src/knowledge/edition/repeated-blocks.ts';
import { createRetriever, searchKnowledge } from '../../../src/knowledge/search/retrieve.ts';
import { answerQuestion } from '../../../src/librarians/navigator/answer-question.ts';
import {
  type EditionParts,
  FIRST_PAGE,
  partKey,
} from '../../../src/platform/storage/edition-storage.ts';
import { retrieveKnowledge } from '../../../src/support/retrieval/retrieve-knowledge.ts';
import { shippedWordVectors } from '../../../tools/run/shipped-word-vectors.ts';
import { hostArticle, hostWith, libraryForTest, syncNow } from './library-for-test.ts';

/** About 14 pages. */
const CHUNKS = 2400;

const listed = [...growCorpus(readBenchArticles(undefined).articles, CHUNKS)].map(
  ({ article, chunks }) => {
    const sections = chunks.map(
      ({ headingPath, text }) => `## ${headingPath.at(-1) ?? 'Part'}\n\n${text}`,
    );
    return hostArticle(article.id, sections.join('\n\n'), { title: article.title });
  },
);

const published = async (pagedFromBytes: number) => {
  const host = hostWith([...listed]);
  const parts = libraryForTest(host, {
    pagedFromBytes,
    wordVectors: shippedWordVectors,
    complete: attachRepeatedBlocks,
  });
  expect(await syncNow(parts.library)).toMatchObject({ outcome: 'published', error: null });
  const manifest = parts.library.currentEdition();
  if (manifest === undefined) throw new Error('There is no edition');
  const readPart: ReadPart = async (_, part) =>
    parts.editionStorage.parts.get(partKey(manifest, part));
  return { ...parts, host, manifest, readPart };
};

type ReadPart = EditionParts['readPart'];
type Page = ReturnType<ReadPart>;
let paged: Awaited<ReturnType<typeof published>>;
let whole: Edition;
let texts: string[];
let questions: string[];

/** The edition with pages, and the numbers of the pages that were requested. */
const openPaged = async (
  readPage: (page: number, read: () => Page) => Page = (_, read) => read(),
  cache?: ReturnType<typeof pageCache>,
) => {
  const requested: number[] = [];
  const readPart: ReadPart = async (manifest, part) => {
    const read = () => paged.readPart(manifest, part);
    if (part < FIRST_PAGE) return read();
    requested.push(part - FIRST_PAGE);
    return readPage(part - FIRST_PAGE, read);
  };
  return {
    edition: await loadEdition(paged.manifest, { parts: [{ readPart }] }, cache),
    requested,
  };
};

const retrieve = createRetriever({ wordVectors: shippedWordVectors, deadlineMs: 60_000 });
const search = (edition: Edition, query: string) =>
  searchKnowledge(edition, { query, limit: 10 }, { retrieve });

beforeAll(async () => {
  paged = await published(0);
  const all = await published(Number.POSITIVE_INFINITY);
  whole = await loadEdition(all.manifest, { parts: [all] });
  texts = Array.from({ length: whole.chunkCount }, (_, at) => whole.chunk(at).text);
  questions = drawQuestions(texts, 25);
});

describe('an edition whose texts are on pages', () => {
  it('has the pages in edition storage and in the library, and a smaller index', () => {
    const { library, editionStorage, manifest } = paged;
    expect(manifest.pages).toBeGreaterThan(8);
    expect(manifest.bytes).toBeLessThan(whole.byteLength / 1.5);
    for (let part = FIRST_PAGE; part < FIRST_PAGE + (manifest.pages ?? 0); part++) {
      const stored = editionStorage.parts.get(partKey(manifest, part));
      expect(library.editionPart(manifest.edition, part)).toEqual(stored);
    }
  });
  it('gives the same results and answers as an edition in memory', async () => {
    const { edition, requested } = await openPaged();
    expect(requested).toEqual([]);
    for (const question of questions) {
      expect(await search(edition, question)).toEqual(await search(whole, question));
      const options = { retrieve, wordVectors: shippedWordVectors, timeLeftMs: () => 60_000 };
      expect(await answerQuestion(edition, question, options)).toEqual(
        await answerQuestion(whole, question, options),
      );
      const ticket = {
        intent: 'general_info',
        message: `${question}. It did not work. ${questions[0]}`,
      };
      const [one, other] = await Promise.all(
        [edition, whole].map((each) =>
          retrieveKnowledge(ticket, { edition: each, retrieve, now: () => 0 }),
        ),
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
  it.each<[string, (page: number, read: () => Page) => Page]>([
    ['missing', async () => undefined],
    ['damaged', async (_, read) => (await read())?.map((byte) => byte ^ 1)],
    [
      'valid at another position',
      async (page) => paged.readPart(paged.manifest, FIRST_PAGE + page + 1),
    ],
  ])('omits results on pages that are %s, reports it, and shows no wrong text', async (_, lose) => {
    const { edition } = await openPaged((page, read) =>
      page % 2 === 0 ? lose(page, read) : read(),
    );
    const reports: boolean[] = [];
    for (const question of questions.slice(0, 8)) {
      const { hits, degraded } = await search(edition, question);
      for (const { text } of hits) expect(texts).toContain(text);
      reports.push(degraded?.includes('texts') === true);
      const { metadata } = await answerQuestion(edition, question, {
        retrieve,
        timeLeftMs: () => 60_000,
      });
      expect(metadata.degraded ?? ['texts']).toContain('texts');
    }
    expect(reports).toContain(true);
  });
  it('reads a page from the library when edition storage does not have a valid one', async () => {
    const { library, manifest } = paged;
    const readPart: ReadPart = async (of, part) =>
      part < FIRST_PAGE ? paged.readPart(of, part) : new Uint8Array(9);
    const fromLibrary: ReadPart = async ({ edition }, part) => library.editionPart(edition, part);
    const edition = await loadEdition(manifest, {
      parts: [{ readPart }, { readPart: fromLibrary }],
    });
    expect(await search(edition, questions[2] ?? '')).toEqual(
      await search(whole, questions[2] ?? ''),
    );
  });
  it('answers at the deadline without missing pages, and with them the next time', async () => {
    const arrivals: (() => void)[] = [];
    const { edition } = await openPaged(async (_, read) => {
      await new Promise<void>((resolve) => arrivals.push(resolve));
      return read();
    });
    const hasty = createRetriever({ wordVectors: shippedWordVectors, deadlineMs: 1 });
    const message = questions[3] ?? '';
    const { outcome, lacksTexts } = await hasty(edition, message);
    expect({ hits: outcome.hits, lacksTexts }).toEqual({ hits: [], lacksTexts: true });
    expect(arrivals.length).toBeGreaterThan(0);
    const ticket = { intent: 'general_info', message };
    const late = await retrieveKnowledge(ticket, { edition, retrieve: hasty, timeoutMs: 25 });
    expect(late).toMatchObject({
      sources_consulted: [],
      degraded: expect.arrayContaining(['timeout']),
    });
    for (const arrive of arrivals.splice(0)) arrive();
    await new Promise((resolve) => setImmediate(resolve));
    const { edition: ready } = await openPaged();
    expect((await retrieve(ready, message)).outcome.hits.length).toBeGreaterThan(0);
  });
  it('throws outside of readPages instead of returning an empty text', async () => {
    const { edition } = await openPaged();
    expect(() => edition.chunk(0)).toThrow(/the texts: they could not be read/);
    expect(() => edition.headingPath(0)).not.toThrow();
  });
  it('answers with a cache that is smaller than its pages', async () => {
    const { edition, requested } = await openPaged(undefined, pageCache(1));
    for (const question of questions.slice(0, 5))
      expect(await search(edition, question)).toEqual(await search(whole, question));
    expect(requested.length).toBeGreaterThan(new Set(requested).size);
  });
  it('removes the pages of an edition with it', async () => {
    const { library, editionStorage, clock, manifest, host } = await published(0);
    host.articles.push(hostArticle('zz.md', 'One more.'));
    await syncNow(library, { full: true });
    expect(editionStorage.parts.has(partKey(manifest, FIRST_PAGE))).toBe(true);
    clock.now += 400_000;
    await library.work();
    expect(
      [...editionStorage.parts.keys()].filter((key) => key.includes(manifest.edition)),
    ).toEqual([]);
    expect(library.editionPart(manifest.edition, FIRST_PAGE)).toBeUndefined();
  });
});
