import type { ConfidenceComponents, NavigatorResponse } from '../contract/navigator-response.ts';
import { levelOf, PARTIAL_BELOW } from '../contract/navigator-response.ts';
import type { FoundAnswer } from '../grounding/find-answer.ts';
import { stemsOf } from '../grounding/sections.ts';
import { escapeText } from '../runtime/escape-html.ts';
import type { SearchOutcome } from '../search/search-edition.ts';
import type { Comparison } from './compare-sources.ts';
import { listOf, oneLine } from './compose-answer.ts';

interface ConfidenceEvidence {
  outcome: SearchOutcome;
  found: FoundAnswer;
  /** What other sources say about the passages. */
  comparisons: readonly Comparison[];
}

export interface Assessment extends Pick<NavigatorResponse, 'confidence' | 'confidenceReason'> {
  /** 0 to 1; the word is its reading. */
  probability: number;
  components: ConfidenceComponents;
}

/** Sources that contradict each other never leave more than this: `low` (seed 004). */
const CONFLICT_LIMIT = 0.55;
/** A second source that says the same takes away this share of the doubt. */
const AGREEMENT_GAIN = 0.3;
/** What is about other devices than the question names keeps this share. */
const OTHER_DEVICE_FACTOR = 0.5;
/** Another article with this share of the best one's fits almost as well. */
const CLOSE_SECOND = 0.7;

/**
 * The probability that the passages answer, and why, in the words of the evidence: how much of the question they hold, whether
 * others agree, and what else fits.
 */
export const assessConfidence = ({ outcome, found, comparisons }: ConfidenceEvidence): Assessment => {
  const agreeing = comparisons.find(({ verdict }) => verdict === 'agrees');
  const conflicting = comparisons.find(({ verdict }) => verdict === 'conflicts');
  const isOtherDevice = found.passages.every((passage) => passage.isOtherDevice);
  let probability = found.probability * (isOtherDevice ? OTHER_DEVICE_FACTOR : 1);
  if (conflicting) probability = Math.min(probability, CONFLICT_LIMIT);
  else if (agreeing && probability >= PARTIAL_BELOW) probability = 1 - (1 - probability) * (1 - AGREEMENT_GAIN);
  const coverage = coverageOf(found);
  const confidence = levelOf(probability);
  const [best, second] = found.articles;
  const reasons = [
    coverage.reason,
    ...(best && second && second.share >= CLOSE_SECOND * best.share ? ['Another article fits almost as well'] : []),
    `Of test questions that were judged like this one about ${Math.round(10 * found.probability) * 10} % were answered`,
    ...(isOtherDevice ? ['But the passages are about other devices than the one that the question names'] : []),
    ...(conflicting ? [`But sources conflict (${conflicting.citation}: ${conflicting.difference})`] : []),
    ...(agreeing && !conflicting ? [`${agreeing.citation} says the same`] : []),
  ];
  return {
    confidence,
    confidenceReason: escapeText(
      `${confidence[0]?.toUpperCase()}${confidence.slice(1)} confidence: ${reasons.join('. ')}.`,
      1000,
    ),
    probability,
    components: {
      probability: rounded(probability),
      coverage: rounded(coverage.share),
      margin: rounded(outcome.margin),
      agreement: conflicting ? 0 : agreeing ? 1 : 0.5,
      domain: rounded(found.domain),
    },
  };
};

const coverageOf = ({ question, passages }: FoundAnswer): { share: number; reason: string } => {
  const words = new Set(
    passages.flatMap(({ source, unit }) => [
      ...stemsOf(source.title),
      ...unit.parts.flatMap(({ section, pieces }) => [
        ...stemsOf(section.path.join('\n')),
        ...pieces.flatMap(({ stems }) => stems),
      ]),
    ]),
  );
  const own = question.terms.filter(({ weight }) => weight === 1);
  const missing = own.filter(({ forms }) => ![...forms].some((form) => words.has(form)));
  const total = own.reduce((sum, { idf }) => sum + idf, 0);
  const share = total > 0 ? 1 - missing.reduce((sum, { idf }) => sum + idf, 0) / total : 0;
  if (missing.length === 0) return { share, reason: 'The passages shown hold every informative word of the question' };
  const rarest = missing.toSorted((left, right) => right.idf - left.idf).slice(0, 3);
  const named = listOf(
    rarest.map(({ word }) => `"${oneLine(word, 40)}"`),
    'and',
  );
  const held = `The passages shown hold ${own.length - missing.length} of ${own.length} informative words of the question`;
  return { share, reason: `${held}; ${named} ${missing.length === 1 ? 'is' : 'are'} missing` };
};

const rounded = (value: number): number => Math.round(Math.min(1, Math.max(0, value)) * 1000) / 1000;
