import type { EmbeddingProvider } from '../../src/ai/embeddings/base.ts';
import type { SearchOutcome } from '../../src/knowledge/search/search-edition.ts';
import { semanticCalibrationOf } from '../../src/knowledge/search/semantic-calibration.ts';
import { shippedWordVectors } from '../../tools/run/shipped-word-vectors.ts';
import { calibrationError, type Judged } from './decision-metrics.ts';
import { measureDecisions } from './decisions.ts';
import { type Asked, askAll, embeddedEdition, halfOf, readSample, unitOf } from './embed-set.ts';
import { type JudgedSet, readMtrag, readNq, readSquad } from './eval-data.ts';
import {
  type AskedSet,
  bestSources,
  closestSources,
  POPULATIONS,
  type Population,
  printReliability,
  sureOnes,
} from './relevance.ts';
import { type Measure, ndcgAt10 } from './retrieval.ts';
import { sentenceModel } from './sentence-model.ts';
import { keepOnDisk } from './vectors-on-disk.ts';
import { wordVectorProvider } from './word-vector-provider.ts';

/** Accepted loss of meaning against words alone when it does not help. */
const MAY_LOSE = 0.005;

/**
 * What the shipped word vectors, or a sentence model, add to the words: retrieval, decisions, and how far relevance can be believed. Through the product's
 * retriever, on editions that carry their vectors. Weights and calibrations were tuned on one half of `nq-wiki` and of
 * `mtrag-un` (`halfOf`), on nothing of the other sets.
 */
export async function evalEmbeddings(
  folder: string,
  model: 'word vectors' | 'sentence model',
): Promise<Measure[]> {
  const provider =
    model === 'sentence model'
      ? keepOnDisk(sentenceModel())
      : wordVectorProvider(shippedWordVectors());
  const measures: Measure[] = [];
  const sets: AskedSet[] = [];
  for (const set of [readNq(folder), readMtrag(folder), readSquad(folder), readSample()]) {
    const edition = await embeddedEdition(set, provider);
    const asked = await askAll(set, { edition, provider });
    sets.push({ set, edition, asked });
    measures.push(...measureRetrieval({ set, edition, asked }));
  }
  measures.push(...(await measureDecisions(folder, { sets, provider })));
  for (const asked of sets) measures.push(...measureRelevance(asked, provider));
  return measures;
}

type Half = ReturnType<typeof halfOf>;
const TUNED: readonly JudgedSet['name'][] = ['nq-wiki', 'mtrag-un'];

/** Sets that were tuned on are reported by halves, others whole. */
const partsOf = ({ set, edition, asked }: AskedSet): { name: string; part: AskedSet }[] => {
  if (!TUNED.includes(set.name)) return [{ name: set.name, part: { set, edition, asked } }];
  return (['tuning', 'held out'] satisfies Half[]).map((half) => ({
    name: `${set.name}, ${half}`,
    part: { set, edition, asked: asked.filter((question) => halfOf(question) === half) },
  }));
};

const measureRetrieval = (whole: AskedSet): Measure[] =>
  partsOf(whole).flatMap(({ name, part }) => {
    const words = retrievalOf(part, 'byWords');
    const hybrid = retrievalOf(part, 'hybrid');
    const note = (scores: typeof words) =>
      `top 1 ${scores.first.toFixed(3)}; ${part.asked.length} questions`;
    return [
      { name: `${name}: words, nDCG@10`, value: words.ndcg, note: note(words) },
      {
        name: `${name}: both, nDCG@10`,
        value: hybrid.ndcg,
        target: words.ndcg - MAY_LOSE,
        note: note(hybrid),
      },
    ];
  });

/** Measures the units in the order of the hits, as callers get them. */
const retrievalOf = ({ set, edition, asked }: AskedSet, by: 'byWords' | 'hybrid') => {
  const unit = unitOf(set, edition);
  const unitsOf = ({ hits }: SearchOutcome): string[] => [...new Set(hits.map(unit))];
  const mean = (figureOf: (question: Asked, units: string[]) => number): number =>
    asked.reduce((sum, question) => sum + figureOf(question, unitsOf(question[by])), 0) /
    Math.max(1, asked.length);
  return {
    ndcg: mean(({ relevant }, units) => ndcgAt10(units, relevant)),
    first: mean(({ relevant }, [first = '']) => (relevant.has(first) ? 1 : 0)),
  };
};

/** For the best source of each question, asked with and without the passages that answer it. */
const measureRelevance = (whole: AskedSet, { model }: EmbeddingProvider): Measure[] =>
  partsOf(whole).flatMap(({ name, part }) => {
    const calibration = semanticCalibrationOf(model);
    const sides: Record<string, (population: Population) => Judged[]> = {
      words: (population) => bestSources(part, 'byWords', population),
      meaning: (population) => closestSources(part, calibration, population),
      both: (population) => bestSources(part, 'hybrid', population),
    };
    return Object.entries(sides).map(([by, judgedIn]) => {
      const judged = POPULATIONS.flatMap(judgedIn);
      printReliability(`${name}, ${by}`, judged);
      const answerable = calibrationError(judgedIn('as asked'));
      return {
        name: `${name}: calibration error, ${by}`,
        value: calibrationError(judged),
        note: `${sureOnes(judged)}; answerable questions alone ${answerable.toFixed(3)}`,
      };
    });
  });
