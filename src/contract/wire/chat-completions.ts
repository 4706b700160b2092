import * as z from 'zod';
import { ErrorInfo } from '../core/error-info.ts';
import { LibrarianResponse } from '../core/response.ts';

/** A part of a message: text, or an image, a sound, a file, of which nothing is read. */
const ChatPart = z.looseObject({
  type: z.string().max(100),
  text: z.string().max(200_000).nullish(),
});

/** What a message says: a text, or parts in the form of chat completions (`text`) or of responses (`input_text`, `output_text`). */
export const ChatContent = z.union([z.string().max(200_000), z.array(ChatPart).max(100)], {
  error: 'is neither text nor a list of parts',
});
export type ChatContent = z.infer<typeof ChatContent>;

export const ChatRole = z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

/** The answer is text, whatever schema a client would like. */
export const TextOnly = z.looseObject({
  type: z.literal('text', {
    error: 'is not text: the answer is Markdown, and no JSON of a schema',
  }),
});

/** Refuses other ways to say that the answer has to fit a schema, an expression or a grammar (vLLM, llama.cpp). */
const noGuide = z
  .null({ error: 'is not supported: the answer is Markdown, and follows no form of the caller' })
  .optional();
const GUIDES = {
  guided_json: noGuide,
  guided_regex: noGuide,
  guided_choice: noGuide,
  guided_grammar: noGuide,
  structured_outputs: noGuide,
  json_schema: noGuide,
  grammar: noGuide,
};

/** No tool is ever called, so none can be required. */
export const ChatToolChoice = z.union(
  [
    z.enum(['none', 'auto']),
    // Some of the tools may be called: in the form of chat completions, and in that of responses.
    z.looseObject({
      type: z.literal('allowed_tools'),
      allowed_tools: z.looseObject({ mode: z.literal('auto') }),
    }),
    z.looseObject({ type: z.literal('allowed_tools'), mode: z.literal('auto') }),
  ],
  { error: 'is neither auto nor none: no tool is called here' },
);

/** Nothing is sampled, so no token has a probability. */
export const NoLogprobs = z.literal(false, {
  error: 'is not false: no probabilities of tokens are known',
});
export const NoTopLogprobs = z.literal(0, {
  error: 'is not 0: no probabilities of tokens are known',
});

/** A message; of other members, such as tool calls, nothing is read. */
const ChatMessage = z.looseObject({ role: ChatRole, content: ChatContent.nullish() });

/**
 * `POST /v1/chat/completions` as OpenAI's API has it. The last message of the user is the question, those before it are the history; system
 * messages are not followed. Members that say how to sample a text are ignored, as nothing is invented here.
 */
export const ChatCompletionRequest = z.looseObject({
  /** `constellation`, or the id of a librarian; with `:annotated` the text has no list of sources at its end. */
  model: z.string().min(1).max(100),
  messages: z.array(ChatMessage).min(1).max(500),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.literal(1, { error: 'is not 1: there is one answer to a question' }).nullish(),
  response_format: TextOnly.nullish(),
  ...GUIDES,
  logprobs: NoLogprobs.nullish(),
  top_logprobs: NoTopLogprobs.nullish(),
  tool_choice: ChatToolChoice.nullish(),
  /** The older form of `tool_choice`. */
  function_call: ChatToolChoice.nullish(),
  modalities: z
    .array(z.literal('text', { error: 'is not text: answers are not spoken' }))
    .max(10)
    .nullish(),
  /** Who asks: an id, not a name. What is stored about this person is used; `metadata.person_id` comes first. */
  user: z.string().max(1000).nullish(),
  /** `person_id` as in `/v1/ask`; `facts` of `"false"` has the same effect as the member. Others have none. */
  metadata: z.record(z.string().max(1000), z.unknown()).nullish(),
  /** Whether facts that are stored about the person are used; true when absent. */
  facts: z.boolean().nullish(),
});
export type ChatCompletionRequest = z.infer<typeof ChatCompletionRequest>;

const Completion = z.object({
  id: z.string().max(100),
  /** Seconds since 1970. */
  created: z.int().min(0),
  model: z.string().max(100),
});

const TokenUsage = z.object({
  prompt_tokens: z.int().min(0),
  completion_tokens: z.int().min(0),
  total_tokens: z.int().min(0),
});

/** A source of a statement, at the place where it is cited first. */
export const UrlCitation = z.object({
  type: z.literal('url_citation'),
  url_citation: z.object({
    url: z.string().max(2048),
    title: z.string().max(500),
    /** UTF-16 units of `content`; the end is exclusive. */
    start_index: z.int().min(0),
    end_index: z.int().min(0),
  }),
});

export type UrlCitation = z.infer<typeof UrlCitation>;

/** The answer to a question in OpenAI's form. */
export const ChatCompletion = Completion.extend({
  object: z.literal('chat.completion'),
  choices: z
    .array(
      z.object({
        index: z.literal(0),
        message: z.object({
          role: z.literal('assistant'),
          /** The statements, each with the numbers of its sources. */
          content: z.string().max(200_000),
          refusal: z.null(),
          annotations: z.array(UrlCitation).max(1000),
        }),
        logprobs: z.null(),
        finish_reason: z.literal('stop'),
      }),
    )
    .length(1),
  usage: TokenUsage,
  /** The answer as `POST /v1/ask` gives it, without details. */
  constellation: LibrarianResponse,
});
export type ChatCompletion = z.infer<typeof ChatCompletion>;

/** A part of the answer, as an event of a stream that ends with `[DONE]`. */
export const ChatCompletionChunk = Completion.extend({
  object: z.literal('chat.completion.chunk'),
  choices: z
    .array(
      z.object({
        index: z.literal(0),
        delta: z.object({
          role: z.literal('assistant').optional(),
          content: z.string().max(200_000).optional(),
          refusal: z.null().optional(),
          annotations: z.array(UrlCitation).max(1000).optional(),
        }),
        logprobs: z.null(),
        finish_reason: z.literal('stop').nullable(),
      }),
    )
    .max(1),
  /** In the last chunk, when `stream_options.include_usage` asks for it. */
  usage: TokenUsage.nullable().optional(),
  constellation: LibrarianResponse.optional(),
});
export type ChatCompletionChunk = z.infer<typeof ChatCompletionChunk>;

/** A librarian as a model. */
export const ChatModel = z.object({
  id: z.string().max(100),
  object: z.literal('model'),
  created: z.int().min(0),
  owned_by: z.string().max(100),
});
export type ChatModel = z.infer<typeof ChatModel>;

/** `GET /v1/models`. */
export const ChatModels = z.object({
  object: z.literal('list'),
  data: z.array(ChatModel).max(1000),
});
export type ChatModels = z.infer<typeof ChatModels>;

/** An error in OpenAI's form. */
export const ChatError = z.object({
  error: z.object({
    message: z.string().max(4000),
    type: z.string().max(100),
    /** The member that is wrong. */
    param: z.string().max(200).nullable(),
    code: z.string().max(100),
    /** Our own error. */
    info: ErrorInfo,
  }),
});
export type ChatError = z.infer<typeof ChatError>;
