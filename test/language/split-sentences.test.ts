import fc from 'fast-check';
import { expect, it } from 'vitest';
import { splitSentences } from '../../src/language/split-sentences.ts';
import cases from './split-sentences.json' with { type: 'json' };

it.each(cases.sentences as [string, string, string[]][])('%s', (_fact, text, expected) =>
  expect(splitSentences(text).map(({ start, end }) => text.slice(start, end))).toEqual(expected),
);
it('reads only the requested range and reports offsets in the whole text', () => {
  const spans = splitSentences('Skip this. Read this. And this.', { start: 11, end: 21 });
  expect(spans).toEqual([{ start: 11, end: 21 }]);
});
it('drops only white space and hard breaks of any text, and keeps the order', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...cases.pieces), { maxLength: 40 }), (pieces) => {
      const text = pieces.join('');
      const spans = splitSentences(text);
      const dropped = [...spans, { start: text.length, end: text.length }].map(({ start }, at) =>
        text.slice(spans[at - 1]?.end ?? 0, start),
      );
      for (const { start, end } of spans) expect(end).toBeGreaterThan(start);
      expect(
        dropped.join('').length + spans.reduce((sum, { start, end }) => sum + end - start, 0),
      ).toBe(text.length);
      for (const between of dropped) expect(between.replace(/<br>\n/g, '').trim()).toBe('');
    }),
    { seed: 4 },
  );
});
