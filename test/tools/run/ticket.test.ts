import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder, writeFiles } from '../folder-for-test.ts';
import { runNode, startProduct } from '../node-for-test.ts';

const folder = temporaryFolder();
const state = join(folder, 'state');
let product: Awaited<ReturnType<typeof startProduct>>;
beforeAll(async () => {
  product = await startProduct(['--port', '0', '--state', state]);
});
afterAll(() => product?.stop());
const ticket = (...args: string[]) => runNode(['tools/run/ticket.ts', '--state', state, ...args]);

describe('npx constellation ticket', () => {
  // test/functions/webhooks-crashes.test.ts has all tools.
  it.each(['chatwoot', 'help-scout'])(
    'gets one note for two deliveries of a message in %s',
    async (tool) => {
      const { status, stdout, stderr } = await ticket(
        '--tool',
        tool,
        '--times',
        '2',
        '--name',
        'Ada Byron',
      );
      expect([status, stderr]).toEqual([0, '']);
      expect(stdout.match(/delivered to \S+: 200/g)).toHaveLength(2);
      expect(stdout.match(/--- note \d+/g)).toHaveLength(1);
      expect(stdout).toContain('2 deliveries, 1 note');
      expect(stdout).toContain('Ada Byron');
    },
  );
  it('shows that a wrong signature is refused', async () => {
    const { status, stdout } = await ticket('--bad-signature');
    expect([status, stdout.includes('401'), stdout.includes('refused')]).toEqual([0, true, true]);
  });
  it('reports what is missing when no product runs', async () => {
    expect((await ticket('--url', 'http://127.0.0.1:1')).stderr).toContain('is it still running?');
    await product.stop();
    expect(existsSync(join(state, 'helpdesks.json'))).toBe(false);
    writeFiles(state, { 'helpdesks.json': '{"productUrl": "nonsense"}' });
    expect(await ticket()).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('start one with npm start'),
    });
  });
});
