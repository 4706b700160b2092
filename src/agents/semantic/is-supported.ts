import { splitSentences } from '../../knowledge/answers/split-sentences.ts';
import { wordsOf } from '../../knowledge/search/analyse-text.ts';
import { stem } from '../../knowledge/search/stem.ts';

/** Of a sentence's content words, those that its documents must hold. */
const SHARED_WORDS = 0.7;

/**
 * Whether every sentence of a summary stands on the documents: its numbers, addresses and names occur in them, most of its
 * words do, and it denies what the nearest sentence there denies, and only that. Words alone cannot show that a sentence
 * follows from a text; this refuses what visibly does not.
 */
export const isSupported = (summary: string, documents: readonly string[]): boolean => {
  const known = readDocuments(documents);
  const sentences = summary
    .replace(CITATION, '')
    .split(/\n+/)
    .flatMap((line) => splitSentences(line).map(({ start, end }) => line.slice(start, end)))
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
  return sentences.length > 0 && sentences.every((sentence) => stands(sentence, known));
};

interface Known {
  text: string;
  numbers: ReadonlySet<string>;
  stems: ReadonlySet<string>;
  sentences: readonly { stems: ReadonlySet<string>; denies: boolean }[];
}

const readDocuments = (documents: readonly string[]): Known => {
  const text = documents.join('\n\n');
  const sentences = documents.flatMap((document) =>
    splitSentences(document).map(({ start, end }) => document.slice(start, end)),
  );
  return {
    text: text.toLowerCase(),
    numbers: new Set(numbersIn(text)),
    stems: stemsOf(text),
    sentences: sentences.map((sentence) => ({ stems: stemsOf(sentence), denies: denies(sentence) })),
  };
};

const stands = (sentence: string, known: Known): boolean => {
  const stems = [...stemsOf(sentence)];
  if (stems.length === 0) return false;
  if (!numbersIn(sentence).every((number) => known.numbers.has(number))) return false;
  if (!namesIn(sentence).every((name) => known.text.includes(name.toLowerCase()))) return false;
  const shared = stems.filter((each) => known.stems.has(each)).length;
  return shared >= SHARED_WORDS * stems.length && denies(sentence) === nearestDenies(stems, known);
};

const nearestDenies = (stems: readonly string[], { sentences }: Known): boolean => {
  const scored = sentences.map(({ stems: theirs, denies: theyDeny }) => ({
    shared: stems.filter((each) => theirs.has(each)).length,
    theyDeny,
  }));
  const most = Math.max(0, ...scored.map(({ shared }) => shared));
  const nearest = scored.filter(({ shared }) => shared === most);
  return nearest.length > 0 && nearest.every(({ theyDeny }) => theyDeny);
};

const stemsOf = (text: string): Set<string> =>
  new Set(
    wordsOf(text)
      .filter((word) => word !== 'not')
      .map(stem),
  );

const denies = (sentence: string): boolean =>
  /\b(?:not|no|never|none|neither|nor|without|cannot|nothing|nobody)\b|n['’]t\b/i.test(sentence);

const numbersIn = (text: string): string[] => [
  ...(text.match(/\d+(?:[.,:]\d+)*/g) ?? []),
  ...(text.toLowerCase().match(NUMBER_WORDS) ?? []),
];

const NUMBER_WORDS =
  /\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|forty|fifty|sixty|hundred|thousand|million|half|twice|double)\b/g;

/** Addresses, and words with a capital inside or in the middle of the sentence. */
const namesIn = (sentence: string): string[] => [
  ...(sentence.match(/\b(?:https?:\/\/|www\.)[^\s)\]]+/gi) ?? []),
  ...(sentence.slice(1).match(/(?<=[\s("'“/-])\p{Lu}[\p{L}\p{N}]*|[\p{L}\p{N}]*\p{Ll}\p{Lu}[\p{L}\p{N}]*/gu) ?? []),
];

const CITATION = /\s*\[\d{1,2}(?:, ?\d{1,2})*\]/g;
