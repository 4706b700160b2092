import type { IntentClassification } from '../../contract/support-response.ts';
import { UNKNOWN_INTENT } from '../../contract/taxonomy.ts';
import { contentHash } from './content-hash.ts';
import { messageParts } from './message-parts.ts';
import { ModelRefused, type OpenModel, openModel } from './open-model.ts';
import { scoreMessage } from './score-message.ts';
import type { LearntFrom } from './training-set.ts';

/** An intent and the chance that it is meant, 0 to 1. */
type LikelyIntent = NonNullable<IntentClassification['secondary_intents']>[number];

/** Tells what a customer wants. */
export interface IntentClassifier {
  /**
   * The likeliest intent and up to three others that are likely too; `unknown` where none is likely enough, with the confidence of
   * the likeliest. Never throws; of a long message the first sentences count, so that a subject belongs before it, on a line of
   * its own.
   */
  classify(message: string): IntentClassification;
  /** The likeliest intents, likeliest first, however unlikely they are. */
  likeliest(message: string, limit: number): LikelyIntent[];
  /** Confidence below which a message is of no intent. */
  readonly threshold: number;
}

const MAX_SECONDARY = 3;
/** Less likely ones are not worth a word. */
const LEAST_SECONDARY = 0.15;

/**
 * Opens what `trainClassifier` has packed, in a few milliseconds.
 *
 * @throws {ModelRefused} When it was trained from another taxonomy or by another version, or is damaged.
 */
export const openClassifier = (packed: Uint8Array, taxonomy: LearntFrom): IntentClassifier => {
  const model = openModel(packed, { contentHash: contentHash(taxonomy) });
  const ids = taxonomy.intents.map(({ id }) => id);
  if (ids.length !== model.intentCount) throw new ModelRefused('Cannot open the trained model: its intents are others');
  const likeliest = (message: string, limit: number): LikelyIntent[] =>
    [...confidencesOf(model, message)]
      .map((confidence, at) => ({ intent: ids[at] ?? UNKNOWN_INTENT, confidence: rounded(confidence) }))
      .sort((left, right) => right.confidence - left.confidence)
      .slice(0, limit);
  return {
    threshold: model.threshold,
    likeliest,
    classify: (message) => classificationOf(likeliest(message, MAX_SECONDARY + 1), model.threshold),
  };
};

/** A desk without intents: every message is of none. */
export const emptyClassifier: IntentClassifier = {
  threshold: 1,
  likeliest: () => [],
  classify: () => ({ primary_intent: UNKNOWN_INTENT, confidence: 0, secondary_intents: [] }),
};

/** @param likely At least one more than the secondary intents that are told. */
const classificationOf = (likely: readonly LikelyIntent[], threshold: number): IntentClassification => {
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
 * By intent, of the message as a whole; of a long one half of it, and half of its best sentence. Found on development tickets and by
 * cross-validation: the whole alone loses requests in long mails, the best sentence alone misreads short messages of two.
 */
const confidencesOf = (model: OpenModel, message: string): Float64Array => {
  const { whole, sentences } = messageParts(message);
  const all = knownConfidences(model, whole);
  if (sentences.length === 0) return all;
  const each = sentences.map((words) => knownConfidences(model, words));
  return all.map((confidence, intent) => {
    const best = each.reduce((most, own) => Math.max(most, own[intent] ?? 0), confidence);
    return (confidence + best) / 2;
  });
};

/** A text of which no word is known is of no intent. */
const knownConfidences = (model: OpenModel, words: readonly string[]): Float64Array => {
  const { confidences, isKnown } = scoreMessage(model, words);
  return isKnown ? confidences : new Float64Array(model.intentCount);
};

const rounded = (share: number): number => Math.round(share * 1000) / 1000;
