import type { SourceSentence } from './prepare-source.ts';
import { isSought, type Word } from './read-words.ts';
import { isContrary, meaningsOf } from './word-relations.ts';

/** How far a denial reaches, in words. */
const REACH = 4;
/** Words that deny what stands behind them. */
const DENYING: ReadonlySet<string> = new Set(
  'fail refus reject declin deni lack prevent avoid stop cancel unabl instead rather except exclud omit absenc fals prohibit forbid ban'.split(
    ' ',
  ),
);

export const isDenying = ({ role, key }: Word): boolean => role === 'negation' || DENYING.has(key);

/** Keys of the words that are denied, in their order. */
const deniedKeys = (words: readonly Word[]): Set<string> => {
  const denied = new Set<string>();
  words.forEach((word, at) => {
    if (!isDenying(word)) return;
    let reached = 0;
    for (let place = at + 1; place < words.length && reached < REACH; place += 1) {
      const next = words[place] as Word;
      if (isDenying(next)) return;
      if (isSought(next)) reached += 1;
      denied.add(next.key);
    }
  });
  return denied;
};

export interface Polarity {
  /** The answer denies, the sentence does not. */
  addsDenial: boolean;
  /** Words that both have and only one of them denies; empty when they deny the same. */
  differing: Word[];
  /** Words whose contrary stands in the sentence, neither or both of them denied. */
  contrary: Word[];
}

export const comparePolarity = (
  words: readonly Word[],
  { words: theirs, forms }: SourceSentence,
  near: readonly SourceSentence[],
): Polarity => {
  const [ours, said] = [deniedKeys(words), deniedKeys(theirs)];
  const contraries = contrariesIn(words, theirs, [{ forms }, ...near]);
  const shared = words.filter((word) => (word.role === 'content' || word.role === 'name') && forms.has(word.key));
  const differing = shared.filter(({ key }) => ours.has(key) !== said.has(key));
  const isSameDenial = shared.some(({ key }) => ours.has(key) && said.has(key));
  // "not open" and "closed" are the same.
  const contrary = contraries
    .filter(([word, other]) => ours.has(word.key) === said.has(other.key))
    .map(([word]) => word);
  const isMadeUpFor = contrary.length < contraries.length;
  return {
    addsDenial: words.some(isDenying) && !theirs.some(isDenying) && !isMadeUpFor,
    differing: isSameDenial || isMadeUpFor ? [] : differing,
    contrary,
  };
};

/** Words of the answer, each with its contrary in the sentence. */
const contrariesIn = (
  words: readonly Word[],
  theirs: readonly Word[],
  places: readonly Pick<SourceSentence, 'forms'>[],
): [Word, Word][] => {
  const ours = new Set(words.flatMap(({ key }) => [key, ...meaningsOf(key)]));
  return words.flatMap((word, at): [Word, Word][] => {
    const { role, key, text } = word;
    if (role === 'number' || role === 'negation') return [];
    if (PARTICLES.has(text)) {
      const verb = words[at - 1]?.key ?? '';
      const other = PARTICLES.get(text) ?? '';
      if (behind(theirs, verb, text) || behind(words, verb, other)) return [];
      const found = behind(theirs, verb, other);
      return found ? [[word, found]] : [];
    }
    if (places.some(({ forms }) => forms.has(key) || meaningsOf(key).some((each) => forms.has(each)))) return [];
    const other = theirs.find(
      (each) =>
        !ours.has(each.key) && isContrary(key, each.key) && !meaningsOf(each.key).some((meaning) => ours.has(meaning)),
    );
    return other ? [[word, other]] : [];
  });
};

/** The word `text` right behind the word `key`. */
const behind = (words: readonly Word[], key: string, text: string): Word | undefined =>
  words.find((word, at) => word.text === text && words[at - 1]?.key === key);

/** Contraries where they belong to the same verb: turn on, turn off. */
const PARTICLES: ReadonlyMap<string, string> = new Map(
  [
    ['on', 'off'],
    ['up', 'down'],
    ['in', 'out'],
  ].flatMap(([one = '', other = '']): [string, string][] => [
    [one, other],
    [other, one],
  ]),
);
