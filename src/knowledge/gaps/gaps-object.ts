import { storeObject } from '../../platform/rpc/workspace-object.ts';
import { GAP_METHODS, type GapStore } from './gap-book.ts';
import { createGapTables, sqlGapBook } from './sql-gap-book.ts';

/** The gap book of one workspace. One more object stores the names of the workspaces that have a gap book. */
export class GapsObject extends storeObject<unknown, GapStore, (typeof GAP_METHODS)[number]>(
  GAP_METHODS,
) {
  protected readonly librarian = 'support';

  protected open(): GapStore {
    const { sql } = this;
    createGapTables(sql);
    return {
      ...sqlGapBook(sql, { newId: () => crypto.randomUUID() }),
      noteWorkspace: (workspace) =>
        sql.run('INSERT OR IGNORE INTO gap_workspaces (workspace) VALUES (?)', workspace),
      workspaces: () =>
        sql
          .all<{ workspace: string }>('SELECT workspace FROM gap_workspaces ORDER BY workspace')
          .map(({ workspace }) => workspace),
    };
  }
}
