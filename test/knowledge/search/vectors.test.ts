import { describe, expect, it } from 'vitest';
import { buildEdition } from '../../../src/knowledge/edition/build-edition.ts';
import {
  attachedBytes,
  attachVectors,
  embeddingTextOf,
  vectorIdOf,
  vectorsOf,
} from '../../../src/knowledge/edition/edition-vectors.ts';
import {
  nearestRows,
  packVector,
  quantise,
  signsOf,
  signWords,
  unpackVector,
} from '../../../src/knowledge/edition/nearest-rows.ts';
import { openEdition } from '../../../src/knowledge/edition/open-edition.ts';
import { seededRandom } from '../../../src/platform/seeded-random.ts';
import { cosine } from '../vectors-for-test.ts';
import { entryOf, IDENTITY } from './edition-fixture.ts';

/** Dense vectors with evenly distributed directions, like those of a model. */
const randomVectors = (count: number, dimensions: number, seed = 7): number[][] => {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () =>
    Array.from({ length: dimensions }, () => random() + random() + random() - 1.5),
  );
};

const rowsOf = (vectors: readonly number[][]) => {
  const dimensions = vectors[0]?.length ?? 0;
  const quantised = vectors.map(quantise);
  const rows = new Int8Array(vectors.length * dimensions);
  const signs = new Int32Array(vectors.length * signWords(dimensions));
  quantised.forEach(({ row }, at) => {
    rows.set(row, at * dimensions);
    signs.set(signsOf(row), at * signWords(dimensions));
  });
  return { dimensions, scales: Float32Array.from(quantised, ({ scale }) => scale), rows, signs };
};

describe('quantise()', () => {
  it('preserves cosines within 0.01', () => {
    const [query = [], ...others] = randomVectors(60, 256);
    for (const { chunk, similarity } of nearestRows(rowsOf(others))(query, { limit: 59 }))
      expect(Math.abs(similarity - cosine(query, others[chunk] ?? []))).toBeLessThan(0.01);
  });
  it('ignores the length of a vector, and round-trips through packing', () => {
    const [vector = []] = randomVectors(1, 33);
    const { row, scale } = quantise(vector);
    for (const same of [
      quantise(vector.map((value) => value * 1e-6)),
      unpackVector(packVector({ row, scale })),
    ])
      expect(same).toEqual({ row, scale: expect.closeTo(scale, 6) });
  });
  it.each([[[]], [[0, 0]], [[1, Number.NaN]], [[1, Number.POSITIVE_INFINITY]]])(
    'refuses %j',
    (vector) => {
      expect(() => quantise(vector)).toThrow(RangeError);
    },
  );
});

describe('nearestRows()', () => {
  it('finds the nearest of many with preselection by sign', () => {
    // Groups of five similar vectors; beyond 4,000,000 numbers, they are preselected.
    const [themes, own] = [randomVectors(1800, 512), randomVectors(9000, 512, 8)];
    const vectors = own.map((vector, at) =>
      vector.map((value, place) => value + (themes[Math.floor(at / 5)]?.[place] ?? 0)),
    );
    const nearest = nearestRows(rowsOf(vectors));
    const random = seededRandom(11);
    let found = 0;
    for (let question = 0; question < 10; question += 1) {
      const target = vectors[Math.floor(random() * vectors.length)] ?? [];
      const query = target.map((value) => value + 1.5 * (random() - 0.5));
      const exact = vectors
        .map((vector, chunk) => ({ chunk, similarity: cosine(query, vector) }))
        .sort((left, right) => right.similarity - left.similarity)
        .slice(0, 5);
      const near = nearest(query, { limit: 5 }).map(({ chunk }) => chunk);
      expect(near[0]).toBe(exact[0]?.chunk);
      found += exact.filter(({ chunk }) => near.includes(chunk)).length;
    }
    expect(found / 50).toBeGreaterThan(0.9);
  });
  it('omits chunks that are not allowed or have no vector', () => {
    const views = rowsOf(randomVectors(5, 64));
    views.scales[1] = 0;
    const near = nearestRows(views)(new Array<number>(64).fill(1), {
      limit: 5,
      isAllowed: (chunk) => chunk !== 3,
    });
    expect(near.map(({ chunk }) => chunk).sort()).toEqual([0, 2, 4]);
  });
  it('refuses a vector of another dimension', () => {
    expect(() => nearestRows(rowsOf(randomVectors(5, 64)))([1, 2], { limit: 5 })).toThrow(
      RangeError,
    );
  });
});

