import { isOutdatedIn } from '../../answering/passages/candidate-articles.ts';
import { RETRIEVAL_MIN_SCORE } from '../../contract/wire/knowledge.ts';
import { cachedArticle, type Edition } from '../../knowledge/edition/open-edition.ts';
import { inverseFrequency } from '../../knowledge/edition/open-index.ts';
import { applyLogistic, type LogisticModel } from '../../knowledge/search/logistic.ts';
import {
  type SearchHit,
  type SearchOutcome,
  searchEdition,
} from '../../knowledge/search/search-edition.ts';
import { joined, semanticRelevances } from '../../knowledge/search/semantic-calibration.ts';
import { wordsOf } from '../../language/analyse-text.ts';
import { detectLanguage } from '../../language/detect-language.ts';
import type { AskedText } from './knowledge.ts';
import type { NamedProducts } from './named-products.ts';

/** A candidate article with its features, and the query that found its best chunk: the whole text or one sentence. */
export interface RankedSource extends AskedText {
  /** Index in the edition. */
  article: number;
  /** Its chunks among the hits, best first; at most 3. */
  chunks: readonly number[];
  /** Probability that it answers, 0 to 1. */
  relevance: number;
  /** On other products than the ticket's: its relevance stays below every threshold. */
  isOfOtherProduct: boolean;
}

interface RankingInput {
  /** The whole problem first, compared by vectors if available; then its sentences. */
  asked: readonly AskedText[];
  /** Article intents that answer the ticket's intent; empty if it is unknown. */
  intents: readonly string[];
  named: NamedProducts;
}

/**
 * Coefficients of the probability that an article answers, from five features: its share of a perfect match; its lead over the best other article;
 * the information content of the query (one common word matches anything); whether it has the intent's label; and the share of the query that its
 * passages contain together. Fitted on the development half of the sample tickets, on two sets of articles queried by their titles, and on two public
 * question sets, each with its answers included and omitted; results on held-out data: docs/gaps.md.
 */
const RELEVANCE: LogisticModel = { weights: [5.14, 13.97, 1.58, 1.1, 1], bias: -3.8 };

/** Number of unknown words whose weight makes a query fully informative. */
const ENOUGH_WORDS = 3;
/** How often an answering article has the label of the predicted intent: four in five, given nine in ten correct predictions. */
const LABELLED = 0.75;
/** Relevance of an article on another product: a hint, never relevant. */
export const OTHER_PRODUCT = 0.65;
const CHUNKS = 3;

/**
 * The articles found, most relevant first. The best query counts: a message states its problem in one sentence and tells a story in the others.
 * An article on other products comes behind others of the same relevance.
 */
export function rankSources(
  edition: Edition,
  { asked, intents, named }: RankingInput,
): RankedSource[] {
  const labelled = new Set(
    intents.flatMap((intent) => [...edition.articlesTagged('intent', intent)]),
  );
  const intentSign = intentSignOf(labelled.size / Math.max(1, edition.articleCount));
  const byMeaning = meaningOfArticles(asked[0]?.outcome);
  const sourceByArticle = new Map<number, RankedSource>();
  for (const { text, outcome } of asked) {
    const ofWhole =
      outcome.query.judged / Math.max(asked[0]?.outcome.query.judged ?? 0, outcome.query.judged);
    for (const each of articlesOf(outcome.hits, (article) => scopeOf(edition, article, named))) {
      const { article, scope } = each;
      const intent = intentSign(labelled.has(article));
      const relevance = relevanceByWords(edition, outcome, { ...each, intent, ofWhole });
      const previous = sourceByArticle.get(article);
      if (previous !== undefined && previous.relevance >= relevance) continue;
      // In the order of the hybrid search, which includes vectors.
      const chunks = outcome.hits
        .flatMap((hit) => (hit.article === article ? [hit.chunk] : []))
        .slice(0, CHUNKS);
      sourceByArticle.set(article, {
        article,
        chunks,
        relevance,
        isOfOtherProduct: scope === 'other',
        text,
        outcome,
      });
    }
  }
  return [...sourceByArticle.values()]
    .map((source) => {
      const relevance = joined(source.relevance, byMeaning.get(source.article));
      return source.isOfOtherProduct
        ? { ...source, relevance: OTHER_PRODUCT * relevance }
        : { ...source, relevance };
    })
    .sort(byRelevance);
}

