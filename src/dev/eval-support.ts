import { againstOf, SUPPORTED_FROM, scoreOf } from '../grounding/support-check.ts';
import { areaUnderCurve } from './decision-metrics.ts';
import type { Measure } from './eval-retrieval.ts';
import { baselineScore } from './support-baseline.ts';
import { type MeasuredAnswer, measureAnswer, readJudgedAnswers, SUPPORT_SETS } from './support-data.ts';

/**
 * How well the support check tells supported answers from others, a set at a time; what is not supported counts as positive.
 * Held-out halves were read by no fit. Beside each figure stands that of the baseline (src/dev/support-baseline.ts), whose
 * threshold is the best one of the tuning half; the check's is the same everywhere.
 */
export const evaluateSupport = (folder: string): Measure[] => {
  const answers = readJudgedAnswers(folder).map((judged) => {
    const measured = measureAnswer(judged);
    return { ...judged, check: checkScore(measured), baseline: baselineScore(judged) };
  });
  return SUPPORT_SETS.flatMap((set) => {
    const tuning = answers.filter((answer) => answer.set === set && answer.half === 'tuning');
    const heldOut = answers.filter((answer) => answer.set === set && answer.half === 'held-out');
    const threshold = bestThreshold(tuning);
    const beside = (value: number) => `baseline ${value.toFixed(3)}`;
    return [
      {
        name: `${set}, area under the curve, held out`,
        value: areaOf(heldOut, 'check'),
        target: Math.max(LEAST_AREA, areaOf(heldOut, 'baseline')),
        note: `${beside(areaOf(heldOut, 'baseline'))}; tuning half ${areaOf(tuning, 'check').toFixed(3)}, ${beside(areaOf(tuning, 'baseline'))}; n ${heldOut.length} and ${tuning.length}`,
      },
      {
        name: `${set}, F1 of unsupported, held out`,
        value: f1Of(heldOut, 'check', SUPPORTED_FROM),
        note: `${beside(f1Of(heldOut, 'baseline', threshold))}; flagging all ${f1Of(heldOut, 'check', 2).toFixed(3)}`,
      },
    ];
  });
};

/** What simpler ways reach on the hardest of the sets: no set may stay below it, or below the baseline of the same run. */
const LEAST_AREA = 0.58;

interface Scored {
  isSupported: boolean;
  check: number;
  baseline: number;
}
type Judge = 'check' | 'baseline';

const checkScore = ({ sentences }: MeasuredAnswer): number => scoreOf(sentences.map((found) => againstOf(found)));

const areaOf = (answers: readonly Scored[], judge: Judge): number => {
  const doubts = (isSupported: boolean) =>
    answers.filter((answer) => answer.isSupported === isSupported).map((answer) => -answer[judge]);
  return areaUnderCurve(doubts(false), doubts(true));
};

const f1Of = (answers: readonly Scored[], judge: Judge, threshold: number): number => {
  const flagged = answers.filter((answer) => answer[judge] < threshold);
  const right = flagged.filter(({ isSupported }) => !isSupported).length;
  return (2 * right) / (flagged.length + answers.filter(({ isSupported }) => !isSupported).length);
};

const bestThreshold = (answers: readonly Scored[]): number => {
  let best = { f1: 0, threshold: 0 };
  for (const threshold of answers.map(({ baseline }) => baseline + 1e-9)) {
    const f1 = f1Of(answers, 'baseline', threshold);
    if (f1 > best.f1) best = { f1, threshold };
  }
  return best.threshold;
};
