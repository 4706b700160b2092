import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ROOT } from '../../../tools/functions.ts';
import { readRecord } from '../../../tools/release/deployment-record.ts';
import type { FunctionConfig } from '../../../tools/release/function-config.ts';
import { chooseAccount, createResources, type SetupRun } from '../../../tools/setup/account.ts';
import { deployChanged } from '../../../tools/setup/deploy-changed.ts';
import { askFirstQuestion, makeFirstKey } from '../../../tools/setup/first-question.ts';
import { temporaryFolder, writeFiles } from '../folder-for-test.ts';

const ACCOUNT = 'a'.repeat(32);
const KV = 'b'.repeat(32);
const SECRET = 'sk-not-a-real-key-0123456789';
const URL = 'https://test-gateway.example.workers.dev';

const all = temporaryFolder();
let folder: string;
let account: ReturnType<typeof accountInMemory>;
beforeEach(() => {
  folder = mkdtempSync(join(all, 'one-'));
  account = accountInMemory();
  vi.stubEnv('CLOUDFLARE_ACCOUNT_ID', '');
});
afterEach(() => {
  vi.unstubAllEnvs();
  for (const name of account.versions.keys())
    rmSync(join(ROOT, 'dist', 'deploy', `${name}.json`), { force: true });
});

/** An account in memory, behind commands that print the output of wrangler; setup.test.ts runs the real one. */
const accountInMemory = () => {
  const held = {
    kv: new Map<string, string>(),
    d1: new Map<string, string>(),
    values: new Map<string, string>(),
    versions: new Map<string, string>(),
    /** Accounts of the sign-in. */
    accounts: [ACCOUNT],
    /** Commands so far that change something. */
    changes: [] as string[],
    /** Commands that fail, and their output. */
    failing: { command: /^$/, output: '' },
  };
  let count = 0;
  const deploy = (config: string): string => {
    const { name } = JSON.parse(readFileSync(config, 'utf8')) as { name: string };
    held.changes.push(`deploy ${name}`);
    held.versions.set(name, `${name}-${++count}`);
    return `  ${URL.replace('test-gateway', name)}\nCurrent Version ID: ${held.versions.get(name)}`;
  };
  const change = (command: string, apply: () => void): string => {
    held.changes.push(command);
    apply();
    return '';
  };
  const print = (args: readonly string[], command: string): string | undefined => {
    const [area, , name = '', title = ''] = args;
    if (area === 'whoami')
      return JSON.stringify({ loggedIn: true, accounts: held.accounts.map((id) => ({ id })) });
    if (command === 'kv namespace list')
      return JSON.stringify([...held.kv].map(([title, id]) => ({ title, id })));
    if (command === 'd1 list --json')
      return JSON.stringify([...held.d1].map(([one, uuid]) => ({ name: one, uuid })));
    if (command.startsWith('kv namespace create'))
      return change(`create ${title}`, () =>
        held.kv.set(title, (++count).toString(16).padStart(32, '0')),
      );
    if (command.startsWith('d1 create'))
      return change(`create ${name}`, () =>
        held.d1.set(name, '00000000-0000-4000-8000-000000000001'),
      );
    if (area === 'deployments') {
      const version = held.versions.get(args.at(-1) ?? '');
      return version === undefined
        ? undefined
        : JSON.stringify({ versions: [{ version_id: version }] }, null, 2);
    }
    if (area === 'deploy') return deploy(args[2] ?? '');
    const [namespace, key = '', , path = ''] = args.slice(5);
    if (command.startsWith('kv key put'))
      return change(`put ${namespace}`, () => held.values.set(key, readFileSync(path, 'utf8')));
    if (command.startsWith('kv key get')) return held.values.get(key);
    throw new Error(`Cannot run wrangler ${command} here`);
  };
  const ABSENT = '[ERROR] This Worker does not exist on your account. [code: 10007] 404: Not Found';
  const wrangler: SetupRun['wrangler'] = async (args, { signal } = {}) => {
    signal?.throwIfAborted();
    const command = args.join(' ');
    const isFailing = held.failing.command.test(command);
    const printed = isFailing ? undefined : print(args, command);
    const output = printed ?? (isFailing ? held.failing.output : ABSENT);
    return { status: printed === undefined ? 1 : 0, stdout: printed ?? '', output };
  };
  return Object.assign(held, { wrangler });
};

/** A run of the command on the record of the last one, and the lines that it reports. */
const newRun = (more: Partial<SetupRun> = {}) => {
  const file = join(folder, 'deployment.json');
  const reported: string[] = [];
  const run: SetupRun = {
    file,
    record: readRecord(file),
    dryRun: false,
    signal: new AbortController().signal,
    wrangler: account.wrangler,
    progress: () => {},
    ...more,
    report: (outcome, step) => reported.push(`${outcome} ${step}`),
  };
  account.changes.length = 0;
  return { run, reported };
};

