import { expect, it } from 'vitest';
import { SupportRequest } from '../../../src/contract/wire/support-response.ts';
import { supportRequestOf } from '../../../src/support/tickets/ticket-draft.ts';
import type { HelpdeskMessage, Ticket } from '../../../src/support/tools/helpdesk-tool.ts';
import { customerMessage, START } from './case-for-test.ts';

const ticket = (messages: HelpdeskMessage[], more: Partial<Ticket> = {}): Ticket => ({
  id: '1',
  subject: 'Help',
  customer: { id: 'c', name: 'Dana Ortiz' },
  metadata: { product: 'Apollo II' },
  messages,
  ...more,
});
const requestOf = (asked: Ticket, id: string) =>
  supportRequestOf(
    asked,
    asked.messages.find((message) => message.id === id) ?? customerMessage(id),
  );

it('contains the message, with the public messages before it', () => {
  const messages = [
    customerMessage('1', { text: 'First.' }),
    customerMessage('2', { from: 'agent', text: 'Reply.', sentAtMs: undefined }),
    customerMessage('3', { from: 'agent', text: 'Internal.', isPublic: false }),
    customerMessage('4', { from: 'system', text: 'Assigned.' }),
    customerMessage('5', { text: 'Second.' }),
    customerMessage('6', { text: 'Later.' }),
  ];
  expect(requestOf(ticket(messages), '5')).toEqual({
    message: 'Second.',
    subject: 'Help',
    customer_name: 'Dana Ortiz',
    metadata: { product: 'Apollo II' },
    history: [
      { from: 'customer', text: 'First.', sent_at: new Date(START).toISOString() },
      { from: 'agent', text: 'Reply.' },
    ],
  });
});
it('uses the subject for an empty first message only', () => {
  const messages = [customerMessage('1', { text: ' ' }), customerMessage('2', { text: '' })];
  expect(requestOf(ticket(messages), '1')?.message).toBe('Help');
  expect(requestOf(ticket(messages), '2')).toBeUndefined();
  expect(requestOf(ticket(messages, { subject: undefined }), '1')).toBeUndefined();
});
it('omits what is unknown', () => {
  const unknown = { subject: ' ', customer: { id: undefined, name: undefined }, metadata: {} };
  expect(requestOf(ticket([customerMessage('1')], unknown), '1')).toEqual({
    message: 'Question 1.',
  });
});
it('stays within the contract and the body limit of a guarded route, whatever the ticket contains', () => {
  const long = '漢🙂'.repeat(20_000);
  const deep = { a: { b: { c: { d: { e: { f: { g: 1 } } } } } } };
  const messages = Array.from({ length: 200 }, (_, at) => {
    const from = at % 2 === 0 ? ('customer' as const) : ('agent' as const);
    return customerMessage(String(at), { from, text: long, sentAtMs: at === 5 ? 9e15 : START });
  });
  const metadata = {
    product: 'Apollo II',
    long,
    deep,
    many: Array(9000).fill('x'),
    undefined,
    tags: ['a'],
  };
  const huge = ticket(messages, { subject: long, customer: { id: 'c', name: long }, metadata });
  const request = SupportRequest.parse(requestOf(huge, '199'));
  expect(request.metadata).toEqual({ product: 'Apollo II', tags: ['a'] });
  expect(new TextEncoder().encode(JSON.stringify(request)).length).toBeLessThan(262_144);
  const short = messages.map((message) => ({ ...message, text: 'x' }));
  expect(SupportRequest.parse(requestOf(ticket(short), '199')).history).toHaveLength(100);
});
