import { afterEach, describe, expect, it, vi } from 'vitest';
import { ErrorCode } from '../../src/contract/error-info.ts';
import type { Librarian } from '../../src/contract/librarian.ts';
import { userContext } from '../signing/callers.ts';
import { codesOf, delegatesTo, fails, network, says, signing, silence, stopClocks, type Tamper } from './network.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('the fallback', () => {
  const LOOPING: ErrorCode[] = ['LOOP_DETECTED', 'MAX_DEPTH_EXCEEDED'];

  it.each(ErrorCode.options.filter((code) => !LOOPING.includes(code)))(
    'is asked the same question when the target answers with %s',
    async (code) => {
      const { ask, arrivals } = await network({ a: fails(code), b: says('In the kitchen.') });
      const { branches, trace } = await ask([{ to: 'a', fallback: 'b', query: 'Where exactly?' }]);
      expect(branches).toMatchObject([{ to: 'b', response: { answer: 'In the kitchen.' } }]);
      expect(arrivals.at(-1)?.body.query).toBe('Where exactly?');
      expect(trace.hops).toMatchObject([
        { to: 'a', outcome: code },
        { to: 'b', outcome: 'answer' },
      ]);
    },
  );

  it.each(LOOPING)('is not asked when the target reports %s', async (code) => {
    const { ask, arrivals } = await network({ a: fails(code), b: says('x') });
    const { branches } = await ask([{ to: 'a', fallback: 'b' }]);
    expect(branches).toMatchObject([{ to: 'a', response: { error: { code } } }]);
    expect(arrivals.length).toBe(1);
  });

  it('is asked when the target would be a loop', async () => {
    const back: Librarian = async () => ({ delegate: { to: 'a', fallback: 'c' } });
    const { ask } = await network({ a: delegatesTo('b'), b: back, c: says('x') });
    expect((await ask([{ to: 'a' }])).responses).toMatchObject([{ answer: 'x' }]);
  });

  it('is not asked when the target answers with an error beside the answer', async () => {
    const partial: Librarian = async () => ({ answer: 'Some.', error: { code: 'DATA_SOURCE_ERROR', message: 'Gap' } });
    const { ask } = await network({ a: partial, b: says('x') });
    const { branches, trace } = await ask([{ to: 'a', fallback: 'b' }]);
    expect([branches[0]?.to, branches[0]?.response.answer]).toEqual(['a', 'Some.']);
    expect(trace.hops).toMatchObject([{ outcome: 'partial' }]);
  });

  it('that fails too keeps the error of the target, with its own code in the details', async () => {
    const { ask } = await network({ a: fails('NOT_FOUND'), b: fails('RATE_LIMITED') });
    const { branches } = await ask([{ to: 'a', fallback: 'b' }]);
    const details = { fallback: { librarian: 'b', code: 'RATE_LIMITED' } };
    expect(branches).toMatchObject([{ to: 'b', response: { error: { code: 'NOT_FOUND', librarian: 'a', details } } }]);
  });

  it('has time left when the target never answers', async () => {
    stopClocks();
    const startedAtMs = Date.now();
    const { librarian, giveUp } = silence();
    const { ask } = await network({ a: librarian, b: says('x') });
    const asking = ask([{ to: 'a', fallback: 'b' }], userContext({ timeoutMs: 500 }));
    await giveUp();
    expect((await asking).responses).toMatchObject([{ answer: 'x' }]);
    expect(Date.now()).toBeLessThan(500 * 0.6 + startedAtMs);
  });
});

