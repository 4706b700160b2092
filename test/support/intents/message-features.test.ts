import { describe, expect, it } from 'vitest';
import { correctWord } from '../../../src/support/intents/classifier.ts';
import {
  messageFeatures,
  messageParts,
  messageWords,
  stemWord,
} from '../../../src/support/intents/training-features.ts';
import words from './words.json' with { type: 'json' };

const blocksOf = (text: string) => messageFeatures(messageWords(text)).blocks;

describe('messageWords()', () => {
  it('expands contractions with any apostrophe', () => {
    const long = ['i', 'can', 'not', 'log', 'in'];
    for (const text of ["I can't log in", 'I can’t log in', 'i cant log in', 'I CAN NOT log in'])
      expect(messageWords(text)).toEqual(long);
    expect(messageWords("it doesn't, we're, I'm, they'll, it's")).toEqual(
      'it does not we are i am they will it s'.split(' '),
    );
  });
  it('keeps digits, accents and other scripts, and drops all signs', () => {
    expect(messageWords('0 H/s — für 3 Tage! ¿Qué? 再起動 😡')).toEqual('0 h s für 3 tage qué 再起動'.split(' '));
  });
  it('normalises compatible characters', () => {
    expect(messageWords('ﬁrmware ＵＰＤＡＴＥ')).toEqual(['firmware', 'update']);
  });
});

describe('stemWord()', () => {
  it.each(words.stems)('stems %s to %s', (word, stem) => {
    expect(stemWord(word)).toBe(stem);
  });
});

describe('messageFeatures()', () => {
  it('finds the same pairs of content words in any order', () => {
    const [, , pairs] = blocksOf('the fan rattles');
    expect(blocksOf('rattles, my fan')[2]).toEqual(pairs);
    expect(pairs).toHaveLength(1);
  });
  it('distinguishes adjacent words from the same words in reverse order', () => {
    const [forth] = blocksOf('money back');
    const [back] = blocksOf('back money');
    expect(forth.filter((hash) => back.includes(hash))).toHaveLength(2);
  });
  it('shares parts of words between a word and its misspelling', () => {
    const [, right] = blocksOf('password');
    const [, wrong] = blocksOf('pasword');
    expect(wrong.filter((hash) => right.includes(hash)).length).toBeGreaterThan(10);
  });
  it('drops pairs with a stem that no example has', () => {
    const words = messageWords('fan rattles badly');
    const [first] = messageFeatures(words).stems;
    const { blocks } = messageFeatures(words, { isKnown: (hash) => hash === first });
    expect(blocks[2]).toEqual([]);
    expect(blocks[0]).toHaveLength(5);
  });
  it('returns nothing for no words', () => {
    expect(messageFeatures([])).toEqual({ stems: [], blocks: [[], [], []] });
  });
});

describe('correctWord()', () => {
  const all = ['parcel', 'password', 'past', 'paste', 'phone', 'plane', 'plans'];
  const known = { words: all, wordCounts: Uint32Array.from(all, (word) => (word === 'plans' ? 5 : 1)) };
  it.each(words.corrections)('corrects %s to %s', (word, right) => {
    expect(correctWord(word, known)).toBe(right);
  });
});

describe('messageParts()', () => {
  it('does not split a short message', () => {
    const { whole, sentences } = messageParts('Hello. My parcel is late. Where is it?');
    expect(whole).toEqual('hello my parcel is late where is it'.split(' '));
    expect(sentences).toEqual([]);
  });
  it('splits a long message into sentences', () => {
    const story =
      'We bought it in spring for our little office and it has been running since then without any trouble at all.';
    const { sentences } = messageParts(`Hello.\n\n${story} Now the fan rattles.`);
    expect(sentences.at(-1)).toEqual(['now', 'the', 'fan', 'rattles']);
  });
  it('omits quoted mail', () => {
    const { whole } = messageParts('Still loud.\n\n> On Monday support wrote:\n> > My password is wrong');
    expect(whole).toEqual(['still', 'loud']);
  });
  it('reads the beginning of a long message', () => {
    const { whole, sentences } = messageParts('All of it is broken again and again. '.repeat(1000));
    expect(sentences).toHaveLength(8);
    expect(whole.length).toBeLessThan(100);
    expect(messageParts('x'.repeat(32_000)).whole.join('').length).toBeLessThanOrEqual(300);
  });
});
