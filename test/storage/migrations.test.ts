import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { nodeSql } from '../../src/dev/stand-ins/node-sql.ts';
import { ticketStore } from '../../src/helpdesk/tickets/ticket-store.ts';
import { sqlGapBook } from '../../src/knowledge/gaps/sql-gap-book.ts';
import { migrate } from '../../src/storage/sql.ts';
import { sqlMemoryStore } from '../../src/storage/sql-memory-store.ts';

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
      /newer version .* \(schema 2, this version knows 1\)\. Deploy/,
    );
  });
});

describe('a database without schema versions', () => {
  it('of memories keeps them, and adds lifetime and owner to its turns', async () => {
    const database = new DatabaseSync(':memory:');
    database.exec(`CREATE TABLE memories (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, place TEXT NOT NULL UNIQUE,
      type TEXT NOT NULL, confidence REAL NOT NULL, conversation TEXT, person TEXT, memory TEXT NOT NULL)`);
    const insert = database.prepare(
      "INSERT INTO memories (id, place, type, confidence, conversation, memory) VALUES (?, ?, 'fact', 1, 'c', ?)",
    );
    const fact = {
      workspace_id: 'w',
      type: 'fact',
      content: 'A yak.',
      confidence: 1,
      created_at: '2026-11-01T10:00:00.5Z',
    };
    for (const id of ['f', 't']) {
      const metadata = id === 't' ? { turn: '1', asked_by: 'user:ada' } : { asked: 'by' };
      insert.run(id, id, JSON.stringify({ id, ...fact, metadata }));
    }
    const now = () => Date.parse('2026-11-02T00:00:00Z');
    const store = sqlMemoryStore(nodeSql(database), { workspace: 'w', wordsOf: (text) => text.split(' '), now });
    expect(await store.get('w', 'f')).toEqual({ id: 'f', ...fact, metadata: { asked: 'by' } });
    const expires_at = '2027-01-30T10:00:00Z';
    expect(await store.get('w', 't')).toMatchObject({ ...fact, stored_by: 'user:ada', expires_at });
    expect(await store.count('w', { turns: true, storedBy: 'user:ada' })).toBe(1);
    expect(await store.removeExpired()).toBe(Date.parse(expires_at));
  });

  it('of a ticket without the column `refusals` gets it, and keeps its jobs', () => {
    const database = new DatabaseSync(':memory:');
    database.exec(`CREATE TABLE jobs (
      id INTEGER PRIMARY KEY AUTOINCREMENT, about TEXT NOT NULL UNIQUE, state TEXT NOT NULL, step TEXT NOT NULL,
      attempts INTEGER NOT NULL, due_at INTEGER NOT NULL, nudge_at INTEGER NOT NULL, nudges INTEGER NOT NULL,
      settle_at INTEGER NOT NULL, deliveries INTEGER NOT NULL, ticket TEXT, note TEXT, draft TEXT, marker TEXT, note_id TEXT,
      result TEXT, error TEXT, accepted_at INTEGER NOT NULL, begun_at INTEGER NOT NULL, changed_at INTEGER NOT NULL,
      version INTEGER NOT NULL, told INTEGER NOT NULL);
      INSERT INTO jobs (about, state, step, attempts, due_at, nudge_at, nudges, settle_at, deliveries, accepted_at, begun_at,
        changed_at, version, told) VALUES ('m-1', 'open', 'accepted', 2, 1, 1, 0, 1, 1, 1, 1, 1, 1, 0)`);
    expect(ticketStore(nodeSql(database)).open()).toMatchObject([{ about: 'm-1', attempts: 2, refusals: 0 }]);
  });

  it('of gaps keeps them, with their questions', () => {
    const database = new DatabaseSync(':memory:');
    database.exec(`CREATE TABLE gaps (id TEXT PRIMARY KEY, kind TEXT NOT NULL, product TEXT, intent TEXT, gap TEXT NOT NULL,
      stems TEXT NOT NULL, vector BLOB, model TEXT, count INTEGER NOT NULL, first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL,
      closed_at INTEGER, edition TEXT NOT NULL, edition_number INTEGER NOT NULL);
      CREATE TABLE gap_examples (place INTEGER PRIMARY KEY AUTOINCREMENT, gap TEXT NOT NULL, message TEXT NOT NULL, subject TEXT,
        intent TEXT NOT NULL, product TEXT);
      INSERT INTO gaps VALUES ('g-1', 'question', NULL, 'x', 'No article covers zigbee', '[]', NULL, NULL, 3, 1, 1, NULL, 'e000001', 1);
      INSERT INTO gap_examples (gap, message, intent) VALUES ('g-1', 'Zigbee?', 'x')`);
    const book = sqlGapBook(nodeSql(database), { newId: () => 'g-2' });
    expect(book.list({ state: 'all', limit: 9 }).gaps).toMatchObject([{ count: 3, example_queries: ['Zigbee?'] }]);
  });
});