const SPACE = { model: 'm', dimensions: 8 };
const FOUR = entryOf({ id: 'a', sections: Array.from({ length: 4 }, () => ({ text: 'x' })) });
const edition = (spareBytes = 0) =>
  buildEdition([FOUR], IDENTITY, { spareBytes: () => spareBytes });

describe('the vectors of an edition', () => {
  it('have ids, which are the same for equal chunks', () => {
    const idOf = (start: string) => start.padEnd(32, '0');
    const ids = [idOf('b0'), idOf('a0'), undefined, idOf('b0')];
    const vectors = vectorsOf(
      openEdition(attachVectors(edition(), { kind: 'ids', space: SPACE, ids })),
    );
    if (vectors?.kind !== 'ids') throw new Error('There are no ids');
    expect(vectors.space).toEqual(SPACE);
    const asked = [...['a0', 'b0', '00', 'ff', 'c'].map(idOf), 'a0', '../../x', ''];
    expect(asked.map((id) => vectors.chunksOf(id))).toEqual([[1], [0, 3], [], [], [], [], [], []]);
  });
  it('are attached without a copy when there is room', () => {
    const space = { model: 'm', dimensions: 20_000 };
    const built = edition(attachedBytes('rows', space, 4));
    const rows = randomVectors(4, 20_000).map((vector) => packVector(quantise(vector)));
    const attached = attachVectors(built, { kind: 'rows', space, rows, chunks: 4 });
    expect([attached.buffer === built.buffer, vectorsOf(openEdition(attached))?.kind]).toEqual([
      true,
      'rows',
    ]);
  });
  it('are absent when a section does not match the chunks, and refused when their number differs', () => {
    const ids = ['a0'.padEnd(32, '0')];
    expect(
      vectorsOf(openEdition(attachVectors(edition(), { kind: 'ids', space: SPACE, ids }))),
    ).toBeUndefined();
    expect(() =>
      attachVectors(edition(), { kind: 'rows', space: SPACE, rows: [], chunks: 4 }),
    ).toThrow(RangeError);
  });
});

describe('the embedded text of a chunk', () => {
  it('is its title, its headings and its text', () => {
    expect(embeddingTextOf({ title: 'T', headingPath: ['A', 'B'], text: 'Text.' })).toBe(
      'T\nA > B\nText.',
    );
    expect(embeddingTextOf({ title: ' ', headingPath: [], text: 'Text.' })).toBe('Text.');
  });
  it.each(['a', 'é', '文', '😀'])(
    'is at most 8,000 bytes long and cut between characters: %s',
    (character) => {
      const text = embeddingTextOf({ title: 'T', headingPath: [], text: character.repeat(9000) });
      const bytes = new TextEncoder().encode(text);
      expect(bytes.length).toBeGreaterThan(7990);
      expect(bytes.length).toBeLessThanOrEqual(8000);
      expect(new TextDecoder('utf-8', { fatal: true }).decode(bytes)).toBe(text);
    },
  );
  it('has a different id for every change of the text, the model or the dimensions', async () => {
    const spaces = [SPACE, SPACE, { ...SPACE, model: 'n' }, { ...SPACE, dimensions: 9 }];
    const ids = await Promise.all([
      ...spaces.map((space) => vectorIdOf('a', space)),
      vectorIdOf('b', SPACE),
    ]);
    expect(ids[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(ids[1]).toBe(ids[0]);
    expect(new Set(ids).size).toBe(4);
  });
});
