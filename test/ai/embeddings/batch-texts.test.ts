import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchesOf, fitText } from '../../../src/ai/embeddings/batch-texts.ts';

const bytesOf = (text: string) => Buffer.byteLength(text);

describe('fitText()', () => {
  it('leaves a text that fits as it is', () => {
    const text = 'ä'.repeat(4096);
    expect(fitText(text)).toBe(text);
    expect(fitText('short')).toBe('short');
  });

  it('makes a blank of nothing', () => {
    expect(fitText('')).toBe(' ');
  });

  it('cuts after the last whole word that fits', () => {
    const text = 'descale the kettle '.repeat(1000);
    const cut = fitText(text);
    expect(bytesOf(cut)).toBeLessThanOrEqual(8192);
    expect(bytesOf(cut)).toBeGreaterThan(8192 - 10);
    expect(cut).toMatch(/ (descale|the|kettle)$/);
    expect(text[cut.length]).toBe(' ');
  });

  it('cuts a word without end between two characters', () => {
    expect(fitText('a'.repeat(9000))).toBe('a'.repeat(8192));
    expect(fitText(`a${'😀'.repeat(9000)}`)).toBe(`a${'😀'.repeat(2047)}`);
  });

  it('keeps blanks of a text that has nothing else', () => {
    expect(fitText(' '.repeat(9000))).toBe(' '.repeat(8192));
  });

  it('replaces half a surrogate pair', () => {
    expect(fitText('cut \ud83d')).toBe('cut \ufffd');
  });

  it('takes a text of ten million letters in a moment', () => {
    const text = 'a b'.repeat(3_300_000);
    const times = Array.from({ length: 20 }, () => {
      const began = performance.now();
      fitText(text);
      return performance.now() - began;
    });
    // The best of them, as the machine may have much else to do.
    expect(Math.min(...times)).toBeLessThan(20);
  });

  it('always gives a beginning that is not empty, well-formed and within 8,192 bytes', () => {
    const units = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 9000 }),
      fc
        .array(fc.constantFrom('a', ' ', 'é', '漢', '😀', '\ud83d', '\udc00', '\n'), { maxLength: 60 })
        .map((parts) => parts.join('').repeat(400)),
    );
    fc.assert(
      fc.property(units, (text) => {
        const cut = fitText(text);
        expect(cut.length).toBeGreaterThan(0);
        expect(cut.isWellFormed()).toBe(true);
        expect(bytesOf(cut)).toBeLessThanOrEqual(8192);
        if (text !== '') expect(text.toWellFormed().startsWith(cut)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

describe('batchesOf()', () => {
  it('makes no request for no text', () => {
    expect(batchesOf([])).toEqual([]);
  });

  it('puts 2048 texts into one request and no more', () => {
    const texts = Array.from({ length: 2049 }, (_, at) => `${at}`);
    expect(batchesOf(texts).map(({ length }) => length)).toEqual([2048, 1]);
  });

  it('keeps order, 300,000 bytes and 2048 texts', () => {
    const text = fc.integer({ min: 1, max: 2730 }).map((length) => '漢'.repeat(length));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 400 }), (texts) => {
        const batches = batchesOf(texts);
        expect(batches.flat()).toEqual(texts);
        for (const batch of batches) {
          expect(batch.length).toBeGreaterThan(0);
          expect(batch.length).toBeLessThanOrEqual(2048);
          expect(batch.reduce((sum, one) => sum + bytesOf(one), 0)).toBeLessThanOrEqual(300_000);
        }
      }),
      { numRuns: 100 },
    );
  });
});
