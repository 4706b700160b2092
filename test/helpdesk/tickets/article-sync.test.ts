import { describe, expect, it } from 'vitest';
import { articleSync } from '../../../src/helpdesk/tickets/article-sync.ts';
import { nodeSql } from '../../storage/node-sql.ts';

const forTest = (answers: (boolean | Error)[]) => {
  const clock = { now: 1000 };
  const started: boolean[] = [];
  const sync = articleSync({
    sql: nodeSql(),
    now: () => clock.now,
    random: () => 0.5,
    retryMs: 1000,
    start: async ({ full }) => {
      started.push(full);
      const answer = answers.shift() ?? true;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    onFault: () => {},
  });
  const next = async () => {
    clock.now = sync.dueAt() ?? clock.now;
    await sync.work();
  };
  return { sync, clock, started, next };
};

describe('articleSync()', () => {
  it('makes one sync of many requests, a full one when any asks for it', async () => {
    const { sync, started, next } = forTest([]);
    sync.request({ full: false, now: 1000 });
    sync.request({ full: true, now: 1000 });
    sync.request({ full: false, now: 1000 });
    await next();
    expect(started).toEqual([true]);
    expect(sync.dueAt()).toBeUndefined();
    await sync.work();
    expect(started).toHaveLength(1);
  });

  it('asks again while another sync runs, which may have read before the change', async () => {
    const { sync, started, next, clock } = forTest([false, false, true]);
    sync.request({ full: false, now: 1000 });
    for (let count = 0; count < 3; count += 1) await next();
    expect(started).toHaveLength(3);
    expect(sync.dueAt()).toBeUndefined();
    expect(clock.now).toBe(5000);
  });

  it('asks again after failures, at growing distances, and never gives up', async () => {
    const { sync, started, next, clock } = forTest(Array.from({ length: 30 }, () => new Error('the library is down')));
    sync.request({ full: true, now: 1000 });
    for (let count = 0; count < 30; count += 1) await next();
    expect(sync.dueAt()).toBe(clock.now + 600_000);
    await next();
    expect(started).toHaveLength(31);
    expect(sync.dueAt()).toBeUndefined();
  });

  it('asks once more for what came while it asked', async () => {
    const parts = forTest([]);
    let isFirst = true;
    parts.sync.request({ full: false, now: 1000 });
    const starting = parts.next();
    if (isFirst) parts.sync.request({ full: true, now: 1000 });
    isFirst = false;
    await starting;
    expect(parts.sync.dueAt()).toBeDefined();
    await parts.next();
    expect(parts.started).toEqual([false, true]);
    expect(parts.sync.dueAt()).toBeUndefined();
  });
});
