import { describe, expect, it } from 'vitest';
import { createGatherer } from '../../../src/gateway/history/gather.ts';

const ASKER = {
  workspace: 'acme',
  subject: 'user:k_1',
  audiences: ['staff'],
  traceId: 'a'.repeat(32),
  authentication: 'key' as const,
};

/** A gatherer whose waits end when `pass` is called. */
const gatherer = (limit = 3, isDropping = false) => {
  const calls: [subject: string, items: readonly number[]][] = [];
  const waits: (() => void)[] = [];
  const gather = createGatherer<number>({
    send: async ({ subject }, items) => void calls.push([subject, items]),
    waitMs: 100,
    limit,
    isDropping,
    wait: () => new Promise((resolve) => void waits.push(resolve)),
  });
  return {
    calls,
    gather,
    pass: (): void => {
      for (const end of waits.splice(0)) end();
    },
  };
};

describe('createGatherer()', () => {
  it('sends what comes within a moment in one call, and what comes later in another', async () => {
    const { calls, gather, pass } = gatherer();
    const both = Promise.all([gather(ASKER, 1), gather(ASKER, 2)]);
    pass();
    await both;
    const later = gather(ASKER, 3);
    pass();
    await later;
    expect(calls.map(([, items]) => items)).toEqual([[1, 2], [3]]);
  });
  it('begins another call when one is full', async () => {
    const { calls, gather, pass } = gatherer(2);
    const all = Promise.all([1, 2, 3].map((item) => gather(ASKER, item)));
    pass();
    await all;
    expect(calls.map(([, items]) => items)).toEqual([[1, 2], [3]]);
  });
  it('drops what comes while one is full, where that is wanted', async () => {
    const { calls, gather, pass } = gatherer(2, true);
    const all = Promise.all([1, 2, 3].map((item) => gather(ASKER, item)));
    pass();
    await all;
    const later = gather(ASKER, 4);
    pass();
    await later;
    expect(calls.map(([, items]) => items)).toEqual([[1, 2], [4]]);
  });
  it.each([
    ['subjects', { subject: 'user:k_2' }],
    ['workspaces', { workspace: 'other' }],
    ['audiences', { audiences: [] }],
  ])('never joins two %s', async (_what, other) => {
    const { calls, gather, pass } = gatherer();
    const both = Promise.all([gather(ASKER, 1), gather({ ...ASKER, ...other }, 2)]);
    pass();
    await both;
    expect(calls.map(([, items]) => items)).toEqual([[1], [2]]);
  });
});
