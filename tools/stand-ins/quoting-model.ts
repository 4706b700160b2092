import { STOP_WORDS, wordsOf } from '../../src/language/analyse-text.ts';
import { stem } from '../../src/language/stem.ts';
import type { ChatScript, ScriptedAnswer } from './openai/chat-answer.ts';
import { type ChatRequest, schemaOf, textOf } from './openai/chat-request.ts';
import { type ReadPrompt, readPrompt, withoutQuoteMarks } from './read-prompt.ts';

/**
 * A model that keeps to its instructions: it answers with sentences of what it was given, names where they stand, and says so
 * when nothing there is about the question. What only a model could decide it leaves to the rules of whoever asks.
 */
export const quotingModel: ChatScript = (request): ScriptedAnswer => {
  const said = messageOf(request);
  const asked = schemaOf(request);
  if (asked === undefined) return { text: '' };
  return { json: REPLIES[asked.name]?.(said) ?? {} };
};

/** What stands between the tags of the user's message, or the object that it is or ends with, or its text where it is neither. */
const messageOf = ({ messages }: ChatRequest): Said => {
  const text = textOf(messages.find(({ role }) => role === 'user')?.content);
  const read = readPrompt(text);
  if (read !== undefined) return { ...read, text };
  try {
    // As the product writes it; what is not there is looked for in vain.
    return { text, ...(JSON.parse(text.slice(text.lastIndexOf('\n\n{') + 1)) as Partial<Said>) };
  } catch {
    return { text };
  }
};

interface Said extends Partial<ReadPrompt> {
  text: string;
}

const REPLIES: Record<string, (said: Said) => unknown> = {
  answer_from_passages: ({ question = '', passages = [] }) => {
    const places = passages.map(({ passage, text, title, section }) => ({
      id: passage,
      text,
      heading: `${title} ${section}`,
    }));
    const found = closest(question, places);
    const statements = found.map(({ id, text }) => ({
      part: 1,
      quotes: [{ passage: id, quote: text }],
      text,
    }));
    const answered = statements.length > 0 ? 'yes' : 'no';
    return {
      parts: [{ asked: question, passages: [...new Set(found.map(({ id }) => id))], answered }],
      statements,
      missing: '',
      related: [],
    };
  },
  // It finds what a section says in the same words.
  judged_statements: ({ statements = [], sections = [] }) => {
    const documentation = sections.map(({ text }) => withoutQuoteMarks(text)).join('\n');
    return {
      judgements: statements.map(({ id, statement }) => {
        const isStated = documentation.includes(statement);
        return { id, finds: '', verdict: isStated ? 'stated' : 'not_stated', keep: '' };
      }),
    };
  },
  // It looks for the question as it is.
  search_queries: ({ question = '' }) => ({
    alone: '',
    parts: [{ asked: question, queries: [question] }],
  }),
  standalone_question: ({ question }) => ({ question }),
  statement: () => ({ sql: '', text: '', each: '' }),
  // Objects of the right form that decide nothing.
  routes: () => ({ librarians: [] }),
  sub_queries: () => ({ sub_queries: [] }),
  intent: () => ({ intent: '' }),
  probe: () => ({ word: 'ready' }),
};

interface Place {
  id: string;
  text: string;
  heading: string;
}

/** Below this share of the question's words a sentence with its heading is about something else. */
const LEAST = 0.3;
const MOST_SENTENCES = 2;

/** Sentences that have most words of the question, in their own words or their heading's; of the first places before others. */
const closest = (question: string, places: readonly Place[]): { id: string; text: string }[] => {
  const asked = stemsOf(question);
  const sentences = places.flatMap(({ id, text, heading }, rank) => {
    const above = stemsOf(heading);
    return sentencesOf(text).map((sentence) => {
      const own = stemsOf(sentence);
      const words = [...asked].filter((word) => own.has(word)).length;
      const all = [...asked].filter((word) => own.has(word) || above.has(word)).length;
      return { id, text: sentence, share: all / asked.size, score: words + all - rank * 0.3 };
    });
  });
  return sentences
    .filter(({ share }) => share >= LEAST)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, MOST_SENTENCES);
};

const sentencesOf = (text: string): string[] =>
  text
    .split(/\n/)
    .map((line) => line.replace(/^\s*(?:[-*]|\d+\.)\s+/, ''))
    .filter((line) => /^[\p{L}`*][^|]*[.!?]$/u.test(line))
    .flatMap((line) => line.split(/(?<=[.!?])\s+(?=\p{Lu})/u));

const stemsOf = (text: string): Set<string> =>
  new Set(
    wordsOf(text)
      .filter((word) => !STOP_WORDS.has(word))
      .map(stem),
  );
