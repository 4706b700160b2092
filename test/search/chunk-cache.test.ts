import { expect, it } from 'vitest';
import { cachedArticle, cachedChunk } from '../../src/search/open-edition.ts';
import { editionOfTexts } from './edition-fixture.ts';

const open = (count: number) => editionOfTexts(...Array.from({ length: count }, (_, at) => `It opens at ${at} bar.`));

it('cachedChunk() returns the chunk of its edition, with its article', () => {
  const [edition, other] = [open(3), open(3)];
  expect(cachedChunk(edition, 2)).toEqual({ ...edition.chunk(2), source: edition.article(2) });
  expect(cachedArticle(edition, 1)).toEqual(edition.article(1));
  expect(cachedChunk(edition, 0)).not.toBe(cachedChunk(other, 0));
  expect(() => cachedChunk(edition, 3)).toThrow(RangeError);
});

it('cachedChunk() caches 500 chunks and evicts the least recently used', () => {
  const edition = open(501);
  const [first, second] = [cachedChunk(edition, 0), cachedChunk(edition, 1)];
  for (let at = 2; at < 500; at++) cachedChunk(edition, at);
  expect(cachedChunk(edition, 0)).toBe(first);
  cachedChunk(edition, 500);
  expect(cachedChunk(edition, 0)).toBe(first);
  expect(cachedChunk(edition, 1)).not.toBe(second);
});
