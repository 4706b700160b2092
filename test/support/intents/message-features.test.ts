import { describe, expect, it } from 'vitest';
import { languageNamed } from '../../../src/language/language.ts';
import { messageFeatures, messageTexts } from '../../../src/support/intents/message-features.ts';
import words from './words.json' with { type: 'json' };

const featuresOf = (text: string) => messageFeatures(text, languageNamed('en'));

describe('messageFeatures()', () => {
  /** Number of features of each block that two texts share. */
  const sharedBy = (one: string, other: string): number[] => {
    const { blocks } = featuresOf(other);
    return featuresOf(one).blocks.map(
      (block, at) => [...block].filter((hash) => blocks[at]?.has(hash)).length,
    );
  };
  it('lists words, and stems without stop words', () => {
    const { words: all, stems } = featuresOf('My parcels are late');
    expect(all).toEqual(['my', 'parcels', 'are', 'late']);
    expect(stems).toEqual(['parcel', 'late']);
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
    const stemsOf = (language: string) =>
      messageFeatures('Rechnungen Rechnung', languageNamed(language)).stems;
    expect([stemsOf('de').length, stemsOf('en').length]).toEqual([1, 2]);
  });
  it('returns nothing for no words', () =>
    expect(featuresOf('…!?')).toEqual({
      words: [],
      stems: [],
      blocks: [new Set(), new Set(), new Set()],
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
