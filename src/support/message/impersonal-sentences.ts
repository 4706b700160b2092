import { readKind } from '../../language/message-kind.ts';
import { smallTalkKind } from '../../language/small-talk.ts';
import { stem } from '../../language/stem.ts';
import { wordsIn } from '../../language/word-classes.ts';
import { isCourtesy } from './auto-send.ts';

interface Addressed {
  customerName: string | undefined;
  /** BCP 47. */
  language: string;
  /** What the reply is about: the customer's message, and what articles say on it. Absent: closing words stay. */
  about?: string | undefined;
}

/** Stands for a name of the customer, as `withoutName` writes it. */
const NAME_MARK = '[name]';
/** Words of a line of a signature, and of a salutation before a comma. */
const MAX_NAME_WORDS = 6;
const MIN_NAME_LENGTH = 3;
/** Least probability that the first and the last sentences only thank, greet or acknowledge. */
const LEAST_FRAME = 0.5;

/**
 * What a reply to one customer says to everybody: its sentences without salutation, thanks, closing words, farewell and signature. What remains
 * of the customer's name is `[name]`.
 *
 * @param sentences Of the reply, in order; a signature is a sentence a line.
 */
export function impersonalSentences(
  sentences: readonly string[],
  { customerName = '', language, about = '' }: Addressed,
): string[] {
  const names = new Set(
    (customerName.match(WORD) ?? []).filter(({ length }) => length >= MIN_NAME_LENGTH),
  );
  const isPolite = (sentence: string): boolean => isCourtesy(sentence, language);
  const isFrame = (sentence: string): boolean => {
    const { thanks, greeting, goodbye, automatic } = readKind(sentence);
    return thanks + greeting + goodbye + automatic >= LEAST_FRAME;
  };
  const content = withoutSignature(sentences, isPolite)
    .map((sentence) => withoutSalutation(sentence, { names, isPolite }))
    .filter((sentence) => !isPolite(sentence));
  const first = content.findIndex((sentence) => !isFrame(sentence));
  const last = content.findLastIndex((sentence) => !isFrame(sentence));
  return withoutClosing(content.slice(Math.max(0, first), last + 1), { about, language }).map(
    (sentence) => sentence.replaceAll(WORD, (word) => (names.has(word) ? NAME_MARK : word)),
  );
}

const WORD = /[\p{L}\p{M}'’]+/gu;

/**
 * Drops the last sentences that ask the reader, or that share no word with what the reply is about ("Let me know if that helps!"). A figure, a
 * code and a line that ends without a mark are about something; the first sentence stays.
 */
const withoutClosing = (
  sentences: readonly string[],
  { about, language }: { about: string; language: string },
): readonly string[] => {
  if (about === '') return sentences;
  const stemsOf = (text: string): string[] =>
    wordsIn(text, language).flatMap(({ word, isContent }) => (isContent ? [stem(word)] : []));
  const topic = stemsOf(about);
  const stems = sentences.map(stemsOf);
  const last = sentences.findLastIndex((sentence, at) => {
    const known = new Set([...topic, ...stems.slice(0, at).flat()]);
    const isAbout =
      /[\p{N}`]/u.test(sentence) || stems[at]?.some((each) => known.has(each)) === true;
    return at === 0 || (isAbout && !/[?？]\s*$/u.test(sentence));
  });
  return sentences.slice(0, last + 1);
};

/** Drops a farewell with the few words a line that follow it to the end. */
const withoutSignature = (
  sentences: readonly string[],
  isPolite: (sentence: string) => boolean,
): readonly string[] => {
  const body = sentences.findLastIndex((sentence) => !isSigning(sentence)) + 1;
  const farewell = sentences.findIndex((sentence, at) => at >= body && isPolite(sentence));
  return farewell <= 0 ? sentences : sentences.slice(0, farewell);
};

const isSigning = (line: string): boolean =>
  line.trim().split(/\s+/).length <= MAX_NAME_WORDS && !/[.!?。？！]$/u.test(line.trim());

/** "Hi Carla, please hold the button." -> "Please hold the button." A clause that addresses no one stays. */
const withoutSalutation = (
  sentence: string,
  { names, isPolite }: { names: ReadonlySet<string>; isPolite: (text: string) => boolean },
): string => {
  const [clause = ''] = /^[^.!?,:;\n]{1,60}[!,:،，][ \t]+/u.exec(sentence) ?? [];
  const words = clause.match(WORD) ?? [];
  if (words.length === 0 || words.length > MAX_NAME_WORDS) return sentence;
  const others = words.filter((word) => !names.has(word));
  const isAddress =
    others.length === 0 || isPolite(clause) || smallTalkKind(`${others.join(' ')},`) === 'greeting';
  if (!isAddress) return sentence;
  const rest = sentence.slice(clause.length);
  return rest.charAt(0).toUpperCase() + rest.slice(1);
};
