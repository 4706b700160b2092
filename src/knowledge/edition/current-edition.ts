import * as z from 'zod';
import { readAs } from '../../contract/core/error-info.ts';
import { TRANSLATED_SECTION } from '../../documents/group-translations.ts';
import { mayRead } from '../../platform/context/capabilities.ts';
import type { Identity } from '../../platform/context/identity.ts';
import type { OriginContext, VerifiedContext } from '../../platform/context/request-context.ts';
import type { RequestScope } from '../../platform/context/request-scope.ts';
import {
  type SignedClient,
  signedClient,
  type Target,
} from '../../platform/context/signed-client.ts';
import { lruCache } from '../../platform/lru-cache.ts';
import { oncePer } from '../../platform/once-per.ts';
import {
  type AskLibrary,
  type EditionParts,
  type EditionSource,
  LibraryUnreachable,
  libraryEditionSource,
  MAX_EDITION_BYTES,
  readManifest,
} from '../../platform/storage/edition-storage.ts';
import type { ChunkTexts, PageSource } from './chunk-texts.ts';
import { audienceBit } from './collect-words.ts';
import { attachSection, unreadable } from './edition-format.ts';
import { createEditionReader, EditionUnavailable, loadEdition } from './edition-reader.ts';
import { languagesOf } from './edition-sections.ts';
import { type Edition, openEdition } from './open-edition.ts';
import { type EditionIndex, findWord, readPostings } from './open-index.ts';
import { type Recount, recountIndex } from './recount-index.ts';
import { attachRepeatedBlocks, REPEATED_SECTION, repeatedBlocksOf } from './repeated-blocks.ts';
import { entryRange, entryText, numbersView, openTextTable, type TextTable } from './text-table.ts';

/** A request that reads an edition. */
export interface EditionScope extends Pick<RequestScope, 'context' | 'waitUntil'> {
  /** Absent: the edition of the last sync will do. */
  fresh?: Freshness | undefined;
  /** An older edition, for callers with the capability `kb:editions:read`; the current one when absent. */
  edition?: string | undefined;
  /** The searches that the request is going to do; called for an edition in large mode, which has nothing else (`editionsOfHits`). */
  searches?: (() => readonly SearchToDo[]) | undefined;
  /** How long an index may be waited for; as long as it is good for (`findHits`) when absent. */
  indexMs?: number | undefined;
  /** Restricts what an index is searched for. */
  filter?:
    | { intent?: string | undefined; device?: string | undefined; articleId?: string | undefined }
    | undefined;
}

/** A search that a request is going to do. */
export interface SearchToDo {
  question: string;
  /** Turns before it, oldest first. */
  history?: readonly { speaker: 'user' | 'assistant'; text: string }[] | undefined;
}

/** For where the host is asked before answers what has changed (`KB_FRESHNESS`). */
export interface Freshness {
  /** How long to wait for the host, in milliseconds. */
  withinMs: number;
  /** Called when the edition may be older than what the host has. */
  onStale: () => void;
}

/** At most so long, and a quarter of its time, an answer waits for the host. */
export function freshFor(timeLeftMs: number, onStale: () => void): Freshness {
  return {
    withinMs: Math.max(1, Math.min(MAX_FRESH_MS, Math.floor(timeLeftMs / 4))),
    onStale,
  };
}
const MAX_FRESH_MS = 1000;

/**
 * Returns a reader for what the verified context may read of the current edition of its workspace: articles for other audiences do not
 * exist in it. Create one per isolate: it caches editions. Reading throws if the workspace has no edition yet. An older edition is read
 * while the library stores it, narrowed to articles that the asker may read now, and not cached.
 *
 * @param parts Sources of edition bytes that are cheaper than the library.
 */
export function currentEdition(
  identity: Identity,
  { library, parts }: { library: Target; parts: readonly EditionParts[] },
): (scope: EditionScope) => Promise<Edition> {
  const client = signedClient({ ...identity, targets: { library } });
  const reader = createEditionReader();
  return async ({ context, waitUntil, edition: named, fresh }) => {
    const { workspace, audiences } = context;
    const library = signedLibrary(client, context);
    const source = libraryEditionSource(library, parts);
    const { edition, lacksHost } = await reader.read({
      workspace,
      source,
      waitUntil,
      freshWithinMs: fresh?.withinMs,
    });
    if (lacksHost === true) fresh?.onStale();
    const current = editionFor(edition, audiences);
    if (named === undefined || named === edition.id) return current;
    return olderEditionFor(await readOlder(named, { library, source, workspace }), {
      current,
      audiences,
    });
  };
}

/** Two editions are open then, beside those of other workspaces. */
const MAX_OLDER_BYTES = MAX_EDITION_BYTES / 4;

