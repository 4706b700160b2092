import { CircuitState, ConsecutiveBreaker, circuitBreaker, ExponentialBackoff, handleWhenResult } from 'cockatiel';

/** What a call taught about its target: it works, it is broken, or nothing, as the call was refused here or given up. */
export interface Lesson {
  health: 'well' | 'broken' | 'unknown';
}

/**
 * One circuit for each workspace and target, so that what is broken for one tenant is not closed to the others: after
 * five failures in a row calls are refused at once; from then on one call at a time probes whether the target is back.
 */
export interface Circuits {
  /** Runs the call, or gives `undefined` at once where the target is not to be called now. `call` must not throw. */
  run<T extends Lesson>(key: string, call: () => Promise<T>): Promise<T | undefined>;
}

/**
 * @param limit Circuits that are remembered; the one that was used longest ago goes first.
 * @param restMs About how long a target is left alone at first; up to a minute when probes fail again and again.
 */
export const createCircuits = ({ limit = 512, restMs = 2000 }: { limit?: number; restMs?: number } = {}): Circuits => {
  const circuits = new Map<string, ReturnType<typeof createCircuit>>();
  return {
    run: (key, call) => {
      const circuit = circuits.get(key) ?? createCircuit(restMs);
      circuits.delete(key);
      circuits.set(key, circuit);
      if (circuits.size > limit) circuits.delete(circuits.keys().next().value ?? '');
      return circuit(call);
    },
  };
};

const createCircuit = (restMs: number) => {
  let policy = breaker(restMs);
  /** The probe under way, and the state before it. */
  let probe: { before: unknown; startedAtMs: number } | undefined;
  const putBack = () => {
    if (probe !== undefined) policy = breaker(restMs, probe.before);
    probe = undefined;
  };
  return async <T extends Lesson>(call: () => Promise<T>): Promise<T | undefined> => {
    // The request that probes can end without a word, as those of callers who have gone do in workerd.
    if (probe !== undefined && Date.now() - probe.startedAtMs > PROBE_LIMIT_MS) putBack();
    // The library would let this call wait for the probe of another request, which workerd forbids.
    if (policy.state === CircuitState.HalfOpen) return undefined;
    const current = policy;
    const before = current.state === CircuitState.Open ? current.toJSON() : undefined;
    let lesson: T | undefined;
    const running = current.execute(async () => {
      lesson = await call();
      if (lesson.health !== 'unknown') return lesson;
      // The library takes what it does not handle for a success of a probe: then the probe did not happen.
      if (policy === current && before !== undefined) putBack();
      throw new NothingLearned();
    });
    if (before !== undefined && stateOf(current) === CircuitState.HalfOpen) probe = { before, startedAtMs: Date.now() };
    await running.catch(() => undefined);
    if (policy === current && stateOf(current) !== CircuitState.HalfOpen) probe = undefined;
    return lesson;
  };
};

const breaker = (restMs: number, initialState?: unknown) =>
  circuitBreaker(handleWhenResult(isBroken), {
    breaker: new ConsecutiveBreaker(FAILURES_IN_A_ROW),
    halfOpenAfter: new ExponentialBackoff({ initialDelay: restMs, maxDelay: 60_000 }),
    ...(initialState === undefined ? {} : { initialState }),
  });

// Only what `run` was given comes here.
const isBroken = (lesson: unknown): boolean => (lesson as Lesson).health === 'broken';

/** Read by a call: the compiler would take the state for the one it was before the probe began. */
const stateOf = (policy: ReturnType<typeof breaker>): CircuitState => policy.state;

class NothingLearned extends Error {}

const FAILURES_IN_A_ROW = 5;
/** After that another call may probe. */
const PROBE_LIMIT_MS = 3000;
