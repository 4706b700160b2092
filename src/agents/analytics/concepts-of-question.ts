import type { ComposedParts } from './composed-parts.ts';
import type { FoundName } from './find-names.ts';
import { isNearWord } from './is-near-word.ts';
import type { Period } from './read-period.ts';
import type { QuestionPart } from './read-question.ts';

/** A question as concepts and values, in order. */
export type Concept =
  | { kind: 'concept'; concept: string; word: string }
  | { kind: 'name'; names: FoundName['names'] }
  | { kind: 'period'; period: Period }
  | { kind: 'number'; value: number };

export type ConceptIndex = (parts: readonly QuestionPart[]) => Concept[] | undefined;

const MAX_PHRASE = 5;
/** Shorter words are too often near to others. */
const MIN_NEAR = 6;

/** What words mean everywhere; a catalogue says what they mean in its trade. */
const GENERAL: Readonly<Record<string, string>> = {
  '#count': 'how many, number of, numbers of, count, count of, amount of',
  '#much': 'how much, how big',
  '#total': 'total, sum, sum of, altogether, in total, in all, overall, combined, all together',
  '#average': 'average, mean, on average, in the mean, avg',
  '#top': 'most, highest, top, best, biggest, largest, greatest, maximum, max, strongest',
  '#bottom': 'least, lowest, fewest, smallest, worst, minimum, min, bottom, weakest',
  '#share': 'share of, share, percentage, percentage of, percent of, proportion of, fraction of',
  '#compare': 'compare, compared with, compared to, in comparison with, versus, vs, against, comparison of',
  '#per': 'per, each, every, by, broken down by, grouped by, split by, for each, in each, in every, for every',
  '#which': 'which, what, list, show, show me, give, give me',
  once: 'once, one time',
  twice: 'twice',
  times: 'times',
  // They keep `what` and `did customers` apart.
  '#verb': 'do, did, does, is, are, was, were, have, has, had',
  '#and': 'and, or',
  '#more': 'more than, more often than, over, above, greater than, higher than, exceeding, exceed, exceeds, exceeded',
  '#least': 'at least',
  '#less': 'less than, fewer than, under, below, lower than',
  '#most': 'at most, no more than',
  '#exactly': 'exactly',
  '': 'at least one, a, an, the, of, in, on, at, for, from, to, with, our, we, us, i, me, my, you, be, been, there, that, these, those, it, its, they, them, their, please, can you, could you, tell, need to know, want to know, would like to know, want to see, would like to see, so far, until now, still, currently, now, right now, at the moment, hi, hello, hey, s, all, any, ever, please sort by number, sort by number, sorted by number, check, let',
};

/** Reads words as concepts, the longest phrase first. A question with a word that means none has none. */
export const indexConcepts = ({ words }: Pick<ComposedParts, 'words'>): ConceptIndex => {
  const phrases = new Map(
    [...Object.entries(GENERAL), ...Object.entries(words)].flatMap(([concepts, list]) =>
      list
        .split(',')
        .map((phrase) => [phrase.trim(), concepts.split(' ').filter((concept) => concept !== '')] as const),
    ),
  );
  const known = [...phrases.keys()].filter((phrase) => phrase.length >= MIN_NEAR && !phrase.includes(' '));
  const isPart = new Set([...phrases.keys()].flatMap((phrase) => phrase.split(' ')));
  const spelt = (word: string): string =>
    isPart.has(word) || word.length < MIN_NEAR ? word : (known.find((each) => isNearWord(word, each)) ?? word);
  return (parts) => {
    const texts = parts.map((part) => (part.kind === 'word' ? spelt(part.word.text) : undefined));
    const found: Concept[] = [];
    for (let at = 0; at < parts.length; ) {
      const part = parts[at];
      if (part !== undefined && part.kind !== 'word') {
        found.push(part);
        at++;
        continue;
      }
      const read = longestPhrase(texts, at, phrases);
      if (read === undefined) return undefined;
      for (const concept of read.concepts)
        found.push({ kind: 'concept', concept, word: texts[at + read.length - 1] ?? '' });
      at += read.length;
    }
    return found;
  };
};

const longestPhrase = (
  texts: readonly (string | undefined)[],
  at: number,
  phrases: ReadonlyMap<string, readonly string[]>,
) => {
  for (let length = MAX_PHRASE; length > 0; length--) {
    const run = texts.slice(at, at + length);
    if (run.length < length || run.includes(undefined)) continue;
    const concepts = phrases.get(run.join(' '));
    if (concepts !== undefined) return { concepts, length };
  }
  return undefined;
};
