import {
  type ChatRequest,
  promptTokensOf,
  schemaOf,
  textOf,
  tokensOfText,
} from './chat-request.ts';
import type { ChatModel } from './models.ts';
import { sampleOfSchema } from './sample-of-schema.ts';

/** What a test has the model say; a text stands for `{ text }`. */
export interface ScriptedAnswer {
  text?: string | undefined;
  /** In place of `text`: written as JSON. */
  json?: unknown;
  /** The model declines: there is no content then. */
  refusal?: string | undefined;
  /** `length` without a text of its own, or with half a document, as the test likes it. */
  finish?: 'stop' | 'length' | 'content_filter' | undefined;
  /** Counted when absent. */
  usage?: 'missing' | { prompt: number; cached?: number; completion: number } | undefined;
  /** A refusal by the service in place of an answer. */
  error?: { status: number; message?: string; headers?: Record<string, string> } | undefined;
  /** What becomes of a stream, in its middle; of an answer in one piece nothing. */
  stream?: StreamFault | undefined;
  /** How fast a stream is written, four characters a token; at once when absent. */
  tokensPerSecond?: number | undefined;
}

/**
 * `stall`: nothing comes any more. `close`: it ends as if it were whole, without finish and `[DONE]`. `tear`: the connection
 * breaks. `error`: an error event. `split`: every write ends inside a character or an event.
 */
export type StreamFault = 'stall' | 'close' | 'tear' | 'error' | 'split';

export type ChatScript =
  | string
  | ScriptedAnswer
  | ((request: ChatRequest) => string | ScriptedAnswer | Promise<string | ScriptedAnswer>);

/** A completion before it is put into JSON or a stream. */
export interface Completion {
  id: string;
  /** Seconds since 1970. */
  created: number;
  model: string;
  content: string | null;
  refusal: string | null;
  finish: 'stop' | 'length' | 'content_filter';
  usage: Usage | undefined;
}

type Usage = ReturnType<typeof usageOf>;

/** Tokens that a reasoning model spends before its first word. */
const REASONING_TOKENS = 64;
/** The service never reports less than a block of its cache. */
const NOTHING_CACHED = 0;

export function completionOf(
  answer: ScriptedAnswer,
  { request, model, id, now }: { request: ChatRequest; model: ChatModel; id: string; now: number },
): Completion {
  const { refusal = null, usage } = answer;
  const whole = answer.json === undefined ? (answer.text ?? '') : JSON.stringify(answer.json);
  const reasoning = model.isReasoning ? REASONING_TOKENS : 0;
  const most =
    (request.max_completion_tokens ?? request.max_tokens ?? Number.POSITIVE_INFINITY) - reasoning;
  const isCut = tokensOfText(whole) > most;
  const text = isCut ? whole.slice(0, Math.max(0, most) * 4).toWellFormed() : whole;
  const counted = {
    prompt: promptTokensOf(request),
    cached: NOTHING_CACHED,
    completion: tokensOfText(refusal ?? text) + reasoning,
  };
  return {
    id,
    created: Math.floor(now / 1000),
    model: model.dated,
    content: refusal === null ? text : null,
    refusal,
    finish: answer.finish ?? (isCut && refusal === null ? 'length' : 'stop'),
    usage: usage === 'missing' ? undefined : usageOf({ ...counted, ...usage }, reasoning),
  };
}

const usageOf = (
  { prompt, cached = 0, completion }: { prompt: number; cached?: number; completion: number },
  reasoning: number,
) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: 0 },
});

/** The body of an answer in one piece. */
export function completionBody({
  id,
  created,
  model,
  content,
  refusal,
  finish,
  usage,
}: Completion) {
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content, refusal, annotations: [] },
        logprobs: null,
        finish_reason: finish,
      },
    ],
    ...(usage === undefined ? {} : { usage }),
    service_tier: 'default',
  };
}

/**
 * What the model says when nothing is scripted: a document that fits the schema asked for, or a text. Its words are the
 * longest passage of the last message, so that it quotes what it was given.
 */
export function usualAnswer(request: ChatRequest): ScriptedAnswer {
  const { messages, response_format: format } = request;
  const passage = longestPassage(textOf(messages.at(-1)?.content));
  const asked = schemaOf(request);
  if (asked !== undefined) return { json: sampleOfSchema(asked.schema, passage) };
  return format?.type === 'json_object' ? { json: { answer: passage } } : { text: passage };
}

const PASSAGE_CHARACTERS = 300;

/** The longest text in a message that is JSON, or else the longest paragraph. */
const longestPassage = (message: string): string => {
  const texts = textsOf(message) ?? message.split(/\n\s*\n/);
  const longest = texts
    .reduce((best, text) => (text.length > best.length ? text : best), '')
    .trim();
  const sentence = /^[\s\S]{20,}?[.!?](?=\s|$)/.exec(longest)?.[0] ?? longest;
  return sentence.slice(0, PASSAGE_CHARACTERS).toWellFormed();
};

const textsOf = (message: string): string[] | undefined => {
  try {
    const texts: string[] = [];
    JSON.parse(message, (_, value: unknown) => {
      if (typeof value === 'string') texts.push(value);
      return value;
    });
    return texts;
  } catch {
    return undefined;
  }
};
