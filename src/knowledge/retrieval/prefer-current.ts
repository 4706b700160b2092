import { RETRIEVAL_MIN_SCORE } from '../../contract/knowledge-retrieval.ts';
import { oncePer } from '../../runtime/once-per.ts';
import { articleAtHand, chunkAtHand } from '../../search/chunks-at-hand.ts';
import type { Edition } from '../../search/open-edition.ts';
import type { RankedSource } from './rank-sources.ts';

/** What was found of the subject beside an old page; less may be there by chance. */
const SOME_RELEVANCE = 0.15;
/** What speaks for an old page speaks for the current one of its subject, nearly as much. */
const INHERITED = 0.9;
/** An old page is shown as a hint, and is no source. */
const SUPERSEDED = 0.65;

/**
 * Lets the current page on a subject come before an old one that has the customer's words: where a source says itself that it is old
 * (`datedReason`), and another one that was found too shares the ticket's intent with it. Of an unknown intent any that both have.
 *
 * @param ranked The best first.
 * @param options.text What was asked.
 */
export const preferCurrent = (
  edition: Edition,
  ranked: readonly RankedSource[],
  { text, intents }: { text: string; intents: readonly string[] },
): RankedSource[] => {
  const isDated = ({ article, chunks }: RankedSource): boolean =>
    datedReason(edition, { article, chunks, text }) !== undefined;
  const intentsOf = ({ article }: RankedSource): string[] => {
    const own = articleAtHand(edition, article).intents;
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
        Number(left.isOfOtherProduct) - Number(right.isOfOtherProduct) || right.relevance - left.relevance,
    );
};

export interface SourceToDate {
  article: number;
  chunks: readonly number[];
  /** What was asked: who names an old version means that one. */
  text: string;
}

/**
 * Why a source is older than the product, for the end of a sentence; undefined where nothing says so. Either it says so itself
 * (`datedReason`), or it names no product, and all articles on the ticket's product, two at least, are newer than it by half a year: it
 * was written without knowing of that one.
 *
 * @param options.products The ticket's, in lower case.
 */
export const outdatedReason = (
  edition: Edition,
  { products, ...source }: SourceToDate & { products: readonly string[] },
): string | undefined => {
  const reason = datedReason(edition, source);
  if (reason !== undefined) return reason;
  const { devices, lastUpdated } = articleAtHand(edition, source.article);
  if (devices.length > 0) return undefined;
  const product = products.find((each) => Date.parse(lastUpdated) + HALF_A_YEAR_MS < firstWrittenOf(edition, each));
  return product === undefined ? undefined : `was last changed before anything was written on ${product}`;
};

/**
 * Why a source is old by what it says itself: its title or headings name a version of a thing, and articles on the same product name one
 * with a higher first number; or its title names a year, and articles on the same product were changed two years later.
 */
const datedReason = (edition: Edition, { article, chunks, text }: SourceToDate): string | undefined => {
  const { title, devices } = articleAtHand(edition, article);
  const headings = chunks.flatMap((chunk) => chunkAtHand(edition, chunk).headingPath);
  const meant = versionsIn(text);
  for (const { thing, written, major } of versionsIn([title, ...headings].join('\n'))) {
    const newest = newestVersion(edition, thing, devices);
    // Who has 2.4 means the page on 2.x.
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
 * The version that a customer names, where an article is about newer ones of the same thing alone: what it says may not hold there.
 * An article that names no version of it is taken to hold for all.
 */
export const versionNotMeant = (edition: Edition, article: number, text: string): string | undefined => {
  const named = versionsIn(text);
  if (named.length === 0) return undefined;
  const { title, firstChunk, endChunk } = articleAtHand(edition, article);
  const read = Math.min(endChunk - firstChunk, MAX_CHUNKS);
  const chunks = Array.from({ length: read }, (_, at) => chunkAtHand(edition, firstChunk + at));
  const told = versionsIn([title, ...chunks.map((each) => `${each.headingPath.join('\n')}\n${each.text}`)].join('\n'));
  const missed = named.find(({ thing, major }) => {
    const same = told.filter((each) => each.thing === thing);
    return same.length > 0 && same.every((each) => each.major > major);
  });
  return missed?.written;
};
/** Of a long manual. */
const MAX_CHUNKS = 30;

const hasText = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase());

/** Of a card, of a catalogue: not of a standard or an address (`ISO 2022`, `2001:db8`). */
const YEAR = /(?<![\p{L}\p{N}:.-])20[0-9]\d(?![\p{L}\p{N}:.-])/u;
const OLD_YEARS = 2;

/** When an article on one of the products was changed last; of any where there are none. */
const newestYearOf = (edition: Edition, devices: readonly string[]): number => {
  const years = yearsOfChanges(edition);
  return Math.max(0, ...(devices.length === 0 ? [''] : devices).map((device) => years.get(device.toLowerCase()) ?? 0));
};

const yearsOfChanges = oncePer((edition: Edition): ReadonlyMap<string, number> => {
  const newest = new Map<string, number>();
  for (let at = 0; at < Math.min(MAX_READ, edition.articleCount); at++) {
    const { devices, lastUpdated } = edition.article(at);
    const year = new Date(lastUpdated).getUTCFullYear();
    // What has no date says nothing.
    if (!(year > 0)) continue;
    for (const device of ['', ...devices.map((each) => each.toLowerCase())]) {
      newest.set(device, Math.max(year, newest.get(device) ?? 0));
    }
  }
  return newest;
});

const HALF_A_YEAR_MS = 182 * 86_400_000;
const MIN_ARTICLES = 2;

/** When the oldest article on a product was changed last; never where there is only one. */
const firstWrittenOf = (edition: Edition, product: string): number => {
  const articles = edition.articlesTagged('device', product);
  if (articles.length < MIN_ARTICLES) return Number.NEGATIVE_INFINITY;
  let first = Number.POSITIVE_INFINITY;
  for (const article of articles.subarray(0, MAX_READ)) {
    first = Math.min(first, Date.parse(articleAtHand(edition, article).lastUpdated));
  }
  return first;
};

interface NamedVersion {
  /** `firmware`, `version`: versions of two things do not compare. */
  thing: string;
  /** As it stands there: `firmware 2.x`. */
  written: string;
  /** Its first number. */
  major: number;
}

/** Two numbers at least, or an x, so that a count is none; a number of thousands is a year. */
const VERSION = /\b(firmware|version|release|software|app|os) (\d{1,3})(?:\.(?:\d{1,4}|x)){1,3}(?![\d.]{0,5}\w)/gi;

const versionsIn = (text: string): NamedVersion[] =>
  [...text.matchAll(VERSION)].map(([written, thing = '', major = '']) => ({
    ...{ written, thing: thing.toLowerCase() },
    major: Number(major),
  }));

/** So many articles and chunks of an edition are read for that, once. */
const MAX_READ = 1000;

const newestVersion = (edition: Edition, thing: string, devices: readonly string[]): NamedVersion | undefined => {
  const all = newestVersions(edition);
  const found = (devices.length === 0 ? [''] : devices).map((device) => all.get(keyOf(thing, device)));
  // An article on several products is old only if it is for each of them.
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
    const { headingPath, text, article } = edition.chunk(at);
    note(`${headingPath.join('\n')}\n${text}`, articleAtHand(edition, article).devices);
  }
  return newest;
});
