import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('some attack succeeds when any check of the verifier is disabled', { timeout: 120_000 }, () => {
  const script = fileURLToPath(new URL('mutate-verifier.ts', import.meta.url));
  const { stdout, stderr, status } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  const survivors = stdout.split('\n').filter((line) => line.includes('SURVIVES'));
  expect({ survivors, status }, stderr).toEqual({ survivors: [], status: 0 });
  expect(stdout).toMatch(/\n1\d\d mutants, 0 unexplained survivors/);
});
