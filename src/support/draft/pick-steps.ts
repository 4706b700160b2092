import { createScorer } from '../../knowledge/answers/score-sentences.ts';
import { plainOf } from '../../knowledge/answers/support/statements.ts';
import type { KnowledgePassage } from '../../knowledge/retrieval/knowledge.ts';
import { analyseText } from '../../knowledge/search/analyse-text.ts';
import { stem } from '../../knowledge/search/stem.ts';
import { shapeOf } from './passage-shape.ts';
import { questionOf } from './question-of.ts';
import { carriedAlong, type StepCandidate, stepCandidates, textOf } from './step-candidates.ts';
import type { StepGroup } from './step-group.ts';
import type { TriedAlready } from './tried-already.ts';
import { TROUBLE } from './trouble.ts';

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
  /** What the customer's intent is called and about; empty for none. */
  intent?: string | undefined;
  /** The customer's; undefined where none is known. */
  product?: string | undefined;
  /** Whether a text is about other products than the customer's alone; none is when absent. */
  isOfOthers?: ((text: string) => boolean) | undefined;
  tried: TriedAlready;
  /** Steps and sentences in all, warnings apart; 6 when absent. */
  limit?: number | undefined;
}

/** As much as somebody does before writing again. */
const LIMIT = 6;
/** What scores this much less than the best answers something else. The unit is that of `createScorer`. */
const WITHIN = 3.5;
/** An article is about the trouble when the message and its intent have this share of its title. */
const TITLE_SHARE = 0.5;

/**
 * Picks what answers a message: whole numbered lists, list items, table rows, code or sentences, each a quote of the article. What
 * the customer has tried is left out; what warns in a passage, or limits what it promises, comes along with what is quoted of it.
 *
 * @param passages Best source first, screened: all of them may be quoted.
 * @returns By source, within each in the order given; empty where nothing shares a word with the message.
 */
export const pickSteps = (
  passages: readonly KnowledgePassage[],
  { text, intent = '', product, isOfOthers = () => false, tried, limit = LIMIT }: PickOptions,
): PickedSteps[] => {
  const scored = passages.map((passage) => ({ ...passage, score: passage.relevance }));
  const question = questionOf(
    text,
    passages.map((passage) => shapeOf(passage).reading),
    { product },
  );
  const scorer = createScorer(question, scored);
  const all = passages
    .flatMap((passage) => stepCandidates(passage, { scorer, isTelling: question.isTelling, tried, isOfOthers }))
    .toSorted((one, other) => other.score - one.score);
  const candidates = withoutSpare(all);
  const matched = candidates.filter(({ isMatched }) => isMatched);
  const plain = choose(matched, limit);
  if (plain.length === 0) return [];
  const remedy = plain.some(({ group }) => group.isOrdered)
    ? undefined
    : firstRemedy(passages, candidates, `${text}\n${intent}`, limit);
  const chosen = remedy === undefined ? plain : [remedy, ...choose(matched, Math.max(1, limit - sizeOf(remedy)))];
  const sources = [...new Set(passages.map(({ source }) => source))];
  const picked = sources.flatMap((source) =>
    passages.filter((each) => each.source === source).flatMap((passage) => quotesOf(passage, chosen, tried)),
  );
  return withoutRepeats(picked);
};

/** What is better than nothing only stays where there is nothing else. */
const withoutSpare = (candidates: readonly StepCandidate[]): readonly StepCandidate[] => {
  const better = candidates.filter(({ isSpare }) => !isSpare);
  return better.some(({ isMatched }) => isMatched) ? better : candidates;
};

/** Articles on models of one product say much in the same words. */
const withoutRepeats = (picked: readonly PickedSteps[]): PickedSteps[] => {
  const said = new Set<string>();
  return picked.flatMap((steps): PickedSteps[] => {
    const fresh = steps.quotes.filter((quote) => !said.has(plainOf(quote)));
    for (const quote of fresh) said.add(plainOf(quote));
    if (fresh.length === 0) return [];
    // Steps in an order, rows and code are whole or not at all.
    const isWhole = steps.isOrdered || steps.kind === 'table' || steps.kind === 'code';
    return [isWhole ? steps : { ...steps, quotes: fresh }];
  });
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

/**
 * Where nothing that was found tells what to do, the first numbered steps of the articles that are about the trouble: they come
 * in the order in which they are worth trying, and say nothing of what the customer sees.
 */
const firstRemedy = (
  passages: readonly KnowledgePassage[],
  candidates: readonly StepCandidate[],
  about: string,
  limit: number,
): StepCandidate | undefined => {
  const known = stemsOf(about);
  const isAboutTrouble = ({ title }: KnowledgePassage): boolean => {
    if (!TROUBLE.test(title)) return false;
    const own = [...stemsOf(title)];
    return own.length > 0 && own.filter((each) => known.has(each)).length >= TITLE_SHARE * own.length;
  };
  const remedies = candidates.filter(
    ({ passage, group, units }) => group.isOrdered && units.length <= limit && isAboutTrouble(passage),
  );
  return remedies.toSorted((one, other) => passages.indexOf(one.passage) - passages.indexOf(other.passage))[0];
};

const stemsOf = (text: string): Set<string> => {
  const stems = new Set<string>();
  analyseText(text.slice(0, 4000), (word, kind) => {
    if (kind === 'word' || kind === 'compound') stems.add(stem(word));
  });
  return stems;
};

/** What is chosen of a passage and what goes with it, in its order, each sentence once. */
const quotesOf = (passage: KnowledgePassage, chosen: readonly StepCandidate[], tried: TriedAlready): PickedSteps[] => {
  const own = chosen.filter((candidate) => candidate.passage === passage);
  if (own.length === 0) return [];
  const quoted = new Set(own.flatMap(({ units, group: { intro } }) => [...units, ...(intro ? [intro] : [])]));
  const inOrder = [...own, ...carriedAlong(passage, quoted, tried)].toSorted(
    ({ units: [one] }, { units: [other] }) => (one?.start ?? 0) - (other?.start ?? 0),
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

/** A list item without its mark; what hangs below it moves to the margin. */
const withoutMark = (item: string): string => {
  const [mark = ''] = /^(?:[-*+]|\d{1,9}[.)])[ \t]+/.exec(item) ?? [];
  const [first = '', ...rest] = item.slice(mark.length).split('\n');
  const indents = rest.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0);
  const least = Math.min(...indents, 99);
  return [first, ...rest.map((line) => line.slice(Math.min(least, line.length)))].join('\n').trimEnd();
};
