import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CloudflareServer,
  startCloudflareServer,
} from '../../../src/dev/stand-ins/cloudflare/cloudflare-server.ts';
import { runNode } from '../node-for-test.ts';

const SECRET = 'sk-not-a-real-key-0123456789';

let folder: string;
let cloudflare: CloudflareServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'constellation-setup-'));
  cloudflare = await startCloudflareServer();
});
afterAll(async () => {
  await cloudflare.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The command in a folder of its own, with the real wrangler, which talks to the local Cloudflare. */
const setUp = (variables: string, { token = cloudflare.token, more = [] as string[] } = {}) => {
  writeFileSync(join(folder, 'production.env'), variables);
  const args = ['--env', join(folder, 'production.env'), '--keys', join(folder, 'keys')];
  const own = ['--deployment', join(folder, 'deployment.json')];
  const { id } = cloudflare.account;
  return runNode(['src/dev/setup/setup.ts', ...args, ...own, ...more], {
    env: {
      ...{ HOME: folder, XDG_CONFIG_HOME: folder, CONSTELLATION_API_KEY: '' },
      ...{ CLOUDFLARE_API_BASE_URL: cloudflare.url, CLOUDFLARE_API_TOKEN: token, CLOUDFLARE_ACCOUNT_ID: id },
    },
  });
};

const record = () => JSON.parse(readFileSync(join(folder, 'deployment.json'), 'utf8')) as Record<string, unknown>;
const changes = (): string[] => cloudflare.calls.filter((call) => !call.startsWith('GET ') && !call.includes('assets'));

describe('npm run setup', { timeout: 900_000 }, () => {
  it.each([
    [
      'an address of this machine',
      'PUBLIC_URL=http://localhost:8787',
      /^Cannot use .*PUBLIC_URL is http:\/\/localhost:8787, not a public https address/,
    ],
    [
      'a variable that nothing reads',
      'PUBLIK_URL=https://a.example',
      /^Cannot use .*: PUBLIK_URL is no variable of ours/,
    ],
    ['a value that no function could read', 'EMBEDDING_CACHE_SIZE=many', /EMBEDDING_CACHE_SIZE/],
  ])('refuses %s before it asks for an account', async (_, variables, says) => {
    const { status, stdout, stderr } = await setUp(variables);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(says);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(cloudflare.calls).toEqual([]);
  });

  it('says what a wrong sign-in lacks, in one line', async () => {
    const { status, stderr } = await setUp('', { token: 'wrong' });
    expect(status).toBe(1);
    expect(stderr.trim().split('\n').at(-1)).toMatch(/^Cannot .+\. (?:Give the API token|Run npx wrangler login)/);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('prints every step in a dry run, and changes nothing', async () => {
    const { status, stdout } = await setUp('', { more: ['--dry-run'] });
    expect(status).toBe(0);
    for (const step of [
      'create the KV namespace constellation-editions',
      'create the queue constellation-tickets-dead',
      'create the database constellation-shop',
      'make signing keys',
      'deploy constellation-library',
      'deploy constellation-gateway',
      'make the first API key',
      'ask the first question',
    ])
      expect(stdout).toContain(step);
    expect(changes()).toEqual([]);
    expect(existsSync(join(folder, 'deployment.json'))).toBe(false);
    expect(existsSync(join(folder, 'keys'))).toBe(false);
  });

  it('says which step failed, why, and what to do, and keeps what it has done', async () => {
    cloudflare.refuse = (call) =>
      call.endsWith('/scripts/constellation-semantic') && call.startsWith('PUT')
        ? [403, 10000, 'Authentication error']
        : undefined;
    const { status, stdout, stderr } = await setUp(`OPENAI_API_KEY=${SECRET}\nCHAT_MODEL=none\nEMBEDDING_MODEL=none\n`);
    cloudflare.refuse = () => undefined;
    expect(status).toBe(1);
    expect(stderr.trim().split('\n').at(-1)).toMatch(
      /^Cannot deploy constellation-semantic: .*Authentication error.*Give the API token the rights .*continues where it stopped\.$/,
    );
    expect(stdout + stderr).not.toContain(SECRET);
    expect(stdout).toMatch(/^created {3}KV namespace constellation-editions$/m);
    expect(stdout).toMatch(/^deployed {2}constellation-library$/m);
    expect(record()).toMatchObject({ kv: { 'constellation-editions': expect.stringMatching(/^[0-9a-f]{32}$/) } });
  });
});
