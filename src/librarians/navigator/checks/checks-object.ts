import { DurableObject } from 'cloudflare:workers';
import {
  CHECK_METHODS,
  type CheckBook,
  type CheckMethod,
} from '../../../knowledge/checks/check-book.ts';
import { sqlCheckBook } from '../../../knowledge/checks/sql-check-book.ts';
import { faultLogger } from '../../../platform/log.ts';
import { durableObjectSql } from '../../../platform/storage/sql.ts';
import { type CheckRunner, workOnChecks } from './run-checks.ts';

const WORKSPACE = 'workspace';

/**
 * The checks of one workspace. Its alarm looks for another edition every minute while there are checks, and runs those that are due in steps;
 * one that is called again after a crash goes on with what is still due.
 */
export abstract class ChecksObjectBase<Env> extends DurableObject<Env> {
  #book: CheckBook | undefined;

  /** Called for each step. */
  protected abstract runnerOf(workspace: string, env: Env): Promise<CheckRunner>;

  /** Calls one of the remote methods. */
  async ask(workspace: string, method: CheckMethod, parameters: unknown[]): Promise<unknown> {
    if (!CHECK_METHODS.includes(method))
      throw new Error(`Cannot ask for checks: there is no method ${method}`);
    const known = await this.ctx.storage.get<string>(WORKSPACE);
    if (known !== undefined && known !== workspace)
      throw new Error('Cannot ask for checks: the object is of another workspace');
    if (known === undefined) await this.ctx.storage.put(WORKSPACE, workspace);
    const book = this.#opened();
    // The parameters are those of `remoteCheckBooks`, which knows the method's type.
    const answer = book[method] as (...parameters: unknown[]) => unknown;
    const result = answer(...parameters);
    const dueAt = book.nextDueAt();
    if (dueAt !== undefined) await this.#wakeBy(Math.max(dueAt, Date.now()));
    return result;
  }

  override async alarm(): Promise<void> {
    const workspace = await this.ctx.storage.get<string>(WORKSPACE);
    if (workspace === undefined) return;
    const runner = await this.runnerOf(workspace, this.env);
    const onFault = (error: unknown): void => faultLogger('navigator')('checks', error);
    const next = await workOnChecks({
      ...runner,
      book: this.#opened(),
      now: Date.now,
      random: Math.random,
      onFault,
    });
    if (next !== undefined) await this.#wakeBy(next);
  }

  #opened(): CheckBook {
    this.#book ??= sqlCheckBook(durableObjectSql(this.ctx.storage));
    return this.#book;
  }

  /** An alarm that is set for sooner stays. */
  async #wakeBy(time: number): Promise<void> {
    const set = await this.ctx.storage.getAlarm();
    if (set === null || set > time) await this.ctx.storage.setAlarm(time);
  }
}
