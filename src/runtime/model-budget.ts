import type { AIClient, AICompletion, AICompletionOptions, AIMessage } from '../contract/librarian.ts';

/** What a model was used for one request, in the API's own numbers. */
export interface ModelUse {
  model: string;
  /** Calls that were answered. */
  calls: number;
  inputTokens: number;
  outputTokens: number;
  /** US dollars; absent where the model has no prices. */
  costUsd?: number | undefined;
}

/** The budget of the request does not pay for another call. */
export class ModelBudgetSpent extends Error {
  override readonly name = 'ModelBudgetSpent';
}

/** A model for one request, within the budgets of its signed context. */
export interface BudgetedModel {
  /** Throws `ModelBudgetSpent` where nothing is left; writes no more than is left. */
  ai: AIClient;
  /** For log and metadata; undefined while no call was answered. */
  use(): ModelUse | undefined;
  /**
   * For the receipt, in the units of the budgets: `tokens` (input and output) and `cost_micros` (millionths of a US dollar).
   * Never more than was granted, since a receipt that says so is refused; empty where no call was begun.
   */
  usage(): Record<string, number>;
}

/**
 * Keeps a model within the budgets `tokens` and `cost_micros` of a signed context; without an entry nothing is limited.
 * Input is reserved before a call, by an upper bound that holds for prose, code and JSON (one token for two bytes), so that
 * calls that run side by side do not spend the same tokens twice. A call that is given up counts with that bound, since
 * the service may have worked for it; one that fails otherwise counts nothing.
 *
 * What a call costs is known only afterwards: from the dearest token so far the next one is bounded, and the first runs
 * whenever anything is left.
 */
export const budgetedModel = (
  ai: AIClient,
  { budgets }: { budgets: Readonly<Record<string, number>> },
): BudgetedModel => {
  const granted = { tokens: budgets.tokens ?? Infinity, micros: budgets.cost_micros ?? Infinity };
  const spent = { tokens: 0, micros: 0 };
  let reserved = 0;
  let isBegun = false;
  /** Millionths of a US dollar, of the dearest answered call. */
  let microsPerToken = 0;
  let use: ModelUse | undefined;

  const mostTokens = (input: number): number => {
    const byTokens = granted.tokens - spent.tokens - reserved - input;
    const left = granted.micros - spent.micros;
    if (left <= 0) return 0;
    // Before the first price, 0/0 is "not known", and anything may be written.
    const byCost = microsPerToken > 0 ? left / microsPerToken - reserved - input : Infinity;
    return Math.floor(Math.min(byTokens, byCost));
  };

  const settle = (completion: AICompletion, estimate: number): void => {
    const { inputTokens, outputTokens } = completion.usage ?? { inputTokens: 0, outputTokens: 0 };
    const costUsd = completion.costUsd;
    const tokens = completion.usage === undefined ? estimate + tokensOf(completion.text) : inputTokens + outputTokens;
    spent.tokens += tokens;
    spent.micros += (costUsd ?? 0) * MICROS;
    if (costUsd !== undefined && tokens > 0) microsPerToken = Math.max(microsPerToken, (costUsd * MICROS) / tokens);
    use = {
      model: ai.model,
      calls: (use?.calls ?? 0) + 1,
      inputTokens: (use?.inputTokens ?? 0) + inputTokens,
      outputTokens: (use?.outputTokens ?? 0) + outputTokens,
      ...(costUsd === undefined && use?.costUsd === undefined ? {} : { costUsd: (use?.costUsd ?? 0) + (costUsd ?? 0) }),
    };
  };

  const complete = async (messages: readonly AIMessage[], options: AICompletionOptions = {}) => {
    const estimate = inputTokensOf(messages, options);
    const asked = options.maxTokens ?? DEFAULT_MAX_TOKENS;
    const maxTokens = Math.min(asked, mostTokens(estimate));
    if (maxTokens < Math.min(asked, LEAST_TOKENS))
      throw new ModelBudgetSpent('Cannot ask the model: the budget of the request is spent');
    isBegun = true;
    const held = estimate + maxTokens;
    reserved += held;
    try {
      const completion = await ai.complete(messages, { ...options, maxTokens });
      settle(completion, estimate);
      return completion;
    } catch (error) {
      if (options.signal?.aborted === true) spent.tokens += estimate;
      throw error;
    } finally {
      reserved -= held;
    }
  };

  return {
    ai: { model: ai.model, complete },
    use: () => (use === undefined ? undefined : { ...use }),
    usage: () =>
      isBegun
        ? {
            tokens: Math.min(Math.ceil(spent.tokens + reserved), granted.tokens),
            cost_micros: Math.min(Math.ceil(spent.micros - ROUNDING), granted.micros),
          }
        : {},
  };
};

const MICROS = 1_000_000;
/** Keeps what floating point adds to a whole number from becoming one more. */
const ROUNDING = 1e-6;
/** Where nobody says how much may be written. */
const DEFAULT_MAX_TOKENS = 1024;
/** With less, no answer worth its input can be written. */
const LEAST_TOKENS = 64;
/** What a chat format adds to each message, at most. */
const TOKENS_PER_MESSAGE = 16;

const inputTokensOf = (messages: readonly AIMessage[], { schema }: AICompletionOptions): number =>
  messages.reduce((sum, { content }) => sum + tokensOf(content) + TOKENS_PER_MESSAGE, 0) +
  (schema === undefined ? 0 : tokensOf(JSON.stringify(schema)));

const tokensOf = (text: string): number => Math.ceil(new TextEncoder().encode(text).length / 2);
