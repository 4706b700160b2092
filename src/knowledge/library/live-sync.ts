import { waitAtMost } from '../../platform/http/deadline.ts';

interface LiveSyncOptions {
  /** Takes in what the host has changed since the last sync, and publishes it; false when the host could not be read. Never rejects. */
  sync: () => Promise<boolean>;
  now: () => number;
}

/** Questions within that time share what the host said. */
const INTERVAL_MS = 500;
/** No question waits longer for one answer of the host. */
const MAX_WAIT_MS = 1000;
/** After a failure the host is left alone for that long. */
const RETRY_AFTER_MS = 5000;

interface Check {
  startedAt: number;
  /** Undefined while the host is asked. */
  isFresh: boolean | undefined;
  done: Promise<boolean>;
}

/**
 * Asks the host before answers what has changed (`KB_FRESHNESS=live`): one check at a time, however many questions wait for it.
 *
 * @returns Waits for a check, at most so many milliseconds, and tells whether the edition is as fresh as the host.
 */
export function liveSync({ sync, now }: LiveSyncOptions): (withinMs: number) => Promise<boolean> {
  let last: Check | undefined;

  const isUsable = ({ startedAt, isFresh }: Check): boolean => {
    const age = now() - startedAt;
    if (isFresh === undefined) return true;
    return age < (isFresh ? INTERVAL_MS : RETRY_AFTER_MS);
  };

  const begin = (): Check => {
    const check: Check = { startedAt: now(), isFresh: undefined, done: sync() };
    check.done = check.done.then((isFresh) => {
      check.isFresh = isFresh;
      return isFresh;
    });
    return check;
  };

  return async (withinMs) => {
    if (last === undefined || !isUsable(last)) last = begin();
    const { isFresh, startedAt, done } = last;
    if (isFresh !== undefined) return isFresh;
    // A host that hangs delays the first questions, not all of them.
    const leftMs = Math.min(withinMs, startedAt + MAX_WAIT_MS - now());
    return leftMs <= 0 ? false : waitAtMost(done, leftMs, false);
  };
}
