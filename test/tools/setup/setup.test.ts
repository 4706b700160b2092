import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { functionsInOrder } from '../../../tools/release/function-config.ts';
import { runWrangler } from '../../../tools/release/wrangler.ts';
import { createResources, type SetupRun } from '../../../tools/setup/account.ts';
import { deployChanged } from '../../../tools/setup/deploy-changed.ts';
import { makeFirstKey } from '../../../tools/setup/first-question.ts';
import {
  type CloudflareServer,
  startCloudflareServer,
} from '../../../tools/stand-ins/cloudflare/cloudflare-server.ts';
import { temporaryFolder, writeFiles } from '../folder-for-test.ts';
import { runNode } from '../node-for-test.ts';

const KEY = 'not-a-real-signing-key';

const folder = temporaryFolder();
let cloudflare: CloudflareServer;
beforeAll(async () => {
  cloudflare = await startCloudflareServer();
});
afterEach(() => void vi.unstubAllEnvs());
afterAll(() => cloudflare.stop());

/** The command in a temporary folder, with the real wrangler against a local Cloudflare API. */
const setUp = (variables: string, { token = cloudflare.token, more = [] as string[] } = {}) => {
  writeFiles(folder, { 'production.env': variables });
  const files = { env: 'production.env', keys: 'keys', deployment: 'deployment.json' };
  const args = Object.entries(files).flatMap(([name, file]) => [`--${name}`, join(folder, file)]);
  return runNode(['tools/setup/setup.ts', ...args, ...more], {
    env: {
      HOME: folder,
      XDG_CONFIG_HOME: folder,
      CONSTELLATION_API_KEY: '',
      CLOUDFLARE_API_TOKEN: token,
      CLOUDFLARE_API_BASE_URL: cloudflare.url,
      CLOUDFLARE_ACCOUNT_ID: cloudflare.account.id,
    },
  });
};

const changes = (): string[] =>
  cloudflare.calls.filter((call) => !call.startsWith('GET ') && !call.includes('assets'));

describe('npm run setup', { timeout: 900_000 }, () => {
  it.each([
    [
      'an address of this machine',
      'PUBLIC_URL=http://localhost:8787',
      /^Cannot use .*not a public https address/,
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
    expect(stderr.trim().split('\n').at(-1)).toMatch(
      /^Cannot .+\. (?:Give the API token|Run npx wrangler login)/,
    );
    expect(stderr).not.toMatch(/^\s+at /m);
  });
  it('prints every step in a dry run, also without an account, and changes nothing', async () => {
    const { status, stdout } = await setUp('', { token: '', more: ['--dry-run'] });
    expect(status).toBe(0);
    const created = ['KV namespace constellation-editions'];
    const deployed = ['deploy constellation-library', 'deploy constellation-gateway'];
    const others = ['make signing keys', 'make the first API key', 'ask the first question'];
    for (const step of [...created.map((what) => `create the ${what}`), ...deployed, ...others])
      expect(stdout).toContain(step);
    expect(changes()).toEqual([]);
    for (const file of ['deployment.json', 'keys'])
      expect(existsSync(join(folder, file))).toBe(false);
  });
});

describe('the steps of npm run setup, with the real wrangler', { timeout: 300_000 }, () => {
  it('create and deploy, and find everything on the second run', async () => {
    vi.stubEnv('HOME', folder).stubEnv('XDG_CONFIG_HOME', folder);
    vi.stubEnv('CLOUDFLARE_API_BASE_URL', cloudflare.url).stubEnv(
      'CLOUDFLARE_API_TOKEN',
      cloudflare.token,
    );
    const { id, namespaces, databases, scripts } = cloudflare.account;
    vi.stubEnv('CLOUDFLARE_ACCOUNT_ID', id);
    const reported: string[] = [];
    const run: SetupRun = {
      file: join(folder, 'one.json'),
      record: { kv: {}, d1: {}, functions: {}, account_id: id },
      dryRun: false,
      signal: new AbortController().signal,
      wrangler: runWrangler,
      progress: () => {},
      report: (outcome, step) => reported.push(`${outcome} ${step}`),
    };
    const functions = functionsInOrder().filter((one) => one.id === 'sources');
    const deploy = (variables: Record<string, string>) =>
      deployChanged(run, functions, { variables, signingKeyOf: () => KEY, hasAccount: true });
    const setUpOne = async (): Promise<string | undefined> => {
      await createResources(run, { kv: ['keys'], d1: ['shop'] }, true);
      await deploy({});
      return makeFirstKey(run, {
        keyFile: join(folder, 'first-api-key'),
        namespaceId: run.record.kv.keys ?? '',
      });
    };

    const key = await setUpOne();
    expect(reported).toEqual([
      ...['created KV namespace keys', 'created database shop'],
      ...['deployed constellation-sources', expect.stringMatching(/^created first API key/)],
    ]);
    expect(run.record).toMatchObject({
      kv: { keys: namespaces[0]?.id },
      d1: { shop: databases[0]?.uuid },
    });
    expect(scripts.get('constellation-sources')?.secrets).toEqual({ CONTEXT_SIGNING_KEY: KEY });
    expect([...(namespaces[0]?.values.keys() ?? [])]).toEqual([run.record.api_key]);

    cloudflare.calls.length = 0;
    expect(await setUpOne()).toBe(key);
    expect(reported.slice(4).map((line) => line.split(' ')[0])).toEqual(Array(4).fill('exists'));
    expect(changes()).toEqual([]);
  });
});
