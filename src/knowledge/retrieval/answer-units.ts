import { type ParsedQuestion, parseQuestion } from '../../grounding/parse-question.ts';
import { type CandidateUnit, candidateUnits, UNIT_FEATURES } from '../../grounding/unit-features.ts';
import { applyLogistic, type LogisticModel } from '../../search/fit-logistic.ts';
import type { Edition } from '../../search/open-edition.ts';
import type { SearchOutcome } from '../../search/search-edition.ts';
import { COVERAGE_FROM } from './coverage.ts';
import type { RankedSource } from './rank-sources.ts';

/** A unit with how well it fits a message. */
export interface RankedUnit extends CandidateUnit {
  /** Log-odds against the other units. */
  score: number;
  /** That this, of all that was looked at, is what answers; 0 to 1. */
  probability: number;
}

/** What could answer a message, the likeliest first, and the message as it was read for that. */
export interface AnswerUnits {
  question: ParsedQuestion;
  units: readonly RankedUnit[];
}

interface UnitInput {
  /** What is asked: the problem, masked. */
  text: string;
  search: SearchOutcome;
  /** Products that it is about. */
  products: readonly string[];
  /** Labels of articles that are about the intent. */
  intents: readonly string[];
  ranked: readonly RankedSource[];
}

/** What the relevance of its article counts for a unit, in logits, and that the article is labelled with the intent. */
const RELEVANCE_WEIGHT = 0.7;
const LABEL_WEIGHT = 1;

/** Ranks all that could be quoted for a message: by its words, and by how probably its article answers. */
export const rankAnswerUnits = (
  edition: Edition,
  { text, search, products, intents, ranked }: UnitInput,
): AnswerUnits => {
  const question = parseQuestion(edition, text, { devices: products });
  const relevance = relevanceOf(ranked);
  const scored = candidateUnits(edition, question, { searches: [search] }).map((each) => ({
    ...each,
    score:
      scoreOf(each) +
      RELEVANCE_WEIGHT * logit(relevance(each.source.index)) +
      (isLabelled(each, intents) ? LABEL_WEIGHT : 0),
  }));
  const top = Math.max(...scored.map(({ score }) => score));
  const sum = scored.reduce((total, { score }) => total + Math.exp(score - top), 0);
  const units = scored
    .map((each) => ({ ...each, probability: Math.exp(each.score - top) / sum }))
    .toSorted((one, other) => other.score - one.score);
  return { question, units };
};

/**
 * How probably an article with the intent's label answers, from its relevance by search, the share of probability that its units have, and the
 * share of the message's words that its best unit holds. Fitted on the development half of the sample tickets, and lowered so that of those from
 * 0.7 on 19 in 20 answer there: a neighbour of a page that is missing looks much like it.
 */
const ANSWERS: LogisticModel = { weights: [0.47, 0.39, 2.14], bias: 0.33 };
const COVERAGE = UNIT_FEATURES.indexOf('coverage');

/**
 * Raises the relevance of articles whose units hold what is asked: search knows passages, not whether one of them answers. Only articles that
 * search holds for possible, that are about the intent, and not about another product.
 *
 * @returns The most relevant first.
 */
export const weighByUnits = (
  ranked: readonly RankedSource[],
  { units }: AnswerUnits,
  intents: readonly string[],
): RankedSource[] =>
  ranked
    .map((source) => {
      const own = units.filter((each) => each.source.index === source.article);
      const [best] = own;
      const isOpen = source.relevance >= COVERAGE_FROM.low && !source.isOfOtherProduct;
      if (best === undefined || !isOpen || !isLabelled(best, intents)) return source;
      const share = own.reduce((sum, { probability }) => sum + probability, 0);
      const signs = [logit(source.relevance), Math.log(Math.max(LEAST_SHARE, share)), best.features[COVERAGE] ?? 0];
      return { ...source, relevance: Math.max(source.relevance, applyLogistic(ANSWERS, signs)) };
    })
    .toSorted(
      (one, other) => Number(one.isOfOtherProduct) - Number(other.isOfOtherProduct) || other.relevance - one.relevance,
    );
const LEAST_SHARE = 0.005;

const isLabelled = ({ source }: Pick<CandidateUnit, 'source'>, intents: readonly string[]): boolean =>
  source.intents.some((intent) => intents.includes(intent));

const relevanceOf = (ranked: readonly RankedSource[]): ((article: number) => number) => {
  const known = new Map(
    ranked.flatMap(({ article, relevance, isOfOtherProduct }) =>
      isOfOtherProduct ? [] : [[article, relevance] as const],
    ),
  );
  return (article) => known.get(article) ?? 0;
};

/** Bounded, so that no relevance outweighs all else. */
const logit = (share: number): number => {
  const bounded = Math.min(0.995, Math.max(0.002, share));
  return Math.log(bounded / (1 - bounded));
};

const WEIGHTS: Readonly<Record<string, number>> = {
  article: 2.09,
  articleInverseRank: 1.03,
  passageBest: 1.51,
  passage: 0.99,
  passageInverseRank: 0.6,
  coverage: 1.63,
  coverageOfKnown: 1.56,
  coverageInTitle: 0.22,
  titleSaid: 1.29,
  pairs: 1.32,
  sentence: 0.85,
  innerSentence: 1,
  inner: 0.51,
  literals: 0.49,
  becauseForReason: 1.37,
  listForHowto: 0.6,
  solutionForProblem: 0.74,
  digitsForNumber: 0.28,
  symptom: -2.73,
  short: -2.3,
  outdated: -1.93,
  age: -1.38,
  group: -1.49,
  later: -0.75,
  lead: -1,
  sections: -0.8,
};

const scoreOf = ({ features }: CandidateUnit): number =>
  UNIT_FEATURES.reduce((sum, name, at) => sum + (WEIGHTS[name] ?? 0) * (features[at] ?? 0), 0);
