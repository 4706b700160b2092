import type { WaitUntil } from './concurrency.ts';
import type { Log, LogLine } from './log.ts';
import { lruCache } from './lru-cache.ts';
import { oncePer } from './once-per.ts';
import { sleep } from './retry.ts';

/** Counts of one isolate since its last batch: what is added to each series, by its name and labels as Prometheus writes them. */
export interface CounterBatch {
  /** Unique to the isolate. */
  isolate: string;
  /** From 1; a batch that is sent again has the same number, and counts once. */
  sequence: number;
  counts: Record<string, number>;
}

/** Storage that adds up the counts of all isolates. */
export interface CounterStore {
  add(batch: CounterBatch): Promise<void>;
  /** The sum of every series. */
  read(): Promise<Record<string, number>>;
}

/** The directory that a function starts with. */
export interface UsedDirectory {
  function: string;
  /** The public key that signed it: another root counts from the beginning. */
  root: string;
  sequence: number;
}

/** Storage of the numbers of the key directories that functions have had. */
interface DirectoryNumbers {
  /** Records a directory, and returns the highest number that its function has had from the same root. */
  raiseDirectory(directory: UsedDirectory): Promise<number>;
}

/** Bindings that count; a function counts nothing without them. */
export interface MetricsBindings {
  COUNTERS?: { getByName(name: string): CounterStore & DirectoryNumbers };
  /** A dataset of Workers Analytics Engine. */
  METRICS?: {
    writeDataPoint(point: { indexes: string[]; blobs: string[]; doubles: number[] }): void;
  };
}

/** The counters of a deployment, in the one object that all functions are bound to. */
export function counterStoreOf({ COUNTERS }: MetricsBindings): CounterStore | undefined {
  return COUNTERS?.getByName('deployment');
}

/** Upper bounds of the duration histogram, in seconds. */
export const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** How long counts wait in an isolate: the most that an isolate which is killed can lose. */
const FLUSH_MS = 5000;
/** A flush that began longer ago ended with its request. */
const LOST_AFTER_MS = 60_000;
const ATTEMPTS = 3;
/** Series of one batch; more come with names that are not bounded, and are counted as dropped. */
const MAX_SERIES = 2000;

/** Name and labels as Prometheus writes them: `requests_total{function="gateway"}`. */
export function seriesOf(name: string, labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? name : `${name}{${pairs.join(',')}}`;
}

const escapeLabel = (value: string): string =>
  value.slice(0, 100).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

/** The counters of one isolate, which are sent in batches. */
export interface IsolateCounters {
  add(series: string, amount: number): void;
  /** A number that only grows and is counted elsewhere; its growth is added to the series. */
  follow(series: string, total: () => number): void;
  /** Sends what was counted some seconds later, unless that is about to happen. */
  flushLater(waitUntil: WaitUntil): void;
}

/** Nothing that was counted is forgotten before the store has it: a batch whose reply was lost is sent again under the same number. */
export function isolateCounters(
  store: CounterStore,
  { flushMs = FLUSH_MS, now = Date.now }: { flushMs?: number; now?: () => number } = {},
): IsolateCounters {
  const isolate = crypto.randomUUID();
  let counts = new Map<string, number>();
  let unsent: CounterBatch | undefined;
  let sequence = 0;
  let flushingSince: number | undefined;
  const followed = new Map<string, { total: () => number; sent: number }>();

  const add = (series: string, amount: number): void => {
    const isNew = !counts.has(series) && counts.size >= MAX_SERIES;
    const counted = isNew ? 'constellation_metrics_dropped_total' : series;
    counts.set(counted, (counts.get(counted) ?? 0) + (isNew ? 1 : amount));
  };
  const nextBatch = (): CounterBatch | undefined => {
    for (const [series, each] of followed) {
      const total = each.total();
      if (total > each.sent) add(series, total - each.sent);
      each.sent = total;
    }
    if (counts.size === 0) return undefined;
    sequence += 1;
    const batch = { isolate, sequence, counts: Object.fromEntries(counts) };
    counts = new Map();
    return batch;
  };
  const flush = async (): Promise<void> => {
    try {
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        await sleep(flushMs);
        unsent ??= nextBatch();
        if (unsent === undefined) return;
        try {
          await store.add(unsent);
          unsent = undefined;
          if (counts.size === 0) return;
        } catch {
          add('constellation_metrics_send_failures_total', 1);
        }
      }
    } finally {
      flushingSince = undefined;
    }
  };
  return {
    add,
    follow: (series, total) => void followed.set(series, { total, sent: 0 }),
    flushLater: (waitUntil) => {
      if (counts.size === 0 && unsent === undefined) return;
      if (flushingSince !== undefined && now() - flushingSince < LOST_AFTER_MS) return;
      flushingSince = now();
      waitUntil(flush());
    },
  };
}

