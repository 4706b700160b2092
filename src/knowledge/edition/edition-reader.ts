import { CodedError } from '../../platform/http/coded-error.ts';
import { withDeadline } from '../../platform/http/deadline.ts';
import {
  type EditionManifest,
  type EditionParts,
  type EditionSource,
  FIRST_PAGE,
  MAX_EDITION_BYTES,
  sha256,
  sha256Hex,
} from '../../platform/storage/edition-storage.ts';
import type { PageSource } from './chunk-texts.ts';
import { readHeader } from './edition-format.ts';
import { SUM_BYTES } from './edition-sections.ts';
import { type Edition, openEdition } from './open-edition.ts';
import { openPage, type TextPage } from './text-pages.ts';

/** There is no edition to answer from: none is published, or the library has been unreachable for too long. */
export class EditionUnavailable extends CodedError {
  override readonly name = 'EditionUnavailable';

  constructor(message: string, options: { cause?: unknown } = {}) {
    super('SERVICE_UNAVAILABLE', message, { ...options, reported: { message } });
  }
}

interface CurrentEdition {
  edition: Edition;
  /** The host is asked before answers, and has not answered in time. */
  lacksHost?: boolean;
}

interface ReadOptions {
  /** From the verified context, never from a request body. */
  workspace: string;
  source: EditionSource;
  /** How long to wait for what the host has changed, where it is asked before answers (`KB_FRESHNESS`). */
  freshWithinMs?: number | undefined;
  /** Keeps the refresh alive after the response. */
  waitUntil?: ((work: Promise<unknown>) => void) | undefined;
}

interface EditionReader {
  /** The current edition of a workspace. Throws `EditionUnavailable` when there is none to answer from. */
  read(options: ReadOptions): Promise<CurrentEdition>;
}

/** A younger edition is used without a request to the library. */
const FRESH_MS = 1000;
/**
 * Up to this age an edition is used while it is revalidated; beyond, it is revalidated first. Bounds the delay of
 * deletions.
 */
const REFRESH_LIMIT_MS = 3000;
/**
 * How long an edition is served while the library is unreachable. Deletions go through the same library, so none can be
 * missed while it is down, only while this reader is cut off from it.
 */
const STALE_LIMIT_MS = 300_000;

/** For the way to the library, and for loading an edition that is new. */
const LOADING_MS = 15;

/** How long a request waits for a load that another request started before it starts its own. */
const SHARED_WAIT_MS = 5000;

interface CacheEntry {
  edition: Edition;
  /** Time of the last request that the library answered. */
  askedAt: number;
  /** Present where the host is asked before answers: whether it was. */
  isFresh: boolean | undefined;
  places: PagePlaces;
}

/** Sources of pages. */
interface PagePlaces {
  parts: readonly EditionParts[];
}

/**
 * Caches the current edition of several workspaces in this isolate, and pages of texts. Superseded editions are released; when the open
 * editions would exceed `maxBytes` in total with one that is loaded, the least recently read are released before: of an edition that takes
 * more than half of it, there are not two.
 *
 * @param options.maxBytes Limit for all open editions; 68 MiB by default. A single edition that exceeds it is not opened.
 * @param options.maxPageBytes Limit for the pages of all open editions; 8 MiB by default.
 */
