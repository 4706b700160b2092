import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyseText, type WordKind, wordsOf } from '../../src/text/analyse-text.ts';

const kindsOf = (text: string): [string, WordKind][] => {
  const kinds: [string, WordKind][] = [];
  analyseText(text, (word, kind) => kinds.push([word, kind]));
  return kinds;
};

describe('analyseText()', () => {
  it.each([
    ['Reset the miner, and wait.', ['reset', 'miner', 'wait']],
    ['What is it and where is my?', []],
    ['CAFÉ naïve Ångström ﬁne ＦＵＬＬ', ['cafe', 'naive', 'angstrom', 'fine', 'full']],
    ['“don’t” — it’s the fan…', ['not', 'fan']],
    ["I'm sure we'll see what's new; they've said I'd, you're", ['sure', 'see', 'new', 'said']],
    ["the pool's fee, THE POOL'S FEE, the pool’s, the pools'", ['pool', 'fee', 'pool', 'fee', 'pool', 'pools']],
    ['isn´t doesn`t WON’T can‘t SHAN’T ain’t needn’t', ['not', 'not', 'not', 'not', 'not', 'not', 'need', 'not']],
    ['dont Cant isnt wont', ['not', 'not', 'not', 'not']],
    ['the cafés’ and the café’s tables', ['cafes', 'cafe', 'tables']],
    [
      "O'Brien at nine o'clock, d'accord, rock'n'roll",
      ['o', 'brien', 'nine', 'o', 'clock', 'd', 'accord', 'rock', 'n', 'roll'],
    ],
    ["'s' 't is, the letters 'll'", ['letters']],
    ["the driver's-seat of it's", ['driver', 'seat', 'driverseat']],
    ['a\u00a0b\u2003c', ['b', 'c']],
    ['x² ½', ['x2', '1', '2']],
    ['Привет, МИР', ['привет', 'мир']],
    ['snake_case', ['snake', 'case', 'snakecase']],
    ['16.0.4266', ['16', '0', '4266', '1604266']],
    ['smart-card and/or e.g. U.S.', ['smart', 'card', 'smartcard', 'andor', 'e', 'g', 'eg', 'u', 'us']],
    ['me@host.com', ['host', 'com', 'mehostcom']],
    ['one.two.three.four.five', ['one', 'two', 'three', 'four', 'five']],
    ['end. Begin', ['end', 'begin']],
    ['a--b c..d', ['b', 'c', 'd']],
    ['EnableSmartCard', ['enablesmartcard', 'enable', 'smart', 'card']],
    ['XMLHttpRequest iPhone PDFs OK', ['xmlhttprequest', 'xml', 'http', 'request', 'iphone', 'phone', 'pdfs', 'ok']],
    ['机器学习', ['机器', '器学', '学习']],
    ['重置 app 机', ['重置', 'app', '机']],
    ['iPhone手机壳', ['iphone', '手机', '机壳']],
    ['データ', ['テー', 'ータ']],
    ['한국어', ['한국', '국어']],
  ])('finds the words of %j', (text, expected) => {
    expect(wordsOf(text)).toEqual(expected);
  });

  it('reports the origin of each word', () => {
    expect(kindsOf('SmartCard v1.2 ok')).toEqual([
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

  it('gives words of 1 to 64 units without capitals, spaces or ASCII punctuation, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const odd = wordsOf(text).filter((word) => !/^[^A-Z\s!-/:-@[-`{-~]{1,64}$/.test(word));
        expect(odd).toEqual([]);
      }),
    );
  });

  it('clips an overlong run', () => {
    expect(wordsOf(`${'x'.repeat(1000)} ${'é'.repeat(1000)}`)).toEqual(['x'.repeat(64), 'e'.repeat(64)]);
  });
});
