import { afterAll, expect, it } from 'vitest';
import { startLocalDatabases } from '../../../tools/run/local-databases.ts';
import { remoteD1 } from '../../../tools/run/remote-d1.ts';
import { temporaryFolder } from '../folder-for-test.ts';

const folder = temporaryFolder();
const ids = ['a', 'b'];
let restarts = 0;
const onRestart = () => {
  restarts += 1;
};
const databases = await startLocalDatabases({ ids, state: folder, limitMs: 1500, onRestart });
afterAll(() => databases.stop());

/** As in a function: over a service binding. */
const remote = (id: string) =>
  remoteD1({
    fetch: async (_url, { body }) => {
      const response = await databases.serve(id, { text: async () => body });
      return new Response(await response.text(), { status: response.status });
    },
  });

/** It never ends. */
const ENDLESS =
  'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n';

it('does what D1 does: rows, names of columns without rows, bound values, several statements, errors', async () => {
  const a = remote('a');
  await a.batch([
    a.prepare('CREATE TABLE t (x INTEGER, y TEXT)'),
    a.prepare("INSERT INTO t VALUES (1, 'one'), (2, NULL)"),
  ]);
  expect(await a.prepare('SELECT * FROM t WHERE x > ?1').bind(1).all()).toMatchObject({
    results: [{ x: 2, y: null }],
  });
  expect(await a.prepare('SELECT y FROM t').first()).toEqual({ y: 'one' });
  expect(await a.prepare('SELECT y FROM t WHERE x > 5').raw({ columnNames: true })).toEqual([
    ['y'],
  ]);
  await expect(a.prepare('SELECT z FROM t').all()).rejects.toThrow(
    /no such column: z.*SQLITE_ERROR/,
  );
  await expect(remote('b').prepare('SELECT * FROM t').all()).rejects.toThrow(/no such table/);
});

it('ends a statement that never ends, keeps what is stored, and answers again', {
  timeout: 60_000,
}, async () => {
  const a = remote('a');
  const startedAt = performance.now();
  const [endless, beside] = await Promise.allSettled([
    a.prepare(ENDLESS).all(),
    remote('b').prepare('SELECT 1 AS one').all(),
  ]);
  expect(endless).toMatchObject({
    status: 'rejected',
    reason: { message: 'the statement was ended after 1.5 seconds' },
  });
  expect(performance.now() - startedAt).toBeLessThan(30_000);
  // It was in the process that was ended, and is asked again in the new one.
  expect(beside).toMatchObject({ status: 'fulfilled', value: { results: [{ one: 1 }] } });
  expect(await a.prepare('SELECT count(*) AS n FROM t').first()).toEqual({ n: 2 });
  expect(restarts).toBe(1);
});

it('repeats what reads after the process was ended for another statement, and nothing that may have written', async () => {
  const a = remote('a');
  const endless = a.prepare(ENDLESS).all();
  await new Promise((resolve) => setTimeout(resolve, 300));
  const [ended, read, written] = await Promise.allSettled([
    endless,
    a.prepare('SELECT count(*) AS n FROM t').first(),
    a.prepare("INSERT INTO t VALUES (3, 'three')").run(),
  ]);
  expect(ended).toMatchObject({ reason: { message: 'the statement was ended after 1.5 seconds' } });
  expect(read).toEqual({ status: 'fulfilled', value: { n: 2 } });
  expect(written).toMatchObject({ reason: { message: 'the database was started again' } });
  expect(await a.prepare('SELECT count(*) AS n FROM t').first()).toEqual({ n: 2 });
});

it('starts no new process for a request that is pending when the databases are stopped', async () => {
  const starts: string[] = [];
  const stopped = await startLocalDatabases({
    ids: ['c'],
    limitMs: 60_000,
    onRestart: () => void starts.push('again'),
  });
  const { prepare } = remoteD1({
    fetch: async (_url, { body }) => {
      const response = await stopped.serve('c', { text: async () => body });
      return new Response(await response.text(), { status: response.status });
    },
  });
  const pending = expect(prepare(ENDLESS).all()).rejects.toThrow('the databases are stopped');
  await new Promise((resolve) => setTimeout(resolve, 500));
  await stopped.stop();
  await pending;
  expect(starts).toEqual([]);
});
