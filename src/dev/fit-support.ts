/**
 * Fits the weights of the support check and writes src/grounding/support/support-weights.ts.
 *
 *   node src/dev/fit-support.ts --data <folder of evaluation data> [--dry]
 *
 * It reads the tuning halves alone. First it prints the area under the ROC curve of each tuning half with weights that were
 * fitted on the other sets, then with the weights of all; `--dry` leaves the file as it is.
 */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Feature } from '../grounding/support/compare-sentence.ts';
import { againstOf, scoreOf } from '../grounding/support-check.ts';
import { areaUnderCurve } from './decision-metrics.ts';
import { type MeasuredAnswer, measureAnswer, readJudgedAnswers, SUPPORT_SETS } from './support-data.ts';

/**
 * What each feature should add to the odds if the data says nothing, by judgement. Some are too rare in the sets to be learnt
 * (a unit, two steps in another order), and each is a reason to doubt: no weight may become negative.
 */
const PRIOR: Record<Feature, number> = {
  absent: 3,
  absentLong: 3,
  own: 1,
  window: 2,
  order: 0.8,
  inserted: 0.8,
  nameEarly: 0.5,
  nameLate: 1,
  nameFar: 0.3,
  nameReplaced: 5,
  oneWordReplaced: 5,
  numberAbsent: 1,
  numberReplaced: 1,
  numberFar: 0.5,
  numberMisplaced: 5.5,
  closeNumber: 4,
  unit: 5.5,
  addsDenial: 0.5,
  denialFar: 0.5,
  closeDenial: 5,
  contrary: 0.8,
  closeContrary: 5,
  swapsNames: 5.5,
  swapsSides: 5.5,
  firstPerson: 1,
  chat: 0.7,
  addsAll: 4.5,
  addsOnly: 2,
  dropsOnly: 2,
  dropsMay: 1,
  addsMust: 4,
  addsMost: 1.2,
  dropsSome: 1,
  dropsIf: 5.5,
};
const FEATURES = Object.keys(PRIOR) as Feature[]; // `Object.keys` forgets the names that it lists.

/** How hard the prior holds a weight: as it is, and times the feature's spread. Chosen by the left-out sets of the tuning halves. */
const HOLD = { raw: 0.02, spread: 0.3 };
const STEPS = 300;
/** Rounds in which the worst sentence of each answer is chosen anew. */
const ROUNDS = 4;

type Weights = Record<Feature | 'bias', number>;
interface Example {
  features: number[];
  /** 1: not supported. */
  label: number;
  /** Its part of the whole; sets count the same, and in a set both labels. */
  share: number;
}

const priorWeights = (): Weights => ({ bias: -3, ...PRIOR });

/**
 * An answer's label is known, not that of its sentences: the worst one carries it, chosen anew each round with the weights so
 * far; in the first round all do.
 */
const fitWeights = (answers: readonly MeasuredAnswer[]): Weights => {
  let weights = priorWeights();
  for (let round = 0; round < ROUNDS; round += 1) {
    const chosen = answers.flatMap((answer) => {
      const { sentences } = answer;
      const worst = sentences.toSorted((a, b) => againstOf(b, weights) - againstOf(a, weights)).slice(0, 1);
      return (round === 0 ? sentences : worst).map((found) => ({ answer, found }));
    });
    weights = fitLogistic(withShares(chosen));
  }
  return weights;
};

const withShares = (chosen: { answer: MeasuredAnswer; found: MeasuredAnswer['sentences'][number] }[]): Example[] => {
  const kindOf = ({ set, isSupported }: MeasuredAnswer) => `${set} ${isSupported}`;
  const counts = new Map<string, number>();
  for (const { answer } of chosen) counts.set(kindOf(answer), (counts.get(kindOf(answer)) ?? 0) + 1);
  return chosen.map(({ answer, found }) => ({
    features: FEATURES.map((feature) => found.get(feature)?.value ?? 0),
    label: answer.isSupported ? 0 : 1,
    share: 1 / (counts.get(kindOf(answer)) ?? 1) / counts.size,
  }));
};

