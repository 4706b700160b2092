import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { lruCache, memo } from '../../src/platform/lru-cache.ts';

it('evicts the entry that was used least recently', () => {
  const cache = lruCache<string, number>({ max: 2 });
  cache.set('a', 1);
  cache.set('b', 2);
  cache.get('a');
  cache.set('c', 3);
  expect([cache.get('a'), cache.get('b'), cache.get('c'), cache.size]).toEqual([
    1,
    undefined,
    3,
    2,
  ]);
});
it('has no entry after its time, which a new value begins again', () => {
  let time = 0;
  const cache = lruCache<string, number>({ max: 9, ttlMs: 10, now: () => time });
  cache.set('a', 1);
  time = 9;
  expect(cache.get('a')).toBe(1);
  cache.set('a', 2);
  time = 18;
  expect(cache.get('a')).toBe(2);
  time = 19;
  expect(cache.get('a')).toBeUndefined();
  expect(cache.size).toBe(0);
});
it('makes a value once, and again when it was evicted, deleted or cleared', () => {
  const cache = lruCache<string, number>({ max: 1 });
  let made = 0;
  const make = () => ++made;
  expect([
    cache.getOr('a', make),
    cache.getOr('a', make),
    cache.getOr('b', make),
    cache.getOr('a', make),
  ]).toEqual([1, 1, 2, 3]);
  cache.delete('a');
  expect(cache.getOr('a', make)).toBe(4);
  cache.clear();
  expect([...cache.values()]).toEqual([]);
});
it('never holds more than its bound, and always the last that was set', () => {
  const Steps = fc.array(fc.record({ key: fc.integer({ min: 0, max: 9 }), isSet: fc.boolean() }), {
    maxLength: 50,
  });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), Steps, (max, steps) => {
      const cache = lruCache<number, number>({ max });
      for (const [place, { key, isSet }] of steps.entries()) {
        if (isSet) cache.set(key, place);
        else cache.get(key);
        expect(cache.size).toBeLessThanOrEqual(max);
        if (isSet) expect(cache.get(key)).toBe(place);
      }
    }),
  );
});
it('memo() makes each value once, forgets all when it is full, and caches no argument that is not worth it', () => {
  const made: string[] = [];
  const length = memo(
    (word: string) => {
      made.push(word);
      return word.length;
    },
    { max: 2, isCached: (word) => word !== 'long' },
  );
  expect(['a', 'a', 'long', 'long', 'bb', 'a', 'cc', 'a'].map(length)).toEqual([
    1, 1, 4, 4, 2, 1, 2, 1,
  ]);
  expect(made).toEqual(['a', 'long', 'long', 'bb', 'cc', 'a']);
});
