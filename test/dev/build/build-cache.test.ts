import { spawnSync } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { cachedBuild } from '../../../src/dev/build/build-cache.ts';
import { ROOT } from '../../../src/dev/functions.ts';

const newKey = () => `build-cache.test ${crypto.randomUUID()}`;

it('builds once for all that need it at the same time', async () => {
  const key = newKey();
  let builds = 0;
  const build = async () => {
    builds += 1;
    await setTimeout(120);
    return { files: ['package.json'], result: `build ${builds}` };
  };
  const results = await Promise.all([1, 2, 3].map(() => cachedBuild(key, z.string(), build)));
  expect(results).toEqual(['build 1', 'build 1', 'build 1']);
  expect(await cachedBuild(key, z.string(), build)).toBe('build 1');
});

it('builds again after a build that failed', async () => {
  const key = newKey();
  const failing = cachedBuild(key, z.string(), async () => {
    await setTimeout(120);
    throw new Error('syntax');
  });
  const waiting = cachedBuild(key, z.string(), async () => ({ files: [], result: 'mended' }));
  await expect(failing).rejects.toThrow('syntax');
  expect(await waiting).toBe('mended');
});

it('does not wait for a process that ended while it built', async () => {
  const key = newKey();
  const script = `
    import * as z from 'zod';
    import { cachedBuild } from './src/dev/build/build-cache.ts';
    await cachedBuild(${JSON.stringify(key)}, z.string(), () => process.exit(3));`;
  const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT });
  expect(status).toBe(3);
  expect(await cachedBuild(key, z.string(), async () => ({ files: [], result: 'built' }))).toBe('built');
}, 20_000);
