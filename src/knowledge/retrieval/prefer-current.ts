import { RETRIEVAL_MIN_SCORE } from '../../contract/knowledge.ts';
import { oncePer } from '../../runtime/once-per.ts';
import { cachedArticle, cachedChunk, type Edition } from '../../search/open-edition.ts';
import type { RankedSource } from './rank-sources.ts';

/** Least relevance of the current page beside an outdated one; a lower one may be chance. */
const SOME_RELEVANCE = 0.15;
/** Share of an outdated page's relevance that passes to the current page on its subject. */
const INHERITED = 0.9;
/** Relevance of an outdated page: shown as a hint, never a source. */
const SUPERSEDED = 0.65;

/**
 * Ranks the current page on a subject before an outdated one that matches the customer's words: a source states its age (`datedReason`), and another
 * hit shares the ticket's intent with it, or any intent if the ticket's is unknown.
 *
 * @param ranked Best first.
 * @param options.text The query.
 */
export const preferCurrent = (
  edition: Edition,
  ranked: readonly RankedSource[],
  { text, intents }: { text: string; intents: readonly string[] },
): RankedSource[] => {
  const isDated = ({ article, chunks }: RankedSource): boolean =>
    datedReason(edition, { article, chunks, text }) !== undefined;
  const intentsOf = ({ article }: RankedSource): string[] => {
    const own = cachedArticle(edition, article).intents;
    return intents.length === 0 ? [...own] : own.filter((each) => intents.includes(each));
  };
  const relevances = new Map(ranked.map(({ article, relevance }) => [article, relevance]));
  let isChanged = false;
  for (const old of ranked) {
    if (old.isOfOtherProduct || old.relevance < RETRIEVAL_MIN_SCORE || !isDated(old)) continue;
    const shared = intentsOf(old);
    const current = ranked.find(
      (other) =>
        other !== old &&
        !other.isOfOtherProduct &&
        other.relevance >= SOME_RELEVANCE &&
        intentsOf(other).some((each) => shared.includes(each)) &&
        !isDated(other),
    );
    if (current === undefined) continue;
    isChanged = true;
    relevances.set(current.article, Math.max(relevances.get(current.article) ?? 0, INHERITED * old.relevance));
    relevances.set(old.article, SUPERSEDED * old.relevance);
  }
  if (!isChanged) return [...ranked];
  return ranked
    .map((source) => ({ ...source, relevance: relevances.get(source.article) ?? source.relevance }))
    .sort(
      (left, right) =>
        right.relevance - left.relevance || Number(left.isOfOtherProduct) - Number(right.isOfOtherProduct),
    );
};

export interface SourceToDate {
  article: number;
  chunks: readonly number[];
  /** The query: a customer who names an old version wants its page. */
  text: string;
}

/**
 * Why a source is older than the product, as the end of a sentence; undefined without evidence. Either it states its age (`datedReason`), or it names
 * no product and all articles on the ticket's product, at least two, are newer by half a year.
 *
 * @param options.products The ticket's, in lower case.
 */
export const outdatedReason = (
  edition: Edition,
  { products, ...source }: SourceToDate & { products: readonly string[] },
): string | undefined => {
  const reason = datedReason(edition, source);
  if (reason !== undefined) return reason;
  const { devices, lastUpdated } = cachedArticle(edition, source.article);
  if (devices.length > 0) return undefined;
  const product = products.find((each) => Date.parse(lastUpdated) + HALF_A_YEAR_MS < firstWrittenOf(edition, each));
  return product === undefined ? undefined : `was last changed before anything was written on ${product}`;
};

/**
 * Why a source is outdated by its own text: its title or headings name a version, and articles on the same product name a higher major version; or
 * its title names a year, and articles on the same product were changed two years later.
 */
const datedReason = (edition: Edition, { article, chunks, text }: SourceToDate): string | undefined => {
  const { title, devices } = cachedArticle(edition, article);
  const headings = chunks.flatMap((chunk) => cachedChunk(edition, chunk).headingPath);
  const meant = versionsIn(text);
  for (const { thing, written, major } of versionsIn([title, ...headings].join('\n'))) {
    const newest = newestVersion(edition, thing, devices);
    // A customer with 2.4 wants the page on 2.x.
    const isMeant = hasText(text, written) || meant.some((each) => each.thing === thing && each.major === major);
    if (newest === undefined || newest.major <= major || isMeant) continue;
    return `is about ${written}, and there is ${newest.written}`;
  }
  const [year] = YEAR.exec(title) ?? [];
  if (year === undefined || hasText(text, year)) return undefined;
  const newestYear = newestYearOf(edition, devices);
  return newestYear < Number(year) + OLD_YEARS
    ? undefined
    : `is of ${year}, and others on the same are of ${newestYear}`;
};

/**
 * The version that a customer names, if an article only covers newer ones of the same thing, so that it may not apply. An article without a version
 * applies to all.
 */
