import {
  type Health,
  LibrarianDescription,
  type LibrarianDirectory,
  type LibrarianEntry,
  type LibrarianInfo,
} from '../../contract/core/librarian.ts';
import type { WaitUntil } from '../../platform/concurrency.ts';
import type { KeyDirectory } from '../../platform/context/key-directory.ts';
import type { Target } from '../../platform/context/signed-client.ts';
import { type Deadline, startDeadline } from '../../platform/http/deadline.ts';
import { readJson } from '../../platform/http/json-http.ts';
import { originOfHost } from '../../platform/http/public-address.ts';
import { readBody } from '../../platform/http/read-body.ts';
import { sleep } from '../../platform/retry.ts';

/** The librarians that a function knows, with their descriptions. One per isolate. */
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
  /**
   * All librarians with their health; fetches descriptions older than five seconds. One of ours that has never described itself is
   * `unavailable`: which rights it needs is not known. A partner may answer nevertheless.
   */
  list(): Promise<LibrarianDirectory>;
}

interface LibrariansParts {
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
/** How often a first description that another request fetches is looked for within the timeout. */
const MAX_POLLS = 50;
const MAX_BYTES = 65_536;
/** Examples of each librarian in the public list. */
const SHOWN_EXAMPLES = 5;

/** A librarian's description, and why it is unavailable, if so. */
interface Description {
  info: LibrarianInfo;
  unavailable: string | undefined;
}

/** Cached description of a librarian. Plain values: in workerd no request may wait for a promise of another one. */
interface CachedDescription {
  description: Description | undefined;
  health: Health;
  heardAt: number;
  askedAt: number;
}

export function createLibrarians({
  targets,
  own,
  routed = [],
  now = Date.now,
}: LibrariansParts): Librarians {
  const automatic = [...new Set([...own, ...routed])].filter((id) => Object.hasOwn(targets, id));
  const ids = [...new Set([...automatic, ...Object.keys(targets)])];
  const entries = new Map<string, CachedDescription>(
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
    const entry = entries.get(id);
    const target = targets[id];
    if (entry === undefined || target === undefined) return;
    entry.askedAt = now();
    const description = await describe(target, id);
    entry.heardAt = now();
    entry.health =
      description === undefined || description.unavailable !== undefined ? 'down' : 'ok';
    if (
      description === undefined ||
      JSON.stringify(description) === JSON.stringify(entry.description)
    )
      return;
    entry.description = description;
    routable = automatic.flatMap((each) => {
      const known = entries.get(each)?.description;
      return known === undefined || known.unavailable !== undefined ? [] : [known.info];
    });
  };

  const isDue = ({ health, heardAt, askedAt }: CachedDescription): boolean =>
    now() - heardAt >= (health === 'ok' ? FRESH_MS : RETRY_MS) && now() - askedAt >= TIMEOUT_MS;

  return {
    ids,
    infoOf: (id) => entries.get(id)?.description?.info,
    routable: async ({ waitUntil, withinMs, signal }) => {
      const unknown: string[] = [];
      for (const id of automatic) {
        const entry = entries.get(id);
        if (entry?.health === 'unknown') unknown.push(id);
        else if (entry !== undefined && isDue(entry)) waitUntil(refresh(id));
      }
      if (unknown.length > 0) {
        const hearing = Promise.all(unknown.map(refresh));
        waitUntil(hearing);
        const deadline = startDeadline({ timeoutMs: withinMs, signal });
        // Descriptions that have not arrived by then are omitted.
        await deadline.race(hearing).catch(() => undefined);
        deadline.clear();
      }
      return routable;
    },
    list: async () => {
      // Checked when its turn comes: another request may have fetched it meanwhile.
      await inTurns(ids, async (id) => {
        const isFetched = (): boolean => now() - (entries.get(id)?.askedAt ?? 0) < TIMEOUT_MS;
        for (
          let polls = 0;
          entries.get(id)?.health === 'unknown' && isFetched() && polls < MAX_POLLS;
          polls += 1
        )
          await sleep(TIMEOUT_MS / MAX_POLLS);
        if (now() - (entries.get(id)?.heardAt ?? 0) >= RETRY_MS && !isFetched()) await refresh(id);
      });
      return {
        librarians: [CONCIERGE, ...ids.map((id) => entryOf(id, entries.get(id), own.includes(id)))],
      };
    },
  };
}

/** Concurrent fetches: workerd opens no more connections at once, and a queued one must not count as down. */
const AT_ONCE = 6;

const inTurns = async (
  ids: readonly string[],
  ask: (id: string) => Promise<void>,
): Promise<void> => {
  const waiting = [...ids];
  const askNext = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) await ask(id);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askNext));
};

