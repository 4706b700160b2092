import { expect, it, vi } from 'vitest';
import { openDeliveries } from '../../../src/support/tickets/deliveries.ts';
import type { EventMessage, Undelivered } from '../../../src/support/tickets/ticket-objects.ts';
import { nodeSql } from '../../../tools/stand-ins/node-sql.ts';

const START = 1_800_000_000_000;
const messageOf = (ticketId: string): EventMessage => ({
  kind: 'event',
  workspace: 'default',
  helpdesk: 'chatwoot',
  event: { kind: 'message', ticketId, message: { id: 'm1' } },
});
const articleOf = (change: 'published' | 'unpublished'): EventMessage => ({
  kind: 'event',
  workspace: 'default',
  helpdesk: 'chatwoot',
  event: { kind: 'article', change, articleId: 'a1' },
});

/** Deliveries whose objects answer as often as `isDown` says. */
const start = (isDown: () => boolean = () => false, isFull: () => boolean = () => false) => {
  const world = { now: START, stored: [] as EventMessage[], listed: [] as Undelivered[] };
  const sql = nodeSql();
  const deliveries = openDeliveries({
    sql,
    retryMs: 1000,
    now: () => world.now,
    random: () => 0.5,
    store: async (message) => {
      if (isDown()) throw new Error('the object is overloaded');
      if (JSON.stringify(message).includes('hangs')) await new Promise(() => undefined);
      world.stored.push(message);
    },
    list: (delivery) => {
      if (isFull()) throw new Error('too many are waiting already');
      world.listed.push(delivery);
    },
    onFault: () => undefined,
  });
  const runOut = async () => {
    for (let next = deliveries.dueAt(); next !== undefined; next = deliveries.dueAt()) {
      world.now = next;
      await deliveries.work();
    }
  };
  return Object.assign(world, { sql, deliveries, runOut });
};

it('stores each delivery once its object answers, however often it came', async () => {
  let failures = 3;
  const world = start(() => failures-- > 0);
  for (const message of [
    messageOf('1'),
    messageOf('1'),
    messageOf('2'),
    articleOf('published'),
    articleOf('unpublished'),
  ])
    world.deliveries.add(message);
  await world.runOut();
  expect(world.stored.map(({ event }) => JSON.stringify(event)).toSorted()).toEqual(
    [messageOf('1'), messageOf('2'), articleOf('published'), articleOf('unpublished')]
      .map(({ event }) => JSON.stringify(event))
      .toSorted(),
  );
  expect([world.listed, world.sql.all('SELECT id FROM deliveries')]).toEqual([[], []]);
});

it('lists a message for a person when its object never answers', async () => {
  const world = start(() => true);
  world.deliveries.add(messageOf('1'));
  world.deliveries.add(articleOf('published'));
  await world.runOut();
  const message = JSON.stringify(messageOf('1'));
  expect(world.listed).toEqual([{ helpdesk: 'chatwoot', ticketId: '1', about: 'm1', message }]);
  expect(world.sql.all('SELECT id FROM deliveries')).toEqual([]);
  expect(world.now - START).toBeGreaterThan(3_600_000);
});

it('drops a damaged delivery, and stores the others', async () => {
  const world = start();
  world.deliveries.add(messageOf('1'));
  world.sql.run("UPDATE deliveries SET message = '{'");
  world.deliveries.add(messageOf('2'));
  await world.runOut();
  expect(world.stored).toEqual([messageOf('2')]);
});

it('refuses more than 10,000, so that the tool sends again', () => {
  const world = start();
  for (let count = 0; count < 10_000; count += 1) world.deliveries.add(messageOf(String(count)));
  expect(() => world.deliveries.add(messageOf('one more'))).toThrow('too many are waiting');
});

it('goes on with the others while the list for persons is full, and lists a message later', async () => {
  let refusals = 2;
  const world = start(
    () => true,
    () => refusals-- > 0,
  );
  world.deliveries.add(messageOf('1'));
  world.deliveries.add(messageOf('2'));
  await world.runOut();
  expect(world.listed.map(({ ticketId }) => ticketId).toSorted()).toEqual(['1', '2']);
  expect(world.sql.all('SELECT id FROM deliveries')).toEqual([]);
});

it('stores the others when an object never answers', async () => {
  vi.useFakeTimers();
  try {
    const world = start();
    const hanging = world.deliveries;
    hanging.add(messageOf('hangs'));
    hanging.add(messageOf('2'));
    world.now += 1000;
    const work = hanging.work();
    await vi.advanceTimersByTimeAsync(5000);
    await work;
    expect(world.stored).toEqual([messageOf('2')]);
  } finally {
    vi.useRealTimers();
  }
});
