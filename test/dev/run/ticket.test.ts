import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../../src/dev/functions.ts';

let folder: string;
let product: ChildProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'constellation-ticket-'));
  product = spawn('node', ['src/dev/run/start.ts', '--port', '0', '--state', join(folder, 'state')], { cwd: ROOT });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    product.stdout?.on('data', (bytes: Buffer) => {
      output += bytes.toString();
      if (/^ready /m.test(output)) resolve();
    });
    product.once('exit', () => reject(new Error(`it ended: ${output}`)));
  });
}, 60_000);

afterAll(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

const stop = async (): Promise<void> => {
  if (product.exitCode !== null) return;
  const ended = new Promise((resolve) => product.once('exit', resolve));
  product.kill('SIGINT');
  await ended;
};

const ticket = (...args: string[]) =>
  spawnSync('node', ['src/dev/run/ticket.ts', '--state', join(folder, 'state'), ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: 90_000,
  });

describe('npm run ticket', () => {
  it.each(['chatwoot', 'zendesk', 'intercom', 'zammad', 'help-scout'])(
    'has a message in %s answered with a note, one for two deliveries',
    (tool) => {
      const { status, stdout, stderr } = ticket('--tool', tool, '--times', '2', '--name', 'Ada Byron');
      expect([status, stderr]).toEqual([0, '']);
      expect(stdout.match(/delivered to \S+: 200/g)).toHaveLength(2);
      expect(stdout.match(/--- note \d+/g)).toHaveLength(1);
      expect(stdout).toContain('2 deliveries, 1 note');
      expect(stdout).toContain('Ada Byron');
    },
    100_000,
  );

  it('sees a wrong signature refused', () => {
    const { status, stdout } = ticket('--bad-signature');
    expect([status, stdout.includes('401'), stdout.includes('refused')]).toEqual([0, true, true]);
  });

  it('says what is missing where nothing runs', async () => {
    expect(ticket('--url', 'http://127.0.0.1:1').stderr).toContain('is npm start still running?');
    expect(ticket('--state', join(folder, 'elsewhere')).stderr).toContain('start one with npm start');
    await stop();
    expect(existsSync(join(folder, 'state', 'helpdesks.json'))).toBe(false);
    writeFileSync(join(folder, 'state', 'helpdesks.json'), '{"productUrl": "nonsense"}');
    const { status, stderr } = ticket();
    expect([status, stderr.includes('start one with npm start')]).toEqual([1, true]);
  });
});
