import { NewerState } from '../http/coded-error.ts';
import type { Sql } from './sql.ts';

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
 */
export const migrate = (sql: Sql, store: string, migrations: readonly Migration[]): void =>
  sql.transaction(() => {
    sql.run('CREATE TABLE IF NOT EXISTS schema_versions (store TEXT PRIMARY KEY, version INTEGER NOT NULL)');
    const [row] = sql.all<{ version: number }>('SELECT version FROM schema_versions WHERE store = ?', store);
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
    sql.run('INSERT OR REPLACE INTO schema_versions (store, version) VALUES (?, ?)', store, migrations.length);
  });

/** Adds a column unless the table has it: databases from before the numbering may have it already. */
export const addColumn =
  (table: string, column: string, definition: string) =>
  (sql: Sql): void => {
    const [found] = sql.all('SELECT 1 AS found FROM pragma_table_info(?) WHERE name = ?', table, column);
    if (found === undefined) sql.run(`ALTER TABLE ${table} ADD COLUMN ${column} ${definition}`);
  };
