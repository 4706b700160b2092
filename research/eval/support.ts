import { oddsAgainst } from '../../src/answering/check/check-statement.ts';
import { areaUnderCurve } from './decision-metrics.ts';
import type { Measure } from './retrieval.ts';
import { baselineScore } from './support-baseline.ts';
import {
  againstAnswer,
  checkAnswer,
  LITERAL_QUOTE,
  measureAnswer,
  readJudgedAnswers,
  SUPPORT_SETS,
} from './support-data.ts';

/**
 * How well the statement check tells supported answers from others, a set at a time; what is not supported counts as positive.
 * Held-out halves were read by no fit. Beside each figure stands that of a simple baseline (research/eval/support-baseline.ts).
 */
export function evaluateSupport(folder: string): Measure[] {
  const answers = readJudgedAnswers(folder).map((judged) => {
    const { sentences } = measureAnswer(judged);
    const against = againstAnswer(
      sentences.map((each) => (each === undefined ? LITERAL_QUOTE : oddsAgainst(each))),
    );
    return { ...judged, against, baseline: -baselineScore(judged) };
  });
  const areas = SUPPORT_SETS.map((set) => {
    const own = answers.filter((answer) => answer.set === set);
    const areaOf = (half: string, by: 'against' | 'baseline') => {
      const scores = (isSupported: boolean) =>
        own
          .filter((each) => each.half === half && each.isSupported === isSupported)
          .map((each) => each[by]);
      return areaUnderCurve(scores(false), scores(true));
    };
    return {
      name: `${set}, area under the curve, held out`,
      value: areaOf('held-out', 'against'),
      target: areaOf('held-out', 'baseline'),
      note: `baseline ${areaOf('held-out', 'baseline').toFixed(3)}; tuning half ${areaOf('tuning', 'against').toFixed(3)}, baseline ${areaOf('tuning', 'baseline').toFixed(3)}; n ${own.length}`,
    };
  });
  const mean = areas.reduce((sum, { value }) => sum + value, 0) / areas.length;
  return [
    ...areas,
    { name: 'mean area under the curve, held out', value: mean, target: LEAST_MEAN_AREA },
    ...measureWholeAnswers(folder),
  ];
}

/** Nine features with lists of English contraries and synonyms reached .758. */
const LEAST_MEAN_AREA = 0.743;

/** On `rag-answers`, with words alone: answers kept whole, and unsupported ones of which a sentence is found. */
const measureWholeAnswers = (folder: string): Measure[] => {
  const checked = readJudgedAnswers(folder)
    .filter(({ set }) => set === 'rag-answers')
    .map((judged) => ({
      ...judged,
      isWhole: checkAnswer(judged).every(({ isSupported }) => isSupported),
    }));
  const shareOf = (half: string, isSupported: boolean, isWhole: boolean) => {
    const rows = checked.filter((each) => each.half === half && each.isSupported === isSupported);
    return rows.filter((each) => each.isWhole === isWhole).length / rows.length;
  };
  const overall = (isSupported: boolean, isWhole: boolean) => {
    const rows = checked.filter((each) => each.isSupported === isSupported);
    return rows.filter((each) => each.isWhole === isWhole).length / rows.length;
  };
  const note = (isSupported: boolean, isWhole: boolean) =>
    `held out ${shareOf('held-out', isSupported, isWhole).toFixed(3)}, tuning half ${shareOf('tuning', isSupported, isWhole).toFixed(3)}`;
  return [
    {
      name: 'rag-answers, supported answers kept whole',
      value: overall(true, true),
      target: 0.75,
      note: note(true, true),
    },
    {
      name: 'rag-answers, unsupported answers found',
      value: overall(false, false),
      target: 0.4,
      note: note(false, false),
    },
  ];
};
