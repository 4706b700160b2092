import type * as z from 'zod';
import { readAs } from '../../contract/core/error-info.ts';
import { parseJson } from '../../contract/core/json-object.ts';
import { NewerState } from '../http/coded-error.ts';

/** Value of a column. Bytes are an `ArrayBuffer` or a view on one, depending on the adapter: see `bytesOf`. */
export type SqlValue = string | number | null | ArrayBuffer | Uint8Array<ArrayBuffer>;

/** An embedded SQLite database, read and written synchronously. Dialect: SQLite 3.45 or newer with its JSON functions. */
export interface Sql {
  /** All rows at once: limit them in the query. */
  all<Row extends Record<string, SqlValue>>(query: string, ...values: SqlValue[]): Row[];
  run(query: string, ...values: SqlValue[]): void;
  /** Commits what `work` writes, or nothing when it throws. Not to be nested; `work` must be synchronous. */
  transaction<T>(work: () => T): T;
}

export function bytesOf(value: ArrayBuffer | Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return value instanceof Uint8Array ? value : new Uint8Array(value);
}

/**
 * The used part of a Durable Object's storage. Spelled out, because the compiler does not terminate when it compares Cloudflare's
 * global types with those of the same name that their package exports.
 */
interface SqlStorage {
  sql: { exec(query: string, ...values: SqlValue[]): { toArray(): Record<string, unknown>[] } };
  transactionSync<T>(work: () => T): T;
}

/** The SQLite database of a Durable Object: at most 2 MB a row, 100 values a statement. */
export function durableObjectSql(storage: SqlStorage): Sql {
  return {
    // The rows are those of the query; SQLite itself has no types for them.
    all: <Row extends Record<string, SqlValue>>(query: string, ...values: SqlValue[]) =>
      storage.sql.exec(query, ...values).toArray() as Row[],
    run: (query, ...values) => {
      storage.sql.exec(query, ...values);
    },
    transaction: (work) => storage.transactionSync(work),
  };
}

/** One step: statements, or code where a statement depends on what is there. */
type Migration = readonly string[] | ((sql: Sql) => void);

/**
 * Brings the tables of one store up to date, in a transaction; called when the database is opened. The number of migrations that have run
 * is stored per store, since several share the database of a Durable Object.
 *
 * @param store Unique within the database: `gaps`.
 * @param migrations Numbered from 1 by their place. Released ones never change; a new version appends one. The first creates the tables
 * where they are missing, since databases from before the numbering have them already.
 * @throws {NewerState} When a newer version of the product has written the database.
 *
 * @example
 * const openNotes = (sql: Sql) => {
 *   migrate(sql, 'notes', [
 *     ['CREATE TABLE notes (id TEXT PRIMARY KEY, text TEXT NOT NULL)'],
 *     // A later version appends; what was released stays as it is.
 *     addColumn('notes', 'author', 'TEXT'),
 *   ]);
 *   return { all: () => sql.all<{ id: string; text: string }>('SELECT id, text FROM notes') };
 * };
 */
export function migrate(sql: Sql, store: string, migrations: readonly Migration[]): void {
  sql.transaction(() => {
    sql.run(
      'CREATE TABLE IF NOT EXISTS schema_versions (store TEXT PRIMARY KEY, version INTEGER NOT NULL)',
    );
    const [row] = sql.all<{ version: number }>(
      'SELECT version FROM schema_versions WHERE store = ?',
      store,
    );
    const version = row?.version ?? 0;
    if (version === migrations.length) return;
    if (version > migrations.length) {
      throw new NewerState(
        `Cannot open the store ${store}: a newer version has written it (schema ${version}, this version knows ${migrations.length}). Deploy that version or a later one; on one machine, npm start -- --fresh forgets the state`,
      );
    }
    for (const migration of migrations.slice(version)) {
      if (typeof migration === 'function') migration(sql);
      else for (const statement of migration) sql.run(statement);
    }
    sql.run(
      'INSERT OR REPLACE INTO schema_versions (store, version) VALUES (?, ?)',
      store,
      migrations.length,
    );
  });
}

/** Adds a column unless the table has it: databases from before the numbering may have it already. */
export function addColumn(table: string, column: string, definition: string) {
  return (sql: Sql): void => {
    const [found] = sql.all(
      'SELECT 1 AS found FROM pragma_table_info(?) WHERE name = ?',
      table,
      column,
    );
    if (found === undefined) sql.run(`ALTER TABLE ${table} ADD COLUMN ${column} ${definition}`);
  };
}

/**
 * What was stored as JSON by this version or an earlier one, such as a column; `undefined` when it is damaged or misses the schema.
 *
 * @example
 * import * as z from 'zod';
 *
 * readStored(z.array(z.string()), '["a"]'); // ['a']
 * readStored(z.array(z.string()), '[1'); // undefined: damaged
 */
export function readStored<T extends z.ZodType>(schema: T, text: string): z.output<T> | undefined {
  const value = parseJson(text);
  if (value === undefined) return undefined;
  const read = readAs(schema, value);
  return read.ok ? read.value : undefined;
}
