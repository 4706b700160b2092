import type { SourceSentence } from './prepare-source.ts';
import { isSought, type Word } from './read-words.ts';

/** Two names on either side of the same word stand on the other side of it there, with neither sentence or both in the passive. */
export const swapsNames = (words: readonly Word[], { words: theirs }: SourceSentence): boolean => {
  if (hasBy(words) !== hasBy(theirs)) return false;
  return words.some(({ key, role }, at) => {
    if (role !== 'content') return false;
    const there = theirs.findIndex((each) => each.key === key && each.role === 'content');
    if (there < 0) return false;
    const [before, after] = [nameBeside(words, at, -1), nameBeside(words, at, 1)];
    const [left, right] = [nameBeside(theirs, there, -1), nameBeside(theirs, there, 1)];
    return before !== undefined && after !== undefined && before !== after && before === right && after === left;
  });
};

const nameBeside = (words: readonly Word[], at: number, step: -1 | 1): string | undefined => {
  for (let place = at + step; Math.abs(place - at) <= 4; place += step) {
    const word = words[place];
    if (word && isNamed(word)) return word.key;
  }
  return undefined;
};

/** The first word has a capital anyway; it is a name where it is one in both. */
const isNamed = ({ role, isCapital }: Word): boolean => role === 'name' || (role === 'content' && isCapital);

const hasBy = (words: readonly Word[]): boolean => words.some(({ text }) => text === 'by');

/**
 * What stands on either side of a `than`, `from` or `before` stands on the other one in the source; or a `then`, `before` or
 * `after` tells the steps of the source in another order.
 */
export const swapsSides = (
  words: readonly Word[],
  sentence: SourceSentence,
  next: SourceSentence | undefined,
): boolean =>
  words.some(({ text }, at) => {
    if (!PIVOTS.has(text)) return false;
    const ours = sidesOf(words, at);
    const there = sentence.words.findIndex((each) => each.text === text);
    if (there >= 0) return isCrossed(ours, sidesOf(sentence.words, there));
    if (!ORDERING.has(text) || sentence.words.some((each) => ORDERING.has(each.text))) return false;
    const steps = [...sentence.words, ...(next?.words ?? [])];
    const [earlier, later] = text === 'after' ? [ours.right, ours.left] : [ours.left, ours.right];
    return isLater(earlier, later, steps);
  });

const PIVOTS: ReadonlySet<string> = new Set(
  'before after then than from to into towards over replaces replaced beats beat'.split(' '),
);
const ORDERING: ReadonlySet<string> = new Set(['before', 'after', 'then']);
const REACH = 8;

interface Sides {
  left: ReadonlySet<string>;
  right: ReadonlySet<string>;
}

const sidesOf = (words: readonly Word[], at: number): Sides => ({
  left: keysOf(words.slice(Math.max(0, at - REACH), at)),
  right: keysOf(words.slice(at + 1, at + 1 + REACH)),
});

const keysOf = (words: readonly Word[]): Set<string> => new Set(words.filter(isSought).map(({ key }) => key));

/** What stands on one side alone stands on the other one there. */
const isCrossed = (ours: Sides, theirs: Sides): boolean =>
  hasCommon(onlyIn(ours.left, ours.right), onlyIn(theirs.right, theirs.left)) &&
  hasCommon(onlyIn(ours.right, ours.left), onlyIn(theirs.left, theirs.right));

const onlyIn = (one: ReadonlySet<string>, other: ReadonlySet<string>): string[] =>
  [...one].filter((key) => !other.has(key));

const hasCommon = (one: readonly string[], other: readonly string[]): boolean => one.some((key) => other.includes(key));

/** Each of what should come earlier stands behind all of what should come later. */
const isLater = (earlier: ReadonlySet<string>, later: ReadonlySet<string>, steps: readonly Word[]): boolean => {
  const placesOf = (keys: ReadonlySet<string>, others: ReadonlySet<string>) =>
    steps.flatMap(({ key }, at) => (keys.has(key) && !others.has(key) ? [at] : []));
  const [first, second] = [placesOf(earlier, later), placesOf(later, earlier)];
  return first.length > 0 && second.length > 0 && Math.min(...first) > Math.max(...second);
};
