import type { AIClient, AICompletionOptions, AIMessage } from '../../contract/librarian.ts';
import { type OpenAIServiceConfig, openAIService } from '../openai-service.ts';
import { ModelUnavailable } from './model-unavailable.ts';
import { costOf, type Prices, priceOf } from './prices.ts';
import { readCompletion } from './read-completion.ts';

export interface OpenAIChatConfig extends OpenAIServiceConfig {
  model: string;
  /** Without an entry for the model its completions have no cost. */
  prices?: Prices | undefined;
  /** How much a reasoning model thinks; what it may be depends on the model. Its thoughts count as output. */
  reasoningEffort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | undefined;
}

/** Whoever asks has a deadline as a rule, which is shorter. */
const TIMEOUT_MS = 60_000;
const MAX_MESSAGES = 256;
const MAX_OUTPUT_TOKENS = 32_768;
const MAX_REPLY_BYTES = 2 * 1024 * 1024;

/**
 * A chat model behind OpenAI's chat completions, or any service that speaks them. One request a completion: whoever has the time
 * and the money asks again. Nothing is stored there.
 *
 * A `schema` of the options goes out as a strict one: its root is an object, every object has `additionalProperties: false`
 * and requires all its members, and there are no lengths, `allOf`, `oneOf` or `not` in it (OpenAI's guide to structured outputs).
 * What else has to hold is checked in the reply.
 *
 * @returns A client whose `complete` throws `ModelUnavailable`, and RangeError for what can never be sent.
 * @throws {RangeError} When model, key, address or time cannot be right.
 */
export const openaiChat = (config: OpenAIChatConfig): AIClient => {
  const { model, prices = {}, reasoningEffort } = config;
  const service = openAIService(config, { model, timeoutMs: TIMEOUT_MS });
  const price = priceOf(model, prices);
  return {
    model,
    complete: async (messages, options = {}) => {
      const body = {
        ...bodyOf(model, messages, options),
        ...(reasoningEffort === undefined ? {} : { reasoning_effort: reasoningEffort }),
      };
      const { signal } = options;
      const reply = await service.post('/chat/completions', body, { signal, maxBytes: MAX_REPLY_BYTES, retries: 0 });
      if (!reply.ok) {
        const { reason, problem, retryAfterMs } = reply;
        throw new ModelUnavailable(reason, `Cannot complete with the model: ${problem}`, { retryAfterMs });
      }
      const completion = readCompletion(reply.json);
      if (completion === undefined) {
        throw new ModelUnavailable('malformed', 'Cannot complete with the model: the answer is no completion');
      }
      const { text, finish, usage } = completion;
      return {
        text,
        finish,
        ...(usage && { usage: { inputTokens: usage.input, outputTokens: usage.output } }),
        ...(usage && price && { costUsd: costOf(usage, price) }),
      };
    },
  };
};

const bodyOf = (model: string, messages: readonly AIMessage[], options: AICompletionOptions) => {
  const { maxTokens, temperature, schema } = options;
  if (messages.length < 1 || messages.length > MAX_MESSAGES) throw new RangeError(`not 1 to ${MAX_MESSAGES} messages`);
  if (schema !== undefined && !/^[A-Za-z0-9_-]{1,64}$/.test(schema.name)) {
    throw new RangeError("the schema's name is not 1 to 64 letters, digits, _ or -");
  }
  return {
    model,
    // Half a surrogate pair, which a cut text may end in, is no JSON to the service.
    messages: messages.map(({ role, content }) => ({ role, content: content.toWellFormed() })),
    store: false,
    ...(maxTokens === undefined ? {} : { max_completion_tokens: Math.min(maxTokens, MAX_OUTPUT_TOKENS) }),
    ...(temperature === undefined || isReasoning(model) ? {} : { temperature }),
    ...(schema === undefined
      ? {}
      : { response_format: { type: 'json_schema', json_schema: { ...schema, strict: true } } }),
  };
};

/** These refuse a temperature but their own: o1, o3-mini, gpt-5-nano, openai/o4-mini. */
const isReasoning = (model: string): boolean => /^(?:o\d|gpt-5)/.test(model.split('/').at(-1) ?? model);
