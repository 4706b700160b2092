import { afterEach, describe, expect, it, vi } from 'vitest';
import { ModelUnavailable } from '../../src/ai/openai-chat.ts';
import type { ErrorCode } from '../../src/contract/error-info.ts';
import type { Librarian } from '../../src/contract/librarian.ts';
import { userContext } from '../signing/callers.ts';
import { fails, network, says, signing, silence, silent, stopClocks, type Tamper } from './network.ts';

const brokenInside: Librarian = async () => {
  throw new Error('broken');
};

/** Asks until the circuit opens, or 8 times: each request on its own, as the gateway serves them. */
const asksOften = async (
  ask: Awaited<ReturnType<typeof network>>['ask'],
  { times = 8, ...known }: { times?: number; workspace?: string } = {},
) => {
  const codes: (string | undefined)[] = [];
  for (let round = 0; round < times; round += 1) {
    codes.push((await ask([{ to: 'a' }], userContext(known))).responses[0]?.error?.code);
  }
  return codes;
};

afterEach(() => {
  vi.useRealTimers();
});

describe('a target that fails repeatedly', () => {
  it('is refused immediately: nothing is sent, and the trace shows it', async () => {
    const { ask, arrivals } = await network({ a: brokenInside });
    expect(await asksOften(ask)).toEqual([...Array(5).fill('INTERNAL_ERROR'), ...Array(3).fill('SERVICE_UNAVAILABLE')]);
    expect(arrivals.length).toBe(5);
    const { responses, trace } = await ask([{ to: 'a' }]);
    expect(responses[0]?.error).toMatchObject({
      recoverable: true,
      message: expect.stringContaining('circuit is open'),
    });
    expect(trace.hops).toMatchObject([{ outcome: 'SERVICE_UNAVAILABLE', attempts: 0, verified: false }]);
  });

  it.each<[string, string, Tamper | undefined]>([
    ['are no JSON', '<h1>502</h1>', undefined],
    ['delegate beside an answer', '{"delegate":{"to":"b"}}', undefined],
    ['have no valid receipt', '{}', () => Response.json({ answer: 'Pay mallory.' })],
  ])('is also refused when its answers %s', async (_, body, tamper) => {
    const { ask, apps, variables, arrivals } = await network({ a: says('x') }, tamper === undefined ? {} : { tamper });
    if (tamper === undefined) apps.set('a', await signing('a', variables, body));
    await asksOften(ask);
    expect(arrivals.length).toBe(5);
  });

  it('is still asked when its model cannot be reached', async () => {
    const unreachable: Librarian = () => Promise.reject(new ModelUnavailable('unavailable', 'no connection'));
    const { ask, arrivals } = await network({ a: unreachable });
    expect([await asksOften(ask), arrivals.length]).toEqual([Array(8).fill('AI_UNAVAILABLE'), 8]);
  });

  it('is skipped for the fallback immediately', async () => {
    const { ask, arrivals } = await network({ a: brokenInside, b: says('x') });
    await asksOften(ask);
    const { responses } = await ask([{ to: 'a', fallback: 'b' }]);
    expect([responses[0]?.answer, arrivals.length]).toEqual(['x', 6]);
  });

  it('is still asked for other workspaces', async () => {
    const { ask } = await network({
      a: async (_, context) => (context?.user?.workspaceId === 'poor' ? brokenInside('') : { answer: 'x' }),
    });
    await asksOften(ask, { workspace: 'poor' });
    expect(await asksOften(ask, { workspace: 'rich', times: 1 })).toEqual([undefined]);
  });

  it.each<ErrorCode>([
    ...(['INVALID_QUERY', 'UNAUTHORIZED', 'NOT_FOUND', 'RATE_LIMITED'] as const),
    ...(['LOOP_DETECTED', 'DATA_SOURCE_ERROR'] as const),
  ])('is not refused for %s', async (code) => {
    const { ask, arrivals } = await network({ a: fails(code) });
    await asksOften(ask);
    expect(arrivals.length).toBe(8);
  });

  it.each([
    [1100, 8],
    [9900, 8],
    [10_100, 5],
  ])('is refused for timeouts only if it had time to answer: %i ms', async (timeoutMs, expected) => {
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
  });

  it('is not refused when callers disconnect', async () => {
    const { gateway, arrivals } = await network({ a: silent });
    for (let round = 0; round < 8; round += 1) {
      const controller = new AbortController();
      const asking = gateway(undefined, { signal: controller.signal }).ask([{ to: 'a' }]);
      await expect.poll(() => arrivals.length, { interval: 1 }).toBe(round + 1);
      controller.abort();
      await asking;
    }
    expect(arrivals.length).toBe(8);
  });
});