const UNDESCRIBED = 'It has not described itself yet: it does not answer, or not in time';

/** Description of the concierge, which runs in the gateway. */
const CONCIERGE: LibrarianEntry = {
  id: 'concierge',
  name: 'Concierge',
  description:
    'Finds out which librarian a question is for, asks one or several of them, and puts their answers together.',
  health: 'ok',
};

const entryOf = (
  id: string,
  entry: CachedDescription | undefined,
  isOwn: boolean,
): LibrarianEntry => {
  const undescribed = isOwn ? UNDESCRIBED : undefined;
  const { info = { id, name: id }, unavailable } = entry?.description ?? {
    unavailable: undescribed,
  };
  const { examples = [], ...known }: LibrarianInfo = info;
  const shown = examples.slice(0, SHOWN_EXAMPLES);
  return {
    ...known,
    ...(shown.length > 0 ? { examples: shown } : {}),
    health: entry?.health ?? 'unknown',
    ...(unavailable === undefined ? {} : { unavailable }),
  };
};

/** Fetches a librarian's description; undefined when it does not answer within a second, or with another id. */
const describe = async (target: Target, id: string): Promise<Description | undefined> => {
  const deadline = startDeadline({ timeoutMs: TIMEOUT_MS });
  try {
    return await read(target, id, deadline);
  } catch {
    return undefined;
  } finally {
    deadline.clear();
  }
};

const read = async (
  target: Target,
  id: string,
  { race, signal }: Deadline,
): Promise<Description | undefined> => {
  const request = new Request(`http://librarian/librarians/${id}`, { redirect: 'manual', signal });
  const response = await race(target.fetch(request));
  if (!response.ok) void response.body?.cancel();
  const body = response.ok ? await race(readBody(response, MAX_BYTES)) : undefined;
  const description = body === undefined ? undefined : readJson(body, LibrarianDescription);
  if (!description?.ok || description.value.id !== id) return undefined;
  const { access: _access, keys: _keys, unavailable, ...info } = description.value;
  return { info, unavailable };
};

/**
 * Every service binding of a function as a target, by the id of the librarian behind it: `WEB_SEARCH` is `web-search`. Everything
 * else in the environment (variables, stores) is ignored.
 *
 * @example
 * const targets = (env: { NAVIGATOR: Fetcher; WEB_SEARCH: Fetcher }) => serviceTargets(env);
 * // { navigator: …, 'web-search': … }
 */
export function serviceTargets(env: object): Record<string, Target> {
  return Object.fromEntries(
    Object.entries(env)
      .filter(([, binding]) => isFetcher(binding))
      .map(([name, binding]) => [name.toLowerCase().replaceAll('_', '-'), binding]),
  );
}

const isFetcher = (binding: unknown): binding is Target =>
  typeof binding === 'object' &&
  binding !== null &&
  'fetch' in binding &&
  typeof binding.fetch === 'function';

/**
 * The librarians that have a public host in the key directory, as targets over HTTPS. No address ever comes from a question, an answer or
 * a description. Localhost, in development, is called over HTTP.
 *
 * @param send Follows no redirect by itself: the request says so.
 */
export function httpsTargets(
  directory: KeyDirectory,
  send: (request: Request) => Promise<Response> = fetch,
): Record<string, Target> {
  return Object.fromEntries(
    directory.ids().flatMap((id) => {
      const host = directory.librarian(id)?.host;
      return host === undefined ? [] : [[id, targetAt(originOfHost(host), send)]];
    }),
  );
}

const targetAt = (origin: string, send: (request: Request) => Promise<Response>): Target => ({
  fetch: (request) => {
    const { pathname, search } = new URL(request.url);
    return send(new Request(`${origin}${pathname}${search}`, request));
  },
});
