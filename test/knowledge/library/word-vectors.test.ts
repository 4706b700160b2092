import { describe, expect, it } from 'vitest';
import { openWordVectors } from '../../../src/ai/embeddings/word-vectors.ts';
import { vectorsOf } from '../../../src/knowledge/edition/edition-vectors.ts';
import type { Library } from '../../../src/knowledge/library/library.ts';
import { shippedWordVectors } from '../../../tools/run/shipped-word-vectors.ts';
import { nodeSql } from '../../../tools/stand-ins/node-sql.ts';
import { fakeModel } from '../vectors-for-test.ts';
import {
  editionOf,
  hostArticle,
  hostWith,
  libraryForTest,
  syncNow,
  workThrough,
} from './library-for-test.ts';

const host = () =>
  hostWith([
    hostArticle('fans.md', 'The fan hums loudly when dust blocks it.'),
    hostArticle('pumps.md', 'A pump that leaks needs a new seal.'),
    hostArticle('qzxv.md', 'Qzxv wvvk.', { title: 'Qzxv' }),
  ]);

/** Articles by similarity of their chunks to a question; undefined without word vectors. */
const closestTo = async (library: Library, question: string): Promise<string[] | undefined> => {
  const edition = await editionOf(library);
  const vectors = vectorsOf(edition);
  const query = shippedWordVectors().vectorOfQuestion(question);
  if (vectors?.kind !== 'rows' || vectors.space.model !== 'static-words-2' || query === undefined)
    return undefined;
  const near = vectors.nearest(query, { limit: 10 });
  return near.map(({ chunk }) => edition.article(edition.chunk(chunk).article).id);
};

const wordVectors = shippedWordVectors;

describe('a library with a table of word vectors and no embedding model', () => {
  it('publishes a vector for every chunk with a known word, without counting them as embeddings', async () => {
    const { library } = libraryForTest(host(), { wordVectors });
    const report = await syncNow(library, { full: true });
    expect(report).toMatchObject({ outcome: 'published', embeddings: 0, warning_count: 0 });
    expect(await closestTo(library, 'noisy ventilator')).toEqual(['fans.md', 'pumps.md']);
    expect(await syncNow(library, { full: true })).toMatchObject({
      outcome: 'unchanged',
      writes: 0,
    });
  });
  it('publishes an article that was written with its vector at once', async () => {
    const parts = libraryForTest(host(), { wordVectors });
    await syncNow(parts.library, { full: true });
    const put = {
      title: '',
      url: 'https://kb.example/w',
      content: 'Wheels squeak without grease.',
      metadata: {},
    };
    await parts.library.writeArticle('wheels.md', put);
    await workThrough(parts);
    expect((await closestTo(parts.library, 'lubricate the axle'))?.[0]).toBe('wheels.md');
  });
  it('publishes again when the table is added, when an embedding model is added, and when that is removed', async () => {
    const sql = nodeSql();
    const publishedWith = async (options: Parameters<typeof libraryForTest>[1]) => {
      const { library } = libraryForTest(host(), { ...options, sql });
      await syncNow(library, { full: true });
      return vectorsOf(await editionOf(library))?.space.model;
    };
    expect(await publishedWith({})).toBeUndefined();
    expect(await publishedWith({ wordVectors })).toBe('static-words-2');
    expect(await publishedWith({ wordVectors, embedding: { provider: fakeModel() } })).toBe('fake');
    expect(await publishedWith({ wordVectors })).toBe('static-words-2');
  });
  it('keeps the edition and reports why when the table cannot be read', async () => {
    const sql = nodeSql();
    const { library } = libraryForTest(host(), { sql, wordVectors });
    await syncNow(library, { full: true });
    const before = library.currentEdition()?.edition;
    const changed = host();
    changed.articles.push(hostArticle('wheels.md', 'Wheels squeak.'));
    const damaged = libraryForTest(changed, {
      sql,
      wordVectors: () => openWordVectors(new Uint8Array(9)),
    });
    await damaged.library.startSync({ full: true });
    await workThrough(damaged, { withinMs: 60_000 });
    expect(damaged.library.currentEdition()?.edition).toBe(before);
    expect(String(damaged.faults[0])).toContain('Cannot read the table of word vectors');
  });
});
