import { describe, expect, it } from 'vitest';
import { wholeQuotes } from '../../src/navigator/validate-navigator-response.ts';

const TEXT =
  'Replace damaged cables. Do not mend them with tape.\n\n| Part | Term |\n| --- | --- |\n| Fan | 6 months |\n';
const knowledge = { article: () => ({ text: TEXT }) };
const quoted = (quote: string, answer = quote) => {
  const start = TEXT.indexOf(quote);
  const source = {
    file: 'a.md',
    section: 'A',
    relevance: 'r',
    excerpts: [{ quote, start, end: start + quote.length }],
  };
  return wholeQuotes([source], { answer, knowledge });
};

describe('wholeQuotes()', () => {
  it('takes sentences and rows that the answer shows whole', () => {
    for (const quote of ['Replace damaged cables.', 'Do not mend them with tape.', '| Fan | 6 months |'])
      expect(quoted(quote)).toEqual([quote]);
  });

  it('takes nothing that was cut out of a sentence, or is not in the answer', () => {
    expect(quoted('mend them with tape.')).toEqual([]);
    expect(quoted('Do not mend')).toEqual([]);
    expect(quoted('Do not mend them with tape.', 'Mend them.')).toEqual([]);
  });
});
