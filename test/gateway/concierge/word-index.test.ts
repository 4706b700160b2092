import { describe, expect, it } from 'vitest';
import { createWordIndex } from '../../../src/gateway/concierge/word-index.ts';

describe('createWordIndex()', () => {
  const index = createWordIndex([
    ['stock', 'order', 'order', 'count'],
    ['document', 'find', 'order'],
    ['web', 'price', 'find', 'shop', 'shop', 'shop'],
  ]);

  it('gives what BM25 gives, text by text', () => {
    // idf ln(1 + (3 - 1 + 0.5) / (1 + 0.5)), length 4 of 13/3 on average, k1 1.2, b 0.75
    const frequency = 1 / (0.25 + (0.75 * 4) / (13 / 3));
    const expected = (Math.log(1 + 2.5 / 1.5) * 2.2 * frequency) / (frequency + 1.2);
    const [first = 0, ...others] = index.scoresFor(['stock']);
    expect(first).toBeCloseTo(expected, 10);
    expect(others).toEqual([0, 0]);
  });

  it('lets a word that few texts have tell more', () => {
    const [, document = 0] = index.scoresFor(['document']);
    const [, order = 0] = index.scoresFor(['order']);
    expect(document).toBeGreaterThan(order);
  });

  it('gives nothing for words that no text has', () => {
    expect([...index.scoresFor(['constructor', 'x'])]).toEqual([0, 0, 0]);
    expect([index.has('stock'), index.has('toString')]).toEqual([true, false]);
  });
});
