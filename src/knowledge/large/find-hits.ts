import { startDeadline, withDeadline } from '../../platform/http/deadline.ts';
import { StoreUnavailable, storeGivenUp } from '../../platform/storage/store-unavailable.ts';
import type { VectorFilter } from '../../platform/storage/vector-index.ts';
import type { HybridHit, HybridIndex, HybridQuery } from './hybrid-index.ts';

/** The time that the index has; and after which the same request is sent once more, for one that was lost or slow. */
const DEADLINE_MS = 1500;
const HEDGE_MS = 250;
/** After so many failures in a row the index is not asked for a while. */
const FAILURES = 3;
const PAUSE_MS = 5000;

/** Whether an index may be asked; one an index, for the lifetime of an isolate. */
export interface IndexCircuit {
  failures: number;
  closedAgainAt: number;
}

export function indexCircuit(): IndexCircuit {
  return { failures: 0, closedAgainAt: 0 };
}

/**
 * Asks an index within 1.5 s, twice where it is slow. @param options.timeoutMs Less, where the caller has less.
 *
 * @throws {StoreUnavailable} At once while its circuit is open.
 */
export async function findHits(
  index: Pick<HybridIndex, 'query'>,
  queries: readonly HybridQuery[],
  options: {
    limit: number;
    filter: VectorFilter;
    circuit: IndexCircuit;
    signal?: AbortSignal | undefined;
    timeoutMs?: number | undefined;
    now?: () => number;
  },
): Promise<HybridHit[][]> {
  const { limit, filter, circuit, signal, now = Date.now } = options;
  const what = 'search passages';
  if (circuit.failures >= FAILURES && now() < circuit.closedAgainAt)
    throw new StoreUnavailable('unavailable', `Cannot ${what}: the index has failed repeatedly`);
  const timeoutMs = Math.min(DEADLINE_MS, options.timeoutMs ?? DEADLINE_MS);
  try {
    const hits = await withDeadline(
      (ending) => hedged((each) => index.query(queries, { limit, filter, signal: each }), ending),
      { timeoutMs, signal, errorFor: storeGivenUp(what) },
    );
    circuit.failures = 0;
    return hits;
  } catch (error) {
    if (!(error instanceof StoreUnavailable && error.reason === 'aborted')) {
      circuit.failures += 1;
      circuit.closedAgainAt = now() + PAUSE_MS;
    }
    throw error;
  }
}

/** The first success of two attempts, the second of which starts when the first is slow or has failed. */
const hedged = async <T>(
  attempt: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> => {
  const both = startDeadline({ signal });
  try {
    const first = attempt(both.signal);
    const isSlow = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, HEDGE_MS);
      first.then(
        () => clearTimeout(timer),
        () => {
          clearTimeout(timer);
          resolve();
        },
      );
    });
    const second = isSlow.then(() => attempt(both.signal));
    second.catch(() => undefined);
    return await Promise.any([first, second]);
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  } finally {
    both.end();
  }
};
