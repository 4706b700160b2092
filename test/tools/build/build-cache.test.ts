import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { builds, cachedBuild } from '../../../tools/build/build-cache.ts';
import { ROOT } from '../../../tools/functions.ts';

const newKey = () => ({ key: `build-cache.test ${crypto.randomUUID()}`, what: 'a test' });

/** What a process prints that needs a build; `build` is the body of the function that makes it. */
const otherProcess = (key: ReturnType<typeof newKey>, build: string): Promise<string> => {
  const script = `
    import * as z from 'zod';
    import { cachedBuild } from './tools/build/build-cache.ts';
    console.log(await cachedBuild(${JSON.stringify(key)}, z.string(), async () => { ${build} }));`;
  return text(spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT }).stdout);
};

it('is made once for all processes that need it at the same time', async () => {
  const key = newKey();
  const slow = `
    await new Promise((resolve) => setTimeout(resolve, 2000));
    return { files: ['package.json'], result: 'by ' + process.pid };`;
  const results = await Promise.all([1, 2, 3].map(() => otherProcess(key, slow)));
  expect(new Set(results).size).toBe(1);
  expect(results[0]).toMatch(/^by \d+\n$/);
});

it('does not wait for a process whose build failed', async () => {
  const key = newKey();
  const failing = cachedBuild(key, z.string(), () => Promise.reject(new Error('syntax')));
  await expect(failing).rejects.toThrow('syntax');
  expect(await otherProcess(key, `return { files: [], result: 'mended' };`)).toBe('mended\n');
}, 20_000);

it('does not wait for a process that ended while it built', async () => {
  const key = newKey();
  expect(await otherProcess(key, 'process.exit(3);')).toBe('');
  expect(await cachedBuild(key, z.string(), async () => ({ files: [], result: 'built' }))).toBe(
    'built',
  );
}, 20_000);

it('does not wait for another process that has the id of one that ended while it built', async () => {
  const key = newKey();
  expect(await otherProcess(key, 'process.exit(3);')).toBe('');
  const lock = join(
    ROOT,
    'dist/bundles',
    `${createHash('sha256').update(key.key).update('\0').digest('hex')}.json.lock`,
  );
  const ended = JSON.parse(readFileSync(lock, 'utf8'));
  // The process that runs this test's workers lives, and is another one.
  writeFileSync(lock, JSON.stringify({ ...ended, process: process.ppid }));
  const startedAt = performance.now();
  expect(await cachedBuild(key, z.string(), async () => ({ files: [], result: 'built' }))).toBe(
    'built',
  );
  expect(performance.now() - startedAt).toBeLessThan(10_000);
}, 90_000);

it('gives a result whose files cannot be read', async () => {
  expect(
    await cachedBuild(newKey(), z.string(), async () => ({ files: ['gone'], result: 'built' })),
  ).toBe('built');
});

it('says what it builds, and nothing of what it has', async () => {
  const begun: string[] = [];
  const note = (what: string) => begun.push(what);
  builds.on('begin', note);
  const key = newKey();
  for (let time = 0; time < 2; time += 1)
    await cachedBuild(key, z.string(), async () => ({ files: ['package.json'], result: 'built' }));
  builds.off('begin', note);
  expect(begun).toEqual(['a test']);
});
