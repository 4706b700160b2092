import { describe, expect, it } from 'vitest';
import { ErrorCode } from '../../../src/contract/core/error-info.ts';
import type { Librarian } from '../../../src/contract/core/librarian.ts';
import { userContext } from '../../platform/context/callers.ts';
import {
  askOnce,
  delegatesTo,
  fails,
  network,
  says,
  signing,
  silence,
  stopClocks,
  type Tamper,
} from './network.ts';

const downExcept =
  (id: string): Tamper =>
  (to, _request, pass) =>
    to === id ? pass() : Promise.reject(new TypeError('down'));
const WITH_FALLBACK = [{ to: 'a', fallback: 'b' }];

describe('the fallback', () => {
  const LOOPING: ErrorCode[] = ['LOOP_DETECTED', 'MAX_DEPTH_EXCEEDED'];
  const OTHERS = ErrorCode.options.filter((code) => !LOOPING.includes(code));
  it.each(OTHERS)('is asked the same question when the target answers %s', async (code) => {
    const requests = [{ to: 'a', fallback: 'b', query: 'Where exactly?' }];
    const { branches, trace, arrivals } = await askOnce(
      { a: fails(code), b: says('Here.') },
      requests,
    );
    expect(branches).toMatchObject([{ to: 'b', response: { answer: 'Here.' } }]);
    expect(arrivals.at(-1)?.body.query).toBe('Where exactly?');
    expect(trace.hops.map(({ to, outcome }) => `${to}: ${outcome}`)).toEqual([
      `a: ${code}`,
      'b: answer',
    ]);
  });
  it.each(LOOPING)('is not asked when the target reports %s', async (code) => {
    const { branches, arrivals } = await askOnce({ a: fails(code), b: says('x') }, WITH_FALLBACK);
    expect(branches).toMatchObject([{ to: 'a', response: { error: { code } } }]);
    expect(arrivals.length).toBe(1);
  });
  it('is asked when the target would be a loop', async () => {
    const back: Librarian = async () => ({ delegate: { to: 'a', fallback: 'c' } });
    const { responses } = await askOnce({ a: delegatesTo('b'), b: back, c: says('x') });
    expect(responses).toMatchObject([{ answer: 'x' }]);
  });
  it('is not asked when the target answers with an error beside the answer', async () => {
    const partial: Librarian = async () => ({
      answer: 'Some.',
      error: { code: 'DATA_SOURCE_ERROR', message: 'Gap' },
    });
    const { branches, trace } = await askOnce({ a: partial, b: says('x') }, WITH_FALLBACK);
    expect(branches).toMatchObject([{ to: 'a', response: { answer: 'Some.' } }]);
    expect(trace.hops).toMatchObject([{ outcome: 'partial' }]);
  });
  it('that fails too keeps the error of the target, with its own code in the details', async () => {
    const { branches } = await askOnce(
      { a: fails('DATA_SOURCE_ERROR'), b: fails('RATE_LIMITED') },
      WITH_FALLBACK,
    );
    const details = { fallback: { librarian: 'b', code: 'RATE_LIMITED' } };
    expect(branches).toMatchObject([
      { to: 'b', response: { error: { code: 'DATA_SOURCE_ERROR', librarian: 'a', details } } },
    ]);
  });
  const nothing: Librarian = async () => ({
    answer: 'Dazu habe ich nichts.',
    sources: [],
    partial: true,
    confidence: 0,
    metadata: { closest: [] },
  });
  it('is asked when the target finds nothing, which the trace and the metadata say', async () => {
    const { branches, trace, arrivals } = await askOnce(
      { a: nothing, b: says('Here.') },
      WITH_FALLBACK,
    );
    const delegationError = { code: 'NOT_FOUND', librarian: 'a' };
    expect(branches).toMatchObject([
      { to: 'b', response: { answer: 'Here.', metadata: { delegationError } } },
    ]);
    expect(trace.hops.map(({ to, outcome, verified }) => `${to}: ${outcome} ${verified}`)).toEqual([
      'a: NOT_FOUND true',
      'b: answer true',
    ]);
    expect(arrivals.length).toBe(2);
  });
  it('that finds nothing either gives the answer that declines', async () => {
    const { branches } = await askOnce({ a: says('I found nothing.'), b: nothing }, WITH_FALLBACK);
    expect(branches).toMatchObject([
      { to: 'b', response: { answer: 'Dazu habe ich nichts.', confidence: 0 } },
    ]);
  });
  it.each([nothing, fails('NOT_FOUND')])(
    'that fails gives its error when the target only found nothing',
    async (a) => {
      const { branches, trace } = await askOnce({ a, b: fails('RATE_LIMITED') }, WITH_FALLBACK);
      expect(branches).toMatchObject([
        { to: 'b', response: { error: { code: 'RATE_LIMITED', librarian: 'b' } } },
      ]);
      expect(trace.hops.map(({ outcome }) => outcome)).toEqual(['NOT_FOUND', 'RATE_LIMITED']);
    },
  );
  it('shares the time of the request with a target that finds nothing', async () => {
    const deadlines: number[] = [];
    const seen =
      (librarian: Librarian): Librarian =>
      async (query, context) => {
        deadlines.push(context?.timeout ?? 0);
        return librarian(query, context);
      };
    await askOnce({ a: seen(nothing), b: seen(says('x')) }, WITH_FALLBACK, {
      context: { timeoutMs: 1000 },
    });
    const [first = 0, second = 0] = deadlines;
    expect(first).toBeLessThanOrEqual(600);
    expect(second).toBeGreaterThan(first);
    expect(second).toBeLessThan(1000);
  });
  it('has time left when the target never answers', async () => {
    stopClocks();
    const startedAtMs = Date.now();
    const { librarian, giveUp } = silence();
    const asking = askOnce({ a: librarian, b: says('x') }, WITH_FALLBACK, {
      context: { timeoutMs: 500 },
    });
    await giveUp();
    expect((await asking).responses).toMatchObject([{ answer: 'x' }]);
    expect(Date.now()).toBeLessThan(500 * 0.6 + startedAtMs);
  });
});

