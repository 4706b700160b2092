import type { ChatScript } from '../../tools/stand-ins/openai/chat-answer.ts';
import { textOf } from '../../tools/stand-ins/openai/chat-request.ts';
import { quotingModel } from '../../tools/stand-ins/quoting-model.ts';
import { readPrompt } from '../../tools/stand-ins/read-prompt.ts';

/** An answer of 300 tokens, four characters each. */
const CHARACTERS = 1200;

/** A model that writes long answers, each statement a quote of the passages that it was given, at this speed. */
export function longQuotingModel(tokensPerSecond: number): ChatScript {
  return async (request) => {
    const format = request.response_format;
    if (format?.type !== 'json_schema' || format.json_schema.name !== 'answer_from_passages')
      return typeof quotingModel === 'function' ? quotingModel(request) : quotingModel;
    const { passages = [], question = '' } =
      readPrompt(textOf(request.messages.find(({ role }) => role === 'user')?.content)) ?? {};
    const sentences = passages.flatMap(({ passage, text }) =>
      (text.match(/^[A-Z][^|\n]{40,200}?[.!?](?=\s|$)/gm) ?? []).map((quote) => ({
        passage,
        quote,
      })),
    );
    const statements: {
      part: number;
      quotes: { passage: string; quote: string }[];
      text: string;
    }[] = [];
    for (const each of sentences)
      if (JSON.stringify(statements).length < CHARACTERS)
        statements.push({ part: 1, quotes: [each], text: each.quote });
    const parts = [{ asked: question, passages: [], answered: 'yes' }];
    return { json: { parts, statements, missing: '', related: [] }, tokensPerSecond };
  };
}
