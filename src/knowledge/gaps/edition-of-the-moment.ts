import type { Sql } from '../../storage/sql.ts';

/**
 * Whether an edition is the one of the moment. An isolate may go on with an older one for some minutes; when nobody has told of the newer
 * one for longer than that, the library went back.
 */
export const noteEdition = (sql: Sql, { edition, nowMs }: { edition: string; nowMs: number }): boolean => {
  const [latest] = sql.all<{ edition: string; seen: number }>('SELECT edition, seen FROM gap_edition');
  const isOlder = latest !== undefined && editionNumber(edition) < editionNumber(latest.edition);
  if (isOlder && nowMs < latest.seen + OLDER_EDITION_MS) return false;
  if (latest?.edition !== edition || nowMs >= latest.seen + NOTED_EVERY_MS) {
    sql.run('INSERT OR REPLACE INTO gap_edition (one, edition, seen) VALUES (1, ?, ?)', edition, nowMs);
  }
  return true;
};
/** Twice as long as an edition is used that cannot be renewed (`STALE_LIMIT_MS`). */
const OLDER_EDITION_MS = 600_000;
const NOTED_EVERY_MS = 60_000;

/** How many editions were published until then: `e000012-3f9c01ab` -> 12. */
export const editionNumber = (edition: string): number => Number(/^e(\d{1,12})/.exec(edition)?.[1] ?? 0);
