import {
  type ConfidenceLevel,
  levelOf,
  PARTIAL_BELOW,
} from '../../contract/core/confidence-level.ts';
import type {
  ConfidenceComponents,
  ConfidenceFactor,
  NavigatorResponse,
  ResponseQuality,
} from '../../contract/core/navigator-response.ts';
import { escapeText } from '../../documents/markdown/escape-html.ts';
import { type AnswerPhrases, filled } from './answer-phrases.ts';
import { rounded } from './cite-sources.ts';
import type { Comparison } from './compare-sources.ts';

/** How sure an answer is, and why. */
export interface Assessment extends Pick<NavigatorResponse, 'confidence' | 'confidenceReason'> {
  /** 0 to 1; `confidence` is derived from it. */
  probability: number;
  components: ConfidenceComponents;
  agreement: ResponseQuality['agreement'];
  /** What the reason says, one by one. */
  factors: ConfidenceFactor[];
}

/** What an answer by itself tells, before it is compared with other articles. */
export interface Rating {
  probability: number;
  components: Record<string, number>;
  factors: ConfidenceFactor[];
}

interface AssessOptions {
  /** What other articles state about the same. */
  comparisons: readonly Comparison[];
  /** The sources are about other devices than the question. */
  isOtherDevice: boolean;
  phrases: AnswerPhrases;
}

/** Upper bound when sources contradict each other: `low`, as the contract requires (docs/contract.md#navigator). */
const CONFLICT_LIMIT = 0.55;
/** Share of the remaining doubt that a second, agreeing source removes. */
const AGREEMENT_GAIN = 0.3;
/** Factor for sources about devices that the question does not name. */
const OTHER_DEVICE_FACTOR = 0.5;

/** The probability that an answer answers, and the reason. */
export function assess(
  rating: Rating,
  { comparisons, isOtherDevice, phrases }: AssessOptions,
): Assessment {
  const conflict = comparisons.find(({ verdict }) => verdict === 'conflicts');
  const agreeing = comparisons.find(({ verdict }) => verdict === 'agrees');
  let probability = rating.probability * (isOtherDevice ? OTHER_DEVICE_FACTOR : 1);
  if (conflict !== undefined) probability = Math.min(probability, CONFLICT_LIMIT);
  else if (agreeing !== undefined && probability >= PARTIAL_BELOW)
    probability = 1 - (1 - probability) * (1 - AGREEMENT_GAIN);
  const confidence = levelOf(probability);
  const factors = [
    ...rating.factors,
    ...factorIf(isOtherDevice, {
      name: 'other_device',
      effect: 'lowers',
      explanation: phrases.otherDevices,
    }),
    ...(conflict === undefined
      ? factorIf(agreeing !== undefined, {
          name: 'agreement',
          effect: 'raises',
          explanation: filled(phrases.agrees, { citation: agreeing?.citation ?? '' }),
        })
      : [conflictFactor(conflict, phrases)]),
  ];
  const reason = factors.map(({ explanation }) => explanation).join('. ');
  return {
    probability,
    confidence,
    confidenceReason: escapeText(`${levelIn(confidence, phrases)}: ${reason}.`, 1000),
    factors,
    agreement: conflict !== undefined ? 'conflict' : agreeing !== undefined ? 'agree' : 'none',
    components: {
      ...rating.components,
      probability: rounded(probability),
      agreement: conflict !== undefined ? 0 : agreeing !== undefined ? 1 : 0.5,
    },
  };
}

export function factorIf(holds: boolean, factor: ConfidenceFactor): ConfidenceFactor[] {
  return holds ? [factor] : [];
}

const conflictFactor = (
  { citation, difference }: Comparison,
  phrases: AnswerPhrases,
): ConfidenceFactor => ({
  name: 'conflict',
  effect: 'limits',
  explanation: filled(phrases.conflict, { citation, difference }),
});

const levelIn = (
  level: ConfidenceLevel,
  { sureHigh, sureMedium, sureLow }: AnswerPhrases,
): string => ({ high: sureHigh, medium: sureMedium, low: sureLow })[level];
