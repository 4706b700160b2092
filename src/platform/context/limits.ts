/** Length of a whole token: longer ones are refused before anything is parsed. */
export const MAX_TOKEN_LENGTH = 8192;
/** Links of a token. */
export const MAX_LINKS = 8;
/** Longest time between `iat` and `exp` of one link. */
export const MAX_LIFETIME_MS = 300_000;
/** Timeout of a call that names none. */
export const DEFAULT_TIMEOUT_MS = 30_000;
/** How old the last link may be, whatever its deadline says. */
export const FRESHNESS_MS = 60_000;
/** How far `iat` may lie in the future, and how far it may run back along the chain. */
export const LEEWAY_MS = 5000;
export const MAX_CAPABILITIES = 24;
/** Audiences of a context, and of an article. */
export const MAX_AUDIENCES = 20;
export const MAX_BUDGETS = 8;
/** Largest body of a guarded route, unless the route says otherwise. */
export const MAX_BODY_BYTES = 262_144;
/** Default for the largest response that a signed call reads. */
export const MAX_ANSWER_BYTES = 4_194_304;
/** Largest response of a librarian to a question, whose metadata has at most 256,000 characters. */
export const MAX_RESPONSE_BYTES = 1_048_576;
/** Questions that one librarian may delegate for one request, not counting retries and fallbacks. */
export const MAX_FAN_OUT = 8;
/**
 * Calls that a question may lead to: the budget that an origin gives its contexts, and the default when a context names no budget of
 * `calls`.
 */
export const DEFAULT_CALLS = 24;
/** Tokens and millionths of a US dollar that model calls may cost where a context limits neither: a few answers of a model. */
const DEFAULT_TOKENS = 30_000;
const DEFAULT_COST_MICROS = 100_000;
/** Limits of an anonymous caller's context. */
export const ANONYMOUS_MAX_HOPS = 3;
export const ANONYMOUS_TIMEOUT_MS = 15_000;

/** How long before its expiry a key directory is reported: 30 days. */
export const EXPIRY_WARNING_MS = 30 * 86_400_000;

/** Request header: the chain of links. Cloudflare blanks values whose header name contains `token` in its logs. */
export const CONTEXT_HEADER = 'Context-Token';
/** Response header: the signed receipt. */
export const RECEIPT_HEADER = 'Context-Receipt';
/** The last event of a streamed response: the signed receipt over all bytes before it. */
export const RECEIPT_EVENT = 'receipt';

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
export function budgetOf(limits: Amounts): Budget {
  const granted = new Map(Object.entries(limits));
  const taken = new Map([...granted.keys()].map((name) => [name, 0]));
  const add = (amounts: Amounts, sign: 1 | -1): void => {
    for (const [name, amount] of Object.entries(amounts))
      taken.set(name, (taken.get(name) ?? 0) + sign * amount);
  };
  return {
    names: [...granted.keys()],
    left: (name) =>
      Math.max(0, (granted.get(name) ?? Number.POSITIVE_INFINITY) - (taken.get(name) ?? 0)),
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
}

/**
 * The budget of a request: what its context grants, and a default limit of calls when that names none. A context of another librarian that
 * limits neither tokens nor cost gets a default of both.
 */
export function requestBudget({
  budgets,
  caller,
}: {
  budgets: Amounts;
  caller?: string | undefined;
}): Budget {
  return budgetOf({
    calls: DEFAULT_CALLS,
    ...(caller === undefined || limitsModels(budgets) ? {} : MODEL_DEFAULTS),
    ...budgets,
  });
}

const limitsModels = (budgets: Amounts): boolean =>
  MODEL_BUDGETS.some((name) => budgets[name] !== undefined);

const MODEL_DEFAULTS = { tokens: DEFAULT_TOKENS, cost_micros: DEFAULT_COST_MICROS };

/** The budgets that model calls draw on. */
export const MODEL_BUDGETS = ['tokens', 'cost_micros'] as const;

/** Usage of a call that was refused: the caller gets back everything that it handed down. */
export const NOTHING_SPENT: Amounts = { calls: 0, tokens: 0, cost_micros: 0 };

/** Keeps a floating-point error from rounding a whole number up. */
const ROUNDING = 1e-6;
