import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeSql } from '../../src/dev/stand-ins/node-sql.ts';
import { ticketStore } from '../../src/helpdesk/tickets/ticket-store.ts';
import { articleSync, rateLimitPauses, ticketIndex } from '../../src/helpdesk/tickets/workspace-store.ts';
import { createGapTables } from '../../src/knowledge/gaps/sql-gap-book.ts';
import { createTables } from '../../src/knowledge/library/article-store.ts';
import { createLedger } from '../../src/memory/remote-memory.ts';
import type { Sql } from '../../src/storage/sql.ts';
import { sqlMemoryStore } from '../../src/storage/sql-memory-store.ts';
import { sqlVectorIndex } from '../../src/storage/sql-vector-index.ts';

/** Opens the stores of each kind of object, by the folder of its databases. */
const OPEN: Record<string, (sql: Sql) => void> = {
  'constellation-library-LibraryObject': createTables,
  'constellation-support-GapsObject': createGapTables,
  'constellation-webhooks-TicketObject': ticketStore,
  'constellation-webhooks-DeskObject': (sql) => {
    ticketIndex(sql);
    rateLimitPauses(sql);
    const idle = { now: Date.now, random: Math.random, retryMs: 1, start: async () => true, onFault: () => {} };
    articleSync({ sql, ...idle });
  },
  'constellation-memory-MemoryObject': (sql) => {
    sqlMemoryStore(sql, { workspace: 'w', wordsOf: () => [] });
    sqlVectorIndex(sql, { namespace: 'memory', dimensions: 2 });
    createLedger(sql);
  },
};

/** Columns of every table, and the names of all indexes. */
const schemaOf = (sql: Sql) => ({
  columns: sql
    .all<{ tab: string; name: string }>(
      `SELECT t.name AS tab, c.name, c.type, c."notnull", c.pk FROM sqlite_schema t, pragma_table_info(t.name) c
        WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name NOT LIKE '\\_%' ESCAPE '\\' ORDER BY t.name, c.name`,
    )
    .filter(({ tab }) => tab !== 'calls' && tab !== 'schema_versions'),
  indexes: sql.all("SELECT name FROM sqlite_schema WHERE type = 'index' AND name NOT LIKE 'sqlite_%' ORDER BY name"),
});

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'constellation-schemas-'));
  const archive = new URL('../dev/run/upgrade/state-97e41a9.tar.gz', import.meta.url).pathname;
  expect(spawnSync('tar', ['-xzf', archive, '-C', folder]).status).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Copies of the released databases of a kind of object. */
const releasedOf = (object: string): Sql[] => {
  const files = globSync(join(folder, 'state/data/do', object, '*.sqlite')).filter((file) => !/metadata/.test(file));
  expect(files.length).toBeGreaterThan(0);
  return files.map((file) => {
    const copy = new DatabaseSync(':memory:');
    const tables = new DatabaseSync(file, { readOnly: true });
    const schema = tables
      .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'")
      .all();
    for (const { sql } of schema) copy.exec(String(sql));
    tables.close();
    copy.prepare('ATTACH ? AS released').run(file);
    const names = copy
      .prepare("SELECT name FROM released.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .all();
    for (const { name } of names) copy.exec(`INSERT INTO main."${name}" SELECT * FROM released."${name}"`);
    copy.exec('DETACH released');
    return nodeSql(copy);
  });
};

const rowsOf = (sql: Sql) =>
  sql
    .all<{ name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .filter(({ name }) => name !== 'schema_versions')
    .map(({ name }) => [name, sql.all(`SELECT count(*) AS count FROM "${name}"`)[0]?.count]);

/** Fails once, at the statement with this number. */
const failingAt = (sql: Sql, at: number): { sql: Sql; hasFailed: () => boolean } => {
  let left = at;
  const run: Sql['run'] = (query, ...values) => {
    left -= 1;
    if (left === 0) throw new Error('the object was stopped');
    sql.run(query, ...values);
  };
  return { sql: { ...sql, run }, hasFailed: () => left <= 0 };
};

describe('the databases of release 97e41a9', () => {
  it.each(Object.entries(OPEN))(
    'of %s are completed without loss when an upgrade was stopped at any statement',
    (object, open) => {
      const fresh = nodeSql();
      open(fresh);
      for (let at = 1, ended = false; !ended; at += 1) {
        expect(at).toBeLessThan(200);
        for (const sql of releasedOf(object).slice(0, 2)) {
          const before = new Map(rowsOf(sql).map(([name, count]) => [name, count]));
          const stopped = failingAt(sql, at);
          if (stopped.hasFailed()) continue;
          try {
            open(stopped.sql);
            ended = true;
          } catch (error) {
            expect(String(error)).toContain('the object was stopped');
          }
          open(sql);
          expect(schemaOf(sql)).toEqual(schemaOf(fresh));
          const after = new Map(rowsOf(sql).map(([name, count]) => [name, count]));
          for (const [name, count] of before) expect([name, after.get(name)]).toEqual([name, count]);
        }
      }
    },
  );

  it.each(Object.entries(OPEN))(
    'of %s get the tables of new ones without loss; those of a newer version are refused unchanged',
    (object, open) => {
      const fresh = nodeSql();
      open(fresh);
      for (const sql of releasedOf(object)) {
        const released = rowsOf(sql);
        open(sql);
        expect(schemaOf(sql)).toEqual(schemaOf(fresh));
        expect(rowsOf(sql)).toEqual(expect.arrayContaining(released));
        sql.run('UPDATE schema_versions SET version = version + 1');
        const before = [rowsOf(sql), schemaOf(sql)];
        expect(() => open(sql)).toThrow(/a newer version has written it .*Deploy that version/);
        expect([rowsOf(sql), schemaOf(sql)]).toEqual(before);
      }
    },
  );
});
