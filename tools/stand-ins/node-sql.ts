import { DatabaseSync } from 'node:sqlite';
import type { Sql, SqlValue } from '../../src/platform/storage/sql.ts';

/** SQLite of this process, in place of the SQLite of a Durable Object. */
export function nodeSql(database: DatabaseSync = new DatabaseSync(':memory:')): Sql {
  const bound = (values: SqlValue[]) =>
    values.map((value) => (value instanceof ArrayBuffer ? new Uint8Array(value) : value));
  return {
    // The rows are those of the query; SQLite itself has no types for them.
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
}
