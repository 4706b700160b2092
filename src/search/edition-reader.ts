import { CodedError } from '../http/coded-error.ts';
import { withDeadline } from '../http/deadline.ts';
import type { EditionParts, EditionSource } from '../storage/edition-storage.ts';
import { type EditionManifest, MAX_EDITION_BYTES, sha256Hex } from '../storage/edition-storage.ts';
import { type Edition, openEdition } from './open-edition.ts';

/** There is no edition to answer from: none is published, or the library has been unreachable for too long. */
export class EditionUnavailable extends CodedError {
  override readonly name = 'EditionUnavailable';

  constructor(message: string, options: { cause?: unknown } = {}) {
    super('SERVICE_UNAVAILABLE', message, { ...options, reported: { message } });
  }
}

interface CurrentEdition {
  edition: Edition;
  /** The library could not be reached; a deletion of the last `STALE_LIMIT_MS` may not be visible yet. */
  isStale: boolean;
}

interface ReadOptions {
  /** From the verified context, never from a request body. */
  workspace: string;
  source: EditionSource;
  /** Keeps the refresh alive after the response. */
  waitUntil?: ((work: Promise<unknown>) => void) | undefined;
}

export interface EditionReader {
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
export const STALE_LIMIT_MS = 300_000;

/** How long a request waits for a load that another request started before it starts its own. */
const SHARED_WAIT_MS = 5000;

interface CacheEntry {
  edition: Edition;
  /** Time of the last request that the library answered. */
  askedAt: number;
}

/**
 * Caches the current edition of several workspaces in this isolate. Superseded editions are released; when the open
 * editions exceed `maxBytes` in total, the least recently read one is evicted.
 *
 * @param options.maxBytes Limit for all open editions; 64 MiB by default. A single edition that exceeds it is not opened.
 */
export const createEditionReader = ({
  maxBytes = MAX_EDITION_BYTES,
  now = Date.now,
}: {
  maxBytes?: number;
  now?: () => number;
} = {}): EditionReader => {
  // Ordered by last use, as a Map iterates in insertion order.
  const entries = new Map<string, CacheEntry>();
  const pendingLoads = new Map<string, Promise<CacheEntry>>();

  const refresh = async ({ workspace, source }: ReadOptions): Promise<CacheEntry> => {
    const askedAt = now();
    const manifest = await source.readCurrent();
    if (manifest === undefined) throw new EditionUnavailable('Cannot answer yet: no knowledge base has been synced');
    const edition = await editionOf(manifest, { workspace, source });
    // An abandoned load may end after its successor.
    const newer = entries.get(workspace);
    if (newer && newer.askedAt > askedAt) return newer;
    const entry = { edition, askedAt };
    entries.delete(workspace);
    entries.set(workspace, entry);
    evict(workspace);
    return entry;
  };

  const editionOf = async (manifest: EditionManifest, { workspace, source }: ReadOptions): Promise<Edition> => {
    if (manifest.workspace !== workspace)
      throw new EditionUnavailable('Cannot answer: the edition belongs to another workspace');
    const known = entries.get(workspace)?.edition;
    if (known?.id === manifest.edition) return known;
    if (manifest.bytes > maxBytes)
      throw new EditionUnavailable(`Cannot open the edition: it has ${manifest.bytes} bytes, more than ${maxBytes}`);
    return loadEdition(manifest, source.parts);
  };

  const evict = (newest: string): void => {
    let bytes = [...entries.values()].reduce((sum, { edition }) => sum + edition.byteLength, 0);
    for (const [workspace, { edition }] of entries) {
      if (bytes <= maxBytes || workspace === newest) return;
      entries.delete(workspace);
      bytes -= edition.byteLength;
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

  return {
    read: async (options) => {
      const entry = entries.get(options.workspace);
      const age = entry ? now() - entry.askedAt : Number.POSITIVE_INFINITY;
      if (entry && age < FRESH_MS) return { edition: entry.edition, isStale: false };
      if (entry && age < REFRESH_LIMIT_MS) {
        if (!pendingLoads.has(options.workspace)) void refreshOnce(options).catch(() => {});
        return { edition: entry.edition, isStale: false };
      }
      try {
        return { edition: (await refreshOnce(options)).edition, isStale: false };
      } catch (cause) {
        if (cause instanceof EditionUnavailable) throw cause;
        if (entry && age < STALE_LIMIT_MS) return { edition: entry.edition, isStale: true };
        throw new EditionUnavailable('Cannot answer: the library cannot be asked for the current edition', { cause });
      }
    },
  };
};

/** No source had an intact copy of a part. */
class EditionIncomplete extends Error {
  override name = 'EditionIncomplete';
}

/** Fetches the parts of an edition, each from the first source that has it intact, and opens the result. */
export const loadEdition = async (manifest: EditionManifest, places: readonly EditionParts[]): Promise<Edition> => {
  const bytes = new Uint8Array(manifest.bytes);
  let at = 0;
  for (const [part, { bytes: length }] of manifest.parts.entries()) {
    if (at + length > bytes.length) throw new EditionIncomplete('Cannot load the edition: its parts are too long');
    bytes.set(await readPart(manifest, part, places), at);
    at += length;
  }
  if (at !== bytes.length) throw new EditionIncomplete('Cannot load the edition: its parts are too short');
  return openEdition(bytes);
};

const readPart = async (
  manifest: EditionManifest,
  part: number,
  places: readonly EditionParts[],
): Promise<Uint8Array> => {
  const expected = manifest.parts[part];
  let cause: unknown;
  for (const place of places) {
    try {
      const bytes = await place.readPart(manifest, part);
      if (bytes?.length === expected?.bytes && bytes && (await sha256Hex(bytes)) === expected?.sha256) return bytes;
    } catch (error) {
      cause = error;
    }
  }
  throw new EditionIncomplete(`Cannot load the edition: no place has part ${part} unharmed`, { cause });
};
