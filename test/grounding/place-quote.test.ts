import { describe, expect, it } from 'vitest';
import { evidenceOfQuote, placeQuote } from '../../src/grounding/quote-evidence.ts';

const TEXT = `Use the **following** steps:

1. Open [Settings](https://docs.example.com/s) and wait.
2. Set the voltage to 12.5 V.

### Not covered

| Mode | Noise |
| --- | --- |
| Quiet | 32 dBA |
| Turbo | 45 dBA |`;

const placed = (quote: string) => placeQuote(TEXT, quote)?.map(({ start, end }) => TEXT.slice(start, end));

describe('placeQuote()', () => {
  it.each([
    ['without marks', 'Use the following steps', ['Use the **following** steps:']],
    ['over lines and list numbers', 'Open Settings and wait. Set the voltage to 12.5 V.', undefined],
    ['with its link', 'Open [Settings](https://docs.example.com/s) and wait', undefined],
    ['in another case', 'set the VOLTAGE to 12.5 v', ['Set the voltage to 12.5 V.']],
    ['as a table row', '| Turbo | 45 dBA |', undefined],
    ['with an ellipsis, in order', 'Use the following … 12.5 V', ['Use the **following**', '12.5 V.']],
  ])('finds words %s', (_how, quote, expected) => {
    const found = placed(quote);
    expect(found).toBeDefined();
    if (expected !== undefined) expect(found).toEqual(expected);
  });

  it.each([
    ['that are not there', 'Set the voltage to 13 V'],
    ['in another order', '12.5 V … Use the following'],
    ['that are too short', 'V'],
    ['that are only marks', '** | **'],
    ['of nothing', ''],
  ])('finds no words %s', (_what, quote) => expect(placed(quote)).toBeUndefined());
});

describe('evidenceOfQuote()', () => {
  const passage = { id: 'p1', title: 'Voltage', headings: ['Supply'], text: TEXT, devices: ['Barista II'] };
  const evidenceOf = (quote: string) => {
    const [span] = placeQuote(TEXT, quote) ?? [];
    if (span === undefined) throw new Error('the quote is not there');
    return evidenceOfQuote({ passage, span });
  };

  it('includes the introduction of a list', () => {
    expect(evidenceOf('Set the voltage').text).toBe('Use the **following** steps:\n\n2. Set the voltage to 12.5 V.');
  });
  it('includes the header of a table, and the headings above it', () => {
    const { text, headings } = evidenceOf('45 dBA');
    expect(text).toBe('| Mode | Noise |\n| --- | --- |\n\n| Turbo | 45 dBA |');
    expect(headings).toEqual(['Voltage', 'Supply', 'Barista II', 'Not covered']);
  });
});
