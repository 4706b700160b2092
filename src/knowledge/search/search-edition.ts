import { detectLanguage } from '../../language/detect-language.ts';
import { memo } from '../../platform/lru-cache.ts';
import { oncePer } from '../../platform/once-per.ts';
import type { NearChunk } from '../edition/nearest-rows.ts';
import type { Edition } from '../edition/open-edition.ts';
import {
  shownTranslations,
  translatedPlace,
  withoutTranslations,
} from '../edition/translations.ts';
import { type AnalysedQuery, analyseQuery, type Turn } from './analyse-query.ts';
import { devicesNamedIn } from './devices-named-in.ts';
import { bonusOf, type ChunkEvidence, gatherEvidence, rankChunks } from './re-rank.ts';
import { semanticCalibrationOf } from './semantic-calibration.ts';

export interface SearchOptions {
  /** Number of hits, 1 to 50; 10 by default. */
  limit?: number | undefined;
  /** Filters by intent, device (both case-insensitive) and article id. */
  filter?: ChunkFilter | undefined;
  /** Conversation turns before the question, oldest first. */
  history?: readonly Turn[] | undefined;
  /** Known devices of the user. Articles that name one are boosted as if the question named it. */
  devices?: readonly string[] | undefined;
  /**
   * The language of who asks (BCP 47), detected in the question when absent: of an article that is there in this language, its translations
   * are not searched. Where the language is in doubt, the best one is found alone.
   */
  language?: string | undefined;
}

/** A matching chunk with its evidence. */
export interface SearchHit extends ChunkEvidence {
  /** Indexes of the chunk and of its article in the edition. */
  chunk: number;
  article: number;
  /** BM25F over title, headings and text. */
  lexical: number;
  /** `lexical` plus weighted evidence, about 0 to 4 times `query.total`. */
  score: number;
  /** Share of the query's idf found in text, headings, title and labels, 0 to 1. */
  coverage: number;
  /** Cosine with the question, -1 to 1; absent if meanings were not compared or this chunk was not among the closest. */
  similarity?: number | undefined;
  /** Score of words and meaning together, by which hits are sorted; absent if meanings were not compared. */
  fused?: number | undefined;
}

export interface SearchOutcome {
  query: AnalysedQuery;
  /** Best first; without history and meanings sorted by `score`. */
  hits: SearchHit[];
  /** Score of the best hit by words: `score / (4 judged)`, 0 to about 1. */
  quality: number;
  /** Share of the query's idf that the best hit by words matches, 0 to 1. */
  coverage: number;
  /** `(best score - second) / best score`, 0 to 1; 1 for a single hit, 0 for none. */
  margin: number;
  /** Model whose vectors were compared; absent if none were. */
  model?: string | undefined;
  /** The closest chunks by meaning, best first, more than became hits; absent if none were compared. */
  near?: readonly NearChunk[] | undefined;
}

/** The closest chunks to the question in meaning, best first. */
export interface Meanings {
  model: string;
  near: readonly NearChunk[];
}

const MAX_LIMIT = 50;
const DEFAULT_LIMIT = 10;
/** Number of ranked chunks that are reranked; more changes nothing (measured at 5, 10, 20 and 50). */
const DEPTH = 20;
/** Weight of the last question's own evidence for the order when there is a conversation. */
const BONUS_WITH_HISTORY = 0.25;
/** Boost for an article on a named device, as a share of the query's total idf. */
const DEVICE_BONUS = 0.1;
/** Penalty for a section whose heading names other devices. */
const OTHER_DEVICE_PENALTY = 0.4;

/**
 * Finds the chunks that best answer a question: BM25F with spelling correction, then reranking of the best.
 *
 * Work is bounded: only the first 512 words within 8,000 characters are read, and the 12 rarest of them searched. A
 * question without content words, or without any that the knowledge base contains, gives no hits.
 *
 * @param meanings Chunks close in meaning, which become hits whatever their words, with a `similarity`. Scores and the
 *   properties of the best hit remain those of words.
 */
