import { describe, expect, it } from 'vitest';
import { languageNamed } from '../../../src/language/language.ts';
import {
  messageFeatures,
  messageTexts,
  vocabularyStem,
} from '../../../src/support/intents/message-features.ts';
import words from './words.json' with { type: 'json' };

const featuresOf = (text: string) => messageFeatures(text, languageNamed('en'));

describe('messageFeatures()', () => {
  /** Number of features of each block that two texts share. */
  const sharedBy = (one: string, other: string): number[] => {
    const { blocks } = featuresOf(other);
    return featuresOf(one).blocks.map(
      (block, at) => [...block].filter((hash) => blocks[at]?.includes(hash)).length,
    );
  };
  it('lists words, in scripts without spaces those of a dictionary', () => {
    expect(featuresOf('My parcels are late').words).toEqual(['my', 'parcels', 'are', 'late']);
    expect(featuresOf('App 退款 แล้ว').words).toEqual(['app', '退款', 'แล้ว']);
  });
  it('compares Korean words by their first two syllables, others by stems', () => {
    const stemsOf = (...words: string[]) =>
      words.map((word) => vocabularyStem(word, languageNamed('en')));
    expect(stemsOf('환불하고', '환불해', 'parcels')).toEqual(['환불', '환불', 'parcel']);
  });
  it('finds the same pairs of content words in any order, and tells adjacent words apart', () => {
    expect(sharedBy('the fan rattles', 'the fan rattles')).toEqual([5, 46, 1]);
    expect(sharedBy('rattles, the fan', 'the fan rattles')).toEqual([4, 46, 1]);
  });
  it('shares parts of words between a word and its misspelling', () => {
    expect(sharedBy('password', 'pasword')[1]).toBeGreaterThan(10);
  });
  it('reads the words that were meant', () => {
    const corrected = (word: string) => (word === 'fna' ? 'fan' : word);
    expect(messageFeatures('fna', languageNamed('en'), corrected)).toEqual(featuresOf('fan'));
  });
  it('joins the forms of a word in the language of the taxonomy', () => {
    const countOf = (language: string) =>
      messageFeatures('Rechnungen Rechnung', languageNamed(language)).blocks[0]?.length;
    // One stem or two, and the neighbours.
    expect([countOf('de'), countOf('en')]).toEqual([2, 3]);
  });
  it('pairs the first stems of a long text', () => {
    const text = Array.from({ length: 200 }, (_, at) => `word${at}`).join(' ');
    expect(featuresOf(text).blocks[2]).toHaveLength((30 * 29) / 2);
  });
  it('returns nothing for no words', () =>
    expect(featuresOf('…!?')).toEqual({
      words: [],
      blocks: [new Uint32Array(), new Uint32Array(), new Uint32Array()],
    }));
});

describe('messageTexts()', () => {
  it.each(words.texts as [string, string, string[]][])('reads %s', (_, text, expected) =>
    expect(messageTexts(text)).toEqual(expected),
  );
  it('reads the beginning of a long message', () => {
    const [whole, ...sentences] = messageTexts(
      'All of it is broken again and again. '.repeat(1000),
    );
    expect(sentences).toHaveLength(8);
    expect(whole.length).toBeLessThan(400);
    expect(messageTexts('x'.repeat(32_000))[0].length).toBeLessThanOrEqual(300);
  });
});