const readOlder = async (
  named: string,
  { library, source, workspace }: { library: AskLibrary; source: EditionSource; workspace: string },
): Promise<Edition> => {
  const manifest = await readManifest(library, named);
  if (manifest?.workspace !== workspace)
    throw new EditionUnavailable(`Cannot answer from ${named}: it is not stored any more`);
  if (manifest.bytes > MAX_OLDER_BYTES)
    throw new EditionUnavailable(
      `Cannot answer from ${named}: it is too large beside the current edition`,
    );
  return loadEdition(manifest, source);
};

/** A client of the library whose signed calls extend the current context, with the permission `kb:read` only. */
const signedLibrary =
  (client: SignedClient, context: OriginContext | VerifiedContext): AskLibrary =>
  async (path, { maxBytes }) => {
    const answer = await client.call(context, {
      to: 'library',
      method: 'GET',
      path,
      capabilities: ['kb:read'],
      maxAnswerBytes: maxBytes,
    });
    if (!answer.ok) throw new LibraryUnreachable(`Cannot ask the library: ${answer.error.code}`);
    return { status: answer.status, body: answer.body };
  };

/** Narrowed editions in memory for each edition; some 50 bytes a chunk and 12 a word each. */
const MAX_NARROWED = 8;

/**
 * What an asker with some audiences may read of an edition: an edition in which the other articles do not exist. Its numbers count from 0,
 * and its words, devices and counts are those of its articles alone, so whatever reads it can show nothing else. The edition
 * itself where the asker may read all of it.
 *
 * @throws {EditionFormatError} When the edition does not say who may read its articles.
 */
export function editionFor(edition: Edition, audiences: readonly string[]): Edition {
  const sets = audienceSetsOf(edition).names;
  const isReadable = sets.map((names) => mayRead(audiences, names));
  if (isReadable.every(Boolean)) return edition;
  const key = isReadable.map(Number).join('');
  return narrowedOf(edition).getOr(key, () => narrow(edition, isReadable));
}

/**
 * What an asker may read of an edition that was replaced: articles that are still there for this asker, as they were then. What was deleted or
 * restricted since is not in it, and neither are words that only such articles have.
 *
 * @param options.current The current edition as the asker may read it.
 */
const olderEditionFor = (
  older: Edition,
  { current, audiences }: { current: Edition; audiences: readonly string[] },
): Edition => {
  const isKept = Array.from(
    { length: older.articleCount },
    (_, at) => current.findArticle(older.article(at).id) >= 0,
  );
  if (isKept.every(Boolean)) return editionFor(older, audiences);
  const isReadable = audienceSetsOf(older).names.map((names) => mayRead(audiences, names));
  const narrowed = narrow(older, isReadable, (at) => isKept[at] === true);
  const { words, wordCounts } = narrowed.index;
  const isKnown = (place: number): boolean => findWord(current.index, entryText(words, place)) >= 0;
  const known = wordCounts.map((count, place) => (count > 0 && isKnown(place) ? count : 0));
  return { ...narrowed, index: { ...narrowed.index, wordCounts: known } };
};

/** The audiences of an asker as far as they matter: none where every article is for everybody. */
export function audiencesIn(edition: Edition, audiences: readonly string[]): readonly string[] {
  // An edition of hits does not say whether there are others.
  if (edition.meanings !== undefined) return audiences;
  return audienceSetsOf(edition.narrowed?.from ?? edition).names.length === 0 ? [] : audiences;
}

const narrowedOf = oncePer((_: Edition) => lruCache<string, Edition>({ max: MAX_NARROWED }));

/** The lists of audiences that articles of an edition name; none where all are for everybody. */
const audienceSetsOf = oncePer((edition: Edition): { names: string[][] } => {
  const bytes = edition.section('audience.sets');
  if (bytes === undefined) return { names: [] };
  const table = openTextTable(numbersView(edition.section('audience.sets.starts')), bytes);
  const read = readAs(
    z.array(z.array(z.string())),
    Array.from({ length: table.count }, (_, at) => JSON.parse(entryText(table, at))),
  );
  if (!read.ok) throw unreadable('it does not say who may read its articles');
  return { names: read.value };
});

/** The audiences that an article of a whole edition names, by its place; none where it is for everybody. */
export function audiencesOfArticle(edition: Edition, at: number): readonly string[] {
  const { names } = audienceSetsOf(edition);
  if (names.length === 0) return [];
  return names[sectionOf(edition, 'article.sets', edition.articleCount)[at] ?? -1] ?? [];
}

