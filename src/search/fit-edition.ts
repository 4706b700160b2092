import { splitBlocks } from '../markup/split-blocks.ts';
import { seededRandom } from '../runtime/seeded-random.ts';
import { wordsOf } from '../text/analyse-text.ts';
import { splitSentences } from '../text/split-sentences.ts';
import {
  type AnsweringModel,
  DEFAULT_MODEL,
  domainFeatures,
  encodeModel,
  KEYS_SECTION,
  MODEL_SECTION,
} from './answering-model.ts';
import { attachSection } from './attach-section.ts';
import { applyLogistic, fitLogistic, type LogisticModel } from './fit-logistic.ts';
import { FOREIGN_QUESTIONS } from './foreign-questions.ts';
import { keysOfTerms } from './keyness.ts';
import { type Edition, openEdition } from './open-edition.ts';
import { attachRepeatedBlocks } from './repeated-blocks.ts';
import { searchEdition } from './search-edition.ts';
import { topicsOf } from './topics-of.ts';

/**
 * Fits to a finished edition what decides about answers from it, without labels (recipe, section 5), and attaches it.
 * Deterministic: the same edition gives the same bytes. Takes about a second at most, whatever the edition's size.
 *
 * @param edition As `buildEdition` returned it; must not be used afterwards.
 * @returns The edition with the sections `answering`, `answering.keys` and `answering.repeated`.
 */
export const fitEdition = (edition: Uint8Array): Uint8Array => {
  const model = fitAnsweringModel(openEdition(edition));
  const fitted = attachSection(attachSection(edition, MODEL_SECTION, encodeModel(model)), KEYS_SECTION, model.keys);
  return attachRepeatedBlocks(fitted);
};

/** What `fitEdition` attaches. */
const fitAnsweringModel = (edition: Edition): AnsweringModel => {
  const keys = keysOfTerms(edition);
  const topics = topicsOf(edition, keys);
  const asked = madeUpQuestions(edition).map(({ text }) => searchEdition(edition, text));
  if (asked.length < MIN_QUESTIONS) return { ...DEFAULT_MODEL, topics, keys };
  const foreign = foreignQuestions().map((text) => domainFeatures(searchEdition(edition, text), keys));
  const own = asked.map((outcome) => domainFeatures(outcome, keys));
  const mixed = mixedQuestions(edition).map((text) => domainFeatures(searchEdition(edition, text), keys));
  const domain = fitLogistic([...[...own, ...mixed].map(labelled(true)), ...foreign.map(labelled(false))], {
    signs: new Array(8).fill(1),
  });
  const domainThreshold = thresholdOf({ domain, own, foreign });
  return { ...DEFAULT_MODEL, domain, domainThreshold, topics, keys };
};

const labelled = (label: boolean) => (features: number[]) => ({ features, label });

const foreignQuestions = (): string[] => Object.values(FOREIGN_QUESTIONS).flatMap((lines) => lines.trim().split('\n'));

/**
 * Made-up questions with a word of a foreign one: customers use words that the knowledge base lacks. So many lessen the weight
 * of fitting in every word just enough; with two to three times as many a foreign question in twenty gets through.
 */
const MIXED_QUESTIONS = 100;

/** Half of a made-up question, at least two words, and one word from elsewhere. */
const mixedQuestions = (edition: Edition): string[] => {
  const foreign = wordsOf(foreignQuestions().join('\n'));
  const random = seededRandom(edition.chunkCount + 1);
  return madeUpQuestions(edition, MIXED_QUESTIONS).map(({ text }) => {
    const words = text.split(' ');
    const other = foreign[Math.floor(random() * foreign.length)] ?? '';
    return [...words.slice(0, Math.max(2, Math.ceil(words.length / 2))), other].join(' ');
  });
};

/** Made-up questions asked; more give the same models. */
const QUESTIONS = 600;
/** With fewer a fit says more about chance than about the knowledge base. */
const MIN_QUESTIONS = 40;

/** Of foreign questions this share is refused ... */
const FOREIGN_REFUSED = 0.98;
/** ... unless that refuses more than this share of questions made up from the knowledge base itself. */
const OWN_REFUSED = 0.05;

/**
 * The second bound matters to a knowledge base that is at home in one of the panel's subjects, such as a bank's: there a
 * tenth of the "foreign" questions are its own.
 */
const thresholdOf = ({
  domain,
  own,
  foreign,
}: {
  domain: LogisticModel;
  own: number[][];
  foreign: number[][];
}): number => {
  const at = (examples: number[][], share: number) => {
    const sorted = examples.map((features) => applyLogistic(domain, features)).toSorted((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  };
  return Math.min(at(foreign, FOREIGN_REFUSED), at(own, OWN_REFUSED));
};

/**
 * Runs of 4 to 7 content words of random sentences, a quarter of them replaced by words from elsewhere. Every second one is
 * cut short, to as little as 2 words, so that short questions are known too.
 */
export const madeUpQuestions = (edition: Edition, count = QUESTIONS): { text: string; chunk: number }[] => {
  const random = seededRandom(edition.chunkCount);
  const pick = (length: number) => Math.min(length - 1, Math.floor(random() * length));
  const questions: { text: string; chunk: number }[] = [];
  for (let tries = 0; tries < 3 * count && questions.length < count && edition.chunkCount > 1; tries += 1) {
    const chunk = pick(edition.chunkCount);
    const words = randomSentence(edition.chunk(chunk).text, pick);
    const elsewhere = wordsOf(edition.chunk(pick(edition.chunkCount)).text.slice(0, 2000));
    if (words.length < 6 || elsewhere.length === 0) continue;
    const whole = Math.min(words.length, 4 + pick(4));
    const length = questions.length % 2 === 0 ? whole : 2 + pick(whole - 1);
    const from = pick(words.length - length + 1);
    const run = words.slice(from, from + length);
    const text = run.map((word) => (random() < 0.25 ? (elsewhere[pick(elsewhere.length)] ?? word) : word)).join(' ');
    questions.push({ text, chunk });
  }
  return questions;
};

const randomSentence = (text: string, pick: (length: number) => number): string[] => {
  const sentences = splitBlocks(text.slice(0, 4000))
    .filter(({ kind }) => kind === 'prose' || kind === 'list')
    .flatMap((block) => splitSentences(text, block));
  const sentence = sentences[pick(sentences.length)];
  return sentence ? wordsOf(text.slice(sentence.start, sentence.end)) : [];
};
