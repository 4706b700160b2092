import { describe, expect, it } from 'vitest';
import { ModelUnavailable } from '../../../src/ai/openai-chat.ts';
import type { ErrorCode } from '../../../src/contract/core/error-info.ts';
import type { Librarian } from '../../../src/contract/core/librarian.ts';
import { userContext } from '../../platform/context/callers.ts';
import { fails, network, says, signing, silence, stopClocks, type Tamper } from './network.ts';

const brokenInside: Librarian = async () => {
  throw new Error('broken');
};

/** Asks 8 times, each request on its own, as the gateway serves them. */
const asksOften = async (
  ask: Awaited<ReturnType<typeof network>>['ask'],
  workspace = 'default',
) => {
  const codes: (string | undefined)[] = [];
  for (let round = 0; round < 8; round += 1)
    codes.push(...(await ask([{ to: 'a' }], userContext({ workspace }))).codes);
  return codes;
};

describe('a target that fails repeatedly', () => {
  it('is refused immediately: nothing is sent, and the trace shows it', async () => {
    const { ask, arrivals } = await network({ a: brokenInside });
    expect(await asksOften(ask)).toEqual([
      ...Array(5).fill('INTERNAL_ERROR'),
      ...Array(3).fill('SERVICE_UNAVAILABLE'),
    ]);
    expect(arrivals.length).toBe(5);
    const { responses, trace } = await ask([{ to: 'a' }]);
    const message = expect.stringContaining('circuit is open');
    expect(responses).toMatchObject([{ error: { recoverable: true, message } }]);
    expect(trace.hops).toMatchObject([
      { outcome: 'SERVICE_UNAVAILABLE', attempts: 0, verified: false },
    ]);
  });
  it.each<[string, string, Tamper | undefined]>([
    ['are no JSON', '<h1>502</h1>', undefined],
    ['delegate beside an answer', '{"delegate":{"to":"b"}}', undefined],
    ['have no valid receipt', '{}', () => Response.json({ answer: 'Pay mallory.' })],
  ])('is also refused when its answers %s', async (_, body, tamper) => {
    const { ask, apps, variables, arrivals } = await network({ a: says('x') }, { tamper });
    if (tamper === undefined) apps.set('a', await signing('a', variables, body));
    await asksOften(ask);
    expect(arrivals.length).toBe(5);
  });
  it('is skipped for the fallback immediately', async () => {
    const { ask, arrivals } = await network({ a: brokenInside, b: says('x') });
    await asksOften(ask);
    const { responses } = await ask([{ to: 'a', fallback: 'b' }]);
    expect([responses[0]?.answer, arrivals.length]).toEqual(['x', 6]);
  });
  it('is still asked for other workspaces', async () => {
    const a: Librarian = async (_, context) =>
      context?.user?.workspaceId === 'poor' ? brokenInside('') : { answer: 'x' };
    const { ask } = await network({ a });
    await asksOften(ask, 'poor');
    expect((await ask([{ to: 'a' }], userContext({ workspace: 'rich' }))).codes).toEqual([
      undefined,
    ]);
  });
  it.each<ErrorCode>([
    ...(['AI_UNAVAILABLE', 'INVALID_QUERY', 'UNAUTHORIZED', 'NOT_FOUND', 'RATE_LIMITED'] as const),
    ...(['LOOP_DETECTED', 'DATA_SOURCE_ERROR'] as const),
  ])('is not refused for %s', async (code) => {
    const unreachable = () => Promise.reject(new ModelUnavailable('unavailable', 'no connection'));
    const { ask, arrivals } = await network({
      a: code === 'AI_UNAVAILABLE' ? unreachable : fails(code),
    });
    expect([await asksOften(ask), arrivals.length]).toEqual([Array(8).fill(code), 8]);
  });
  it.each([
    [1100, 8],
    [9900, 8],
    [10_100, 5],
  ])(
    'is refused for timeouts only if it had time to answer: %i ms',
    async (timeoutMs, expected) => {
      stopClocks();
      let current = silence();
      const { ask, arrivals } = await network({ a: (...call) => current.librarian(...call) });
      for (let round = 0; round < 8; round += 1) {
        current = silence();
        const asking = ask([{ to: 'a' }], userContext({ timeoutMs }));
        if (round < expected) await current.giveUp();
        await asking;
      }
      expect(arrivals.length).toBe(expected);
    },
  );
  it('is not refused when callers disconnect', async () => {
    const { ask, arrivals } = await network({ a: () => new Promise(() => undefined) });
    for (let round = 0; round < 8; round += 1) {
      const controller = new AbortController();
      const asking = ask([{ to: 'a' }], undefined, { signal: controller.signal });
      await expect.poll(() => arrivals.length, { interval: 1 }).toBe(round + 1);
      controller.abort();
      await asking;
    }
    expect(arrivals.length).toBe(8);
  });
});
