import { describe, expect, it } from 'vitest';
import { backOffMs, readTicketTimes } from '../../../src/helpdesk/tickets/ticket-times.ts';

describe('readTicketTimes()', () => {
  it('has defaults', () => {
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
  ])('refuses %s = %s', (name, value) => {
    expect(() => readTicketTimes({ [name]: value })).toThrow(`Cannot use ${name}`);
  });
});

describe('backOffMs()', () => {
  it('doubles up to 600 times the first wait', () => {
    const waits = [1, 2, 3, 10, 11, 1000].map((failures) => backOffMs(failures, { retryMs: 1000, random: () => 0.5 }));
    expect(waits).toEqual([1000, 2000, 4000, 512_000, 600_000, 600_000]);
  });
  it('has a jitter of a quarter either way', () => {
    const waits = [0, 1].map((random) => backOffMs(1, { retryMs: 1000, random: () => random }));
    expect(waits).toEqual([750, 1250]);
  });
});
