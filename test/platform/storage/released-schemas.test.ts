import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGapTables } from '../../../src/knowledge/gaps/sql-gap-book.ts';
import { createTables } from '../../../src/knowledge/library/article-store.ts';
import { createLedger } from '../../../src/memory/store/remote-memory.ts';
import { sqlMemoryStore } from '../../../src/memory/store/sql-memory-store.ts';
import type { Sql } from '../../../src/platform/storage/sql.ts';
import { sqlVectorIndex } from '../../../src/platform/storage/sql-vector-index.ts';
import { ticketStore } from '../../../src/support/tickets/ticket-store.ts';
import {
  articleSync,
  rateLimitPauses,
  ticketIndex,
} from '../../../src/support/tickets/workspace-store.ts';
import { nodeSql } from '../../../tools/stand-ins/node-sql.ts';

/** Opens the stores of each kind of object, by the folder of its databases. */
const OPEN: Record<string, (sql: Sql) => void> = {
  'constellation-library-LibraryObject': createTables,
  'constellation-support-GapsObject': createGapTables,
  'constellation-webhooks-TicketObject': ticketStore,
  'constellation-webhooks-DeskObject': (sql) => {
    ticketIndex(sql);
    rateLimitPauses(sql);
    const idle = {
      now: Date.now,
      random: Math.random,
      retryMs: 1,
      start: async () => true,
      onFault: () => {},
    };
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
  indexes: sql.all(
    "SELECT name FROM sqlite_schema WHERE type = 'index' AND name NOT LIKE 'sqlite_%' ORDER BY name",
  ),
});

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'constellation-schemas-'));
  const archive = new URL('../../tools/run/upgrade/state-97e41a9.tar.gz', import.meta.url).pathname;
  expect(spawnSync('tar', ['-xzf', archive, '-C', folder]).status).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const OWN = "name NOT LIKE 'sqlite_%'";

/** Copies of the released databases of a kind of object. */
const releasedOf = (object: string): Sql[] => {
  const files = globSync(join(folder, 'state/data/do', object, '*.sqlite')).filter(
    (file) => !/metadata/.test(file),
  );
  expect(files.length).toBeGreaterThan(0);
  return files.map((file) => {
    const copy = new DatabaseSync(':memory:');
    copy.prepare('ATTACH ? AS released').run(file);
    const schema = `FROM released.sqlite_schema WHERE sql IS NOT NULL AND ${OWN}`;
    for (const { sql } of copy.prepare(`SELECT sql ${schema}`).all()) copy.exec(String(sql));
    for (const { name } of copy.prepare(`SELECT name ${schema} AND type = 'table'`).all())
      copy.exec(`INSERT INTO main."${name}" SELECT * FROM released."${name}"`);
    copy.exec('DETACH released');
    return nodeSql(copy);
  });
};

/** The number of rows of every table. */
const rowsOf = (sql: Sql) => {
  const tables = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'schema_versions' AND ${OWN}`;
  const countOf = (name: string) => sql.all(`SELECT count(*) AS count FROM "${name}"`)[0]?.count;
  return Object.fromEntries(
    sql.all<{ name: string }>(tables).map(({ name }) => [name, countOf(name)]),
  );
};

/** Fails at the statement with this number, and at those after it. */
const stoppedAt = (sql: Sql, at: number): Sql => {
  let left = at;
  const run: Sql['run'] = (query, ...values) => {
    left -= 1;
    if (left <= 0) throw new Error('the object was stopped');
    sql.run(query, ...values);
  };
  return { ...sql, run };
};

describe.each(Object.entries(OPEN))('the databases of %s of release 97e41a9', (object, open) => {
  const expectCurrent = (sql: Sql, released: object) => {
    const fresh = nodeSql();
    open(fresh);
    expect(schemaOf(sql)).toEqual(schemaOf(fresh));
    expect(rowsOf(sql)).toMatchObject(released);
  };
  it('are completed without loss when an upgrade was stopped at any statement', () => {
    let isStopped = true;
    for (let at = 1; isStopped; at += 1) {
      expect(at).toBeLessThan(200);
      for (const sql of releasedOf(object).slice(0, 2)) {
        const released = rowsOf(sql);
        try {
          open(stoppedAt(sql, at));
          isStopped = false;
        } catch (error) {
          expect(String(error)).toContain('the object was stopped');
        }
        open(sql);
        expectCurrent(sql, released);
      }
    }
  });
  it('get the tables of new ones without loss; those of a newer version are refused unchanged', () => {
    for (const sql of releasedOf(object)) {
      const released = rowsOf(sql);
      open(sql);
      expectCurrent(sql, released);
      sql.run('UPDATE schema_versions SET version = version + 1');
      const before = [rowsOf(sql), schemaOf(sql)];
      expect(() => open(sql)).toThrow(/a newer version has written it .*Deploy that version/);
      expect([rowsOf(sql), schemaOf(sql)]).toEqual(before);
    }
  });
});
