import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildEdition } from '../../../src/knowledge/edition/build-edition.ts';
import { openEdition } from '../../../src/knowledge/edition/open-edition.ts';
import { compareByBytes } from '../../../src/knowledge/edition/text-table.ts';
import { articleHash } from '../../../src/knowledge/large/passage-record.ts';
import { domainProbability } from '../../../src/knowledge/search/relevance.ts';
import { createRetriever } from '../../../src/knowledge/search/retrieve.ts';
import { type SearchOutcome, searchEdition } from '../../../src/knowledge/search/search-edition.ts';
import { StoreUnavailable } from '../../../src/platform/storage/store-unavailable.ts';
import { meetsFilter, type VectorFilter } from '../../../src/platform/storage/vector-index.ts';
import { entryOf, IDENTITY, type Sketch } from '../search/edition-fixture.ts';
import { indexOfAll, largeEditionOf, readerOf, recordsOf } from './large-base.ts';

const WORDS = [
  ...['printer', 'network', 'password', 'reset', 'router', 'invoice', 'shipping', 'warranty'],
  ...['calibrate', 'E-4711', 'F07', 'pumped', 'pumping', 'pump', 'the', 'how', 'wireless'],
];
const words = (most: number) =>
  fc
    .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: most })
    .map((all) => all.join(' '));
const sketches: fc.Arbitrary<Sketch[]> = fc.uniqueArray(
  fc.record({
    id: fc.string({ minLength: 1, maxLength: 4 }),
    title: words(3),
    devices: fc.subarray(['Apollo', 'Nano']),
    sections: fc.array(
      fc.record({ heading: fc.array(words(2), { maxLength: 2 }), text: words(12) }),
      { minLength: 1, maxLength: 3 },
    ),
  }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 6 },
);

const summary = ({ hits, query, quality }: SearchOutcome, idOf: (hit: number) => string) => ({
  hits: hits.map(({ chunk, score }) => [idOf(chunk), score.toFixed(4)]),
  terms: query.terms.map(({ word, corrections, chunkCount }) => [word, corrections, chunkCount]),
  total: query.total.toFixed(6),
  quality: quality.toFixed(6),
});

