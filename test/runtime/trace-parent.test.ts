import { describe, expect, it } from 'vitest';
import { isSampled, traceParent } from '../../src/runtime/signed-client.ts';

const TRACE = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };

describe('traceParent()', () => {
  it('contains trace id and span id, and is sampled by default', () => {
    expect(traceParent(TRACE)).toBe(`00-${TRACE.traceId}-${TRACE.spanId}-01`);
    expect(traceParent({ ...TRACE, sampled: false })).toMatch(/-00$/);
  });
});

describe('isSampled()', () => {
  it.each([
    [traceParent(TRACE), true],
    [traceParent({ ...TRACE, sampled: false }), false],
    [undefined, undefined],
    ['00-short-01', undefined],
    [`${traceParent(TRACE)}-extra`, undefined],
  ])('%s is %s', (header, expected) => {
    expect(isSampled(header)).toBe(expected);
  });
});