/** @param isKept Articles that are kept, where they may be read; all when absent. */
const narrow = (
  from: Edition,
  isReadable: readonly boolean[],
  isKept?: (article: number) => boolean,
): Edition => {
  // All articles are for everybody if none names audiences.
  const articleSets =
    isReadable.length === 0 ? undefined : sectionOf(from, 'article.sets', from.articleCount);
  const articles = Uint32Array.from({ length: from.articleCount }, (_, at) => at).filter(
    (at) =>
      (articleSets === undefined || isReadable[articleSets[at] ?? -1] === true) &&
      isKept?.(at) !== false,
  );
  const ownArticles = placesOf(articles, from.articleCount);
  const ofReadable = (chunk: number): boolean =>
    (ownArticles[from.index.articleOf(chunk)] ?? -1) >= 0;
  const chunks = Uint32Array.from({ length: from.chunkCount }, (_, at) => at).filter(ofReadable);
  const ownChunks = placesOf(chunks, from.chunkCount);
  const counts = recountIndex(from, chunks);
  const isForAll =
    isKept === undefined &&
    audienceSetsOf(from).names.every((names, set) => isReadable[set] === mayRead([], names));
  const index = narrowIndex(from, { isReadable, articles, ownArticles, chunks, ownChunks, counts });
  const own = (numbers: Uint32Array, at: number, what: string): number => {
    const found = numbers[at];
    if (found === undefined) throw new RangeError(`Cannot read ${what} ${at} of ${numbers.length}`);
    return found;
  };
  const articlesTagged: Edition['articlesTagged'] = (kind, value) =>
    Uint32Array.from(
      [...from.articlesTagged(kind, value)].map((at) => ownArticles[at] ?? -1).filter(isOwn),
    );
  let devices: string[] | undefined;
  let languages: readonly string[] | undefined;
  let wordTotal: number | undefined;
  const edition: Edition = {
    id: from.id,
    workspace: from.workspace,
    createdAt: from.createdAt,
    byteLength: from.byteLength,
    get languages() {
      // An edition that an earlier version built does not have them.
      languages ??=
        from.section(TRANSLATED_SECTION) === undefined ? from.languages : languagesAmong(edition);
      return languages;
    },
    translated: (at) => from.translated(own(articles, at, 'article')),
    articleCount: articles.length,
    chunkCount: chunks.length,
    chunkTotal: chunks.length,
    get wordTotal() {
      wordTotal ??= index.termCounts.reduce((sum, count) => sum + count, 0);
      return wordTotal;
    },
    article: (at) => {
      const { firstChunk, endChunk, ...article } = from.article(own(articles, at, 'article'));
      const first = firstChunk === endChunk ? 0 : (ownChunks[firstChunk] ?? 0);
      return { ...article, index: at, firstChunk: first, endChunk: first + endChunk - firstChunk };
    },
    chunk: (at) => ({
      ...from.chunk(own(chunks, at, 'chunk')),
      index: at,
      article: index.articleOf(at),
    }),
    headingPath: (at) => from.headingPath(own(chunks, at, 'chunk')),
    findArticle: (id) => ownArticles[from.findArticle(id)] ?? -1,
    articlesTagged,
    devices: () => {
      devices ??= from.devices().filter((device) => articlesTagged('device', device).length > 0);
      return devices;
    },
    section: (name) =>
      ownSection(edition, name, { from, isForAll, isCounted: counts !== undefined }),
    index,
    texts: narrowTexts(from.texts, (at) => own(chunks, at, 'chunk')),
    narrowed: { from, articles, chunks, ownChunks },
  };
  return edition;
};

