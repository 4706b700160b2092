import { chmodSync } from 'node:fs';
import { expect, it } from 'vitest';
import { registryNote } from '../../../tools/packages/registry.ts';
import { temporaryFolder, writeFiles } from '../folder-for-test.ts';
import { runNode } from '../node-for-test.ts';

const folder = temporaryFolder();

/** An npm whose registry has the contract in version 0.2.0, and which asks in the terminal before it publishes. */
const NPM = `#!/bin/sh
case "$*" in
  'view @constellation/contract@0.2.0 version --json') echo '"0.2.0"' ;;
  'view @constellation/client@0.2.0 version --json') ;;
  view*) echo '{"error": {"code": "'\${CODE:-E404}'", "summary": "no answer"}}'; exit 1 ;;
  *) echo "one-time password for $*" ;;
esac
`;

const publish = (env: Record<string, string> = {}) => {
  writeFiles(folder, { npm: NPM });
  chmodSync(`${folder}/npm`, 0o755);
  const script = `import { publish } from './tools/packages/registry.ts';
    const names = ['@constellation/contract', '@constellation/client', 'constellation'];
    try {
      publish(names.map((name, index) => ({ name, tarball: index + '.tgz' })), '0.2.0');
    } catch ({ message }) { console.log(message); }`;
  return runNode(['--input-type=module', '--eval', script], {
    env: { PATH: `${folder}:${process.env.PATH}`, ...env },
  });
};

it('publishes what is not on the registry, in the terminal that asks for a password', async () => {
  const { stdout } = await publish();
  expect(stdout.split('\n')).toEqual([
    '@constellation/contract 0.2.0 is on the registry: skipped',
    'one-time password for publish 1.tgz --access public',
    'one-time password for publish 2.tgz --access public',
    '',
  ]);
});

it('publishes nothing more when the registry does not answer', async () => {
  const { stdout } = await publish({ CODE: 'E500' });
  expect(stdout).not.toContain('publish 2.tgz');
  expect(stdout).toContain('Cannot ask the registry about constellation: no answer');
});

it('says whose a name is, and what a free one of a scope needs', () => {
  expect(registryNote('constellation', ['ada'])).toContain('belongs to ada');
  expect(registryNote('constellation', undefined)).toBe('constellation is free on the registry');
  expect(registryNote('@constellation/client', undefined)).toContain(
    'needs a user or organisation @constellation there',
  );
});
