import { describe, expect, it } from 'vitest';
import { ensureRedis } from '../../../src/dev/stand-ins/ensure-redis.ts';

/** A machine that has some commands, and what of it `apt-get install` brings. */
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

describe('ensureRedis()', () => {
  it('does nothing where redis-server is there', () => {
    const there = machine({ has: ['redis-server', 'apt-get'], isRoot: true });
    ensureRedis(there);
    expect(there.ran).toEqual([]);
  });

  it('installs the package after an update, as root on Debian', () => {
    const bare = machine({ has: ['apt-get'], installs: ['redis-server'], isRoot: true });
    ensureRedis(bare);
    expect(bare.ran).toEqual(['apt-get update', 'apt-get install --yes --no-install-recommends redis-server']);
  });

  it('names what is missing where it may not install', () => {
    const foreign = machine({ has: ['apt-get'], installs: ['redis-server'], isRoot: false });
    expect(() => ensureRedis(foreign)).toThrow(/Cannot find redis-server/);
    expect(foreign.ran).toEqual([]);
    expect(() => ensureRedis(machine({ has: [], isRoot: true }))).toThrow(/apt-get install redis-server/);
  });

  it('says so when the installation brought nothing', () => {
    expect(() => ensureRedis(machine({ has: ['apt-get'], isRoot: true }))).toThrow(/did not succeed/);
  });

  it('finds one on this machine', () => {
    expect(() => ensureRedis()).not.toThrow();
  });
});
