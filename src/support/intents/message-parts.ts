import { splitSentences } from '../../knowledge/answers/split-sentences.ts';

/** Of a message so much is looked at, in UTF-16 units. */
const MAX_READ = 4000;
/** What it is about stands in its first sentences. */
const MAX_SENTENCES = 8;
const MAX_SENTENCE = 300;

/**
 * The texts by which a message is classified: its first sentences together, and each of them alone, since a request between a
 * greeting and a story is found best by itself. A subject stands before the message, on a line of its own. Quoted mail is left
 * out.
 */
export const messageParts = (message: string): string[] => {
  const text = withoutQuotes(message.slice(0, MAX_READ));
  const sentences = splitSentences(text)
    .slice(0, MAX_SENTENCES)
    .map(({ start, end }) => text.slice(start, Math.min(end, start + MAX_SENTENCE)));
  return sentences.length <= 1 ? sentences : [sentences.join('\n'), ...sentences];
};

const withoutQuotes = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !/^\s{0,3}>/.test(line))
    .join('\n');
