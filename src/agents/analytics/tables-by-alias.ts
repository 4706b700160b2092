import type { SqlToken } from './lex-sql.ts';

/** Under which names a statement speaks of its tables: a table's own, and the words that follow it. All in lower case. */
export const tablesByAlias = (tokens: readonly SqlToken[], tables: readonly string[]): Map<string, string[]> => {
  const known = new Map(tables.map((table) => [table.toLowerCase(), table]));
  const aliases = new Map([...known].map(([name, table]) => [name, [table]]));
  tokens.forEach(({ value }, place) => {
    const table = known.get(value.toLowerCase());
    const alias = tokens[tokens[place + 1]?.value === 'as' ? place + 2 : place + 1];
    if (table === undefined || alias === undefined || !NAMES.has(alias.kind)) return;
    const name = alias.value.toLowerCase();
    aliases.set(name, [...(aliases.get(name) ?? []), table]);
  });
  return aliases;
};

/** An alias may also be written as a text. */
const NAMES: ReadonlySet<SqlToken['kind']> = new Set(['name', 'quoted', 'text']);
