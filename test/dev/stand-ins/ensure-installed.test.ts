import { expect, it } from 'vitest';
import { ensureInstalled } from '../../../src/dev/stand-ins/ensure-installed.ts';

const INSTALLED = ['apt-get update', 'apt-get install --yes --no-install-recommends redis-server'];

it.each<[what: string, has: string[], isRoot: boolean, installs: string[], ran: string[], says?: RegExp]>([
  ['does nothing when redis-server is installed', ['redis-server', 'apt-get'], true, [], []],
  ['installs the package after an update, as root on Debian', ['apt-get'], true, ['redis-server'], INSTALLED],
  ['names the missing command when it may not install', ['apt-get'], false, [], [], /Cannot find redis-server/],
  ['names the package when there is no apt-get', [], true, [], [], /apt-get install redis-server/],
  ['reports an installation without effect', ['apt-get'], true, [], INSTALLED, /did not succeed/],
])('ensureInstalled() %s', (_, has, isRoot, installs, ran, says) => {
  const commands = new Set(has);
  const tried: string[] = [];
  const run = (command: string, parameters: readonly string[]) => {
    if (!commands.has(command)) return null;
    if (parameters[0] === '--version') return 0;
    tried.push([command, ...parameters].join(' '));
    if (parameters[0] === 'install') for (const each of installs) commands.add(each);
    return 0;
  };
  const ensure = () => ensureInstalled('redis-server', { run, isRoot });
  if (says === undefined) ensure();
  else expect(ensure).toThrow(says);
  expect(tried).toEqual(ran);
});
