import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { CONFIGURATION } from './configuration.ts';

/**
 * The variables of a file, one `NAME=value` a line.
 *
 * @throws {Error} When it cannot be read, or names a variable that nothing reads: most likely it is misspelt.
 */
export const readEnvFile = (file: string): Record<string, string> => {
  const variables = parseEnv(textOf(file)) as Record<string, string>;
  const known = new Set(CONFIGURATION.map(({ name }) => name));
  const unknown = Object.keys(variables).filter((name) => !known.has(name));
  if (unknown.length === 0) return variables;
  throw new Error(`Cannot use ${file}: ${unknown.join(', ')} is no variable of ours (docs/configuration.md)`);
};

const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new Error(`Cannot read ${file}: is there such a file?`);
  }
};
