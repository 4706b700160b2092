import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { IDENTITY_VARIABLES } from '../../src/platform/context/identity.ts';
import { CONFIGURATION } from './configuration.ts';

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

/**
 * The secrets that a function's settings name: `tokenSecret` of a host or a source (`{"acme": {"tokenSecret": "ACME_KB_TOKEN"}}`),
 * `secrets` and `token` of a connection to a helpdesk.
 */
export function secretsNamedFor(
  functionId: string,
  variables: Readonly<Record<string, string | undefined>>,
): string[] {
  if (functionId === 'library')
    return membersOf(variables.KB_SOURCES).flatMap(({ tokenSecret }) => textsIn(tokenSecret));
  if (functionId === 'sources')
    return membersOf(variables.ARTICLE_SOURCES).flatMap(({ tokenSecret }) => textsIn(tokenSecret));
  if (functionId !== 'webhooks') return [];
  const connections = membersOf(variables.HELPDESKS).flatMap((tools) =>
    membersOf(JSON.stringify(tools)),
  );
  return connections.flatMap(({ secrets, token }) => [...textsIn(secrets), ...textsIn(token)]);
}

/** The members of an object as JSON that are objects. The function says at its start what is wrong with it. */
const membersOf = (json = '{}'): Record<string, unknown>[] => {
  try {
    const value: unknown = JSON.parse(json || '{}');
    return Object.values(Object(value)).filter(
      (member): member is Record<string, unknown> => typeof member === 'object' && member !== null,
    );
  } catch {
    return [];
  }
};

const textsIn = (value: unknown): string[] =>
  [value].flat().filter((text) => typeof text === 'string');

const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new Error(`Cannot read ${file}: is there such a file?`);
  }
};
