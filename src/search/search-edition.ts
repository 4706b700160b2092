import { oncePer } from '../runtime/once-per.ts';
import { type AnalysedQuery, analyseQuery, type Turn } from './analyse-query.ts';
import { devicesNamedIn } from './devices-named-in.ts';
import type { NearChunk } from './nearest-rows.ts';
import type { Edition } from './open-edition.ts';
import { bonusOf, type ChunkEvidence, gatherEvidence, rankChunks } from './re-rank.ts';
import { semanticCalibrationOf } from './semantic-calibration.ts';

export interface SearchOptions {
  /** Hits to return, 1 to 50; 10 when missing. */
  limit?: number | undefined;
  /** Only chunks of articles that carry this intent, name this device (both whatever their case), have this id. */
  filter?: ChunkFilter | undefined;
  /** The turns before the question, oldest first. */
  history?: readonly Turn[] | undefined;
  /** Devices the asker is known to have. Articles that name one are favoured as if the question named it. */
  devices?: readonly string[] | undefined;
}

/** A chunk that matches, with all that speaks for it. */
export interface SearchHit extends ChunkEvidence {
  /** Place of the chunk and of its article in the edition. */
  chunk: number;
  article: number;
  /** BM25F over title, headings and text. */
  lexical: number;
  /** `lexical` plus what the evidence is worth: the r of the confidence features, about 0 to 4 times `query.total`. */
  score: number;
  /** Share of the query's idf that text, headings, title and labels hold, 0 to 1. */
  coverage: number;
  /** Cosine with the question, -1 to 1; absent where meanings were not compared, or this one was not among the closest. */
  similarity?: number | undefined;
  /** By words and meanings together: what the hits are in the order of; absent where meanings were not compared. */
  fused?: number | undefined;
}

export interface SearchOutcome {
  query: AnalysedQuery;
  /** Best first; without history and meanings in the order of `score`. */
  hits: SearchHit[];
  /** Of the hit that is best by its words: `score / (4 judged)`, 0 to about 1. */
  quality: number;
  /** Of the hit that is best by its words: its share of matched idf, 0 to 1. */
  coverage: number;
  /** `(best score - second) / best score`, 0 to 1; 1 when there is one hit only, 0 without any. */
  margin: number;
  /** Whose vectors were compared besides the words; absent where none were. */
  model?: string | undefined;
  /** What is closest by them, best first, more than became hits; absent where none were compared. */
  near?: readonly NearChunk[] | undefined;
}

/** The chunks that are closest to the question in meaning, best first. */
export interface Meanings {
  model: string;
  near: readonly NearChunk[];
}

const MAX_LIMIT = 50;
const DEFAULT_LIMIT = 10;
/** So many ranked chunks are looked at closely; more changes nothing (measured at 5, 10, 20 and 50). */
const DEPTH = 20;
/** With a conversation the evidence of the last question alone counts less for the order. */
const BONUS_WITH_HISTORY = 0.25;
/** What naming an article's device is worth, as a share of the query's total idf. */
const DEVICE_BONUS = 0.1;
/** What it costs a section that its heading names other devices. */
const OTHER_DEVICE_PENALTY = 0.4;

/**
 * Finds the chunks that best answer a question: BM25F, typing mistakes corrected, the best looked at closely.
 *
 * Work is bounded whatever the text: only its first 512 words within 8,000 characters are read, and the 12 rarest of them
 * searched.
 * A question without content words, or with none that the knowledge base knows, gives no hits.
 *
 * @param meanings What is close in meaning is found as well, whatever its words; each hit that is has its `similarity`. The
 *   scores and what is said of the best hit stay those of the words.
 */
export const searchEdition = (
  edition: Edition,
  question: string,
  options: SearchOptions = {},
  meanings?: Meanings,
): SearchOutcome => {
  const { history = [], filter = {} } = options;
  const limit = Math.min(MAX_LIMIT, Math.max(1, Math.floor(options.limit ?? DEFAULT_LIMIT)));
  const query = analyseQuery(edition, question, history);
  const isAllowed = allowedChunks(edition, filter);
  const near = nearOf(meanings, isAllowed);
  const ranked = rankChunks(edition.index, query.terms, {
    limit: Math.max(limit, DEPTH),
    isAllowed,
    also: near && [...near.keys()],
  });
  const evidence = gatherEvidence(edition, query, ranked);
  const named = namedDevices(edition, question, options.devices ?? []);
  const favoured = favouredArticles(edition, named);
  const bonusWeight = query.terms.some(({ origin }) => origin === 'conversation') ? BONUS_WITH_HISTORY : 1;
  const candidates = ranked.map(({ chunk, score: lexical }, place) => {
    const found = evidence[place] ?? NO_EVIDENCE;
    const article = edition.index.articleOf(chunk);
    const bonus =
      bonusOf(found) + query.total * deviceBonus(edition, { chunk, named, isFavoured: favoured.has(article) });
    const coverage = coverageOf(query, found);
    const hit: SearchHit = { ...found, chunk, article, lexical, score: lexical + bonus, coverage };
    return { hit, order: lexical + bonusWeight * bonus };
  });
  candidates.sort((left, right) => right.order - left.order || left.hit.chunk - right.hit.chunk);
  const features = confidenceFeatures(
    query,
    candidates.map(({ hit }) => hit),
  );
  if (near === undefined || meanings === undefined) {
    return { query, hits: candidates.slice(0, limit).map(({ hit }) => hit), ...features };
  }
  const hits = fuse(candidates, { near, model: meanings.model, total: query.total }).slice(0, limit);
  const allowed = meanings.near.filter(({ chunk }) => isAllowed?.(chunk) !== false);
  return { query, hits, ...features, model: meanings.model, near: allowed };
};

