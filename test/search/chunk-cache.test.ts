import { describe, expect, it } from 'vitest';
import { cachedArticle, cachedChunk } from '../../src/search/chunk-cache.ts';
import type { Edition } from '../../src/search/open-edition.ts';
import { editionOf } from './edition-fixture.ts';

const open = (count: number): Edition => {
  const idOf = (at: number) => `${String(at).padStart(4, '0')}.md`;
  const textOf = (at: number) => `Valve ${at} closes. It opens at ${at} bar.`;
  return editionOf(...Array.from({ length: count }, (_, at) => ({ id: idOf(at), sections: [{ text: textOf(at) }] })));
};

describe('cachedChunk()', () => {
  it('returns the chunk of the edition, with its article', () => {
    const edition = open(3);
    expect(cachedChunk(edition, 2)).toEqual({ ...edition.chunk(2), source: edition.article(2) });
    expect(cachedArticle(edition, 1)).toEqual(edition.article(1));
  });
  it('separates editions', () => {
    const [one, other] = [open(2), open(2)];
    expect(cachedChunk(one, 0)).not.toBe(cachedChunk(other, 0));
  });

  it('caches 500 chunks and evicts the least recently used', () => {
    const edition = open(501);
    const [first, second] = [cachedChunk(edition, 0), cachedChunk(edition, 1)];
    for (let at = 2; at < 500; at++) cachedChunk(edition, at);
    expect(cachedChunk(edition, 0)).toBe(first);
    cachedChunk(edition, 500);
    expect(cachedChunk(edition, 0)).toBe(first);
    expect(cachedChunk(edition, 1)).not.toBe(second);
  });

  it('throws when the edition does', () => expect(() => cachedChunk(open(2), 2)).toThrow(RangeError));
});
