import type { Context as HonoContext } from 'hono';
import type { AIClient } from '../contract/librarian.ts';
import { requestBudget } from './budget.ts';
import type { GuardedEnv, GuardOptions } from './context-guard.ts';
import type { Delegates } from './delegation/delegates.ts';
import { NOBODY } from './delegation/nobody.ts';
import type { Reach, Reaching, ScopedQuestion } from './delegation/reach.ts';
import { type BudgetedModel, budgetedModel, settleModel, type TokenPrice } from './model-budget.ts';
import type { OriginContext, VerifiedContext } from './request-context.ts';
import { type WaitUntil, waitUntilOf } from './wait-until.ts';

/** What belongs to one request, for the wiring of a librarian; the librarian itself stays `(query, context?)`. */
export interface RequestScope {
  /** The verified context: workspace, capabilities, budgets. */
  context: OriginContext | VerifiedContext;
  waitUntil: WaitUntil;
  /** Other librarians, for one that asks them itself instead of handing the question on. */
  delegates: Delegates;
  /** Within the budgets of the context; absent where none is configured. */
  model?: BudgetedModel | undefined;
}

export interface ScopeOptions extends Pick<GuardOptions, 'self' | 'signer' | 'directory' | 'now' | 'log'> {
  /** Kept within the budgets of each request, and its use told in receipt and log. */
  ai?: AIClient | undefined;
  /** Bounds a budget in money before the model is asked, not only after. */
  aiPrice?: TokenPrice | undefined;
  /** Whom questions may be handed on to: `reachable(serviceTargets(env))`; nobody when absent. */
  targets?: Reach | undefined;
}

export interface RequestScopes {
  /** Whom questions may be handed on to. */
  ids: readonly string[];
  follow: Reaching['follow'];
  /** The scope of a request that `contextGuard` let in. */
  open(c: HonoContext<GuardedEnv>, question: Omit<ScopedQuestion, 'context' | 'budget'>): RequestScope;
  /** Has the receipt tell what was asked of others and of the model. To be called before the answer is returned. */
  settle(c: HonoContext<GuardedEnv>, scope: RequestScope): void;
}

/** Makes the scopes of all requests of an app. Built once: what it learns about targets outlives a request. */
export const requestScopes = ({ targets, ...options }: ScopeOptions): RequestScopes => {
  const reaching = targets?.start(options) ?? NOBODY;
  return {
    ids: reaching.ids,
    follow: reaching.follow,
    open: (c, question) => {
      const context = c.get('context');
      const budget = requestBudget(context);
      const delegates = reaching.delegatesFor({ ...question, context, budget });
      const model = options.ai && budgetedModel(options.ai, { budget, price: options.aiPrice });
      return { context, waitUntil: waitUntilOf(c), delegates, model };
    },
    settle: (c, { delegates, model }) => {
      c.set('usage', { ...c.get('usage'), ...delegates.usage() });
      c.set('receipts', [...(c.get('receipts') ?? []), ...delegates.receipts()]);
      settleModel(c, model);
    },
  };
};
