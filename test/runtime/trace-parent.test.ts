import { expect, it } from 'vitest';
import { traceParent } from '../../src/runtime/signed-client.ts';

it('traceParent() contains trace id and span id, and is sampled by default', () => {
  const trace = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
  expect(traceParent(trace)).toBe(`00-${trace.traceId}-${trace.spanId}-01`);
  expect(traceParent({ ...trace, sampled: false })).toMatch(/-00$/);
});
