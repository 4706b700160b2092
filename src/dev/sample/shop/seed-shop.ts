import { readFileSync } from 'node:fs';
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
 * Makes the sample shop in an empty database, all or nothing. One that has tables is left as it is.
 *
 * @returns Whether it was made.
 */
export const seedShop = async (database: Database): Promise<boolean> => {
  const { results } = await database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'products'").all();
  if (results.length > 0) return false;
  const tables = Object.entries(generateShop()).map(([table, rows]) => {
    const columns = Object.keys(rows[0] ?? {});
    const values = columns.map((column) => `value ->> '${column}'`);
    // One value for the whole table: a statement of D1 takes no more than 100.
    return database
      .prepare(`INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM json_each(?1)`)
      .bind(JSON.stringify(rows));
  });
  const schema = shopSchema().map((statement) => database.prepare(statement));
  await database.batch([...schema, ...tables, database.prepare('ANALYZE')]);
  return true;
};