/** Two functions of a checkout: the library, and the gateway that calls it. */
const functionsIn = (checkout: string, code = 'export default {};'): FunctionConfig[] =>
  ['library', 'gateway'].map((id) => {
    const own = join(folder, checkout, id);
    writeFiles(own, { 'index.ts': id === 'library' ? code : 'export default {};' });
    const name = `test-${id}`;
    const file = relative(ROOT, join(own, 'wrangler.toml'));
    const vars = id === 'library' ? { PUBLIC_URL: '' } : {};
    return { file, name, id, calls: [], raw: { name, main: 'index.ts', minify: true, vars } };
  });

interface Differences {
  variables?: Record<string, string>;
  code?: string;
  checkout?: string;
  key?: string;
  more?: Partial<SetupRun>;
}

const deploy = async ({
  variables = {},
  code,
  checkout = 'one',
  key = 'key',
  more,
}: Differences = {}) => {
  const { run, reported } = newRun(more);
  const { url } = run.record;
  await deployChanged(run, functionsIn(checkout, code), {
    variables: {
      ...(url === undefined ? {} : { PUBLIC_URL: url }),
      OPENAI_API_KEY: SECRET,
      ...variables,
    },
    signingKeyOf: (id) => (id === 'library' ? key : undefined),
    hasAccount: true,
  });
  return { reported, record: run.record, changes: [...account.changes] };
};

/** Runs with failing commands, which then work again. */
const failing = async (
  command: RegExp,
  output: string,
  work: () => Promise<unknown>,
): Promise<Error> => {
  account.failing = { command, output };
  const error = await work().catch((reason: unknown) => reason);
  account.failing.command = /^$/;
  expect(error).toBeInstanceOf(Error);
  return error as Error; // as the line above found
};

describe('deployChanged()', () => {
  const CONTINUED = ['exists test-library', 'deployed test-gateway', 'changed test-library'];

  it('deploys each function, and deploys again those that need the new address of the gateway', async () => {
    const { reported, record, changes } = await deploy();
    expect(reported).toEqual([
      'deployed test-library',
      'deployed test-gateway',
      'changed test-library',
    ]);
    expect(changes).toEqual(['deploy test-library', 'deploy test-gateway', 'deploy test-library']);
    expect(record.url).toBe(URL);
    expect(JSON.stringify(record)).not.toContain(SECRET);
  });
  it('deploys nothing when nothing differs, also from another checkout', async () => {
    await deploy();
    for (const checkout of ['one', 'two']) {
      const { reported, changes } = await deploy({ checkout });
      expect([reported, changes]).toEqual([['exists test-library', 'exists test-gateway'], []]);
    }
  });
  it.each<[string, Differences, () => void]>([
    ['its code', { checkout: 'two', code: 'export default { a: 1 };' }, () => {}],
    ['a variable that it reads', { variables: { KB_ALLOWED_HOSTS: 'kb.example.com' } }, () => {}],
    ['a secret that it reads', { variables: { KB_TOKEN: 'another' } }, () => {}],
    ['its signing key', { key: 'rotated' }, () => {}],
    [
      'its version, because it was deployed elsewhere',
      {},
      () => account.versions.set('test-library', 'another'),
    ],
    ['its version, because it was removed', {}, () => account.versions.delete('test-library')],
  ])('deploys only one function when it differs in %s', async (_, differences, happens) => {
    await deploy();
    happens();
    expect((await deploy(differences)).changes).toEqual(['deploy test-library']);
    expect((await deploy(differences)).changes).toEqual([]);
  });
  it('continues after a failure with the function that failed', async () => {
    const output = `✘ [ERROR] A request to the Cloudflare API failed. Authentication error for ${SECRET} [code: 10000]`;
    const { message } = await failing(/^deploy .*test-gateway/, output, deploy);
    expect(message).toMatch(
      /^Cannot deploy test-gateway: .*Authentication error.*Give the API token the rights/,
    );
    expect(message).toMatch(/continues where it stopped\.$/);
    expect((await deploy()).reported).toEqual(CONTINUED);
  });
  it('continues after an interruption, also when the platform has received the upload', async () => {
    const interrupted = new AbortController();
    const wrangler: SetupRun['wrangler'] = async (args, options) => {
      const result = await account.wrangler(args, options);
      // The upload has arrived, wrangler has not ended.
      if (args[0] === 'deploy' && args[2]?.includes('test-gateway')) interrupted.abort();
      options?.signal?.throwIfAborted();
      return result;
    };
    await expect(deploy({ more: { wrangler, signal: interrupted.signal } })).rejects.toThrow(
      /abort/i,
    );
    expect((await deploy()).reported).toEqual(CONTINUED);
  });
  it('stops between two functions of a dry run when it is interrupted', async () => {
    const interrupted = new AbortController();
    const bundled: string[] = [];
    const progress = (doing: string): void => {
      if (!doing.startsWith('bundling')) return;
      bundled.push(doing);
      interrupted.abort();
    };
    await expect(
      deploy({ more: { dryRun: true, signal: interrupted.signal, progress } }),
    ).rejects.toThrow('aborted');
    expect(bundled).toEqual(['bundling test-library']);
  });
  it('deploys nothing in a dry run, and records nothing', async () => {
    const { reported, changes } = await deploy({ more: { dryRun: true } });
    expect(reported).toEqual(['would do deploy test-library', 'would do deploy test-gateway']);
    expect([changes, existsSync(join(folder, 'deployment.json'))]).toEqual([[], false]);
  });
});

