import { problemText } from '../../knowledge/retrieval/problem-text.ts';
import { wordsOf } from '../../text/analyse-text.ts';
import { anyLanguage } from './languages.ts';
import WORDS from './message-kind.json' with { type: 'json' };

/**
 * How a message relates to the earlier ones: `new` is complete by itself, `follow-up` needs the earlier messages to be understood,
 * `closing` thanks or reports that the problem is solved, and asks nothing.
 */
type MessageKind = 'new' | 'follow-up' | 'closing';

/** A message with fewer content words is no complete question. */
const FEW_WORDS = 5;

/**
 * Classifies a message by its relation to the earlier ones.
 *
 * @param options.before Earlier messages of the customer, oldest first.
 * @param options.lastOfAgent The message directly before, when an agent wrote it.
 */
export const messageKind = (
  message: string,
  { before, lastOfAgent }: { before: readonly string[]; lastOfAgent?: string | undefined },
): MessageKind => {
  const { text } = problemText(message);
  if (isClosing(text, before.length === 0)) return 'closing';
  if (before.length === 0) return 'new';
  return needsHistory(text) || isReply(text, lastOfAgent) ? 'follow-up' : 'new';
};

/** "Still the same", "did not help": the earlier messages say what it is about. */
export const needsHistory = (text: string): boolean => {
  const words = new Set(wordsOf(text)).size;
  return words < FEW_WORDS || (words < 3 * FEW_WORDS && (UNCHANGED.test(text) || REFERS_TO_ADVICE.test(text)));
};

/** A short reply to an agent's question; a message that asks back is complete by itself. */
const isReply = (text: string, lastOfAgent = ''): boolean =>
  new Set(wordsOf(text)).size < 3 * FEW_WORDS &&
  !text.includes('?') &&
  /[?？]["”»)*_]{0,4}(?:\s|$)/.test(problemText(lastOfAgent).text);

/** The first message of a ticket closes only when it says hardly anything else. */
const isClosing = (text: string, isFirst: boolean): boolean => {
  const read = text.slice(0, MAX_CLOSING_LENGTH).toLowerCase().replace(/[’‘]/g, "'");
  if (text.length > MAX_CLOSING_LENGTH || /[?？\d]/.test(read) || OPEN.test(read)) return false;
  if (UNCHANGED.test(read.replace(WORKS_AGAIN, ' '))) return false;
  const isSolved = SOLVED.test(read);
  const others = (read.replace(SOLVED, ' ').match(/[\p{L}\p{M}']+/gu) ?? []).filter((word) => !POLITE.has(word));
  return isSolved ? others.length <= (isFirst ? 2 : MAX_OTHER_WORDS) : THANKS.test(read) && others.length === 0;
};

/** UTF-16 units; a longer message has more to say. */
const MAX_CLOSING_LENGTH = 300;
/** Words beside the news that the problem is solved, such as what solved it. */
const MAX_OTHER_WORDS = 10;

const UNCHANGED = anyLanguage(WORDS.unchanged);
const REFERS_TO_ADVICE = anyLanguage(WORDS.refersToAdvice);
/** Leaves open whether the problem is solved, asks for something, or reports a new problem. */
const OPEN = anyLanguage(WORDS.open);
/** "It works again" does not mean that the problem is back. */
const WORKS_AGAIN = new RegExp(anyLanguage(WORDS.worksAgain).source, 'giu');
const SOLVED = anyLanguage(WORDS.solved);
const THANKS = anyLanguage(WORDS.thanks);
/** A message that only thanks consists of these words. */
const POLITE: ReadonlySet<string> = new Set(
  Object.values(WORDS.polite)
    .flat()
    .flatMap((line) => line.split(' ')),
);
