import type { SchemaEntry } from '../../platform/storage/sql-database.ts';
import {
  callsIn,
  groupedColumn,
  isSign,
  isWord,
  namesOfBrackets,
  type Select,
  selectsIn,
} from './select-outline.ts';
import type { SqlToken } from './sql-text.ts';

/** By the name of a subquery in lower case: columns of whose values each set has one row. Without columns it has one row in all. */
export type GroupedSubqueries = ReadonlyMap<string, readonly string[]>;

/**
 * The subqueries of a statement that return one row for each set of values of some columns, because they group by them, or one row.
 * `WITH sold AS (SELECT product_id, sum(units) FROM items GROUP BY product_id)` gives `sold: [product_id]`.
 *
 * It finds too few rather than too many: a name that stands for two subqueries, or for a table or view too, has no entry, nor has anything in a statement with its own
 * rules of comparison (COLLATE).
 *
 * @param columns Those of all tables; without them there are no entries.
 */
export function groupedSubqueries(
  tokens: readonly SqlToken[],
  { columns, schema }: { columns: ReadonlySet<string> | undefined; schema: readonly SchemaEntry[] },
): GroupedSubqueries {
  const hasCollation = tokens.some(({ kind, value }) => kind === 'name' && value === 'collate');
  if (columns === undefined || hasCollation) return new Map();
  // A plan names a view as it names a subquery.
  const names = [...namesOfBrackets(tokens), ...schema.map(({ name }) => name.toLowerCase())];
  return new Map(
    selectsIn(tokens).flatMap((select) => {
      const { name } = select;
      const isOnly = names.filter((other) => other === name).length === 1;
      const keys = isOnly ? keysOf(select, columns) : undefined;
      return name === undefined || keys === undefined ? [] : [[name, keys] as const];
    }),
  );
}

const keysOf = (select: Select, columns: ReadonlySet<string>): string[] | undefined => {
  const { group, from, isCompound } = select;
  if (from.length === 0 || isCompound) return undefined;
  if (group.length === 0) return isOneRow(select) ? [] : undefined;
  const keys = group.map((term) => {
    const output = groupedColumn(term, select, columns);
    const isOnly = select.columns.filter(({ name }) => name === output?.name).length === 1;
    return isOnly ? output?.name : undefined;
  });
  return keys.every((key) => key !== undefined) ? keys : undefined;
};

/** Deeper inside, an aggregate may belong to a query further out. With two arguments `max` is no aggregate. */
const isOneRow = ({ depth, columns }: Select): boolean =>
  depth === 1 &&
  columns.some(({ parts }) =>
    callsIn(parts, ['count', 'sum', 'total', 'avg', 'min', 'max']).some(([, args, further]) => {
      const hasOneArgument = Array.isArray(args) && !args.some((part) => isSign(part, ','));
      return hasOneArgument && !isWord(further, 'over', 'filter');
    }),
  );
