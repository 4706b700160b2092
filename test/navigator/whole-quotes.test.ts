import { describe, expect, it } from 'vitest';
import { wholeQuotes } from '../../src/navigator/validate-navigator-response.ts';

const TEXT =
  'Replace damaged cables. Do not mend them with tape.\n\n| Part | Term |\n| --- | --- |\n| Fan | 6 months |\n';
const knowledge = { article: () => ({ text: TEXT }) };
const quoted = (quote: string, answer = quote) => {
  const start = TEXT.indexOf(quote);
  const excerpts = [{ quote, start, end: start + quote.length }];
  return wholeQuotes([{ file: 'a.md', section: 'A', relevance: 'r', excerpts }], { answer, knowledge });
};

describe('wholeQuotes()', () => {
  it('returns sentences and rows that the answer contains whole', () => {
    for (const quote of ['Replace damaged cables.', 'Do not mend them with tape.', '| Fan | 6 months |'])
      expect(quoted(quote)).toEqual([quote]);
  });
  it('returns no part of a sentence, and nothing that the answer lacks', () => {
    expect(quoted('mend them with tape.')).toEqual([]);
    expect(quoted('Do not mend')).toEqual([]);
    expect(quoted('Do not mend them with tape.', 'Mend them.')).toEqual([]);
  });
});
