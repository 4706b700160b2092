import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../../../src/dev/functions.ts';

interface Running {
  url: string;
  key: string;
  output(): string;
  /** As npm does, which hands on what the terminal has sent to both: the signal comes twice. Gives the exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

let folder: string;
let running: ChildProcess[];
let port: number | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'constellation-start-'));
  running = [];
  port = undefined;
});

afterEach(async () => {
  await Promise.all(running.map((child) => stopped(child, 'SIGINT')));
  rmSync(folder, { recursive: true, force: true });
});

const write = (path: string, text: string): void => {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
};

/** As a user would: `npm start -- …`, until it says that it is ready. */
const start = async (kb: string, env: Record<string, string> = {}): Promise<Running> => {
  // The same port again: articles without an address of their own are addressed at the gateway.
  port ??= await freePort();
  const args = [
    'src/dev/run/start.ts',
    '--port',
    String(port),
    '--state',
    join(folder, 'state'),
    '--kb',
    join(folder, kb),
  ];
  const child = spawn('node', args, { cwd: ROOT, env: { ...process.env, ...env } });
  running.push(child);
  let output = '';
  child.stderr.on('data', (bytes: Buffer) => (output += bytes.toString()));
  const [, url = '', key = ''] = await new Promise<string[]>((resolve, reject) => {
    child.stdout.on('data', (bytes: Buffer) => {
      output += bytes.toString();
      const ready = /^ready (\S+) key (\S+)$/m.exec(output);
      if (ready) resolve(ready);
    });
    child.once('exit', () => reject(new Error(`it ended: ${output}`)));
  });
  return { url, key, output: () => output, stop: (signal) => stopped(child, signal) };
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port: free } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return free;
};

const stopped = async (child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> => {
  if (child.exitCode !== null) return child.exitCode;
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill(signal);
  child.kill(signal);
  return ended;
};

const ask = async ({ url, key }: Running, query: string): Promise<string> => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  // By name, so that a declination stays one.
  const body = JSON.stringify({ query, librarian: 'navigator' });
  const response = await fetch(new URL('/v1/ask', url), { method: 'POST', headers, body });
  return ((await response.json()) as { answer: string }).answer;
};

describe('npm start', () => {
  it('answers from a folder and follows its files; key and edition outlive a restart', {
    timeout: 180_000,
  }, async () => {
    write('kb/bees.md', '# Bees\n\nThe hive of the queen stands behind the orchard wall.\n');
    write('kb/goats.md', '# Goats\n\nGoats are milked at five in the morning.\n');
    write('kb/hens.md', '# Hens\n\nHens lay fewer eggs in November.\n');
    write('kb/ducks.md', '# Ducks\n\nDucks swim on the northern pond.\n');
    const first = await start('kb');
    expect(await ask(first, 'Where does the hive of the queen stand?')).toContain('behind the orchard wall');

    write('kb/bees.md', '# Bees\n\nThe hive of the queen stands upon the chapel roof.\n');
    await expect
      .poll(() => ask(first, 'Where does the hive of the queen stand?'), POLL)
      .toContain('upon the chapel roof');
    rmSync(join(folder, 'kb/goats.md'));
    await expect.poll(() => ask(first, 'When are goats milked?'), POLL).not.toContain('five in the morning');
    await expect.poll(first.output, POLL).toMatch(/0 new, 1 changed, 0 removed[\s\S]*0 new, 0 changed, 1 removed/);
    expect(await first.stop('SIGINT')).toBe(0);
    expect(first.output()).toContain('\nstopping\n');

    const second = await start('kb');
    expect(second.key).toBe(first.key);
    expect(second.output()).toContain('3 articles, 3 passages (0 new, 0 changed, 0 removed)');

    // Too much is gone at once: it is kept, and said how to remove it after all.
    rmSync(join(folder, 'kb/bees.md'));
    rmSync(join(folder, 'kb/hens.md'));
    await expect.poll(second.output, POLL).toContain('2 of 3 articles are gone from the source and were kept');
    expect(second.output()).toContain('"force": true');
    expect(await ask(second, 'Where does the hive of the queen stand?')).toContain('upon the chapel roof');
    expect(await second.stop('SIGTERM')).toBe(0);
    expect(second.output()).toContain('\nstopping\n');

    // Pointed at another knowledge base it replaces everything.
    write('other/tides.md', '# Tides\n\nThe lighthouse keeper notes each spring tide.\n');
    const other = await start('other', { CONSTELLATION_API_KEY: 'a-key-of-my-own-choice' });
    expect(other.key).toBe('a-key-of-my-own-choice');
    expect(other.output()).toContain('1 articles, 1 passages (1 new, 0 changed, 3 removed)');
    expect(await ask(other, 'Where does the hive of the queen stand?')).not.toContain('chapel');
  });

  it('refuses a folder that does not exist, says why and shows its options', () => {
    const args = ['src/dev/run/start.ts', '--kb', '/no/such/folder'];
    const { status, stderr } = spawnSync('node', args, { cwd: ROOT, encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toMatch(/there is no such folder/);
    expect(stderr).toContain('--kb <folder or URL>');
  });

  it('says which port is in use, and how to take another', async () => {
    write('kb/bees.md', '# Bees\n\nText.\n');
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const args = [
      'src/dev/run/start.ts',
      '--port',
      String(port),
      '--state',
      join(folder, 'state'),
      '--kb',
      join(folder, 'kb'),
    ];
    const { status, stderr } = spawnSync('node', args, { cwd: ROOT, encoding: 'utf8' });
    server.close();
    expect(status).toBe(1);
    expect(stderr).toContain(`port ${port} is in use`);
  });

  it('never empties a folder that is not its own', () => {
    write('precious/photo.txt', 'do not delete');
    const args = ['src/dev/run/start.ts', '--fresh', '--state', join(folder, 'precious')];
    const { status, stderr } = spawnSync('node', args, { cwd: ROOT, encoding: 'utf8' });
    expect([status, existsSync(join(folder, 'precious/photo.txt'))]).toEqual([1, true]);
    expect(stderr).toContain('it is no state folder');
  });
});

const POLL = { timeout: 30_000, interval: 100 };
