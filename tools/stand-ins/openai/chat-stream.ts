import { setTimeout as pause } from 'node:timers/promises';
import type { Completion, StreamFault } from './chat-answer.ts';
import { refusalBody, USUAL_MESSAGES } from './refusal.ts';

export interface StreamOptions {
  includeUsage: boolean;
  fault: StreamFault | undefined;
  tokensPerSecond?: number | undefined;
}

/** Characters of a chunk: few, so that an answer of a sentence is a stream. */
const CHUNK_CHARACTERS = 12;

/** The events of a completion as the service sends them, one event a piece (OpenAI's specification, streaming). */
export async function* streamCompletion(
  completion: Completion,
  options: StreamOptions,
): AsyncGenerator<Uint8Array> {
  const pieces = eventsOf(completion, options);
  if (options.fault === 'split') {
    yield* split(Buffer.concat(await Array.fromAsync(pieces)));
  } else {
    yield* pieces;
  }
}

async function* eventsOf(
  completion: Completion,
  { includeUsage, fault, tokensPerSecond }: StreamOptions,
): AsyncGenerator<Uint8Array> {
  const { id, created, model, content, refusal, finish, usage } = completion;
  const isMiddle = middleOf(content ?? refusal ?? '');
  const chunk = (choices: unknown[], last?: { usage: Completion['usage'] }) =>
    event({
      id,
      object: 'chat.completion.chunk',
      created,
      model,
      choices,
      ...(includeUsage ? { usage: last?.usage ?? null } : {}),
    });
  const choice = (delta: object, reason: string | null = null) => [
    { index: 0, delta, logprobs: null, finish_reason: reason },
  ];
  yield chunk(choice({ role: 'assistant', content: '', refusal: null }));
  let sent = 0;
  for (const text of cut(content ?? refusal ?? '')) {
    if (tokensPerSecond !== undefined) await pause((text.length / 4 / tokensPerSecond) * 1000);
    yield chunk(choice(refusal === null ? { content: text } : { refusal: text }));
    sent += text.length;
    if (fault === undefined || fault === 'split' || !isMiddle(sent)) continue;
    if (fault === 'stall') await new Promise<never>(() => {});
    if (fault === 'tear') throw new Error('the connection was to break');
    if (fault === 'error') {
      yield event(refusalBody(500, USUAL_MESSAGES[500] ?? ''));
      yield bytesOf('data: [DONE]\n\n');
    }
    return;
  }
  yield chunk(choice({}, finish));
  if (includeUsage && usage !== undefined) yield chunk([], { usage });
  yield bytesOf('data: [DONE]\n\n');
}

const middleOf = (text: string) => (sent: number) => sent * 2 >= text.length;

const event = (data: unknown): Uint8Array => bytesOf(`data: ${JSON.stringify(data)}\n\n`);

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Between code points. */
function* cut(text: string): Generator<string> {
  const characters = [...text];
  for (let at = 0; at < characters.length; at += CHUNK_CHARACTERS) {
    yield characters.slice(at, at + CHUNK_CHARACTERS).join('');
  }
}

/** A prime, so that the writes end anywhere in characters and events. */
const SPLIT_BYTES = 7;

function* split(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += SPLIT_BYTES) yield bytes.subarray(at, at + SPLIT_BYTES);
}
