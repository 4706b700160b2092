import * as z from 'zod';
import { readAs } from '../contract/core/error-info.ts';
import { parseJson } from '../contract/core/json-object.ts';
import type {
  AIClient,
  AICompletion,
  AICompletionOptions,
  AIMessage,
} from '../contract/core/librarian.ts';
import { CodedError } from '../platform/http/coded-error.ts';
import { isEventStream, readEvents, type StreamedEvent } from '../platform/http/event-stream.ts';
import { jsonObjectIn, passOn, type Wanted, withoutReasoning } from './json-in-text.ts';
import {
  type OpenAIConfig,
  openAICaller,
  type ServiceFailure,
  StreamedError,
  serviceErrorOf,
} from './openai-client.ts';
import { costOf, type Prices, priceOf, type TokenUsage } from './prices.ts';
import {
  bodyIn,
  bothForms,
  type ChatRequest,
  describeForm,
  FIRST_FORM,
  formAfter,
  type RequestForm,
} from './request-form.ts';
import { type RefusalReason, readRefusal, saysSomething } from './service-refusal.ts';

interface OpenAIChatConfig extends OpenAIConfig {
  model: string;
  /** Without an entry for the model its completions have no cost. */
  prices?: Prices | undefined;
  /** Reasoning effort of a reasoning model; the accepted values depend on the model. Reasoning tokens count as output. */
  reasoningEffort?: ReasoningEffort | undefined;
}

export const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];

/** A model gave no completion. The message contains no text, no key and nothing from the service's reply. */
export class ModelUnavailable extends CodedError {
  override readonly name = 'ModelUnavailable';
  readonly reason: ServiceFailure;
  /** What the service refuses, where it says so. */
  readonly why: RefusalReason | undefined;
  /** Wait requested by the service, at most a minute. */
  readonly retryAfterMs: number | undefined;

