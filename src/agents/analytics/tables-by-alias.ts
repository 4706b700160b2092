import type { SqlToken } from './lex-sql.ts';

/** What stands for all that cannot be followed: the rows of a query in brackets. */
export const UNKNOWN_TABLE = ')';

/**
 * What each word of a statement may be another name of: the word before it, when an alias could stand there. All in lower case;
 * a bracket that closes an inner query is `UNKNOWN_TABLE`. It finds too many rather than too few.
 */
export const tablesByAlias = (tokens: readonly SqlToken[]): Map<string, string[]> => {
  const aliases = new Map<string, string[]>();
  tokens.forEach(({ kind, value }, place) => {
    if (!NAMES.has(kind)) return;
    const isAfterAs = tokens[place - 1]?.kind === 'name' && tokens[place - 1]?.value === 'as';
    const before = tokens[isAfterAs ? place - 2 : place - 1];
    if (before === undefined || (!NAMES.has(before.kind) && before.raw !== UNKNOWN_TABLE)) return;
    const name = value.toLowerCase();
    aliases.set(name, [...(aliases.get(name) ?? []), before.value.toLowerCase()]);
  });
  return aliases;
};

/** An alias may also be written as a text. */
const NAMES: ReadonlySet<SqlToken['kind']> = new Set(['name', 'quoted', 'text']);