describe('createResources()', () => {
  const NEEDED = { kv: ['editions', 'keys'], d1: ['shop'] };
  const create = async (more?: Partial<SetupRun>) => {
    const { run, reported } = newRun(more);
    await createResources(run, NEEDED, true);
    return { reported, record: run.record };
  };

  it('creates what is missing, records the ids, and finds everything the next time', async () => {
    account.kv.set('keys', KV);
    const { reported, record } = await create();
    expect(account.changes).toEqual(['create editions', 'create shop']);
    expect(reported).toContain('exists KV namespace keys');
    expect(record.kv).toEqual({ keys: KV, editions: account.kv.get('editions') });
    expect(record.d1).toEqual(Object.fromEntries(account.d1));
    await create();
    expect(account.changes).toEqual([]);
  });
  it('finds existing resources by name when the record is lost', async () => {
    const { record } = await create();
    rmSync(join(folder, 'deployment.json'));
    expect((await create()).record).toEqual(record);
    expect(account.changes).toEqual([]);
  });
  it('continues after a failure with what is missing', async () => {
    const { message } = await failing(/^d1 create shop /, '[ERROR] fetch failed', create);
    expect(message).toMatch(
      /^Cannot create the database shop: fetch failed\. Check the connection/,
    );
    await create();
    expect(account.changes).toEqual(['create shop']);
  });
  it('creates nothing in a dry run', async () => {
    const { reported } = await create({ dryRun: true });
    expect(reported).toContain('would do create the database shop');
    expect(account.changes).toEqual([]);
  });
});

describe('chooseAccount()', () => {
  const choose = async () => {
    const { run } = newRun();
    await chooseAccount(run);
    return readRecord(run.file).account_id;
  };

  it('chooses the only account of the sign-in, and keeps it', async () => {
    expect(await choose()).toBe(ACCOUNT);
    account.accounts = [KV, ACCOUNT];
    expect(await choose()).toBe(ACCOUNT);
  });
  it('refuses to work on another account than the recorded one', async () => {
    vi.stubEnv('CLOUDFLARE_ACCOUNT_ID', ACCOUNT);
    await choose();
    vi.stubEnv('CLOUDFLARE_ACCOUNT_ID', KV);
    await expect(choose()).rejects.toThrow(
      /is of the account a+, CLOUDFLARE_ACCOUNT_ID names b+\. Give/,
    );
  });
  it('asks which one when there are several', async () => {
    account.accounts = [KV, ACCOUNT];
    await expect(choose()).rejects.toThrow(
      /there are several: b+ \(\), a+ \(\)\. Set CLOUDFLARE_ACC/,
    );
  });
});

describe('makeFirstKey()', () => {
  const keyFile = () => join(folder, 'first-api-key');
  const make = async () => {
    const { run, reported } = newRun();
    const key = await makeFirstKey(run, { keyFile: keyFile(), namespaceId: KV });
    return { key, reported, record: run.record };
  };

  it('writes a key that only its owner can read, stores only its hash, and finds it the next time', async () => {
    const { key = '', reported, record } = await make();
    expect(readFileSync(keyFile(), 'utf8')).toBe(`${key}\n`);
    expect(statSync(keyFile()).mode & 0o077).toBe(0);
    expect(record.api_key).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify([reported, record, [...account.values]])).not.toContain(key);
    expect([...account.values.keys()]).toEqual([record.api_key]);
    expect((await make()).key).toBe(key);
    expect(account.changes).toEqual([]);
  });
  it('stores the same key when the last run ended before it was stored', async () => {
    const { message } = await failing(/./, '[ERROR] fetch failed', make);
    expect(message).toMatch(/^Cannot store the first API key: fetch failed/);
    const written = readFileSync(keyFile(), 'utf8').trim();
    expect((await make()).key).toBe(written);
    expect(account.values.size).toBe(1);
  });
  it('creates no other key after the first was deleted', async () => {
    await make();
    account.values.clear();
    const { key, reported } = await make();
    expect(key).toBeUndefined();
    expect(reported).toEqual([expect.stringMatching(/^skipped first API key: it was deleted/)]);
    expect(account.changes).toEqual([]);
  });
});

describe('askFirstQuestion()', () => {
  it('ends at once when it is interrupted while it waits for the deployment', async () => {
    const interrupted = new AbortController();
    const { run } = newRun({
      signal: interrupted.signal,
      progress: (line) => line.includes('Trying again') && interrupted.abort(),
    });
    const asked = askFirstQuestion(run, {
      url: 'http://127.0.0.1:9',
      key: 'k',
      question: undefined,
      hasHost: true,
    });
    await expect(asked).rejects.toThrow(/abort/i);
  });
});
