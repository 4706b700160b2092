import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyseText, type WordKind, wordsOf } from '../../src/language/analyse-text.ts';
import cases from './analyse-text.json' with { type: 'json' };

describe('analyseText()', () => {
  it.each(cases.words as [string, string[]][])('finds the words of %j', (text, expected) =>
    expect(wordsOf(text)).toEqual(expected),
  );
  it('reports the origin of each word', () => {
    const kinds: [string, WordKind][] = [];
    analyseText('SmartCard v1.2 ok', (word, kind) => kinds.push([word, kind]));
    expect(kinds).toEqual([
      ['smartcard', 'compound'],
      ['smart', 'part'],
      ['card', 'part'],
      ['v1', 'word'],
      ['2', 'word'],
      ['v12', 'joined'],
      ['ok', 'word'],
    ]);
  });
  it('finds the same words however the text is composed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(wordsOf(text.normalize('NFD'))).toEqual(wordsOf(text.normalize('NFC')));
      }),
    );
  });
  it('returns words of 1 to 64 units without capitals, spaces or ASCII punctuation for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const odd = wordsOf(text).filter((word) => !/^[^A-Z\s!-/:-@[-`{-~]{1,64}$/.test(word));
        expect(odd).toEqual([]);
      }),
    );
  });
  it('clips an overlong run', () => {
    expect(wordsOf(`${'x'.repeat(1000)} ${'é'.repeat(1000)}`)).toEqual([
      'x'.repeat(64),
      'e'.repeat(64),
    ]);
  });
});
