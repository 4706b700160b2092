import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { IDENTITY_VARIABLES } from '../runtime/identity.ts';
import { CONFIGURATION } from './configuration.ts';

/** Each function has a key of its own, and derived ones never reach production. */
const NOT_FROM_A_FILE: ReadonlySet<string> = new Set(IDENTITY_VARIABLES);

/**
 * The variables of a file, one `NAME=value` a line.
 *
 * @throws {Error} When it cannot be read, or names a variable that nothing reads (most likely it is misspelt), or one that may not
 *   be the same for all functions.
 */
export const readEnvFile = (file: string): Record<string, string> => {
  const variables = parseEnv(textOf(file)) as Record<string, string>;
  const known = new Set([...CONFIGURATION.map(({ name }) => name), ...secretsNamedIn(variables.KB_SOURCES)]);
  const names = Object.keys(variables);
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw new Error(`Cannot use ${file}: ${unknown.join(', ')} is no variable of ours (docs/configuration.md)`);
  const misplaced = names.filter((name) => NOT_FROM_A_FILE.has(name));
  if (misplaced.length > 0)
    throw new Error(`Cannot use ${file}: ${misplaced.join(', ')} is set by npm run keys and npm run deploy alone`);
  return variables;
};

/** The secrets that the hosts of further workspaces name: `{"acme": {"url": "…", "tokenSecret": "ACME_KB_TOKEN"}}`. */
export const secretsNamedIn = (sources = '{}'): string[] => {
  try {
    const named: unknown[] = Object.values(JSON.parse(sources) as Record<string, { tokenSecret?: unknown }>).map(
      ({ tokenSecret }) => tokenSecret,
    );
    return named.filter((name) => typeof name === 'string');
  } catch {
    // The library says at its start what is wrong with it.
    return [];
  }
};

const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new Error(`Cannot read ${file}: is there such a file?`);
  }
};
