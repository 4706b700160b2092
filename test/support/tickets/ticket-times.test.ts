import { expect, it } from 'vitest';
import { backOffMs, readTicketTimes } from '../../../src/support/tickets/ticket-times.ts';

it('readTicketTimes() has defaults', () => {
  expect(readTicketTimes({ TICKET_RETRY_MS: '' })).toEqual({
    ...{ retryMs: 1000, settleMs: 20_000, callMs: 10_000, analyseMs: 15_000, attempts: 24, keepMs: 30 * 86_400_000 },
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

it.each([
  [1, 0.5, 1000],
  [3, 0.5, 4000],
  [10, 0.5, 512_000],
  [1000, 0.5, 600_000],
  [1, 0, 750],
  [1, 1, 1250],
])('backOffMs() after %i failures, with the random number %d, is %i', (failures, random, ms) => {
  expect(backOffMs(failures, { retryMs: 1000, random: () => random })).toBe(ms);
});