/** As of the whole edition, counted over these articles. */
const languagesAmong = (edition: Edition): readonly string[] => {
  const counts = new Map<string, number>();
  for (let at = 0; at < edition.articleCount; at++) {
    const { language } = edition.translated(at);
    if (language !== undefined) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  return languagesOf(counts, edition.articleCount);
};

/** Section with the repeated blocks of the articles that are for everybody, where there are others. */
const OPEN_REPEATED_SECTION = 'open.repeated';

/**
 * Which blocks are repeated tells about articles that the asker may not read, so they are counted again: when the edition is published for what is
 * for everybody, else when they are first asked for. With texts on pages, which are not in memory, they stay as they are.
 */
const ownSection = (
  edition: Edition,
  name: string,
  { from, isForAll, isCounted }: { from: Edition; isForAll: boolean; isCounted: boolean },
): Uint8Array | undefined => {
  const whole = from.section(name);
  if (whole === undefined || !isCounted || name !== REPEATED_SECTION) return whole;
  return (isForAll ? from.section(OPEN_REPEATED_SECTION) : undefined) ?? repeatedBlocksOf(edition);
};

/**
 * Attaches the repeated blocks of a finished edition, and those of its articles for everybody, so that the first anonymous question need not wait.
 *
 * @param edition As returned by `buildEdition`; must not be used afterwards.
 * @param pages The pages of an edition whose texts are beside it, all of them in reach.
 */
export function completeEdition(edition: Uint8Array, pages?: PageSource): Uint8Array {
  const complete = attachRepeatedBlocks(edition, pages);
  const opened = openEdition(complete, pages);
  const open = editionFor(opened, []);
  if (open === opened || opened.texts.paged !== undefined) return complete;
  return attachSection(complete, OPEN_REPEATED_SECTION, repeatedBlocksOf(open));
}

const isOwn = (place: number): boolean => place >= 0;

/** Position of each number in a list; -1 for those that are not in it. */
const placesOf = (numbers: Uint32Array, count: number): Int32Array => {
  const places = new Int32Array(count).fill(-1);
  numbers.forEach((number, place) => {
    places[number] = place;
  });
  return places;
};

const sectionOf = (edition: Edition, name: string, length: number): Uint32Array => {
  const numbers = numbersView(edition.section(name));
  if (numbers.length !== length) throw unreadable('it does not say who may read each article');
  return numbers;
};

interface Narrowing {
  /** By number of a list of audiences. */
  isReadable: readonly boolean[];
  articles: Uint32Array;
  ownArticles: Int32Array;
  chunks: Uint32Array;
  ownChunks: Int32Array;
  /** Counted over the readable chunks. */
  counts: Recount | undefined;
}

const narrowIndex = (from: Edition, narrowing: Narrowing): EditionIndex => {
  const { articles, ownArticles, chunks, counts } = narrowing;
  const { index } = from;
  return {
    ...index,
    ...(counts ?? estimatedCounts(from, narrowing)),
    titleWords: entriesOf(index.titleWords, articles),
    labelWords: entriesOf(index.labelWords, articles),
    articleOf: (chunk) => ownArticles[index.articleOf(chunks[chunk] ?? -1)] ?? -1,
    headingOf: (chunk) => index.headingOf(chunks[chunk] ?? -1),
    scores: new Float32Array(chunks.length),
    // Zero between searches, and no search waits.
    marks: index.marks,
  };
};

/** For an edition whose texts are not in memory: from the postings of all chunks, and the lists of audiences of each word. */
const estimatedCounts = (
  from: Edition,
  { isReadable, ownChunks }: Narrowing,
): Partial<EditionIndex> => {
  const { index } = from;
  const wordSets =
    isReadable.length === 0 ? undefined : sectionOf(from, 'word.sets', index.words.count);
  const bits = readableBits(isReadable);
  const termChunks = new Uint32Array(index.termChunks.length);
  const termCounts = new Uint32Array(index.termCounts.length);
  for (let term = 0; term < termChunks.length; term++) {
    let all = 0;
    let readable = 0;
    readPostings(index, term, (chunk) => {
      all += 1;
      if ((ownChunks[chunk] ?? -1) >= 0) readable += 1;
    });
    // Postings count labels too, which `termChunks` leaves out where it can.
    termChunks[term] = Math.min(readable, index.termChunks[term] ?? 0);
    termCounts[term] = all === 0 ? 0 : Math.ceil(((index.termCounts[term] ?? 0) * readable) / all);
  }
  return {
    wordCounts: index.wordCounts.map((count, place) =>
      wordSets !== undefined && ((wordSets[place] ?? 0) & bits) === 0 ? 0 : count,
    ),
    termChunks,
    termCounts,
    ownChunks,
  };
};

/** The bits of words that a readable article has for certain: a bit of several lists counts when all of them may be read. */
const readableBits = (isReadable: readonly boolean[]): number => {
  let bits = 0;
  for (const [set, readable] of isReadable.entries()) if (readable) bits |= audienceBit(set);
  for (const [set, readable] of isReadable.entries()) if (!readable) bits &= ~audienceBit(set);
  return bits;
};

/** A copy of some entries. */
const entriesOf = ({ starts, bytes }: TextTable, entries: Uint32Array): TextTable => {
  const ranges = Array.from(entries, (at) => entryRange(starts, at));
  const ends = new Uint32Array(ranges.length + 1);
  ranges.forEach(({ start, end }, at) => {
    ends[at + 1] = (ends[at] ?? 0) + end - start;
  });
  const copied = new Uint8Array(ends.at(-1) ?? 0);
  ranges.forEach(({ start, end }, at) => {
    copied.set(bytes.subarray(start, end), ends[at]);
  });
  return openTextTable(ends, copied);
};

const narrowTexts = (texts: ChunkTexts, chunkOf: (own: number) => number): ChunkTexts => ({
  text: (own) => texts.text(chunkOf(own)),
  words: (own) => texts.words(chunkOf(own)),
  need: (owns) => texts.need([...owns].map(chunkOf)),
  paged: texts.paged,
});
