import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { buildEdition } from '../../../src/knowledge/edition/build-edition.ts';
import { openEdition } from '../../../src/knowledge/edition/open-edition.ts';
import { type EditionIndex, readPostings } from '../../../src/knowledge/edition/open-index.ts';
import { entryText } from '../../../src/knowledge/edition/text-table.ts';
import { STOP_WORDS, wordsOf } from '../../../src/language/analyse-text.ts';
import { stem } from '../../../src/language/stem.ts';
import { entryOf, IDENTITY, type Sketch } from '../search/edition-fixture.ts';

const WORDS = ['fan', 'Fans', 'reset', 'the', 'Apollo', 'hash-rate', '重置', 'PowerSupply', '\n'];
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.array(fc.constantFrom(...WORDS), { maxLength: 30 }).map((words) => words.join(' ')),
);
const sketch: fc.Arbitrary<Sketch> = fc.record({
  id: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  title: text,
  url: fc.webUrl(),
  author: fc.constantFrom('Ada', 'Grace'),
  intents: fc.uniqueArray(fc.constantFrom('setup', 'Repair', 'refund'), { maxLength: 3 }),
  devices: fc.uniqueArray(fc.constantFrom('Apollo III', 'Apollo BTC'), { maxLength: 2 }),
  sections: fc.array(fc.record({ heading: fc.array(text, { maxLength: 3 }), text }), {
    maxLength: 4,
  }),
});
const drawnEntries = fc
  .uniqueArray(sketch, { maxLength: 6, selector: ({ id }) => id.toWellFormed() })
  .map((drawn) => drawn.map(entryOf));

/** The chunks with each term. */
const postingsIn = (index: EditionIndex): Map<string, number[]> => {
  const chunksOf = (term: number) => {
    const chunks: number[] = [];
    readPostings(index, term, (chunk) => chunks.push(chunk));
    return chunks;
  };
  return new Map(
    Array.from({ length: index.terms.count }, (_, at) => [
      entryText(index.terms, at),
      chunksOf(at),
    ]),
  );
};

it('returns every article and chunk unchanged, and counts the chunks of each term', () => {
  const property = fc.property(drawnEntries, (entries) => {
    const edition = openEdition(buildEdition(entries, IDENTITY));
    // Words at random may look like another language.
    fc.pre(edition.languages.every((language) => language === 'en'));
    expect(edition).toMatchObject({ ...IDENTITY, articleCount: entries.length });
    const expected = new Map<string, number>();
    for (const { article, chunks } of entries) {
      const found = edition.article(edition.findArticle(article.id));
      const { text: _, ...known } = article;
      expect(found).toMatchObject(known);
      const read = chunks.map((_chunk, at) => edition.chunk(found.firstChunk + at));
      expect(read).toMatchObject(
        chunks.map(({ articleId: _id, position: _at, tokenCount: _count, ...chunk }) => chunk),
      );
      expect(found.endChunk - found.firstChunk).toBe(chunks.length);
      for (const chunk of chunks) {
        const fields = [
          article.title,
          ...article.intents,
          ...article.devices,
          ...chunk.headingPath,
          chunk.text,
        ];
        const terms = new Set(fields.flatMap(wordsOf).map(stem));
        for (const term of terms)
          if (!STOP_WORDS.has(term)) expected.set(term, (expected.get(term) ?? 0) + 1);
      }
    }
    const counted = [...postingsIn(edition.index)].map(
      ([term, { length }]) => [term, length] as const,
    );
    // Articles in other languages keep the common words of English.
    expect(new Map(counted.filter(([term, count]) => count > 0 && !STOP_WORDS.has(term)))).toEqual(
      expected,
    );
  });
  fc.assert(property);
});
it('builds the same bytes for any order of the articles, and from a generator', () => {
  const property = fc.property(drawnEntries, (entries) => {
    const bytes = buildEdition(entries, IDENTITY);
    expect(buildEdition(entries.toReversed(), IDENTITY)).toEqual(bytes);
    expect(buildEdition(entries.values(), IDENTITY)).toEqual(bytes);
  });
  fc.assert(property, { numRuns: 30 });
});
it('refuses two articles with the same id', () => {
  const entry = entryOf({ id: 'a', sections: [{ text: 'fan' }] });
  expect(() => buildEdition([entry, entry], IDENTITY)).toThrow(RangeError);
});
it('throws when a text changes between the two passes', () => {
  let readings = 0;
  const entries = {
    *[Symbol.iterator]() {
      readings++;
      yield entryOf({ id: 'a', sections: [{ text: readings <= 2 ? 'fan' : 'a longer text' }] });
    },
  };
  expect(() => buildEdition(entries, IDENTITY)).toThrow('changed meanwhile');
  expect(readings).toBe(3);
});
it('stores chunk numbers of any size', () => {
  const sections = Array.from({ length: 65_600 }, (_, at) => ({
    text: at === 65_599 ? 'needle' : 'straw',
  }));
  const edition = openEdition(buildEdition([entryOf({ id: 'a', title: '', sections })], IDENTITY));
  const postings = postingsIn(edition.index);
  expect(postings.get(stem('needle'))).toEqual([65_599]);
  expect(postings.get(stem('straw'))).toEqual(Array.from({ length: 65_599 }, (_, at) => at));
  expect(edition.chunk(65_599).text).toBe('needle');
});
it('needs at most 120 bytes of memory for each of 100,000 different words', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void; // exposed by the flag above
  const liveBytes = (): number => {
    for (let times = 0; times < 2; times++) collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const wordOf = (at: number) =>
    `word${[...String(at)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}`;
  const pageOf = (page: number) => {
    const words = Array.from({ length: 100 }, (_, at) => wordOf(page * 100 + at));
    return entryOf({ id: String(1000 + page), title: '', sections: [{ text: words.join(' ') }] });
  };
  let [before, after] = [0, 0];
  const entries = {
    *[Symbol.iterator]() {
      yield pageOf(0);
      before = liveBytes();
      for (let page = 1; page < 1000; page++) yield pageOf(page);
      after = liveBytes();
    },
  };
  // The build ends after the first pass, as pages cannot be read again.
  const pages = { write: () => undefined, read: () => undefined };
  expect(() => buildEdition(entries, IDENTITY, { pages })).toThrow('a page has gone');
  expect((after - before) / 100_000).toBeLessThan(120);
});
it('builds an empty edition', () => {
  const edition = openEdition(buildEdition([], IDENTITY));
  expect(edition).toMatchObject({ articleCount: 0, chunkCount: 0 });
  expect(edition.findArticle('a')).toBe(-1);
  expect(() => edition.chunk(0)).toThrow(RangeError);
  expect(() => edition.article(0)).toThrow(RangeError);
});
