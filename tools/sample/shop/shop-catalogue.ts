import { readFileSync } from 'node:fs';
import { Catalogue } from '../../../src/librarians/analytics/catalogue.ts';

const JSON_TEXT = readFileSync(new URL('./shop-catalogue.json', import.meta.url), 'utf8');

/** What the analytics agent knows about the sample shop. */
export const SHOP_CATALOGUE = Catalogue.parse(JSON.parse(JSON_TEXT));

/** What is used of a D1 database. */
interface Database {
  prepare(sql: string): Statement;
}

interface Statement {
  bind(...values: unknown[]): Statement;
  all(): Promise<unknown>;
}

/** Stores a catalogue, by default that of the sample shop, in a database that has none. */
export async function storeCatalogue(database: Database, json = JSON_TEXT): Promise<void> {
  await database
    .prepare('CREATE TABLE IF NOT EXISTS analytics_catalogue (catalogue TEXT NOT NULL)')
    .all();
  await database
    .prepare(
      'INSERT INTO analytics_catalogue SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM analytics_catalogue)',
    )
    .bind(json)
    .all();
}
