import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { functionSizes, MAX_UPLOAD_BYTES, maxGzipBytesOf } from '../../research/bench/size.ts';
import { ROOT } from '../../tools/functions.ts';
import { createKeyring } from '../../tools/release/keyring.ts';

/** Without a platform. */
const env = {
  ...process.env,
  CLOUDFLARE_API_BASE_URL: 'http://127.0.0.1:9',
  CLOUDFLARE_API_TOKEN: 'none',
  CLOUDFLARE_ACCOUNT_ID: '0'.repeat(32),
};
const deploy = (...options: string[]) =>
  spawnSync('node', ['tools/release/deploy.ts', ...options], { cwd: ROOT, encoding: 'utf8', env });

describe('every function', () => {
  it('is at most 560 KiB compressed, and with its data within the limit of Cloudflare', async () => {
    const sizes = await functionSizes();
    expect(sizes.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'constellation-gateway',
        'constellation-library',
        'constellation-navigator',
      ]),
    );
    expect(sizes.filter(({ name, gzipBytes }) => gzipBytes > maxGzipBytesOf(name))).toEqual([]);
    const uploads = sizes.map(({ gzipBytes, dataGzipBytes }) => gzipBytes + dataGzipBytes);
    expect(Math.max(...uploads)).toBeLessThan(MAX_UPLOAD_BYTES);
    const withTable = sizes
      .filter(({ dataGzipBytes }) => dataGzipBytes > 0)
      .map(({ name }) => name);
    const searching = ['library', 'navigator', 'semantic', 'support'].map(
      (id) => `constellation-${id}`,
    );
    expect(withTable.toSorted()).toEqual(searching);
  });

  it('is built for a deployment by npm run deploy -- --dry-run', () => {
    const { status, stdout } = deploy('--dry-run', '--only', 'gateway');
    expect(status).toBe(0);
    expect([...stdout.matchAll(/^checking (\S+)$/gm)].map(([, file]) => file)).toEqual([
      'wrangler.toml',
    ]);
    expect(existsSync(join(ROOT, 'dist/constellation-gateway/index.js'))).toBe(true);
  });

  it('is refused by --only when its name is unknown', () => {
    const { status, stderr } = deploy('--dry-run', '--only', 'concierge');
    expect(status).toBe(2);
    expect(stderr).toMatch(
      /^There is no function concierge: --only takes .*navigator.*, gateway\. --help/,
    );
  });

  it('is not deployed with placeholders for its stores', () => {
    const { status, stderr } = deploy();
    expect(status).toBe(1);
    expect(stderr).toMatch(/still placeholders[\s\S]+PUBLIC_URL = not set[\s\S]+API_KEYS/);
  });

  it('is not deployed with an expired key directory; one that expires within 30 days gets a warning', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'constellation-deploy-'));
    const deployAfter = async (days: number) => {
      await createKeyring(join(folder, `${days}`), { now: Date.now() - days * 86_400_000 });
      return deploy('--only', 'sources', '--keys', join(folder, `${days}`));
    };
    const expired = expect.stringMatching(
      /^Cannot deploy: the key directory expired on .*keys renew/,
    );
    expect(await deployAfter(366)).toMatchObject({ status: 1, stdout: '', stderr: expired });
    const { stdout, stderr } = await deployAfter(340);
    expect(stderr).toMatch(/^the key directory expires on .*keys renew/);
    expect(stdout).toContain('deploying functions/sources/wrangler.toml');
    rmSync(folder, { recursive: true, force: true });
  });
});
