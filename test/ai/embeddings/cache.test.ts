import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EmbeddingCache } from '../../../src/ai/embeddings/cached-embeddings.ts';

describe('EmbeddingCache', () => {
  it('evicts the least recently used, replaces a value, and drops one that has expired', () => {
    let now = 1_000_000;
    const cache = new EmbeddingCache({ maxSize: 2, ttl: 60 }, { now: () => now });
    for (const [key, value] of [
      ['a', 0],
      ['a', 1],
      ['b', 2],
    ] as const)
      cache.set(key, [value]);
    // Read last, and not written last.
    cache.get('a');
    cache.set('c', [3]);
    expect([cache.get('a'), cache.get('b'), cache.get('c'), cache.size]).toEqual([
      [1],
      undefined,
      [3],
      2,
    ]);
    now += 59_999;
    expect(cache.get('a')).toEqual([1]);
    now += 1;
    expect([cache.get('a'), cache.size]).toEqual([undefined, 1]);
  });
  it('gives back exactly the numbers that were set, in a list of its own', () => {
    const cache = new EmbeddingCache({});
    const numbers = [0.1, 0.2, 0.3, -0, 1e-300, 1 / 3, Number.MAX_VALUE];
    cache.set('a', numbers);
    cache.get('a')?.fill(7);
    expect(cache.get('a')).toEqual(numbers);
    // Numbers of 32 bits, as of OpenAI, too.
    const single = Array.from(Float32Array.from([0.1, 0.5, -0.25]));
    cache.set('b', single);
    expect(cache.get('b')).toEqual(single);
  });
  it('has nothing after it was cleared', () => {
    const cache = new EmbeddingCache({});
    for (const key of ['a', 'b']) cache.set(key, [1]);
    cache.clear();
    expect([cache.get('b'), cache.size]).toEqual([undefined, 0]);
  });
  it.each([{ maxSize: 0 }, { maxSize: 1.5 }, { ttl: 0 }, { ttl: Number.NaN }])(
    'refuses %j',
    (config) => {
      expect(() => new EmbeddingCache(config)).toThrow();
    },
  );
});

describe('generateKey()', () => {
  const { generateKey } = EmbeddingCache.prototype;

  it('is the model, a colon and the SHA-256 of the text', () => {
    const property = fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      expect(generateKey(text, 'm')).toBe(`m:${createHash('sha256').update(text).digest('hex')}`);
    });
    fc.assert(property, { numRuns: 300 });
  });
  it('distinguishes texts of equal UTF-8', () => {
    const texts = [
      '\ud800',
      '\ud801',
      '\udfff',
      '\ufffd',
      'a\ud800',
      '\ud800a',
      '\ud800\ud800',
      '',
      '\xff\x00\xd8',
    ];
    expect(new Set(texts.map((text) => generateKey(text, 'm'))).size).toBe(texts.length);
  });
  it('distinguishes models with any names', () => {
    expect(generateKey('b', 'a')).not.toBe(generateKey('a', 'b'));
    expect(generateKey('x', 'a:b')).not.toBe(generateKey('b:x', 'a'));
  });
});
