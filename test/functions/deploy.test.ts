import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { functionSizes, MAX_UPLOAD_BYTES, maxGzipBytesOf } from '../../src/dev/bench/size.ts';
import { functionConfigs, ROOT } from '../../src/dev/functions.ts';

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

  it('is built for a deployment by npm run deploy -- --dry-run, the front door last', () => {
    const { status, stdout } = spawnSync('node', ['src/dev/release/deploy.ts', '--dry-run'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    const order = [...stdout.matchAll(/^checking (\S+)$/gm)].map(([, file]) => file);
    expect(order).toHaveLength(functionConfigs().length);
    expect(order.at(-1)).toBe('wrangler.toml');
    expect(existsSync(join(ROOT, 'dist/constellation-gateway/index.js'))).toBe(true);
  }, 180_000);

  it('is not deployed with placeholders for its stores', () => {
    const { status, stderr } = spawnSync('node', ['src/dev/release/deploy.ts'], { cwd: ROOT, encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toMatch(/still placeholders[\s\S]+PUBLIC_URL = http:\/\/localhost[\s\S]+API_KEYS/);
  });
});
