import { describe, expect, it } from 'vitest';
import { evidenceOfQuote, placeQuote } from '../../../src/answering/check/quote-evidence.ts';
import cases from './place-quote.json' with { type: 'json' };

const TEXT = cases.text;

describe('placeQuote()', () => {
  it.each(cases.found as [string, string, string[] | null][])(
    'finds %s',
    (_what, quote, expected) =>
      expect(placeQuote(TEXT, quote)?.map(({ start, end }) => TEXT.slice(start, end))).toEqual(
        expected ?? [expect.any(String)],
      ),
  );
  it.each(cases.missing)('finds no words %s', (_what, quote) =>
    expect(placeQuote(TEXT, quote)).toBeUndefined(),
  );
});

const passage = {
  id: 'p1',
  title: 'Voltage',
  headings: ['Supply'],
  text: TEXT,
  devices: ['Barista II'],
};
it.each(cases.evidence as [string, string, object][])(
  'evidenceOfQuote() includes %s',
  (_what, quote, expected) =>
    expect(evidenceOfQuote({ passage, span: placeQuote(TEXT, quote)![0]! })).toMatchObject(
      expected,
    ),
);
