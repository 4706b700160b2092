import { describe, expect, it } from 'vitest';
import { namedProducts } from '../../../src/knowledge/retrieval/named-products.ts';

const DEVICES = ['apollo', 'apollo ii', 'apollo iii'];
const named = (text: string, product?: string, products?: string[]) =>
  namedProducts(text, { product, devices: DEVICES, products });

describe('namedProducts()', () => {
  it.each([
    ['My Apollo shows 0 H/s', undefined, ['apollo']],
    ['My Apollo shows 0 H/s', 'Apollo II', ['apollo ii']],
    ['wifi on apollo 3?', undefined, ['apollo iii']],
    ['the apollo2 is dead', undefined, ['apollo ii']],
    ['Card is 256 GB. apollo 1', undefined, ['apollo']],
    ['nothing', 'FutureBit Apollo-II', ['apollo ii']],
    ['Apollo II and Apollo III', undefined, ['apollo ii', 'apollo iii']],
    ['I bought my Apollo 3 days ago', undefined, ['apollo']],
    ['Apollo pro tip wanted', undefined, ['apollo']],
    ['my apollo v shows 0 h/s', undefined, ['apollo']],
    ['my apollo ii shows 0 h/s', undefined, ['apollo ii']],
  ])('understands %j of a ticket on %j', (text, product, known) => {
    expect(named(text, product)).toEqual({ known, unknown: [] });
  });

  it.each([
    ['My new Apollo IV shows 0 H/s', undefined, 'Apollo IV'],
    ['My new Apollo IV shows 0 H/s', 'Apollo', 'Apollo IV'],
    ['my apollo iv shows 0 h/s', undefined, 'apollo iv'],
    ['the apollo nano is hot', undefined, 'apollo nano'],
    ['apollo gen 4 hums', undefined, 'apollo gen 4'],
    ['It shows 0 H/s', 'Apollo Nano', 'Apollo Nano'],
    ['It shows 0 H/s', 'BitAxe Gamma', 'BitAxe Gamma'],
    ['The Apollo Pro hums', undefined, 'Apollo Pro'],
  ])('takes an unknown product for no other: %j of a ticket on %j', (text, product, unknown) => {
    expect(named(text, product)).toEqual({ known: [], unknown: [unknown] });
  });

  it.each([
    ['The Apollo II works, but the Apollo III shows 0 H/s', undefined, ['apollo iii']],
    ['The Apollo II works, but the Apollo III shows 0 H/s', 'Apollo II', ['apollo iii']],
    ['My Apollo II is fine. How do I put the Apollo III on wifi?', undefined, ['apollo iii']],
    ['Der Apollo II läuft, aber der Apollo III zeigt 0 H/s', undefined, ['apollo iii']],
    ["The Apollo II doesn't work, the Apollo III does not either", undefined, ['apollo ii', 'apollo iii']],
    ['The Apollo II works well. Is Apollo II as fast as Apollo III?', undefined, ['apollo ii', 'apollo iii']],
    ['Apollo II works and so does Apollo III', undefined, ['apollo ii', 'apollo iii']],
    ['My Apollo II works fine', undefined, ['apollo ii']],
    ['It works fine now', 'Apollo II', ['apollo ii']],
  ])('leaves out what only is said to work: %j of a ticket on %j', (text, product, known) => {
    expect(named(text, product)).toEqual({ known, unknown: [] });
  });

  it('knows products by name of which nothing is written', () => {
    expect(named('The hyperion 9 hums', undefined, ['Hyperion 9'])).toEqual({ known: [], unknown: ['Hyperion 9'] });
  });

  it('takes names with the signs of patterns for what they are', () => {
    const devices = ['a+ (b)', 'c*'];
    expect(namedProducts('My a+ (b) hums', { product: 'C*', devices }).known).toEqual(['c*', 'a+ (b)']);
  });
});
