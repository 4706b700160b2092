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
import { createTables } from '../../src/knowledge/library/library-state.ts';
import { createLedger } from '../../src/memory/ledger.ts';
import type { Sql } from '../../src/storage/sql.ts';
import { sqlMemoryStore } from '../../src/storage/sql-memory-store.ts';
import { sqlVectorIndex } from '../../src/storage/sql-vector-index.ts';

/** What opens the stores of each kind of object, by the folder of its databases. */
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

describe('the databases of release 97e41a9', () => {
  it.each(Object.entries(OPEN))('of %s get the tables of new ones, and lose no row', (object, open) => {
    const fresh = nodeSql();
    open(fresh);
    const files = globSync(join(folder, 'state/data/do', object, '*.sqlite')).filter((file) => !/metadata/.test(file));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const sql = nodeSql(new DatabaseSync(file));
      const tables = sql.all<{ name: string }>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
      );
      const counts = () =>
        tables.map(({ name }) => [name, sql.all(`SELECT count(*) AS count FROM "${name}"`)[0]?.count]);
      const before = counts();
      open(sql);
      expect(schemaOf(sql)).toEqual(schemaOf(fresh));
      expect(counts()).toEqual(before);
    }
  });
});
