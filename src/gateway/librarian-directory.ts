import type { LibrarianInfo } from '../contract/librarian.ts';
import {
  type Health,
  LibrarianDescription,
  type LibrarianDirectory,
  type LibrarianEntry,
} from '../contract/librarian-directory.ts';
import { readBody } from '../http/read-body.ts';
import { type Deadline, startDeadline } from '../runtime/deadline.ts';
import { readJson } from '../runtime/read-json.ts';
import type { Target } from '../runtime/signed-client.ts';
import type { WaitUntil } from '../runtime/wait-until.ts';

/** The librarians known to the gateway, with their descriptions. One per isolate. */
export interface Librarians {
  /** All librarians that can be named in a request. */
  readonly ids: readonly string[];
  /**
   * Librarians that are routable without being named, by their latest descriptions, except those that report a missing data
   * source or provider. The same array until something changes. Waits only for descriptions that were never fetched, and at most
   * `withinMs`.
   */
  routable(scope: {
    waitUntil: WaitUntil;
    withinMs: number;
    signal?: AbortSignal | undefined;
  }): Promise<readonly LibrarianInfo[]>;
  /** The latest description of a librarian, routable or not; `undefined` before the first one. */
  infoOf(id: string): LibrarianInfo | undefined;
  /** All librarians with their health; fetches descriptions older than five seconds. */
  list(): Promise<LibrarianDirectory>;
}

export interface LibrariansParts {
  /** Our own functions and the hosts of partners, by id. */
  targets: Readonly<Record<string, Target>>;
  /** Internal librarians, all of them routable. */
  own: readonly string[];
  /** Routable librarians of partners. */
  routed?: readonly string[] | undefined;
  now?: (() => number) | undefined;
}

/** How long a description is valid, and when a failed fetch is retried. */
const FRESH_MS = 60_000;
const RETRY_MS = 5000;
const TIMEOUT_MS = 1000;
const MAX_BYTES = 65_536;
/** Examples of each librarian in the public list. */
const SHOWN_EXAMPLES = 5;

/** A librarian's description, and why it is unavailable, if so. */
interface Description {
  info: LibrarianInfo;
  unavailable: string | undefined;
}

/** Cached description of a librarian. Plain values: in workerd no request may wait for a promise of another one. */
interface Shelf {
  description: Description | undefined;
  health: Health;
  heardAt: number;
  askedAt: number;
}

export const createLibrarians = ({ targets, own, routed = [], now = Date.now }: LibrariansParts): Librarians => {
  const automatic = [...new Set([...own, ...routed])].filter((id) => Object.hasOwn(targets, id));
  const ids = [...new Set([...automatic, ...Object.keys(targets)])];
  const shelves = new Map<string, Shelf>(
    ids.map((id) => [
      id,
      {
        description: undefined,
        health: 'unknown',
        heardAt: Number.NEGATIVE_INFINITY,
        askedAt: Number.NEGATIVE_INFINITY,
      },
    ]),
  );
  let routable: readonly LibrarianInfo[] = [];

  const refresh = async (id: string): Promise<void> => {
    const shelf = shelves.get(id);
    const target = targets[id];
    if (shelf === undefined || target === undefined) return;
    shelf.askedAt = now();
    const description = await describe(target, id);
    shelf.heardAt = now();
    shelf.health = description === undefined || description.unavailable !== undefined ? 'down' : 'ok';
    if (description === undefined || JSON.stringify(description) === JSON.stringify(shelf.description)) return;
    shelf.description = description;
    routable = automatic.flatMap((each) => {
      const known = shelves.get(each)?.description;
      return known === undefined || known.unavailable !== undefined ? [] : [known.info];
    });
  };

  const isDue = ({ health, heardAt, askedAt }: Shelf): boolean =>
    now() - heardAt >= (health === 'ok' ? FRESH_MS : RETRY_MS) && now() - askedAt >= TIMEOUT_MS;

  return {
    ids,
    infoOf: (id) => shelves.get(id)?.description?.info,
    routable: async ({ waitUntil, withinMs, signal }) => {
      const unheard: string[] = [];
      for (const id of automatic) {
        const shelf = shelves.get(id);
        if (shelf?.health === 'unknown') unheard.push(id);
        else if (shelf !== undefined && isDue(shelf)) waitUntil(refresh(id));
      }
      if (unheard.length > 0) {
        const hearing = Promise.all(unheard.map(refresh));
        waitUntil(hearing);
        const deadline = startDeadline(withinMs, signal);
        // Descriptions that have not arrived by then are omitted.
        await deadline.race(hearing).catch(() => undefined);
        deadline.clear();
      }
      return routable;
    },
    list: async () => {
      // Checked when its turn comes: another request may have fetched it meanwhile.
      await inTurns(ids, async (id) => {
        const { heardAt = 0, askedAt = 0 } = shelves.get(id) ?? {};
        if (now() - heardAt >= RETRY_MS && now() - askedAt >= TIMEOUT_MS) await refresh(id);
      });
      return { librarians: [CONCIERGE, ...ids.map((id) => entryOf(id, shelves.get(id)))] };
    },
  };
};

/** Concurrent fetches: workerd opens no more connections at once, and a queued one must not count as down. */
const AT_ONCE = 6;

const inTurns = async (ids: readonly string[], ask: (id: string) => Promise<void>): Promise<void> => {
  const waiting = [...ids];
  const askNext = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) await ask(id);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askNext));
};

/** Description of the concierge, which runs in the gateway. */
const CONCIERGE: LibrarianEntry = {
  id: 'concierge',
  name: 'Concierge',
  description:
    'Finds out which librarian a question is for, asks one or several of them, and puts their answers together.',
  health: 'ok',
};

const entryOf = (id: string, shelf: Shelf | undefined): LibrarianEntry => {
  const { info = { id, name: id }, unavailable } = shelf?.description ?? {};
  const { examples = [], ...known }: LibrarianInfo = info;
  const shown = examples.slice(0, SHOWN_EXAMPLES);
  return {
    ...known,
    ...(shown.length > 0 ? { examples: shown } : {}),
    health: shelf?.health ?? 'unknown',
    ...(unavailable === undefined ? {} : { unavailable }),
  };
};

/** Fetches a librarian's description; undefined when it does not answer within a second, or with another id. */
const describe = async (target: Target, id: string): Promise<Description | undefined> => {
  const deadline = startDeadline(TIMEOUT_MS);
  try {
    return await read(target, id, deadline);
  } catch {
    return undefined;
  } finally {
    deadline.clear();
  }
};

const read = async (target: Target, id: string, { race, signal }: Deadline): Promise<Description | undefined> => {
  const request = new Request(`http://librarian/librarians/${id}`, { redirect: 'manual', signal });
  const response = await race(target.fetch(request));
  if (!response.ok) void response.body?.cancel();
  const body = response.ok ? await race(readBody(response, MAX_BYTES)) : undefined;
  const description = body === undefined ? undefined : readJson(body, LibrarianDescription);
  if (!description?.ok || description.value.id !== id) return undefined;
  const { access: _access, keys: _keys, unavailable, ...info } = description.value;
  return { info, unavailable };
};
