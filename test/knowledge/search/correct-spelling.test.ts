import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { entryText } from '../../../src/knowledge/edition/text-table.ts';
import { correctSpelling } from '../../../src/knowledge/search/analyse-query.ts';
import { editDistance } from '../../../src/platform/edit-distance.ts';
import cases from './correct-spelling.json' with { type: 'json' };
import { editionOfTexts } from './edition-fixture.ts';

const { index } = editionOfTexts(
  'ethernet cable temperature temperature temperatures fan',
  'hashrate hashboard firmware firmware network wallet walled cafe 0x80070005',
  'table cable gable 重置按钮',
);

const correctionsOf = (word: string): string[] =>
  correctSpelling(index, word).map(
    ({ place, distance }) => `${entryText(index.words, place)} ${distance}`,
  );

it.each([
  ...(cases.words as [string, string, string[]][]),
  ['a word beyond 32 letters', 'x'.repeat(33), []],
])('correctSpelling() with %s: %s', (_what, word, expected) =>
  expect(correctionsOf(word)).toEqual(expected),
);

it('correctSpelling() finds every word of the vocabulary after one edit inside it', () => {
  const word = fc.constantFrom('ethernet', 'temperature', 'hashboard', 'firmware');
  const edit = fc.tuple(word, fc.integer({ min: 1, max: 7 }), fc.constantFrom('q', 'z', ''));
  const property = fc.property(edit, ([whole, at, letter]) => {
    expect(correctionsOf(whole.slice(0, at) + letter + whole.slice(at + 1))).toContain(
      `${whole} 1`,
    );
  });
  fc.assert(property);
});

/** Reference implementation: optimal string alignment. */
const plainDistance = (left: string, right: string): number => {
  if (left === '' || right === '') return left.length + right.length;
  const [rest, other] = [left.slice(1), right.slice(1)];
  const isSwap = left.length > 1 && left[0] === right[1] && left[1] === right[0];
  return Math.min(
    ...[plainDistance(rest, right) + 1, plainDistance(left, other) + 1],
    plainDistance(rest, other) + (left[0] === right[0] ? 0 : 1),
    isSwap ? plainDistance(left.slice(2), right.slice(2)) + 1 : Number.POSITIVE_INFINITY,
  );
};

it('editDistance() is the number of edits up to the limit, and above the limit otherwise', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 });
  const property = fc.property(letters, letters, fc.constantFrom(1, 2), (left, right, limit) => {
    const bytes = new TextEncoder().encode(`xy${right}z`);
    const distance = editDistance(new TextEncoder().encode(left), bytes, {
      from: 2,
      to: bytes.length - 1,
      limit,
    });
    expect(Math.min(distance, limit + 1)).toBe(Math.min(plainDistance(left, right), limit + 1));
  });
  fc.assert(property, { numRuns: 700 });
});
