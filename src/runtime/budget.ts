import { DEFAULT_CALLS } from './limits.ts';

/** By the name of the budget: `calls`, `tokens` of models (input and output), `cost_micros` (millionths of a US dollar). */
export type Amounts = Readonly<Record<string, number>>;

/**
 * What may still be spent for one request: by its own model, and by all that it leads to. Both take from the same one, so that nothing is
 * spent twice.
 */
export interface Budget {
  /** What is limited. */
  names: readonly string[];
  /** From 0; infinite where nothing is limited. */
  left(name: string): number;
  /** For what is about to be spent or handed on. The caller has looked at `left`. */
  take(amounts: Amounts): void;
  /** What was taken and, as a receipt or an API says or because nothing was sent, not spent. */
  giveBack(amounts: Amounts): void;
  /**
   * For the receipt: whole amounts, what is taken at the moment among them. Never more than was granted, since a receipt that
   * says so is refused; what is not limited is told where something was spent.
   */
  spent(): Record<string, number>;
}

/** @param limits Whole numbers from 0; no entry, no limit. */
export const budgetOf = (limits: Amounts): Budget => {
  const granted = new Map(Object.entries(limits));
  const taken = new Map([...granted.keys()].map((name) => [name, 0]));
  const add = (amounts: Amounts, sign: 1 | -1): void => {
    for (const [name, amount] of Object.entries(amounts)) taken.set(name, (taken.get(name) ?? 0) + sign * amount);
  };
  return {
    names: [...granted.keys()],
    left: (name) => Math.max(0, (granted.get(name) ?? Number.POSITIVE_INFINITY) - (taken.get(name) ?? 0)),
    take: (amounts) => add(amounts, 1),
    giveBack: (amounts) => add(amounts, -1),
    spent: () => {
      const whole = [...taken].map(([name, amount]) => {
        const most = granted.get(name) ?? Number.MAX_SAFE_INTEGER;
        return [name, Math.min(Math.max(0, Math.ceil(amount - ROUNDING)), most)] as const;
      });
      return Object.fromEntries(whole.filter(([name, amount]) => amount > 0 || granted.has(name)));
    },
  };
};

/** Of a request: what its context grants, and a bound of calls where that names none. */
export const requestBudget = ({ budgets }: { budgets: Amounts }): Budget =>
  budgetOf({ calls: DEFAULT_CALLS, ...budgets });

/** What a model takes of. */
export const MODEL_BUDGETS = ['tokens', 'cost_micros'] as const;

/** Of a call that nobody worked for: the caller gets back all that it handed down. */
export const NOTHING_SPENT: Amounts = { calls: 0, tokens: 0, cost_micros: 0 };

/** Keeps what floating point adds to a whole number from becoming one more. */
const ROUNDING = 1e-6;
