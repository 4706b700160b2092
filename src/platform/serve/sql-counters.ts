import type { CounterBatch, UsedDirectory } from '../metrics.ts';
import { migrate, type Sql } from '../storage/sql.ts';

/** Isolates live for hours at most; a batch is sent again within seconds. */
const FORGET_AFTER_MS = 24 * 3600 * 1000;

/** The sums of all isolates, in a database of its own. */
export function sqlCounters(sql: Sql, { maxSeries = 5000 }: { maxSeries?: number } = {}) {
  migrate(sql, 'counters', [
    [
      'CREATE TABLE counters (series TEXT PRIMARY KEY, value REAL NOT NULL)',
      'CREATE TABLE batches (isolate TEXT PRIMARY KEY, sequence INTEGER NOT NULL, at INTEGER NOT NULL)',
      'CREATE INDEX batches_by_time ON batches (at)',
    ],
  ]);
  const numberOf = (query: string, ...values: string[]): number | undefined =>
    sql.all<{ found: number }>(query, ...values)[0]?.found;
  return {
    /** Adds a batch once, however often it arrives. */
    add: ({ isolate, sequence, counts }: CounterBatch, now: number): void =>
      sql.transaction(() => {
        if (
          (numberOf('SELECT sequence AS found FROM batches WHERE isolate = ?', isolate) ?? 0) >=
          sequence
        )
          return;
        sql.run(
          'INSERT OR REPLACE INTO batches (isolate, sequence, at) VALUES (?, ?, ?)',
          isolate,
          sequence,
          now,
        );
        sql.run('DELETE FROM batches WHERE at < ?', now - FORGET_AFTER_MS);
        let room = maxSeries - (numberOf('SELECT count(*) AS found FROM counters') ?? 0);
        let dropped = 0;
        for (const [series, amount] of Object.entries(counts)) {
          const isKnown =
            numberOf('SELECT 1 AS found FROM counters WHERE series = ?', series) !== undefined;
          if (!isKnown && room <= 0) dropped += 1;
          else addTo(sql, series, amount);
          if (!isKnown) room -= 1;
        }
        if (dropped > 0) addTo(sql, 'constellation_metrics_dropped_total', dropped);
      }),
    read: (): Record<string, number> =>
      Object.fromEntries(
        sql
          .all<{ series: string; value: number }>(
            'SELECT series, value FROM counters ORDER BY series',
          )
          .map(({ series, value }) => [series, value]),
      ),
  };
}

const addTo = (sql: Sql, series: string, amount: number): void =>
  sql.run(
    'INSERT INTO counters (series, value) VALUES (?, ?) ON CONFLICT (series) DO UPDATE SET value = value + excluded.value',
    series,
    amount,
  );

/** The highest number of a key directory that each function has had, by the root that signed it. A row for each function and root. */
export function sqlDirectoryNumbers(sql: Sql) {
  migrate(sql, 'directory_numbers', [
    [
      `CREATE TABLE directory_numbers (
        function TEXT NOT NULL, root TEXT NOT NULL, sequence INTEGER NOT NULL, PRIMARY KEY (function, root)
      ) WITHOUT ROWID`,
    ],
  ]);
  return {
    /** Records a directory and returns the highest number, this one included. */
    raise: ({ function: name, root, sequence }: UsedDirectory): number => {
      const [row] = sql.all<{ sequence: number }>(
        `INSERT INTO directory_numbers (function, root, sequence) VALUES (?, ?, ?)
          ON CONFLICT (function, root) DO UPDATE SET sequence = max(sequence, excluded.sequence) RETURNING sequence`,
        name,
        root,
        sequence,
      );
      return row?.sequence ?? sequence;
    },
  };
}