export function createEditionReader({
  maxBytes = MAX_EDITION_BYTES,
  maxPageBytes = MAX_CACHED_PAGE_BYTES,
  now = Date.now,
}: {
  maxBytes?: number;
  maxPageBytes?: number;
  now?: () => number;
} = {}): EditionReader {
  // Ordered by last use, as a Map iterates in insertion order.
  const entries = new Map<string, CacheEntry>();
  const pendingLoads = new Map<string, Promise<CacheEntry>>();
  const cache = pageCache(maxPageBytes);

  const refresh = async ({
    workspace,
    source,
    freshWithinMs,
  }: ReadOptions): Promise<CacheEntry> => {
    const askedAt = now();
    const manifest = await source.readCurrent(freshWithinMs);
    if (manifest === undefined)
      throw new EditionUnavailable('Cannot answer yet: no knowledge base has been synced');
    const places = entries.get(workspace)?.places ?? { parts: source.parts };
    const edition = await editionOf(manifest, { workspace, places });
    // An abandoned load may end after its successor.
    const newer = entries.get(workspace);
    if (newer && newer.askedAt > askedAt) return newer;
    const entry = { edition, askedAt, isFresh: manifest.isFresh, places };
    entries.delete(workspace);
    entries.set(workspace, entry);
    return entry;
  };

  const editionOf = async (
    manifest: EditionManifest,
    { workspace, places }: { workspace: string; places: PagePlaces },
  ): Promise<Edition> => {
    if (manifest.workspace !== workspace)
      throw new EditionUnavailable('Cannot answer: the edition belongs to another workspace');
    const known = entries.get(workspace)?.edition;
    if (known?.id === manifest.edition) return known;
    if (manifest.bytes > maxBytes)
      throw new EditionUnavailable(
        `Cannot open the edition: it has ${manifest.bytes} bytes, more than ${maxBytes}`,
      );
    makeRoom(workspace, manifest.bytes);
    return loadEdition(manifest, places, cache);
  };

  /** Releases editions until another one fits, this workspace's own last. */
  const makeRoom = (workspace: string, needed: number): void => {
    let bytes =
      needed + [...entries.values()].reduce((sum, { edition }) => sum + edition.byteLength, 0);
    const oldest = [...entries.keys()].sort(
      (left, right) => Number(left === workspace) - Number(right === workspace),
    );
    for (const each of oldest) {
      if (bytes <= maxBytes) return;
      bytes -= entries.get(each)?.edition.byteLength ?? 0;
      entries.delete(each);
    }
  };

  /**
   * Shares the load that another request started. If it fails (its caller may have had a shorter deadline) or takes too
   * long, the waiting requests share a second load; if that fails too, each loads for itself.
   */
  const refreshOnce = async (options: ReadOptions, { waits = 2 } = {}): Promise<CacheEntry> => {
    const flying = pendingLoads.get(options.workspace);
    if (!flying) return begin(options);
    if (waits === 0) return refresh(options);
    try {
      return await withDeadline(() => flying, { timeoutMs: SHARED_WAIT_MS });
    } catch (error) {
      if (error instanceof EditionUnavailable) throw error;
      drop(options.workspace, flying);
      return refreshOnce(options, { waits: waits - 1 });
    }
  };

  const begin = (options: ReadOptions): Promise<CacheEntry> => {
    const flight = refresh(options).finally(() => drop(options.workspace, flight));
    pendingLoads.set(options.workspace, flight);
    // The client of the request that started the load may disconnect; other requests wait for it.
    options.waitUntil?.(flight.catch(() => {}));
    return flight;
  };

  /** The load may have been abandoned and another one started. */
  const drop = (workspace: string, flight: Promise<CacheEntry>): void => {
    if (pendingLoads.get(workspace) === flight) pendingLoads.delete(workspace);
  };

  /** What the library says now, or the edition of before when that takes too long. */
  const readFresh = async (
    { edition }: CacheEntry,
    options: ReadOptions,
  ): Promise<CurrentEdition> => {
    const timeoutMs = (options.freshWithinMs ?? 0) + LOADING_MS;
    try {
      const read = await withDeadline(() => refreshOnce(options), { timeoutMs });
      return { edition: read.edition, lacksHost: read.isFresh === false };
    } catch {
      return { edition: entries.get(options.workspace)?.edition ?? edition, lacksHost: true };
    }
  };

  return {
    read: async (options) => {
      const entry = entries.get(options.workspace);
      // A page is asked for on behalf of the latest request, whose context is still valid.
      if (entry) entry.places.parts = options.source.parts;
      if (entry?.isFresh !== undefined && options.freshWithinMs !== undefined)
        return readFresh(entry, options);
      const age = entry ? now() - entry.askedAt : Number.POSITIVE_INFINITY;
      if (entry && age < FRESH_MS) return { edition: entry.edition };
      if (entry && age < REFRESH_LIMIT_MS) {
        if (!pendingLoads.has(options.workspace)) void refreshOnce(options).catch(() => {});
        return { edition: entry.edition };
      }
      try {
        const { edition, isFresh } = await refreshOnce(options);
        return { edition, lacksHost: options.freshWithinMs !== undefined && isFresh === false };
      } catch (cause) {
        if (cause instanceof EditionUnavailable) throw cause;
        if (entry && age < STALE_LIMIT_MS) return { edition: entry.edition };
        throw new EditionUnavailable(
          'Cannot answer: the library cannot be asked for the current edition',
          { cause },
        );
      }
    },
  };
}

/** No source had an intact copy of a part. */
class EditionIncomplete extends Error {
  override name = 'EditionIncomplete';
}

