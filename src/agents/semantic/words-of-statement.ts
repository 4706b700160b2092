import { wordsOf } from '../../knowledge/search/analyse-text.ts';
import { stem } from '../../knowledge/search/stem.ts';

/** Content words, without `not`, which `denies` tells. */
export const stemsOf = (text: string): Set<string> =>
  new Set(
    wordsOf(text)
      .filter((word) => word !== 'not')
      .map(stem),
  );

export const denies = (sentence: string): boolean =>
  /\b(?:not|no|never|none|neither|nor|without|cannot|nothing|nobody)\b|n['’]t\b/i.test(sentence);

export const numbersIn = (text: string): string[] => [
  ...(text.match(/\d+(?:[.,:]\d+)*/g) ?? []),
  ...(text.toLowerCase().match(NUMBER_WORDS) ?? []),
];

const NUMBER_WORDS =
  /\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|forty|fifty|sixty|hundred|thousand|million|half|twice|double)\b/g;

/** Addresses, and words with a capital inside or in the middle of the sentence; lower case. */
export const namesIn = (sentence: string): string[] => [
  ...addressesIn(sentence),
  ...(sentence.slice(1).match(NAME) ?? []).map((name) => name.toLowerCase()),
];

const NAME = /(?<=[\s("'“/-])\p{Lu}[\p{L}\p{N}]*|[\p{L}\p{N}]*\p{Ll}\p{Lu}[\p{L}\p{N}]*/gu;

/** All words and addresses as they stand, in lower case, to look names up in. */
export const plainWordsIn = (text: string): Set<string> =>
  new Set([...addressesIn(text), ...(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])]);

const addressesIn = (text: string): string[] =>
  (text.toLowerCase().match(/\b(?:https?:\/\/|www\.)[^\s)\]]+/g) ?? []).map((address) =>
    address.replace(/[.,;:!?]+$/, ''),
  );

/**
 * The parts of a sentence that each say something of their own with a number; those without one belong to the next that has
 * one, or else to the last.
 */
export const numberedClausesOf = (sentence: string): { stems: Set<string>; numbers: Set<string> }[] => {
  const clauses: string[] = [];
  let open = '';
  for (const part of sentence.split(CLAUSE_END)) {
    open = `${open} ${part}`;
    if (numbersIn(part).length === 0) continue;
    clauses.push(open);
    open = '';
  }
  const last = clauses.pop();
  return [...clauses, ...(last === undefined ? [] : [`${last} ${open}`])].map((clause) => ({
    stems: stemsOf(clause),
    numbers: new Set(numbersIn(clause)),
  }));
};

const CLAUSE_END = /[,;:]\s|\s[–—-]\s|[()]|\s(?:and|but|or|while|whereas)\s/i;
