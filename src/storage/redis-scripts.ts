import type { StoreOptions } from './embedding-store.ts';
import { StoreUnavailable } from './store-unavailable.ts';
import { type UpstashAccess, upstashRequester } from './upstash-requester.ts';

/** Runs a script in Redis, as a whole or not at all; perhaps twice. Throws `StoreUnavailable`. */
export type RunScript = (
  script: string,
  call: StoreOptions & { what: string; prefix: string; args: readonly string[] },
) => Promise<unknown>;

/**
 * Scripts in Upstash Redis by its REST protocol (`POST /` with `["EVAL", script, "1", prefix, ...]`). The SDK has nothing to add
 * to one command but its size and its reading of texts as numbers. Scripts run where writes do, so that no replica answers with
 * what has changed since.
 *
 * @throws {RangeError} For an address or a token that cannot be one. The message names neither.
 */
export const redisScripts = (access: UpstashAccess): RunScript => {
  upstashRequester(access, { what: 'be asked' });
  return async (script, { what, prefix, args, signal }) => {
    const requester = upstashRequester(access, { what, signal });
    const { result, error } = await requester.request<unknown>({ body: ['EVAL', script, '1', prefix, ...args] });
    if (error !== undefined) throw new StoreUnavailable('refused', `Cannot ${what}: the database refused`);
    return result;
  };
};
