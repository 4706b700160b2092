import type { Context } from 'hono';
import { SyncStatus } from '../contract/wire/sync.ts';
import { TicketState, TicketsResponse } from '../contract/wire/tickets.ts';
import { mapBounded } from '../platform/concurrency.ts';
import { originate } from '../platform/context/request-context.ts';
import type { SignedClient } from '../platform/context/signed-client.ts';
import { type CounterStore, DURATION_BUCKETS, seriesOf } from '../platform/metrics.ts';
import { demand } from './access/authenticate.ts';
import { GatewayError } from './access/gateway-error.ts';
import type { GatewayEnv } from './access/request-log.ts';

/** Every metric: its type, and what it counts. docs/production.md describes them too. */
const METRICS = {
  constellation_requests_total: [
    'counter',
    'Requests that a function answered, by outcome: ok, or the code of the error.',
  ],
  constellation_request_duration_seconds: [
    'histogram',
    'Time from the arrival of a request to the end of its answer.',
  ],
  constellation_model_calls_total: ['counter', 'Calls of a chat model that were answered.'],
  constellation_model_tokens_total: [
    'counter',
    'Tokens of chat models, as their API reports them.',
  ],
  constellation_model_cost_dollars_total: [
    'counter',
    'Cost of chat models in US dollars, by MODEL_PRICES.',
  ],
  constellation_embedding_lookups_total: [
    'counter',
    'Texts whose embedding was needed, by where it was found.',
  ],
  constellation_metrics_send_failures_total: [
    'counter',
    'Batches of counts that had to be sent again.',
  ],
  constellation_metrics_dropped_total: [
    'counter',
    'Counts that were dropped because there were too many series.',
  ],
  constellation_tickets: ['gauge', 'Messages of customers by state: open (the queue), done, dead.'],
  constellation_articles: ['gauge', 'Articles in the current edition.'],
  constellation_sync_age_seconds: ['gauge', 'Time since the last sync ended.'],
  constellation_sync_failed: ['gauge', 'Whether the last sync failed: 1 or 0.'],
  constellation_source_up: [
    'gauge',
    'Whether the function that has a gauge answered this scrape: 1 or 0.',
  ],
} as const;
type Metric = keyof typeof METRICS;

interface MetricsParts {
  /** The sums of all isolates; undefined when no store is bound. */
  counters: Pick<CounterStore, 'read'> | undefined;
  client: SignedClient;
  now: () => number;
}

const TIMEOUT_MS = 5000;

/**
 * `GET /metrics` for keys with `metrics:read`, in the text format of Prometheus 0.0.4: the counters of all functions since the deployment
 * began to count, and the state of the knowledge bases and tickets of the key's workspaces at this moment.
 */
export function createMetricsRoute({ counters, client, now }: MetricsParts) {
  return async (c: Context<GatewayEnv>): Promise<Response> => {
    const key = c.get('apiKey');
    demand(key, 'metrics:read');
    if (counters === undefined) {
      throw new GatewayError('SERVICE_UNAVAILABLE', {
        message: 'Cannot show metrics: the gateway has no binding COUNTERS',
        suggestion:
          'Bind the object CountersObject of the library as COUNTERS (docs/production.md)',
      });
    }
    /** Undefined when the function does not answer: one gauge less must not cost the others. */
    const ask = async (
      to: string,
      path: string,
      { workspace, capability }: Record<'workspace' | 'capability', string>,
    ) => {
      const context = originate({
        self: 'gateway',
        subject: `user:${key.id}`,
        authentication: 'key',
        traceId: c.get('traceId'),
        workspace,
        capabilities: [capability],
        timeoutMs: TIMEOUT_MS,
        now: Date.now(),
      });
      const answer = await client.call(context, {
        to,
        method: 'GET',
        path,
        signal: c.req.raw.signal,
      });
      return answer.ok && answer.status < 400 ? answer.json() : undefined;
    };
    const [sums, ...gauges] = await Promise.all([
      counters.read(),
      ...[mapBounded(key.workspaces, (workspace) => knowledgeOf(workspace, { ask, now }))],
      ...[mapBounded(key.workspaces, (workspace) => ticketsOf(workspace, { ask }))],
    ]);
    const samples = { ...sums, ...Object.assign({}, ...gauges.flat()) };
    return c.body(textOf(samples), 200, {
      'Content-Type': 'text/plain; version=0.0.4; charset=utf-8',
    });
  };
}

