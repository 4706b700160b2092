import { CHECK_METHODS, type CheckBook } from '../../../knowledge/checks/check-book.ts';
import { sqlCheckBook } from '../../../knowledge/checks/sql-check-book.ts';
import { earliest } from '../../../platform/jobs/job-runner.ts';
import { faultLogger } from '../../../platform/log.ts';
import { storeObject } from '../../../platform/rpc/workspace-object.ts';
import { type CheckRunner, workOnChecks } from './run-checks.ts';

/** Storage key of the time of the next look at the current edition. */
const LOOK_AT = 'look_at';
/** The first look. An alarm at 0 is refused by the runtime. */
const AT_ONCE = 1;

interface WorkspaceChecks extends CheckBook {
  workspace: string;
}

/** The checks of one workspace. While there are some, its alarm looks for another edition every minute, and runs those that are due. */
export abstract class ChecksObject extends storeObject<
  unknown,
  WorkspaceChecks,
  (typeof CHECK_METHODS)[number]
>(CHECK_METHODS) {
  protected readonly librarian = 'navigator';

  /** Called for each step. */
  protected abstract runnerOf(workspace: string, env: unknown): Promise<CheckRunner>;

  protected open(workspace: string): WorkspaceChecks {
    return { ...sqlCheckBook(this.sql), workspace };
  }

  protected override dueAt(book: WorkspaceChecks): number | undefined {
    if (book.isEmpty()) return undefined;
    return earliest(book.nextDueAt(), this.ctx.storage.kv.get<number>(LOOK_AT) ?? AT_ONCE);
  }

  protected override async work(book: WorkspaceChecks): Promise<void> {
    if (book.isEmpty()) return;
    const runner = await this.runnerOf(book.workspace, this.env);
    const lookAt = await workOnChecks({
      ...runner,
      book,
      now: Date.now,
      random: Math.random,
      onFault: (error) => faultLogger('navigator')('checks', error),
    });
    const memo = this.ctx.storage.kv;
    memo.put(LOOK_AT, lookAt);
  }
}
