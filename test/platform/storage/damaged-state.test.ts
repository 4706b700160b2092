import { describe, expect, it } from 'vitest';
import { sqlGapBook } from '../../../src/knowledge/gaps/sql-gap-book.ts';
import { sqlMemoryStore } from '../../../src/memory/store/sql-memory-store.ts';
import { sqlVectorIndex } from '../../../src/platform/storage/sql-vector-index.ts';
import { nodeSql } from '../../../tools/stand-ins/node-sql.ts';
import {
  editionOf,
  hostArticle,
  hostWith,
  libraryForTest,
  syncNow,
  workThrough,
} from '../../knowledge/library/library-for-test.ts';

const twoArticles = () => {
  const host = hostWith(
    ['a', 'b'].map((id) => hostArticle(`${id}.md`, `## Part\n\nText of ${id}.`)),
  );
  return { host, ...libraryForTest(host) };
};

/** A damaged or older value does not affect other values. */
describe('a library with damaged values', () => {
  const synced = async () => {
    const parts = twoArticles();
    await syncNow(parts.library);
    return parts;
  };
  const reopened = async ({
    host,
    sql,
    editionStorage,
    clock,
  }: Awaited<ReturnType<typeof synced>>) => {
    const parts = libraryForTest(host, { sql, editionStorage, clock });
    clock.now += 2000;
    await workThrough(parts, { withinMs: 1000 });
    const edition = await editionOf(parts.library);
    return {
      ...parts,
      texts: Array.from({ length: edition.chunkCount }, (_, at) => edition.chunk(at).text),
    };
  };
  const TEXTS = ['Text of a.', 'Text of b.'];
  it.each([
    ['labels', "UPDATE articles SET intents = '{', devices = '7'"],
    ['chunks', "UPDATE chunks SET chunks = '[[1,2' WHERE id = 'a.md'"],
    [
      'chunks of another version',
      `UPDATE chunks SET chunks = '[{"heading":"Part"}]' WHERE id = 'a.md'`,
    ],
    ['state', "UPDATE state SET value = 'nonsense'"],
    ['an invalid run', `INSERT OR REPLACE INTO state (name, value) VALUES ('run', '{"id":7}')`],
  ])('lists and publishes all articles: %s', async (_, damage) => {
    const before = await synced();
    before.sql.run(damage);
    const { library, sql } = await reopened(before);
    expect(library.listArticles({ limit: 10 }).articles).toMatchObject([
      { id: 'a.md' },
      { id: 'b.md' },
    ]);
    sql.run("UPDATE editions SET digest = ''");
    expect(await syncNow(library, { full: true })).toMatchObject({
      outcome: 'published',
      error: null,
    });
    expect((await reopened({ ...before, sql })).texts.sort()).toEqual(TEXTS);
  });
  it.each([
    ['a damaged manifest', "UPDATE editions SET manifest = '{'"],
    [
      'the layout of another version',
      "UPDATE editions SET manifest = json_set(manifest, '$.formatVersion', 1)",
    ],
  ])(
    'replaces a current edition that readers cannot open, without a sync: %s',
    async (_, damage) => {
      const before = await synced();
      before.sql.run(damage);
      const { library, texts, wakes } = await reopened(before);
      expect(wakes.length).toBeGreaterThan(0);
      expect(library.status(['*']).edition).toMatch(/^e000002-/);
      expect(texts.sort()).toEqual(TEXTS);
    },
  );
});

it('a sync skips an article whose fetched copy is damaged, and a full sync fetches it again', async () => {
  const { library, sql } = twoArticles();
  sql.run(`CREATE TRIGGER damage AFTER INSERT ON staged WHEN NEW.id = 'a.md'
    BEGIN UPDATE staged SET fields = '{' WHERE id = 'a.md'; END`);
  expect(await syncNow(library, { full: true })).toMatchObject({
    outcome: 'published',
    added: 1,
    skipped: [{ id: 'a.md', reason: expect.stringContaining('damaged') }],
  });
  sql.run('DROP TRIGGER damage');
  expect(await syncNow(library, { full: true })).toMatchObject({ added: 1, skipped: [] });
});

it('a damaged memory is not found, can be erased, and hides no other', async () => {
  const sql = nodeSql();
  const wordsOf = (text: string) => text.split(' ');
  const vectorsOf = (dimensions: number) =>
    sqlVectorIndex(sql, { namespace: 'memory', dimensions });
  const store = sqlMemoryStore(sql, { workspace: 'w', wordsOf, vectorsOf });
  const memory = (id: string) => ({
    id,
    workspace_id: 'w',
    type: 'fact',
    content: `A yak ${id}`,
    confidence: 1,
    created_at: '2026-11-01T10:00:00Z',
  });
  await store.put(memory('a'), { vector: [1, 0] });
  await store.put(memory('b'), {
    vector: [1, 0],
    relatedTo: [{ memory_id: 'a', type: 'follows' }],
  });
  sql.run(`UPDATE memories SET memory = '{"id":"a"}' WHERE id = 'a'`);
  sql.run("UPDATE vector_record SET metadata = '{' WHERE id = (SELECT max(id) FROM vector_record)");
  expect((await store.list('w', { limit: 9 })).memories).toEqual([memory('b')]);
  for (const query of [{ text: 'yak' }, {}, { vector: [1, 0], minConfidence: 0.5, text: 'yak' }])
    expect(await store.searchMemories('w', { limit: 9, ...query })).toMatchObject([
      { memory: { id: 'b' } },
    ]);
  expect(await store.relationshipsOf(['b'], 'w')).toEqual([[]]);
  expect(await store.get('w', 'a')).toBeUndefined();
  expect(await store.erase('w', ['a'])).toEqual(['a']);
});

it('a damaged gap is listed without its words and questions, and hides no other', () => {
  const sql = nodeSql();
  const ids = ['g-1', 'g-2'];
  const book = sqlGapBook(sql, { newId: () => ids.shift() ?? '' });
  for (const [at, word] of ['zigbee', 'yak'].entries()) {
    book.record({
      requestHash: word,
      by: 'svc:support',
      edition: 'e000001-00000000',
      nowMs: 1000 + at,
      query: { message: `${word}?`, subject: null, intent: 'x', product: null },
      gaps: [
        {
          kind: 'question',
          product: null,
          intent: 'x',
          gap: word,
          subject: { stems: [[word, 1]] },
        },
      ],
    });
  }
  sql.run(`UPDATE gaps SET stems = '["older"]' WHERE gap = 'zigbee'`);
  const listed = book.list({ state: 'all', limit: 9, nowMs: 0 }).gaps;
  expect(listed).toMatchObject([{ gap: 'zigbee?' }, { gap: 'yak?', example_queries: ['yak?'] }]);
  expect(book.records({ limit: 9 }).gaps).toMatchObject([{ stems: [] }, { stems: [['yak', 1]] }]);
  expect(book.toCheck('e000002-00000000', 9, 9000)).toHaveLength(2);
});
