/** What a gap is about, so that the same in other words is known for the same. */
export interface GapSubject {
  /** Stems with what each tells in its edition, above 0; empty where kind, product and intent say it all. */
  stems: readonly (readonly [stem: string, weight: number])[];
  /** Of what was asked, by the model that `model` names; absent where there is none. */
  vector?: readonly number[] | undefined;
  model?: string | undefined;
}

/** From here on two subjects of one intent are the same: half of what their stems tell. */
export const SAME_SUBJECT = 0.5;
/** Of two intents, since a classification may err. */
export const SAME_WHATEVER_INTENT = 0.8;
/** A meaning counts from here on, where some word is common: only paraphrases reach it with any model that docs/calibration.md tells of. */
const SAME_MEANING = 0.8;
const SOME_STEMS = 0.15;

/** How alike two subjects are, by their words and, where both have one of the same model, their vectors: 0 to 1. */
export const subjectLikeness = (left: GapSubject, right: GapSubject): number => {
  if (left.stems.length === 0 && right.stems.length === 0) return 1;
  const byStems = cosineOfStems(left.stems, right.stems);
  if (byStems < SOME_STEMS || left.model === undefined || left.model !== right.model) return byStems;
  const byMeaning = cosine(left.vector ?? [], right.vector ?? []);
  return byMeaning >= SAME_MEANING ? Math.max(byStems, byMeaning) : byStems;
};

const cosineOfStems = (left: GapSubject['stems'], right: GapSubject['stems']): number => {
  const weights = new Map(left);
  const dot = right.reduce((sum, [stem, weight]) => sum + weight * (weights.get(stem) ?? 0), 0);
  const lengths = lengthOf(left.map(([, weight]) => weight)) * lengthOf(right.map(([, weight]) => weight));
  return lengths === 0 ? 0 : dot / lengths;
};

const cosine = (left: readonly number[], right: readonly number[]): number => {
  if (left.length !== right.length) return 0;
  const dot = left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0);
  const lengths = lengthOf(left) * lengthOf(right);
  return lengths === 0 ? 0 : dot / lengths;
};

const lengthOf = (numbers: readonly number[]): number => Math.hypot(...numbers);
