import { existsSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { temporaryFolder, writeFiles } from '../folder-for-test.ts';
import { runNode, startProduct } from '../node-for-test.ts';

type Running = Awaited<ReturnType<typeof startProduct>>;
const POLL = { timeout: 60_000, interval: 100 };

const folder = temporaryFolder();
const running: Running[] = [];
afterEach(async () => void (await Promise.all(running.map((product) => product.stop()))));

const listen = async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { server, port: String((server.address() as { port: number }).port) };
};
const refusal = async (...args: string[]) => {
  const { status, stderr } = await runNode([
    'tools/run/start.ts',
    '--state',
    join(folder, 'state'),
    ...args,
  ]);
  return [status, stderr];
};
// By name, so that no other librarian answers instead.
const ask = async ({ ask: send }: Running, query: string) =>
  (await send({ query, librarian: 'navigator' })).answer;
const HIVE = 'Where does the hive of the queen stand?';

describe('npm start', () => {
  it('answers from a folder and follows its files; key and edition survive a restart', {
    timeout: 300_000,
  }, async () => {
    // The same port again: articles without an address of their own are addressed at the gateway.
    const { server, port } = await listen();
    await new Promise((resolve) => server.close(resolve));
    const start = async (kb: string, env: Record<string, string> = {}): Promise<Running> => {
      const state = kb === 'kb' ? 'state' : `state of ${kb}`;
      const args = [
        '--port',
        port,
        '--state',
        join(folder, state),
        '--kb',
        join(folder, kb),
        '--no-helpdesk',
      ];
      const product = await startProduct(args, { env });
      running.push(product);
      return product;
    };
    writeFiles(folder, {
      'kb/bees.md': '# Bees\n\nThe hive of the queen stands behind the orchard wall.\n',
      'kb/goats.md': '# Goats\n\nGoats are milked at five in the morning.\n',
      'kb/hens.md': '# Hens\n\nHens lay fewer eggs in November.\n',
      'kb/ducks.md': '# Ducks\n\nDucks swim on the northern pond.\n',
      'other/tides.md': '# Tides\n\nThe lighthouse keeper notes each spring tide.\n',
    });
    const first = await start('kb');
    expect(await ask(first, HIVE)).toContain('behind the orchard wall');
    // As editors and git save: another file takes the place of the first, here twice.
    for (const place of ['beside the mill', 'upon the chapel roof']) {
      writeFiles(folder, { 'kb/.bees.tmp': `# Bees\n\nThe hive of the queen stands ${place}.\n` });
      renameSync(join(folder, 'kb/.bees.tmp'), join(folder, 'kb/bees.md'));
      await expect.poll(() => ask(first, HIVE), POLL).toContain(place);
    }
    rmSync(join(folder, 'kb/goats.md'));
    await expect
      .poll(() => ask(first, 'When are goats milked?'), POLL)
      .not.toContain('five in the morning');
    await expect
      .poll(first.output, POLL)
      .toMatch(/0 new, 1 changed, 0 removed[\s\S]*0 new, 0 changed, 1 removed/);
    expect(await refusal('--port', '0')).toEqual([
      1,
      expect.stringMatching(/another Constellation \(process \d+\) is running on it/),
    ]);
    expect(await first.stop('SIGINT')).toBe(0);
    expect(first.output()).toContain('\nstopping\n');

    const second = await start('kb');
    expect(second.key).toBe(first.key);
    expect(second.output()).toContain('3 articles, 3 passages (0 new, 0 changed, 0 removed)');
    // Too many articles are gone at once: they are kept, and the message says how to remove them.
    rmSync(join(folder, 'kb/bees.md'));
    rmSync(join(folder, 'kb/hens.md'));
    await expect
      .poll(second.output, POLL)
      .toContain('2 of 3 articles are gone from the source and were kept');
    expect(second.output()).toContain('"force": true');
    expect(await ask(second, HIVE)).toContain('upon the chapel roof');
    expect(await second.stop('SIGTERM')).toBe(0);
    expect(second.output()).toContain('\nstopping\n');

    // Another knowledge base never gets what this one's state holds.
    expect(await refusal('--port', '0', '--kb', join(folder, 'other'))).toEqual([
      1,
      expect.stringContaining(
        `it holds the state of the knowledge base ${join(folder, 'kb')}, not of`,
      ),
    ]);
    const page = 'https://desk.example.com';
    const other = await start('other', {
      CONSTELLATION_API_KEY: 'a-key-of-my-own-choice',
      CORS_ORIGINS: page,
    });
    expect(other.key).toBe('a-key-of-my-own-choice');
    // A route without publishable keys: theirs allow every origin.
    const asked = {
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    };
    const options = { method: 'OPTIONS', headers: { origin: page, ...asked } };
    const preflight = await fetch(new URL('/v1/sync', other.url), options);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(page);
    expect(other.output()).toContain('1 articles, 1 passages (1 new, 0 changed, 0 removed)');
    expect(await ask(other, HIVE)).not.toContain('chapel');
    // Killed, it takes the runtime with it.
    await other.stop('SIGKILL');
    const state = () =>
      fetch(other.url).then(
        () => 'answers',
        () => 'gone',
      );
    await expect.poll(state, POLL).toBe('gone');
  });
  it('reports a port that is in use before --fresh removes anything', async () => {
    const { server, port } = await listen();
    const stderr = expect.stringContaining(`port ${port} is in use`);
    writeFiles(folder, { 'state/constellation-state': '', 'state/source': 'an earlier start' });
    expect(await refusal('--fresh', '--port', port)).toEqual([1, stderr]);
    expect(existsSync(join(folder, 'state/source'))).toBe(true);
    server.close();
  });
});
