import type { SqlToken } from './lex-sql.ts';

/** How many values each IN of a statement may compare with, the most first; `Infinity` where a query or a table says them. */
export const inListSizes = (tokens: readonly SqlToken[]): number[] =>
  tokens
    .flatMap(({ kind, value }, place) => (kind === 'name' && value === 'in' ? [sizeAfter(tokens, place + 1)] : []))
    .sort((a, b) => b - a);

const sizeAfter = (tokens: readonly SqlToken[], start: number): number => {
  if (tokens[start]?.raw !== '(') return Infinity;
  let depth = 0;
  let size = 1;
  for (let place = start; place < tokens.length; place++) {
    const { kind, raw, value } = tokens[place] ?? { kind: 'symbol', raw: ')', value: '' };
    if (kind === 'name' && (value === 'select' || value === 'values' || value === 'with')) return Infinity;
    if (raw === '(') depth++;
    if (raw === ')') depth--;
    if (depth === 0) break;
    if (raw === ',') size++;
  }
  return size;
};
