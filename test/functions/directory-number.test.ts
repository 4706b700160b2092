import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCAL_LIBRARIANS } from '../../src/platform/context/internal-librarians.ts';
import { createKeyring, publishedDirectory, renewDirectory } from '../../tools/release/keyring.ts';
import { startLocalCloud } from '../../tools/run/local-cloud.ts';

const folder = mkdtempSync(join(tmpdir(), 'constellation-directory-'));
const keyring = join(folder, 'keyring');
const file = (name: string): string => readFileSync(join(keyring, name), 'utf8').trim();
const directories: string[] = [];
const now = Date.now();

beforeAll(async () => {
  await createKeyring(keyring, { now });
  directories.push(file('directory.jws'));
  await renewDirectory(keyring, { now });
  directories.push(file('directory.jws'));
  expect(publishedDirectory(keyring).seq).toBe(2);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Statuses of functions that start on the same state with the directory of this number; `library` may have another. */
const startWith = async (number: 1 | 2, { library = number }: { library?: 1 | 2 } = {}) => {
  const lines: string[] = [];
  const vars = Object.keys(LOCAL_LIBRARIANS).map((id): [string, Record<string, string>] => {
    const CONTEXT_DIRECTORY = directories[(id === 'library' ? library : number) - 1] ?? '';
    return [`constellation-${id}`, { CONTEXT_DIRECTORY, CONTEXT_SIGNING_KEY: file(`${id}.key`) }];
  });
  const cloud = await startLocalCloud({
    port: 0,
    state: join(folder, 'state'),
    vars: Object.fromEntries(vars),
    functions: ['navigator', 'library'],
    allVars: {
      ENVIRONMENT: 'production',
      CONTEXT_DIRECTORY_ROOT: file('root.pub'),
      PUBLIC_URL: 'https://a.example',
    },
    onLog: (line) => void lines.push(line),
  });
  try {
    const statusOf = async (id: string) => {
      const worker = await cloud.miniflare.getWorker(`constellation-${id}`);
      const response = await worker.fetch('http://function/librarians/navigator');
      await response.text();
      return response.status;
    };
    const health = await fetch(new URL('/healthz', cloud.url));
    const { directory }: { directory?: { sequence: number } } = JSON.parse(await health.text());
    const statuses = {
      gateway: health.status,
      navigator: await statusOf('navigator'),
      library: await statusOf('library'),
    };
    return {
      ...statuses,
      sequence: directory?.sequence,
      faults: lines.filter((line) => line.includes('"start"')),
    };
  } finally {
    await cloud.stop();
  }
};

describe('a running function', () => {
  it('refuses a valid key directory with a lower number than before, and serves again with the newer one', async () => {
    expect(await startWith(2)).toMatchObject({
      gateway: 200,
      navigator: 200,
      library: 404,
      sequence: 2,
      faults: [],
    });
    const back = await startWith(1, { library: 2 });
    expect(back).toMatchObject({ gateway: 503, navigator: 503, library: 404 });
    expect(back.faults[0]).toContain('it is number 1, and gateway has had number 2');
    expect(await startWith(2)).toMatchObject({
      gateway: 200,
      navigator: 200,
      library: 404,
      faults: [],
    });
  }, 300_000);
});