export function searchEdition(
  edition: Edition,
  question: string,
  options: SearchOptions = {},
  meanings?: Meanings,
): SearchOutcome {
  const { history = [] } = options;
  const limit = Math.min(MAX_LIMIT, Math.max(1, Math.floor(options.limit ?? DEFAULT_LIMIT)));
  const query = analyseQuery(edition, question, history);
  const spoken = detectLanguage(question);
  const language = options.language ?? spoken;
  const isAllowed = allowedChunks(edition, question, { ...options, language: spoken ?? language });
  const near = nearOf(meanings, isAllowed);
  const best = rankChunks(edition.index, query.terms, {
    limit: Math.max(limit, DEPTH),
    isAllowed,
    also: near && [...near.keys()],
  });
  edition.texts.need(best.map(({ chunk }) => chunk));
  // What cannot be shown is no hit.
  const ranked = best.filter(({ chunk }) => edition.texts.words(chunk) !== undefined);
  const evidence = gatherEvidence(edition, query, ranked);
  const named = namedDevices(edition, question, options.devices ?? []);
  const favoured = favouredArticles(edition, named);
  const bonusWeight = query.terms.some(({ origin }) => origin === 'conversation')
    ? BONUS_WITH_HISTORY
    : 1;
  const candidates = ranked.map(({ chunk, score: lexical }, place) => {
    const found = evidence[place] ?? NO_EVIDENCE;
    const article = edition.index.articleOf(chunk);
    const bonus =
      bonusOf(found) +
      query.total * deviceBonus(edition, { chunk, named, isFavoured: favoured.has(article) });
    const coverage = coverageOf(query, found);
    const hit: SearchHit = { ...found, chunk, article, lexical, score: lexical + bonus, coverage };
    return { hit, order: lexical + bonusWeight * bonus };
  });
  candidates.sort((left, right) => right.order - left.order || left.hit.chunk - right.hit.chunk);
  const shown = <Hit extends SearchHit>(hits: readonly Hit[]): Hit[] =>
    inLanguage(edition, hits, { spoken, language });
  const byWords = shown(candidates.map(({ hit }) => hit));
  const features = confidenceFeatures(query, byWords);
  if (near === undefined || meanings === undefined)
    return { query, hits: byWords.slice(0, limit), ...features };
  const fused = fuse(candidates, { near, model: meanings.model, total: query.total });
  const hits = shown(fused).slice(0, limit);
  const allowed = meanings.near.filter(({ chunk }) => isAllowed?.(chunk) !== false);
  return { query, hits, ...features, model: meanings.model, near: allowed };
}

/** A query in another language than the asker's, as a model writes it, finds articles that the asker reads in translation. */
const inLanguage = <Hit extends SearchHit>(
  edition: Edition,
  hits: readonly Hit[],
  { spoken, language }: { spoken: string | undefined; language: string | undefined },
): Hit[] => {
  const places = new Set<number>();
  const translated =
    language === undefined || language === spoken
      ? hits
      : hits
          .map((hit) => ({ ...hit, ...translatedPlace(edition, hit, language) }))
          .filter(({ chunk }) => !places.has(chunk) && places.add(chunk));
  return withoutTranslations(edition, translated, ({ article }) => article);
};

/** An index may return chunks of articles that the filter excludes. */
const nearOf = (
  meanings: Meanings | undefined,
  isAllowed: ((chunk: number) => boolean) | undefined,
): Map<number, number> | undefined =>
  meanings &&
  new Map(
    meanings.near
      .filter(({ chunk }) => isAllowed?.(chunk) !== false)
      .slice(0, DEPTH)
      .map(({ chunk, similarity }) => [chunk, similarity]),
  );

const NO_EVIDENCE: ChunkEvidence = {
  matched: [],
  matchedIdf: 0,
  exactIdf: 0,
  pairIdf: 0,
  titleIdf: 0,
  tightness: 0,
};

/** Share of the question that a chunk matches; the conversation is capped as in `judged`. */
const coverageOf = (
  { terms, total, judged }: AnalysedQuery,
  { matched, matchedIdf }: ChunkEvidence,
): number => {
  if (judged === 0) return 0;
  if (judged === total) return Math.min(1, matchedIdf / total);
  const asked = (places: readonly number[]) =>
    places.reduce(
      (sum, place) => sum + (terms[place]?.origin === 'question' ? (terms[place]?.idf ?? 0) : 0),
      0,
    );
  const own = asked(matched);
  return Math.min(
    1,
    (own + Math.min(matchedIdf - own, judged - asked([...terms.keys()]))) / judged,
  );
};

/** Properties of the result that depend on its best hits; recompute after hits are removed. */
export function confidenceFeatures(
  { judged }: Pick<AnalysedQuery, 'judged'>,
  [best, second]: readonly Pick<SearchHit, 'score' | 'coverage'>[],
): { quality: number; coverage: number; margin: number } {
  // A hit found only by meaning may contain no word of the question.
  if (best === undefined || judged === 0 || best.score <= 0)
    return { quality: 0, coverage: 0, margin: 0 };
  const margin = Math.max(0, (best.score - (second?.score ?? 0)) / best.score);
  return { quality: best.score / (4 * judged), coverage: best.coverage, margin };
}

/** Devices named in full by the question or known of the user, in lower case. */
const namedDevices = (edition: Edition, question: string, devices: readonly string[]): string[] => [
  ...devicesNamedIn(question, edition.devices()),
  ...devices.map((device) => device.toLowerCase()),
];

