import type { SqlToken } from './sql-text.ts';

/** Stands for a query in parentheses, whose rows are unknown. */
export const UNKNOWN_TABLE = ')';

/**
 * Maps each possible alias to the tables it may stand for: the word before it. Everything is in lower case; a parenthesis that closes
 * a subquery is `UNKNOWN_TABLE`. It finds too many rather than too few.
 */
export function tablesByAlias(tokens: readonly SqlToken[]): Map<string, string[]> {
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
}

/** SQLite also accepts a string as an alias. */
const NAMES: ReadonlySet<SqlToken['kind']> = new Set(['name', 'quoted', 'text']);

/**
 * The number of values of each IN list, the largest first; `Infinity` for a query or a table. SQLite also makes a list of
 * `a = 1 OR a = 2`.
 */
export function inListSizes(tokens: readonly SqlToken[]): number[] {
  const sizes: number[] = [];
  const alternatives = [1];
  const endAlternatives = () => {
    const size = alternatives.pop() ?? 1;
    if (size > 1) sizes.push(size);
  };
  tokens.forEach(({ kind, raw, value }, place) => {
    if (kind === 'name' && value === 'in') sizes.push(sizeAfter(tokens, place + 1));
    if (kind === 'name' && value === 'or') alternatives.push((alternatives.pop() ?? 1) + 1);
    const isAnd = kind === 'name' && value === 'and';
    if (isAnd || raw === ')') endAlternatives();
    if (isAnd || raw === '(') alternatives.push(1);
  });
  while (alternatives.length > 0) endAlternatives();
  return sizes.sort((a, b) => b - a);
}

const sizeAfter = (tokens: readonly SqlToken[], start: number): number => {
  if (tokens[start]?.raw !== '(') return Infinity;
  let depth = 0;
  let size = 1;
  for (let place = start; place < tokens.length; place++) {
    const { kind, raw, value } = tokens[place] ?? { kind: 'symbol', raw: ')', value: '' };
    if (kind === 'name' && (value === 'select' || value === 'values' || value === 'with'))
      return Infinity;
    if (raw === '(') depth++;
    if (raw === ')') depth--;
    if (depth === 0) break;
    if (raw === ',') size++;
  }
  return size;
};
