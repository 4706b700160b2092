import { spawnSync } from 'node:child_process';

/** Access to the machine; replaced in tests. */
export interface Machine {
  /** Runs a command to its end. @returns Its exit status, `null` when it could not be run. */
  run(command: string, parameters: readonly string[]): number | null;
  isRoot: boolean;
}

const INSTALL_MS = 300_000;

/** Programs that tests start, by command, which is also the name of Debian's package. */
const PROGRAMS = {
  'redis-server':
    'install Redis 7 or later so that it is on the PATH (Debian: apt-get install redis-server; macOS: brew install redis)',
  'chromium-headless-shell':
    'install it or Chromium so that it is on the PATH (Debian: apt-get install chromium-headless-shell)',
  chromium:
    'install Chromium so that it is on the PATH (Debian: apt-get install chromium; macOS: brew install chromium)',
} as const;

/**
 * Makes sure that there is a program to start: installs Debian's package where that may be done, so that no test is skipped for lack of
 * it.
 *
 * @throws {Error} What is missing, and how to get it.
 */
export const ensureInstalled = (command: keyof typeof PROGRAMS, machine: Machine = thisMachine()): void => {
  const { run, isRoot } = machine;
  const isThere = () => run(command, ['--version']) === 0;
  if (isThere()) return;
  const packages = isRoot && run('apt-get', ['--version']) === 0;
  if (packages) {
    run('apt-get', ['update']); // It may fail for a source that the package does not come from.
    run('apt-get', ['install', '--yes', '--no-install-recommends', command]);
  }
  if (isThere()) return;
  throw new Error(
    `Cannot find ${command}, which the tests start: ${PROGRAMS[command]}${packages ? '. Installing it with apt-get did not succeed' : ''}`,
  );
};

/** Makes sure that there is a Chromium, best the one without windows, which not every distribution has. */
export const ensureChromium = (machine: Machine = thisMachine()): void => {
  try {
    ensureInstalled('chromium-headless-shell', machine);
  } catch {
    ensureInstalled('chromium', machine);
  }
};

const thisMachine = (): Machine => ({
  isRoot: process.getuid?.() === 0,
  run: (command, parameters) => {
    const stdio = command === 'apt-get' && parameters[0] !== '--version' ? 'inherit' : 'ignore';
    // RUNLEVEL 1 keeps the package from starting a Redis for the whole machine.
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
    return spawnSync(command, parameters, { stdio: ['ignore', stdio, stdio], timeout: INSTALL_MS, env }).status;
  },
});
