import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { NewerState } from '../../../src/platform/http/coded-error.ts';
import { generateShop } from './generate-shop.ts';

/** What is used of a D1 database. */
interface Database {
  prepare(sql: string): Statement;
  batch(statements: Statement[]): Promise<unknown>;
}

interface Statement {
  bind(...values: unknown[]): Statement;
  all(): Promise<{ results: unknown[] }>;
}

/** The tables and indexes of the sample shop, one statement each. */
const shopSchema = (): string[] =>
  readFileSync(new URL('./schema.sql', import.meta.url), 'utf8')
    .replace(/^--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');

/**
 * Brings the sample shop of a database up to date, all or nothing: numbered as the stores of Durable Objects are. One that has products and
 * no number is of the first version, or somebody's own: it stays as it is.
 *
 * @throws {NewerState} When a newer version of the product has made it.
 */
export async function seedShop(database: Database): Promise<void> {
  await database
    .prepare(
      'CREATE TABLE IF NOT EXISTS schema_versions (store TEXT PRIMARY KEY, version INTEGER NOT NULL)',
    )
    .all();
  const { results } = await database
    .prepare(
      `SELECT coalesce((SELECT version FROM schema_versions WHERE store = 'shop'),
        (SELECT 1 FROM sqlite_schema WHERE name = 'products'), 0) AS version`,
    )
    .all();
  const { version } = z.tuple([z.object({ version: z.int() })]).parse(results)[0];
  if (version > MIGRATIONS.length) {
    throw new NewerState(
      `Cannot open the sample shop: a newer version has made it (schema ${version}, this version knows ${MIGRATIONS.length}). Start that version or a later one; npm start -- --fresh forgets the state`,
    );
  }
  const statements = MIGRATIONS.slice(version).flatMap((migration) => migration(database));
  const note = database.prepare(
    "INSERT OR REPLACE INTO schema_versions (store, version) VALUES ('shop', ?1)",
  );
  await database.batch([...statements, note.bind(MIGRATIONS.length)]);
}

const makeShop = (database: Database): Statement[] => {
  const tables = Object.entries(generateShop()).map(([table, rows]) => {
    const columns = Object.keys(rows[0] ?? {});
    const values = columns.map((column) => `value ->> '${column}'`);
    // One value for the whole table: a statement of D1 takes no more than 100.
    return database
      .prepare(
        `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM json_each(?1)`,
      )
      .bind(JSON.stringify(rows));
  });
  return [
    ...shopSchema().map((statement) => database.prepare(statement)),
    ...tables,
    database.prepare('ANALYZE'),
  ];
};

/** Released ones never change; a new version of the sample appends one. */
const MIGRATIONS: readonly ((database: Database) => Statement[])[] = [makeShop];
