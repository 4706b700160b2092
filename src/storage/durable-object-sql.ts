import type { DurableObjectStorage, SqlStorageValue } from '@cloudflare/workers-types';
import type { Sql, SqlValue } from './sql.ts';

/** The SQLite database of a Durable Object: at most 2 MB a row, 100 values a statement. */
export const durableObjectSql = (storage: DurableObjectStorage): Sql => ({
  // The rows are what the query selects; SQLite itself knows no types for them.
  all: <Row extends Record<string, SqlValue>>(query: string, ...values: SqlValue[]) =>
    storage.sql.exec<Row & Record<string, SqlStorageValue>>(query, ...values).toArray(),
  run: (query, ...values) => {
    storage.sql.exec(query, ...values);
  },
  transaction: (work) => storage.transactionSync(work),
});
