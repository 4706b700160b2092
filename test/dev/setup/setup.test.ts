import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { functionsInOrder } from '../../../src/dev/release/function-config.ts';
import { runWrangler } from '../../../src/dev/release/wrangler.ts';
import { createResources, type SetupRun } from '../../../src/dev/setup/account.ts';
import { deployChanged } from '../../../src/dev/setup/deploy-changed.ts';
import { makeFirstKey } from '../../../src/dev/setup/first-question.ts';
import {
  type CloudflareServer,
  startCloudflareServer,
} from '../../../src/dev/stand-ins/cloudflare/cloudflare-server.ts';
import { runNode } from '../node-for-test.ts';

const KEY = 'not-a-real-signing-key';

let folder: string;
let cloudflare: CloudflareServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'constellation-setup-'));
  cloudflare = await startCloudflareServer();
});
afterEach(() => void vi.unstubAllEnvs());
afterAll(async () => {
  await cloudflare.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The command in a temporary folder, with the real wrangler against a local Cloudflare API. */
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
    ['an invalid value', 'EMBEDDING_CACHE_SIZE=many', /EMBEDDING_CACHE_SIZE/],
  ])('refuses %s before it asks for an account', async (_, variables, says) => {
    const { status, stdout, stderr } = await setUp(variables);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(says);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(cloudflare.calls).toEqual([]);
  });

  it('reports what a wrong sign-in lacks, in one line', async () => {
    const { status, stderr } = await setUp('', { token: 'wrong' });
    expect(status).toBe(1);
    expect(stderr.trim().split('\n').at(-1)).toMatch(/^Cannot .+\. (?:Give the API token|Run npx wrangler login)/);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('prints every step in a dry run, also without an account, and changes nothing', async () => {
    const { status, stdout } = await setUp('', { token: '', more: ['--dry-run'] });
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
});

describe('the steps of npm run setup, with the real wrangler', { timeout: 300_000 }, () => {
  it('create and deploy, and find everything on the second run', async () => {
    vi.stubEnv('HOME', folder).stubEnv('XDG_CONFIG_HOME', folder);
    vi.stubEnv('CLOUDFLARE_API_BASE_URL', cloudflare.url).stubEnv('CLOUDFLARE_API_TOKEN', cloudflare.token);
    const { id, namespaces, databases, scripts } = cloudflare.account;
    vi.stubEnv('CLOUDFLARE_ACCOUNT_ID', id);
    const reported: string[] = [];
    const run: SetupRun = {
      ...{ file: join(folder, 'one.json'), record: { kv: {}, d1: {}, functions: {}, account_id: id }, dryRun: false },
      ...{ signal: new AbortController().signal, wrangler: runWrangler, progress: () => {} },
      report: (outcome, step) => reported.push(`${outcome} ${step}`),
    };
    const functions = functionsInOrder().filter((one) => one.id === 'sources');
    const deploy = (variables: Record<string, string>) =>
      deployChanged(run, functions, { variables, signingKeyOf: () => KEY, hasAccount: true });
    const setUpOne = async (): Promise<string | undefined> => {
      await createResources(run, { kv: ['keys'], d1: ['shop'], queues: ['tickets'] }, true);
      await deploy({});
      return makeFirstKey(run, { keyFile: join(folder, 'first-api-key'), namespaceId: run.record.kv.keys ?? '' });
    };

    const key = await setUpOne();
    expect(reported).toEqual([
      ...['created KV namespace keys', 'created database shop', 'created queue tickets'],
      ...['deployed constellation-sources', expect.stringMatching(/^created first API key/)],
    ]);
    expect(run.record).toMatchObject({ kv: { keys: namespaces[0]?.id }, d1: { shop: databases[0]?.uuid } });
    expect(scripts.get('constellation-sources')?.secrets).toEqual({ CONTEXT_SIGNING_KEY: KEY });
    expect([...(namespaces[0]?.values.keys() ?? [])]).toEqual([run.record.api_key]);

    cloudflare.calls.length = 0;
    expect(await setUpOne()).toBe(key);
    expect(reported.slice(5).map((line) => line.split(' ')[0])).toEqual(Array(5).fill('exists'));
    expect(changes()).toEqual([]);
  });
});
