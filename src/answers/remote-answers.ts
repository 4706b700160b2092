import { CodedError } from '../http/coded-error.ts';
import type { AnswerStore } from './answer-store.ts';

/** The remote methods; no other member can be called from outside. */
export const ANSWER_METHODS = [
  'keep',
  'list',
  'full',
  'get',
  'statistics',
  'judge',
  'erase',
  'remove',
] as const satisfies (keyof AnswerStore)[];
export type AnswerMethod = (typeof ANSWER_METHODS)[number];

/** The stub of the Durable Object of a workspace. */
export interface AnswersStub {
  ask(workspace: string, method: AnswerMethod, parameters: unknown[]): Promise<unknown>;
}

/** An answer store in a Durable Object. */
export type RemoteAnswers = {
  [Method in AnswerMethod]: (
    ...parameters: Parameters<AnswerStore[Method]>
  ) => Promise<ReturnType<AnswerStore[Method]>>;
};

/** The answers of a workspace. */
export const remoteAnswers = (stub: AnswersStub, workspace: string): RemoteAnswers => {
  const call = async <T>(method: AnswerMethod, parameters: unknown[]): Promise<T> => {
    try {
      // The object's method of this name answers with this type.
      return (await stub.ask(workspace, method, parameters)) as T;
    } catch (cause) {
      throw new CodedError('SERVICE_UNAVAILABLE', 'Cannot use the kept answers', { cause });
    }
  };
  return {
    keep: (...parameters) => call('keep', parameters),
    list: (...parameters) => call('list', parameters),
    full: (...parameters) => call('full', parameters),
    get: (...parameters) => call('get', parameters),
    statistics: (...parameters) => call('statistics', parameters),
    judge: (...parameters) => call('judge', parameters),
    erase: (...parameters) => call('erase', parameters),
    remove: (...parameters) => call('remove', parameters),
  };
};
