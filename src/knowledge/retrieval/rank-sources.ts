import type { QueryTerm } from '../../search/analyse-query.ts';
import { articleAtHand, chunkAtHand } from '../../search/chunks-at-hand.ts';
import { applyLogistic, type LogisticModel } from '../../search/fit-logistic.ts';
import type { Edition } from '../../search/open-edition.ts';
import { inverseFrequency } from '../../search/ranking.ts';
import { type SearchHit, type SearchOutcome, searchEdition } from '../../search/search-edition.ts';
import { joined, semanticRelevances } from '../../search/semantic-calibration.ts';
import { wordsOf } from '../../text/analyse-text.ts';
import { stem } from '../../text/stem.ts';
import { COVERAGE_FROM } from './knowledge.ts';
import type { NamedProducts } from './named-products.ts';

/** An article that may answer, with what speaks for it, and what was asked that found its best chunk: the whole or one sentence. */
export interface RankedSource extends AskedText {
  /** Place in the edition. */
  article: number;
  /** Its chunks that were found, the best first; at most 3. */
  chunks: readonly number[];
  /** 0 to 1: how probably it answers. */
  relevance: number;
  /** It is about other products than the ticket: its relevance stays below every threshold. */
  isOfOtherProduct: boolean;
}

/** One thing asked of the edition, and what it found. */
export interface AskedText {
  text: string;
  outcome: SearchOutcome;
}

export interface RankingInput {
  /** The whole problem first, with meanings where they were compared; then its sentences. */
  asked: readonly AskedText[];
  /** Intents of articles that answer the ticket's; none where it is unknown. */
  intents: readonly string[];
  named: NamedProducts;
}

/**
 * How probably an article answers, from five signs: its share of a perfect match; its lead over the best other article; how much was
 * asked at all (one common word matches anything); whether it is labelled with the intent; and the share of what was asked that its
 * passages hold together. Fitted on the development half of the sample tickets and of two sets of articles asked by their titles, and on two
 * public sets of questions, each with its answers in and left out; how well it does on what is held out: docs/gaps.md.
 */
const RELEVANCE: LogisticModel = { weights: [5.14, 13.97, 1.58, 1.1, 1], bias: -3.8 };

/** So many words that the edition lacks would tell as much as a text that says enough. */
const ENOUGH_WORDS = 3;
/** How often an article that answers is labelled with the intent that was told: four in five, of nine right in ten. */
const LABELLED = 0.75;
/** Of another product: shown as a hint, and never relevant. */
export const OTHER_PRODUCT = 0.65;
const CHUNKS = 3;

/**
 * The articles that were found, the most relevant first. The best of what was asked counts: a message says its problem in one sentence
 * and tells a story in the others. Articles on other products come last, whatever their words.
 */
export const rankSources = (edition: Edition, { asked, intents, named }: RankingInput): RankedSource[] => {
  const labelled = new Set(intents.flatMap((intent) => [...edition.articlesTagged('intent', intent)]));
  const intentSign = intentSignOf(labelled.size / Math.max(1, edition.articleCount));
  const byMeaning = meaningOfArticles(asked[0]?.outcome);
  const found = new Map<number, RankedSource>();
  for (const { text, outcome } of asked) {
    const ofWhole = outcome.query.judged / Math.max(asked[0]?.outcome.query.judged ?? 0, outcome.query.judged);
    for (const each of articlesOf(outcome.hits, (hit) => scopeOf(edition, hit, named))) {
      const { article, scope } = each;
      const intent = intentSign(labelled.has(article));
      const relevance = relevanceByWords(edition, outcome, { ...each, intent, ofWhole });
      const before = found.get(article);
      if (before !== undefined && before.relevance >= relevance) continue;
      // In the order of the outcome, which knows meanings too.
      const chunks = outcome.hits.flatMap((hit) => (hit.article === article ? [hit.chunk] : [])).slice(0, CHUNKS);
      const isOfOtherProduct = scope === 'other';
      found.set(article, { article, chunks, relevance, isOfOtherProduct, text, outcome });
    }
  }
  return [...found.values()]
    .map((source) => {
      const relevance = joined(source.relevance, byMeaning.get(source.article));
      return source.isOfOtherProduct ? { ...source, relevance: OTHER_PRODUCT * relevance } : { ...source, relevance };
    })
    .sort(
      (left, right) =>
        Number(left.isOfOtherProduct) - Number(right.isOfOtherProduct) ||
        right.relevance - left.relevance ||
        left.article - right.article,
    );
};

