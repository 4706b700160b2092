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

/** The librarians that the gateway knows, with what each says of itself. One for the isolate. */
export interface Librarians {
  /** Everybody who can be asked by name. */
  readonly ids: readonly string[];
  /**
   * Those that may be asked without being named, as they described themselves last, but for those that say that they cannot
   * answer anything because their data source or provider is missing. The same array as long as nothing has changed. Waits only for those that were never heard of, and no longer than `withinMs`.
   */
  routable(scope: {
    waitUntil: WaitUntil;
    withinMs: number;
    signal?: AbortSignal | undefined;
  }): Promise<readonly LibrarianInfo[]>;
  /** What a librarian says of itself, whether it is routable or not; `undefined` until it was heard of. */
  infoOf(id: string): LibrarianInfo | undefined;
  /** Everybody, with health: who was not heard of for five seconds is asked. */
  list(): Promise<LibrarianDirectory>;
}

export interface LibrariansParts {
  /** Functions of this house, and hosts of other teams, by id. */
  targets: Readonly<Record<string, Target>>;
  /** Those of the house: questions reach them by themselves. */
  own: readonly string[];
  /** Those of other teams that questions may reach by themselves. */
  routed?: readonly string[] | undefined;
  now?: (() => number) | undefined;
}

/** How long a description counts, and how soon one that could not be read is asked for again. */
const FRESH_MS = 60_000;
const RETRY_MS = 5000;
const TIMEOUT_MS = 1000;
const MAX_BYTES = 65_536;
/** Examples of each librarian in the list for people. */
const SHOWN_EXAMPLES = 5;

/** What a librarian says of itself, and why it cannot answer anything if so. */
interface Description {
  info: LibrarianInfo;
  unavailable: string | undefined;
}

/** What was heard of a librarian. Values only: in workerd no request may wait for what another one has begun. */
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
        // Those that are heard of by then will do.
        await deadline.race(hearing).catch(() => undefined);
        deadline.clear();
      }
      return routable;
    },
    list: async () => {
      // Looked at when its turn comes: another request may have asked meanwhile.
      await inTurns(ids, async (id) => {
        const { heardAt = 0, askedAt = 0 } = shelves.get(id) ?? {};
        if (now() - heardAt >= RETRY_MS && now() - askedAt >= TIMEOUT_MS) await refresh(id);
      });
      return { librarians: [CONCIERGE, ...ids.map((id) => entryOf(id, shelves.get(id)))] };
    },
  };
};

/** So many at a time: workerd opens no more connections at once, and who waits for one is not to be taken for down. */
const AT_ONCE = 6;

const inTurns = async (ids: readonly string[], ask: (id: string) => Promise<void>): Promise<void> => {
  const waiting = [...ids];
  const askNext = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) await ask(id);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askNext));
};

/** How the concierge, which lives here, is introduced. */
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

/** What a librarian says of itself; undefined when it does not answer in a second, or not as itself. */
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