/** Most relevant first; what is on other products comes behind others of the same relevance. */
function byRelevance(left: RankedSource, right: RankedSource): number {
  return (
    right.relevance - left.relevance ||
    Number(left.isOfOtherProduct) - Number(right.isOfOtherProduct) ||
    left.article - right.article
  );
}

/** Least relevance of the current article beside an outdated one; a lower one may be chance. */
const SOME_RELEVANCE = 0.15;
/** Share of an outdated article's relevance that passes to the current one on its subject. */
const INHERITED = 0.9;
/** Relevance of an outdated article beside a current one: shown as a hint, never a source. */
const SUPERSEDED = 0.65;

/**
 * Ranks the current article on a subject before an outdated one (`isOutdatedFor`) that matches the customer's words: they share the ticket's
 * intent, or any if the ticket's is unknown.
 *
 * @param ranked Best first.
 */
export function preferCurrent(
  edition: Edition,
  ranked: readonly RankedSource[],
  { text, intents }: { text: string; intents: readonly string[] },
): RankedSource[] {
  const intentsOf = ({ article }: RankedSource): string[] =>
    cachedArticle(edition, article).intents.filter(
      (each) => intents.length === 0 || intents.includes(each),
    );
  const isOutdated = ({ article }: RankedSource): boolean => isOutdatedFor(edition, article, text);
  const relevances = new Map(ranked.map(({ article, relevance }) => [article, relevance]));
  for (const old of ranked) {
    if (old.isOfOtherProduct || old.relevance < RETRIEVAL_MIN_SCORE || !isOutdated(old)) continue;
    const shared = intentsOf(old);
    const current = ranked.find(
      (other) =>
        !other.isOfOtherProduct &&
        other.relevance >= SOME_RELEVANCE &&
        intentsOf(other).some((each) => shared.includes(each)) &&
        !isOutdated(other),
    );
    if (current === undefined) continue;
    relevances.set(
      current.article,
      Math.max(relevances.get(current.article) ?? 0, INHERITED * old.relevance),
    );
    relevances.set(old.article, SUPERSEDED * old.relevance);
  }
  return ranked
    .map((source) => ({ ...source, relevance: relevances.get(source.article) ?? source.relevance }))
    .sort(byRelevance);
}

/** Whether an article is far older than most, and the query names no year or version of its title. */
export function isOutdatedFor(edition: Edition, article: number, text: string): boolean {
  const source = cachedArticle(edition, article);
  const words = new Set(wordsOf(text));
  return (
    isOutdatedIn(edition)(source) &&
    !wordsOf(source.title).some((word) => /\d/.test(word) && words.has(word))
  );
}

interface Signs extends Pick<FoundArticle, 'hits' | 'best' | 'lead'> {
  /** Below 0 if the article lacks the intent's label. */
  intent: number;
  /** Share of this part in the whole query, 0 to 1. */
  ofWhole: number;
}

const relevanceByWords = (edition: Edition, { query }: SearchOutcome, signs: Signs): number => {
  const { judged, terms } = query;
  const { hits, best, lead, intent, ofWhole } = signs;
  // A hit by vectors alone shares no word.
  if (judged === 0 || best <= 0) return 0;
  const enough = Math.min(
    0,
    Math.log(judged / inverseFrequency(0, edition.chunkTotal) / ENOUGH_WORDS),
  );
  const places = new Set(hits.flatMap(({ matched }) => matched));
  const together = [...places].reduce((sum, place) => sum + (terms[place]?.idf ?? 0), 0) / judged;
  // One common sentence of a message matches anything, unless the intent agrees.
  const bias = RELEVANCE.bias + (intent < 0 ? Math.log(Math.max(LEAST_PART, ofWhole)) : 0);
  return applyLogistic({ ...RELEVANCE, bias }, [
    best / (4 * judged),
    lead / (4 * judged),
    enough,
    intent,
    together,
  ]);
};