describe('an edition of hits', () => {
  it('gives what the whole edition gives, where all that match are hits', async () => {
    await fc.assert(
      fc.asyncProperty(sketches, words(5), async (drawn, question) => {
        const entries = drawn
          .toSorted((one, other) => compareByBytes(one.id, other.id))
          .map(entryOf);
        const whole = openEdition(buildEdition(entries, IDENTITY));
        const read = readerOf(largeEditionOf(entries), indexOfAll(await recordsOf(entries)));
        const hits = await read([{ question }]);
        const of = (edition: typeof whole) =>
          summary(searchEdition(edition, question), (at) => {
            const { article, start } = edition.chunk(at);
            return `${edition.article(article).id} ${start}`;
          });
        expect(of(hits)).toEqual(of(whole));
        const domain = (edition: typeof whole) =>
          domainProbability(edition, searchEdition(edition, question));
        // Words of a heading count for each passage below it, in a whole edition once.
        expect(domain(hits)).toBeCloseTo(domain(whole), 2);
      }),
    );
  });

  const texts = ['reset the router', 'router warranty', 'reset a password', 'reset again'];
  const base = texts.map((text, at) => entryOf({ id: `a${at}`, title: '', sections: [{ text }] }));

  it('keeps the document frequencies of all passages, of which it has few', async () => {
    const records = (await recordsOf(base)).slice(0, 1);
    const hits = await readerOf(
      largeEditionOf(base),
      indexOfAll(records),
    )([{ question: 'reset the pasword' }]);
    const { query } = searchEdition(hits, 'reset the pasword');
    expect(hits.chunkCount).toBe(1);
    expect(query.terms[0]).toMatchObject({ word: 'reset', chunkCount: 3 });
  });

  it('corrects a word that no hit has, by what everybody may read', async () => {
    const known = base.map(({ article }, at) =>
      entryOf({ id: article.id, title: 'password', sections: [{ text: texts[at] ?? '' }] }),
    );
    const other = await recordsOf([entryOf({ id: 'x', sections: [{ text: 'nothing' }] })]);
    const read = readerOf(largeEditionOf(known), indexOfAll(other));
    const { query } = searchEdition(await read([{ question: 'pasword' }]), 'pasword');
    expect(query.terms[0]?.corrections).toEqual(['password']);
    const restricted = known.map(({ article, chunks }) => ({
      article: { ...article, audiences: ['staff'] },
      chunks,
    }));
    const hidden = readerOf(largeEditionOf(restricted), indexOfAll(other));
    const found = searchEdition(
      await hidden([{ question: 'pasword' }], { audiences: ['staff'] }),
      'pasword',
    );
    expect(found.query.terms[0]?.corrections).toEqual([]);
  });

  it.each([
    ['born later', { born: 2 }, {}, false],
    ['dead', {}, { tombstones: { [articleHash('a0')]: 2 } }, false],
    [
      'written again after its tombstone',
      { born: 2 },
      { number: 2, tombstones: { [articleHash('a0')]: 2 } },
      true,
    ],
    ['for an audience', { audienceList: 1 }, { audienceLists: [[], ['staff']] }, false],
    ['of no list', { audienceList: 7 }, {}, false],
    ['signed by another key', { key: 'cd'.repeat(32) }, {}, false],
    ['as it should be', {}, {}, true],
  ])('shows a passage that is %s: %#', async (_, record, manifest, isShown) => {
    const one = base.slice(0, 1);
    const read = readerOf(largeEditionOf(base, manifest), indexOfAll(await recordsOf(one, record)));
    expect((await read([{ question: 'router' }])).chunkCount).toBe(isShown ? 1 : 0);
  });

  it('shows no passage whose text or metadata was changed in the index', async () => {
    const [record] = await recordsOf(base.slice(0, 1));
    if (record === undefined) throw new Error('no record');
    const changed = { ...record, data: record.data.replace('reset', 'smash') };
    const count = async (each: typeof record) =>
      (await readerOf(largeEditionOf(base), indexOfAll([each]))([{ question: 'reset' }]))
        .chunkCount;
    expect([await count(record), await count(changed)]).toEqual([1, 0]);
    // What decides is in the data, which the id vouches for.
    const later = { ...record, data: record.data.replace('"b":1', '"b":2') };
    expect(await count(later)).toBe(0);
  });

  it('has the cosines of the index for each search, and at most 60 passages', async () => {
    const many = Array.from({ length: 90 }, (_, at) =>
      entryOf({ id: `m${at}`, sections: [{ text: `router ${at}` }] }),
    );
    const records = await recordsOf(many);
    const hits = records.map(({ id, data, metadata }, at) => ({
      id,
      data,
      metadata,
      score: 1 - at / 100,
    }));
    const index = {
      query: async (queries: readonly unknown[]) =>
        queries.map((_, list) => hits.slice(list * 20, list * 20 + 20)),
    };
    const read = readerOf(largeEditionOf(many), index);
    const edition = await read([{ question: 'router' }, { question: 'reset router' }]);
    expect(edition.chunkCount).toBe(60);
    const near = edition.meanings?.('router');
    expect(near).toMatchObject({ near: { length: 15, 0: { similarity: expect.closeTo(0.8, 1) } } });
    expect(edition.meanings?.('another')).toBeUndefined();
  });

  it('is made once for the same searches, and again for another edition', async () => {
    let asked = 0;
    const records = await recordsOf(base);
    const index = {
      query: (queries: readonly unknown[]) => {
        asked += 1;
        return indexOfAll(records).query(queries as never, { limit: 1 });
      },
    };
    const read = readerOf(largeEditionOf(base), index);
    const first = await read([{ question: 'router' }]);
    expect(await read([{ question: 'router' }])).toBe(first);
    await read([{ question: 'router' }], { audiences: ['staff'] });
    await read([{ question: 'reset' }]);
    expect(asked).toBe(2);
  });

  it('compares the vectors of a model, and words alone when its vector is late', async () => {
    const records = await recordsOf(base);
    const space = { model: 'm', dimensions: 2 };
    const edition = () => largeEditionOf(base, { space });
    const asked: unknown[] = [];
    const index = {
      query: (queries: readonly unknown[]) => {
        asked.push(queries);
        return indexOfAll(records).query(queries as never, { limit: 1 });
      },
    };
    const search = [{ question: 'router' }];
    const hits = await readerOf(edition(), index, async () => ({ ...space, vector: [3, 4] }))(
      search,
    );
    expect(asked[0]).toMatchObject([{ sparse: {} }, { dense: [3, 4] }]);
    expect(hits.meanings?.('router')).toMatchObject({ model: 'm', near: { 0: { similarity: 1 } } });
    const late = await readerOf(edition(), index, () => new Promise(() => undefined))(search);
    expect(asked[1]).toHaveLength(1);
    expect(late.meanings?.('router')).toBe('late');
    const found = await createRetriever({})(late, 'router');
    expect([found.semantic, found.outcome.hits.length]).toEqual(['late', 2]);
  });

  it('hands intent, device and article on to the index', async () => {
    let filter: unknown;
    const index = {
      query: async (_: unknown, options: { filter?: unknown }) => {
        filter = options.filter;
        return [[], []];
      },
    };
    const wanted = { intent: 'Setup', device: 'nano', articleId: 'a/1' };
    await readerOf(largeEditionOf(base), index)([{ question: 'router' }], { filter: wanted });
    const [entry] = await recordsOf([
      entryOf({ id: 'a/1', intents: ['setup'], devices: ['Nano'], sections: [{ text: 'x' }] }),
    ]);
    const other = await recordsOf(base);
    const meets = (record = entry) => meetsFilter(record?.metadata, filter as VectorFilter);
    expect([meets(), meets(other[0])]).toEqual([true, false]);
    expect(filter).toHaveLength(4);
  });

  it('refuses what names no searches, and answers whole editions as they are', async () => {
    const read = readerOf(largeEditionOf(base), indexOfAll([]));
    await expect(read([])).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    const whole = openEdition(buildEdition(base, IDENTITY));
    expect(await readerOf(whole, indexOfAll([]))([])).toBe(whole);
  });

  it('fails as SERVICE_UNAVAILABLE when the index fails, and no longer asks after three failures', async () => {
    let asked = 0;
    const index = {
      query: async () => {
        asked += 1;
        throw new StoreUnavailable('unavailable', 'down');
      },
    };
    const read = readerOf(largeEditionOf(base), index);
    for (let at = 0; at < 5; at++)
      await expect(read([{ question: `router ${at}` }])).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
      });
    // Each attempt is made twice.
    expect(asked).toBe(6);
  });

  it('sends a second request when the first gets no answer, and takes whichever answers', async () => {
    const records = await recordsOf(base);
    const signals: AbortSignal[] = [];
    const index = {
      query: (queries: readonly unknown[], { signal }: { signal?: AbortSignal }) => {
        if (signal) signals.push(signal);
        return signals.length === 1
          ? new Promise<never>(() => undefined)
          : indexOfAll(records).query(queries as never, { limit: 1 });
      },
    };
    const hits = await readerOf(largeEditionOf(base), index as never)([{ question: 'router' }]);
    expect(hits.chunkCount).toBe(4);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });
});