/** Counts a finished request, without anything of its text. */
const countRequest = (
  counters: Pick<IsolateCounters, 'add'>,
  function_: string,
  line: LogLine,
): void => {
  if (line.event !== 'request') return;
  const {
    route,
    outcome,
    model,
    model_calls = 0,
    input_tokens = 0,
    output_tokens = 0,
    cost_usd,
  } = line;
  const seconds = line.duration_ms / 1000;
  const of = { function: function_, route };
  counters.add(seriesOf('constellation_requests_total', { ...of, outcome }), 1);
  const duration = durationSeriesOf(function_, route);
  for (const { bound, series } of duration.buckets) if (seconds <= bound) counters.add(series, 1);
  counters.add(duration.sum, seconds);
  counters.add(duration.count, 1);
  if (model === undefined) return;
  const by = { function: function_, model };
  counters.add(seriesOf('constellation_model_calls_total', by), model_calls);
  counters.add(
    seriesOf('constellation_model_tokens_total', { ...by, direction: 'input' }),
    input_tokens,
  );
  counters.add(
    seriesOf('constellation_model_tokens_total', { ...by, direction: 'output' }),
    output_tokens,
  );
  if (cost_usd !== undefined)
    counters.add(seriesOf('constellation_model_cost_dollars_total', by), cost_usd);
};

const durations = lruCache<string, ReturnType<typeof readDurationSeries>>({ max: MAX_SERIES });

/** Made once for each route, as every request counts a dozen of them. */
const durationSeriesOf = (
  function_: string,
  route: string,
): ReturnType<typeof readDurationSeries> => {
  return durations.getOr(`${function_} ${route}`, () =>
    readDurationSeries({ function: function_, route }),
  );
};

const readDurationSeries = (of: { function: string; route: string }) => {
  const name = 'constellation_request_duration_seconds';
  const buckets = DURATION_BUCKETS.map((bound) => ({ bound, le: String(bound) }));
  return {
    buckets: [...buckets, { bound: Number.POSITIVE_INFINITY, le: '+Inf' }].map(({ bound, le }) => ({
      bound,
      series: seriesOf(`${name}_bucket`, { ...of, le }),
    })),
    sum: seriesOf(`${name}_sum`, of),
    count: seriesOf(`${name}_count`, of),
  };
};

/** The counters of an environment: one per isolate. Undefined without the binding. */
export function countersOf(env: MetricsBindings): IsolateCounters | undefined {
  return env.COUNTERS === undefined ? undefined : boundCounters(env);
}

const boundCounters = oncePer((env: MetricsBindings) =>
  isolateCounters({
    // A stub belongs to one request, so each request that sends gets its own.
    add: async (batch) => counterStoreOf(env)?.add(batch),
    read: async () => (await counterStoreOf(env)?.read()) ?? {},
  }),
);

/** What a function does with each of its log lines: counts it, and writes a data point, where the bindings exist. */
export function metricsLog(env: MetricsBindings, function_: string): Log {
  const counters = countersOf(env);
  return (line, waitUntil) => {
    if (line.event === 'violation') {
      const { rule, outcome } = line;
      counters?.add(
        seriesOf('constellation_answer_violations_total', { function: function_, rule, outcome }),
        1,
      );
    }
    if (line.event !== 'request') return;
    if (counters !== undefined) {
      countRequest(counters, function_, line);
      if (waitUntil !== undefined) counters.flushLater(waitUntil);
    }
    env.METRICS?.writeDataPoint({
      indexes: [function_],
      blobs: [function_, line.route, line.outcome, line.model ?? ''],
      doubles: [
        ...[line.duration_ms, line.status, line.model_calls ?? 0],
        ...[line.input_tokens ?? 0, line.output_tokens ?? 0, line.cost_usd ?? 0],
      ],
    });
  };
}
