import { splitSentences } from '../../text/split-sentences.ts';
import { messageWords } from './message-words.ts';

/** Of a message so much is looked at, in UTF-16 units. */
const MAX_READ = 4000;
/** What it is about stands in its first sentences. */
const MAX_SENTENCES = 8;
const MAX_SENTENCE = 300;
/** Up to here a message is one request, and read best as one. */
const FEW_WORDS = 25;

/** The words by which a message is classified. */
export interface MessageParts {
  /** Of its first sentences. */
  whole: string[];
  /** Of each of them, where there are so many that a request may be lost among a greeting and a story; else none. */
  sentences: string[][];
}

/** The words of a message that tell its intent; of a long one the first sentences. Quoted mail is left out. */
export const messageParts = (message: string): MessageParts => {
  const text = withoutQuotes(message.slice(0, MAX_READ));
  const sentences = splitSentences(text)
    .slice(0, MAX_SENTENCES)
    .map(({ start, end }) => messageWords(text.slice(start, Math.min(end, start + MAX_SENTENCE))))
    .filter((words) => words.length > 0);
  const whole = sentences.flat();
  return { whole, sentences: whole.length > FEW_WORDS && sentences.length > 1 ? sentences : [] };
};

const withoutQuotes = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !/^\s{0,3}>/.test(line))
    .join('\n');
