import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { ROOT } from '../../../tools/functions.ts';
import { temporaryFolder, writeFiles } from '../folder-for-test.ts';

const POLL = { timeout: 60_000, interval: 100 };
const folder = temporaryFolder();
writeFiles(folder, {
  'kb/bees.md': '# Bees\n\nThe hive of the queen stands behind the orchard wall.\n',
});

let npm: ChildProcess | undefined;
let started: readonly number[] = [];
afterEach(() => {
  for (const id of started.filter(isAlive)) process.kill(id, 'SIGKILL');
  npm?.kill('SIGKILL');
});

const isAlive = (id: number): boolean => {
  try {
    // What has ended and waits for its parent counts as ended.
    return !/^Z/.test(
      execFileSync('ps', ['-o', 'stat=', '-p', String(id)], { encoding: 'utf8' }).trim(),
    );
  } catch {
    return false;
  }
};

/** A process, and all that it has started, directly or not. */
const withDescendants = (root: number): number[] => {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const parents = lines.map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
  const found = [root];
  for (const id of found)
    found.push(...parents.filter(([, parent]) => parent === id).map(([child]) => child));
  return found;
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
};

const isFree = (port: number): Promise<boolean> => {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
};

/** As in a terminal: a process group of its own, which gets what is typed. */
const start = async () => {
  const port = await freePort();
  const args = [
    'start',
    '--',
    '--port',
    `${port}`,
    '--kb',
    join(folder, 'kb'),
    '--state',
    join(folder, `${port}`),
  ];
  npm = spawn('npm', args, { cwd: ROOT, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [npm.stdout, npm.stderr]) stream?.on('data', (bytes) => (output += bytes));
  const ended = new Promise((resolve) => npm?.once('exit', resolve));
  await expect.poll(() => output, { timeout: 120_000, interval: 100 }).toMatch(/^ready /m);
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  const id = npm.pid ?? 0;
  started = withDescendants(id);
  // npm, its shell or what takes its place, the product, and the runtimes of functions and databases.
  expect(started.length).toBeGreaterThan(3);
  return { id, port, ended, output: () => output };
};

const expectNothingLeft = async (port: number) => {
  await expect.poll(() => started.filter(isAlive), POLL).toEqual([]);
  expect(await isFree(port)).toBe(true);
};

it('leaves nothing after Ctrl-C, and prints nothing but its own lines', {
  timeout: 180_000,
}, async () => {
  const { id, port, ended, output } = await start();
  process.kill(-id, 'SIGINT');
  await ended;
  await expectNothingLeft(port);
  expect(output()).toMatch(/\nstopping\n/);
  expect(output()).not.toMatch(
    /warn|error|^\s+at |deprecat|experimental|undefined|\[object|EBADENGINE/im,
  );
});

it.each(['SIGTERM', 'SIGKILL', 'SIGHUP'] as const)(
  'leaves nothing when npm gets %s',
  { timeout: 180_000 },
  async (signal) => {
    const { id, port, ended } = await start();
    process.kill(id, signal);
    await ended;
    await expectNothingLeft(port);
  },
);
