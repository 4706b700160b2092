import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { functionSizes, MAX_UPLOAD_BYTES, maxGzipBytesOf } from '../../src/dev/bench/size.ts';
import { ROOT } from '../../src/dev/functions.ts';

const deploy = (...options: string[]) =>
  spawnSync('node', ['src/dev/release/deploy.ts', ...options], { cwd: ROOT, encoding: 'utf8' });

describe('every function', () => {
  it('weighs at most 500 KiB compressed, and with its data no more than Cloudflare takes', async () => {
    const sizes = await functionSizes();
    expect(sizes.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['constellation-gateway', 'constellation-library', 'constellation-navigator']),
    );
    expect(sizes.filter(({ name, gzipBytes }) => gzipBytes > maxGzipBytesOf(name))).toEqual([]);
    const uploads = sizes.map(({ gzipBytes, dataGzipBytes }) => gzipBytes + dataGzipBytes);
    expect(Math.max(...uploads)).toBeLessThan(MAX_UPLOAD_BYTES);
    const withTable = sizes.filter(({ dataGzipBytes }) => dataGzipBytes > 0).map(({ name }) => name);
    const searching = ['library', 'navigator', 'semantic', 'support'].map((id) => `constellation-${id}`);
    expect(withTable.toSorted()).toEqual(searching);
  });

  it('is built for a deployment by npm run deploy -- --dry-run', () => {
    const { status, stdout } = deploy('--dry-run', '--only', 'gateway');
    expect(status).toBe(0);
    expect([...stdout.matchAll(/^checking (\S+)$/gm)].map(([, file]) => file)).toEqual(['wrangler.toml']);
    expect(existsSync(join(ROOT, 'dist/constellation-gateway/index.js'))).toBe(true);
  }, 60_000);

  it('is deployed by its name, or not at all', () => {
    const { status, stderr } = deploy('--dry-run', '--only', 'concierge');
    expect(status).toBe(2);
    expect(stderr).toMatch(/^There is no function concierge: --only takes .*navigator.*, gateway\. --help/);
  });

  it('is not deployed with placeholders for its stores', () => {
    const { status, stderr } = deploy();
    expect(status).toBe(1);
    expect(stderr).toMatch(/still placeholders[\s\S]+PUBLIC_URL = http:\/\/localhost[\s\S]+API_KEYS/);
  });
});
