import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { IDENTITY_VARIABLES } from '../../src/platform/context/identity.ts';
import { CONFIGURATION } from './configuration.ts';
import { secretsNamedFor } from './named-secrets.ts';

/** Not the same for all functions: each has its own key, and derived keys never reach production. */
const NOT_FROM_A_FILE: ReadonlySet<string> = new Set(IDENTITY_VARIABLES);

/**
 * The variables of a file, one `NAME=value` a line.
 *
 * @throws {Error} When it cannot be read, or names a variable that nothing reads (most likely it is misspelt), or one that may not
 *   be the same for all functions.
 */
export function readEnvFile(file: string): Record<string, string> {
  const variables = parseEnv(textOf(file)) as Record<string, string>;
  const named = ['library', 'sources', 'webhooks'].flatMap((id) => secretsNamedFor(id, variables));
  const known = new Set([...CONFIGURATION.map(({ name }) => name), ...named]);
  const names = Object.keys(variables);
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw new Error(
      `Cannot use ${file}: ${unknown.join(', ')} is no variable of ours (docs/configuration.md)`,
    );
  const misplaced = names.filter((name) => NOT_FROM_A_FILE.has(name));
  if (misplaced.length > 0)
    throw new Error(
      `Cannot use ${file}: ${misplaced.join(', ')} is set by npx constellation keys and npm run deploy alone`,
    );
  return variables;
}

const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new Error(`Cannot read ${file}: is there such a file?`);
  }
};