export const versionNotMeant = (edition: Edition, article: number, text: string): string | undefined => {
  const named = versionsIn(text);
  if (named.length === 0) return undefined;
  const { title, firstChunk, endChunk } = cachedArticle(edition, article);
  const read = Math.min(endChunk - firstChunk, MAX_CHUNKS);
  const chunks = Array.from({ length: read }, (_, at) => cachedChunk(edition, firstChunk + at));
  const mentioned = versionsIn(
    [title, ...chunks.map((each) => `${each.headingPath.join('\n')}\n${each.text}`)].join('\n'),
  );
  const missed = named.find(({ thing, major }) => {
    const same = mentioned.filter((each) => each.thing === thing);
    return same.length > 0 && same.every((each) => each.major > major);
  });
  return missed?.written;
};
/** Chunks read of a long manual. */
const MAX_CHUNKS = 30;

const hasText = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase());

/** Model years and catalogue numbers, not standards or addresses (`ISO 2022`, `2001:db8`). */
const YEAR = /(?<![\p{L}\p{N}:.-])20[0-9]\d(?![\p{L}\p{N}:.-])/u;
const OLD_YEARS = 2;

/** When an article on one of the products was changed last, or any article if there are none. */
const newestYearOf = (edition: Edition, devices: readonly string[]): number => {
  const years = yearsOfChanges(edition);
  return Math.max(0, ...(devices.length === 0 ? [''] : devices).map((device) => years.get(device.toLowerCase()) ?? 0));
};

const yearsOfChanges = oncePer((edition: Edition): ReadonlyMap<string, number> => {
  const newest = new Map<string, number>();
  for (let at = 0; at < Math.min(MAX_READ, edition.articleCount); at++) {
    const { devices, lastUpdated } = edition.article(at);
    const year = new Date(lastUpdated).getUTCFullYear();
    // Articles without a date are no evidence.
    if (!(year > 0)) continue;
    for (const device of ['', ...devices.map((each) => each.toLowerCase())]) {
      newest.set(device, Math.max(year, newest.get(device) ?? 0));
    }
  }
  return newest;
});

const HALF_A_YEAR_MS = 182 * 86_400_000;
const MIN_ARTICLES = 2;

/** When the oldest article on a product was changed last; never if there is only one. */
const firstWrittenOf = (edition: Edition, product: string): number => {
  const articles = edition.articlesTagged('device', product);
  if (articles.length < MIN_ARTICLES) return Number.NEGATIVE_INFINITY;
  let first = Number.POSITIVE_INFINITY;
  for (const article of articles.subarray(0, MAX_READ)) {
    first = Math.min(first, Date.parse(cachedArticle(edition, article).lastUpdated));
  }
  return first;
};

interface NamedVersion {
  /** `firmware`, `version`: versions of two things do not compare. */
  thing: string;
  /** As written: `firmware 2.x`. */
  written: string;
  /** Major version. */
  major: number;
}

/** At least two numbers, or an x, so that a count does not match; a number in the thousands is a year. */
const VERSION = /\b(firmware|version|release|software|app|os) (\d{1,3})(?:\.(?:\d{1,4}|x)){1,3}(?![\d.]{0,5}\w)/gi;

const versionsIn = (text: string): NamedVersion[] =>
  [...text.matchAll(VERSION)].map(([written, thing = '', major = '']) => ({
    ...{ written, thing: thing.toLowerCase() },
    major: Number(major),
  }));

/** Upper bound of the articles and chunks that are read for this, once per edition. */
const MAX_READ = 1000;

const newestVersion = (edition: Edition, thing: string, devices: readonly string[]): NamedVersion | undefined => {
  const all = newestVersions(edition);
  const found = (devices.length === 0 ? [''] : devices).map((device) => all.get(keyOf(thing, device)));
  // An article on several products is outdated only if it is for each of them.
  return found.reduce((least, each) =>
    least === undefined || each === undefined || each.major < least.major ? each : least,
  );
};

const keyOf = (thing: string, device: string): string => `${thing}\n${device.toLowerCase()}`;

const newestVersions = oncePer((edition: Edition): ReadonlyMap<string, NamedVersion> => {
  const newest = new Map<string, NamedVersion>();
  const note = (text: string, devices: readonly string[]): void => {
    for (const version of versionsIn(text)) {
      for (const device of ['', ...devices]) {
        const key = keyOf(version.thing, device);
        if (version.major > (newest.get(key)?.major ?? -1)) newest.set(key, version);
      }
    }
  };
  for (let at = 0; at < Math.min(MAX_READ, edition.articleCount); at++) {
    const { title, devices } = edition.article(at);
    note(title, devices);
  }
  for (let at = 0; at < Math.min(MAX_READ, edition.chunkCount); at++) {
    // Only the headings of a large edition are in memory.
    const text = edition.texts.paged === undefined ? edition.chunk(at).text : '';
    const { devices } = cachedArticle(edition, edition.index.articleOf(at));
    note(`${edition.headingPath(at).join('\n')}\n${text}`, devices);
  }
  return newest;
});
