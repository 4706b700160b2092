import type { Context } from 'hono';
import type { AIClient } from '../../../contract/core/librarian.ts';
import { waitUntilOf } from '../../../platform/concurrency.ts';
import type { GuardedEnv } from '../../../platform/context/context-guard.ts';
import { requestBudget } from '../../../platform/context/limits.ts';
import {
  budgetedModel,
  settleModel,
  type TokenPrice,
} from '../../../platform/context/model-budget.ts';
import { type OriginContext, originate } from '../../../platform/context/request-context.ts';
import type { QuestionOptions } from '../answer-question.ts';
import type { CheckOptions } from './run-checks.ts';

export interface CheckOptionsParts
  extends Pick<QuestionOptions, 'retrieve' | 'reranker' | 'wordVectors'> {
  ai?: AIClient | undefined;
  aiPrice?: TokenPrice | undefined;
  now?: (() => number) | undefined;
}

/** Makes what a check is run with. */
export interface CheckOptionsFactory {
  /** On behalf of the caller, within the budgets of the request. */
  forCaller(
    c: Context<GuardedEnv>,
    timeLeftMs: () => number,
  ): { options: CheckOptions; settle: () => void };
  /** On behalf of the navigator, with a separate budget for each check. */
  forNavigator(
    workspace: string,
    options?: Partial<Pick<CheckOptions, 'timeLeftMs' | 'signal'>>,
  ): CheckOptions;
  /** A context of the navigator that may read what `audiences` may read. */
  contextOf(workspace: string, audiences: readonly string[]): OriginContext;
}

/** Model tokens for one check: the default of any other question. */
const TOKENS = 30_000;
const QUESTION_MS = 30_000;
const READ_MS = 10_000;

export function createCheckOptions({
  ai,
  aiPrice,
  now = Date.now,
  ...search
}: CheckOptionsParts): CheckOptionsFactory {
  const contextOf = (
    workspace: string,
    audiences: readonly string[],
    timeoutMs = READ_MS,
  ): OriginContext =>
    originate({
      self: 'navigator',
      subject: 'svc:navigator',
      authentication: 'none',
      capabilities: ['kb:read'],
      workspace,
      audiences,
      budgets: { tokens: TOKENS },
      timeoutMs,
      now: now(),
    });
  return {
    contextOf,
    forCaller: (c, timeLeftMs) => {
      const model =
        ai && budgetedModel(ai, { budget: requestBudget(c.get('context')), price: aiPrice });
      const options = {
        ...search,
        ai: model?.ai,
        waitUntil: waitUntilOf(c),
        signal: c.req.raw.signal,
        timeLeftMs,
      };
      return { options, settle: () => settleModel(c, model) };
    },
    forNavigator: (workspace, { timeLeftMs, signal } = {}) => {
      const endsAt = now() + QUESTION_MS;
      const budget = requestBudget(contextOf(workspace, [], QUESTION_MS));
      const model = ai && budgetedModel(ai, { budget, price: aiPrice });
      return { ...search, ai: model?.ai, signal, timeLeftMs: timeLeftMs ?? (() => endsAt - now()) };
    },
  };
}
