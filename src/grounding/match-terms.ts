import type { ArticleContents, HeadingContents, UnitContents } from './article-contents.ts';
import type { QuestionTerm } from './parse-question.ts';
import type { Closeness } from './word-closeness.ts';

/**
 * Per term of the question: closeness of the closest word of a text, 0 to 1; 1 when the text contains the term. Empty when no word is
 * close to any term.
 */
export type Matches = Float64Array;

/** Closeness of an article's parts to the terms of a question. */
export interface ArticleMatches {
  title: Matches;
  /** By index of the sentence. */
  sentences: readonly Matches[];
  units: ReadonlyMap<UnitContents, UnitMatches>;
  /** Per term: how well it distinguishes the units of this article. */
  inner: readonly number[];
}

export interface UnitMatches {
  text: Matches;
  headings: Matches;
}

/** Matches an article with a question; each sentence once, as units share sentences. */
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
    const count = containing[place] as number; // As long as `terms`.
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

/** The maximum per term of several matches. */
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

/** The maximum per term of two matches. */
export const closer = (one: Matches, other: Matches): Matches => {
  if (one.length === 0 || one === other) return other;
  if (other.length === 0) return one;
  const both = one.slice();
  raise(both, other);
  return both;
};

/** Both have the same length. */
const raise = (matches: Matches, by: Matches): void => {
  for (let at = 0; at < by.length; at++)
    if ((by[at] as number) > (matches[at] as number)) matches[at] = by[at] as number;
};

/** Matches of some sentences only, such as some rows of a table. */
export const matchSentences = (sentences: Uint32Array, matches: ArticleMatches): Matches =>
  closest(sentences, matches.sentences);

/** Whether one word directly precedes another in a text. */
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
