import { describe, expect, it } from 'vitest';
import { costOf, priceOf } from '../../src/ai/prices.ts';

const cheap = { inputPerMillion: 1, outputPerMillion: 4 };
const dear = { inputPerMillion: 10, outputPerMillion: 40 };

describe('priceOf()', () => {
  const NAMES = [
    'gpt-4.1-mini',
    'gpt-4.1-mini-2025-04-14',
    'openai/gpt-4.1-mini',
    'openai/gpt-4.1-mini-2025-04-14',
  ];
  it.each(NAMES)('finds %s', (model) =>
    expect(priceOf(model, { 'gpt-4.1-mini': cheap })).toBe(cheap),
  );
  it('prefers the entry of the full name', () => {
    const prices = { 'gpt-4.1': cheap, 'gpt-4.1-2025-04-14': dear, 'host/gpt-4.1': dear };
    expect(priceOf('gpt-4.1-2025-04-14', prices)).toBe(dear);
    expect(priceOf('host/gpt-4.1', prices)).toBe(dear);
    expect(priceOf('gpt-4.1', prices)).toBe(cheap);
  });
  it.each(['gpt-4.1-nano', 'gpt-4', 'constructor', 'toString', '__proto__'])(
    'has no price for %s',
    (model) => {
      expect(priceOf(model, { 'gpt-4.1': cheap })).toBeUndefined();
    },
  );
});
it.each([
  [
    'prices cached input as other input without a price of its own',
    { input: 1_000_000, cached: 500_000 },
    cheap,
    1,
  ],
  [
    'counts no more cached tokens than there are',
    { input: 10, cached: 1000 },
    { ...cheap, cachedInputPerMillion: 0 },
    0,
  ],
  ['is zero for no tokens', { input: 0, cached: 0 }, dear, 0],
])('costOf() %s', (_, tokens, price, cost) =>
  expect(costOf({ ...tokens, output: 0 }, price)).toBe(cost),
);
