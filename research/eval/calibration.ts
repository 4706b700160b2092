import { embeddingProviderOf } from '../../src/ai/adapters/models.ts';
import { type AdapterVariables, readAdapters } from '../../src/ai/adapters/settings.ts';
import type { EmbeddingProvider } from '../../src/ai/embeddings/base.ts';
import { cl100k, loadTokenizer } from '../../src/ai/tokenizer.ts';
import offTopicQuestions from '../../src/answering/passages/off-topic-questions.json' with {
  type: 'json',
};
import {
  type SemanticCalibration,
  semanticCalibrationOf,
} from '../../src/knowledge/search/semantic-calibration.ts';
import { shippedWordVectors } from '../../tools/run/shipped-word-vectors.ts';
import { calibrationError } from './decision-metrics.ts';
import { askAll, embeddedEdition, halfOf, textsToEmbed } from './embed-set.ts';
import { type JudgedQuestion, type JudgedSet, readMtrag, readNq, readSquad } from './eval-data.ts';
import { fitSemanticCalibration } from './fit-semantic-calibration.ts';
import {
  type AskedSet,
  closestSources,
  POPULATIONS,
  printReliability,
  semanticExamples,
  sureOnes,
} from './relevance.ts';
import type { Measure } from './retrieval.ts';
import { type KeptVectors, keepOnDisk } from './vectors-on-disk.ts';
import { wordVectorProvider } from './word-vector-provider.ts';

/**
 * Fits the calibration of an embedding model (`src/knowledge/search/semantic-calibration.ts`) and prints it, with its error
 * before and after on questions that it was not fitted on (docs/calibration.md). Fitted on one half of `nq-wiki` and of
 * `mtrag-un`, last turns alone.
 *
 * @param variables As the functions read them: the configured model, or the shipped word vectors without one.
 */
export async function evalCalibration(
  folder: string,
  { variables }: { variables: AdapterVariables },
): Promise<Measure[]> {
  const settings = readAdapters(variables);
  const configured = embeddingProviderOf(settings);
  const provider =
    configured === undefined
      ? { ...wordVectorProvider(shippedWordVectors()), missing: () => [] }
      : keepOnDisk(configured, { origin: settings.openai?.url });
  const sets = [readNq(folder), withoutHistory(readMtrag(folder)), readSquad(folder)];
  await embedAll(sets, provider);
  const asked: AskedSet[] = [];
  for (const set of sets) asked.push(await ask(set, { questions: set.questions, provider }));
  const fitted = asked.slice(0, FITTED_ON);
  const tuning = fitted.map((whole) => partOf(whole, 'tuning'));
  const foreign = await askForeign(fitted, provider);
  const calibration = fitSemanticCalibration(
    tuning.flatMap((part) => semanticExamples(part, 'as asked').flat()),
    [
      ...tuning.flatMap((part) => semanticExamples(part, 'answers left out').flat()),
      ...foreign.flatMap((part) => semanticExamples(part, 'as asked').flat()),
    ],
  );
  console.log(
    `\nFor CALIBRATIONS in src/knowledge/search/semantic-calibration.ts:\n\n  ${written(provider, calibration)}\n`,
  );
  const heldOut = [...fitted.map((whole) => partOf(whole, 'held out')), ...asked.slice(FITTED_ON)];
  return heldOut.flatMap((part) => errorsOf(part, { model: provider.model, calibration }));
}

/** Hits looked at: so many that what is near is among them whatever its words. */
const LIMIT = 50;

/** The first two sets; the third is never fitted on. */
const FITTED_ON = 2;

const withoutHistory = (set: JudgedSet): JudgedSet => ({
  ...set,
  questions: set.questions.map((question) => ({ ...question, history: [] })),
});

const partOf = ({ set, edition, asked }: AskedSet, half: ReturnType<typeof halfOf>): AskedSet => ({
  set: { ...set, name: `${set.name}, ${half}` },
  edition,
  asked: asked.filter((question) => halfOf(question) === half),
});

const panel = (): JudgedQuestion[] =>
  Object.values(offTopicQuestions)
    .flat()
    .map((text) => foreigner({ id: text, text }));

const foreigner = ({ id, text }: Pick<JudgedQuestion, 'id' | 'text'>): JudgedQuestion => ({
  id,
  text,
  relevant: new Set<string>(),
  history: [],
});

/** Out-of-domain questions for a knowledge base: the product's panel, and the questions of the other sets. */
const askForeign = async (
  sets: readonly AskedSet[],
  provider: EmbeddingProvider,
): Promise<AskedSet[]> => {
  const foreign: AskedSet[] = [];
  for (const { set, edition, asked: own } of sets) {
    const others = sets
      .filter((other) => other.set !== set)
      .flatMap(({ asked }) => asked.filter(isTuning).map(foreigner));
    const asked = await askAll(
      { questions: [...others, ...panel()].slice(0, own.filter(isTuning).length) },
      { edition, provider, limit: LIMIT },
    );
    foreign.push({ set, edition, asked });
  }
  return foreign;
};

const isTuning = (question: JudgedQuestion): boolean => halfOf(question) === 'tuning';

const ask = async (
  set: JudgedSet,
  { questions, provider }: { questions: JudgedQuestion[]; provider: EmbeddingProvider },
): Promise<AskedSet> => {
  const edition = await embeddedEdition(set, provider);
  return { set, edition, asked: await askAll({ questions }, { edition, provider, limit: LIMIT }) };
};

/** Prints the cost first: texts and tokens that the model has not embedded yet. */
const embedAll = async (sets: readonly JudgedSet[], provider: KeptVectors): Promise<void> => {
  const questions = [...sets.flatMap((set) => set.questions), ...panel()].map(({ text }) => text);
  const texts = [...sets.flatMap(textsToEmbed), ...questions];
  const missing = provider.missing(texts);
  const tokenizer = await loadTokenizer(provider.model, [cl100k]);
  const tokens = missing.reduce((sum, text) => sum + tokenizer.count(text), 0);
  console.log(
    `\n${provider.model}: ${texts.length} texts; to be embedded now ${missing.length}, about ${tokens} tokens`,
  );
  await provider.embedBatch(missing);
};

const written = (
  { model }: EmbeddingProvider,
  { weights, bias, slope }: SemanticCalibration,
): string => {
  const short = (value: number): string => String(Number(value.toPrecision(3)));
  return `'${model}': { weights: [${weights.map(short).join(', ')}], bias: ${short(bias)}, slope: ${short(slope)} },`;
};

const errorsOf = (
  part: AskedSet,
  { model, calibration }: { model: string; calibration: SemanticCalibration },
): Measure[] =>
  Object.entries({ before: semanticCalibrationOf(model), after: calibration }).map(
    ([when, tried]) => {
      const judged = POPULATIONS.flatMap((population) => closestSources(part, tried, population));
      if (when === 'after') printReliability(`${part.set.name}, closest source`, judged);
      return {
        name: `${part.set.name}: error ${when}`,
        value: calibrationError(judged),
        note: sureOnes(judged),
      };
    },
  );
