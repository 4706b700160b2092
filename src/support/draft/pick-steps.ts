import { createScorer } from '../../knowledge/answers/score-sentences.ts';
import type { KnowledgePassage } from '../../knowledge/retrieval/knowledge.ts';
import { questionOf } from './question-of.ts';
import { type StepCandidate, stepCandidates, textOf, warningsBeside } from './step-candidates.ts';
import { readingOfPassage, type StepGroup } from './step-group.ts';
import type { TriedAlready } from './tried-already.ts';

/** Steps or sentences of one passage that a draft quotes, as they stand there. */
export interface PickedSteps {
  passage: KnowledgePassage;
  kind: StepGroup['kind'];
  isOrdered: boolean;
  /** What introduces them, in the article's words; undefined where nothing does. */
  intro: string | undefined;
  /** Markdown, without list marks; of a table the head first. */
  quotes: readonly string[];
  /** Further steps stand in the article. */
  isCut: boolean;
}

export interface PickOptions {
  /** The customer's words. */
  text: string;
  tried: TriedAlready;
  /** Steps and sentences in all, warnings apart; 6 when absent. */
  limit?: number | undefined;
}

/** As much as somebody does before writing again. */
const LIMIT = 6;
/** What scores this much less than the best answers something else. The unit is that of `createScorer`. */
const WITHIN = 3.5;

/**
 * Picks what answers a message: whole numbered lists, list items, table rows, code or sentences, each a quote of the article. What
 * the customer has tried is left out; what warns in a passage comes along with what is quoted of it.
 *
 * @param passages Best first, screened: all of them may be quoted.
 * @returns Passages best first, within each in the order of the article; empty where nothing shares a word with the message.
 */
export const pickSteps = (
  passages: readonly KnowledgePassage[],
  { text, tried, limit = LIMIT }: PickOptions,
): PickedSteps[] => {
  const scored = passages.map((passage) => ({ ...passage, score: passage.relevance }));
  const scorer = createScorer(questionOf(text, passages.map(readingOfPassage)), scored);
  const candidates = passages
    .flatMap((passage) => stepCandidates(passage, { scorer, tried }))
    .toSorted((one, other) => other.score - one.score);
  const chosen = choose(candidates, limit);
  return passages.flatMap((passage) => quotesOf(passage, chosen, tried));
};

/** The best, and others that are nearly as good as far as there is room; a list that has none is left out whole. */
const choose = (candidates: readonly StepCandidate[], limit: number): StepCandidate[] => {
  const chosen: StepCandidate[] = [];
  let left = limit;
  const [best] = candidates;
  for (const candidate of candidates) {
    if (best === undefined || candidate.score < best.score - WITHIN || left <= 0) break;
    const size = sizeOf(candidate);
    if (size > left && chosen.length > 0) continue;
    chosen.push(candidate);
    left -= size;
  }
  return chosen;
};

const sizeOf = ({ group: { kind }, units }: StepCandidate): number => {
  if (kind === 'table') return Math.max(1, units.length - 1);
  return kind === 'code' ? 1 : Math.min(units.length, LIMIT);
};

/** What is chosen of a passage and what warns beside it, in its order, each sentence once. */
const quotesOf = (passage: KnowledgePassage, chosen: readonly StepCandidate[], tried: TriedAlready): PickedSteps[] => {
  const own = chosen.filter((candidate) => candidate.passage === passage);
  if (own.length === 0) return [];
  const quoted = new Set(own.flatMap(({ units, group: { intro } }) => [...units, ...(intro ? [intro] : [])]));
  const inOrder = [...own, ...warningsBeside(passage, quoted, tried)].toSorted(
    (one, other) => startOf(one) - startOf(other),
  );
  const said = new Set<number>();
  return inOrder.flatMap(({ group: { kind, isOrdered, intro }, units, isCut }): PickedSteps[] => {
    const fresh = units.filter(({ start }) => kind !== 'prose' || !said.has(start));
    for (const { start } of fresh) said.add(start);
    if (fresh.length === 0) return [];
    const quotes = fresh.map((unit) => withoutMark(textOf(passage, unit)));
    return [{ passage, kind, isOrdered, intro: intro && textOf(passage, intro), quotes, isCut }];
  });
};

const startOf = ({ units: [first] }: StepCandidate): number => first?.start ?? 0;

/** A list item without its mark; what hangs below it moves to the margin. */
const withoutMark = (item: string): string => {
  const [mark = ''] = /^(?:[-*+]|\d{1,9}[.)])[ \t]+/.exec(item) ?? [];
  const [first = '', ...rest] = item.slice(mark.length).split('\n');
  const indents = rest.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0);
  const least = Math.min(...indents, 99);
  return [first, ...rest.map((line) => line.slice(Math.min(least, line.length)))].join('\n').trimEnd();
};
