import { spawnSync } from 'node:child_process';

/** Access to the machine; replaced in tests. */
export interface Machine {
  /** Runs a command to its end. @returns Its exit status, `null` when it could not be run. */
  run(command: string, parameters: readonly string[]): number | null;
  isRoot: boolean;
  env: Readonly<Record<string, string | undefined>>;
}

interface ProgramNeeds {
  title: string;
  /** Any of these will do. Each is also the name of Debian's package; the first is preferred. */
  commands: readonly string[];
  /** Variable with the path of another one. */
  variable?: string;
  howToGet: string;
}

/** Programs that tests, benchmarks and screenshots start. */
const PROGRAMS = {
  redis: {
    title: 'Redis',
    commands: ['redis-server'],
    howToGet:
      'install Redis 7 or later (Debian: apt-get install redis-server; macOS: brew install redis)',
  },
  chromium: {
    title: 'Chromium',
    // The first has no windows, and opens a page in a third of the time; not every distribution has it.
    commands: ['chromium-headless-shell', 'chromium'],
    variable: 'CHROMIUM_PATH',
    howToGet:
      'install Chromium (Debian: apt-get install chromium-headless-shell; macOS: brew install chromium), or set CHROMIUM_PATH to one',
  },
} satisfies Record<string, ProgramNeeds>;

export type Program = keyof typeof PROGRAMS;

const INSTALL_MS = 300_000;

/** @returns Which of the programs this machine lacks. */
export function missingPrograms(machine: Machine = thisMachine()): Program[] {
  const programs = Object.keys(PROGRAMS) as Program[];
  return programs.filter((program) => !isInstalled(PROGRAMS[program], machine));
}

/**
 * Makes sure that there are programs to start. What is missing is installed as Debian's package where that is possible (as root, with
 * apt-get), after a line has said so.
 *
 * @param options.reason What needs them, for that line: `12 test files start it`.
 * @param options.advice How to keep that from happening, for the same line.
 * @param options.mayInstall False: nothing is installed, and an error names what is missing.
 * @throws {Error} What is missing, and how to get it.
 */
export function ensureInstalled(
  programs: readonly Program[],
  { reason, advice, mayInstall = true, say = console.log }: InstallOptions,
  machine: Machine = thisMachine(),
): void {
  const missing = programs.filter((program) => !isInstalled(PROGRAMS[program], machine));
  if (missing.length === 0) return;
  const names = missing.map((program) => PROGRAMS[program].title).join(' and ');
  const canInstall = machine.isRoot && machine.run('apt-get', ['--version']) === 0;
  if (mayInstall && canInstall) {
    const packages = missing.map((program) => PROGRAMS[program].commands[0]).join(' ');
    say(
      `installing ${packages} with apt-get: ${reason}${advice === undefined ? '' : ` (${advice})`}`,
    );
    machine.run('apt-get', ['update']); // It may fail for a source that the package does not come from.
    for (const program of missing) install(PROGRAMS[program], machine);
  }
  const stillMissing = missing.filter((program) => !isInstalled(PROGRAMS[program], machine));
  if (stillMissing.length === 0) return;
  const why = mayInstall && canInstall ? ' apt-get could not install it.' : '';
  const howToGet = stillMissing.map(
    (program) => `- ${PROGRAMS[program].title}: ${PROGRAMS[program].howToGet}`,
  );
  throw new Error(`Cannot find ${names}: ${reason}.${why}\n${howToGet.join('\n')}`);
}

export interface InstallOptions {
  reason: string;
  advice?: string;
  mayInstall?: boolean | undefined;
  say?: (line: string) => void;
}

function isInstalled({ commands, variable }: ProgramNeeds, { run, env }: Machine): boolean {
  const path = variable === undefined ? undefined : env[variable];
  return [...(path ? [path] : commands)].some((command) => run(command, ['--version']) === 0);
}

function install(needs: ProgramNeeds, machine: Machine): void {
  for (const command of needs.commands) {
    machine.run('apt-get', ['install', '--yes', '--no-install-recommends', command]);
    if (isInstalled(needs, machine)) return;
  }
}

const thisMachine = (): Machine => ({
  isRoot: process.getuid?.() === 0,
  env: process.env,
  run: (command, parameters) => {
    const stdio = command === 'apt-get' && parameters[0] !== '--version' ? 'inherit' : 'ignore';
    // RUNLEVEL 1 keeps the package from starting a Redis for the whole machine.
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
    return spawnSync(command, parameters, {
      stdio: ['ignore', stdio, stdio],
      timeout: INSTALL_MS,
      env,
    }).status;
  },
});
