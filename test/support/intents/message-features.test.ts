import { describe, expect, it } from 'vitest';
import { correctWord } from '../../../src/support/intents/classifier.ts';
import {
  messageFeatures,
  messageParts,
  messageWords,
  stemWord,
} from '../../../src/support/intents/training-features.ts';
import words from './words.json' with { type: 'json' };

it.each(words.words as [string, string, string[]][])(
  'messageWords() reads %s: %s',
  (_what, text, expected) => expect(messageWords(text)).toEqual(expected),
);
it.each(words.stems)('stemWord() stems %s to %s', (word, stem) =>
  expect(stemWord(word)).toBe(stem),
);
it.each(words.corrections)('correctWord() corrects %s to %s', (word, right) => {
  const all = ['parcel', 'password', 'past', 'paste', 'phone', 'plane', 'plans'];
  const wordCounts = Uint32Array.from(all, (each) => (each === 'plans' ? 5 : 1));
  expect(correctWord(word, { words: all, wordCounts })).toBe(right);
});

describe('messageFeatures()', () => {
  const blocksOf = (text: string) => messageFeatures(messageWords(text)).blocks;
  /** Number of features of a block that two texts share. */
  const sharedIn = (block: 0 | 1 | 2, one: string, other: string) =>
    blocksOf(one)[block].filter((hash) => blocksOf(other)[block].includes(hash)).length;
  it('finds the same pairs of content words in any order', () => {
    expect(blocksOf('the fan rattles')[2]).toHaveLength(1);
    expect(blocksOf('rattles, my fan')[2]).toEqual(blocksOf('the fan rattles')[2]);
  });
  it('distinguishes adjacent words from the same words in reverse order', () => {
    expect(sharedIn(0, 'money back', 'back money')).toBe(2);
  });
  it('shares parts of words between a word and its misspelling', () => {
    expect(sharedIn(1, 'password', 'pasword')).toBeGreaterThan(10);
  });
  it('drops pairs with a stem that no example has', () => {
    const message = messageWords('fan rattles badly');
    const [first] = messageFeatures(message).stems;
    const { blocks } = messageFeatures(message, { isKnown: (hash) => hash === first });
    expect([blocks[0].length, blocks[2]]).toEqual([5, []]);
  });
  it('returns nothing for no words', () =>
    expect(messageFeatures([])).toEqual({ stems: [], blocks: [[], [], []] }));
});

describe('messageParts()', () => {
  it.each(words.parts as [string, string, string[] | null, string[] | null][])(
    'reads %s',
    (_, text, whole, last) => {
      const parts = messageParts(text);
      if (whole !== null) expect(parts.whole).toEqual(whole);
      expect(parts.sentences.at(-1) ?? null).toEqual(last);
    },
  );
  it('reads the beginning of a long message', () => {
    const { whole, sentences } = messageParts('All of it is broken again and again. '.repeat(1000));
    expect(sentences).toHaveLength(8);
    expect(whole.length).toBeLessThan(100);
    expect(messageParts('x'.repeat(32_000)).whole.join('').length).toBeLessThanOrEqual(300);
  });
});
