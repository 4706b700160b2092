import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { CheckResult } from '../../../../src/contract/wire/checks.ts';
import { remoteCheckBooks } from '../../../../src/knowledge/checks/check-book.ts';
import { sqlCheckBook } from '../../../../src/knowledge/checks/sql-check-book.ts';
import { buildEdition } from '../../../../src/knowledge/edition/build-edition.ts';
import { openEdition } from '../../../../src/knowledge/edition/open-edition.ts';
import { ChecksObject } from '../../../../src/librarians/navigator/checks/checks-object.ts';
import type { CheckRunner } from '../../../../src/librarians/navigator/checks/run-checks.ts';
import type { Sql } from '../../../../src/platform/storage/sql.ts';
import { StoreUnavailable } from '../../../../src/platform/storage/store-unavailable.ts';
import { entryOf } from '../../../knowledge/search/edition-fixture.ts';

vi.mock('cloudflare:workers', () => ({
  DurableObject: class {
    readonly ctx: unknown;
    readonly env: unknown;
    constructor(ctx: unknown, env: unknown) {
      this.ctx = ctx;
      this.env = env;
    }
  },
}));

// Checked with the types of the runtime, which has no `node:sqlite`.
const { nodeSql } = await vi.importActual<{ nodeSql: () => Sql }>(
  '../../../../tools/stand-ins/node-sql.ts',
);

