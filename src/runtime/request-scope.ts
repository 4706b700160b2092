import type { Context as HonoContext } from 'hono';
import type { AIClient } from '../contract/librarian.ts';
import { requestBudget } from './budget.ts';
import type { GuardedEnv, GuardOptions } from './context-guard.ts';
import { type ConnectDelegation, type Delegates, type DelegationScope, noDelegation } from './delegates.ts';
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
  /** The librarians that questions may be delegated to: `delegateTo(serviceTargets(env))`; none when absent. */
  targets?: ConnectDelegation | undefined;
}

export interface RequestScopes {
  /** Ids of the librarians that questions may be delegated to. */
  ids: readonly string[];
  /** The scope of a request that `contextGuard` let in. */
  open(c: HonoContext<GuardedEnv>, question: Omit<DelegationScope, 'context' | 'budget'>): RequestScope;
  /** Has the receipt tell what was asked of others and of the model. To be called before the answer is returned. */
  settle(c: HonoContext<GuardedEnv>, scope: RequestScope): void;
}

/** Makes the scopes of all requests of an app. Built once: what it learns about targets outlives a request. */
export const requestScopes = ({ targets, ...options }: ScopeOptions): RequestScopes => {
  const delegation = targets?.(options) ?? noDelegation;
  return {
    ids: delegation.ids,
    open: (c, question) => {
      const context = c.get('context');
      const budget = requestBudget(context);
      const delegates = delegation.delegatesFor({ ...question, context, budget });
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
