import type { Edition } from '../../src/knowledge/edition/open-edition.ts';
import { applyLogistic, type LogisticModel } from '../../src/knowledge/search/logistic.ts';
import { relevanceOfHits } from '../../src/knowledge/search/relevance.ts';
import type { SearchHit, SearchOutcome } from '../../src/knowledge/search/search-edition.ts';
import { semanticFeatures } from '../../src/knowledge/search/semantic-calibration.ts';
import { calibrationError, type Judged, reliability } from './decision-metrics.ts';
import { type Asked, unitOf } from './embed-set.ts';
import type { JudgedSet } from './eval-data.ts';
import type { Example } from './fit-logistic.ts';

/** A set that was asked, and the edition that answered. */
export interface AskedSet {
  set: JudgedSet;
  edition: Edition;
  asked: readonly Asked[];
}

/** Whether the outcome of a question is used as it is, or without the sources that answer it. */
export type Population = 'as asked' | 'answers left out';
/** Relevance is meant for both at once: of the questions that a knowledge base is asked many have no answer in it. */
export const POPULATIONS: readonly Population[] = ['as asked', 'answers left out'];

type Side = 'byWords' | 'hybrid';

/** The estimated relevance of the best source, and whether it answers: by words, or by words and meaning. */
export function bestSources(asked: AskedSet, side: Side, population: Population): Judged[] {
  return outcomesOf(asked, side, population).flatMap(({ outcome, isRight }) => {
    const [best] = outcome.hits;
    const [confidence] = relevanceOfHits(outcome);
    return best === undefined || confidence === undefined
      ? []
      : [{ confidence, isRight: isRight(best) }];
  });
}

/** The same by meaning alone, with a calibration that is tried: of the source that is closest. */
export function closestSources(
  asked: AskedSet,
  calibration: LogisticModel,
  population: Population,
): Judged[] {
  return semanticExamples(asked, population).flatMap(([closest]) =>
    closest === undefined
      ? []
      : [{ confidence: applyLogistic(calibration, closest.features), isRight: closest.label }],
  );
}

/** By question: the sources that are closest in meaning, the closest first, in the form that a calibration gets. */
export function semanticExamples(asked: AskedSet, population: Population): Example[][] {
  return outcomesOf(asked, 'hybrid', population).map(({ outcome, isRight }) => {
    const near = closestOf(outcome);
    const [first = 0, second = first] = near.map(({ similarity }) => similarity);
    return near.map(({ hit, similarity }, at) => ({
      features: semanticFeatures(similarity, at === 0 ? second : first),
      label: isRight(hit),
    }));
  });
}

const outcomesOf = (
  { set, edition, asked }: AskedSet,
  side: Side,
  population: Population,
): { outcome: SearchOutcome; isRight: (hit: SearchHit) => boolean }[] => {
  const unit = unitOf(set, edition);
  return asked.map(({ relevant, [side]: outcome }) => {
    const isRight = (hit: SearchHit): boolean => relevant.has(unit(hit));
    if (population === 'as asked') return { outcome, isRight };
    return { outcome: { ...outcome, hits: outcome.hits.filter((hit) => !isRight(hit)) }, isRight };
  });
};

const closestOf = ({ hits }: SearchOutcome): { hit: SearchHit; similarity: number }[] =>
  hits
    .flatMap((hit) => (hit.similarity === undefined ? [] : [{ hit, similarity: hit.similarity }]))
    .toSorted((left, right) => right.similarity - left.similarity);

/** From this relevance a source very probably answers. */
const SURE_FROM = 0.7;

/** "0.93 of 120": how many are said to be very probably right, and what share of them is. */
export function sureOnes(judged: readonly Judged[]): string {
  const sure = judged.filter(({ confidence }) => confidence >= SURE_FROM);
  const right = sure.filter(({ isRight }) => isRight).length;
  return `from ${SURE_FROM} on ${(right / Math.max(1, sure.length)).toFixed(2)} of ${sure.length} are right`;
}

/** Prints the observed share for each bin of estimated relevance. */
export function printReliability(title: string, judged: readonly Judged[]): void {
  console.log(
    `\n${title}: ${judged.length} sources, calibration error ${calibrationError(judged).toFixed(3)}`,
  );
  console.log('relevance said   sources   mean said   right');
  for (const { from, count, confidence, right } of reliability(judged)) {
    const bin = `${from.toFixed(1)} to ${(from + 0.1).toFixed(1)}`;
    const numbers = `${String(count).padStart(14)} ${confidence.toFixed(3).padStart(11)} ${right.toFixed(3).padStart(7)}`;
    console.log(`${bin}${numbers}`);
  }
}
