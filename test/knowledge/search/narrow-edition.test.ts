import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { audiencesIn, editionFor } from '../../../src/knowledge/edition/current-edition.ts';
import type { Edition } from '../../../src/knowledge/edition/open-edition.ts';
import { findTerm, findWord } from '../../../src/knowledge/edition/open-index.ts';
import { searchEdition } from '../../../src/knowledge/search/search-edition.ts';
import { mayRead } from '../../../src/platform/context/capabilities.ts';
import { editionOf, type Sketch } from './edition-fixture.ts';

const article = (
  id: string,
  audiences: string[] | undefined,
  text: string,
  more: Partial<Sketch> = {},
): Sketch => ({
  id,
  title: `Title of ${id}`,
  ...(audiences === undefined ? {} : { audiences }),
  sections: [{ text, heading: ['Shared heading', id] }],
  ...more,
});

const EDITION = editionOf(
  article('a', ['staff'], 'The zirconium furnace heats the pump.', {
    devices: ['Furnace'],
    intents: ['heating'],
  }),
  article('b', undefined, 'The pump stands beside a bench.', { devices: ['Pump'] }),
  article('c', ['staff', 'sales'], 'The pump costs ninety dollars.', { devices: ['Pump'] }),
  article('d', ['legal'], 'The contract names the pump and the zirconium supplier.'),
  article('e', undefined, 'A bench is made of oak.'),
);

describe('editionFor()', () => {
  it.each([
    [[], 'b e'],
    [['sales'], 'b c e'],
    [['staff'], 'a b c e'],
    [['legal'], 'b d e'],
    [['staff', 'legal'], 'a b c d e'],
    [['*'], 'a b c d e'],
    [['other'], 'b e'],
  ])('contains for the audiences %j the articles %s', (audiences, ids) => {
    const edition = editionFor(EDITION, audiences);
    const contained = Array.from(
      { length: edition.articleCount },
      (_, at) => edition.article(at).id,
    );
    expect(contained.join(' ')).toBe(ids);
  });
  it('returns the edition itself when all may be read, and one edition for callers with the same access', () => {
    expect(editionFor(EDITION, ['*'])).toBe(EDITION);
    expect(editionFor(EDITION, ['other'])).toBe(editionFor(EDITION, []));
    const open = editionOf(article('a', undefined, 'For all.'));
    expect(editionFor(open, [])).toBe(open);
    expect(open.section('word.sets')).toBeUndefined();
  });
  it('contains no words, terms, devices, intents or ids of other articles', () => {
    const open = editionFor(EDITION, []);
    for (const word of ['zirconium', 'furnace', 'dollars', 'contract']) {
      expect(findWord(open.index, word), word).toBe(-1);
      expect(searchEdition(open, word).query.terms[0], word).toMatchObject({
        isKnown: false,
        postings: [],
      });
    }
    expect(findTerm(open.index, 'furnac')).toBe(-1);
    expect(open.devices()).toEqual(['pump']);
    expect([...open.articlesTagged('device', 'pump')].map((at) => open.article(at).id)).toEqual([
      'b',
    ]);
    expect([...open.articlesTagged('intent', 'heating')]).toEqual([]);
    expect([open.findArticle('a'), open.findArticle('e')]).toEqual([-1, 1]);
    expect(() => open.article(2)).toThrow(RangeError);
    expect(() => open.chunk(2)).toThrow(RangeError);
  });
  it('does not correct a misspelling to a word of other articles', () => {
    const corrections = (audiences: string[], query: string) =>
      searchEdition(editionFor(EDITION, audiences), query).query.terms.flatMap(
        (term) => term.corrections,
      );
    expect(corrections([], 'zirconum furnase')).toEqual([]);
    expect(corrections(['staff'], 'zirconum')).toEqual(['zirconium']);
  });
  it('has the words of its articles alone, also with more than thirty lists of audiences', () => {
    const sketches = Array.from({ length: 40 }, (_, at) =>
      article(
        `n${10 + at}`,
        [`group${at}`],
        `Only word${'abcdefghijklmnopqrstuvwxyz'[at % 26]}${at}x here.`,
      ),
    );
    const edition = editionOf(...sketches);
    const { index } = editionFor(edition, ['group39', 'group3']);
    const isKnown = ['wordd3x', 'wordn39x', 'wordm38x'].map((word) => findWord(index, word) >= 0);
    expect(isKnown).toEqual([true, true, false]);
    expect(searchEdition(editionFor(edition, ['group39']), 'only here').hits).toHaveLength(1);
  });
  it('finds the same as an edition that is built from its articles only', () => {
    const words = ['pump', 'bench', 'oak', 'furnace', 'filter', 'valve', 'lamp'];
    const audience = fc.option(fc.subarray(['a', 'b', 'c'], { minLength: 1 }), { nil: undefined });
    const drawn = fc.tuple(
      audience,
      fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 8 }),
    );
    const texts = fc.array(drawn, { minLength: 1, maxLength: 12 });
    const found = (edition: Edition, words: string[]) => {
      const { hits, query } = searchEdition(edition, words.join(' '));
      const shown = hits.map(({ article, chunk }) => [
        ...[edition.article(article).id, edition.chunk(chunk).text, edition.headingPath(chunk)],
      ]);
      const terms = query.terms.map(({ word, isKnown, idf, chunkCount }) => [
        word,
        isKnown,
        idf,
        chunkCount,
      ]);
      return { hits: new Set(shown), terms, counts: [edition.articleCount, edition.chunkCount] };
    };
    const property = fc.property(
      ...[texts, fc.subarray(['a', 'b', 'c']), fc.subarray(words, { minLength: 1 })],
      (all, held, query) => {
        const sketches = all.map(([audiences, text], at) =>
          article(`t${10 + at}`, audiences, text.join(' ')),
        );
        const alone = editionOf(...sketches.filter(({ audiences }) => mayRead(held, audiences)));
        expect(found(editionFor(editionOf(...sketches), held), query)).toEqual(found(alone, query));
      },
    );
    fc.assert(property, { numRuns: 100 });
  });
});

it('audiencesIn() returns those of the caller, or none when no article has an audience', () => {
  expect(audiencesIn(editionFor(EDITION, ['sales']), ['sales'])).toEqual(['sales']);
  expect(audiencesIn(editionOf(article('a', undefined, 'For all.')), ['sales'])).toEqual([]);
});
