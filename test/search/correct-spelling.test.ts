import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { correctSpelling } from '../../src/search/correct-spelling.ts';
import { entryText } from '../../src/search/text-table.ts';
import { editDistance } from '../../src/text/edit-distance.ts';
import cases from './correct-spelling.json' with { type: 'json' };
import { editionOfTexts } from './edition-fixture.ts';

const { index } = editionOfTexts(
  'ethernet cable temperature temperature temperatures fan',
  'hashrate hashboard firmware firmware network wallet walled cafe 0x80070005',
  'table cable gable 重置按钮',
);

const correctionsOf = (word: string): string[] =>
  correctSpelling(index, word).map(({ place, distance }) => `${entryText(index.words, place)} ${distance}`);

describe('correctSpelling()', () => {
  it.each([...(cases.words as [string, string, string[]][]), ['a word beyond 32 letters', 'x'.repeat(33), []]])(
    '%s: %s',
    (_what, word, expected) => expect(correctionsOf(word)).toEqual(expected),
  );

  it('finds every word of the vocabulary after one edit inside it', () => {
    const words = ['ethernet', 'temperature', 'hashboard', 'firmware'];
    const edit = fc.record({
      word: fc.constantFrom(...words),
      at: fc.integer({ min: 1, max: 7 }),
      letter: fc.constantFrom('q', 'z', ''),
    });
    fc.assert(
      fc.property(edit, ({ word, at, letter }) => {
        const misspelt = word.slice(0, at) + letter + word.slice(at + 1);
        expect(correctionsOf(misspelt)).toContain(`${word} 1`);
      }),
    );
  });
});

/** Reference implementation: optimal string alignment. */
const plainDistance = (left: string, right: string): number => {
  const table: number[][] = [];
  for (let row = 0; row <= left.length; row++) {
    const line: number[] = [];
    table.push(line);
    for (let column = 0; column <= right.length; column++) {
      const options = [row === 0 ? column : table[row - 1]![column]! + 1, column === 0 ? row : line[column - 1]! + 1];
      if (row > 0 && column > 0)
        options.push(table[row - 1]![column - 1]! + (left[row - 1] === right[column - 1] ? 0 : 1));
      const isSwap = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (row > 1 && column > 1 && isSwap) options.push(table[row - 2]![column - 2]! + 1);
      line.push(row === 0 || column === 0 ? Math.max(row, column) : Math.min(...options));
    }
  }
  return table[left.length]![right.length]!;
};

it('editDistance() is the number of edits up to the limit, and above the limit otherwise', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 9 });
  fc.assert(
    fc.property(letters, letters, fc.constantFrom(1, 2), (left, right, limit) => {
      const bytes = new TextEncoder().encode(`xy${right}z`);
      const distance = editDistance(new TextEncoder().encode(left), bytes, { from: 2, to: bytes.length - 1, limit });
      const expected = plainDistance(left, right);
      if (expected <= limit) expect(distance).toBe(expected);
      else expect(distance).toBeGreaterThan(limit);
    }),
    { numRuns: 700 },
  );
});
