import type { ArticleContents, HeadingContents, UnitContents } from './article-contents.ts';
import type { QuestionTerm } from './parse-question.ts';
import type { Closeness } from './word-closeness.ts';

/** By term of the question how close the closest word of a text is to it: 1 where the text says it, 0 without a close word. */
export type Matches = Float64Array;

/** What the parts of an article hold of a question. */
export interface ArticleMatches {
  title: Matches;
  /** By place of the sentence. */
  sentences: readonly Matches[];
  units: ReadonlyMap<UnitContents, UnitMatches>;
  /** By term: how well it tells the units of this article apart. */
  inner: Float64Array;
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
  const none = new Float64Array(terms.length);
  const close = contents.words.map(closeness);
  const matchWords = (words: Uint32Array): Matches => closest(words, close, none);
  const sentences = contents.sentences.map(matchWords);
  const headings = new Map([...contents.headings.values()].map((heading) => [heading, matchWords(heading.words)]));
  const units = new Map(contents.units.map((unit) => [unit, matchUnit(unit, { sentences, headings, none })]));
  const containing = new Uint32Array(terms.length);
  for (const { text, headings: above } of units.values()) {
    for (let place = 0; place < terms.length; place++)
      if (text[place] === 1 || above[place] === 1) containing[place] = (containing[place] as number) + 1;
  }
  const inner = Float64Array.from(terms, ({ weight }, place) => {
    const count = containing[place] as number; // Of as many numbers.
    return count === 0 ? 0 : weight * Math.log((units.size + 1) / (count + 0.5));
  });
  return { title: matchWords(contents.title), sentences, units, inner };
};

const matchUnit = (
  { sentences: own, headings: above }: UnitContents,
  {
    sentences,
    headings,
    none,
  }: { sentences: readonly Matches[]; headings: ReadonlyMap<HeadingContents, Matches>; none: Matches },
): UnitMatches => ({
  text: closest(own, sentences, none),
  headings: closest(
    above.keys(),
    above.map((heading) => headings.get(heading)),
    none,
  ),
});

/** Of several matches the closest by term; `none` where there are none. Not to be changed. */
const closest = (places: Iterable<number>, matches: readonly (Matches | undefined)[], none: Matches): Matches => {
  let all: Matches | undefined;
  for (const place of places) {
    const own = matches[place];
    if (own === undefined || own === none) continue;
    if (all === undefined) {
      all = own.slice();
      continue;
    }
    // All have as many numbers.
    for (let at = 0; at < own.length; at++) if ((own[at] as number) > (all[at] as number)) all[at] = own[at] as number;
  }
  return all ?? none;
};

/** The words of a text in part: of a table only some rows. */
export const matchSentences = (sentences: Uint32Array, matches: ArticleMatches): Matches =>
  closest(sentences, matches.sentences, new Float64Array(matches.inner.length));

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
