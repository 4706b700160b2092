export interface RateLimit {
  set(limit: { requests: number; windowMs: number } | undefined): void;
  /** Counts a request. @returns Milliseconds until the window ends when there have been too many; otherwise `undefined`. */
  take(): number | undefined;
}

/** Counts requests in windows that begin with the first of them. */
export function rateLimit(now: () => number): RateLimit {
  let limit: { requests: number; windowMs: number } | undefined;
  let window = { from: 0, count: 0 };
  return {
    set: (given) => {
      limit = given;
      window = { from: now(), count: 0 };
    },
    take: () => {
      if (limit === undefined) return undefined;
      if (now() >= window.from + limit.windowMs) window = { from: now(), count: 0 };
      window.count += 1;
      return window.count > limit.requests ? window.from + limit.windowMs - now() : undefined;
    },
  };
}
