import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LOCAL_LIBRARIANS } from '../../src/platform/context/internal-librarians.ts';
import { settingsOf } from './configuration.ts';
import { librarianTemplates } from './librarian-templates.ts';
import type { NewLibrarianOptions } from './new-librarian-options.ts';

/** A file to write, by its path from the root, and whether it is there already. */
export interface PlannedFile {
  path: string;
  text: string;
  isNew: boolean;
}

const GATEWAY_CONFIG = 'wrangler.toml';
const DIRECTORY = 'src/platform/context/internal-librarians.ts';

/**
 * Everything that a new librarian changes in a checkout, and nothing written yet.
 *
 * @throws {Error} When the id is taken or reserved, a file is in the way, or a file to change is not as expected.
 */
export function planLibrarian(options: NewLibrarianOptions, root: string): PlannedFile[] {
  const { id } = options.info;
  const config = readFileSync(join(root, GATEWAY_CONFIG), 'utf8');
  refuseTaken(id, config);
  const made = Object.entries(librarianTemplates(options)).map(([path, text]) => ({
    path,
    text,
    isNew: true,
  }));
  const inTheWay = [`functions/${id}`, ...made.map(({ path }) => path)].find((path) =>
    existsSync(join(root, path)),
  );
  if (inTheWay !== undefined) throw new Error(`Cannot make ${id}: ${inTheWay} exists already`);
  const changed = [
    { path: GATEWAY_CONFIG, text: withBinding(config, id), isNew: false },
    {
      path: DIRECTORY,
      text: withEntry(readFileSync(join(root, DIRECTORY), 'utf8'), id),
      isNew: false,
    },
  ];
  return [...made.map((file) => ({ ...file, text: formatted(file, root) })), ...changed];
}

/** Answers questions in the gateway itself, without a function. */
const RESERVED = new Set(['concierge', 'partner', 'gateway']);

const refuseTaken = (id: string, config: string): void => {
  if (RESERVED.has(id) || Object.hasOwn(LOCAL_LIBRARIANS, id)) {
    throw new Error(`Cannot use the id ${id}: the product has a function of that name`);
  }
  const name = bindingOf(id);
  // Every binding and variable of the gateway shares one environment with the new service binding.
  const isVariable = settingsOf('gateway').some((setting) => setting.name === name);
  if (isVariable || new RegExp(`\\b${name}\\b`).test(config)) {
    throw new Error(
      `Cannot use the id ${id}: the gateway has something else that is called ${name}`,
    );
  }
};

/** `opening-hours` -> `OPENING_HOURS`; the gateway finds its way back (src/librarians/delegation/librarian-directory.ts). */
const bindingOf = (id: string): string => id.toUpperCase().replaceAll('-', '_');

/** Behind the last service binding of the gateway. */
const withBinding = (config: string, id: string): string => {
  const last = [...config.matchAll(/^\[\[services\]\]\n(?:[a-z_]+ = .*\n)+/gm)].at(-1);
  if (last === undefined)
    throw new Error(`Cannot change ${GATEWAY_CONFIG}: it has no service binding`);
  const end = last.index + last[0].length;
  const binding = `\n[[services]]\nbinding = "${bindingOf(id)}"\nservice = "constellation-${id}"\n`;
  return `${config.slice(0, end)}${binding}${config.slice(end)}`;
};

/** At the end of the table. */
const withEntry = (source: string, id: string): string => {
  const start = source.indexOf('export const LOCAL_LIBRARIANS');
  const end = start < 0 ? -1 : source.indexOf('\n};\n', start);
  if (end < 0) throw new Error(`Cannot change ${DIRECTORY}: the table of librarians is not found`);
  return `${source.slice(0, end)}\n  ${id.includes('-') ? `'${id}'` : id}: {},${source.slice(end)}`;
};

/** As `npm run check` wants it. Only TypeScript is laid out by the formatter. */
const formatted = ({ path, text }: Pick<PlannedFile, 'path' | 'text'>, root: string): string => {
  if (!path.endsWith('.ts')) return text;
  const args = [
    'check',
    '--write',
    '--error-on-warnings',
    '--vcs-enabled=false',
    `--stdin-file-path=${path}`,
  ];
  const options = { cwd: root, input: text, encoding: 'utf8' as const };
  const { status, stdout, error } = spawnSync(join(root, 'node_modules/.bin/biome'), args, options);
  if (status !== 0)
    throw new Error(`Cannot format ${path}: ${error?.message ?? 'biome refuses it'}`);
  return stdout;
};
