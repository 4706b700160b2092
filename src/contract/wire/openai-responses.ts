import * as z from 'zod';
import { LibrarianResponse } from '../core/response.ts';
import {
  ChatContent,
  ChatRole,
  ChatToolChoice,
  NoTopLogprobs,
  TextOnly,
} from './chat-completions.ts';

/** A message; of other items, such as calls of tools and references to what is stored, nothing is read. */
const InputItem = z.looseObject({
  type: z.string().max(100).nullish(),
  role: ChatRole.nullish(),
  content: ChatContent.nullish(),
});

/** Refuses what would need a stored response: nothing is stored here. */
const nothingStored = z
  .null({ error: 'is not supported, as no response is stored: send the earlier turns in input' })
  .optional();

/**
 * `POST /v1/responses` as OpenAI's API has it. The last message of the user is the question, those before it are the history; instructions
 * and system messages are not followed. Members that say how to sample a text are ignored, as nothing is invented here.
 */
export const ResponsesRequest = z.looseObject({
  /** `constellation`, or the id of a librarian; with `:annotated` the text has no list of sources at its end. */
  model: z.string().min(1).max(100),
  input: z.union([z.string().max(200_000), z.array(InputItem).min(1).max(1000)], {
    error: 'is neither a text nor a list of messages',
  }),
  instructions: z.string().max(200_000).nullish(),
  stream: z.boolean().nullish(),
  text: z.looseObject({ format: TextOnly.nullish() }).nullish(),
  tool_choice: ChatToolChoice.nullish(),
  top_logprobs: NoTopLogprobs.nullish(),
  background: z.literal(false, { error: 'is not false: a response is made at once' }).nullish(),
  previous_response_id: nothingStored,
  conversation: nothingStored,
  prompt: z
    .null({ error: 'is not supported, as no prompt is stored: send the question in input' })
    .optional(),
  /** Who asks: an id, not a name. What is stored about this person is used; `metadata.person_id` comes first. */
  user: z.string().max(1000).nullish(),
  /** `person_id` as in `/v1/ask`; `facts` of `"false"` has the same effect as the member. Others have none. */
  metadata: z.record(z.string().max(1000), z.unknown()).nullish(),
  /** Whether facts that are stored about the person are used; true when absent. */
  facts: z.boolean().nullish(),
});
export type ResponsesRequest = z.infer<typeof ResponsesRequest>;

const Annotation = z.object({
  type: z.literal('url_citation'),
  url: z.string().max(2048),
  title: z.string().max(500),
  /** UTF-16 units of the text; the end is exclusive. */
  start_index: z.int().min(0),
  end_index: z.int().min(0),
});

const OutputText = z.object({
  type: z.literal('output_text'),
  /** The statements, each with the numbers of its sources. */
  text: z.string().max(200_000),
  annotations: z.array(Annotation).max(1000),
  logprobs: z.array(z.never()).max(0),
});

const OutputMessage = z.object({
  id: z.string().max(100),
  type: z.literal('message'),
  status: z.enum(['in_progress', 'completed']),
  role: z.literal('assistant'),
  content: z.array(OutputText).max(1),
});

/** The answer to a question as a response of OpenAI's API. It is not stored. */
export const ResponsesReply = z.looseObject({
  id: z.string().max(100),
  object: z.literal('response'),
  /** Seconds since 1970. */
  created_at: z.int().min(0),
  status: z.enum(['in_progress', 'completed', 'failed']),
  model: z.string().max(100),
  output: z.array(OutputMessage).max(1),
  error: z.object({ code: z.string().max(100), message: z.string().max(4000) }).nullable(),
  incomplete_details: z.null(),
  store: z.literal(false),
  usage: z
    .object({
      input_tokens: z.int().min(0),
      input_tokens_details: z.object({ cached_tokens: z.literal(0) }),
      output_tokens: z.int().min(0),
      output_tokens_details: z.object({ reasoning_tokens: z.literal(0) }),
      total_tokens: z.int().min(0),
    })
    .nullable(),
  /** The answer as `POST /v1/ask` gives it, once it is there. */
  constellation: LibrarianResponse.optional(),
});
export type ResponsesReply = z.infer<typeof ResponsesReply>;

/** An event of a stream, named by its type; `response.completed` or `response.failed` is the last one. */
export const ResponsesEvent = z.looseObject({
  type: z.enum([
    ...([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
    ] as const),
    ...([
      'response.output_text.delta',
      'response.output_text.annotation.added',
      'response.output_text.done',
    ] as const),
    ...([
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
      'response.failed',
    ] as const),
  ]),
  /** Counts the events of a stream from 0. */
  sequence_number: z.int().min(0),
  /** What the text grows by, in `response.output_text.delta`. */
  delta: z.string().max(200_000).optional(),
  /** In the first two events and the last one. */
  response: ResponsesReply.optional(),
});
export type ResponsesEvent = z.infer<typeof ResponsesEvent>;