/** Fetches the parts of an edition, each from the first source that has it intact, and opens the result; its pages are fetched when read. */
export async function loadEdition(
  manifest: EditionManifest,
  places: PagePlaces,
  cache: PageCache = pageCache(MAX_CACHED_PAGE_BYTES),
): Promise<Edition> {
  const bytes = new Uint8Array(manifest.bytes);
  let at = 0;
  for (const [part, { bytes: length }] of manifest.parts.entries()) {
    if (at + length > bytes.length)
      throw new EditionIncomplete('Cannot load the edition: its parts are too long');
    bytes.set(await readPart(manifest, part, places.parts), at);
    at += length;
  }
  if (at !== bytes.length)
    throw new EditionIncomplete('Cannot load the edition: its parts are too short');
  const sums = readHeader(bytes).get('pages.sums');
  const sumOf = (page: number) =>
    bytes.subarray(sums?.start).subarray(page * SUM_BYTES, (page + 1) * SUM_BYTES);
  const edition = openEdition(
    bytes,
    cache.of(`${manifest.workspace}/${manifest.edition}`, async (page) => {
      const isIntact = async (read: Uint8Array<ArrayBuffer>) =>
        isSame(await sha256(read), sumOf(page));
      return openPage(await readPart(manifest, FIRST_PAGE + page, places.parts, isIntact));
    }),
  );
  // In large mode the lexicon of one edition serves later ones.
  edition.id = manifest.edition;
  edition.createdAt = manifest.createdAt;
  return edition;
}

const isSame = (left: Uint8Array, right: Uint8Array): boolean =>
  left.length === right.length && left.every((byte, at) => byte === right[at]);

const readPart = async (
  manifest: EditionManifest,
  part: number,
  places: readonly EditionParts[],
  isIntact = async (bytes: Uint8Array<ArrayBuffer>): Promise<boolean> =>
    bytes.length === manifest.parts[part]?.bytes &&
    (await sha256Hex(bytes)) === manifest.parts[part]?.sha256,
): Promise<Uint8Array> => {
  let cause: unknown;
  for (const place of places) {
    try {
      const bytes = await place.readPart(manifest, part);
      if (bytes && (await isIntact(bytes))) return bytes;
    } catch (error) {
      cause = error;
    }
  }
  throw new EditionIncomplete(`Cannot load the edition: no place has part ${part} unharmed`, {
    cause,
  });
};

/** What the pages of all editions may take in an isolate: some 100 pages, those of about five questions. */
const MAX_CACHED_PAGE_BYTES = 8 * 1024 * 1024;

/** Pages of several editions in memory; the least recently read are dropped first. */
interface PageCache {
  /** The pages of one edition. @param fetchPage Throws when a page cannot be had intact. */
  of(edition: string, fetchPage: (page: number) => Promise<TextPage>): PageSource;
}

export function pageCache(maxBytes: number): PageCache {
  const pages = new Map<string, TextPage>();
  let bytes = 0;
  const drop = (key: string): void => {
    bytes -= sizeOf(pages.get(key));
    pages.delete(key);
  };
  const add = (key: string, page: TextPage, wanted: ReadonlySet<string>): void => {
    drop(key);
    pages.set(key, page);
    bytes += sizeOf(page);
    for (const oldest of pages.keys()) {
      if (bytes <= maxBytes) return;
      // What one piece of work needs together stays together, whatever the limit.
      if (!wanted.has(oldest)) drop(oldest);
    }
  };
  return {
    of: (edition, fetchPage) => {
      const keyOf = (page: number) => `${edition}/${page}`;
      return {
        get: (page) => {
          const key = keyOf(page);
          const found = pages.get(key);
          if (found === undefined) return undefined;
          pages.delete(key);
          pages.set(key, found);
          return found;
        },
        // Not shared between requests: a Worker may not wait for the network on behalf of another one.
        load: async (numbers, keep) => {
          const wanted = new Set([...keep].map(keyOf));
          const failed = await Promise.all(
            numbers.map(async (number) => {
              try {
                add(keyOf(number), await fetchPage(number), wanted);
                return [];
              } catch {
                return [number];
              }
            }),
          );
          return failed.flat();
        },
      };
    },
  };
}

const sizeOf = (page: TextPage | undefined): number =>
  page === undefined ? 0 : page.texts.bytes.byteLength + page.words.bytes.byteLength;
