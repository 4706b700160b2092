import { describe, expect, it } from 'vitest';
import { ensureInstalled } from '../../../src/dev/stand-ins/ensure-installed.ts';

/** A machine with some commands, and those that `apt-get install` adds. */
const machine = ({ has, installs = [], isRoot }: { has: string[]; installs?: string[]; isRoot: boolean }) => {
  const commands = new Set(has);
  const ran: string[] = [];
  const run = (command: string, parameters: readonly string[]) => {
    if (!commands.has(command)) return null;
    if (parameters[0] === '--version') return 0;
    ran.push([command, ...parameters].join(' '));
    if (parameters[0] === 'install') for (const each of installs) commands.add(each);
    return 0;
  };
  return { run, isRoot, ran };
};

const INSTALLED = ['apt-get update', 'apt-get install --yes --no-install-recommends redis-server'];

describe('ensureInstalled()', () => {
  it.each([
    ['does nothing when redis-server is installed', ['redis-server', 'apt-get'], true, []],
    ['installs the package after an update, as root on Debian', ['apt-get'], true, INSTALLED],
  ])('%s', (_, has, isRoot, ran) => {
    const tried = machine({ has, installs: ['redis-server'], isRoot });
    ensureInstalled('redis-server', tried);
    expect(tried.ran).toEqual(ran);
  });
  it.each([
    ['names the missing command when it may not install', ['apt-get'], false, /Cannot find redis-server/, []],
    ['names the package when there is no apt-get', [], true, /apt-get install redis-server/, []],
    ['reports an installation without effect', ['apt-get'], true, /did not succeed/, INSTALLED],
  ])('%s', (_, has, isRoot, says, ran) => {
    const tried = machine({ has, isRoot });
    expect(() => ensureInstalled('redis-server', tried)).toThrow(says);
    expect(tried.ran).toEqual(ran);
  });
});
