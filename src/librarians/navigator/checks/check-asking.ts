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
import type { AskingCheck } from './run-checks.ts';

export interface CheckAskingParts
  extends Pick<QuestionOptions, 'retrieve' | 'reranker' | 'wordVectors'> {
  ai?: AIClient | undefined;
  aiPrice?: TokenPrice | undefined;
  now?: (() => number) | undefined;
}

/** What the questions of checks are asked with. */
export interface CheckAsking {
  /** In the name of who sent a check, within the budgets of that request. */
  ofCaller(
    c: Context<GuardedEnv>,
    timeLeftMs: () => number,
  ): { options: AskingCheck; settle: () => void };
  /** In the name of the navigator, each question with a budget of its own. */
  own(
    workspace: string,
    options?: Partial<Pick<AskingCheck, 'timeLeftMs' | 'signal'>>,
  ): AskingCheck;
  /** A context of the navigator that reads what some audiences may read. */
  contextOf(workspace: string, audiences: readonly string[]): OriginContext;
}

/** Tokens that models may take for the question of a check, as for any other where nothing else is set. */
const TOKENS = 30_000;
const QUESTION_MS = 30_000;
const READ_MS = 10_000;

export function createCheckAsking({
  ai,
  aiPrice,
  now = Date.now,
  ...search
}: CheckAskingParts): CheckAsking {
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
    ofCaller: (c, timeLeftMs) => {
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
    own: (workspace, { timeLeftMs, signal } = {}) => {
      const endsAt = now() + QUESTION_MS;
      const budget = requestBudget(contextOf(workspace, [], QUESTION_MS));
      const model = ai && budgetedModel(ai, { budget, price: aiPrice });
      return { ...search, ai: model?.ai, signal, timeLeftMs: timeLeftMs ?? (() => endsAt - now()) };
    },
  };
}
