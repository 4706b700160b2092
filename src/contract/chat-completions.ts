import * as z from 'zod';

const TextPart = z.looseObject({ type: z.literal('text'), text: z.string().max(200_000) });

/** A message; of other members, such as tool calls, nothing is read. */
const ChatMessage = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z
    .union([z.string().max(200_000), z.array(TextPart).max(100)], { error: 'is neither text nor a list of text parts' })
    .nullish(),
});

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
});
export type ChatCompletionRequest = z.infer<typeof ChatCompletionRequest>;