const favouredArticles = (edition: Edition, named: readonly string[]): Set<number> => {
  const favoured = new Set<number>();
  for (const device of named) {
    for (const article of edition.articlesTagged('device', device)) favoured.add(article);
  }
  return favoured;
};

/** The penalty of a section on other devices exceeds the boost of its article. */
const deviceBonus = (
  edition: Edition,
  { chunk, named, isFavoured }: { chunk: number; named: readonly string[]; isFavoured: boolean },
): number => {
  if (named.length === 0) return 0;
  const own = sectionDevices(edition, chunk);
  if (own.length > 0 && !own.some((device) => named.includes(device))) return -OTHER_DEVICE_PENALTY;
  return isFavoured ? DEVICE_BONUS : 0;
};

/** Lists of devices that are cached for an edition. */
const MAX_DEVICE_LISTS = 2000;

/**
 * Devices named by the innermost heading of a chunk that names any: in an article on several devices, a section is about
 * its own. Empty if no heading names one.
 */
const sectionDevices = (edition: Edition, chunk: number): readonly string[] =>
  devicesByChunk(edition)(chunk);

const devicesByChunk = oncePer((edition: Edition) =>
  memo((chunk: number) => readDevices(edition, chunk), { max: MAX_DEVICE_LISTS }),
);

const readDevices = (edition: Edition, chunk: number): readonly string[] => {
  for (const heading of edition.headingPath(chunk).toReversed()) {
    const named = devicesNamedIn(heading, edition.devices());
    if (named.length > 0) return named;
  }
  return [];
};

/** A hit and its score by words alone, which determines their order. */
interface Candidate<Hit> {
  hit: Hit;
  order: number;
}

interface Near {
  model: string;
  /** By chunk: cosine with the question. */
  near: ReadonlyMap<number, number>;
  /** Maximum score of words for the query. */
  total: number;
}

/**
 * Value of one unit of log-odds from meaning, relative to a perfect match of words. Chosen with a weak model on both
 * halves of two public sets, so their gain says little about other sets (docs/calibration.md).
 */
const MEANING = 0.04;

/**
 * Sorts hits by words and meaning together, and sets their fused score and similarity. Meaning is measured from the least
 * close of the close chunks: the range of a model's cosines does not matter, only how well they discriminate.
 */
export function fuse<Hit extends { chunk: number }>(
  candidates: readonly Candidate<Hit>[],
  { model, near, total }: Near,
): (Hit & { similarity?: number; fused: number })[] {
  const hits = candidates.map(({ hit }) => {
    const similarity = near.get(hit.chunk);
    return similarity === undefined ? hit : { ...hit, similarity };
  });
  const { slope } = semanticCalibrationOf(model);
  const least = Math.min(...near.values());
  const fused = candidates.map(({ hit: { chunk }, order }, at) => {
    const words = total > 0 ? order / (4 * total) : 0;
    const meaning = slope * ((near.get(chunk) ?? least) - least);
    return { at, order, chunk, score: near.size === 0 ? words : words + MEANING * meaning };
  });
  fused.sort(
    (left, right) =>
      right.score - left.score || right.order - left.order || left.chunk - right.chunk,
  );
  return fused.flatMap(({ at, score }) => {
    const hit = hits[at];
    return hit === undefined ? [] : { ...hit, fused: score };
  });
}

/** Filters by intent, device (both case-insensitive) and article id. */
interface ChunkFilter {
  intent?: string | undefined;
  device?: string | undefined;
  articleId?: string | undefined;
}

/** Returns a predicate for chunks that match the filter and are no copies in other languages; `undefined` when all are allowed. */
export function allowedChunks(
  edition: Edition,
  question: string,
  { filter = {}, language }: Pick<SearchOptions, 'filter' | 'language'>,
): ((chunk: number) => boolean) | undefined {
  const { intent, device, articleId } = filter;
  // Who names an article wants this one.
  const isShown =
    articleId === undefined
      ? shownTranslations(edition, () => language ?? detectLanguage(question))
      : undefined;
  const conditions: ArrayLike<number>[] = [];
  if (intent !== undefined) conditions.push(edition.articlesTagged('intent', intent));
  if (device !== undefined) conditions.push(edition.articlesTagged('device', device));
  if (articleId !== undefined) conditions.push([edition.findArticle(articleId)]);
  if (conditions.length === 0)
    return isShown && ((chunk) => isShown(edition.index.articleOf(chunk)));
  const met = new Uint8Array(edition.articleCount);
  for (const articles of conditions) {
    for (let at = 0; at < articles.length; at++) {
      const article = articles[at] ?? -1;
      met[article] = (met[article] ?? 0) + 1;
    }
  }
  return (chunk) => {
    const article = edition.index.articleOf(chunk);
    return met[article] === conditions.length && isShown?.(article) !== false;
  };
}
