import { DEFAULT_CALLS, DEFAULT_COST_MICROS, DEFAULT_TOKENS } from './limits.ts';

/** Amounts by budget name: `calls`, `tokens` of models (input and output), `cost_micros` (millionths of a US dollar). */
export type Amounts = Readonly<Record<string, number>>;

/**
 * What a request may still spend, in its own model calls and in all delegated calls. Both draw on the same budget, so that nothing is
 * spent twice.
 */
export interface Budget {
  /** Names of the limited amounts. */
  names: readonly string[];
  /** From 0; infinite when the amount is not limited. */
  left(name: string): number;
  /** Reserves amounts before they are spent or handed down. The caller has checked `left`. */
  take(amounts: Amounts): void;
  /** Returns amounts that were taken and not spent, according to a receipt, an API or because nothing was sent. */
  giveBack(amounts: Amounts): void;
  /**
   * Whole amounts for the receipt, including what is currently taken. Never more than was granted, since such a receipt is refused; an
   * amount without a limit is included when it is above 0.
   */
  spent(): Record<string, number>;
}

/** @param limits Whole numbers from 0; an absent entry means no limit. */
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

/**
 * The budget of a request: what its context grants, and a default limit of calls when that names none. A context of another librarian that
 * limits neither tokens nor cost gets a default of both.
 */
export const requestBudget = ({ budgets, caller }: { budgets: Amounts; caller?: string | undefined }): Budget =>
  budgetOf({
    calls: DEFAULT_CALLS,
    ...(caller === undefined || limitsModels(budgets) ? {} : MODEL_DEFAULTS),
    ...budgets,
  });

const limitsModels = (budgets: Amounts): boolean => MODEL_BUDGETS.some((name) => budgets[name] !== undefined);

const MODEL_DEFAULTS = { tokens: DEFAULT_TOKENS, cost_micros: DEFAULT_COST_MICROS };

/** The budgets that model calls draw on. */
export const MODEL_BUDGETS = ['tokens', 'cost_micros'] as const;

/** Usage of a call that was refused: the caller gets back everything that it handed down. */
export const NOTHING_SPENT: Amounts = { calls: 0, tokens: 0, cost_micros: 0 };

/** Keeps a floating-point error from rounding a whole number up. */
const ROUNDING = 1e-6;