type Samples = Record<string, number>;
type Ask = (
  to: string,
  path: string,
  scope: { workspace: string; capability: string },
) => Promise<unknown>;

const knowledgeOf = async (
  workspace: string,
  { ask, now }: { ask: Ask; now: () => number },
): Promise<Samples> => {
  const status = SyncStatus.safeParse(
    await ask('library', '/v1/sync', { workspace, capability: 'kb:read' }),
  );
  const up = {
    [seriesOf('constellation_source_up', { source: 'library', workspace })]: status.success ? 1 : 0,
  };
  if (!status.success) return up;
  const { articles, last_report: last } = status.data;
  const known = { ...up, [seriesOf('constellation_articles', { workspace })]: articles };
  if (last === null) return known;
  return {
    ...known,
    [seriesOf('constellation_sync_age_seconds', { workspace })]:
      Math.max(0, now() - Date.parse(last.finished_at)) / 1000,
    [seriesOf('constellation_sync_failed', { workspace })]: last.outcome === 'failed' ? 1 : 0,
  };
};

const ticketsOf = async (workspace: string, { ask }: { ask: Ask }): Promise<Samples> => {
  const totals = await Promise.all(
    TicketState.options.map(async (state) => {
      const path = `/v1/support/tickets?state=${state}&limit=1`;
      const page = TicketsResponse.safeParse(
        await ask('webhooks', path, { workspace, capability: 'helpdesk:write' }),
      );
      return { state, total: page.data?.total };
    }),
  );
  const isUp = totals.every(({ total }) => total !== undefined);
  return {
    [seriesOf('constellation_source_up', { source: 'webhooks', workspace })]: isUp ? 1 : 0,
    ...Object.fromEntries(
      totals.flatMap(({ state, total }) =>
        total === undefined
          ? []
          : [[seriesOf('constellation_tickets', { workspace, state }), total]],
      ),
    ),
  };
};

/** The samples by metric. A histogram shows all of its buckets, those without a count too. */
const textOf = (samples: Samples): string => {
  const all = { ...emptyBuckets(samples), ...samples };
  const lines = new Map<Metric, string[]>();
  for (const [series, value] of Object.entries(all)) {
    const metric = metricOf(series);
    if (metric !== undefined)
      lines.set(metric, [...(lines.get(metric) ?? []), `${series} ${value}`]);
  }
  // The names are those of METRICS.
  return (Object.entries(METRICS) as [Metric, readonly [string, string]][])
    .flatMap(([metric, [type, help]]) => {
      const own = lines.get(metric) ?? [];
      return own.length === 0
        ? []
        : [`# HELP ${metric} ${help}`, `# TYPE ${metric} ${type}`, ...own];
    })
    .join('\n')
    .concat('\n');
};

const metricOf = (series: string): Metric | undefined => {
  const name = series.replace(/\{.*$/s, '');
  const base = name.replace(/_(?:bucket|sum|count)$/, '');
  if (name in METRICS) return name as Metric; // As just checked.
  return base in METRICS ? (base as Metric) : undefined;
};

const COUNT = /^(constellation_request_duration_seconds)_count\{(.*)\}$/s;

const emptyBuckets = (samples: Samples): Samples =>
  Object.fromEntries(
    Object.keys(samples).flatMap((series) => {
      const [, name, labels] = COUNT.exec(series) ?? [];
      return name === undefined
        ? []
        : DURATION_BUCKETS.map((bound) => [`${name}_bucket{${labels},le="${bound}"}`, 0]);
    }),
  );
