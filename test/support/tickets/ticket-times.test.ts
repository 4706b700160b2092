import { expect, it } from 'vitest';
import { readTicketTimes } from '../../../src/support/tickets/ticket-times.ts';

it('readTicketTimes() has defaults', () => {
  expect(readTicketTimes({ TICKET_RETRY_MS: '' })).toEqual({
    retryMs: 1000,
    settleMs: 20_000,
    callMs: 10_000,
    analyseMs: 15_000,
    attempts: 24,
    atOnce: 5,
    keepMs: 30 * 86_400_000,
  });
});
it.each([
  ['TICKET_RETRY_MS', '5'],
  ['TICKET_SETTLE_MS', '0'],
  ['TICKET_CALL_MS', '60000'],
  ['TICKET_ATTEMPTS', '1.5'],
  ['TICKET_KEEP_DAYS', 'many'],
])('readTicketTimes() refuses %s = %s', (name, value) => {
  expect(() => readTicketTimes({ [name]: value })).toThrow(`Cannot use ${name}`);
});
