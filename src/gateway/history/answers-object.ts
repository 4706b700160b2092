import { storeObject } from '../../platform/rpc/workspace-object.ts';
import {
  ANSWER_METHODS,
  type AnswerStore,
  type AnswerVariables,
  readAnswerLimits,
} from './answer-store.ts';
import { sqlAnswerStore } from './sql-answer-store.ts';

/** The kept answers of one workspace. */
export class AnswersObject extends storeObject<
  AnswerVariables,
  AnswerStore,
  (typeof ANSWER_METHODS)[number]
>(ANSWER_METHODS) {
  protected readonly librarian = 'memory';

  protected open(): AnswerStore {
    const store = sqlAnswerStore(this.sql, { limits: readAnswerLimits(this.env) });
    store.removeExpired();
    return store;
  }

  protected override dueAt(store: AnswerStore): number | undefined {
    return store.nextRemoval();
  }

  protected override async work(store: AnswerStore): Promise<void> {
    store.removeExpired();
  }
}
