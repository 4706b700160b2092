import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Edition } from '../../../src/knowledge/edition/open-edition.ts';
import { type SearchOptions, searchEdition } from '../../../src/knowledge/search/search-edition.ts';
import { wordsOf } from '../../../src/language/analyse-text.ts';
import { stem } from '../../../src/language/stem.ts';
import { editionOf, editionOfTexts, entryOf, type Sketch } from './edition-fixture.ts';
import cases from './search-edition.json' with { type: 'json' };

const idsOf = (edition: Edition, question: string, options?: SearchOptions): string[] =>
  searchEdition(edition, question, options).hits.map(({ article }) => edition.article(article).id);

/** Reference implementation of BM25F on plain lists: chunk to score. */
const plainScores = (sketches: readonly Sketch[], question: string): number[] => {
  const chunks = sketches
    .flatMap((sketch) => entryOf(sketch))
    .sort((left, right) => (left.article.id < right.article.id ? -1 : 1))
    .flatMap(({ article: { title, intents, devices }, chunks: of }) =>
      of.map(({ text, headingPath }) =>
        [title, [...intents, ...devices].join(' '), headingPath.join('\n'), text].map((part) =>
          wordsOf(part).map(stem),
        ),
      ),
    );
  const means = [0, 1, 2, 3].map((field) =>
    Math.max(1, chunks.reduce((sum, fields) => sum + fields[field]!.length, 0) / chunks.length),
  );
  const countIn = (within: number[], term: string) =>
    chunks.filter((fields) => within.some((field) => fields[field]!.includes(term))).length;
  const scoreOf = (fields: string[][], term: string): number => {
    const containing = countIn([0, 2, 3], term) || countIn([1], term);
    const frequency = fields.reduce((sum, words, field) => {
      const count = words.filter((word) => word === term).length;
      return (
        sum + ([2.5, 1, 1, 1][field]! * count) / (0.25 + (0.75 * words.length) / means[field]!)
      );
    }, 0);
    const idf = Math.log(1 + (chunks.length - containing + 0.5) / (containing + 0.5));
    return idf * ((2.2 * frequency) / (frequency + 1.2));
  };
  const terms = [...new Set(wordsOf(question).map(stem))];
  return chunks.map((fields) => terms.reduce((score, term) => score + scoreOf(fields, term), 0));
};

const vocabulary = [
  'fan',
  'noise',
  'wallet',
  'ethernet',
  'dashboard',
  'pool',
  'firmware',
  'button',
];
const words = fc
  .array(fc.constantFrom(...vocabulary), { maxLength: 12 })
  .map((drawn) => drawn.join(' '));
const section = fc.record({ heading: fc.array(words, { maxLength: 2 }), text: words });
const article = fc.record({
  title: words,
  intents: fc.uniqueArray(fc.constantFrom('pool', 'fan noise'), { maxLength: 2 }),
  devices: fc.uniqueArray(fc.constantFrom('Wallet', 'Button Pool'), { maxLength: 2 }),
  sections: fc.array(section, { minLength: 1, maxLength: 3 }),
});
const corpus = fc
  .array(article, { minLength: 1, maxLength: 8 })
  .map((drawn) => drawn.map((sketch, at): Sketch => ({ id: `a${at}`, ...sketch })));