describe('a retry', () => {
  it('follows a call that was lost in transit, with a new signature', async () => {
    const losses = [new TypeError('connection lost')];
    const tamper: Tamper = (_to, _request, pass) => (losses.length > 0 ? Promise.reject(losses.pop()) : pass());
    const { ask, arrivals } = await network({ a: says('x') }, { tamper });
    const { responses, trace } = await ask([{ to: 'a' }]);
    expect(responses).toMatchObject([{ answer: 'x' }]);
    expect(trace.hops).toMatchObject([{ attempts: 2, outcome: 'answer', verified: true }]);
    expect(arrivals[0]?.links.at(-1).jti).not.toBe(arrivals[1]?.links.at(-1).jti);
    expect(trace.hops[0]?.spanId).toBe(arrivals[1]?.links.at(-1).jti);
  });

  it('follows SERVICE_UNAVAILABLE', async () => {
    const replies = [fails('SERVICE_UNAVAILABLE'), says('x')];
    const { ask } = await network({ a: (...call) => (replies.shift() ?? says('again'))(...call) });
    expect((await ask([{ to: 'a' }])).responses).toMatchObject([{ answer: 'x' }]);
  });

  it('does not follow a target that sends Retry-After', async () => {
    const { ask, apps, variables, arrivals } = await network({ a: says('x') });
    const body = JSON.stringify({ error: { code: 'SERVICE_UNAVAILABLE', message: 'Not now' } });
    apps.set('a', await signing('a', variables, body, { status: 503, headers: { 'Retry-After': '5' } }));
    await ask([{ to: 'a' }]);
    expect(arrivals.length).toBe(1);
  });

  it.each<[string, Record<string, number>, number]>([
    ['beyond the budget keeps the result of the first call', { calls: 1 }, 1],
    ['happens once', { calls: 24 }, 2],
  ])('%s', async (_, budgets, attempts) => {
    const { ask, arrivals } = await network({ a: fails('SERVICE_UNAVAILABLE') });
    const { responses, trace } = await ask([{ to: 'a' }], userContext({ budgets }));
    expect([codesOf(responses), arrivals.length]).toEqual([['SERVICE_UNAVAILABLE'], attempts]);
    expect(trace.hops).toMatchObject([{ attempts, outcome: 'SERVICE_UNAVAILABLE', verified: true }]);
  });

  it.each(['INTERNAL_ERROR', 'TIMEOUT', 'RATE_LIMITED', 'NOT_FOUND', 'INVALID_QUERY', 'DELEGATION_FAILED'] as const)(
    'does not follow %s',
    async (code) => {
      const { ask, arrivals } = await network({ a: fails(code) });
      await ask([{ to: 'a' }]);
      expect(arrivals.length).toBe(1);
    },
  );

  it('does not follow a call that timed out, nor one without time for another', async () => {
    stopClocks();
    const { librarian, giveUp } = silence();
    const { ask, arrivals } = await network({ a: librarian, b: fails('SERVICE_UNAVAILABLE') });
    const asking = ask([{ to: 'a' }], userContext({ timeoutMs: 5000 }));
    await giveUp();
    await asking;
    await ask([{ to: 'b' }], userContext({ timeoutMs: 120 }));
    expect(arrivals.map(({ to }) => to)).toEqual(['a', 'b']);
  });

  it.each([
    [2, ['a', 'b']],
    [3, ['a', 'b']],
    [5, ['a', 'a', 'b']],
  ])('does not spend the call of the fallback, of %i calls', async (calls, asked) => {
    const down: Tamper = (to, _request, pass) => (to === 'a' ? Promise.reject(new TypeError('down')) : pass());
    const { ask, arrivals } = await network({ a: says('x'), b: says('y') }, { tamper: down });
    const { responses } = await ask([{ to: 'a', fallback: 'b' }], userContext({ budgets: { calls } }));
    expect(responses).toMatchObject([{ answer: 'y' }]);
    expect(arrivals.map(({ to }) => to)).toEqual(asked);
  });

  it('leaves enough calls for the fallbacks of seven parallel questions', async () => {
    const ids = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7'];
    const down: Tamper = (to, _request, pass) => (to === 'b' ? pass() : Promise.reject(new TypeError('down')));
    const librarians = Object.fromEntries([...ids, 'b'].map((id) => [id, says(id)]));
    const { ask } = await network(librarians, { tamper: down });
    const { responses } = await ask(ids.map((to) => ({ to, fallback: 'b' })));
    expect(responses.map(({ answer }) => answer)).toEqual(ids.map(() => 'b'));
  });
});
