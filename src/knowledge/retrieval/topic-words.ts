import type { QueryTerm } from '../../search/analyse-query.ts';
import { inverseFrequency } from '../../search/ranking.ts';
import { STOP_WORDS, wordsOf } from '../../text/analyse-text.ts';
import { stem } from '../../text/stem.ts';
import COMMON_WORDS from './common-words.json' with { type: 'json' };

/** The topic of a question, in the customer's own words. */
export interface Topic {
  /** As typed, adjacent words joined, in order; at most 5. */
  phrases: string[];
  /** Stems with their weight in the edition. */
  stems: (readonly [stem: string, weight: number])[];
}

export interface TopicOptions {
  terms: readonly QueryTerm[];
  /** Chunks of the edition. */
  chunkCount: number;
  /** Whether a term belongs to the topic. */
  isAsked: (term: QueryTerm) => boolean;
  /** Names of products and people, which are not part of the topic. */
  names: readonly string[];
}

const MAX_PHRASES = 5;
const MAX_PHRASE = 60;
const MAX_STEMS = 12;
/** A word is part of a topic when its idf is at least this share of the highest possible one. */
const TELLING = 0.3;

/** The informative words of a question that it asks for, as typed. */
export const topicOf = (text: string, { terms, chunkCount, isAsked, names }: TopicOptions): Topic => {
  const most = inverseFrequency(0, chunkCount);
  const left = new Set(names.flatMap((name) => wordsOf(name)));
  const codes = new Set(
    [...text.matchAll(CODE)].flatMap(([, code = '', hexadecimal = '']) => wordsOf(`${code} ${hexadecimal}`)),
  );
  const telling = terms.filter(
    (term) =>
      isAsked(term) &&
      term.origin === 'question' &&
      term.idf >= TELLING * most &&
      !left.has(term.word) &&
      (isWord(term.word) || codes.has(term.word)),
  );
  const stems = new Map(telling.map((term) => [term.stem, Math.round((100 * term.idf) / most) / 100] as const));
  return {
    phrases: phrasesIn(text, {
      isAsked: (word) => stems.has(stem(word)) && !left.has(word),
      isCode: (word) => codes.has(word.toLowerCase()),
    }).slice(0, MAX_PHRASES),
    stems: [...stems].sort((a, b) => b[1] - a[1]).slice(0, MAX_STEMS),
  };
};

/** A number that names a fault, not an order or a person: `error 0x8004def7`, `SIP response code 410`. */
const CODE =
  /(?<![\p{L}\p{N}])(?:(?:error|code|status|event|response|exception)[ :#]{1,3}(\p{L}{0,4}\d{1,5})(?![\p{L}\p{N}]))|(?<![\p{L}\p{N}])(0x[0-9a-f]{4,8})(?![\p{L}\p{N}])/giu;

/** Merges several topics; duplicates count once. */
export const joinTopics = (topics: readonly Topic[]): Topic => {
  const phrases = new Map(
    topics.flatMap((topic) => topic.phrases.map((phrase) => [phrase.toLowerCase(), phrase] as const)),
  );
  const stems = new Map(topics.flatMap((topic) => topic.stems));
  return {
    phrases: [...phrases.values()].slice(0, MAX_PHRASES),
    stems: [...stems].sort((left, right) => right[1] - left[1]).slice(0, MAX_STEMS),
  };
};

/** Excludes numbers, order codes, units, and words of ordinary requests. */
const isWord = (word: string): boolean =>
  /\p{L}{2}/u.test(word) && word.length <= 30 && !/\d{4}/.test(word) && !COMMON.has(word) && !UNIT.test(word);

/** A unit alone or with its number: `TH/s` is read as `th` and, joined, `ths`. */
const UNIT =
  /^\d{0,4}(?:[kmgtpe]?(?:hs|hz|bit|bits|byte|bytes|bps|wh|vh|va|ohm)|[kmgtpe][hbw]|gib|mib|kib|kwh|mwh|mah|db|dba|rpm|psi|cm|mm|km|kg|lb|lbs|oz|ft|min|mins|sec|secs|hrs?|ms|watts?|volts?|amps?|celsius|fahrenheit|degrees?|percent|inch|inches|eur|usd|euros?|dollars?)$/;

/** Whether a word occurs in requests on any topic. */
export const isCommonWord = (word: string): boolean => COMMON.has(word) || STOP_WORDS.has(word);

const COMMON: ReadonlySet<string> = new Set(COMMON_WORDS);

/** Runs of topic words, without duplicates. */
const phrasesIn = (
  text: string,
  { isAsked, isCode }: { isAsked: (word: string) => boolean; isCode: (word: string) => boolean },
): string[] => {
  const phrases: string[] = [];
  let end = -1;
  for (const { 0: written, index } of text.matchAll(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’/-]{0,40}/gu)) {
    if ((/\d{4}/.test(written) && !isCode(written)) || !wordsOf(written).some(isAsked)) continue;
    const before = phrases.at(-1);
    const isNext =
      before !== undefined && /^ ?$/.test(text.slice(end, index)) && before.length + written.length < MAX_PHRASE;
    if (isNext) phrases[phrases.length - 1] = `${before} ${written}`;
    else phrases.push(written);
    end = index + written.length;
  }
  const seen = new Set<string>();
  return phrases.filter((phrase) => {
    const isNew = !seen.has(phrase.toLowerCase());
    seen.add(phrase.toLowerCase());
    return isNew;
  });
};
