import { expect, it } from 'vitest';
import { createTurns } from '../../../src/support/tickets/desk.ts';

const ticket = (ticketId: string) => ({ helpdesk: 'chatwoot' as const, ticketId });

/** Two tickets at once; one that does not leave counts for a minute. */
const start = (call: (id: string) => Promise<boolean> = async () => true) => {
  const clock = { now: 1000 };
  const called: string[] = [];
  const turns = createTurns({
    limit: 2,
    longestMs: 60_000,
    now: () => clock.now,
    call: ({ ticketId }) => {
      called.push(ticketId);
      return call(ticketId);
    },
  });
  const begins = (id: string) => turns.enter(ticket(id)) <= clock.now;
  return { clock, called, turns, begins };
};

it('lets two tickets begin, and calls the others one by one in the order in which they came', () => {
  const { turns, begins, called } = start();
  expect(['1', '2', '3', '4', '3'].map(begins)).toEqual([true, true, false, false, false]);
  turns.leave(ticket('1'));
  expect(called).toEqual(['3']);
  // Its turn is reserved.
  expect([begins('5'), begins('3')]).toEqual([false, true]);
  turns.leave(ticket('3'));
  turns.leave(ticket('3'));
  expect(called).toEqual(['3', '4']);
});

it('has a waiting ticket ask again some time after its turn should have come', () => {
  const { turns, begins, clock } = start();
  begins('1');
  begins('2');
  const first = turns.enter(ticket('3')) - clock.now;
  const second = turns.enter(ticket('4')) - clock.now;
  expect(first).toBeGreaterThanOrEqual(5000);
  expect(second).toBeGreaterThan(first);
});

it('counts a ticket that does not leave for a minute, and one that cannot be called not at all', async () => {
  const { begins, clock, turns } = start(async () => {
    throw new Error('the object does not answer');
  });
  expect(['1', '2', '3'].map(begins)).toEqual([true, true, false]);
  turns.leave(ticket('1'));
  await Promise.resolve();
  await Promise.resolve();
  expect(begins('4')).toBe(true);
  expect(begins('5')).toBe(false);
  clock.now += 60_001;
  expect(begins('5')).toBe(true);
});

it('calls the next in place of one that has nothing to do, or that may not work for now', async () => {
  const { begins, called, turns } = start(async (id) => id !== '3');
  expect(['1', '2', '3', '4', '5', '6'].map(begins).slice(2)).not.toContain(true);
  turns.leave(ticket('1'));
  await Promise.resolve();
  expect(called).toEqual(['3', '4']);
  turns.remove(ticket('5'));
  turns.remove(ticket('4'));
  expect(called).toEqual(['3', '4', '6']);
});

it('does not call the very ticket that asks', () => {
  const { begins, called, clock } = start();
  expect(['1', '2', '3', '4'].map(begins)).toEqual([true, true, false, false]);
  clock.now += 60_001;
  expect(begins('3')).toBe(true);
  expect(called).toEqual(['4']);
});

it('calls the next when a ticket that did not leave counts no more', () => {
  const { begins, called, clock } = start();
  expect(['1', '2', '3', '4'].map(begins)).toEqual([true, true, false, false]);
  clock.now += 60_001;
  expect(begins('5')).toBe(false);
  expect(called).toEqual(['3', '4']);
});