describe('a retry', () => {
  it('follows a call that was lost in transit, with a new signature', async () => {
    const losses = [new TypeError('connection lost')];
    const tamper: Tamper = (_to, _request, pass) =>
      losses.length > 0 ? Promise.reject(losses.pop()) : pass();
    const { responses, trace, arrivals } = await askOnce({ a: says('x') }, undefined, { tamper });
    const [first, second] = arrivals.map(({ links }) => links.at(-1).jti);
    expect(responses).toMatchObject([{ answer: 'x' }]);
    expect(trace.hops).toMatchObject([
      { attempts: 2, outcome: 'answer', verified: true, spanId: second },
    ]);
    expect(first).not.toBe(second);
  });
  it('follows SERVICE_UNAVAILABLE', async () => {
    const replies = [fails('SERVICE_UNAVAILABLE'), says('x')];
    const { responses } = await askOnce({
      a: (...call) => (replies.shift() ?? says('again'))(...call),
    });
    expect(responses).toMatchObject([{ answer: 'x' }]);
  });
  it('does not follow a target that sends Retry-After', async () => {
    const { ask, apps, variables, arrivals } = await network({ a: says('x') });
    const body = JSON.stringify({ error: { code: 'SERVICE_UNAVAILABLE', message: 'Not now' } });
    apps.set(
      'a',
      await signing('a', variables, body, { status: 503, headers: { 'Retry-After': '5' } }),
    );
    await ask([{ to: 'a' }]);
    expect(arrivals.length).toBe(1);
  });
  it.each<[string, number, number]>([
    ['beyond the budget keeps the result of the first call', 1, 1],
    ['happens once', 24, 2],
  ])('%s', async (_, calls, attempts) => {
    const context = { budgets: { calls } };
    const { codes, arrivals, trace } = await askOnce(
      { a: fails('SERVICE_UNAVAILABLE') },
      undefined,
      { context },
    );
    expect([codes, arrivals.length]).toEqual([['SERVICE_UNAVAILABLE'], attempts]);
    expect(trace.hops).toMatchObject([
      { attempts, outcome: 'SERVICE_UNAVAILABLE', verified: true },
    ]);
  });

  const FINAL = [
    'INTERNAL_ERROR',
    'TIMEOUT',
    'RATE_LIMITED',
    'NOT_FOUND',
    'INVALID_QUERY',
    'DELEGATION_FAILED',
  ] as const;
  it.each(FINAL)('does not follow %s', async (code) => {
    expect((await askOnce({ a: fails(code) })).arrivals.length).toBe(1);
  });
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
    const options = { context: { budgets: { calls } }, tamper: downExcept('b') };
    const { responses, arrivals } = await askOnce(
      { a: says('x'), b: says('y') },
      WITH_FALLBACK,
      options,
    );
    expect(responses).toMatchObject([{ answer: 'y' }]);
    expect(arrivals.map(({ to }) => to)).toEqual(asked);
  });
  it('leaves enough calls for the fallbacks of seven parallel questions', async () => {
    const ids = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7'];
    const librarians = Object.fromEntries([...ids, 'b'].map((id) => [id, says(id)]));
    const requests = ids.map((to) => ({ to, fallback: 'b' }));
    const { responses } = await askOnce(librarians, requests, { tamper: downExcept('b') });
    expect(responses.map(({ answer }) => answer)).toEqual(ids.map(() => 'b'));
  });
});
