import type { ChatScript } from '../stand-ins/openai/chat-answer.ts';
import { textOf } from '../stand-ins/openai/chat-request.ts';
import { quotingModel } from '../stand-ins/quoting-model.ts';

/** An answer of 300 tokens, four characters each. */
const CHARACTERS = 1200;

/** A model that writes long answers, each statement a quote of the passages that it was given, at this speed. */
export const longQuotingModel =
  (tokensPerSecond: number): ChatScript =>
  async (request) => {
    const format = request.response_format;
    if (format?.type !== 'json_schema' || format.json_schema.name !== 'answer_from_passages')
      return typeof quotingModel === 'function' ? quotingModel(request) : quotingModel;
    const { passages = [] } = JSON.parse(textOf(request.messages.find(({ role }) => role === 'user')?.content)) as {
      passages?: { passage: string; text: string }[];
    }; // as the product writes it
    const sentences = passages.flatMap(({ passage, text }) =>
      (text.match(/^[A-Z][^|\n]{40,200}?[.!?](?=\s|$)/gm) ?? []).map((quote) => ({ passage, quote })),
    );
    const statements: { quotes: { passage: string; quote: string }[]; text: string }[] = [];
    for (const each of sentences)
      if (JSON.stringify(statements).length < CHARACTERS) statements.push({ quotes: [each], text: each.quote });
    return { json: { statements, verdict: 'answer', confidence: 'high' }, tokensPerSecond };
  };
