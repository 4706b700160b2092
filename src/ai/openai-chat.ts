import * as z from 'zod';
import { readAs } from '../contract/error-info.ts';
import type { AIClient, AICompletion, AICompletionOptions, AIMessage } from '../contract/librarian.ts';
import { CodedError } from '../http/coded-error.ts';
import { isEventStream, readEvents, type StreamedEvent } from '../http/event-stream.ts';
import { type OpenAIConfig, openAICaller, type ServiceFailure } from './openai-client.ts';
import { costOf, type Prices, priceOf, type TokenUsage } from './prices.ts';

export interface OpenAIChatConfig extends OpenAIConfig {
  model: string;
  /** Without an entry for the model its completions have no cost. */
  prices?: Prices | undefined;
  /** Reasoning effort of a reasoning model; the accepted values depend on the model. Reasoning tokens count as output. */
  reasoningEffort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | undefined;
}

/** A model gave no completion. The message contains no text, no key and nothing from the service's reply. */
export class ModelUnavailable extends CodedError {
  override readonly name = 'ModelUnavailable';
  readonly reason: ServiceFailure;
  /** Wait requested by the service, at most a minute. */
  readonly retryAfterMs: number | undefined;

  constructor(reason: ServiceFailure, message: string, options: { retryAfterMs?: number | undefined } = {}) {
    const { retryAfterMs } = options;
    const details =
      retryAfterMs === undefined ? {} : { details: { retry_after_seconds: Math.ceil(retryAfterMs / 1000) } };
    super(reason === 'aborted' ? 'TIMEOUT' : 'AI_UNAVAILABLE', message, { reported: details });
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}

/** An upper bound: callers usually have a shorter deadline. */
const TIMEOUT_MS = 60_000;
const MAX_MESSAGES = 256;
const MAX_OUTPUT_TOKENS = 32_768;
const MAX_REPLY_BYTES = 2 * 1024 * 1024;
/** Every few characters come in a chunk of some 200 bytes. */
const MAX_STREAM_BYTES = 16 * 1024 * 1024;

/**
 * A chat model behind OpenAI's chat completions, or any service that offers the same protocol. One request per completion: retries
 * are left to callers, who know the time and the money that are left. Nothing is stored there.
 *
 * A `schema` of the options is sent as a strict one: its root is an object, every object has `additionalProperties: false`
 * and requires all its members, and it contains no lengths, `allOf`, `oneOf` or `not` (OpenAI's guide to structured outputs).
 * Everything else is validated in the reply.
 *
 * @returns A client whose `complete` throws `ModelUnavailable`, and RangeError for what can never be sent.
 * @throws {RangeError} When model, key, address or time cannot be right.
 */
export const openaiChat = ({ model, prices = {}, reasoningEffort, ...config }: OpenAIChatConfig): AIClient => {
  const call = openAICaller(config, { model, timeoutMs: TIMEOUT_MS });
  const price = priceOf(model, prices);
  return {
    model,
    complete: async (messages, options = {}) => {
      const body = {
        ...bodyOf(model, messages, options),
        ...(reasoningEffort === undefined ? {} : { reasoning_effort: reasoningEffort }),
      };
      const bounds = { signal: options.signal, maxBytes: MAX_REPLY_BYTES, retries: 0 } as const;
      const { onText } = options;
      const reply = await call((client, request) => {
        const { completions } = client.chat;
        if (onText === undefined) return completions.create(body, request);
        const streamed = { ...body, stream: true, stream_options: { include_usage: true } } as const;
        return completions
          .create(streamed, request)
          .asResponse()
          .then((response) => collect(response, onText));
      }, bounds);
      if (!reply.ok) {
        const { reason, problem, retryAfterMs } = reply;
        throw new ModelUnavailable(reason, `Cannot complete with the model: ${problem}`, { retryAfterMs });
      }
      const completion = readCompletion(reply.value);
      if (completion === undefined)
        throw new ModelUnavailable('malformed', 'Cannot complete with the model: the reply is not a completion');
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
  if (schema !== undefined && !/^[A-Za-z0-9_-]{1,64}$/.test(schema.name))
    throw new RangeError("the schema's name is not 1 to 64 letters, digits, _ or -");
  return {
    model,
    // The service refuses half a surrogate pair, which a cut text may end in.
    messages: messages.map(({ role, content }) => ({ role, content: content.toWellFormed() })),
    store: false,
    ...(maxTokens === undefined ? {} : { max_completion_tokens: Math.min(maxTokens, MAX_OUTPUT_TOKENS) }),
    ...(temperature === undefined || isReasoning(model) ? {} : { temperature }),
    ...(schema === undefined
      ? {}
      : { response_format: { type: 'json_schema' as const, json_schema: { ...schema, strict: true } } }),
  };
};

/** These refuse any temperature but their own: o1, o3-mini, gpt-5-nano, openai/o4-mini. */
const isReasoning = (model: string): boolean => /^(?:o\d|gpt-5)/.test(model.split('/').at(-1) ?? model);

const Tokens = z.int().min(0);

/** The fields that are read (OpenAI's specification, CreateChatCompletionResponse). */
const Reply = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  // A faulty usage does not invalidate the completion.
  usage: z
    .object({
      prompt_tokens: Tokens,
      completion_tokens: Tokens,
      prompt_tokens_details: z.object({ cached_tokens: Tokens.nullish() }).nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
});

/** The fields of a chunk that are read (OpenAI's specification, CreateChatCompletionStreamResponse). */
const Chunk = z.object({
  choices: z.array(
    z.object({
      delta: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }).nullish(),
      finish_reason: z.string().nullish(),
    }),
  ),
  usage: Reply.shape.usage,
});

/** A streamed completion as a whole one. A service that does not stream has sent that already. Throws when it is neither. */
const collect = async (response: Response, onText: (piece: string) => void): Promise<z.input<typeof Reply>> => {
  if (!isEventStream(response.headers)) return response.json();
  const message = { content: '', refusal: '' };
  let finish: string | undefined;
  let usage: z.output<typeof Reply>['usage'];
  const onEvent = ({ data }: StreamedEvent): void => {
    if (data === '[DONE]') return;
    const chunk = Chunk.parse(JSON.parse(data));
    usage = chunk.usage ?? usage;
    const [choice] = chunk.choices;
    finish = choice?.finish_reason ?? finish;
    message.refusal += choice?.delta?.refusal ?? '';
    const piece = choice?.delta?.content ?? '';
    message.content += piece;
    if (piece !== '') onText(piece);
  };
  await readEvents(response, { maxBytes: MAX_STREAM_BYTES, onEvent });
  return { choices: [{ message, finish_reason: finish }], usage };
};

interface ReadCompletion {
  text: string;
  finish: NonNullable<AICompletion['finish']>;
  usage: TokenUsage | undefined;
}

/** @returns `undefined` when it is not a completion. A refusal has no text: the model's words about it are not an answer. */
const readCompletion = (value: unknown): ReadCompletion | undefined => {
  const reply = readAs(Reply, value);
  const choice = reply.ok ? reply.value.choices[0] : undefined;
  if (!reply.ok || choice === undefined) return undefined;
  const { content, refusal } = choice.message;
  const isRefused = typeof refusal === 'string' && refusal !== '';
  const { usage } = reply.value;
  return {
    text: isRefused ? '' : (content ?? ''),
    finish: isRefused ? 'refused' : finishOf(choice.finish_reason),
    usage: usage
      ? {
          input: usage.prompt_tokens,
          cached: usage.prompt_tokens_details?.cached_tokens ?? 0,
          output: usage.completion_tokens,
        }
      : undefined,
  };
};

/** A text without a known reason for its end counts as cut off. */
const finishOf = (reason: string | null | undefined): ReadCompletion['finish'] =>
  reason === 'stop' ? 'stop' : reason === 'content_filter' ? 'filtered' : 'length';
