import type { Context as HonoContext } from 'hono';
import type { AIClient, Delegate } from '../../contract/core/librarian.ts';
import { type WaitUntil, waitUntilOf } from '../concurrency.ts';
import { covers } from './capabilities.ts';
import type { GuardedEnv, GuardOptions } from './context-guard.ts';
import {
  type ConnectDelegation,
  type Delegates,
  type DelegationScope,
  noDelegation,
} from './delegates.ts';
import { requestBudget } from './limits.ts';
import { type BudgetedModel, budgetedModel, settleModel, type TokenPrice } from './model-budget.ts';
import type { OriginContext, VerifiedContext } from './request-context.ts';

/** Per-request dependencies for wiring a librarian; the librarian itself stays `(query, context?)`. */
export interface RequestScope {
  /** The verified context: workspace, capabilities, budgets. */
  context: OriginContext | VerifiedContext;
  waitUntil: WaitUntil;
  /** Other librarians, for a librarian that calls them itself instead of delegating. */
  delegates: Delegates;
  /** The model, limited by the budgets of the context; absent when none is configured. */
  model?: BudgetedModel | undefined;
}

export interface ScopeOptions
  extends Pick<GuardOptions, 'self' | 'signer' | 'directory' | 'now' | 'log'> {
  /** Limited by the budgets of each request; its usage is reported in receipt and log. */
  ai?: AIClient | undefined;
  /** Prices that limit a cost budget before the model is called, not only after. */
  aiPrice?: TokenPrice | undefined;
  /** The librarians that questions may be delegated to: `delegateTo(serviceTargets(env))`; none when absent. */
  targets?: ConnectDelegation | undefined;
}

interface RequestScopes {
  /** The librarians that the caller's questions may be delegated to. */
  delegates(
    c: HonoContext<GuardedEnv>,
    limits: { timeoutMs: number; signal: AbortSignal },
  ): Promise<readonly Delegate[]>;
  /** The scope of a request that `contextGuard` accepted. */
  open(
    c: HonoContext<GuardedEnv>,
    question: Omit<DelegationScope, 'context' | 'budget'>,
  ): RequestScope;
  /** Records delegated calls and model usage for the receipt. Call it before returning the response. */
  settle(c: HonoContext<GuardedEnv>, scope: RequestScope): void;
}

/** Most time, and most of the time left, that a request waits for descriptions of librarians that it is the first to ask for. */
const DESCRIPTIONS_MS = 250;
const SHARE_OF_DESCRIPTIONS = 0.1;

/** Creates the scopes of all requests of an app. Built once, as its circuit breakers outlive a request. */
export function requestScopes({ targets, ...options }: ScopeOptions): RequestScopes {
  const delegation = targets?.(options) ?? noDelegation;
  return {
    delegates: async (c, { timeoutMs, signal }) => {
      const withinMs = Math.min(DESCRIPTIONS_MS, timeoutMs * SHARE_OF_DESCRIPTIONS);
      const { capabilities: held } = c.get('context');
      const known = await delegation.describe({ waitUntil: waitUntilOf(c), withinMs, signal });
      return known.filter(({ capabilities = [] }) =>
        capabilities.every((capability) => covers(held, capability)),
      );
    },
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
}
