import { type Denial, denialsOf, deniesAsVerb, isShared, loneDenials } from './denials.ts';
import type { SourceSentence } from './prepare-source.ts';
import type { Word } from './read-words.ts';
import { isContrary, meaningsOf } from './word-relations.ts';

export const isDenying = (word: Word): boolean => word.role === 'negation' || deniesAsVerb(word);

export interface Polarity {
  /** The answer denies, the sentence and what stands above it do not. */
  addsDenial: boolean;
  /** Words that both have and only one of them denies, for every denial that the other lacks. */
  differing: Word[];
  /** Words whose contrary stands in the sentence, neither or both of them denied. */
  contrary: Word[];
}

export const comparePolarity = (
  words: readonly Word[],
  sentence: SourceSentence,
  near: readonly SourceSentence[],
): Polarity => {
  const { words: theirs, forms } = sentence;
  const contraries = contrariesIn(words, theirs, [{ forms }, ...near]);
  const [own, said] = [denialsOf(words), denialsOf(theirs)];
  // What a heading denies, a statement below it may deny; it need not.
  const around = near.flatMap((each) => denialsOf(each.words, { asVerbs: true }));
  const dropped = loneDenials(said, words);
  const added = loneDenials(own, theirs, around);
  const [ours, denied] = [deniedKeys(own), deniedKeys(said)];
  // "not open" and "closed" are the same.
  const contrary = contraries
    .filter(([word, other]) => ours.has(word.key) === denied.has(other.key))
    .map(([word]) => word);
  const isMadeUpFor = contrary.length < contraries.length;
  return {
    addsDenial:
      denialsOf(words, { asVerbs: true }).some((denial) => !isShared(denial, around)) &&
      !theirs.some(isDenying) &&
      !isMadeUpFor,
    differing: [...dropped, ...added].flatMap(({ words: about }) => about),
    contrary,
  };
};

const deniedKeys = (denials: readonly Denial[]): Set<string> =>
  new Set(denials.flatMap(({ scope }) => scope.map(({ key }) => key)));

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
