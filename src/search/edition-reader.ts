import { CodedError } from '../runtime/error-info-of.ts';
import type { EditionParts, EditionSource } from '../storage/edition-storage.ts';
import { type EditionManifest, sha256Hex } from '../storage/edition-storage.ts';
import { type Edition, openEdition } from './open-edition.ts';

/** There is no edition to answer from: nothing was published yet, or the library cannot be asked for too long. */
export class EditionUnavailable extends CodedError {
  override readonly name = 'EditionUnavailable';

  constructor(message: string, options: { cause?: unknown } = {}) {
    super('SERVICE_UNAVAILABLE', message, { ...options, told: { message } });
  }
}

interface CurrentEdition {
  edition: Edition;
  /** The library could not be asked; a deletion of the last `STALE_LIMIT_MS` may not show yet. */
  isStale: boolean;
}

interface ReadOptions {
  /** From the verified context, never from a body (design 7.11). */
  workspace: string;
  source: EditionSource;
  /** Lets the refresh go on after the answer. */
  waitUntil?: ((work: Promise<unknown>) => void) | undefined;
}

export interface EditionReader {
  /** The current edition of a workspace. Throws `EditionUnavailable` when there is none to answer from. */
  read(options: ReadOptions): Promise<CurrentEdition>;
}

/** Younger than this, an edition is used without a question. */
const FRESH_MS = 1000;
/** Up to here it is used while the library is asked; beyond, the library is asked first. Deletions hold within this bound. */
const REFRESH_LIMIT_MS = 3000;
/**
 * How long an edition is served when the library cannot be asked. Deletions go through the same library, so that none
 * can be missed while it is down, only while it is cut off from this reader.
 */
export const STALE_LIMIT_MS = 300_000;

/** How long a request waits for the load that another one began, before a new one takes its place. */
const SHARED_WAIT_MS = 5000;

interface Shelf {
  edition: Edition;
  /** When the last answered question to the library was asked. */
  askedAt: number;
}

/**
 * Keeps the current edition of some workspaces open in this isolate (design, section 5). What is not current any more is
 * let go; when the open editions grow beyond `maxBytes` together, the one not read for longest goes first.
 *
 * @param options.maxBytes Of all open editions; 64 MiB unless given. An edition that alone is larger is not opened.
 */
export const createEditionReader = ({
  maxBytes = 64 * 1024 * 1024,
  now = Date.now,
}: {
  maxBytes?: number;
  now?: () => number;
} = {}): EditionReader => {
  // In the order of their last use: a Map lists what was set first.
  const shelves = new Map<string, Shelf>();
  const flights = new Map<string, Promise<Shelf>>();

  const refresh = async ({ workspace, source }: ReadOptions): Promise<Shelf> => {
    const askedAt = now();
    const manifest = await source.readCurrent();
    if (manifest === undefined) throw new EditionUnavailable('Cannot answer yet: no knowledge base has been synced');
    const edition = await editionOf(manifest, { workspace, source });
    // One that was given up may end after the one that took its place.
    const newer = shelves.get(workspace);
    if (newer && newer.askedAt > askedAt) return newer;
    const shelf = { edition, askedAt };
    shelves.delete(workspace);
    shelves.set(workspace, shelf);
    evict(workspace);
    return shelf;
  };

  const editionOf = async (manifest: EditionManifest, { workspace, source }: ReadOptions): Promise<Edition> => {
    if (manifest.workspace !== workspace)
      throw new EditionUnavailable('Cannot answer: the edition belongs to another workspace');
    const known = shelves.get(workspace)?.edition;
    if (known?.id === manifest.edition) return known;
    if (manifest.bytes > maxBytes)
      throw new EditionUnavailable(`Cannot open the edition: it has ${manifest.bytes} bytes, more than ${maxBytes}`);
    return loadEdition(manifest, source.parts);
  };

  const evict = (newest: string): void => {
    let bytes = [...shelves.values()].reduce((sum, { edition }) => sum + edition.byteLength, 0);
    for (const [workspace, { edition }] of shelves) {
      if (bytes <= maxBytes || workspace === newest) return;
      shelves.delete(workspace);
      bytes -= edition.byteLength;
    }
  };

  /**
   * Shares the load that another request has begun. When that one fails, maybe of its own deadline, or takes too long,
   * those who waited begin another and share that; whom the second fails too loads for itself.
   */
  const refreshOnce = async (options: ReadOptions, { waits = 2 } = {}): Promise<Shelf> => {
    const flying = flights.get(options.workspace);
    if (!flying) return begin(options);
    if (waits === 0) return refresh(options);
    try {
      return await withinWait(flying);
    } catch (error) {
      if (error instanceof EditionUnavailable) throw error;
      drop(options.workspace, flying);
      return refreshOnce(options, { waits: waits - 1 });
    }
  };

  const begin = (options: ReadOptions): Promise<Shelf> => {
    const flight = refresh(options).finally(() => drop(options.workspace, flight));
    flights.set(options.workspace, flight);
    // The request that began the load may be given up by its client; others wait for it.
    options.waitUntil?.(flight.catch(() => {}));
    return flight;
  };

  /** A flight may have been given up, and another have begun. */
  const drop = (workspace: string, flight: Promise<Shelf>): void => {
    if (flights.get(workspace) === flight) flights.delete(workspace);
  };

  return {
    read: async (options) => {
      const shelf = shelves.get(options.workspace);
      const age = shelf ? now() - shelf.askedAt : Number.POSITIVE_INFINITY;
      if (shelf && age < FRESH_MS) return { edition: shelf.edition, isStale: false };
      if (shelf && age < REFRESH_LIMIT_MS) {
        if (!flights.has(options.workspace)) void refreshOnce(options).catch(() => {});
        return { edition: shelf.edition, isStale: false };
      }
      try {
        return { edition: (await refreshOnce(options)).edition, isStale: false };
      } catch (cause) {
        if (cause instanceof EditionUnavailable) throw cause;
        if (shelf && age < STALE_LIMIT_MS) return { edition: shelf.edition, isStale: true };
        throw new EditionUnavailable('Cannot answer: the library cannot be asked for the current edition', { cause });
      }
    },
  };
};

const withinWait = <T>(work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('Cannot wait for the edition any longer')), SHARED_WAIT_MS);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });

/** No place had an intact copy of a part. */
class EditionIncomplete extends Error {
  override name = 'EditionIncomplete';
}

/** Fetches the parts of an edition, each from the first place that has it unharmed, and opens what they make together. */
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
