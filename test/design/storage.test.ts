import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { sqlAnswerStore } from '../../src/gateway/history/sql-answer-store.ts';
import { taskStore } from '../../src/gateway/protocols/a2a/task-store.ts';
import { sqlCheckBook } from '../../src/knowledge/checks/sql-check-book.ts';
import { createGapTables } from '../../src/knowledge/gaps/sql-gap-book.ts';
import { createTables } from '../../src/knowledge/library/article-store.ts';
import { createLedger } from '../../src/memory/store/remote-memory.ts';
import { sqlMemoryStore } from '../../src/memory/store/sql-memory-store.ts';
import { callStore } from '../../src/platform/rpc/call-store.ts';
import { sqlCounters, sqlDirectoryNumbers } from '../../src/platform/serve/sql-counters.ts';
import { partKey } from '../../src/platform/storage/edition-storage.ts';
import { kvEmbeddingStore } from '../../src/platform/storage/embedding-store.ts';
import type { Sql, SqlValue } from '../../src/platform/storage/sql.ts';
import { sqlVectorIndex } from '../../src/platform/storage/sql-vector-index.ts';
import { namespaceOf } from '../../src/platform/storage/upstash-vector-index.ts';
import { kvTaxonomies } from '../../src/support/intents/current-taxonomy.ts';
import { openDeliveries } from '../../src/support/tickets/deliveries.ts';
import { openHandovers } from '../../src/support/tickets/handovers.ts';
import { draftStore } from '../../src/support/tickets/ticket-draft.ts';
import { ticketStore } from '../../src/support/tickets/ticket-store.ts';
import {
  articleSync,
  rateLimitPauses,
  ticketIndex,
} from '../../src/support/tickets/workspace-store.ts';
import { functionConfigs, ROOT } from '../../tools/functions.ts';
import { nodeSql } from '../../tools/stand-ins/node-sql.ts';

const PAGE = readFileSync(join(ROOT, 'docs/design/storage.md'), 'utf8');
const SOURCES = globSync('src/**/*.ts', { cwd: ROOT }).map((file) => ({
  file,
  text: readFileSync(join(ROOT, file), 'utf8'),
}));

/** Parts of a store that creating its tables does not call. */
const unused = (): never => {
  throw new Error('creating tables calls nothing');
};
const TIMES = { now: unused, random: unused };

/** What each class of Durable Object opens in its database. */
const STORES: Record<string, (sql: Sql) => void> = {
  LibraryObject: createTables,
  MemoryObject: (sql) => {
    sqlMemoryStore(sql, { workspace: 'default', vectorsOf: unused, wordsOf: unused });
    createLedger(sql);
    sqlVectorIndex(sql, { namespace: 'memory', dimensions: 2 });
  },
  AnswersObject: (sql) => void sqlAnswerStore(sql, { limits: { days: 1, answers: 1 } }),
  GapsObject: createGapTables,
  ChecksObject: (sql) => void sqlCheckBook(sql),
  TicketObject: (sql) => {
    ticketStore(sql);
    draftStore(sql, (text) => text);
  },
  DeskObject: (sql) => {
    ticketIndex(sql);
    rateLimitPauses(sql);
    articleSync({ sql, ...TIMES, retryMs: 1, start: unused, onFault: unused });
    openHandovers({ sql, ...TIMES, times: {} as never, connect: unused, onFault: unused });
    openDeliveries({ sql, ...TIMES, retryMs: 1, store: unused, list: unused, onFault: unused });
    callStore(sql);
  },
  TasksObject: (sql) => void taskStore(sql, { lifetimeMs: 1 }),
  CountersObject: (sql) => {
    sqlCounters(sql);
    sqlDirectoryNumbers(sql);
  },
};

const databaseOf = (name: string): Sql => {
  const sql = nodeSql();
  STORES[name]?.(sql);
  return sql;
};

const tablesOf = (sql: Sql): string[] =>
  sql
    .all<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    )
    .map(({ name }) => name)
    .filter((name) => name !== 'schema_versions');

const columnsOf = (sql: Sql, table: string): string[] =>
  sql.all<{ name: string }>('SELECT name FROM pragma_table_info(?)', table).map(({ name }) => name);

