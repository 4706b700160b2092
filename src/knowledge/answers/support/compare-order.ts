import type { SourceSentence } from './prepare-source.ts';
import { isSought, type Word } from './read-words.ts';

/** Two names that stand in the other order, with neither sentence or both in the passive. */
export const swapsNames = (words: readonly Word[], { words: theirs }: SourceSentence): boolean => {
  if (hasBy(words) !== hasBy(theirs)) return false;
  const places = words.flatMap((word) => {
    if (word.role !== 'name') return [];
    const at = theirs.findIndex(({ key }) => key === word.key);
    return at >= 0 ? [at] : [];
  });
  return places.some((at, rank) => rank > 0 && at < (places[rank - 1] ?? 0));
};

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
  'before after then than from to into over replaces replaced beats beat'.split(' '),
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

const isCrossed = (ours: Sides, theirs: Sides): boolean => {
  const [toRight, toLeft] = [common(ours.left, theirs.right), common(ours.right, theirs.left)];
  const straight = common(ours.left, theirs.left) + common(ours.right, theirs.right);
  return toRight > 0 && toLeft > 0 && toRight + toLeft > straight;
};

const common = (one: ReadonlySet<string>, other: ReadonlySet<string>): number =>
  [...one].filter((key) => other.has(key)).length;

/** Each of what should come earlier stands behind all of what should come later. */
const isLater = (earlier: ReadonlySet<string>, later: ReadonlySet<string>, steps: readonly Word[]): boolean => {
  const placesOf = (keys: ReadonlySet<string>, others: ReadonlySet<string>) =>
    steps.flatMap(({ key }, at) => (keys.has(key) && !others.has(key) ? [at] : []));
  const [first, second] = [placesOf(earlier, later), placesOf(later, earlier)];
  return first.length > 0 && second.length > 0 && Math.min(...first) > Math.max(...second);
};
