/** Remembers calls, so that an exact copy is refused. For routes with side effects. */
export interface ReplayStore {
  /**
   * Notes a link and says whether it is new. The note stays for at least `ttlSeconds`. Throws when it cannot tell; the
   * call is then refused.
   *
   * @param options.workspace Of the verified context, so that a store may be kept for each.
   */
  isFirst(linkHash: string, options: { workspace: string; ttlSeconds: number; nowMs: number }): Promise<boolean>;
}

/** Within one isolate: best effort, since another isolate does not see it. */
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
