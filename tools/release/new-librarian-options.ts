import { parseArgs } from 'node:util';
import { describeIssues, readAs } from '../../src/contract/core/error-info.ts';
import { LibrarianInfo } from '../../src/contract/core/librarian.ts';

export const HELP = `Makes a new librarian: a function with its test, wired to the gateway, that answers at once.

  npx constellation new <id> [options]

  <id>                     2 to 48 lower-case letters, digits and single hyphens, beginning with a letter: opening-hours
  --name <text>            how people call it (default: the id in words)
  --description <text>     what it knows, in a sentence or two: others tell by it when to ask it
  --capabilities <list>    what a caller must be allowed to do, separated by commas: kb:read,sql:read (default: nothing)
  --help                   this text
`;

export interface NewLibrarianOptions {
  info: LibrarianInfo & { description: string };
  capabilities: string[];
}

/** Reads the command line. Throws an error that says what is wrong with which option. */
export function newLibrarianOptions(args: string[]): NewLibrarianOptions {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      name: { type: 'string' },
      description: { type: 'string' },
      capabilities: { type: 'string', default: '' },
    },
  });
  const [id, ...more] = positionals;
  if (id === undefined) throw new Error('Cannot make a librarian: it needs an id');
  if (more.length > 0)
    throw new Error(`Cannot make a librarian: one id is expected, not also ${more.join(' ')}`);
  if (!/^(?=.{2,48}$)[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(id)) {
    throw new Error(
      `Cannot use the id ${id}: 2 to 48 of a-z, 0-9 and single hyphens, beginning with a letter`,
    );
  }
  return optionsOf(id, values);
}

const optionsOf = (
  id: string,
  {
    name = wordsOf(id),
    description,
    capabilities,
  }: { name?: string; description?: string; capabilities: string },
): NewLibrarianOptions => {
  const said = description ?? `Answers questions about ${name.toLowerCase()}.`;
  const needed = capabilities
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  for (const [option, text] of Object.entries({ name, description: said })) {
    if (!/\S/.test(text)) throw new Error(`Cannot use --${option}: it is empty`);
    if (/[\p{Cc}\u2028\u2029]|\$\{/u.test(text)) {
      throw new Error(`Cannot use --${option}: it has a line break, a control character or a $\{`);
    }
  }
  const info = readAs(LibrarianInfo, {
    id,
    name: name.trim(),
    description: said.trim(),
    capabilities: needed,
  });
  if (!info.ok) throw new Error(`Cannot use these options: ${describeIssues(info.issues)}`);
  return { info: { ...info.value, description: said.trim() }, capabilities: needed };
};

/** `opening-hours` -> `Opening hours`. */
const wordsOf = (id: string): string =>
  `${id[0]?.toUpperCase()}${id.slice(1).replaceAll('-', ' ')}`;