describe('searchEdition()', () => {
  it('scores every chunk by BM25F, to the precision of a byte', () => {
    const question = fc.uniqueArray(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 4 });
    const property = fc.property(corpus, question, (sketches, drawn) => {
      const expected = plainScores(sketches, drawn.join(' '));
      const { hits } = searchEdition(editionOf(...sketches), drawn.join(' '), { limit: 50 });
      const matching = expected.flatMap((score, chunk) => (score > 0 ? [chunk] : []));
      expect(hits.map(({ chunk }) => chunk).sort((a, b) => a - b)).toEqual(matching);
      for (const { chunk, lexical } of hits)
        expect(Math.abs(lexical - expected[chunk]!)).toBeLessThan(0.05 * drawn.length);
    });
    fc.assert(property);
  });
  it('returns the best first, with features in their ranges, and keeps no state between searches', () => {
    const property = fc.property(corpus, words, words, (sketches, first, second) => {
      const edition = editionOf(...sketches);
      const alone = searchEdition(edition, first);
      searchEdition(edition, second);
      expect(searchEdition(edition, first)).toEqual(alone);
      const { quality, coverage, margin, hits } = alone;
      const scores = hits.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      const features = [
        quality,
        coverage,
        margin,
        ...hits.flatMap((hit) => [hit.coverage, hit.tightness]),
      ];
      expect(features.filter((value) => !(value >= 0 && value <= 1.05))).toEqual([]);
    });
    fc.assert(property);
  });
  it('prefers words that are adjacent, exact, and close together', () => {
    const filler = 'one two three four five six';
    expect(idsOf(editionOfTexts('board hash', 'hash board'), 'hash board')).toEqual(['b', 'a']);
    const pair = editionOfTexts(
      `board ${filler} hash`,
      `hash board ${filler}`,
      `hash ${filler} board`,
    );
    expect(idsOf(pair, 'hash board')[0]).toBe('b');
    const exact = editionOfTexts('connection established', 'connected established');
    expect(idsOf(exact, 'connected')).toEqual(['b', 'a']);
    const tight = editionOfTexts(
      `fan ${filler} noise`,
      `fan five noise ${filler}`,
      `noise ${filler} fan`,
    );
    expect(idsOf(tight, 'fan noise')[0]).toBe('b');
  });
  it.each(cases.found)('finds by %j the text %j', (question, text) => {
    const edition = editionOfTexts('nothing to see', text, 'something else');
    expect(idsOf(edition, question)).toEqual(['b']);
  });
  it.each([
    '',
    '   ',
    'what is it',
    '?!…',
    '\u0000\u0007\u001b[0m\ud800',
    '机器学习',
    'sourdough starter',
  ])('finds nothing for %j', (question) => {
    const outcome = searchEdition(editionOfTexts('clean the fan', 'network cable'), question);
    expect(outcome).toMatchObject({ hits: [], quality: 0, coverage: 0, margin: 0 });
  });
  it('searches only the first words of a text of 100,000 characters, and none after 8,000 characters', () => {
    const edition = editionOfTexts('needle', 'fan noise', 'late', 'fan');
    const { hits, query } = searchEdition(
      edition,
      `needle ${'fan '.repeat(2_000)}late ${'log line '.repeat(11_000)}`,
    );
    expect(hits[0]?.article).toBe(0);
    expect(hits.some(({ article }) => article === 2)).toBe(false);
    expect(query.terms.length).toBeLessThanOrEqual(24);
    expect(idsOf(edition, `needle${' '.repeat(8_000)}late`)).toEqual(['a']);
  });
  it('searches the parts of an unknown camelCase word', () => {
    const edition = editionOfTexts('the smart card reader', 'nothing');
    const { query, hits } = searchEdition(edition, 'SmratCardLogon');
    const known = Object.fromEntries(query.terms.map(({ word, isKnown }) => [word, isKnown]));
    expect(known).toEqual({ smrat: false, card: true, logon: false });
    expect(hits).toMatchObject([{ chunk: 0, matched: [0, 1] }]);
  });
  it('searches the twelve rarest known words', () => {
    const rare = Array.from({ length: 12 }, (_, at) => `rare${at}word`);
    const edition = editionOfTexts('common', 'common', `common ${rare.join(' ')}`);
    const { query } = searchEdition(edition, `common ${rare.join(' ')}`);
    expect(query.terms.map(({ word }) => word).sort()).toEqual(rare.toSorted());
  });
  it('reports how each word was interpreted', () => {
    const edition = editionOfTexts('clean the fans', 'fans and ethernet');
    const { query } = searchEdition(edition, 'fan ethrenet sourdough');
    expect(query.terms).toMatchObject([
      { word: 'fan', stem: 'fan', isKnown: true, corrections: [], chunkCount: 2, wordIds: [] },
      { word: 'ethrenet', isKnown: false, corrections: ['ethernet'], chunkCount: 1 },
      { word: 'sourdough', isKnown: false, corrections: [], chunkCount: 0, postings: [] },
    ]);
    const [known, corrected, unknown] = query.terms.map(({ idf }) => idf) as [
      number,
      number,
      number,
    ];
    expect(query.total).toBeCloseTo(known + corrected + unknown);
    expect(unknown).toBeCloseTo(Math.log(1 + 2.5 / 0.5));
  });
  it.each([["I'm lost, what's the pool's fee? I don’t know, it'll do", 'lost pool fee not know']])(
    'ignores endings after apostrophes: %j',
    (question, expected) => {
      const { query } = searchEdition(
        editionOfTexts('pool fee', 'the fan has 44 blades', 'many things'),
        question,
      );
      expect(query.terms.map(({ word }) => word).join(' ')).toBe(expected);
    },
  );
  it('measures matches relative to the whole question', () => {
    const { hits, query, margin } = searchEdition(
      editionOfTexts('clean fan', 'fan'),
      'clean fan dust',
    );
    expect(hits[0]).toMatchObject({ chunk: 0, matched: [0, 1] });
    expect(hits[0]?.coverage).toBeCloseTo(
      (query.terms[0]!.idf + query.terms[1]!.idf) / query.total,
    );
    expect(margin).toBeCloseTo((hits[0]!.score - hits[1]!.score) / hits[0]!.score);
  });
  it('returns at most the limit, clamped to 1 to 50', () => {
    const edition = editionOf({
      id: 'a',
      sections: Array.from({ length: 80 }, () => ({ text: 'fan' })),
    });
    const counts = [undefined, 3, 0, 1000].map(
      (limit) => searchEdition(edition, 'fan', { limit }).hits.length,
    );
    expect(counts).toEqual([10, 3, 1, 50]);
  });
});

