import { expect, it } from 'vitest';
import { readTicket } from '../../../src/support/message/read-ticket.ts';
import { taxonomy } from '../drafts/tickets.ts';
import cases from './tickets.json' with { type: 'json' };

type More = Omit<Parameters<typeof readTicket>[0], 'message'>;
type Read = ReturnType<typeof readTicket>;
const read = (message: string, more: More = {}) =>
  readTicket(
    { message, ...more },
    { mask: (text) => text.replaceAll('a@b.example', '[email]'), taxonomy },
  );

// The compiler reads the rows of a JSON file as lists of any of their values.
it.each(cases.read as unknown as [string, string, More, Partial<Read>][])(
  '%s: %s',
  (_, message, more, expected) => {
    expect(read(message, more)).toMatchObject(expected);
  },
);
it.each(cases.products as unknown as [string, More, string | null, string?][])(
  'reads only a product: %s %j',
  (message, more, product, otherProduct) => {
    const ticket = read(message, more);
    expect([ticket.product, ticket.otherProduct]).toEqual([product ?? undefined, otherProduct]);
  },
);
it('reads no product of 5,000 characters, and no language in a short text', () => {
  expect(read('It is loud', { metadata: { product: 'x'.repeat(5000) } }).product).toBeUndefined();
  expect(read('0 H/s').language).toBeUndefined();
});
it('masks message, subject and history, and masks and bounds the other metadata', () => {
  const ticket = read('I am a@b.example', {
    subject: 'a@b.example',
    history: [{ from: 'customer', text: 'Write to a@b.example please' }],
    metadata: {
      note: `a@b.example ${'x'.repeat(5000)}`,
      attachments: Array(50).fill('a@b.example.log'),
      paid: 7,
    },
  });
  expect(JSON.stringify(ticket)).not.toContain('a@b.example');
  expect(String(ticket.metadata.note)).toHaveLength(1000);
  expect(ticket.metadata.attachments).toHaveLength(20);
  expect(ticket.metadata.paid).toBe(7);
});
it('resolves a pronoun', () => {
  const history = [{ from: 'customer' as const, text: 'I bought the Apollo III last week.' }];
  expect(
    read('How do I connect it to my router at home by cable?', { history }).question,
  ).toContain('Apollo III');
});
it('masks before it truncates', () =>
  expect(read(`${'x'.repeat(7995)} a@b.example`).message).not.toContain('a@'));
it('reads only the beginning of a long message, and reports it', () => {
  const ticket = read('word '.repeat(6000));
  expect(ticket.isShortened).toBe(true);
  expect(ticket.message.length).toBeLessThanOrEqual(8000);
});
