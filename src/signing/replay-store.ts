/** Stores the hashes of calls, so that an exact replay is refused. For routes with side effects. */
export interface ReplayStore {
  /**
   * Stores a link hash for at least `ttlSeconds` and returns whether it is new. Throws when that is unknown; the call is then refused.
   *
   * @param options.workspace Workspace of the verified context, so that each may have its own store.
   */
  isFirst(linkHash: string, options: { workspace: string; ttlSeconds: number; nowMs: number }): Promise<boolean>;
}

/** In memory: best effort, since other isolates do not share it. */
export const memoryReplayStore = (limit = 4096): ReplayStore => {
  const until = new Map<string, number>();
  return {
    isFirst: async (linkHash, { ttlSeconds, nowMs }) => {
      if ((until.get(linkHash) ?? 0) > nowMs) return false;
      until.delete(linkHash);
      until.set(linkHash, nowMs + ttlSeconds * 1000);
      if (until.size > limit) until.delete(until.keys().next().value ?? '');
      return true;
    },
  };
};
