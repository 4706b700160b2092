import { byLanguage, primaryOf } from '../ticket/languages.ts';
import type { TicketReading } from '../ticket/read-ticket.ts';
import WORDS from './signal-words.json' with { type: 'json' };

const DANGER = byLanguage(WORDS.danger);
const ANGER = byLanguage(WORDS.anger);
/** Makes a sentence a request for the things that it names. */
const REQUEST = byLanguage(WORDS.request);
/** Things that only a person may grant: `asked` requests one by itself, `named` needs a sentence with a request. */
const REQUESTED = WORDS.requested.map(({ what, asked, named }) => ({
  what,
  asked: byLanguage(asked),
  named: byLanguage(named),
}));

/** What an agent should notice in the words of a customer. */
interface Signals {
  /** The words that report danger to people or property. */
  danger: string | undefined;
  isAngry: boolean;
  /** What the customer requests and only a person may grant, in a word: `refund`. */
  requested: string | undefined;
}

/**
 * Reads a message in its own language: "brand" is no fire in English. English words of danger count in every language.
 *
 * @param text At most 16,000 UTF-16 units are read.
 * @param language BCP 47. When it is undefined or has no word lists, those of all languages count.
 */
export const signalsIn = (text: string, language?: string): Signals => {
  const read = text.slice(0, MAX_LENGTH);
  const languages = languagesOf(language);
  const dangers = [...new Set([...languages, 'en'])].map((each) => DANGER.get(each)?.exec(read)?.[0]);
  return {
    danger: dangers
      .find((each) => each !== undefined)
      ?.toLowerCase()
      .slice(0, 100),
    isAngry: languages.some((each) => ANGER.get(each)?.test(read)) || isShouting(read),
    requested: requestedIn(read, languages),
  };
};

const MAX_LENGTH = 16_000;

const languagesOf = (language: string | undefined): readonly string[] => {
  const own = language === undefined ? undefined : primaryOf(language);
  return own !== undefined && DANGER.has(own) ? [own] : [...DANGER.keys()];
};

/** Three exclamation marks, or a line with most words in capitals; lines of logs have only one or two such words. */
const isShouting = (text: string): boolean =>
  /!{3}/.test(text) ||
  text.split('\n', MAX_LINES).some((line) => {
    const words = line.match(/(?<![\p{L}\p{N}/])\p{L}{2,}(?![\p{L}\p{N}/])/gu) ?? [];
    const capitals = words.filter((each) => /^[A-Z]+$/.test(each));
    return capitals.filter((each) => each.length > 3).length >= 4 && capitals.length * 2 > words.length;
  });

const MAX_LINES = 500;

/** The first thing that a sentence requests; a sentence of two or three words requests whatever it names. */
const requestedIn = (text: string, languages: readonly string[]): string | undefined => {
  const sentences = text.split(/[.!?\n]+/).slice(0, MAX_SENTENCES);
  return REQUESTED.find(({ asked, named }) =>
    sentences.some((sentence) =>
      languages.some(
        (each) =>
          asked.get(each)?.test(sentence) ||
          (named.get(each)?.test(sentence) && (REQUEST.get(each)?.test(sentence) || isBrief(sentence))),
      ),
    ),
  )?.what;
};

const MAX_SENTENCES = 200;

const isBrief = (sentence: string): boolean => sentence.trim().split(/\s+/).length <= 3;

/** The customer's current words: subject, message, and the earlier messages that a follow-up needs. */
export const customerWords = ({
  subject = '',
  message,
  question,
}: Pick<TicketReading, 'subject' | 'message' | 'question'>): string =>
  [subject, message, ...(question === message ? [] : [question])].join('\n');
