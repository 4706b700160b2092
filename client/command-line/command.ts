import type { ParseArgsOptionsConfig } from 'node:util';
import { failUsage, readCommandLine } from '../../tools/command-line.ts';
import { Constellation } from '../constellation.ts';
import { ConstellationError } from '../constellation-error.ts';
import { readSettings, SETTINGS_OPTIONS, type Settings } from './settings.ts';
import { cleanLine } from './terminal.ts';

/** Exit codes of every command, as `--help` lists them; 2 is a wrong command line. */
export const EXIT = { answered: 0, failed: 1, declined: 3 } as const;
export type Exit = (typeof EXIT)[keyof typeof EXIT];

/** Runs with the arguments that follow its name. */
export type Command = (args: string[]) => Promise<Exit>;

/** Options and arguments of a command, and the deployment that it works on. */
export function openCommand<const Options extends ParseArgsOptionsConfig>(
  args: string[],
  {
    help,
    options,
    maxPositionals = 0,
  }: { help: string; options: Options; maxPositionals?: number },
) {
  const read = readCommandLine(help, {
    options: { ...options, ...SETTINGS_OPTIONS },
    maxPositionals,
    args,
  });
  // Every command has these two.
  const named = read.values as { url?: string; workspace?: string };
  const settings = readSettings(named);
  return { ...read, settings, client: clientOf(settings) };
}

export function clientOf({
  url,
  key,
  workspace,
}: Pick<Settings, 'url' | 'key' | 'workspace'>): Constellation {
  return new Constellation({ url, key, workspace, timeoutMs: CALL_MS, interface: 'command_line' });
}

/** A model may take its time. */
const CALL_MS = 300_000;

/** A whole number within bounds. */
export function numberOf(
  text: string | undefined,
  { name, max }: { name: string; max: number },
): number | undefined {
  if (text === undefined) return undefined;
  const number = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  return number >= 1 && number <= max
    ? number
    : failUsage(`--${name} has to be a number from 1 to ${max}`);
}

/** One line for a person: what failed, its code, and what to do. */
export function describeError(error: unknown): string {
  if (!(error instanceof ConstellationError))
    return cleanLine(error instanceof Error ? error.message : String(error));
  const { code, message, suggestion, requestId } = error;
  const trace = requestId === undefined ? '' : ` (request ${requestId})`;
  const sentences = [message, suggestion].filter((each) => each !== undefined).map(sentence);
  return cleanLine(`${code}: ${sentences.join(' ')}${trace}`);
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
