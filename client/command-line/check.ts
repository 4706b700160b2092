import { readFileSync, writeFileSync } from 'node:fs';
import { failUsage } from '../../tools/command-line.ts';
import { progressLine } from '../../tools/transfer/deployment.ts';
import {
  type BrokenLine,
  type CheckLine,
  readCheckLines,
  saveCheckLines,
  writeCheckLines,
} from '../check-lines.ts';
import type { Constellation } from '../constellation.ts';
import { ConstellationError } from '../constellation-error.ts';
import {
  type CheckedLine,
  expectationOf,
  junitReport,
  markdownReport,
  outcomeOf,
} from './check-report.ts';
import { type Command, clientOf, describeError, EXIT, openCommand } from './command.ts';
import { SETTINGS_HELP } from './settings.ts';
import { startFolder } from './start-folder.ts';
import { cleanLine, escapeControls, openTerminal, type Terminal } from './terminal.ts';

export const CHECK_HELP = `Asks the questions of a file, and says which are not answered as they must be.

  constellation check [options] <file>

A line of the file is a check as JSON: {"question": "…", "contains": "a text that must stand in the answer"},
{"question": "…", "cites": "id/of/an-article.md"}, both together, or {"question": "…", "declined": true}. - reads standard input.

  --kb <folder>       start the product on this folder for as long as the checks run
  --no-model          with --kb: answer with quotes only, whatever model is configured
  --junit <file>      write a report as JUnit XML
  --markdown <file>   write a report as Markdown
  --save              store the checks in the deployment, which runs them after each change, instead of running them now
  --export            print the stored checks as such a file; takes none
${SETTINGS_HELP}

Examples:
  constellation check questions.jsonl
  constellation check --kb docs --junit checks.xml --markdown checks.md questions.jsonl
  constellation check --export > questions.jsonl

The key needs kb:read; with --save kb:write.
Exit code: 0 all green, 1 some are red or could not be run, 2 wrong command line or a line that is no check.
`;

const OPTIONS = {
  kb: { type: 'string' },
  'no-model': { type: 'boolean', default: false },
  junit: { type: 'string' },
  markdown: { type: 'string' },
  save: { type: 'boolean', default: false },
  export: { type: 'boolean', default: false },
} as const;

export const check: Command = async (args) => {
  const command = openCommand(args, { help: CHECK_HELP, options: OPTIONS, maxPositionals: 1 });
  const { values, settings } = command;
  const out = openTerminal();
  if (values.export) return exportChecks(command.client, out);
  const [file] = command.positionals;
  if (file === undefined) return failUsage('The file of checks is missing');
  const { checks, broken } = readCheckLines(textOf(file));
  const { say } = progressLine();
  for (const { line, problem } of broken) say(`${cleanLine(file)}:${line}: ${cleanLine(problem)}`);
  if (checks.length === 0) return failUsage(`There is no check in ${file}`);
  if (values.save) return saveChecks(command.client, { checks, broken, out, file });
  if (values.kb !== undefined && values.url !== undefined)
    return failUsage('--kb and --url exclude each other');
  const folder =
    values.kb === undefined
      ? undefined
      : await startFolder(values.kb, { hasModel: !values['no-model'], say });
  try {
    const client =
      folder === undefined
        ? command.client
        : clientOf({ ...settings, workspace: undefined, ...folder });
    const lines = [...(await runChecks(client, checks)), ...broken.map(asChecked)].toSorted(
      (one, other) => one.line - other.line,
    );
    if (values.junit !== undefined) writeFileSync(values.junit, junitReport(lines, file));
    if (values.markdown !== undefined) writeFileSync(values.markdown, markdownReport(lines, file));
    return conclude(lines, out);
  } finally {
    await folder?.stop();
  }
};

const textOf = (file: string): string => {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    return failUsage(
      `Cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
};

const asChecked = ({ line, problem }: BrokenLine): CheckedLine => ({
  line,
  problem,
  milliseconds: 0,
});

/** Checks that are tried at a time. */
const PARALLEL = 4;

const runChecks = async (
  client: Constellation,
  checks: readonly CheckLine[],
): Promise<CheckedLine[]> => {
  const { show } = progressLine();
  const results: CheckedLine[] = [];
  const queue = [...checks];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      results.push(await tryCheck(client, next));
      show(`${results.length} of ${checks.length} checks`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, checks.length) }, work));
  if (process.stderr.isTTY) show('');
  return results;
};

/** A failure that every check would have ends the command; one of a single check stands beside it. */
const tryCheck = async (
  client: Constellation,
  { line, check: input }: CheckLine,
): Promise<CheckedLine> => {
  const startedAt = performance.now();
  const timing = () => ({ line, milliseconds: Math.round(performance.now() - startedAt) });
  try {
    const { edition: _, ...result } = await client.checks.try(input);
    return { ...timing(), check: input, result };
  } catch (error) {
    const isOfAll =
      !(error instanceof ConstellationError) ||
      ['UNAUTHORIZED', 'UNREACHABLE'].includes(error.code);
    if (isOfAll) throw error;
    // Without its check it counts as a line that is none.
    const isBroken = error.code === 'INVALID_QUERY';
    return { ...timing(), check: isBroken ? undefined : input, problem: describeError(error) };
  }
};

/** The exit code for a line that is no check, as for a wrong command line. */
const BROKEN = 2 as typeof EXIT.failed; // one that a command otherwise leaves to the reading of its options

const conclude = (lines: readonly CheckedLine[], out: Terminal) => {
  for (const { line, check: input, result, problem } of lines) {
    if (result?.state === 'green') continue;
    out.line(
      `${result === undefined ? 'NOT RUN' : 'RED'}  line ${line}  ${out.bold(cleanLine(input?.question ?? ''))}`,
    );
    if (input !== undefined && result !== undefined) {
      out.line(`     expected ${expectationOf(input)}`);
      out.line(`     ${outcomeOf(result)}`);
    } else out.line(`     ${cleanLine(problem)}`);
  }
  const green = lines.filter(({ result }) => result?.state === 'green').length;
  out.line(`${green} of ${lines.length} green`);
  if (lines.some(({ check: input }) => input === undefined)) return BROKEN;
  return green === lines.length ? EXIT.answered : EXIT.failed;
};

const saveChecks = async (
  client: Constellation,
  {
    checks,
    broken,
    out,
    file,
  }: { checks: readonly CheckLine[]; broken: readonly BrokenLine[]; out: Terminal; file: string },
) => {
  const result = await saveCheckLines(client, checks);
  for (const { line, problem } of result.broken)
    console.error(`${cleanLine(file)}:${line}: ${cleanLine(problem)}`);
  const { added, changed, unchanged } = result.written;
  out.line(`${Number(added)} added, ${Number(changed)} changed, ${Number(unchanged)} unchanged`);
  return broken.length + result.broken.length > 0 ? BROKEN : EXIT.answered;
};

const exportChecks = async (client: Constellation, out: Terminal) => {
  for await (const each of client.checks.all({ limit: 100, order: 'created' }))
    out.write(escapeControls(writeCheckLines([each])));
  return EXIT.answered;
};