const START = Date.UTC(2026, 9, 1);
const MINUTE = 60_000;
beforeEach(() => {
  vi.useFakeTimers({ now: START, toFake: ['Date'] });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const edition = openEdition(
  buildEdition(
    [
      entryOf({
        id: 'ports.md',
        title: 'Ports',
        sections: [{ text: 'Open port 8333.' }],
      }),
    ],
    { id: 'e1', workspace: 'acme', createdAt: '2026-01-02T03:04:05Z' },
  ),
);
const green: CheckResult = {
  state: 'green',
  lacks: [],
  answer: { outcome: 'answered', text: 'Open port 8333.', cites: [] },
};
const working: CheckRunner = {
  currentEdition: async () => edition.id,
  editionFor: async () => edition,
  run: async () => green,
};

class TestObject extends ChecksObject {
  protected override runnerOf(_workspace: string, env: () => CheckRunner): Promise<CheckRunner> {
    return Promise.resolve().then(env);
  }
}

/** Storage that outlives the objects that are opened on it. */
const storageOf = () => {
  const sql = nodeSql();
  const memo = new Map<string, unknown>();
  const alarm: { at: number | undefined } = { at: undefined };
  const setAlarm = async (at: number) => {
    // As the runtime does.
    if (at <= 0) throw new TypeError('setAlarm() cannot be called with an alarm time <= 0');
    alarm.at = at;
  };
  const storage = {
    sql: {
      exec: (query: string, ...values: never[]) => {
        const rows = sql.all(query, ...values);
        return { toArray: () => rows };
      },
    },
    transactionSync: <T>(work: () => T): T => sql.transaction(work),
    kv: {
      get: (key: string) => memo.get(key),
      put: (key: string, value: unknown) => memo.set(key, value),
      delete: (key: string) => memo.delete(key),
    },
    setAlarm,
    deleteAlarm: async () => {
      alarm.at = undefined;
    },
  };
  // The object uses no more of its state than this.
  const open = (runner: () => CheckRunner) =>
    new TestObject({ storage } as unknown as DurableObjectState, runner);
  return { open, sql, memo, alarm };
};

const writing = {
  checks: [{ id: 'c1', input: { question: 'Which port?', contains: '8333' } }],
  audiences: [],
  nowMs: START,
};
const listed = (object: ChecksObject) =>
  object.list('acme', { state: 'all', limit: 9 }, { audiences: [], nowMs: Date.now() });

/** Lets the alarm ring so often, each time when it is due. */
const ring = async (object: ChecksObject, alarm: { at: number | undefined }, times: number) => {
  const waits: number[] = [];
  for (let count = 0; count < times; count += 1) {
    vi.setSystemTime(Math.max(alarm.at ?? Number.NaN, Date.now()));
    alarm.at = undefined;
    await object.alarm();
    waits.push((alarm.at ?? Number.NaN) - Date.now());
  }
  return waits;
};

it('runs a check that is stored, then looks every minute until there is none', async () => {
  const { open, alarm } = storageOf();
  const object = open(() => working);
  expect((await listed(object)).checks).toEqual([]);
  expect(alarm.at).toBeUndefined();
  await object.put('acme', writing);
  expect(alarm.at).toBeLessThanOrEqual(START);
  expect(await ring(object, alarm, 3)).toEqual([MINUTE, MINUTE, MINUTE]);
  expect((await listed(object)).counts).toEqual({ red: 0, not_run: 0, green: 1 });
  await object.remove('acme', 'c1', []);
  vi.setSystemTime(alarm.at ?? 0);
  await object.alarm();
  expect(alarm.at).toBeUndefined();
});

it('goes on after an invalid key directory and a runner that throws', async () => {
  const { open, alarm } = storageOf();
  let runner = (): CheckRunner => {
    throw new Error('the key directory is invalid');
  };
  const object = open(() => runner());
  await object.put('acme', writing);
  expect(await ring(object, alarm, 8)).toEqual(Array(8).fill(MINUTE));
  const down = () => Promise.reject(new Error('down'));
  for (const part of ['currentEdition', 'editionFor'] as const) {
    runner = () => ({ ...working, [part]: down });
    expect(await ring(object, alarm, 8)).toEqual(Array(8).fill(MINUTE));
  }
  runner = () => ({ ...working, run: down });
  expect(await ring(object, alarm, 8)).toEqual(Array(8).fill(MINUTE));
  expect((await listed(object)).counts.not_run).toBe(1);
  runner = () => working;
  vi.setSystemTime(Date.now() + 60 * MINUTE);
  await ring(object, alarm, 1);
  expect((await listed(object)).counts.green).toBe(1);
});

it('looks once a minute while nothing is published, then runs what waits', async () => {
  const { open, alarm } = storageOf();
  let current: string | undefined;
  const object = open(() => ({ ...working, currentEdition: async () => current }));
  await object.put('acme', writing);
  expect(await ring(object, alarm, 3)).toEqual([MINUTE, MINUTE, MINUTE]);
  current = edition.id;
  await ring(object, alarm, 1);
  expect((await listed(object)).counts.green).toBe(1);
});

it('does not put the next look off for calls of an object that was opened since', async () => {
  const { open, alarm } = storageOf();
  const first = open(() => working);
  await first.put('acme', writing);
  await ring(first, alarm, 1);
  vi.setSystemTime(START + 30_000);
  await listed(open(() => working));
  expect(alarm.at).toBe(START + MINUTE);
});

it('opens the state of an object that has not stored its next look, and looks at once', async () => {
  const { open, sql, memo, alarm } = storageOf();
  sqlCheckBook(sql).put(writing);
  memo.set('workspace', 'acme');
  alarm.at = START + MINUTE;
  const object = open(() => working);
  await ring(object, alarm, 1);
  expect((await listed(object)).counts.green).toBe(1);
  const untouched = storageOf();
  const book = sqlCheckBook(untouched.sql);
  book.put(writing);
  const [check] = book.readAll([]);
  if (check === undefined) throw new Error('the check was stored');
  book.note({ ...check, result: green, edition: 'e1', changes: [] }, START);
  untouched.memo.set('workspace', 'acme');
  await listed(untouched.open(() => working));
  expect(untouched.alarm.at).toBeLessThanOrEqual(START);
});

it('serves one workspace, and reports a call that fails as an unavailable store', async () => {
  const { open } = storageOf();
  const object = open(() => working);
  const books = remoteCheckBooks(() => object);
  expect(await books('acme').put(writing)).toEqual({ added: 1, changed: 0, unchanged: 0 });
  expect(await books('acme').readAll([])).toHaveLength(1);
  await expect(books('other').readAll([])).rejects.toThrow(StoreUnavailable);
  expect('due' in object).toBe(false);
});
