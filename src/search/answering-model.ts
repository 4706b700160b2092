import { applyLogistic, type LogisticModel } from './fit-logistic.ts';
import type { Edition } from './open-edition.ts';
import type { SearchHit, SearchOutcome } from './search-edition.ts';
import { joined, semanticRelevances } from './semantic-calibration.ts';

/** Parameters of answering from an edition; all but `relevance` are fitted when the edition is published (`fitEdition`). */
export interface AnsweringModel {
  /** Whether a question is in the domain of the knowledge base, from `domainFeatures`. */
  domain: LogisticModel;
  /** Below this a question is out of domain. */
  domainThreshold: number;
  /** Whether one source answers the question, from `relevanceFeatures`. */
  relevance: LogisticModel;
  /** Typical terms of the knowledge base, most characteristic first; at most 8. */
  topics: string[];
  /** Keyness by term id: how much more frequent a term is here than in general English (see `keysOfTerms`). */
  keys: Uint8Array;
}

/** Names of the sections that `fitEdition` attaches. */
export const MODEL_SECTION = 'answering';
export const KEYS_SECTION = 'answering.keys';

/** Lowest key: common in general English, rare here. */
const LOWEST_KEY = -2;
/** Highest key. Keys are natural logarithms of the ratio of shares. */
const HIGHEST_KEY = 5;

/** Encodes a key as one byte. */
export const encodeKey = (key: number): number =>
  Math.round(((Math.min(HIGHEST_KEY, Math.max(LOWEST_KEY, key)) - LOWEST_KEY) / (HIGHEST_KEY - LOWEST_KEY)) * 255);

/** Decodes a key; the lowest one for a term that the knowledge base lacks. */
export const decodeKey = (byte: number | undefined): number =>
  byte === undefined ? LOWEST_KEY : LOWEST_KEY + (byte / 255) * (HIGHEST_KEY - LOWEST_KEY);

/**
 * Used for editions without a model, which are too small to fit one (docs/calibration.md). Editions store their model, `relevance`
 * included: a change here reaches them when they are published again.
 */
export const DEFAULT_MODEL: AnsweringModel = {
  domain: { weights: [9.2, 0.72, 0.58, 0, 0, 0, 0, 0], bias: -4.8 },
  domainThreshold: 0.5,
  relevance: { weights: [6.6, 8.4], bias: -3.4 },
  topics: [],
  keys: new Uint8Array(0),
};

const opened = new WeakMap<Edition, AnsweringModel>();

/** The model of an edition, cached; the default if it has none or an unreadable one. */
export const answeringModelOf = (edition: Edition): AnsweringModel => {
  const known = opened.get(edition);
  if (known) return known;
  const model = readModel(edition.section(MODEL_SECTION), edition.section(KEYS_SECTION));
  opened.set(edition, model);
  return model;
};

/** The bytes of `MODEL_SECTION`; keys are stored in a section of their own. */
export const encodeModel = ({ keys: _, ...model }: AnsweringModel): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(model));

const readModel = (section: Uint8Array | undefined, keys: Uint8Array = DEFAULT_MODEL.keys): AnsweringModel => {
  if (section === undefined) return DEFAULT_MODEL;
  // Written by `encodeModel` in the same build step; the edition carries the format version.
  const model = JSON.parse(new TextDecoder().decode(section)) as Omit<AnsweringModel, 'keys'>;
  return { ...model, keys };
};

/** How typical the words of a question are for the knowledge base. */
interface Keyness {
  /** Mean of the keys, each from -2 to 4. */
  mean: number;
  /** The largest key, from -2 to 5. */
  highest: number;
  /** Sum of the keys above 0. */
  sum: number;
}

/** Keyness of the question's own words; all zero if there are no words or no keys. */
export const keynessOf = ({ terms }: Pick<SearchOutcome['query'], 'terms'>, keys: Uint8Array): Keyness => {
  const own = terms.filter(({ origin }) => origin === 'question');
  if (own.length === 0 || keys.length === 0) return { mean: 0, highest: 0, sum: 0 };
  const values = own.map(({ postings: [posting] }) =>
    posting === undefined ? LOWEST_KEY : decodeKey(keys[posting.termId]),
  );
  return {
    mean: values.reduce((sum, value) => sum + Math.min(4, value), 0) / values.length,
    highest: Math.max(...values),
    sum: values.reduce((sum, value) => sum + Math.max(0, value), 0),
  };
};

type Evidence = Pick<SearchOutcome, 'query' | 'hits' | 'coverage' | 'quality' | 'margin' | 'model'>;

/** The hit that quality and margin describe: the first, or the best by words if meaning affected the order. */
const bestByWords = ({ hits, model }: Pick<Evidence, 'hits' | 'model'>): SearchHit | undefined =>
  model === undefined
    ? hits[0]
    : hits.reduce<SearchHit | undefined>((best, hit) => (best && best.score >= hit.score ? best : hit), undefined);

/**
 * Features of the domain model: quality, keyness (mean, highest, sum), share of adjacent word pairs matched, tightness,
 * margin, subject.
 */
export const domainFeatures = (evidence: Evidence, keys: Uint8Array): number[] => {
  const { query, quality, margin } = evidence;
  const best = bestByWords(evidence);
  const { mean, highest, sum } = keynessOf(query, keys);
  const pairs = best && query.judged > 0 ? best.pairIdf / query.judged : 0;
  return [quality, mean, highest, sum, pairs, best?.tightness ?? 0, margin, subjectOf(query, keys)];
};

/** Keys are capped here: higher ones distinguish the knowledge base from general English no better. */
const TELLING_KEY = 4;

/**
 * How strongly one question word identifies the subject of the knowledge base: the largest product of its key, as a share
 * of `TELLING_KEY`, and log2(1 + number of chunks that contain it). A characteristic word in every tenth chunk names the
 * subject; one that occurs once may be anything.
 */
const subjectOf = ({ terms }: SearchOutcome['query'], keys: Uint8Array): number => {
  let most = 0;
  for (const { origin, isKnown, postings, chunkCount } of terms) {
    const [posting] = postings;
    if (origin !== 'question' || !isKnown || posting === undefined || keys.length === 0) continue;
    const share = Math.min(TELLING_KEY, decodeKey(keys[posting.termId])) / TELLING_KEY;
    most = Math.max(most, share * Math.log2(1 + chunkCount));
  }
  return most;
};

/** Features of the relevance model: quality of the hit, and its lead over the best other hit (negative if it trails). */
const relevanceFeatures = (hit: Pick<SearchHit, 'score'>, bestOther: number, total: number): number[] =>
  total > 0 ? [hit.score / (4 * total), (hit.score - bestOther) / (4 * total)] : [0, 0];

/**
 * Probability that each hit answers the question by itself, 0 to 1; 0.7 means "very probably"
 * (docs/calibration.md). Combines words and, if compared, meaning.
 *
 * @returns One number for each of `outcome.hits`.
 */
export const relevanceOfHits = (
  outcome: Pick<SearchOutcome, 'hits' | 'query' | 'model'>,
  model: AnsweringModel,
): number[] => {
  const { hits, query } = outcome;
  const byMeaning = semanticRelevances(outcome);
  const [best, second] = hits.map(({ score }) => score).toSorted((a, b) => b - a);
  return hits.map((hit, at) => {
    const bestOther = hit.score === best ? (second ?? 0) : (best ?? 0);
    return joined(applyLogistic(model.relevance, relevanceFeatures(hit, bestOther, query.judged)), byMeaning[at]);
  });
};
