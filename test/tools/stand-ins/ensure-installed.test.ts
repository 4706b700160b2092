import { expect, it } from 'vitest';
import { ensureInstalled, missingPrograms } from '../../../tools/stand-ins/ensure-installed.ts';

const INSTALL = 'apt-get install --yes --no-install-recommends';
const REDIS = ['apt-get update', `${INSTALL} redis-server`];
const SAYS = 'installing redis-server with apt-get: 3 files need it (or not)';

/** A machine with these commands, on which apt-get can install those. */
const machineWith = (
  has: string[],
  { isRoot = true, installs = [] as string[], env = {} } = {},
) => {
  const commands = new Set(has);
  const ran: string[] = [];
  const run = (command: string, parameters: readonly string[]) => {
    if (!commands.has(command)) return null;
    if (parameters[0] === '--version') return 0;
    ran.push([command, ...parameters].join(' '));
    const asked = parameters.at(-1) ?? '';
    if (parameters[0] === 'install' && installs.includes(asked)) commands.add(asked);
    return 0;
  };
  return { run, isRoot, env, ran };
};

it.each<
  [
    what: string,
    machine: ReturnType<typeof machineWith>,
    mayInstall: boolean,
    ran: string[],
    error?: RegExp,
  ]
>([
  ['does nothing when Redis is there', machineWith(['redis-server', 'apt-get']), true, []],
  [
    'installs the package after an update',
    machineWith(['apt-get'], { installs: ['redis-server'] }),
    true,
    REDIS,
  ],
  [
    'names what is missing to a user',
    machineWith(['apt-get'], { isRoot: false }),
    true,
    [],
    /^Cannot find Redis: /,
  ],
  [
    'names it where it may not install',
    machineWith(['apt-get']),
    false,
    [],
    /- Redis: install Redis 7 or later/,
  ],
  ['names it without apt-get', machineWith([]), true, [], /Debian: apt-get install redis-server/],
  [
    'reports an installation without effect',
    machineWith(['apt-get']),
    true,
    REDIS,
    /apt-get could not install it/,
  ],
])('ensureInstalled() %s', (_, machine, mayInstall, ran, error) => {
  const lines: string[] = [];
  const say = (line: string) => lines.push(line);
  const ensure = () =>
    ensureInstalled(
      ['redis'],
      { reason: '3 files need it', advice: 'or not', mayInstall, say },
      machine,
    );
  if (error === undefined) ensure();
  else expect(ensure).toThrow(error);
  expect(machine.ran).toEqual(ran);
  // Before anything is installed, and only then.
  expect(lines).toEqual(ran.length === 0 ? [] : [SAYS]);
});

it('takes the Chromium with windows where Debian has no other, and any that CHROMIUM_PATH names', () => {
  const machine = machineWith(['apt-get'], { installs: ['chromium'] });
  ensureInstalled(['chromium'], { reason: 'it is needed', say: () => {} }, machine);
  expect(machine.ran).toEqual([
    'apt-get update',
    `${INSTALL} chromium-headless-shell`,
    `${INSTALL} chromium`,
  ]);
  expect(
    missingPrograms(machineWith(['/opt/chrome'], { env: { CHROMIUM_PATH: '/opt/chrome' } })),
  ).toEqual(['redis']);
  expect(
    missingPrograms(machineWith(['chromium'], { env: { CHROMIUM_PATH: '/opt/chrome' } })),
  ).toContain('chromium');
});
