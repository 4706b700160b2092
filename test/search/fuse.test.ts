import { describe, expect, it } from 'vitest';
import { fuse } from '../../src/search/search-edition.ts';

const MODEL = 'text-embedding-3-small';
const candidatesOf = (orders: Record<number, number>) =>
  Object.entries(orders)
    .map(([chunk, order]) => ({ hit: { chunk: Number(chunk) }, order }))
    .toSorted((left, right) => right.order - left.order);
const ordered = (orders: Record<number, number>, near: Record<number, number>, model = MODEL) =>
  fuse(candidatesOf(orders), {
    model,
    near: new Map(Object.entries(near).map(([chunk, similarity]) => [Number(chunk), similarity])),
    total: 10,
  });
const chunks = (...given: Parameters<typeof ordered>) => ordered(...given).map(({ chunk }) => chunk);

describe('fuse()', () => {
  it('ranks a good lexical match above a similar vector', () => {
    expect(chunks({ 1: 20, 2: 0 }, { 2: 0.7, 1: 0.3 })).toEqual([1, 2]);
  });
  it('ranks a very similar vector above a weak lexical match', () => {
    expect(chunks({ 1: 4, 2: 0 }, { 2: 0.7, 3: 0.42, 1: 0.45 })).toEqual([2, 1]);
  });
  it('does not rank distant vectors above a weak lexical match', () => {
    expect(chunks({ 1: 4, 2: 0 }, { 2: 0.25, 3: 0.2 })).toEqual([1, 2]);
  });
  it('breaks lexical ties by vectors', () => {
    expect(chunks({ 1: 10, 2: 9.9, 3: 9.8 }, { 3: 0.6, 2: 0.5, 1: 0.4 })).toEqual([3, 2, 1]);
  });
  it('weights a model without calibration less', () => {
    expect(chunks({ 1: 4, 2: 0 }, { 2: 0.7, 3: 0.42, 1: 0.45 }, 'unheard-of')).toEqual([1, 2]);
  });

  it('depends on differences of cosines, not on their range', () => {
    const orders = { 1: 12, 2: 8, 3: 4, 4: 2 };
    const near = { 1: 0.31, 2: 0.4, 3: 0.62, 5: 0.2 };
    const moved = Object.fromEntries(Object.entries(near).map(([chunk, similarity]) => [chunk, similarity - 0.15]));
    expect(chunks(orders, moved)).toEqual(chunks(orders, near));
  });

  it('ranks only by vectors when no word is known', () => {
    const near = new Map([1, 2, 3].map((chunk) => [chunk, chunk / 10]));
    const fused = fuse(candidatesOf({ 1: 0, 2: 0, 3: 0 }), { model: MODEL, near, total: 0 });
    expect(fused.map(({ chunk }) => chunk)).toEqual([3, 2, 1]);
  });
  it('sets the similarity of close chunks only', () => {
    const [first, second] = ordered({ 1: 20, 2: 5 }, { 2: 0.4 });
    expect([first?.chunk, first?.similarity, second?.chunk, second?.similarity]).toEqual([1, undefined, 2, 0.4]);
  });
  it('exposes the score that determines the order', () => {
    const fused = ordered({ 1: 20, 2: 5, 3: 11 }, { 2: 0.4, 3: 0.39 }).map((hit) => hit.fused);
    expect(fused).toEqual(fused.toSorted((left, right) => right - left));
  });
  it('keeps the lexical order when no vector is close', () => {
    expect(chunks({ 1: 10, 2: 30, 3: 20 }, {})).toEqual([2, 3, 1]);
  });
});
