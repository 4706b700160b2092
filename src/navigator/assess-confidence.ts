import { HIGH_FROM, levelOf, PARTIAL_BELOW } from '../contract/confidence.ts';
import type { ConfidenceComponents, NavigatorResponse } from '../contract/navigator-response.ts';
import type { Decision } from '../grounding/decide-answer.ts';
import { escapeText } from '../runtime/escape-html.ts';
import type { SearchOutcome } from '../search/search-edition.ts';
import type { Comparison } from './compare-sources.ts';
import { citationOf, listOf, oneLine, type PlacedQuote } from './compose-answer.ts';
import type { Cue } from './question-cues.ts';

/** All that speaks for and against an answer. */
export interface ConfidenceEvidence {
  outcome: SearchOutcome;
  decision: Decision;
  quotes: readonly PlacedQuote[];
  cues: readonly Cue[];
  /** What other sources say about the quotes, with their citations. */
  comparisons: readonly { comparison: Comparison; citation: string }[];
  /** What the probability must not exceed, whatever speaks for it. */
  ceiling?: number | undefined;
  /** How well the quotes support what is said in other words than theirs, 0 to 1; the probability does not exceed it. */
  support?: number | undefined;
  /** Said after all other reasons, each a sentence without its full stop. */
  remarks?: readonly string[] | undefined;
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

/**
 * The probability that the answer is right, and why, in the words of its evidence: how much of the question the sources
 * cover, whether others agree, how far the best is ahead, and what does not fit.
 */
export const assessConfidence = (evidence: ConfidenceEvidence): Assessment => {
  const { outcome, decision, cues, comparisons } = evidence;
  const agreeing = comparisons.filter(({ comparison }) => comparison.verdict === 'agrees');
  const conflicting = comparisons.find(({ comparison }) => comparison.verdict === 'conflicts');
  let probability = cues.reduce((product, { factor }) => product * factor, decision.answer);
  if (conflicting) probability = Math.min(probability, CONFLICT_LIMIT);
  else if (agreeing.length > 0 && probability >= PARTIAL_BELOW)
    probability = 1 - (1 - probability) * (1 - AGREEMENT_GAIN);
  probability = Math.min(probability, evidence.ceiling ?? 1, evidence.support ?? 1);
  const components: ConfidenceComponents = {
    probability: rounded(probability),
    coverage: rounded(outcome.coverage),
    margin: rounded(outcome.margin),
    agreement: conflicting ? 0 : agreeing.length > 0 ? 1 : 0.5,
    domain: rounded(decision.domain),
    ...(evidence.support === undefined ? {} : { support: rounded(evidence.support) }),
  };
  const confidence = levelOf(probability);
  const word = `${confidence[0]?.toUpperCase()}${confidence.slice(1)}`;
  const reasons = [
    coverageReason(evidence),
    standingReason(evidence),
    calibrationReason(evidence),
    ...cues.map(({ reason }) => `But ${reason}`),
  ];
  if (conflicting) reasons.push(`But sources conflict (${conflicting.citation}: ${conflicting.comparison.difference})`);
  else if (agreeing[0]) reasons.push(`${agreeing[0].citation} says the same`);
  reasons.push(...(evidence.remarks ?? []));
  return {
    confidence,
    confidenceReason: escapeText(`${word} confidence: ${reasons.filter(Boolean).join('. ')}.`, 1000),
    probability,
    components,
  };
};

const coverageReason = ({ outcome, quotes }: ConfidenceEvidence): string => {
  const { terms } = outcome.query;
  const own = terms.map((term, place) => ({ term, place })).filter(({ term }) => term.origin === 'question');
  const [best] = quotes;
  const hit = best ? outcome.hits.find(({ chunk }) => chunk === best.chunk.index) : outcome.hits[0];
  const matched = new Set(hit?.matched);
  const missing = own
    .filter(({ place }) => !matched.has(place))
    .sort((a, b) => b.term.idf - a.term.idf)
    .map(({ term }) => `"${oneLine(term.word, 40)}"`);
  const where = best ? citationOf(best) : 'the best source';
  if (missing.length === 0) return `${where} covers every informative word of the question`;
  const found = `${where} covers ${own.length - missing.length} of ${own.length} informative words of the question`;
  return `${found}; ${listOf(missing.slice(0, 3), 'and')} ${missing.length === 1 ? 'is' : 'are'} missing`;
};

const standingReason = ({ outcome: { margin }, quotes }: ConfidenceEvidence): string => {
  const sections = new Set(quotes.map((quote) => citationOf(quote))).size;
  const parts = sections > 1 ? [`The answer is put together from ${sections} sections`] : [];
  if (margin >= 0.25) parts.push('No other passage comes close');
  else if (margin < 0.05) parts.push('Another passage fits almost as well');
  return parts.join('. ');
};

/** Where all words are there and the doubt is in the numbers alone, the numbers are told. */
const calibrationReason = ({ outcome, decision }: ConfidenceEvidence): string =>
  outcome.coverage > 0.99 && decision.answer < HIGH_FROM
    ? `Of test questions whose best passage fitted as well, about ${Math.round(100 * decision.answer)} % were answered correctly`
    : '';

const rounded = (value: number): number => Math.round(Math.min(1, Math.max(0, value)) * 1000) / 1000;
