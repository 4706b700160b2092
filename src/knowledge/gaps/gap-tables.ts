import type { Sql } from '../../storage/sql.ts';

/** Creates the tables of a gap book where they are missing. */
export const createGapTables = (sql: Sql): void => {
  for (const statement of STATEMENTS) sql.run(`CREATE ${statement}`);
};

const STATEMENTS = [
  // `stems` is JSON, `vector` 32-bit floats. `closed_at` is null while it is open. `edition` is the one that it was last met in or compared
  // with, `edition_number` how many were published until then.
  `TABLE IF NOT EXISTS gaps (id TEXT PRIMARY KEY, kind TEXT NOT NULL, product TEXT, intent TEXT, gap TEXT NOT NULL, stems TEXT NOT NULL,
    vector BLOB, model TEXT, count INTEGER NOT NULL, first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL, closed_at INTEGER,
    edition TEXT NOT NULL, edition_number INTEGER NOT NULL)`,
  'INDEX IF NOT EXISTS gaps_by_kind ON gaps (kind, product COLLATE NOCASE)',
  'INDEX IF NOT EXISTS gaps_by_count ON gaps (count DESC, id)',
  // The newest questions of a gap; they go with it.
  `TABLE IF NOT EXISTS gap_examples (place INTEGER PRIMARY KEY AUTOINCREMENT, gap TEXT NOT NULL, message TEXT NOT NULL, subject TEXT,
    intent TEXT NOT NULL, product TEXT)`,
  'INDEX IF NOT EXISTS gap_examples_by_gap ON gap_examples (gap, place)',
  // Requests that were counted, until a copy cannot be expected any more.
  'TABLE IF NOT EXISTS gap_requests (hash TEXT PRIMARY KEY, until INTEGER NOT NULL)',
  'INDEX IF NOT EXISTS gap_requests_by_until ON gap_requests (until)',
  // The edition of the moment, and when it was last told of.
  'TABLE IF NOT EXISTS gap_edition (one INTEGER PRIMARY KEY, edition TEXT NOT NULL, seen INTEGER NOT NULL)',
  // Workspaces that have a gap book: in the one object that is of none.
  'TABLE IF NOT EXISTS gap_workspaces (workspace TEXT PRIMARY KEY)',
];
