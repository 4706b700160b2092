import { DurableObject } from 'cloudflare:workers';
import { durableObjectSql } from '../../platform/storage/sql.ts';
import {
  ANSWER_METHODS,
  type AnswerMethod,
  type AnswerStore,
  type AnswerVariables,
  readAnswerLimits,
} from './answer-store.ts';
import { sqlAnswerStore } from './sql-answer-store.ts';

const WORKSPACE = 'workspace';

/** The kept answers of one workspace. It serves the workspace of its first call and no other. */
export class AnswersObject extends DurableObject<AnswerVariables> {
  #open: { workspace: string; store: AnswerStore } | undefined;

  /** Calls one of the remote methods. */
  async ask(workspace: string, method: AnswerMethod, parameters: unknown[]): Promise<unknown> {
    if (!ANSWER_METHODS.includes(method)) throw new Error(`Cannot ask for answers: there is no method ${method}`);
    if (this.#open === undefined) {
      this.#open = await this.#openFor(workspace);
      await this.alarm();
    }
    if (this.#open.workspace !== workspace)
      throw new Error('Cannot ask for answers: the object is of another workspace');
    // The parameters are those of `remoteAnswers`, which knows the method's type.
    const answer = this.#open.store[method] as (...parameters: unknown[]) => unknown;
    const answered = answer(...parameters);
    if (method === 'keep' && (await this.ctx.storage.getAlarm()) === null) await this.alarm();
    return answered;
  }

  /** Removes answers that have expired, and runs again when the next one expires. */
  override async alarm(): Promise<void> {
    this.#open ??= await this.#openFor();
    const next = this.#open.store.removeExpired();
    if (next !== undefined) await this.ctx.storage.setAlarm(next);
  }

  async #openFor(caller?: string): Promise<{ workspace: string; store: AnswerStore }> {
    const { storage } = this.ctx;
    const workspace = (await storage.get<string>(WORKSPACE)) ?? caller;
    if (workspace === undefined) throw new Error('Cannot open the answers: the object has no workspace yet');
    await storage.put(WORKSPACE, workspace);
    return { workspace, store: sqlAnswerStore(durableObjectSql(storage), { limits: readAnswerLimits(this.env) }) };
  }
}