interface Signs extends Pick<FoundArticle, 'hits' | 'best' | 'lead'> {
  /** Below 0 where the article lacks the label of the intent. */
  intent: number;
  /** The share that this part has of the whole question; 0 to 1. */
  ofWhole: number;
}

const relevanceByWords = (edition: Edition, { query }: SearchOutcome, signs: Signs): number => {
  const { judged, terms } = query;
  const { hits, best, lead, intent, ofWhole } = signs;
  const [first] = hits;
  // What only its meaning led to has no word in common.
  if (first === undefined || judged === 0 || best <= 0) return 0;
  const enough = Math.min(0, Math.log(judged / inverseFrequency(0, edition.chunkCount) / ENOUGH_WORDS));
  const places = new Set(hits.flatMap(({ matched }) => matched));
  const together = [...places].reduce((sum, place) => sum + (terms[place]?.idf ?? 0), 0) / judged;
  // One common sentence of a message leads anywhere, unless the intent agrees.
  const bias = RELEVANCE.bias + (intent < 0 ? Math.log(Math.max(LEAST_PART, ofWhole)) : 0);
  const judge = (held: number, penalty = 0): number => {
    const features = [
      (held * best) / (4 * judged),
      (lead - (1 - held) * best) / (4 * judged),
      enough,
      intent,
      together,
    ];
    return applyLogistic({ ...RELEVANCE, bias: bias - penalty }, features);
  };
  const relevance = judge(1);
  if (relevance < COVERAGE_FROM.low) return relevance;
  const { headIdf, referred } = mentionIn(edition, first, terms);
  const isPassing = intent < 0 ? 1 - Math.min(1, headIdf / judged / NAMED_IN_HEADING) : 0;
  return referred === 0 && isPassing === 0 ? relevance : judge(1 - referred, isPassing);
};

/** No part of a message counts as less. */
const LEAST_PART = 0.05;
/** An article of another intent is about what was asked where its title and headings hold so much of it. */
const NAMED_IN_HEADING = 0.2;

/**
 * `own`: the article is about the ticket's product alone; `other`: about products, none of which is the ticket's; `general`: all others.
 * An article without a product speaks for every one.
 */
const scopeOf = (edition: Edition, article: number, { known, unknown }: NamedProducts): 'own' | 'general' | 'other' => {
  if (known.length + unknown.length === 0) return 'general';
  const { devices, title } = articleAtHand(edition, article);
  if (devices.length === 0) return 'general';
  const fitting = devices.filter((device) => known.includes(device.toLowerCase()));
  if (fitting.length > 0) return fitting.length === devices.length ? 'own' : 'general';
  return unknown.some((name) => title.toLowerCase().includes(name.toLowerCase())) ? 'own' : 'other';
};

/** What an intent says for an article: the logarithm of how much more often those that answer have the label, or lack it. */
const intentSignOf = (share: number): ((isLabelled: boolean) => number) => {
  if (share === 0) return () => 0;
  const bounded = Math.min(0.99, Math.max(0.01, share));
  return (isLabelled) => (isLabelled ? Math.log(LABELLED / bounded) : Math.log((1 - LABELLED) / (1 - bounded)));
};

interface FoundArticle {
  article: number;
  /** The best first. */
  hits: readonly SearchHit[];
  /** The score of its best hit. */
  best: number;
  /** Over the best of its rivals: below 0 behind it. */
  lead: number;
  scope: ReturnType<typeof scopeOf>;
}

/**
 * A page on the ticket's own product goes with the general one, which is half a rival of it; those on other products compete with one
 * another, and with nobody else.
 */