/** The example records of a section of the page, by table. */
const examplesOf = (title: string): Record<string, Record<string, string | number | null>> => {
  const section = PAGE.split(/^#{2,3} /m).find((each) => each.startsWith(`${title}\n`)) ?? '';
  const block = /```jsonc\n(.*?)```/s.exec(section)?.[1] ?? '';
  const records = block.split(/^\/\/ (\w+)\n/m).slice(1);
  return Object.fromEntries(
    records.flatMap((name, place) =>
      place % 2 === 0 ? [[name, JSON.parse(records[place + 1] ?? '')]] : [],
    ),
  );
};

const rowsOf = (title: string): string =>
  PAGE.split(/^#{2,3} /m).find((each) => each.startsWith(`${title}\n`)) ?? '';

/** The page writes bytes as `<6144 bytes>`. */
const asStored = (value: string | number | null): SqlValue =>
  typeof value === 'string' && /^<\d+ bytes>$/.test(value) ? new Uint8Array(1) : value;

describe('the page about storage', () => {
  it.each(Object.keys(STORES))(
    'has every table of %s with every column, as a row that can be stored',
    (name) => {
      const sql = databaseOf(name);
      const examples = examplesOf(name);
      expect(Object.keys(examples).sort()).toEqual(tablesOf(sql).sort());
      for (const [table, record] of Object.entries(examples)) {
        expect(Object.keys(record), table).toEqual(columnsOf(sql, table));
        const values = Object.values(record).map(asStored);
        sql.run(`INSERT INTO ${table} VALUES (${values.map(() => '?').join(', ')})`, ...values);
        expect(rowsOf(name), `a line about ${table}`).toMatch(
          new RegExp(`^\\|[^|]*\`${table}\`[^|]*\\|`, 'm'),
        );
      }
    },
  );

  it('opens every store that the code has', () => {
    const stores = Object.keys(STORES).flatMap((name) =>
      databaseOf(name)
        .all<{ store: string }>('SELECT store FROM schema_versions')
        .map(({ store }) => store),
    );
    const inCode = SOURCES.flatMap(({ text }) => [
      ...text.matchAll(/^ *migrate\(\s*sql,\s*'([^']+)'/gm),
    ]);
    expect([...new Set(stores)].sort()).toEqual(inCode.map(([, store]) => store).sort());
  });

  it('has every object and namespace of the configurations', () => {
    const configs = functionConfigs().map(
      (file) => parse(readFileSync(join(ROOT, file), 'utf8')) as Config,
    );
    const classes = configs.flatMap(({ migrations = [] }) =>
      migrations.flatMap((each) => each.new_sqlite_classes),
    );
    expect(classes.sort()).toEqual(Object.keys(STORES).sort());
    const bindings = configs.flatMap((config): Binding[] => [
      ...(config.kv_namespaces ?? []),
      ...(config.durable_objects?.bindings ?? []),
      ...(config.d1_databases ?? []),
      ...(config.ratelimits ?? []).map(({ name }) => ({ binding: name })),
    ]);
    const names = new Set(bindings.map(({ binding, name }) => binding ?? name ?? ''));
    // A queue is a store too; decision 7 says why there is none.
    expect(configs.filter(({ queues }) => queues !== undefined)).toEqual([]);
    for (const name of names) expect(PAGE).toContain(`\`${name}\``);
  });

  it('has every key of Workers KV and Upstash Vector', async () => {
    const keys: string[] = [];
    const kv = {
      get: async () => null,
      put: async (key: string) => void keys.push(key),
      delete: async () => undefined,
    } as never;
    const taxonomies = kvTaxonomies(kv);
    await taxonomies.writeTaxonomy('default', '{}');
    const model = { packed: new Uint8Array(1), isDerived: true };
    await taxonomies.writeModel('default', 'f15f518380839200', model);
    await kvEmbeddingStore(kv, { dimensions: 1 }).setMany([
      { key: 'default/text-embedding-3-small:9f86d081', embedding: [1] },
    ]);
    keys.push(partKey({ workspace: 'default', edition: 'e000001-a052d220' }, 0));
    keys.push(namespaceOf('kb', 'default'), namespaceOf('memory', 'default'));
    keys.push(namespaceOf('passages', 'default', 1));
    for (const key of keys) expect(PAGE).toContain(`\`${key}`);
    // Another file that writes to a namespace has keys of its own, which belong on the page and into this test.
    const writers = SOURCES.filter(({ text }) => /\bkv\.put\(/.test(text)).map(({ file }) => file);
    expect(writers.sort()).toEqual([
      'src/platform/storage/edition-storage.ts',
      'src/platform/storage/embedding-store.ts',
      'src/support/intents/current-taxonomy.ts',
    ]);
  });
});

interface Binding {
  binding?: string;
  name?: string;
}

/** The members of a configuration that name storage. */
interface Config {
  migrations?: { new_sqlite_classes: string[] }[];
  kv_namespaces?: Binding[];
  d1_databases?: Binding[];
  durable_objects?: { bindings: Binding[] };
  ratelimits?: { name: string }[];
  queues?: unknown;
}
