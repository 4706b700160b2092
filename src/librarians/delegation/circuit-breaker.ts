import {
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleWhenResult,
} from 'cockatiel';
import { lruCache } from '../../platform/lru-cache.ts';

/** What the outcome of a call says about its target; `unknown` when the call was refused here or cancelled. */
export type Health = 'healthy' | 'broken' | 'unknown';

/**
 * One circuit breaker per workspace and target, so that a target that is broken for one tenant stays available to the others. After five
 * consecutive failures calls are refused at once; later, one call at a time probes whether the target has recovered.
 */
export interface CircuitBreakers {
  /**
   * Admits a call to a target.
   *
   * @returns A function that reports the outcome and must be called; `undefined` while the circuit is open.
   */
  admit(key: string): ((health: Health) => Promise<void>) | undefined;
}

/**
 * @param limit Maximum number of circuits; the least recently used is evicted.
 * @param halfOpenAfterMs Time until the first probe, approximately; up to a minute while probes keep failing.
 */
export function createCircuitBreakers({
  limit = 512,
  halfOpenAfterMs = 2000,
} = {}): CircuitBreakers {
  const circuits = lruCache<string, ReturnType<typeof createCircuit>>({ max: limit });
  return {
    admit: (key) => circuits.getOr(key, () => createCircuit(halfOpenAfterMs))(),
  };
}

/** The library's breaker wraps a call; here it wraps a promise of the outcome, so that no call runs inside of it. */
const createCircuit = (halfOpenAfterMs: number) => {
  let policy = breaker(halfOpenAfterMs);
  /** The probe in flight, and the state before it. */
  let probe: { before: unknown; startedAtMs: number } | undefined;
  const undoProbe = () => {
    if (probe !== undefined) policy = breaker(halfOpenAfterMs, probe.before);
    probe = undefined;
  };
  return (): ((health: Health) => Promise<void>) | undefined => {
    // A probing request can end without a report, e.g. when its caller disconnects in workerd.
    if (probe !== undefined && Date.now() - probe.startedAtMs > PROBE_TIMEOUT_MS) undoProbe();
    // The library would queue this call behind the probe of another request, whose promises workerd forbids to await.
    if (policy.state === CircuitState.HalfOpen) return undefined;
    const current = policy;
    const before = current.state === CircuitState.Open ? current.toJSON() : undefined;
    const { promise: outcome, resolve, reject } = Promise.withResolvers<Health>();
    let isAdmitted = false;
    const settled = current
      .execute(() => {
        isAdmitted = true;
        return outcome;
      })
      .catch(() => undefined);
    if (!isAdmitted) return undefined;
    if (before !== undefined) probe = { before, startedAtMs: Date.now() };
    return async (health) => {
      if (health === 'unknown') {
        // The library counts an exception that it does not handle as a successful probe, so the probe is undone.
        if (policy === current && before !== undefined) undoProbe();
        reject(new Error('the call says nothing about its target'));
      } else resolve(health);
      await settled;
      if (policy === current && current.state !== CircuitState.HalfOpen) probe = undefined;
    };
  };
};

const breaker = (halfOpenAfterMs: number, initialState?: unknown) =>
  circuitBreaker(
    handleWhenResult((health) => health === 'broken'),
    {
      breaker: new ConsecutiveBreaker(CONSECUTIVE_FAILURES),
      halfOpenAfter: new ExponentialBackoff({ initialDelay: halfOpenAfterMs, maxDelay: 60_000 }),
      ...(initialState === undefined ? {} : { initialState }),
    },
  );

const CONSECUTIVE_FAILURES = 5;
/** After this time another call may probe. */
const PROBE_TIMEOUT_MS = 3000;
