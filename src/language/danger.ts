import { detectLanguage } from './detect-language.ts';
import { type KindReader, readKind, runsOf, sentencesOf } from './message-kind.ts';

/** UTF-16 units that are read. */
const MAX_LENGTH = 16_000;
/** Least score of a danger, which is missed at a higher cost than a question about heat gets a careful reply. */
const LEAST = 0.38;
/** Words of the part of a sentence that reports most of the danger. */
const RUN = 3;
/** Sentences whose probability is lower are not read in parts. */
const LEAST_WHOLE = 0.1;

/** Least probability of a single phrase. */
const LEAST_OF_PHRASE = 0.3;

/** What a text reports. */
export interface Danger {
  /** The sentence that reports it, as written, at most 100 characters. */
  words: string;
  /** Primary tag of BCP 47. */
  language: string;
}

/**
 * The first sentence of a text that reports danger to people or property: fire, smoke, an electric shock, burns, liquid in a device, gas,
 * a swollen battery, something too hot to touch. Undefined where a danger is denied or only imagined, as in "Can it catch fire?"
 *
 * @param text At most 16,000 UTF-16 units are read.
 */
export function dangerIn(text: string, read: KindReader = readKind): Danger | undefined {
  const sentence = sentencesOf(text.slice(0, MAX_LENGTH)).find((each) => dangerOf(each, read) >= LEAST);
  if (sentence === undefined) return undefined;
  return {
    words: sentence.slice(0, 100).toWellFormed(),
    language: detectLanguage(sentence) ?? detectLanguage(text) ?? 'en',
  };
}

/**
 * The text without the words that by themselves speak of danger. For a reader that knows words only by their frequency, and a text that reports
 * no danger: "I live in a smoke-free home" speaks of a home.
 *
 * @param text What follows the first 16,000 UTF-16 units is left out.
 */
export function withoutWordsOfDanger(text: string, read: KindReader = readKind): string {
  return text.slice(0, MAX_LENGTH).replace(/[\p{L}\p{M}]+/gu, (word) => (speaksOfDanger(word, read) ? '' : word));
}

/** Whether a word or a short phrase, such as one of an escalation rule, speaks of danger, reported or not. */
export function speaksOfDanger(phrase: string, read: KindReader = readKind): boolean {
  return read(phrase).danger >= LEAST_OF_PHRASE;
}

/** The geometric mean of the probability of a sentence and of its most dangerous words, which many others would hide. */
const dangerOf = (sentence: string, read: KindReader): number => {
  const whole = read(sentence).danger;
  if (whole < LEAST_WHOLE) return whole;
  return Math.sqrt(whole * Math.max(whole, ...runsOf(sentence, RUN).map((run) => read(run).danger)));
};
