import { expect, it } from 'vitest';
import { createLedger } from '../../src/memory/store/remote-memory.ts';
import { nodeSql } from '../../tools/stand-ins/node-sql.ts';

type Search = Parameters<ReturnType<typeof createLedger>['recordSearch']>[0];
const SEARCH = {
  outcome: 'found',
  degraded: false,
  durationMs: 3,
  nowMs: Date.UTC(2026, 0, 1),
} as const;
const NONE = { count: 0, empty: 0, degraded: 0, failed: 0 };

it.each<[string, Partial<Search>[], object]>([
  ['none before the first search', [], NONE],
  [
    'searches by outcome, since the first',
    [
      {},
      { outcome: 'empty', nowMs: SEARCH.nowMs + 1000 },
      { outcome: 'failed', degraded: true, durationMs: 9000 },
    ],
    {
      count: 3,
      empty: 1,
      degraded: 1,
      failed: 1,
      latency_ms: { p50: 5, p95: 5 },
      since: '2026-01-01T00:00:00.000Z',
    },
  ],
  [
    'upper bounds of the median and the 95th percentile',
    Array.from({ length: 100 }, (_, at) => ({ durationMs: at < 90 ? 0.4 : 90_000 })),
    { ...NONE, count: 100, latency_ms: { p50: 1, p95: 30_000 }, since: '2026-01-01T00:00:00.000Z' },
  ],
])('the figures of a ledger are %s', (_, searches, expected) => {
  const ledger = createLedger(nodeSql());
  for (const search of searches) ledger.recordSearch({ ...SEARCH, ...search });
  expect(ledger.searches()).toEqual(expected);
});

it('a ledger recognises a replayed call until it expires', () => {
  const ledger = createLedger(nodeSql());
  const isFirst = (id: string, nowMs: number) => ledger.isFirstCall(id, { ttlSeconds: 60, nowMs });
  expect([
    isFirst('a', 0),
    isFirst('a', 59_000),
    isFirst('b', 59_000),
    isFirst('a', 60_000),
  ]).toEqual([...[true, false, true, true]]);
});
