import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type JobKind, jobRunner, NotYet } from '../../../src/platform/jobs/job-runner.ts';
import { type JobRecord, MAX_WAIT_MS, sqlJobs } from '../../../src/platform/jobs/job-store.ts';
import { readStored, type Sql } from '../../../src/platform/storage/sql.ts';
import { nodeSql } from '../../../tools/stand-ins/node-sql.ts';

const START = 1_800_000_000_000;
const HOUR_MS = 3_600_000;

type Letter = JobRecord & { id: number; step: string; data: string; state: string };

const TABLE = `CREATE TABLE letters (
  id INTEGER PRIMARY KEY, state TEXT NOT NULL, step TEXT NOT NULL, data TEXT NOT NULL, attempts INTEGER NOT NULL,
  refusals INTEGER NOT NULL, due_at INTEGER NOT NULL, error TEXT
)`;

/** Ends the simulated process: nothing is done or stored after it. */
class Crash extends Error {}

/** Letters that are written and then sent: a table, a post that outlives every process, and the runner of the present process. */
const postOffice = ({
  letters = 1,
  attempts = 5,
}: {
  letters?: number;
  attempts?: number;
} = {}) => {
  const database = nodeSql();
  database.run(TABLE);
  database.run('CREATE INDEX letters_by_time ON letters (state, due_at, id)');
  const office = {
    now: START,
    sent: [] as number[],
    counted: new Map<string, number>(),
    faults: [] as unknown[],
    /** Called before each effect and each write. */
    fault: (_place: string, _letter?: Letter): void => undefined,
  };
  const add = (id: number, data = '{"to":"Dana"}') =>
    database.run(
      "INSERT INTO letters VALUES (?, 'open', 'new', ?, 0, 0, ?, NULL)",
      id,
      data,
      START,
    );
  database.transaction(() => {
    for (let id = 1; id <= letters; id += 1) add(id);
  });
  const start = (more: Partial<JobKind<Letter>> = {}) => {
    let isAlive = true;
    const at = (place: string, letter?: Letter): void => {
      if (!isAlive) throw new Crash();
      try {
        office.fault(place, letter);
      } catch (error) {
        if (error instanceof Crash) isAlive = false;
        throw error;
      }
    };
    const sql: Sql = {
      all: (query, ...values) => {
        if (!isAlive) throw new Crash();
        return database.all(query, ...values);
      },
      run: (query, ...values) => {
        at('before a write');
        database.run(query, ...values);
        at('after a write');
      },
      transaction: (work) => database.transaction(work),
    };
    const store = sqlJobs<Letter>(sql, {
      table: 'letters',
      openCondition: "state = 'open'",
      bury: ({ id }, error) =>
        sql.run("UPDATE letters SET state = 'dead', error = ? WHERE id = ?", error, id),
    });
    const step = (id: number, name: string) =>
      sql.run('UPDATE letters SET step = ? WHERE id = ?', name, id);
    return jobRunner<Letter>({
      name: 'letter',
      store,
      run: async (letter) => {
        if (readStored(z.object({ to: z.string() }), letter.data) === undefined)
          throw new TypeError('damaged');
        let current = letter.step;
        if (current === 'new') {
          at('writing', letter);
          current = 'written';
          step(letter.id, current);
        }
        if (current === 'sending' && office.sent.includes(letter.id)) current = 'sent';
        if (current !== 'sent') {
          step(letter.id, 'sending');
          at('sending', letter);
          office.sent.push(letter.id);
          at('sent', letter);
        }
        sql.run("UPDATE letters SET state = 'done' WHERE id = ?", letter.id);
      },
      failureOf: (error) => ({
        sentence: error instanceof Error ? error.message : 'unknown',
        isTransient: !(error instanceof TypeError),
        retryAfterMs: error instanceof RangeError ? Number(error.message) : undefined,
        isFault: true,
      }),
      retryMs: 1000,
      attempts,
      atOnce: 20,
      now: () => office.now,
      random: () => 0.5,
      onFault: (_, error) => office.faults.push(error),
      count: (series, amount) =>
        office.counted.set(series, (office.counted.get(series) ?? 0) + amount),
      ...more,
    });
  };
  const states = () =>
    database
      .all<{ state: string }>('SELECT state FROM letters ORDER BY id')
      .map(({ state }) => state);
  const row = (id = 1) => database.all<Letter>('SELECT * FROM letters WHERE id = ?', id)[0];
  /** Rings the alarm until nothing is due, in a new process after each that has ended. */
  const runOut = async (more: Partial<JobKind<Letter>> = {}, alarms = 1000): Promise<void> => {
    let runner = start(more);
    for (let count = 0; count < alarms; count += 1) {
      try {
        const next = runner.dueAt();
        if (next === undefined) return;
        office.now = Math.max(office.now, next);
        await runner.run();
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
        runner = start(more);
      }
    }
  };
  return Object.assign(office, { database, add, start, states, row, runOut });
};