describe('searchEdition() with metadata', () => {
  const text = 'Hold the button to reset the miner.';
  const edition = editionOf(
    {
      id: 'btc',
      title: 'Reset',
      devices: ['Apollo BTC'],
      intents: ['setup'],
      sections: [{ text }],
    },
    {
      id: 'iii',
      title: 'Reset',
      devices: ['Apollo III'],
      intents: ['Setup', 'repair'],
      sections: [{ text }],
    },
    { id: 'none', title: 'Reset', sections: [{ text }] },
  );
  it.each([
    [{ device: 'apollo iii' }, ['iii']],
    [{ intent: 'SETUP ' }, ['btc', 'iii']],
    [{ intent: 'setup', device: 'Apollo BTC' }, ['btc']],
    [{ intent: 'repair', device: 'Apollo BTC' }, []],
    [{ articleId: 'none' }, ['none']],
    [{ articleId: 'missing' }, []],
    [{ device: 'unheard of' }, []],
    [{}, ['btc', 'iii', 'none']],
  ])('filters by %j', (filter, expected) =>
    expect(idsOf(edition, 'reset miner', { filter })).toEqual(expected),
  );
  it('boosts the article on the device that the question names or the user has, without excluding others', () => {
    expect(idsOf(edition, 'reset my apollo III')[0]).toBe('iii');
    expect(idsOf(edition, 'reset my apollo btc')[0]).toBe('btc');
    expect(idsOf(edition, 'reset miner', { devices: ['Apollo III'] })).toEqual([
      'iii',
      'btc',
      'none',
    ]);
  });
  it('ranks the article on Apollo II above a better match on Apollo when Apollo II is named', () => {
    const plain = 'Hold the button of the dashboard.';
    const reset = (id: string, device: string, text: string) => ({
      id,
      title: 'Reset',
      devices: [device],
      sections: [{ text }],
    });
    const family = editionOf(
      reset('one', 'Apollo', `${plain} Then the lamp of the button goes out.`),
      reset('two', 'Apollo II', plain),
      reset('other', 'Apollo', 'Pull the plug.'),
    );
    const question = 'dashboard lamp, wait, button, plug';
    expect(idsOf(family, `${question} apollo ii`)).toEqual(['two', 'one', 'other']);
    expect(idsOf(family, `${question} apollo`)).toEqual(['one', 'other', 'two']);
  });
  it.each([
    ['How do I reset the password of my Apollo II?', [0, 1]],
    ['Do I reset the password of my Apollo II with a stick?', [0, 1]],
    ['How do I reset the password of my Apollo?', [1, 0]],
    ['How do I reset the password?', [1, 0]],
  ])(
    'ranks the section on the named device first in an article on several devices: %s',
    (question, sections) => {
      const title = 'Reset the password';
      const shared = editionOf({
        id: 'password',
        title,
        devices: ['Apollo', 'Apollo II', 'Apollo III'],
        sections: [
          {
            heading: [title, 'Apollo II and Apollo III'],
            text: 'Hold the small button for five seconds.',
          },
          {
            heading: [title, 'Apollo'],
            text: 'Reset the password with a stick that holds a reset file.',
          },
        ],
      });
      expect(searchEdition(shared, question).hits.map(({ chunk }) => chunk)).toEqual(sections);
    },
  );
  it('matches words of intents and devices in every chunk of the article, but not as exact or adjacent words', () => {
    const labelled = editionOf(
      {
        id: 'a',
        title: 'Boards',
        intents: ['not_hashing', 'login-issue'],
        devices: ['Apollo II'],
        sections: [{ text: 'Check the cable.' }, { heading: ['Dust'], text: 'Blow it out.' }],
      },
      { id: 'b', title: 'Other', sections: [{ text: 'nothing of this' }] },
    );
    const { hits, query } = searchEdition(labelled, 'Apollo II not hashing after login');
    expect(query.terms.filter(({ isKnown }) => !isKnown).map(({ word }) => word)).toEqual([
      'after',
    ]);
    const matched = query.terms.flatMap(({ isKnown }, term) => (isKnown ? [term] : []));
    const inexact = { exactIdf: 0, pairIdf: 0, titleIdf: 0 };
    expect(hits).toMatchObject([0, 1].map((chunk) => ({ chunk, matched, ...inexact })));
    expect(searchEdition(labelled, 'nothashing').query.terms[0]?.isKnown).toBe(false);
  });
});