  constructor(
    reason: ServiceFailure,
    message: string,
    options: { why?: RefusalReason | undefined; retryAfterMs?: number | undefined } = {},
  ) {
    const { why, retryAfterMs } = options;
    const details =
      retryAfterMs === undefined
        ? {}
        : { details: { retry_after_seconds: Math.ceil(retryAfterMs / 1000) } };
    super(reason === 'aborted' ? 'TIMEOUT' : 'AI_UNAVAILABLE', message, { reported: details });
    this.reason = reason;
    this.why = why;
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

/** A chat model, and what is known of it. */
interface OpenAIChat extends AIClient {
  /** What the model has refused so far, for people: `temperature`, `schemas (JSON mode and the prompt instead)`. */
  refusals(): readonly string[];
}

/**
 * A chat model behind OpenAI's chat completions, or any service that offers the same protocol. A request that fails is not repeated, since
 * callers know the time and the money that are left; one whose form is refused is sent in another, at most `MAX_ATTEMPTS` times within the
 * same deadline, and the form that goes through is used from then on. Nothing is stored there.
 *
 * A `schema` of the options is sent as a strict one: its root is an object, every object has `additionalProperties: false`
 * and requires all its members, and it contains no lengths, `allOf`, `oneOf` or `not` (OpenAI's guide to structured outputs). A model that
 * refuses schemas is shown it in JSON mode, one that refuses this too in the prompt alone. The text is then the object that the reply holds,
 * without a fence, reasoning or words around it; a complete one is whole however the service says that it ended. Callers validate it.
 *
 * @returns A client whose `complete` throws `ModelUnavailable`, and RangeError for what can never be sent.
 * @throws {RangeError} When model, key, address or time cannot be right.
 *
 * @example
 * const ai = openaiChat({ model: 'qwen3', baseURL: 'http://127.0.0.1:11434/v1', apiKey: 'ollama' });
 * const { text } = await ai.complete([{ role: 'user', content: 'Say hello' }], { maxTokens: 10 });
 * @see https://platform.openai.com/docs/api-reference/chat
 */
export function openaiChat({
  model,
  prices = {},
  reasoningEffort,
  ...config
}: OpenAIChatConfig): OpenAIChat {
  const call = openAICaller(config, { model, timeoutMs: TIMEOUT_MS, isChat: true });
  const price = priceOf(model, prices);
  let known = FIRST_FORM;
  return {
    model,
    refusals: () => describeForm(known),
    complete: async (messages, options = {}) => {
      const request = requestOf(
        { model, reasoningEffort, baseURL: config.baseURL },
        messages,
        options,
      );
      const bounds = { signal: options.signal, maxBytes: MAX_REPLY_BYTES, retries: 0 } as const;
      const reply = await call(async (client, callOptions) => {
        const send: Send = async (body, onText) => {
          // The parameters that are known are typed; a form leaves some out.
          const { completions } = client.chat;
          const sent = body as unknown as Parameters<typeof completions.create>[0];
          return collect(await completions.create(sent, callOptions).asResponse(), onText);
        };
        const completed = await completeInForm(request, known, send);
        known = bothForms(known, completed.form);
        return completed;
      }, bounds);
      if (!reply.ok) {
        const { reason, problem, why, retryAfterMs } = reply;
        throw new ModelUnavailable(reason, `Cannot complete with the model: ${problem}`, {
          why,
          retryAfterMs,
        });
      }
      // What the function above returns.
      const { completion, usage } = reply.value as Awaited<ReturnType<typeof completeInForm>>;
      if (completion === undefined)
        throw new ModelUnavailable(
          'malformed',
          'Cannot complete with the model: the reply is not a completion',
        );
      const { text, finish } = completion;
      if (finish === 'failed')
        throw new ModelUnavailable(
          'unavailable',
          'Cannot complete with the model: it broke off with an error',
        );
      return {
        text,
        finish,
        ...(usage && { usage: { inputTokens: usage.input, outputTokens: usage.output } }),
        ...(usage && price && { costUsd: costOf(usage, price) }),
      };
    },
  };
}

/** Sends a body, and collects the reply. Throws what the client throws, or `StreamedError`. */
type Send = (
  body: Record<string, unknown>,
  onText: ((piece: string) => void) | undefined,
) => Promise<unknown>;

/** Requests for one completion. A service names most of what it refuses at once. */
const MAX_ATTEMPTS = 5;
/** Fewer tokens are no answer. */
const LEAST_TOKENS = 64;

/** Sends a request, in the form that is known and after a refusal in others. */
const completeInForm = async (
  asked: ChatRequest,
  known: RequestForm,
  send: Send,
): Promise<{
  form: RequestForm;
  completion: ReadCompletion | undefined;
  usage: TokenUsage | undefined;
}> => {
  const { schema, onText } = asked.options;
  let request = asked;
  let form = known;
  let usage: TokenUsage | undefined;
  /** The format to keep, when another was tried for this reply alone. */
  let learned: RequestForm['format'] | undefined;
  let hasPassedOn = false;
  const pass = (piece: string): void => {
    hasPassedOn = true;
    onText?.(piece);
  };
  for (let attempt = 1; ; attempt += 1) {
    const body = bodyIn(form, request);
    const isLast = attempt === MAX_ATTEMPTS;
    try {
      const reply = await send(body, onText && passOn(pass, { wantsObject: schema !== undefined }));
      const completion = readCompletion(reply, schema);
      usage = sumOf(usage, completion?.usage);
      // It takes a schema and does not keep to it: many services drop parameters that they do not know.
      const next =
        completion?.isOther === true ? formForIgnored(form, known, completion) : undefined;
      if (next === undefined || isLast || hasPassedOn)
        return {
          form: {
            ...form,
            format: completion?.isOther === true ? known.format : (learned ?? form.format),
          },
          completion,
          usage,
        };
      // That happens now and then: JSON mode is no reason to be given up for good.
      if (form.format === 'json_object') learned = form.format;
      form = next;
    } catch (error) {
      const refused = serviceErrorOf(error);
      if (refused === undefined || isLast || hasPassedOn) throw error;
      const refusal = readRefusal(refused, Object.keys(body));
      const { maxTokens } = request;
      if (refusal.isLimitTooLarge && maxTokens !== undefined && maxTokens >= 2 * LEAST_TOKENS) {
        request = { ...request, maxTokens: Math.floor(maxTokens / 2) };
        continue;
      }
      const next = formAfter(refusal, form, body);
      if (next === undefined) throw error;
      form = next;
    }
  }
};

/**
 * The form for a model that did not reply with the object: shown the schema, then without a format that may hinder it. A blank reply in JSON
 * mode is what some give when the text was no JSON.
 */
const formForIgnored = (
  form: RequestForm,
  known: RequestForm,
  { text }: ReadCompletion,
): RequestForm | undefined => {
  if (form.format === 'json_object')
    return text.trim() === '' ? { ...form, format: 'text' } : undefined;
  if (form.format !== 'json_schema' || known.isSchemaShown) return undefined;
  return form.isSchemaShown ? { ...form, format: 'text' } : { ...form, isSchemaShown: true };
};

const sumOf = (
  one: TokenUsage | undefined,
  other: TokenUsage | undefined,
): TokenUsage | undefined =>
  one === undefined || other === undefined
    ? (other ?? one)
    : {
        input: one.input + other.input,
        cached: one.cached + other.cached,
        output: one.output + other.output,
      };

const requestOf = (
  {
    model,
    reasoningEffort,
    baseURL,
  }: Pick<OpenAIChatConfig, 'model' | 'reasoningEffort' | 'baseURL'>,
  messages: readonly AIMessage[],
  options: AICompletionOptions,
): ChatRequest => {
  const { maxTokens, temperature, schema, onText } = options;
  if (messages.length < 1 || messages.length > MAX_MESSAGES)
    throw new RangeError(`not 1 to ${MAX_MESSAGES} messages`);
  if (schema !== undefined && !/^[A-Za-z0-9_-]{1,64}$/.test(schema.name))
    throw new RangeError("the schema's name is not 1 to 64 letters, digits, _ or -");
  const isOpenAI = isOpenAIHost(baseURL) || OPENAI_MODEL.test(nameOf(model));
  return {
    model,
    messages,
    options,
    hasStore: isOpenAI,
    limitName: isOpenAI ? 'max_completion_tokens' : 'max_tokens',
    maxTokens: maxTokens === undefined ? undefined : Math.min(maxTokens, MAX_OUTPUT_TOKENS),
    temperature: isReasoning(model) ? undefined : temperature,
    reasoningEffort,
    isStreamed: onText !== undefined,
  };
};

const isOpenAIHost = (baseURL: string | undefined): boolean =>
  baseURL === undefined || /(?:^|\.)openai\.com$/.test(new URL(baseURL).hostname);

/** `openai/gpt-4.1-mini` is gpt-4.1-mini at another host. */
const nameOf = (model: string): string => model.split('/').at(-1) ?? model;
/** The names of OpenAI's models, which have OpenAI's parameters behind a gateway too; not of those that others run. */
const OPENAI_MODEL = /^(?:gpt-(?!oss)|chatgpt-|o\d)/;

/** These refuse any temperature but their own: o1, o3-mini, gpt-5-nano, openai/o4-mini. */
const isReasoning = (model: string): boolean => /^(?:o\d|gpt-5)/.test(nameOf(model));

const Tokens = z.union([
  z.int().min(0),
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number),
]);

/** Text, or parts of which some are text and others reasoning; an object where a service has parsed the reply. */
const Content = z
  .union([z.string(), z.array(z.unknown()).max(10_000), z.record(z.string(), z.unknown())])
  .nullish();
const FunctionCall = z.object({
  arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
});

const Message = z.object({
  content: Content,
  refusal: z.string().nullish().catch(undefined),
  reasoning_content: z.string().nullish().catch(undefined),
  reasoning: z.string().nullish().catch(undefined),
  tool_calls: z
    .array(z.object({ function: FunctionCall.nullish() }))
    .nullish()
    .catch(undefined),
  function_call: FunctionCall.nullish().catch(undefined),
});
type Message = z.infer<typeof Message>;

const Finish = z.string().nullish().catch(undefined);

/** Some reply with a `delta` to what is no stream, or with the `text` of the older completions. */
const Choice = z.object({
  message: Message.nullish(),
  delta: Message.nullish(),
  text: z.string().nullish().catch(undefined),
  finish_reason: Finish,
  error: z.unknown().optional(),
});

/** The fields that are read (OpenAI's specification, CreateChatCompletionResponse). */
const Reply = z.object({
  choices: z.array(Choice).min(1),
  // A faulty usage does not invalidate the completion.
  usage: z
    .object({
      prompt_tokens: Tokens,
      completion_tokens: Tokens,
      prompt_tokens_details: z
        .object({ cached_tokens: Tokens.nullish() })
        .nullish()
        .catch(undefined),
    })
    .nullish()
    .catch(undefined),
});

/** The fields of a chunk that are read (OpenAI's specification, CreateChatCompletionStreamResponse). */
const Chunk = z.object({
  choices: z.array(Choice).nullish(),
  usage: Reply.shape.usage,
  error: z.unknown().optional(),
});

/**
 * A streamed completion as a whole one. A service that does not stream has sent that already, and one that always streams is read as well.
 * Events that are no chunks are skipped. Throws when it is neither, and `StreamedError` for an error within the stream.
 */
const collect = async (
  response: Response,
  onText: ((piece: string) => void) | undefined,
): Promise<unknown> => {
  let events = response;
  if (!isEventStream(response.headers)) {
    const text = await response.text();
    // A proxy may give a stream another type.
    const stream = streamIn(text);
    if (stream === undefined) return withoutError(JSON.parse(text));
    events = new Response(stream);
  }
  const message = { content: '', refusal: '', reasoning: '', call: '' };
  let finish: string | undefined;
  let usage: z.output<typeof Reply>['usage'];
  const onEvent = ({ name, data }: StreamedEvent): void => {
    const json = data.trim() === '[DONE]' ? undefined : parseJson(data);
    if (json === undefined) {
      // The rest of a chunk must not go missing unseen.
      if (data.trimStart().startsWith('{')) throw new SyntaxError('a chunk is not JSON');
      return;
    }
    const read = readAs(Chunk, json);
    if (!read.ok) {
      if (typeof json === 'object' && json !== null && 'choices' in json)
        throw new SyntaxError('a chunk has another form');
      return;
    }
    const { choices, usage: used, error } = read.value;
    if (name === 'error' || saysSomething(error)) throw new StreamedError(data);
    usage = used ?? usage;
    const choice = choices?.[0];
    if (choice === undefined) return;
    if (saysSomething(choice.error))
      throw new StreamedError(JSON.stringify({ error: choice.error }));
    finish = choice.finish_reason || finish;
    // Some repeat the whole message at the end.
    const part = choice.delta ??
      (message.content === '' ? choice.message : undefined) ?? { content: choice.text };
    message.refusal += part.refusal ?? '';
    message.reasoning += part.reasoning_content ?? part.reasoning ?? '';
    message.call += argumentsOf(part) ?? '';
    const piece = textOf(part.content);
    message.content += piece;
    if (piece !== '') onText?.(piece);
  };
  await readEvents(events, { maxBytes: MAX_STREAM_BYTES, onEvent });
  const { content, refusal, reasoning, call } = message;
  const whole = {
    content,
    refusal,
    reasoning,
    function_call: call === '' ? undefined : { arguments: call },
  };
  return { choices: [{ message: whole, finish_reason: finish }], usage };
};

/** The events of a text that is a stream, or that has a chunk in each line; undefined for one that is neither. */
const streamIn = (text: string): string | undefined => {
  if (/^\s*(?:data|event|id|retry)?:/.test(text)) return text;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const areChunks = lines.length > 1 && lines.every((line) => parseJson(line) !== undefined);
  return areChunks ? lines.map((line) => `data: ${line}\n\n`).join('') : undefined;
};

/** A whole reply. Throws `StreamedError` for one whose choice is an error, as gateways report what failed behind them. */
const withoutError = (reply: unknown): unknown => {
  const read = readAs(Reply, reply);
  const error = read.ok ? read.value.choices[0]?.error : undefined;
  if (saysSomething(error)) throw new StreamedError(JSON.stringify({ error }));
  return reply;
};

const textOf = (content: z.infer<typeof Content>): string => {
  if (typeof content === 'string') return content;
  if (content === undefined || content === null) return '';
  if (Array.isArray(content)) return content.map(textOfPart).join('');
  return JSON.stringify(content);
};

const TextPart = z.object({ type: z.enum(['text', 'output_text']).optional(), text: z.string() });

/** Empty for reasoning and everything else that is no text. */
const textOfPart = (part: unknown): string => {
  if (typeof part === 'string') return part;
  const read = readAs(TextPart, part);
  return read.ok ? read.value.text : '';
};

/** The arguments of the one call that a service makes of a schema; undefined when there is none. */
const argumentsOf = ({ tool_calls, function_call }: Message): string | undefined => {
  const given = (tool_calls?.[0]?.function ?? function_call)?.arguments;
  return given === undefined || given === null
    ? undefined
    : typeof given === 'string'
      ? given
      : JSON.stringify(given);
};

interface ReadCompletion {
  text: string;
  /** `failed`: the service broke off. */
  finish: NonNullable<AICompletion['finish']> | 'failed';
  usage: TokenUsage | undefined;
  /** It is whole, and not the object that was asked for. */
  isOther: boolean;
}

/** @returns `undefined` when it is not a completion. A refusal has no text: the model's words about it are not an answer. */
const readCompletion = (
  value: unknown,
  schema: AICompletionOptions['schema'],
): ReadCompletion | undefined => {
  const reply = readAs(Reply, value);
  const choice = reply.ok ? reply.value.choices[0] : undefined;
  if (!reply.ok || choice === undefined) return undefined;
  const { finish_reason } = choice;
  const message =
    choice.message ?? choice.delta ?? (choice.text == null ? undefined : { content: choice.text });
  if (message === undefined) return undefined;
  const { usage } = reply.value;
  const used = usage
    ? {
        input: usage.prompt_tokens,
        cached: usage.prompt_tokens_details?.cached_tokens ?? 0,
        output: usage.completion_tokens,
      }
    : undefined;
  if (typeof message.refusal === 'string' && message.refusal !== '')
    return { text: '', finish: 'refused', usage: used, isOther: false };
  const finish = finishOf(finish_reason);
  const text = textOf(message.content);
  // The filter of a service counts, whatever it has let through.
  const isWithheld = finish === 'filtered' || finish === 'refused';
  const find = (how: Wanted['how']): string | undefined =>
    schema === undefined || isWithheld
      ? undefined
      : objectOf(message, text, { names: namesIn(schema), how });
  const object = find('all');
  if (object !== undefined) return { text: object, finish: 'stop', usage: used, isOther: false };
  // An object that lacks a member may still do for whoever asked, and is validated there.
  const part = find('some');
  if (part !== undefined) return { text: part, finish: 'stop', usage: used, isOther: true };
  return {
    text: withoutReasoning(text),
    finish,
    usage: used,
    isOther: schema !== undefined && finish === 'stop',
  };
};

/**
 * The object that was asked for: in the text, or where services put it that make a call of a schema, or that take all of a reply for
 * reasoning. Reasoning itself is never searched for one.
 */
const objectOf = (message: Message, text: string, wanted: Wanted): string | undefined => {
  if (text.trim() !== '') return jsonObjectIn(text, wanted);
  const elsewhere = [argumentsOf(message), message.reasoning_content, message.reasoning];
  return elsewhere
    .map((each) => each?.trim() ?? '')
    .filter((each) => each.startsWith('{') && each.endsWith('}'))
    .map((each) => jsonObjectIn(each, wanted))
    .find((each) => each !== undefined);
};

/** The members that an object of a schema has to have. */
const namesIn = ({ schema: { required } }: NonNullable<AICompletionOptions['schema']>): string[] =>
  Array.isArray(required) ? required.map(String) : [];

const STOPPED = new Set([
  'stop',
  'eos',
  'eos_token',
  'end_turn',
  'stop_sequence',
  'complete',
  'completed',
  'done',
  'end',
]);
const FILTERED = new Set([
  ...[
    'content_filter',
    'content_filtered',
    'safety',
    'recitation',
    'blocklist',
    'prohibited_content',
    'spii',
  ],
  ...['sensitive', 'language', 'image_safety'],
]);

/** The service broke off (OpenRouter, DeepSeek, GLM, vLLM). */
const FAILED = new Set(['error', 'insufficient_system_resource', 'network_error', 'abort']);

/** A text without a known reason for its end counts as cut off. */
const finishOf = (reason: string | null | undefined): ReadCompletion['finish'] => {
  const name = reason?.toLowerCase() ?? '';
  if (STOPPED.has(name)) return 'stop';
  if (FILTERED.has(name)) return 'filtered';
  if (name === 'refusal') return 'refused';
  return FAILED.has(name) ? 'failed' : 'length';
};
