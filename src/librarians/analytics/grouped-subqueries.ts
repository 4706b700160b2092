import { groupedColumn, namesOfBrackets, type Select, selectsIn } from './select-outline.ts';
import type { SqlToken } from './sql-text.ts';

/**
 * The subqueries of a statement that return one row for each set of values of some columns, because they group by them: by name in lower
 * case, the columns. `WITH sold AS (SELECT product_id, sum(units) FROM items GROUP BY product_id)` gives `sold: [product_id]`.
 *
 * It finds too few rather than too many: a name that stands for two subqueries has no entry, nor has anything in a statement with its own
 * rules of comparison (COLLATE).
 *
 * @param columns Of all tables.
 */
export function groupedSubqueries(
  tokens: readonly SqlToken[],
  { columns }: { columns: ReadonlySet<string> },
): ReadonlyMap<string, readonly string[]> {
  const hasCollation = tokens.some(({ kind, value }) => kind === 'name' && value === 'collate');
  const names = namesOfBrackets(tokens);
  const entries = selectsIn(tokens).flatMap((select) => {
    const { name } = select;
    const isOnly = names.filter((other) => other === name).length === 1;
    const keys = isOnly ? keysOf(select, columns) : undefined;
    return name === undefined || keys === undefined ? [] : [[name, keys] as const];
  });
  return new Map(hasCollation ? [] : entries);
}

const keysOf = (select: Select, columns: ReadonlySet<string>): string[] | undefined => {
  const { group, from, isCompound } = select;
  if (group.length === 0 || from.length === 0 || isCompound) return undefined;
  const keys = group.map((term) => {
    const output = groupedColumn(term, select, columns);
    const isOnly = select.columns.filter(({ name }) => name === output?.name).length === 1;
    return isOnly ? output?.name : undefined;
  });
  return keys.every((key) => key !== undefined) ? keys : undefined;
};
