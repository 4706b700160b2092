import type { ArticleContents, HeadingContents, UnitContents } from './article-contents.ts';
import type { QuestionTerm } from './parse-question.ts';
import type { Closeness } from './word-closeness.ts';

/**
 * By term of the question how close the closest word of a text is to it: 1 where the text says it, 0 without a close word. Empty
 * where no word is close to any.
 */
export type Matches = Float64Array;

/** What the parts of an article hold of a question. */
export interface ArticleMatches {
  title: Matches;
  /** By place of the sentence. */
  sentences: readonly Matches[];
  units: ReadonlyMap<UnitContents, UnitMatches>;
  /** By term: how well it tells the units of this article apart. */
  inner: readonly number[];
}

export interface UnitMatches {
  text: Matches;
  headings: Matches;
}

/** Matches an article with a question, each sentence once, however many units it is in. */
export const matchArticle = (
  contents: ArticleContents,
  terms: readonly QuestionTerm[],
  closeness: Closeness,
): ArticleMatches => {
  const close = contents.words.map(closeness);
  const matchWords = (words: Uint32Array): Matches => closest(words, close);
  const sentences = contents.sentences.map(matchWords);
  const headings = new Map([...contents.headings.values()].map((heading) => [heading, matchWords(heading.words)]));
  const units = new Map(contents.units.map((unit) => [unit, matchUnit(unit, sentences, headings)]));
  const containing = new Uint32Array(terms.length);
  for (const { text, headings: above } of units.values()) {
    for (let place = 0; place < terms.length; place++)
      if (text[place] === 1 || above[place] === 1) containing[place] = (containing[place] as number) + 1;
  }
  const inner = terms.map(({ weight }, place) => {
    const count = containing[place] as number; // Of as many numbers.
    return count === 0 ? 0 : weight * Math.log((units.size + 1) / (count + 0.5));
  });
  return { title: matchWords(contents.title), sentences, units, inner };
};

const matchUnit = (
  { sentences: own, headings: above }: UnitContents,
  sentences: readonly Matches[],
  headings: ReadonlyMap<HeadingContents, Matches>,
): UnitMatches => ({
  text: closest(own, sentences),
  headings: above.map((heading) => headings.get(heading) ?? NO_MATCHES).reduce(closer),
});

const NO_MATCHES: Matches = new Float64Array(0);

/** Of several matches the closest by term. */
const closest = (places: Uint32Array, matches: readonly Matches[]): Matches => {
  let all: Matches = NO_MATCHES;
  let isOwn = false;
  for (const place of places) {
    const own = matches[place] ?? NO_MATCHES;
    if (own.length === 0 || own === all) continue;
    if (all.length === 0) all = own;
    else if (isOwn) raise(all, own);
    else {
      all = closer(all, own);
      isOwn = true;
    }
  }
  return all;
};

/** By term the closer of two. */
export const closer = (one: Matches, other: Matches): Matches => {
  if (one.length === 0 || one === other) return other;
  if (other.length === 0) return one;
  const both = one.slice();
  raise(both, other);
  return both;
};

/** Both have as many numbers. */
const raise = (matches: Matches, by: Matches): void => {
  for (let at = 0; at < by.length; at++)
    if ((by[at] as number) > (matches[at] as number)) matches[at] = by[at] as number;
};

/** The words of a text in part: of a table only some rows. */
export const matchSentences = (sentences: Uint32Array, matches: ArticleMatches): Matches =>
  closest(sentences, matches.sentences);

/** Whether one word stands right before another in a text. */
export const hasPair = (
  sentences: Uint32Array,
  contents: ArticleContents,
  [left, right]: readonly [number, number],
): boolean => {
  let before = -1;
  for (const sentence of sentences) {
    for (const word of contents.sentences[sentence] ?? []) {
      if (before === left && word === right) return true;
      before = word;
    }
  }
  return false;
};
