import { describe, expect, it } from 'vitest';
import { nodeSql } from '../../src/dev/stand-ins/node-sql.ts';
import { createLedger } from '../../src/memory/remote-memory.ts';

const SEARCH = { outcome: 'found', degraded: false, durationMs: 3, nowMs: Date.UTC(2026, 0, 1) } as const;

describe('createLedger()', () => {
  it('has no figures before the first search', () => {
    expect(createLedger(nodeSql()).searches()).toEqual({ count: 0, empty: 0, degraded: 0, failed: 0 });
  });

  it('counts searches by outcome, since the first', () => {
    const ledger = createLedger(nodeSql());
    ledger.recordSearch(SEARCH);
    ledger.recordSearch({ ...SEARCH, outcome: 'empty', nowMs: SEARCH.nowMs + 1000 });
    ledger.recordSearch({ ...SEARCH, outcome: 'failed', degraded: true, durationMs: 9000 });
    expect(ledger.searches()).toEqual({
      count: 3,
      empty: 1,
      degraded: 1,
      failed: 1,
      latency_ms: { p50: 5, p95: 5 },
      since: '2026-01-01T00:00:00.000Z',
    });
  });

  it('returns upper bounds of the median and the 95th percentile', () => {
    const ledger = createLedger(nodeSql());
    for (let index = 0; index < 90; index++) ledger.recordSearch({ ...SEARCH, durationMs: 0.4 });
    for (let index = 0; index < 10; index++) ledger.recordSearch({ ...SEARCH, durationMs: 90_000 });
    expect(ledger.searches().latency_ms).toEqual({ p50: 1, p95: 30_000 });
  });

  it('recognises a replayed call until it expires', () => {
    const ledger = createLedger(nodeSql());
    expect(ledger.isFirstCall('a', { ttlSeconds: 60, nowMs: 0 })).toBe(true);
    expect(ledger.isFirstCall('a', { ttlSeconds: 60, nowMs: 59_000 })).toBe(false);
    expect(ledger.isFirstCall('b', { ttlSeconds: 60, nowMs: 59_000 })).toBe(true);
    expect(ledger.isFirstCall('a', { ttlSeconds: 60, nowMs: 60_000 })).toBe(true);
  });
});
