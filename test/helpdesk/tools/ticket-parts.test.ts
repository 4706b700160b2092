import { describe, expect, it } from 'vitest';
import { inOrder, ticketMetadata } from '../../../src/helpdesk/tools/ticket-parts.ts';

const message = (id: string, sentAtMs?: number) => ({
  ...{ id, from: 'customer' as const, isPublic: true, text: id, sentAtMs },
});
const ids = (messages: readonly { id: string }[]) => messages.map(({ id }) => id).join('');

describe('inOrder()', () => {
  it('puts the oldest first, and keeps the order of equal times', () => {
    expect(ids(inOrder([message('c', 3), message('a', 1), message('b', 1)]))).toBe('abc');
  });
  it('keeps a message without a time behind the one before it', () => {
    expect(ids(inOrder([message('a', 1), message('b', undefined), message('d', 4), message('c', 2)]))).toBe('abcd');
    expect(ids(inOrder([message('a', undefined), message('b', undefined)]))).toBe('ab');
  });
});

describe('ticketMetadata()', () => {
  it('takes the product from the configured field, else from one named so', () => {
    const fields = { Device: 'Apollo II', cf_7: 'Apollo III' };
    expect(ticketMetadata({ fields }).product).toBe('Apollo II');
    expect(ticketMetadata({ fields, productField: 'cf_7' }).product).toBe('Apollo III');
    expect(ticketMetadata({ fields, productField: 'cf_8' }).product).toBeUndefined();
  });
  it('omits fields that are empty or not primitive', () => {
    const fields = { a: null, b: '', c: ['x'], d: { e: 1 }, f: 0, g: false, ['__proto__']: 'x' };
    expect(ticketMetadata({ fields })).toEqual({ fields: { f: 0, g: false } });
    expect(ticketMetadata({})).toEqual({});
  });
  it('has at most 12,000 characters of JSON', () => {
    const long = '\u0001'.repeat(5000);
    const parts = {
      channel: long,
      tags: Array<string>(500).fill(long),
      attachments: Array<string>(500).fill(long),
      fields: { product: long, ...Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`f${at}`, long])) },
    };
    expect(JSON.stringify(ticketMetadata(parts)).length).toBeLessThanOrEqual(12_000);
    const half = { tags: ['\ud83d\ude00'.repeat(100)], attachments: [`${'x'.repeat(199)}\ud83d\ude00`] };
    expect(JSON.stringify(ticketMetadata(half))).not.toMatch(/\\ud83d"/);
  });
});
