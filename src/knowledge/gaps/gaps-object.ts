import { DurableObject } from 'cloudflare:workers';
import { durableObjectSql } from '../../platform/storage/sql.ts';
import { GAP_METHODS, type GapBook, type GapMethod } from './gap-book.ts';
import { createGapTables, sqlGapBook } from './sql-gap-book.ts';

const WORKSPACE = 'workspace';

/**
 * The gap book of one workspace. It serves the workspace of its first call and no other. One more object stores the names of the workspaces that have
 * a gap book.
 */
export class GapsObject extends DurableObject {
  #open: { workspace: string; book: GapBook } | undefined;

  /** Calls one of the remote methods. */
  async ask(workspace: string, method: GapMethod, parameters: unknown[]): Promise<unknown> {
    if (!GAP_METHODS.includes(method)) throw new Error(`Cannot ask for gaps: there is no method ${method}`);
    this.#open ??= await this.#openFor(workspace);
    if (this.#open.workspace !== workspace) throw new Error('Cannot ask for gaps: the object is of another workspace');
    // The parameters are those of `remoteGapBooks`, which knows the method's type.
    const answer = this.#open.book[method] as (...parameters: unknown[]) => unknown;
    return answer(...parameters);
  }

  async noteWorkspace(workspace: string): Promise<void> {
    const sql = this.#directory();
    sql.run('INSERT OR IGNORE INTO gap_workspaces (workspace) VALUES (?)', workspace);
  }

  async workspaces(): Promise<string[]> {
    return this.#directory()
      .all<{ workspace: string }>('SELECT workspace FROM gap_workspaces ORDER BY workspace')
      .map(({ workspace }) => workspace);
  }

  #directory() {
    const sql = durableObjectSql(this.ctx.storage);
    createGapTables(sql);
    return sql;
  }

  async #openFor(asking: string): Promise<{ workspace: string; book: GapBook }> {
    const { storage } = this.ctx;
    const workspace = (await storage.get<string>(WORKSPACE)) ?? asking;
    await storage.put(WORKSPACE, workspace);
    return { workspace, book: sqlGapBook(durableObjectSql(storage), { newId: () => crypto.randomUUID() }) };
  }
}
