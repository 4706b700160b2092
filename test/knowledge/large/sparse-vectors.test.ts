import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_NON_ZEROS } from '../../../src/knowledge/large/hybrid-index.ts';
import { lexiconOf } from '../../../src/knowledge/large/lexicon.ts';
import { hash31 } from '../../../src/knowledge/large/passage-record.ts';
import { sparseQueryOf, sparseVectorsOf } from '../../../src/knowledge/large/sparse-vectors.ts';
import { analyseQuery } from '../../../src/knowledge/search/analyse-query.ts';
import { stem } from '../../../src/language/stem.ts';
import { entryOf } from '../search/edition-fixture.ts';
import { largeEditionOf } from './large-base.ts';

const vectorOf = (text: string, title = '') =>
  sparseVectorsOf(entryOf({ id: 'a', title, sections: [{ text }] }), 'en')[0];
const weightOf = (vector: ReturnType<typeof vectorOf>, word: string) =>
  vector?.values[vector.indices.indexOf(hash31(stem(word)))];

describe('the sparse vector of a passage', () => {
  it('has ascending indices and a weight above 0 and at most k1 + 1 for each stem', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        const { indices = [], values = [] } = vectorOf(text) ?? {};
        expect(indices.length).toBe(values.length);
        expect(
          indices.every((index, at) => index >= 0 && (at === 0 || index > (indices[at - 1] ?? 0))),
        ).toBe(true);
        expect(values.every((value) => value > 0 && value <= 2.2)).toBe(true);
      }),
    );
  });
  it('keeps the largest weights of a passage with more stems than an index takes', () => {
    const words = Array.from({ length: 1500 }, (_, at) => `w${at.toString(36)}x`);
    const vector = vectorOf([...words, ...Array(20).fill('router')].join(' '));
    expect(vector?.indices).toHaveLength(MAX_NON_ZEROS);
    expect(weightOf(vector, 'router')).toBeGreaterThan(1);
  });
  it('weighs a word of the title more, and one more that is repeated or stands in a short text', () => {
    const [plain, titled] = [vectorOf('router setup'), vectorOf('router setup', 'router')];
    const repeated = vectorOf('router router setup');
    const long = vectorOf(`router setup ${'printer cable tray '.repeat(60)}`);
    const weights = [long, plain, repeated, titled].map(
      (vector) => weightOf(vector, 'router') ?? 0,
    );
    expect(weights).toEqual(weights.toSorted((one, other) => one - other));
    expect(new Set(weights).size).toBe(4);
  });
});

describe('the lexicon and the sparse vector of a question', () => {
  const texts = [
    'reset the router',
    'reset the password',
    'reset again',
    'password lost',
    'old password E-4711',
  ];
  const entries = texts.map((text, at) =>
    entryOf({ id: `a${at}`, title: '', sections: [{ text }] }),
  );
  const lexicon = lexiconOf(largeEditionOf(entries));
  const termsOf = (question: string) => {
    const { indices, values } = sparseQueryOf(lexicon, analyseQuery(lexicon, question));
    return new Map(indices.map((index, at) => [index, values[at]]));
  };

  it('knows words that three passages have', () => {
    const known = analyseQuery(lexicon, 'reset password router lost').terms;
    expect(known.map(({ word, isKnown, chunkCount }) => [word, isKnown, chunkCount])).toEqual([
      ['reset', true, 3],
      ['password', true, 3],
      ['router', false, 0],
      ['lost', false, 0],
    ]);
  });
  it('searches for a word that it lacks as well, and for its correction with less weight', () => {
    expect(termsOf('router')).toEqual(new Map([[hash31('router'), 1]]));
    expect(termsOf('resett')).toEqual(
      new Map([
        [hash31('reset'), 0.8],
        [hash31(stem('resett')), 1],
      ]),
    );
  });
  it('has no word of an article that only some may read', () => {
    const hidden = entries.map(({ article, chunks }) => ({
      article: { ...article, audiences: ['staff'] },
      chunks,
    }));
    const open = lexiconOf(largeEditionOf(hidden));
    expect(analyseQuery(open, 'reset').terms[0]).toMatchObject({ isKnown: false });
    expect([open.index.words.count, open.chunkTotal]).toEqual([0, 0]);
  });
});
