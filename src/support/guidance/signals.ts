import { primaryOf } from '../ticket/languages.ts';
import type { TicketReading } from '../ticket/read-ticket.ts';
import WORDS from './signal-words.json' with { type: 'json' };

/** The languages that drafts have phrases of. */
type SignalLanguage = keyof (typeof WORDS)['danger'];
/** Wishes are read in some of them. */
type ByLanguage = Readonly<Partial<Record<SignalLanguage, RegExp>>>;

/** Each language's alternatives as one expression over whole words. */
const expressionsOf = (words: Readonly<Partial<Record<SignalLanguage, string>>>): ByLanguage =>
  Object.fromEntries(
    Object.entries(words).map(([language, alternatives]) => [
      language,
      new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives})(?![\\p{L}\\p{N}])`, 'iu'),
    ]),
  );

/** Words of danger to people or property, and of anger. */
const DANGER = expressionsOf(WORDS.danger);
const ANGER = expressionsOf(WORDS.anger);
/** A sentence with one of these wishes for what it names. */
const WISH = expressionsOf(WORDS.wish);
/** What a draft might be wanted to promise: what asks for it by itself, and what names it in a sentence that wishes. */
const WANTED = WORDS.wanted.map(({ what, asked, named }) => ({
  what,
  asked: expressionsOf(asked),
  named: expressionsOf(named),
}));

/** What the words of a customer tell an agent to look out for. */
export interface Signals {
  /** The word that speaks of danger to people or property. */
  danger: string | undefined;
  isAngry: boolean;
  /** What the customer wants promised, in a word: `refund`. */
  wanted: string | undefined;
}

/**
 * Reads a message in its own language: "brand" is no fire in English. Words of danger in English count in every language.
 *
 * @param text At most 16,000 UTF-16 units are read.
 * @param language BCP 47. Undefined, or one without words here: those of all languages count.
 */
export const signalsIn = (text: string, language?: string): Signals => {
  const read = text.slice(0, MAX_READ);
  const own = languagesOf(language);
  const danger = [...new Set<SignalLanguage>([...own, 'en'])].map((each) => DANGER[each]?.exec(read)?.[0]);
  return {
    danger: danger
      .find((each) => each !== undefined)
      ?.toLowerCase()
      .slice(0, 100),
    isAngry: own.some((each) => ANGER[each]?.test(read)) || isLoud(read),
    wanted: wantedIn(read, own),
  };
};

const MAX_READ = 16_000;

const ALL = Object.keys(WORDS.danger) as SignalLanguage[]; // The keys of a record that has no others.

const languagesOf = (language: string | undefined): readonly SignalLanguage[] => {
  const own = language === undefined ? undefined : ALL.find((each) => each === primaryOf(language));
  return own === undefined ? ALL : [own];
};

/** Three exclamation marks, or a line most of whose words are in capitals: lines of logs begin with one or two. */
const isLoud = (text: string): boolean =>
  /!{3}/.test(text) ||
  text.split('\n', MAX_LINES).some((line) => {
    const words = line.match(/(?<![\p{L}\p{N}/])\p{L}{2,}(?![\p{L}\p{N}/])/gu) ?? [];
    const loud = words.filter((each) => each.length > 3 && /^[A-Z]+$/.test(each)).length;
    return loud >= 4 && words.filter((each) => /^[A-Z]+$/.test(each)).length * 2 > words.length;
  });

const MAX_LINES = 500;

/** What is named in a sentence that wishes for something; two or three words wish for what they name. */
const wantedIn = (text: string, languages: readonly SignalLanguage[]): string | undefined => {
  const sentences = text.split(/[.!?\n]+/).slice(0, MAX_SENTENCES);
  for (const { what, asked, named } of WANTED) {
    const isWanted = sentences.some((sentence) =>
      languages.some(
        (each) =>
          asked[each]?.test(sentence) === true ||
          (named[each]?.test(sentence) === true && (WISH[each]?.test(sentence) === true || isBrief(sentence))),
      ),
    );
    if (isWanted) return what;
  }
  return undefined;
};

const MAX_SENTENCES = 200;

const isBrief = (sentence: string): boolean => sentence.trim().split(/\s+/).length <= 3;

/** What a customer says now: subject and message, and what the message is understood by. */
export const saidIn = ({
  subject = '',
  message,
  question,
}: Pick<TicketReading, 'subject' | 'message' | 'question'>): string =>
  [subject, message, ...(question === message ? [] : [question])].join('\n');