describe('searchEdition() with history', () => {
  const edition = editionOfTexts(
    'replace the loud old fan of the miner',
    'replace the power supply',
    'fan noise',
  );
  it('understands a follow-up question by the last turn of each speaker, the user before the assistant', () => {
    const history = [
      { speaker: 'user', text: 'power' } as const,
      { speaker: 'user', text: 'my fan is broken' } as const,
      { speaker: 'assistant', text: 'Fan noise means dust.' } as const,
    ];
    const { query, hits } = searchEdition(edition, 'how do I replace it', { history });
    const terms = query.terms.map(
      ({ word, origin, postings }) => `${word} ${origin} ${postings[0]?.weight}`,
    );
    expect(terms).toEqual(['replace question 1', 'fan conversation 0.2', 'noise conversation 0.1']);
    expect([idsOf(edition, 'how do I replace it')[0], hits[0]?.article]).toEqual(['b', 0]);
  });
  it('weights exact words of the question less than terms from the conversation', () => {
    const others = ['fan', 'dust', 'wallet', 'pool'];
    const texts = editionOfTexts(
      'connected cable lamp desk shelf',
      'connection cable lamp desk power',
      ...others,
    );
    expect(idsOf(texts, 'connected')).toEqual(['a', 'b']);
    const { hits } = searchEdition(texts, 'connected', {
      history: [{ speaker: 'user', text: 'power' }],
    });
    expect(hits.map(({ article }) => article)).toEqual([1, 0]);
    expect(hits[0]!.score).toBeLessThan(hits[1]!.score);
  });
});

it('searchEdition() corrects no common word of English that the articles lack', () => {
  const edition = editionOfTexts(
    'Reset a forgotten password.',
    'Clean the fan.',
    'Update the wallet.',
  );
  const { terms } = searchEdition(edition, 'clean the fan of my chat bot that I bought').query;
  expect(terms.flatMap(({ word, postings }) => (postings.length === 0 ? word : []))).toEqual([
    'chat',
    'bot',
    'bought',
  ]);
});