/** Logistic regression held by the prior, by gradient descent with momentum, each step divided by a bound of the curvature. */
const fitLogistic = (examples: readonly Example[]): Weights => {
  const { means, spreads } = momentsOf(examples);
  const prior = FEATURES.map((feature) => PRIOR[feature]);
  const weights = [...prior];
  const speeds = weights.map(() => 0);
  let [bias, biasSpeed] = [priorWeights().bias, 0];
  for (let step = 0; step < STEPS; step += 1) {
    const { slopes, biasSlope } = slopesOf(examples, weights, bias);
    weights.forEach((weight, at) => {
      const [mean, spread] = [means[at] ?? 0, spreads[at] ?? 0];
      const hold = HOLD.raw + HOLD.spread * spread;
      // Along the direction in which the bias makes up for the mean.
      const slope = (slopes[at] ?? 0) - mean * biasSlope + hold * (weight - (prior[at] ?? 0));
      const speed = 0.8 * (speeds[at] ?? 0) + slope / (0.25 * spread + hold);
      const next = Math.max(0, weight - 0.1 * speed);
      speeds[at] = next === 0 ? 0 : speed;
      weights[at] = next;
      bias -= (next - weight) * mean;
    });
    biasSpeed = 0.8 * biasSpeed + biasSlope / 0.25;
    bias -= 0.1 * biasSpeed;
  }
  const named = FEATURES.map((feature, at) => [feature, weights[at] ?? 0] as const);
  return { ...priorWeights(), ...Object.fromEntries(named), bias };
};

const slopesOf = (examples: readonly Example[], weights: readonly number[], bias: number) => {
  const slopes = weights.map(() => 0);
  let biasSlope = 0;
  for (const { features, label, share } of examples) {
    let z = bias;
    for (let at = 0; at < features.length; at += 1) z += (weights[at] ?? 0) * (features[at] ?? 0);
    const error = (1 / (1 + Math.exp(-z)) - label) * share;
    for (let at = 0; at < features.length; at += 1) slopes[at] = (slopes[at] ?? 0) + error * (features[at] ?? 0);
    biasSlope += error;
  }
  return { slopes, biasSlope };
};

/** Means, and mean squared distances from them. */
const momentsOf = (examples: readonly Example[]) => {
  const meanOf = (read: (example: Example) => number) =>
    examples.reduce((sum, example) => sum + read(example) * example.share, 0);
  const means = FEATURES.map((_, at) => meanOf(({ features }) => features[at] ?? 0));
  const spreads = FEATURES.map((_, at) => meanOf(({ features }) => ((features[at] ?? 0) - (means[at] ?? 0)) ** 2));
  return { means, spreads };
};

const curveOf = (answers: readonly MeasuredAnswer[], weights: Weights): number => {
  const scores = (isSupported: boolean) =>
    answers
      .filter((answer) => answer.isSupported === isSupported)
      .map(({ sentences }) => 1 - scoreOf(sentences.map((found) => againstOf(found, weights))));
  return areaUnderCurve(scores(false), scores(true));
};

const sourceOf = (weights: Weights): string => `import type { Feature } from './compare-sentence.ts';

// Written by src/dev/fit-support.ts; not edited by hand.

/** What each feature adds to the odds, in natural logarithms, that a sentence is not supported. */
export const SUPPORT_WEIGHTS: Record<Feature | 'bias', number> = {
${Object.entries(weights)
  .map(([feature, weight]) => `  ${feature}: ${Number(weight.toFixed(3))},`)
  .join('\n')}
};
`;

const { values } = parseArgs({ options: { data: { type: 'string' }, dry: { type: 'boolean' } } });
const folder = resolve(values.data ?? 'eval-data');
const tuning = readJudgedAnswers(folder)
  .filter(({ half }) => half === 'tuning')
  .map(measureAnswer)
  .filter(({ sentences }) => sentences.length > 0);
const all = fitWeights(tuning);
console.log('Area under the curve on the tuning halves: fitted on the other sets, on all sets');
for (const set of SUPPORT_SETS) {
  const own = tuning.filter((answer) => answer.set === set);
  const others = fitWeights(tuning.filter((answer) => answer.set !== set));
  console.log(`${set.padEnd(18)} ${curveOf(own, others).toFixed(3)}  ${curveOf(own, all).toFixed(3)}`);
}
if (values.dry !== true)
  writeFileSync(new URL('../grounding/support/support-weights.ts', import.meta.url), sourceOf(all));
