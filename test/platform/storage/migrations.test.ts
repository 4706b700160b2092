import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { sqlGapBook } from '../../../src/knowledge/gaps/sql-gap-book.ts';
import { sqlMemoryStore } from '../../../src/memory/store/sql-memory-store.ts';
import { migrate } from '../../../src/platform/storage/sql.ts';
import { ticketStore } from '../../../src/support/tickets/ticket-store.ts';
import { nodeSql } from '../../../tools/stand-ins/node-sql.ts';

const FIRST = ['CREATE TABLE IF NOT EXISTS notes (text TEXT NOT NULL)'];
const SECOND = ['ALTER TABLE notes ADD COLUMN at INTEGER NOT NULL DEFAULT 7'];

describe('migrate()', () => {
  it('runs each migration once per store', () => {
    const sql = nodeSql();
    migrate(sql, 'notes', [FIRST]);
    sql.run("INSERT INTO notes VALUES ('kept')");
    for (let times = 0; times < 2; times++) migrate(sql, 'notes', [FIRST, SECOND]);
    migrate(sql, 'other', [['CREATE TABLE other (id TEXT)']]);
    expect(sql.all('SELECT * FROM notes')).toEqual([{ text: 'kept', at: 7 }]);
    expect(sql.all('SELECT * FROM schema_versions ORDER BY store')).toEqual([
      { store: 'notes', version: 2 },
      { store: 'other', version: 1 },
    ]);
  });
  it('changes nothing when a migration fails', () => {
    const sql = nodeSql();
    migrate(sql, 'notes', [FIRST]);
    expect(() => migrate(sql, 'notes', [FIRST, SECOND, ['NOT SQL']])).toThrow();
    expect(sql.all('SELECT version FROM schema_versions')).toEqual([{ version: 1 }]);
    expect(() => sql.all('SELECT at FROM notes')).toThrow('no such column');
  });
  it('refuses a database of a newer version, with advice', () => {
    const sql = nodeSql();
    migrate(sql, 'notes', [FIRST, SECOND]);
    expect(() => migrate(sql, 'notes', [FIRST])).toThrow(
      /newer version.*\(schema 2, this version knows 1\)\. Deploy/,
    );
  });
});

describe('a database without schema versions', () => {
  const databaseOf = (name: string) => {
    const database = new DatabaseSync(':memory:');
    database.exec(readFileSync(join(import.meta.dirname, 'older-schemas', `${name}.sql`), 'utf8'));
    return nodeSql(database);
  };
  it('of memories keeps them, and adds lifetime and owner to its turns', async () => {
    const now = () => Date.parse('2026-11-02T00:00:00Z');
    const store = sqlMemoryStore(databaseOf('memories'), {
      workspace: 'w',
      wordsOf: (text) => text.split(' '),
      now,
    });
    const created_at = '2026-11-01T10:00:00.5Z';
    const fact = { workspace_id: 'w', type: 'fact', content: 'A yak.', confidence: 1, created_at };
    expect(await store.get('w', 'f')).toEqual({ id: 'f', ...fact, metadata: { asked: 'by' } });
    const expires_at = '2027-01-30T10:00:00Z';
    expect(await store.get('w', 't')).toMatchObject({ ...fact, stored_by: 'user:ada', expires_at });
    expect(await store.count('w', { turns: true, storedBy: 'user:ada' })).toBe(1);
    expect(store.nextRemoval()).toBe(Date.parse(expires_at));
  });
  it('of a ticket without the column `refusals` gets it, and keeps its jobs', () => {
    expect(ticketStore(databaseOf('tickets')).open()).toMatchObject([
      { about: 'm-1', attempts: 2, refusals: 0 },
    ]);
  });
  it('of gaps keeps them, with their questions', () => {
    const book = sqlGapBook(databaseOf('gaps'), { newId: () => 'g-2' });
    expect(book.list({ state: 'all', limit: 9, nowMs: 0 }).gaps).toMatchObject([
      { count: 3, example_queries: ['Zigbee?'] },
    ]);
  });
});
