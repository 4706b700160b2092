import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitSentences } from '../../src/text/split-sentences.ts';
import cases from './split-sentences.json' with { type: 'json' };

const sentencesOf = (text: string) => splitSentences(text).map(({ start, end }) => text.slice(start, end));

describe('splitSentences()', () => {
  it.each(cases.sentences as [string, string, string[]][])('%s', (_fact, text, expected) =>
    expect(sentencesOf(text)).toEqual(expected),
  );

  it('reads only the requested range and reports offsets in the whole text', () => {
    const text = 'Skip this. Read this. And this.';
    const spans = splitSentences(text, { start: 11, end: 21 });
    expect(spans).toEqual([{ start: 11, end: 21 }]);
    expect(text.slice(11, 21)).toBe('Read this.');
  });

  it('drops only white space and hard breaks of any text, and keeps the order', () => {
    const piece = fc.constantFrom(...cases.pieces);
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        let last = 0;
        for (const { start, end } of splitSentences(text)) {
          const expected = '';
          expect(
            text
              .slice(last, start)
              .replace(/<br>\n/g, '')
              .trim(),
          ).toBe(expected);
          expect(end).toBeGreaterThan(start);
          last = end;
        }
        expect(
          text
            .slice(last)
            .replace(/<br>\n/g, '')
            .trim(),
        ).toBe('');
      }),
      { seed: 4 },
    );
  });
});
