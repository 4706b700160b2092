import { describe, expect, it, vi } from 'vitest';
import {
  type CounterBatch,
  isolateCounters,
  metricsLog,
  seriesOf,
} from '../../src/platform/metrics.ts';
import { sqlCounters } from '../../src/platform/serve/sql-counters.ts';
import { nodeSql } from '../../tools/stand-ins/node-sql.ts';

const LINE = {
  event: 'request' as const,
  time: 0,
  librarian: 'navigator',
  route: 'POST /v1/ask',
  status: 200,
  outcome: 'ok',
  duration_ms: 12,
  model: 'gpt',
  model_calls: 2,
  input_tokens: 900,
  output_tokens: 80,
  cost_usd: 0.001,
  trace_id: 'a'.repeat(32),
  reason: 'hidden',
};

describe('isolateCounters()', () => {
  it('resends a batch whose reply was lost, and the store counts it once', async () => {
    vi.useFakeTimers();
    try {
      const store = sqlCounters(nodeSql());
      const sent: CounterBatch[] = [];
      let lost = 2;
      const add = async (batch: CounterBatch) => {
        sent.push(batch);
        store.add(batch, Date.now());
        if (lost-- > 0) throw new Error('reply lost');
      };
      const counters = isolateCounters({ add, read: async () => store.read() }, { flushMs: 1000 });
      const work: Promise<unknown>[] = [];
      const total = { hits: 0 };
      counters.follow('cache_hits', () => total.hits);
      total.hits = 5;
      counters.add('asked', 1);
      counters.flushLater((each) => void work.push(each));
      counters.flushLater((each) => void work.push(each));
      counters.add('asked', 2);
      await vi.advanceTimersByTimeAsync(2500);
      // Counts during a pending batch are in the next one.
      counters.add('asked', 10);
      await vi.advanceTimersByTimeAsync(1000);
      await Promise.all(work);
      expect(work).toHaveLength(1);
      expect(sent.map(({ sequence }) => sequence)).toEqual([1, 1, 1]);
      expect(store.read()).toEqual({ asked: 3, cache_hits: 5 });
      counters.flushLater((each) => void work.push(each));
      await vi.advanceTimersByTimeAsync(1000);
      expect(store.read()).toEqual({
        asked: 13,
        cache_hits: 5,
        constellation_metrics_send_failures_total: 2,
      });
    } finally {
      vi.useRealTimers();
    }
  });
  it('limits the number of series, and reports how many counts were dropped', () => {
    const store = sqlCounters(nodeSql(), { maxSeries: 3 });
    store.add(
      { isolate: 'a', sequence: 1, counts: { one: 1, two: 1, three: 1, four: 1, five: 1 } },
      0,
    );
    store.add({ isolate: 'b', sequence: 1, counts: { one: 1 } }, 0);
    expect(store.read()).toEqual({
      one: 2,
      two: 1,
      three: 1,
      constellation_metrics_dropped_total: 2,
    });
  });
});

describe('metricsLog()', () => {
  it('writes a data point for each request, without text', () => {
    const points: unknown[] = [];
    const log = metricsLog(
      { METRICS: { writeDataPoint: (point) => void points.push(point) } },
      'navigator',
    );
    log(LINE);
    log({
      event: 'fault',
      time: 0,
      librarian: 'navigator',
      where: 'route',
      code: 'INTERNAL_ERROR',
      cause: 'x',
    });
    const blobs = ['navigator', 'POST /v1/ask', 'ok', 'gpt'];
    expect(points).toEqual([
      { indexes: ['navigator'], blobs, doubles: [12, 200, 2, 900, 80, 0.001] },
    ]);
  });
  it('escapes labels', () =>
    expect(seriesOf('x', { model: 'a"b\\c\nd' })).toBe('x{model="a\\"b\\\\c\\nd"}'));
});