/** Least weight of a part of a message. */
const LEAST_PART = 0.05;

/** Whether an article is only on the ticket's product (`own`), on products that are not the ticket's (`other`), or neither. */
const scopeOf = (
  edition: Edition,
  article: number,
  { known, unknown }: NamedProducts,
): FoundArticle['scope'] => {
  const { devices, title } = cachedArticle(edition, article);
  if (known.length + unknown.length === 0 || devices.length === 0) return 'general';
  const fitting = devices.filter((device) => known.includes(device.toLowerCase()));
  if (fitting.length > 0) return fitting.length === devices.length ? 'own' : 'general';
  return unknown.some((name) => title.toLowerCase().includes(name.toLowerCase())) ? 'own' : 'other';
};

/** Evidence of the intent's label: the logarithm of how much more often answering articles have it, or lack it. */
const intentSignOf = (share: number): ((isLabelled: boolean) => number) => {
  if (share === 0) return () => 0;
  const bounded = Math.min(0.99, Math.max(0.01, share));
  return (isLabelled) =>
    isLabelled ? Math.log(LABELLED / bounded) : Math.log((1 - LABELLED) / (1 - bounded));
};

interface FoundArticle {
  article: number;
  /** Best first. */
  hits: readonly SearchHit[];
  /** The score of its best hit. */
  best: number;
  /** Lead over its best rival; negative behind it. */
  lead: number;
  scope: 'own' | 'general' | 'other';
}

/** A page on the ticket's own product competes with the general one at half weight; pages on other products only compete with one another. */
const articlesOf = (
  hits: readonly SearchHit[],
  scopeOfArticle: (article: number) => FoundArticle['scope'],
): FoundArticle[] => {
  const all = [...Map.groupBy(hits, ({ article }) => article)].map(([article, own]) => {
    // Hits are in the order of the hybrid search.
    const byWords = own.toSorted((left, right) => right.score - left.score);
    return { article, hits: byWords, best: byWords[0]?.score ?? 0, scope: scopeOfArticle(article) };
  });
  return all.map((each) => {
    const rivals = all.map(({ article, scope, best }) => {
      const isRival = article !== each.article && (scope === 'other') === (each.scope === 'other');
      return isRival ? best * (each.scope === 'own' && scope !== 'own' ? HALF_A_RIVAL : 1) : 0;
    });
    return { ...each, lead: each.best - Math.max(0, ...rivals) };
  });
};
const HALF_A_RIVAL = 0.5;

/** Probability by vectors that an article answers. */
const meaningOfArticles = (outcome: SearchOutcome | undefined): ReadonlyMap<number, number> => {
  const best = new Map<number, number>();
  if (outcome === undefined) return best;
  const relevances = semanticRelevances(outcome);
  for (const [at, { article }] of outcome.hits.entries()) {
    const relevance = relevances[at];
    if (relevance !== undefined) best.set(article, Math.max(relevance, best.get(article) ?? 0));
  }
  return best;
};

/** Hits per query. */
const DEPTH = 20;

/** Searches each sentence by its words; a single sentence needs no second search. */
export function askSentences(
  edition: Edition,
  sentences: readonly string[],
  { known }: NamedProducts,
): AskedText[] {
  if (sentences.length < 2) return [];
  const language = detectLanguage(sentences.join('\n'));
  const options = { limit: DEPTH, devices: known, language };
  return sentences.map((text) => ({ text, outcome: searchEdition(edition, text, options) }));
}
