import { describe, expect, it } from 'vitest';
import { inOrder, ticketMetadata } from '../../../src/support/tools/ticket-parts.ts';

const message = (id: string, sentAtMs?: number) => ({
  id,
  from: 'customer' as const,
  isPublic: true,
  text: id,
  sentAtMs,
});

it.each([
  [
    'puts the oldest first, and keeps the order of equal times',
    [message('c', 3), message('a', 1), message('b', 1)],
  ],
  [
    'keeps a message without a time behind the one before it',
    [message('a', 1), message('b'), message('d', 4), message('c', 2)],
  ],
  ['keeps the order without any times', [message('a'), message('b')]],
])('inOrder() %s', (_, messages) => {
  const ids = inOrder(messages).map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted());
});

describe('ticketMetadata()', () => {
  it.each([
    [undefined, 'Apollo II'],
    ['cf_7', 'Apollo III'],
    ['cf_8', undefined],
  ])(
    'takes the product from the configured field, else from one named so: %s',
    (productField, product) => {
      const fields = { Device: 'Apollo II', cf_7: 'Apollo III' };
      expect(ticketMetadata({ fields, ...(productField && { productField }) }).product).toBe(
        product,
      );
    },
  );
  it('omits fields that are empty or not primitive', () => {
    const fields = { a: null, b: '', c: ['x'], d: { e: 1 }, f: 0, g: false, ['__proto__']: 'x' };
    expect(ticketMetadata({ fields })).toEqual({ fields: { f: 0, g: false } });
    expect(ticketMetadata({})).toEqual({});
  });
  it('has at most 12,000 characters of JSON, and no half characters', () => {
    const long = '\u0001'.repeat(5000);
    const many = Array<string>(500).fill(long);
    const fields = {
      product: long,
      ...Object.fromEntries(many.map((text, at) => [`f${at}`, text])),
    };
    const parts = { channel: long, tags: many, attachments: many, fields };
    expect(JSON.stringify(ticketMetadata(parts)).length).toBeLessThanOrEqual(12_000);
    const half = {
      tags: ['\ud83d\ude00'.repeat(100)],
      attachments: [`${'x'.repeat(199)}\ud83d\ude00`],
    };
    expect(JSON.stringify(ticketMetadata(half))).not.toMatch(/\\ud83d"/);
  });
});
