import { createScorer } from '../../grounding/score-sentences.ts';
import { plainOf } from '../../grounding/support/statements.ts';
import type { KnowledgePassage } from '../../knowledge/retrieval/knowledge.ts';
import { analyseText } from '../../text/analyse-text.ts';
import { stem } from '../../text/stem.ts';
import type { AlreadyTried } from './already-tried.ts';
import { shapeOf } from './passage-shape.ts';
import { type AskedQuestion, GENERAL, questionOf } from './question-of.ts';
import { textOf } from './quotable-units.ts';
import { carriedAlong, type StepCandidate, stepCandidates } from './step-candidates.ts';
import type { StepGroup } from './step-group.ts';
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
  /** What the customer's intent is called, and on further lines what it is about; empty for none. */
  intent?: string | undefined;
  /** Names of products: which one it is about tells little of what is asked. */
  products?: readonly string[] | undefined;
  /** Whether a text is about other products than the customer's alone; none is when absent. */
  isOfOthers?: ((text: string) => boolean) | undefined;
  tried: AlreadyTried;
  /** Steps and sentences in all, warnings apart; 6 when absent. */
  limit?: number | undefined;
}

/** As much as somebody does before writing again. */
const LIMIT = 6;
/** What scores this much less than the best answers something else. The unit is that of `createScorer`. */
const WITHIN = 3.5;
/** An article is about the trouble when the message and its intent have this share of its title. */
const TITLE_SHARE = 0.5;
/** What has less of the message than this share of what the fullest has says something beside. */
const FULL_SHARE = 0.5;
/** Further numbered steps must be about as good as the first: others are for another case. */
const STEPS_WITHIN = 1;

/**
 * Picks what answers a message: whole numbered lists, list items, table rows, code or sentences, each a quote of the article. What
 * the customer has tried is left out; what warns in a passage, or limits what it promises, comes along with what is quoted of it.
 *
 * @param passages Best source first, screened: all of them may be quoted.
 * @returns By source, within each in the order given; empty where nothing shares a word with the message.
 */
export const pickSteps = (
  passages: readonly KnowledgePassage[],
  { text, intent = '', products = [], isOfOthers = () => false, tried, limit = LIMIT }: PickOptions,
): PickedSteps[] => {
  const scored = passages.map((passage) => ({ ...passage, score: passage.relevance }));
  const question = questionOf(
    text,
    passages.map((passage) => shapeOf(passage).reading),
    { names: products },
  );
  const scorer = createScorer(question, scored);
  const isThin = tellingOf(question) <= FEW_TERMS;
  const asking = {
    scorer,
    isTelling: question.isTelling,
    shareOf: question.shareOf,
    tried,
    isOfOthers,
    isHow: ASKS_HOW.test(text),
    named: namedBy(intent, { isThin }),
  };
  const all = passages
    .flatMap((passage) => stepCandidates(passage, asking))
    .toSorted((one, other) => other.score - one.score);
  const candidates = withoutSpare(all, { isTrouble: !asking.isHow && TROUBLE.test(text) });
  const fullest = Math.max(0, ...candidates.map(({ share }) => share));
  const matched = candidates.filter(
    ({ share, isNamed, group }) =>
      (share > 0 && share >= FULL_SHARE * fullest) || (isThin && isNamed && group.isOrdered),
  );
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

const tellingOf = ({ isTelling, query }: AskedQuestion): number =>
  query.terms.filter((_, at) => isTelling(new Set([at]))).length;

/** A message of one or two words is understood by what its intent is about, others by what that is called. */
const namedBy = (intent: string, { isThin }: { isThin: boolean }): ReadonlySet<string> => {
  const named = stemsOf(isThin ? intent : (intent.split('\n')[0] ?? ''));
  return new Set([...named].filter((each) => !GENERAL.has(each)));
};

const FEW_TERMS = 2;

const ASKS_HOW =
  /(?<!\p{L})(?:how (?:do|can|could|should|would|to|must|may)|what (?:do|must|should) (?:i|we) (?:do|have)|steps?|wie (?:kann|muss|soll|mache|geht|stelle|richte|\p{L}+ ich)|comment|cómo|come (?:si|posso|faccio)|como|hoe)(?!\p{L})/iu;

/** What is better than nothing only stays where there is nothing else. */
const withoutSpare = (
  candidates: readonly StepCandidate[],
  { isTrouble }: { isTrouble: boolean },
): readonly StepCandidate[] => {
  const better = candidates.filter(({ isSpare }) => !isSpare);
  if (!better.some(({ share }) => share > 0)) return candidates;
  const known = better.filter(({ share, isTroublesome }) => share > 0 && isTroublesome);
  if (!isTrouble || known.length === 0) return better;
  // What holds when all goes well does not help in trouble that the articles know.
  const fullest = Math.max(...known.map(({ share }) => share));
  return better.filter(({ group, share, isTroublesome }) => isTroublesome || (!group.isOrdered && share >= fullest));
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

/**
 * The best, and others that are nearly as good as far as there is room. The best of the numbered steps have room before all else:
 * shorter ones for another case must not take their place.
 */
const choose = (candidates: readonly StepCandidate[], limit: number): StepCandidate[] => {
  const [best] = candidates;
  const near = candidates.filter(({ score }) => best !== undefined && score >= best.score - WITHIN);
  const steps = near.find(({ group }) => group.isOrdered);
  const chosen = new Set(steps === undefined ? [] : [steps]);
  let left = limit - (steps === undefined ? 0 : sizeOf(steps));
  for (const candidate of near) {
    const size = sizeOf(candidate);
    const isOther = candidate.group.isOrdered && candidate.score < (steps?.score ?? 0) - STEPS_WITHIN;
    if (chosen.has(candidate) || isOther || (size > left && chosen.size > 0)) continue;
    chosen.add(candidate);
    left -= size;
  }
  return near.filter((candidate) => chosen.has(candidate));
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
const quotesOf = (passage: KnowledgePassage, chosen: readonly StepCandidate[], tried: AlreadyTried): PickedSteps[] => {
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
