import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import * as z from 'zod';

/** The file that `constellation login` writes. */
const SettingsFile = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).max(2048),
  key: z.string().min(1).max(8192).optional(),
  workspace: z.string().min(1).max(64).optional(),
});
type SettingsFile = z.infer<typeof SettingsFile>;

export interface Settings {
  url: string;
  key: string | undefined;
  workspace: string | undefined;
  /** Origin of the address and the key, for `constellation doctor`. */
  origin: { url: string; key: string };
}

export const SETTINGS_OPTIONS = { url: { type: 'string' }, workspace: { type: 'string' } } as const;

export const SETTINGS_HELP = `  --url <address>     the gateway (default that of the environment, of the configuration, or http://127.0.0.1:8787)
  --workspace <id>    one of the workspaces of the key (default its first)
  --help              this text`;

const LOCAL = 'http://127.0.0.1:8787';
const MAX_BYTES = 65_536;

const settingsPath = (): string =>
  join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'constellation/config.json');

/**
 * Address and key: from the command line, the environment or the configuration, in this order. A key of the configuration goes to the
 * address that stands beside it and to no other.
 *
 * @throws {Error} For a configuration that others may read, or that has the wrong form.
 */
export function readSettings(
  values: { url?: string | undefined; workspace?: string | undefined } = {},
): Settings {
  const { env } = process;
  const path = settingsPath();
  const file = readFile(path);
  const [url, urlOrigin] = first([
    [values.url, '--url'],
    [env.CONSTELLATION_URL, 'CONSTELLATION_URL'],
    [file?.url, path],
    [LOCAL, 'the default'],
  ]);
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new Error(`Cannot use the address of ${urlOrigin}: it is no http or https address`);
  const isOfFile = file !== undefined && new URL(file.url).origin === new URL(url).origin;
  const [key, keyOrigin] = first([
    [env.CONSTELLATION_API_KEY, 'CONSTELLATION_API_KEY'],
    [isOfFile ? file.key : undefined, path],
    ['', 'none: set CONSTELLATION_API_KEY, or run constellation login'],
  ]);
  const workspace =
    values.workspace ?? (env.CONSTELLATION_WORKSPACE || (isOfFile ? file.workspace : undefined));
  return {
    url,
    key: key === '' ? undefined : key,
    workspace,
    origin: { url: urlOrigin, key: keyOrigin },
  };
}

/** The first that is set; an empty variable is not. */
const first = (
  candidates: readonly (readonly [string | undefined, string])[],
): readonly [string, string] => {
  const found = candidates.find((each): each is readonly [string, string] => Boolean(each[0]));
  return found ?? ['', candidates.at(-1)?.[1] ?? ''];
};

const readFile = (path: string): SettingsFile | undefined => {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0)
    throw new Error(
      `Cannot use ${path}: it holds a key, and others than its owner have rights on it. Run chmod 600 ${path}`,
    );
  if (stat.size > MAX_BYTES)
    throw new Error(`Cannot use ${path}: it has more than ${MAX_BYTES} bytes`);
  try {
    return SettingsFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : 'it is no JSON';
    throw new Error(`Cannot use ${path}: ${why}. Run constellation login to write it again`);
  }
};

/** Writes the configuration for its owner alone; the file is complete at any moment. */
export function writeSettings(settings: SettingsFile): string {
  const path = settingsPath();
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(SettingsFile.parse(settings), null, 2)}\n`, {
    mode: 0o600,
  });
  chmodSync(unfinished, 0o600);
  renameSync(unfinished, path);
  return path;
}
