import type { Sql, SqlValue } from './sql.ts';

/**
 * What is used of a Durable Object's storage. Spelt out, because the compiler does not come to an end when it compares
 * Cloudflare's global types with those of the same name that their package exports.
 */
export interface SqlStorage {
  sql: { exec(query: string, ...values: SqlValue[]): { toArray(): Record<string, unknown>[] } };
  transactionSync<T>(work: () => T): T;
}

/** The SQLite database of a Durable Object: at most 2 MB a row, 100 values a statement. */
export const durableObjectSql = (storage: SqlStorage): Sql => ({
  // The rows are what the query selects; SQLite itself knows no types for them.
  all: <Row extends Record<string, SqlValue>>(query: string, ...values: SqlValue[]) =>
    storage.sql.exec(query, ...values).toArray() as Row[],
  run: (query, ...values) => {
    storage.sql.exec(query, ...values);
  },
  transaction: (work) => storage.transactionSync(work),
});
