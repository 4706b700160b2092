import { Buffer } from 'node:buffer';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareByBytes } from '../../src/knowledge/text-table.ts';

describe('compareByBytes()', () => {
  it('orders texts as their UTF-8 bytes are ordered, where plain comparison does not', () => {
    expect(['\u{1f600}', '\uff5e', 'é', 'e'].sort(compareByBytes)).toEqual(['e', 'é', '\uff5e', '\u{1f600}']);
    const text = fc.string({
      unit: fc.constantFrom('a', 'é', '\ud7ff', '\ue000', '\uff5e', '\u{10000}', '\u{1f600}'),
      maxLength: 4,
    });
    fc.assert(
      fc.property(text, text, (left, right) => {
        expect(Math.sign(compareByBytes(left, right))).toBe(Buffer.compare(Buffer.from(left), Buffer.from(right)));
      }),
      { numRuns: 500 },
    );
  });
});
