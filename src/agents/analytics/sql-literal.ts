import type { SqlParameter, SqlStatement } from '../../storage/sql-database.ts';
import { joinTokens } from './check-text.ts';
import { lexSql } from './lex-sql.ts';

/** A value as SQL writes it. */
const sqlLiteral = (value: SqlParameter): string => {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'NULL';
  return `'${value.replaceAll("'", "''")}'`;
};

/** A statement as people read it: values in place of its parameters, white space in one run. For display: what runs is bound. */
export const showSql = ({ sql, values = [] }: SqlStatement): string => {
  const lexed = lexSql(sql);
  if (!lexed.ok) return sql;
  return joinTokens(lexed.tokens, ({ kind, raw }) =>
    kind === 'parameter' ? sqlLiteral(values[Number(raw.slice(1)) - 1] ?? null) : raw,
  );
};
