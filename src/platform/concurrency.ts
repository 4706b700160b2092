import type { Context } from 'hono';

/** Cloudflare allows six connections per request; one stays free for other work. */
const MAX_PARALLEL = 5;

/** Maps with at most five calls in flight; results are in the order of the items. After a failure no further call starts. */
export async function mapBounded<T, U>(
  items: readonly T[],
  map: (item: T) => Promise<U>,
): Promise<U[]> {
  const results: U[] = [];
  let next = 0;
  let hasFailed = false;
  const work = async (): Promise<void> => {
    for (let place = next++; place < items.length && !hasFailed; place = next++) {
      try {
        // Within the list, as the loop's condition says.
        results[place] = await map(items[place] as T);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(MAX_PARALLEL, items.length) }, work));
  return results;
}

/** Yields between questions that no one waits for: each takes some milliseconds, and responses of the same isolate must not wait. */
export function turnOfOthers(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Continues work after the response, like `ExecutionContext.waitUntil`; outside of workerd it continues by itself. */
export type WaitUntil = (work: Promise<unknown>) => void;

export function waitUntilOf(c: Context): WaitUntil {
  try {
    const { executionCtx } = c;
    return (work) => executionCtx.waitUntil(work);
  } catch {
    return (work) => void work.catch(() => undefined);
  }
}