/** What is near may be of other articles than those asked for, when an index found it. */
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

const NO_EVIDENCE: ChunkEvidence = { matched: [], matchedIdf: 0, exactIdf: 0, pairIdf: 0, titleIdf: 0, tightness: 0 };

/** The share of what is asked that a chunk holds; of the conversation no more counts than is judged by. */
const coverageOf = ({ terms, total, judged }: AnalysedQuery, { matched, matchedIdf }: ChunkEvidence): number => {
  if (judged === 0) return 0;
  if (judged === total) return Math.min(1, matchedIdf / total);
  const asked = (places: readonly number[]) =>
    places.reduce((sum, place) => sum + (terms[place]?.origin === 'question' ? (terms[place]?.idf ?? 0) : 0), 0);
  const own = asked(matched);
  return Math.min(1, (own + Math.min(matchedIdf - own, judged - asked([...terms.keys()]))) / judged);
};

/** What the best hits tell about all of them; to be computed anew where hits were left out. */
export const confidenceFeatures = (
  { judged }: Pick<AnalysedQuery, 'judged'>,
  [best, second]: readonly Pick<SearchHit, 'score' | 'coverage'>[],
): { quality: number; coverage: number; margin: number } => {
  // What only its meaning brought here may have no word of the question.
  if (best === undefined || judged === 0 || best.score <= 0) return { quality: 0, coverage: 0, margin: 0 };
  const margin = Math.max(0, (best.score - (second?.score ?? 0)) / best.score);
  return { quality: best.score / (4 * judged), coverage: best.coverage, margin };
};

/** Devices that the question names in full, or that the asker has, in lower case. */
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

/** A section that is about other devices only gives up more than its article gains. */
const deviceBonus = (
  edition: Edition,
  { chunk, named, isFavoured }: { chunk: number; named: readonly string[]; isFavoured: boolean },
): number => {
  if (named.length === 0) return 0;
  const own = sectionDevices(edition, chunk);
  if (own.length > 0 && !own.some((device) => named.includes(device))) return -OTHER_DEVICE_PENALTY;
  return isFavoured ? DEVICE_BONUS : 0;
};

/** So many sections of an edition are remembered; then all are forgotten. */
const REMEMBERED = 2000;

const remembered = oncePer((_edition: Edition) => new Map<number, readonly string[]>());

/**
 * Devices that a chunk's innermost heading with a device in it names: within an article on several, a section is about
 * its own. Empty where no heading names one.
 */
const sectionDevices = (edition: Edition, chunk: number): readonly string[] => {
  const known = remembered(edition);
  const found = known.get(chunk);
  if (found !== undefined) return found;
  if (known.size >= REMEMBERED) known.clear();
  const devices = readDevices(edition, chunk);
  known.set(chunk, devices);
  return devices;
};

const readDevices = (edition: Edition, chunk: number): readonly string[] => {
  for (const heading of edition.chunk(chunk).headingPath.toReversed()) {
    const named = devicesNamedIn(heading, edition.devices());
    if (named.length > 0) return named;
  }
  return [];
};

/** A hit, and what its words alone would order it by. */
interface Candidate<Hit> {
  hit: Hit;
  order: number;
}

interface Near {
  model: string;
  /** By chunk: its cosine with the question. */
  near: ReadonlyMap<number, number>;
  /** Of the query: the most that words could match. */
  total: number;
}

/**
 * What a unit of log-odds from the meaning is worth beside the words, whose unit is a perfect match. Chosen with a weak model,
 * both halves of two public sets in view: what they gain tells little of other sets (docs/calibration.md).
 */
const MEANING = 0.04;

/**
 * Orders hits by words and meaning together, and tells by what; those that are near get their similarity. Meaning counts from
 * the least close of those on: so the range of a model's cosines does not matter, and how well they tell answers apart does.
 */
export const fuse = <Hit extends { chunk: number }>(
  candidates: readonly Candidate<Hit>[],
  { model, near, total }: Near,
): (Hit & { similarity?: number; fused: number })[] => {
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
  fused.sort((left, right) => right.score - left.score || right.order - left.order || left.chunk - right.chunk);
  return fused.flatMap(({ at, score }) => {
    const hit = hits[at];
    return hit === undefined ? [] : { ...hit, fused: score };
  });
};

/** Only chunks of articles that carry this intent, name this device (both whatever their case), have this id. */
export interface ChunkFilter {
  intent?: string | undefined;
  device?: string | undefined;
  articleId?: string | undefined;
}

/** Tells which chunks meet the filter; undefined when all do. */
export const allowedChunks = (
  edition: Edition,
  { intent, device, articleId }: ChunkFilter,
): ((chunk: number) => boolean) | undefined => {
  const conditions: ArrayLike<number>[] = [];
  if (intent !== undefined) conditions.push(edition.articlesTagged('intent', intent));
  if (device !== undefined) conditions.push(edition.articlesTagged('device', device));
  if (articleId !== undefined) conditions.push([edition.findArticle(articleId)]);
  if (conditions.length === 0) return undefined;
  const met = new Uint8Array(edition.articleCount);
  for (const articles of conditions) {
    for (let at = 0; at < articles.length; at++) {
      const article = articles[at] ?? -1;
      met[article] = (met[article] ?? 0) + 1;
    }
  }
  return (chunk) => met[edition.index.articleOf(chunk)] === conditions.length;
};
