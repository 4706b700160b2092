import { applyLogistic, type LogisticModel } from './fit-logistic.ts';
import type { Edition } from './open-edition.ts';
import type { SearchHit, SearchOutcome } from './search-edition.ts';
import { joined, semanticRelevances } from './semantic-calibration.ts';

/** What an edition knows about answering from it; fitted when it is published (`fitEdition`). */
export interface AnsweringModel {
  /** Whether a question is about what the knowledge base is about, from `domainFeatures`. */
  domain: LogisticModel;
  /** Below this a question is out of domain. */
  domainThreshold: number;
  /** Whether one source answers the question, from `relevanceFeatures`. */
  relevance: LogisticModel;
  /** What the knowledge base is about, in its own words, the most telling first; at most 12. */
  topics: string[];
  /** How much more often a term occurs here than in English at large, by term id; see `keyOf`. */
  keys: Uint8Array;
}

/** Names of the sections that `fitEdition` attaches. */
export const MODEL_SECTION = 'answering';
export const KEYS_SECTION = 'answering.keys';

/** Keys run from here (common in English, rare here) ... */
const LOWEST_KEY = -2;
/** ... to here, as natural logarithms of the ratio of shares. */
const HIGHEST_KEY = 5;

/** A key as the byte that an edition keeps. */
export const encodeKey = (key: number): number =>
  Math.round(((Math.min(HIGHEST_KEY, Math.max(LOWEST_KEY, key)) - LOWEST_KEY) / (HIGHEST_KEY - LOWEST_KEY)) * 255);

/** The key of a byte; that of a term the knowledge base lacks is the lowest. */
export const decodeKey = (byte: number | undefined): number =>
  byte === undefined ? LOWEST_KEY : LOWEST_KEY + (byte / 255) * (HIGHEST_KEY - LOWEST_KEY);

/** In force where an edition has none of its own, being too small to fit one (recipe, section 5). */
export const DEFAULT_MODEL: AnsweringModel = {
  domain: { weights: [9.2, 0.72, 0.58, 0, 0, 0, 0, 0], bias: -4.8 },
  domainThreshold: 0.5,
  relevance: { weights: [6.6, 8.4], bias: -3.4 },
  topics: [],
  keys: new Uint8Array(0),
};

const opened = new WeakMap<Edition, AnsweringModel>();

/** The model of an edition, read once; the default where it has none or where it does not read. */
export const answeringModelOf = (edition: Edition): AnsweringModel => {
  const known = opened.get(edition);
  if (known) return known;
  const model = readModel(edition.section(MODEL_SECTION), edition.section(KEYS_SECTION));
  opened.set(edition, model);
  return model;
};

/** The bytes of `MODEL_SECTION`; the keys have a section of their own. */
export const encodeModel = ({ keys: _, ...model }: AnsweringModel): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(model));

const readModel = (section: Uint8Array | undefined, keys: Uint8Array = DEFAULT_MODEL.keys): AnsweringModel => {
  if (section === undefined) return DEFAULT_MODEL;
  // Written by `encodeModel` of the same build step, whose format version the edition carries.
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

/** Keyness of a question's own words; all zero without any, or without keys. */
const keynessOf = ({ terms }: SearchOutcome['query'], keys: Uint8Array): Keyness => {
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

/** The hit that quality and margin speak of: the first, unless meaning had a part in the order. */
const bestByWords = ({ hits, model }: Pick<Evidence, 'hits' | 'model'>): SearchHit | undefined =>
  model === undefined
    ? hits[0]
    : hits.reduce<SearchHit | undefined>((best, hit) => (best && best.score >= hit.score ? best : hit), undefined);

/** Of the domain model: quality, keyness (mean, highest, sum), share of neighbouring words kept, tightness, margin, subject. */
export const domainFeatures = (evidence: Evidence, keys: Uint8Array): number[] => {
  const { query, quality, margin } = evidence;
  const best = bestByWords(evidence);
  const { mean, highest, sum } = keynessOf(query, keys);
  const pairs = best && query.judged > 0 ? best.pairIdf / query.judged : 0;
  return [quality, mean, highest, sum, pairs, best?.tightness ?? 0, margin, subjectOf(query, keys)];
};

/** Above this key a word tells the knowledge base from English at large as well as any. */
const TELLING_KEY = 4;

/**
 * How much one word of the question is what the knowledge base is about: the largest product of a key, as a share of
 * `TELLING_KEY`, with the binary logarithm of the chunks that hold it. A telling word in every tenth chunk names the subject;
 * one that stands somewhere once may be anything.
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

/** Of the relevance model: the hit's quality, and its lead over the best other (negative behind it). */
const relevanceFeatures = (hit: Pick<SearchHit, 'score'>, bestOther: number, total: number): number[] =>
  total > 0 ? [hit.score / (4 * total), (hit.score - bestOther) / (4 * total)] : [0, 0];

/**
 * How probably each hit answers the question by itself: 0 to 1, where 0.7 means "very probably" (93 % right in the study).
 * Words and, where it was compared, meaning together.
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
