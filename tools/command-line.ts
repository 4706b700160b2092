import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/** Whether this is the published command line, which is built to JavaScript; a checkout runs its sources. */
export const IS_PUBLISHED = !import.meta.url.endsWith('.ts');

/** What a person types to start the product: in a checkout `npm start -- --port 0`. */
export function startCommand(options = ''): string {
  if (IS_PUBLISHED) return `npx --no constellation start ${options}`.trimEnd();
  return options === '' ? 'npm start' : `npm start -- ${options}`;
}

/** Exit code for an invalid command line. */
const USAGE_ERROR = 2;

/**
 * Reads the command line of a script. `--help` prints the help and ends the process with 0; an unknown option, or one
 * argument too many, ends it with one line and 2.
 *
 * @param help What `--help` prints: the usage, and a line for each option.
 * @param options As `parseArgs` of `node:util` takes them, without `help`.
 * @param maxPositionals How many arguments without a name are allowed.
 */
export function readCommandLine<const Options extends ParseArgsOptionsConfig>(
  help: string,
  { options, maxPositionals = 0, args = process.argv.slice(2) }: CommandLine<Options>,
) {
  return orUsageError(() => {
    helpIfAsked(help, args);
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const unexpected = positionals[maxPositionals];
    if (unexpected !== undefined) throw new Error(`unexpected argument '${unexpected}'`);
    return { values, positionals };
  });
}

interface CommandLine<Options> {
  options: Options;
  maxPositionals?: number;
  args?: string[];
}

/** Prints the help and ends the process with 0 where the command line has `--help`. */
export function helpIfAsked(help: string, args: readonly string[] = process.argv.slice(2)): void {
  if (!args.includes('--help') && !args.includes('-h')) return;
  console.log(help.trimEnd());
  process.exit(0);
}

/** Ends the process with one line where reading the command line throws. */
export function orUsageError<T>(read: () => T): T {
  return orElse(read, failUsage);
}

/** Ends the process with the message of what is thrown. */
export function orFail<T>(read: () => T): T {
  return orElse(read, fail);
}

const orElse = <T>(read: () => T, end: (problem: string) => never): T => {
  try {
    return read();
  } catch (error) {
    return end(error instanceof Error ? error.message : String(error));
  }
};

/** Ends the process with 1 and says why. */
export function fail(problem: string): never {
  console.error(problem);
  process.exit(1);
}

/** Ends the process with one line that says what is wrong with the command line. */
export function failUsage(problem: string): never {
  // Node adds advice on arguments that begin with a dash in a sentence of its own.
  const [said = problem] = problem.split(/\. To specify|\n/);
  console.error(
    `${said.charAt(0).toUpperCase()}${said.slice(1).replace(/\.$/, '')}. --help lists the options.`,
  );
  process.exit(USAGE_ERROR);
}
