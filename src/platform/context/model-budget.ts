import type { Context as HonoContext } from 'hono';
import type {
  AIClient,
  AICompletion,
  AICompletionOptions,
  AIMessage,
} from '../../contract/core/librarian.ts';
import { CodedError } from '../http/coded-error.ts';
import type { GuardedEnv, ModelUse } from './context-guard.ts';
import type { Amounts, Budget } from './limits.ts';

/** The budget of the request does not pay for another call. */
export class ModelBudgetSpent extends CodedError {
  override readonly name = 'ModelBudgetSpent';

  constructor() {
    const message =
      'Cannot ask the language model: the budget of the request does not pay for the call';
    const suggestion = 'Ask a narrower question, or raise the budgets of tokens and cost';
    super('AI_UNAVAILABLE', message, { reported: { message, recoverable: false, suggestion } });
  }
}

/** US dollars per million tokens, which equals millionths of a dollar per token. */
export interface TokenPrice {
  inputPerMillion: number;
  outputPerMillion: number;
}

/** A model for one request, within the budgets of its signed context. */
export interface BudgetedModel {
  /** Throws `ModelBudgetSpent` when nothing is left; limits output to what is left. */
  ai: AIClient;
  /** Usage for log and metadata; undefined until a call was answered. */
  use(): ModelUse | undefined;
  /** For the receipt: usage of the whole budget, including everyone who shares it. */
  usage(): Amounts;
}

/**
 * Limits a model to what is left of `tokens` and `cost_micros`; without a limit they are only counted. Input is reserved before a call,
 * by an upper bound that holds for prose, code and JSON (one token for two bytes), so that parallel calls do not spend the same tokens
 * twice. A call that was cancelled or lost counts with that bound, since the service may have processed it; one that the service refused
 * counts as zero.
 *
 * @param options.price Bounds the cost of a call before it is made. Without it the first call runs if anything is left, and each further
 * one is bounded by the most expensive token so far.
 */
export function budgetedModel(
  ai: AIClient,
  { budget, price }: { budget: Budget; price?: TokenPrice | undefined },
): BudgetedModel {
  /** Millionths of a US dollar per token, of the most expensive answered call. */
  let microsPerToken = 0;
  let use: ModelUse | undefined;

  const inputMicros = () => Math.max(price?.inputPerMillion ?? 0, microsPerToken);
  const outputMicros = () => Math.max(price?.outputPerMillion ?? 0, microsPerToken);
  const mostTokens = (input: number): number => {
    const byTokens = budget.left('tokens') - input;
    const left = budget.left('cost_micros');
    if (left <= 0) return 0;
    const byCost = outputMicros() > 0 ? (left - input * inputMicros()) / outputMicros() : Infinity;
    return Math.floor(Math.min(byTokens, byCost));
  };

  const settle = (completion: AICompletion, estimate: number): void => {
    const { inputTokens, outputTokens } = completion.usage ?? { inputTokens: 0, outputTokens: 0 };
    const costUsd = completion.costUsd;
    const tokens =
      completion.usage === undefined
        ? estimate + tokensOf(completion.text)
        : inputTokens + outputTokens;
    budget.take({ tokens, cost_micros: (costUsd ?? 0) * MICROS });
    if (costUsd !== undefined && tokens > 0)
      microsPerToken = Math.max(microsPerToken, (costUsd * MICROS) / tokens);
    use = {
      model: ai.model,
      calls: (use?.calls ?? 0) + 1,
      inputTokens: (use?.inputTokens ?? 0) + inputTokens,
      outputTokens: (use?.outputTokens ?? 0) + outputTokens,
      ...(costUsd === undefined && use?.costUsd === undefined
        ? {}
        : { costUsd: (use?.costUsd ?? 0) + (costUsd ?? 0) }),
    };
  };

  const complete = async (messages: readonly AIMessage[], options: AICompletionOptions = {}) => {
    const estimate = inputTokensOf(messages, options);
    const asked = options.maxTokens ?? DEFAULT_MAX_TOKENS;
    const maxTokens = Math.min(asked, mostTokens(estimate));
    if (maxTokens < Math.min(asked, LEAST_TOKENS)) throw new ModelBudgetSpent();
    const held = {
      tokens: estimate + maxTokens,
      cost_micros: estimate * inputMicros() + maxTokens * outputMicros(),
    };
    budget.take(held);
    try {
      const completion = await ai.complete(messages, { ...options, maxTokens });
      settle(completion, estimate);
      return completion;
    } catch (error) {
      if (!isRefused(error)) {
        budget.take({ tokens: estimate, cost_micros: estimate * inputMicros() });
      }
      throw error;
    } finally {
      budget.giveBack(held);
    }
  };

  return {
    ai: { model: ai.model, complete },
    use: () => (use === undefined ? undefined : { ...use }),
    usage: budget.spent,
  };
}

const MICROS = 1_000_000;
/** Whether the service refused the request before processing it. After any other error it may have read the input. */
const isRefused = (error: unknown): boolean =>
  error instanceof Error &&
  'reason' in error &&
  (error.reason === 'refused' || error.reason === 'rate_limited');

/** Default limit of the output. */
const DEFAULT_MAX_TOKENS = 1024;
/** With fewer tokens, no useful answer can be written. */
const LEAST_TOKENS = 64;
/** Upper bound of what a chat format adds to each message. */
const TOKENS_PER_MESSAGE = 16;

const inputTokensOf = (messages: readonly AIMessage[], { schema }: AICompletionOptions): number =>
  messages.reduce((sum, { content }) => sum + tokensOf(content) + TOKENS_PER_MESSAGE, 0) +
  (schema === undefined ? 0 : tokensOf(JSON.stringify(schema)));

const tokensOf = (text: string): number => Math.ceil(new TextEncoder().encode(text).length / 2);

/** Records the model usage for receipt and log. Call it before returning the response. */
export function settleModel(c: HonoContext<GuardedEnv>, model: BudgetedModel | undefined): void {
  if (model === undefined) return;
  c.set('usage', { ...c.get('usage'), ...model.usage() });
  c.set('modelUse', model.use());
}