describe('a job', () => {
  it('is done once whichever write or effect the process ends at', async () => {
    let places = 0;
    const office = postOffice();
    office.fault = () => {
      places += 1;
    };
    await office.runOut();
    expect(places).toBe(11);
    for (let end = 1; end <= places; end += 1) {
      const crashed = postOffice();
      let count = 0;
      crashed.fault = () => {
        count += 1;
        if (count === end) throw new Crash();
      };
      await crashed.runOut();
      expect([end, crashed.sent, crashed.states()]).toEqual([end, [1], ['done']]);
      expect(crashed.now - START).toBeLessThanOrEqual(1000);
    }
  });
  it('is done once when the alarm rings again during an attempt, after its next due time', async () => {
    const office = postOffice();
    const runner = office.start();
    const others: Promise<unknown>[] = [];
    office.fault = (place) => {
      if (place !== 'sending' || others.length > 0) return;
      office.now += 5000;
      others.push(runner.run());
    };
    await Promise.all([runner.run(), runner.run()]);
    await Promise.all(others);
    expect([office.sent, runner.dueAt()]).toEqual([[1], undefined]);
  });
  it('that always fails is retried with growing waits, and then dead with its reason', async () => {
    const office = postOffice();
    const times: number[] = [];
    office.fault = (place) => {
      if (place !== 'writing') return;
      times.push((office.now - START) / 1000);
      throw new Error('the pen is empty');
    };
    await office.runOut();
    expect(times).toEqual([0, 1, 3, 7, 15]);
    expect(office.row()).toMatchObject({ state: 'dead', attempts: 5, error: 'the pen is empty' });
    expect(Object.fromEntries(office.counted)).toEqual({
      'constellation_jobs_total{kind="letter",outcome="failed"}': 4,
      'constellation_jobs_total{kind="letter",outcome="dead"}': 1,
    });
    // Replayed by an operator.
    office.fault = () => undefined;
    office.database.run("UPDATE letters SET state = 'open', attempts = 0");
    await office.runOut();
    expect(office.sent).toEqual([1]);
  });
  it('that ends the process each time is dead after one attempt more than counts', async () => {
    const office = postOffice();
    office.fault = (place) => {
      if (place === 'writing') throw new Crash();
    };
    await office.runOut();
    expect(office.row()).toMatchObject({
      state: 'dead',
      attempts: 6,
      error: expect.stringContaining('the process'),
    });
    expect(office.sent).toEqual([]);
  });
  it('that is damaged is dead at once, and the others are done', async () => {
    const office = postOffice();
    office.add(2, '{');
    office.add(3);
    await office.runOut();
    expect(office.states()).toEqual(['done', 'dead', 'done']);
    expect(office.row(2)).toMatchObject({ attempts: 1, error: 'damaged' });
  });
  it('that has to wait continues then, without counting an attempt', async () => {
    const office = postOffice();
    office.fault = (place) => {
      if (place === 'sending' && office.now < START + HOUR_MS)
        throw new NotYet('the post is closed', { at: office.now + 60_000 });
    };
    await office.runOut();
    expect([office.sent, office.row()?.attempts, office.now]).toEqual([[1], 1, START + HOUR_MS]);
  });
  it('that still has to wait after its deadline is dead, with what it waits for', async () => {
    const office = postOffice();
    office.fault = (place) => {
      if (place === 'sending') throw new NotYet('the post is closed', { at: office.now + 60_000 });
    };
    await office.runOut({ deadlineOf: () => START + HOUR_MS });
    expect(office.row()).toMatchObject({ state: 'dead', error: 'the post is closed' });
    expect(office.now).toBe(START + HOUR_MS + 60_000);
  });
  it('that waits after its deadline for what ends by itself goes on then', async () => {
    const office = postOffice();
    const closed = { at: START + 2 * HOUR_MS, endsByItself: true };
    office.fault = (place) => {
      if (place === 'sending' && office.now < closed.at)
        throw new NotYet('the post is closed', closed);
    };
    await office.runOut({ deadlineOf: () => START - HOUR_MS });
    expect([office.sent, office.now]).toEqual([[1], closed.at]);
  });
  it('waits as long as a service asks, and the run ends; after its deadline it is dead', async () => {
    const office = postOffice({ letters: 2 });
    office.fault = (place) => {
      if (place === 'writing') throw new RangeError('60000');
    };
    expect(await office.start().run()).toBe(START + 60_000);
    expect([office.row(1)?.refusals, office.row(2)?.attempts]).toEqual([1, 0]);
    await office.runOut({ deadlineOf: () => START + HOUR_MS });
    expect(office.states()).toEqual(['dead', 'dead']);
    expect(office.now).toBeGreaterThan(START + HOUR_MS);
  });
  it('that is cancelled during an attempt is not recorded again', async () => {
    const office = postOffice();
    office.fault = (place) => {
      if (place !== 'sending') return;
      office.database.run('DELETE FROM letters');
      throw new Error('the post is down');
    };
    await office.runOut();
    expect([office.states(), office.sent, [...office.counted]]).toEqual([[], [], []]);
  });
  it('is not held up by a clock that was ahead and is set back, nor lost by one that jumps ahead', async () => {
    const office = postOffice({ letters: 2 });
    office.fault = (place) => {
      if (place === 'writing') throw new Error('the pen is empty');
    };
    office.now = START + 48 * HOUR_MS;
    await office.start().run();
    office.fault = () => undefined;
    office.now = START;
    expect(office.row()?.due_at).toBeGreaterThan(START + MAX_WAIT_MS);
    expect(office.start().dueAt()).toBe(START + MAX_WAIT_MS);
    await office.start().run();
    expect(office.sent.toSorted()).toEqual([1, 2]);
  });
});

it('10,000 jobs are each done once, a few with each alarm, the longest due first', async () => {
  const office = postOffice({ letters: 10_000 });
  let ends = 0;
  office.fault = (place) => {
    if (place === 'sent' && ends++ % 997 === 0) throw new Crash();
  };
  const runner = office.start();
  await runner.run().catch(() => undefined);
  expect(office.sent).toEqual([1]);
  await office.runOut();
  expect([office.sent.length, new Set(office.sent).size, new Set(office.states())]).toEqual([
    10_000,
    10_000,
    new Set(['done']),
  ]);
  expect(ends).toBe(10_000);
});