const articlesOf = (
  hits: readonly SearchHit[],
  scopeOfArticle: (article: number) => FoundArticle['scope'],
): FoundArticle[] => {
  const found = new Map<number, SearchHit[]>();
  for (const hit of hits) {
    const own = found.get(hit.article);
    if (own === undefined) found.set(hit.article, [hit]);
    else own.push(hit);
  }
  const all = [...found].map(([article, own]) => {
    // They come in the order of words and meanings together.
    const byWords = own.toSorted((left, right) => right.score - left.score);
    return { article, hits: byWords, best: byWords[0]?.score ?? 0, scope: scopeOfArticle(article) };
  });
  return all.map((each) => {
    const rivals = all.map((other) => (other === each ? 0 : other.best * rivalry(each.scope, other.scope)));
    return { ...each, lead: each.best - Math.max(...rivals) };
  });
};

/** How far one article's answer speaks against another's. */
const rivalry = (own: FoundArticle['scope'], other: FoundArticle['scope']): number => {
  if (own === other || (own === 'general' && other === 'own')) return 1;
  return own === 'own' && other === 'general' ? HALF_A_RIVAL : 0;
};
const HALF_A_RIVAL = 0.5;

/** By article: how probably it answers by its meaning. */
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

/** Hits looked at for each thing asked. */
const DEPTH = 20;

/** Searches each sentence by its words; what is asked alone needs no second search. */
export const askSentences = (edition: Edition, sentences: readonly string[], { known }: NamedProducts): AskedText[] =>
  sentences.length < 2
    ? []
    : sentences.map((text) => ({ text, outcome: searchEdition(edition, text, { limit: DEPTH, devices: known }) }));

/** How a passage holds what was asked. */
export interface Mention {
  /** Of what was asked, what its title and headings hold: the weight of the words. */
  headIdf: number;
  /** Of what it holds, the share that stands only in the name of another page that it refers to; 0 to 1. */
  referred: number;
}

/** Looks whether a passage is about what was asked, or only mentions it. */
export const mentionIn = (
  edition: Edition,
  { chunk, article, matched, matchedIdf }: SearchHit,
  terms: readonly QueryTerm[],
): Mention => {
  const { headingPath, text } = chunkAtHand(edition, chunk);
  const head = stemsOf([articleAtHand(edition, article).title, ...headingPath].join('\n'));
  const held = matched.flatMap((place) => terms[place] ?? []);
  const weightOf = (some: readonly QueryTerm[]) => some.reduce((sum, { idf }) => sum + idf, 0);
  const headIdf = weightOf(held.filter((term) => head.has(term.stem)));
  const own = withoutReferences(text);
  if (own === text || matchedIdf <= 0) return { headIdf, referred: 0 };
  const [all, left] = [stemsOf(text), stemsOf(own)];
  const lost = held.filter(({ stem: each }) => all.has(each) && !left.has(each) && !head.has(each));
  return { headIdf, referred: Math.min(1, weightOf(lost) / matchedIdf) };
};

const stemsOf = (text: string): ReadonlySet<string> => new Set(wordsOf(text).map(stem));

/** "See *Give the device a static IP address*": a name in marks of emphasis, in quotes or as a link, and further ones behind it. */
const REFERENCE =
  /(?<!\p{L})(?:see(?: also)?|refer to|described (?:in|under|on)|explained (?:in|under|on)|siehe(?: auch)?|beschrieben (?:in|unter)|voir(?: aussi)?|véase|consulte|vedi|zie(?: ook)?)[ :]{1,2}(?:\p{L}{1,12} ){0,3}(?:(?:, | and | or | und | oder | et | y | e | en )?(?:\*{1,2}[^*\n]{3,150}\*{1,2}|_[^_\n]{3,150}_|“[^”\n]{3,150}”|"[^"\n]{3,150}"|«[^»\n]{3,150}»|\[[^\]\n]{3,150}\]\([^)\s]{1,500}\))){1,4}/giu;

const withoutReferences = (text: string): string =>
  text.slice(0, MAX_READ).replace(REFERENCE, ' ') + text.slice(MAX_READ);
const MAX_READ = 8000;
