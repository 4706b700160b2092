import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../../src/dev/functions.ts';

interface Running {
  url: string;
  key: string;
  output(): string;
  stop(): Promise<void>;
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
  await Promise.all(running.map(stopped));
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
  const args = ['src/dev/start.ts', '--port', String(port), '--state', join(folder, 'state'), '--kb', join(folder, kb)];
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
  return { url, key, output: () => output, stop: () => stopped(child) };
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port: free } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return free;
};

const stopped = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  await ended;
};

const ask = async ({ url, key }: Running, query: string): Promise<string> => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  // By name, so that a declination stays one.
  const body = JSON.stringify({ query, librarian: 'navigator' });
  const response = await fetch(new URL('/v1/ask', url), { method: 'POST', headers, body });
  return ((await response.json()) as { answer: string }).answer;
};

describe('npm start', () => {
  it('answers from a folder, follows its files, and remembers key and edition over a restart', async () => {
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
    expect(first.output()).toMatch(/0 new, 1 changed, 0 removed[\s\S]*0 new, 0 changed, 1 removed/);
    await first.stop();

    const second = await start('kb');
    expect(second.key).toBe(first.key);
    expect(second.output()).toContain('3 articles, 3 passages (0 new, 0 changed, 0 removed)');
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'says that it stops on %s, and ends well, told once or twice at once',
    async (signal) => {
      write('kb/bees.md', '# Bees\n\nText.\n');
      const farm = await start('kb');
      const [child] = running;
      const ended = new Promise((resolve) => child?.once('exit', resolve));
      child?.kill(signal);
      // As npm does, which hands on what the terminal has sent to both.
      child?.kill(signal);
      expect(await ended).toBe(0);
      expect(farm.output()).toContain('\nstopping\n');
    },
  );

  it('keeps what is gone when too much is gone at once, and says how to remove it after all', async () => {
    write('kb/bees.md', '# Bees\n\nThe hive of the queen stands behind the orchard wall.\n');
    write('kb/hens.md', '# Hens\n\nHens lay fewer eggs in November.\n');
    const farm = await start('kb');
    rmSync(join(folder, 'kb/bees.md'));
    await expect.poll(farm.output, POLL).toContain('1 of 2 articles are gone from the source and were kept');
    expect(farm.output()).toContain('"force": true');
    expect(await ask(farm, 'Where does the hive of the queen stand?')).toContain('behind the orchard wall');
  });

  it('replaces everything when it is pointed at another knowledge base', async () => {
    write('one/bees.md', '# Bees\n\nThe hive of the queen stands behind the orchard wall.\n');
    write('two/tides.md', '# Tides\n\nThe lighthouse keeper notes each spring tide.\n');
    await (await start('one')).stop();
    const other = await start('two', { CONSTELLATION_API_KEY: 'a-key-of-my-own-choice' });
    expect(other.key).toBe('a-key-of-my-own-choice');
    expect(other.output()).toContain('1 articles, 1 passages (1 new, 0 changed, 1 removed)');
    expect(await ask(other, 'Where does the hive of the queen stand?')).not.toContain('orchard');
  });

  it.each([
    ['a folder that does not exist', ['--kb', '/no/such/folder'], /there is no such folder/],
    ['a port that is none', ['--port', 'x'], /--port x/],
    ['an option that it does not know', ['--kbb', 'x'], /--kbb/],
  ])('refuses %s, says why and shows its options', (_name, args, says) => {
    const { status, stderr } = spawnSync('node', ['src/dev/start.ts', ...args], { cwd: ROOT, encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toMatch(says);
    expect(stderr).toContain('--kb <folder or URL>');
  });

  it('says which port is in use, and how to take another', async () => {
    write('kb/bees.md', '# Bees\n\nText.\n');
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const args = [
      'src/dev/start.ts',
      '--port',
      String(port),
      '--state',
      join(folder, 'state'),
      '--kb',
      join(folder, 'kb'),
    ];
    const { status, stderr } = spawnSync('node', args, { cwd: ROOT, encoding: 'utf8', timeout: 20_000 });
    server.close();
    expect(status).toBe(1);
    expect(stderr).toContain(`port ${port} is in use`);
  });

  it('never empties a folder that is not its own', () => {
    write('precious/photo.txt', 'do not delete');
    const args = ['src/dev/start.ts', '--fresh', '--state', join(folder, 'precious')];
    const { status, stderr } = spawnSync('node', args, { cwd: ROOT, encoding: 'utf8' });
    expect([status, existsSync(join(folder, 'precious/photo.txt'))]).toEqual([1, true]);
    expect(stderr).toContain('it is no state folder');
  });
});

const POLL = { timeout: 15_000, interval: 100 };
