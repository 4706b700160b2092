import * as z from 'zod';
import { readAs } from '../../contract/issue.ts';
import type { AICompletion } from '../../contract/librarian.ts';
import type { TokenUsage } from './prices.ts';

const Tokens = z.int().min(0);

/** What is read of a reply (OpenAI's specification, CreateChatCompletionResponse). */
const Reply = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  // An answer is not given up for its accounts.
  usage: z
    .object({
      prompt_tokens: Tokens,
      completion_tokens: Tokens,
      prompt_tokens_details: z.object({ cached_tokens: Tokens.nullish() }).nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
});

export interface ReadCompletion {
  text: string;
  finish: NonNullable<AICompletion['finish']>;
  usage: TokenUsage | undefined;
}

/** @returns `undefined` when it is no completion. Of a refusal the text is empty: what the model says of it is no answer. */
export const readCompletion = (json: unknown): ReadCompletion | undefined => {
  const reply = readAs(Reply, json);
  const choice = reply.ok ? reply.value.choices[0] : undefined;
  if (!reply.ok || choice === undefined) return undefined;
  const { content, refusal } = choice.message;
  const isRefused = typeof refusal === 'string' && refusal !== '';
  return {
    text: isRefused ? '' : (content ?? ''),
    finish: isRefused ? 'refused' : finishOf(choice.finish_reason),
    usage: usageOf(reply.value.usage),
  };
};

/** A text whose end nobody vouches for counts as cut off. */
const finishOf = (reason: string | null | undefined): ReadCompletion['finish'] =>
  reason === 'stop' ? 'stop' : reason === 'content_filter' ? 'filtered' : 'length';

const usageOf = (usage: z.output<typeof Reply>['usage']): TokenUsage | undefined =>
  usage
    ? {
        input: usage.prompt_tokens,
        cached: usage.prompt_tokens_details?.cached_tokens ?? 0,
        output: usage.completion_tokens,
      }
    : undefined;
