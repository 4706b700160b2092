import type { IntentClassification } from '../../contract/wire/support-response.ts';
import { UNKNOWN_INTENT } from '../../contract/wire/taxonomy.ts';
import { withoutMarks } from '../../language/analyse-text.ts';
import { type Language, languageNamed } from '../../language/language.ts';
import { spellingIn } from '../../language/spelling.ts';
import {
  type IntentModel,
  openModel,
  type SparseVector,
  type TrainingSource,
  vectorOf,
} from './intent-model.ts';
import { messageFeatures, messageTexts, vocabularyStem } from './message-features.ts';

/** An intent and its confidence, 0 to 1. */
type LikelyIntent = NonNullable<IntentClassification['secondary_intents']>[number];

/** Classifies messages by intent. */
export interface IntentClassifier {
  /**
   * The likeliest intent and up to three others that are likely too; `unknown` when none is likely enough, with the confidence of the
   * likeliest. Never throws. Only the first sentences of a long message count, so a subject belongs before it, on a line of its own.
   */
  classify(message: string): IntentClassification;
  /** The best intents, likeliest first, whatever their confidence. */
  likeliest(message: string, limit: number): LikelyIntent[];
  /** Confidence below which a message has no intent. */
  readonly threshold: number;
}

const MAX_SECONDARY = 3;
/** Least confidence of a secondary intent. */
const LEAST_SECONDARY = 0.15;

/**
 * Opens a model that `trainClassifier` has packed, in a few milliseconds.
 *
 * @throws {InvalidModel} When it was trained from another taxonomy or by another version, or is damaged.
 */
export function openClassifier(packed: Uint8Array, taxonomy: TrainingSource): IntentClassifier {
  const model = openModel(packed, taxonomy);
  const language = languageNamed(taxonomy.language ?? 'en');
  const confidencesOf = textReader(model, language);
  const ids = taxonomy.intents.map(({ id }) => id);
  const likeliest = (message: string, limit: number): LikelyIntent[] =>
    combined(messageTexts(message).map(confidencesOf))
      .map((confidence, at) => ({
        intent: ids[at] ?? UNKNOWN_INTENT,
        confidence: Math.round(confidence * 1000) / 1000,
      }))
      .sort((left, right) => right.confidence - left.confidence)
      .slice(0, limit);
  return {
    threshold: model.threshold,
    likeliest,
    classify: (message) => classificationOf(likeliest(message, MAX_SECONDARY + 1), model.threshold),
  };
}

/** The classifier of a taxonomy without intents. */
export const emptyClassifier: IntentClassifier = {
  threshold: 1,
  likeliest: () => [],
  classify: () => ({ primary_intent: UNKNOWN_INTENT, confidence: 0, secondary_intents: [] }),
};

/** @param likely One more than `MAX_SECONDARY`, likeliest first. */
const classificationOf = (
  likely: readonly LikelyIntent[],
  threshold: number,
): IntentClassification => {
  const [best] = likely;
  const isKnown = best !== undefined && best.confidence >= threshold;
  return {
    primary_intent: isKnown ? best.intent : UNKNOWN_INTENT,
    confidence: best?.confidence ?? 0,
    secondary_intents: likely
      .slice(isKnown ? 1 : 0)
      .filter(({ confidence }) => confidence >= LEAST_SECONDARY)
      .slice(0, MAX_SECONDARY),
  };
};

/**
 * Confidences by intent: of the whole message; for a long one, the mean of the whole and of its best sentence. Chosen on development
 * tickets and by cross-validation: the whole alone loses requests in long mails, the best sentence alone misreads messages of two sentences.
 */
const combined = ([whole = [], ...sentences]: readonly number[][]): number[] =>
  whole.map((confidence, intent) => {
    if (sentences.length === 0) return confidence;
    const best = sentences.reduce((most, own) => Math.max(most, own[intent] ?? 0), confidence);
    return (confidence + best) / 2;
  });

/** A word of fewer letters is more often another word than a misspelling. */
const LEAST_CORRECTED = 5;

/** Weight of a stop word among the words of a text; other words have 1. A text may have stop words only. */
const STOP_WORD_WEIGHT = 0.25;

/** Computes the confidences of a text by intent: all 0 when no word of it is in any example. */
const textReader = (model: IntentModel, language: Language): ((text: string) => number[]) => {
  const words = model.words.split(' ');
  const stems = new Set(words.map((word) => vocabularyStem(word, language)));
  const isSeen = (word: string): boolean => stems.has(vocabularyStem(word, language));
  const spellings = spellingIn(words, { leastLength: LEAST_CORRECTED });
  const corrected = (word: string): string => (isSeen(word) ? word : (spellings(word)[0] ?? word));
  const weightOf = (each: readonly string[]): number =>
    each.reduce(
      (sum, word) => sum + (language.stopWords.has(withoutMarks(word)) ? STOP_WORD_WEIGHT : 1),
      0,
    );
  return (text) => {
    const features = messageFeatures(text, language, corrected);
    const seenWeight = weightOf(features.words.filter(isSeen));
    if (seenWeight === 0) return model.biases.map(() => 0);
    const seen = seenWeight / weightOf(features.words);
    return scoresOf(model, vectorOf(features, model.table)).map((score) =>
      confidenceOf({ score, seen }),
    );
  };
};

const scoresOf = (
  { biases, units, weights }: IntentModel,
  { places, values }: SparseVector,
): number[] => {
  const sums = biases.map(() => 0);
  for (let at = 0; at < places.length; at += 1) {
    const start = (places[at] as number) * sums.length;
    const value = values[at] as number;
    for (let intent = 0; intent < sums.length; intent += 1)
      sums[intent] = (sums[intent] as number) + value * (weights[start + intent] as number);
  }
  return sums.map((sum, intent) => (biases[intent] ?? 0) + sum * (units[intent] ?? 0));
};

/** The signals that the confidence of an intent is computed from. */
interface IntentSignals {
  /** Distance to the hyperplane between the intent and all others; 1 is that of a clear example. */
  score: number;
  /** Weighted share of the message's words that examples have, 0 to 1. */
  seen: number;
}

/**
 * Probability, 0 to 1, that a message is in scope and has this intent. Fitted once, on simulations over small random taxonomies of the
 * train part of BANKING77 (2 to 30 intents, 3 to 20 examples, 15 % out of scope); fitting it to each taxonomy gained nothing. The logarithm
 * fits better than the share itself. The probabilities of all intents need not add up to 1.
 */
export function confidenceOf({ score, seen }: IntentSignals): number {
  return 1 / (1 + Math.exp(-1.49 - 3.73 * score - 2.59 * Math.log(seen + 0.02)));
}
