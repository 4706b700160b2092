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
  /** Words that both have and only one of them denies. */
  differing: Word[];
  addsDenial: boolean;
  dropsDenial: boolean;
  /** Words whose contrary stands in the sentence. */
  contrary: Word[];
}

export const comparePolarity = (
  words: readonly Word[],
  { words: theirs, forms }: SourceSentence,
  near: readonly SourceSentence[],
): Polarity => {
  const ours = deniedKeys(words);
  const said = deniedKeys(theirs);
  const shared = words.filter((word) => (word.role === 'content' || word.role === 'name') && forms.has(word.key));
  const differing = shared.filter(({ key }) => ours.has(key) !== said.has(key));
  return {
    differing,
    addsDenial: words.some(isDenying) && !theirs.some(isDenying),
    dropsDenial: !words.some(isDenying) && theirs.some(isDenying),
    contrary: contraries(words, theirs, [{ forms }, ...near]),
  };
};

const contraries = (
  words: readonly Word[],
  theirs: readonly Word[],
  places: readonly Pick<SourceSentence, 'forms'>[],
): Word[] => {
  const ours = new Set(words.flatMap(({ key }) => [key, ...meaningsOf(key)]));
  return words.filter(({ role, key }) => {
    if (role === 'number' || role === 'negation') return false;
    if (places.some(({ forms }) => forms.has(key) || meaningsOf(key).some((each) => forms.has(each)))) return false;
    return theirs.some(
      (each) =>
        !ours.has(each.key) && isContrary(key, each.key) && !meaningsOf(each.key).some((meaning) => ours.has(meaning)),
    );
  });
};
