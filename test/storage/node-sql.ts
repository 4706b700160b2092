import { DatabaseSync } from 'node:sqlite';
import type { Sql, SqlValue } from '../../src/storage/sql.ts';

/** SQLite of this process behind the port that a Durable Object's SQLite stands behind in production. */
export const nodeSql = (database: DatabaseSync = new DatabaseSync(':memory:')): Sql => {
  const bound = (values: SqlValue[]) =>
    values.map((value) => (value instanceof ArrayBuffer ? new Uint8Array(value) : value));
  return {
    // The rows are what the query selects; SQLite itself knows no types for them.
    all: <Row extends Record<string, SqlValue>>(query: string, ...values: SqlValue[]) =>
      database.prepare(query).all(...bound(values)) as Row[],
    run: (query, ...values) => {
      database.prepare(query).run(...bound(values));
    },
    transaction: (work) => {
      database.exec('BEGIN');
      try {
        const result = work();
        database.exec('COMMIT');
        return result;
      } catch (error) {
        database.exec('ROLLBACK');
        throw error;
      }
    },
  };
};
