import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openWordVectors, wordVectorsIn } from '../../../src/ai/embeddings/word-vectors.ts';
import { wordsOf } from '../../../src/language/analyse-text.ts';
import { stem } from '../../../src/language/stem.ts';
import { shippedWordVectors } from '../../../tools/run/shipped-word-vectors.ts';
import { wordTable } from './word-table.ts';

/** Three stems in four dimensions; whole numbers from -8 to 7, times the scale. */
const TABLE = wordTable({
  boat: { scale: 1, row: [3, 4, 0, 0] },
  lamp: { scale: 0.5, row: [0, 0, -8, 6] },
  ship: { scale: 2, row: [3, 4, 0, 0] },
});
const numbers = (vector: Float32Array | undefined) =>
  vector && Array.from(vector, (value) => Number(value.toFixed(4)));
const cosine = (left: Iterable<number> = [], right: ArrayLike<number> = []): number =>
  [...left].reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0);

describe('openWordVectors()', () => {
  const words = openWordVectors(TABLE);

  it('adds the scaled vectors of the stems and normalises the sum', () => {
    expect(words.dimensions).toBe(4);
    expect(numbers(words.vectorOf(['boat']))).toEqual([0.6, 0.8, 0, 0]);
    expect(numbers(words.vectorOf(['lamp']))).toEqual([0, 0, -0.8, 0.6]);
    // Both have length 5.
    expect(numbers(words.vectorOf(['boat', 'lamp']))).toEqual([0.4243, 0.5657, -0.5657, 0.4243]);
  });
  it('counts a stem that occurs n times n to the power of 0.7', () => {
    const [first = 0, , third = 0] = words.vectorOf(['boat', 'boat', 'boat', 'lamp']) ?? [];
    expect(first / -third).toBeCloseTo((3 ** 0.7 * 3) / 4, 5);
  });
  it('ignores unknown stems, also before the first and after the last name', () => {
    expect(numbers(words.vectorOf(['boat', 'aa', 'boats', 'boa', 'zebra']))).toEqual([
      0.6, 0.8, 0, 0,
    ]);
    expect(words.vectorOf(['zebra'])).toBeUndefined();
    expect(words.vectorOf([])).toBeUndefined();
    expect(words.vectorOfText('')).toBeUndefined();
  });
  it('analyses and stems the words of a text', () => {
    expect(numbers(words.vectorOfText('The BOATS, and the lamp: "boat"!'))).toEqual(
      numbers(words.vectorOf(['boat', 'lamp', 'boat'])),
    );
  });
  it('shortens the vector of a question by the share of its different stems that it knows', () => {
    expect(numbers(words.vectorOfQuestion('Boats?'))).toEqual([0.6, 0.8, 0, 0]);
    expect(numbers(words.vectorOfQuestion('red boats, green boats'))).toEqual([0.2, 0.2667, 0, 0]);
    expect(words.vectorOfQuestion('red and green')).toBeUndefined();
  });
  it('keeps no state between texts', () => {
    const before = numbers(words.vectorOfText('lamp'));
    words.vectorOf(['boat', 'ship', 'ship']);
    words.vectorOfQuestion('boat');
    expect(numbers(words.vectorOfText('lamp'))).toEqual(before);
  });
  it('opens a table in the middle of a larger buffer', () => {
    const larger = new Uint8Array(TABLE.length + 3);
    larger.set(TABLE, 1);
    const moved = openWordVectors(larger.subarray(1, TABLE.length + 1));
    expect(numbers(moved.vectorOf(['lamp', 'ship']))).toEqual(
      numbers(words.vectorOf(['lamp', 'ship'])),
    );
  });
  it.each([
    ['nothing', new Uint8Array(0), /begin with SWV1/],
    [
      'another file',
      new TextEncoder().encode('<!doctype html><title>Not found</title>'),
      /begin with SWV1/,
    ],
    ['a table that is cut off', TABLE.slice(0, -1), /has \d+ bytes, and its header says \d+/],
    ['a table with bytes behind it', Uint8Array.from([...TABLE, 0]), /has \d+ bytes/],
    ['a table without stems', TABLE.slice(0, 16).fill(0, 4), /header is damaged/],
    ['names whose lengths do not add up', TABLE.with(TABLE.length - 13, 200), /do not add up/],
  ])('refuses %s with an error that says why', (_, bytes, reason) => {
    expect(() => openWordVectors(bytes)).toThrow(/Cannot read the table of word vectors/);
    expect(() => openWordVectors(bytes)).toThrow(reason);
  });
  it('returns a vector of length 1, or none, for any table', () => {
    const scalesAndRows = fc.integer({ min: 16, max: 33 });
    fc.assert(
      fc.property(scalesAndRows, fc.nat({ max: 255 }), (at, value) => {
        const vector = openWordVectors(TABLE.with(at, value)).vectorOf(['boat', 'lamp']);
        expect(Math.hypot(...(vector ?? [1]))).toBeCloseTo(1, 3);
      }),
    );
    const infinite = TABLE.slice();
    infinite.set(new Uint8Array(Float32Array.of(Number.POSITIVE_INFINITY).buffer), 16);
    expect(openWordVectors(infinite).vectorOf(['boat'])).toBeUndefined();
  });
});
it('wordVectorsIn() opens the table on first use, and once', () => {
  expect(wordVectorsIn(new ArrayBuffer(8))).toThrow(/Cannot read the table of word vectors/);
  const words = wordVectorsIn(TABLE.slice().buffer);
  expect(words()).toBe(words());
});

describe('the shipped table', () => {
  const words = shippedWordVectors();

  it('returns the vector of the stems, wherever the spaces are', () => {
    const texts =
      "fan doesn't smartCard e-mail 16.0.4266 café 重置 Wi-Fi, NOISE. /api/v2 the “hot”".split(' ');
    const pieces = fc.constantFrom(...texts);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(pieces, fc.constantFrom(' ', '\n', '\t', '  ', ' - '))),
        (parts) => {
          const text = parts.flat().join('');
          expect(words.vectorOfText(text)).toEqual(words.vectorOf(wordsOf(text).map(stem)));
        },
      ),
    );
  });
  it.each([
    ['How loud is it?', 'Noise level', 'Size and weight'],
    ['swap a broken part', 'Replacing a damaged component', 'Prices and payment'],
    ['What does it cost?', 'Price and payment', 'Opening hours'],
    ['delete my user', 'Removing an account', 'Printing an invoice'],
    ['The display stays black', 'The screen is dark', 'The battery is empty'],
  ])('puts %s closer to %s than to %s', (question, close, far) => {
    const vector = words.vectorOfQuestion(question);
    expect(cosine(vector, words.vectorOfText(close))).toBeGreaterThan(
      cosine(vector, words.vectorOfText(far)) + 0.1,
    );
  });
  it('reads texts of any length and kind', () => {
    for (const text of [
      'a'.repeat(100_000),
      'word '.repeat(100_000),
      '🔥'.repeat(1000),
      '\u0000 \ud800 \uffff',
    ]) {
      const length = Math.hypot(...(words.vectorOfText(text) ?? [1]));
      expect(length).toBeCloseTo(1, 3);
    }
  });
});
it('shortens the vector of a question by what it does not know, and no other', () => {
  const words = openWordVectors(TABLE);
  expect(Math.hypot(...(words.vectorOfQuestion('red boat') ?? []))).toBeCloseTo(0.5, 5);
  expect(Math.hypot(...(words.vectorOfText('red boat') ?? []))).toBeCloseTo(1, 5);
  expect(words.vectorOfText('red')).toBeUndefined();
});
