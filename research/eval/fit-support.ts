import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { FEATURES, oddsAgainst } from '../../src/answering/check/check-statement.ts';
import { readCommandLine } from '../../tools/command-line.ts';
import { areaUnderCurve } from './decision-metrics.ts';
import {
  againstAnswer,
  LITERAL_QUOTE,
  type MeasuredAnswer,
  measureAnswer,
  readJudgedAnswers,
  SUPPORT_SETS,
} from './support-data.ts';

type Weights = Record<string, number>;
interface Example {
  features: number[];
  /** 1: not supported. */
  label: number;
  /** Its part of the whole; sets count the same, and in a set both labels. */
  share: number;
}

const STEPS = 400;
/** Rounds in which the worst sentence of each answer is chosen again. */
const ROUNDS = 4;
const L2 = 0.05;

/**
 * An answer's label is known, not that of its sentences: the worst one carries it, chosen again each round with the weights so
 * far; in the first round all do.
 */
const fitWeights = (answers: readonly MeasuredAnswer[]): Weights => {
  let weights: Weights = { bias: 0 };
  for (let round = 0; round < ROUNDS; round += 1) {
    const chosen = answers.flatMap((answer) => {
      const sentences = answer.sentences.map((features) =>
        FEATURES.map((name) => features?.[name] ?? 0),
      );
      if (round === 0) return sentences.map((features) => ({ answer, features }));
      const oddsOf = (features: readonly number[]) =>
        features.reduce((sum, value, at) => sum + value * (weights[FEATURES[at] ?? ''] ?? 0), 0);
      const worst = sentences.toSorted((one, other) => oddsOf(other) - oddsOf(one))[0];
      return worst === undefined ? [] : [{ answer, features: worst }];
    });
    weights = fitLogistic(withShares(chosen));
  }
  return weights;
};

const withShares = (chosen: { answer: MeasuredAnswer; features: number[] }[]): Example[] => {
  const kindOf = ({ set, isSupported }: MeasuredAnswer) => `${set} ${isSupported}`;
  const counts = new Map<string, number>();
  for (const { answer } of chosen)
    counts.set(kindOf(answer), (counts.get(kindOf(answer)) ?? 0) + 1);
  return chosen.map(({ answer, features }) => ({
    features,
    label: answer.isSupported ? 0 : 1,
    share: 1 / (counts.get(kindOf(answer)) ?? 1) / counts.size,
  }));
};

/** Logistic regression on standardised features by gradient descent. Each feature is a reason to doubt: no weight is negative. */
const fitLogistic = (examples: readonly Example[]): Weights => {
  const weighted = (read: (example: Example) => number) =>
    examples.reduce((sum, example) => sum + read(example) * example.share, 0);
  const means = FEATURES.map((_, at) => weighted(({ features }) => features[at] ?? 0));
  const scales = FEATURES.map(
    (_, at) =>
      Math.sqrt(weighted(({ features }) => ((features[at] ?? 0) - (means[at] ?? 0)) ** 2)) || 1,
  );
  const rows = examples.map(({ features }) =>
    features.map((value, at) => (value - (means[at] ?? 0)) / (scales[at] ?? 1)),
  );
  let weights = FEATURES.map(() => 0);
  let bias = 0;
  for (let step = 0; step < STEPS; step += 1) {
    const slopes = FEATURES.map(() => 0);
    let biasSlope = 0;
    rows.forEach((row, at) => {
      const { label = 0, share = 0 } = examples[at] ?? {};
      const odds = row.reduce((sum, value, feature) => sum + value * (weights[feature] ?? 0), bias);
      const error = (1 / (1 + Math.exp(-odds)) - label) * share;
      row.forEach((value, feature) => {
        slopes[feature] = (slopes[feature] ?? 0) + error * value;
      });
      biasSlope += error;
    });
    weights = weights.map((weight, at) => Math.max(0, weight - ((slopes[at] ?? 0) + L2 * weight)));
    bias -= 2 * biasSlope;
  }
  const raw = weights.map((weight, at) => weight / (scales[at] ?? 1));
  const shift = raw.reduce((sum, weight, at) => sum + weight * (means[at] ?? 0), 0);
  return {
    bias: bias - shift,
    ...Object.fromEntries(FEATURES.map((name, at) => [name, raw[at] ?? 0])),
  };
};

const curveOf = (answers: readonly MeasuredAnswer[], weights: Weights): number => {
  const scores = (isSupported: boolean) =>
    answers
      .filter((answer) => answer.isSupported === isSupported)
      .map(({ sentences }) =>
        againstAnswer(
          sentences.map((features) =>
            features === undefined ? LITERAL_QUOTE : oddsAgainst(features, weights),
          ),
        ),
      );
  return areaUnderCurve(scores(false), scores(true));
};

const HELP = `Fits the weights of the statement check (src/answering/check/check-weights.json) on the tuning halves of truth-dev.
Prints the area under the curve of each set, fitted on the other sets and on all.

  node research/eval/fit-support.ts [options]

  --data <folder>  the folder of evaluation data (default eval-data)
  --dry            print the figures and write nothing
  --help           this text
`;

const { values } = readCommandLine(HELP, {
  options: { data: { type: 'string' }, dry: { type: 'boolean' } },
});
const tuning = readJudgedAnswers(resolve(values.data ?? 'eval-data'))
  .filter(({ half }) => half === 'tuning')
  .map(measureAnswer)
  .filter(({ sentences }) => sentences.length > 0);
const all = fitWeights(tuning);
console.log('Area under the curve on the tuning halves: fitted on the other sets, on all sets');
for (const set of SUPPORT_SETS) {
  const own = tuning.filter((answer) => answer.set === set);
  const others = fitWeights(tuning.filter((answer) => answer.set !== set));
  console.log(
    `${set.padEnd(18)} ${curveOf(own, others).toFixed(3)}  ${curveOf(own, all).toFixed(3)}`,
  );
}
const rounded = Object.fromEntries(
  Object.entries(all).map(([name, weight]) => [name, Number(weight.toFixed(3))]),
);
if (values.dry !== true)
  writeFileSync(
    new URL('../../src/answering/check/check-weights.json', import.meta.url),
    `${JSON.stringify(rounded, null, 2)}\n`,
  );
