import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Librarian } from '../../src/contract/librarian.ts';
import { DelegationTrace, JoinedAnswer, LibrarianResponse } from '../../src/contract/response.ts';
import { userContext } from '../signing/callers.ts';
import { asks, chainOf, delegatesTo, fails, network, says, silence, stopClocks } from './network.ts';

/** Follows the delegate requests of a response, like the runtime. */
const followed = async (response: LibrarianResponse, librarians: Record<string, Librarian>) => {
  const { gateway, arrivals } = await network(librarians);
  const delegates = gateway();
  const requests = [response.delegate ?? []].flat();
  const combined = await delegates.combine(response, requests.length === 0 ? [] : await delegates.ask(requests));
  return { combined, arrivals };
};

const unavailable = fails('NOT_FOUND');

afterEach(() => {
  vi.useRealTimers();
});

describe('Delegates.combine()', () => {
  it('returns a response without a delegate request unchanged, and asks no one', async () => {
    const response: LibrarianResponse = { answer: 'Under the mat.', metadata: { more: 1 } };
    const { combined, arrivals } = await followed(response, { a: says('x') });
    expect(combined).toBe(response);
    expect(arrivals).toEqual([]);
  });

  it('returns the response of a single target, with the trace', async () => {
    const response = { answer: 'x', confidence: 0.9, metadata: { navigator: 1 } };
    const { combined } = await followed({ delegate: { to: 'a' } }, { a: async () => response });
    const trace = { traceId: expect.any(String), hops: [expect.objectContaining({ to: 'a' })] };
    expect(combined).toEqual({ ...response, metadata: { navigator: 1, trace } });
  });

  it('treats a list of one like a single target', async () => {
    const { combined } = await followed({ delegate: [{ to: 'a' }] }, { a: says('x') });
    expect([combined.answer, combined.metadata?.parts]).toEqual(['x', undefined]);
  });

  it('keeps its own answer, partial and with the gap named, when the target has none', async () => {
    const own = { answer: 'Perhaps inside.', metadata: { own: 1 }, delegate: { to: 'a' } };
    expect((await followed(own, { a: unavailable })).combined).toMatchObject({
      answer: 'Perhaps inside.',
      partial: true,
      metadata: { own: 1, delegationError: { code: 'NOT_FOUND', librarian: 'a' }, trace: { hops: [{ to: 'a' }] } },
    });
  });

  it('names the gap even if its own metadata leaves no room for it', async () => {
    const own = { answer: 'Perhaps.', metadata: { text: 'x'.repeat(255_990) }, delegate: { to: 'a' } };
    const { combined } = await followed(own, { a: unavailable });
    expect(combined.metadata).toMatchObject({ delegationError: { code: 'NOT_FOUND' } });
    expect(LibrarianResponse.safeParse(combined).success).toBe(true);
  });

  it('joins several answers, its own first', async () => {
    const own = { answer: 'First.', confidence: 0.9, delegate: [{ to: 'a' }, { to: 'b' }] };
    const { combined } = await followed(own, { a: says('Second.'), b: says('Third.') });
    const { parts } = JoinedAnswer.parse(combined.metadata);
    const lines = parts.map(({ librarian, answer }) => `${librarian}: ${answer}`);
    expect(lines).toEqual(['gateway: First.', 'a: Second.', 'b: Third.']);
    expect(DelegationTrace.parse(combined.metadata?.trace).hops.map(({ to }) => to)).toEqual(['a', 'b']);
    expect(LibrarianResponse.safeParse(combined).success).toBe(true);
  });

  it('is partial if one of several fails, and names it', async () => {
    const { combined } = await followed({ delegate: [{ to: 'a' }, { to: 'b' }] }, { a: says('One.'), b: unavailable });
    expect(combined).toMatchObject({ partial: true, answer: expect.stringContaining('One.') });
    expect(JSON.stringify(combined.metadata?.parts)).toContain('NOT_FOUND');
  });

  it('is an error if all fail', async () => {
    const { combined } = await followed({ delegate: [{ to: 'a' }, { to: 'b' }] }, { a: unavailable, b: unavailable });
    expect([combined.answer, combined.error?.code]).toEqual([undefined, 'NOT_FOUND']);
    expect(DelegationTrace.parse(combined.metadata?.trace).hops.length).toBe(2);
  });

  it('omits receipts from a trace that would be too large with them', async () => {
    const { combined } = await followed(
      { delegate: { to: 'a' } },
      { a: async () => ({ answer: 'x', metadata: { text: 'x'.repeat(255_600) } }) },
    );
    const { hops } = DelegationTrace.parse(combined.metadata?.trace);
    expect(hops.map(({ verified, receipt }) => [verified, receipt])).toEqual([[true, undefined]]);
    expect(LibrarianResponse.safeParse(combined).success).toBe(true);
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['the largest member', { small: 1, large: 'x'.repeat(255_950) }, { small: 1, omitted: ['large'] }],
    ['one of two', { a: 'x'.repeat(127_990), b: 'x'.repeat(127_990) }, { b: 'x', omitted: ['a'] }],
    ['a member with an endless name', { ['x'.repeat(255_950)]: 1 }, { omitted: [] }],
  ])('keeps the trace if other metadata leaves no room: %s is dropped', async (_, metadata, left) => {
    const { combined } = await followed({ delegate: { to: 'a' } }, { a: async () => ({ answer: 'x', metadata }) });
    const { trace, ...others } = combined.metadata ?? {};
    expect(DelegationTrace.parse(trace).hops).toMatchObject([{ to: 'a', verified: true, receipt: expect.any(String) }]);
    expect(Object.keys(others).toSorted()).toEqual(Object.keys(left).toSorted());
    expect(others.omitted).toEqual(left.omitted);
    expect(LibrarianResponse.safeParse(combined).success).toBe(true);
  });
});

describe('a librarian that asks others', () => {
  const asking = asks(async ({ delegates }) => {
    const branches = await delegates.ask([{ to: 'b' }, { to: 'c', query: 'And where exactly?' }]);
    return { answer: branches.map(({ response }) => response.answer).join(' '), confidence: 0.9 };
  });

  it('has its questions in the trace, and in the usage and receipts of its own receipt', async () => {
    const { ask, arrivals } = await network({ a: asking, b: says('b'), c: delegatesTo('d'), d: says('d') });
    const { responses, trace, delegates } = await ask([{ to: 'a' }]);
    expect(responses[0]?.answer).toBe('b d');
    expect(arrivals.map(({ body }) => body.query)).toContain('And where exactly?');
    expect(trace.hops.map(({ from, to }) => `${from}>${to}`)).toEqual(['gateway>a', 'a>b', 'a>c', 'c>d']);
    expect(trace.hops.every(({ verified }) => verified)).toBe(true);
    expect(delegates.usage()).toEqual({ calls: 4, tokens: 0 });
    // An origin signs no receipt.
    expect(delegates.receipts()).toEqual([]);
  });

  it('may delegate as well, all in one trace', async () => {
    const both = asks(async ({ delegates }) => {
      await delegates.ask([{ to: 'b' }]);
      return { delegate: { to: 'c' } };
    });
    const { ask } = await network({ a: both, b: says('b'), c: says('c') });
    const { trace, responses } = await ask([{ to: 'a' }]);
    expect(trace.hops.map(({ to }) => to)).toEqual(['a', 'b', 'c']);
    expect(responses[0]?.answer).toBe('c');
  });
});

describe('time', () => {
  it('is divided so that a TIMEOUT after eight hops arrives as such, with its trace', async () => {
    stopClocks();
    const { librarian, giveUp } = silence();
    const { ask } = await network(chainOf(8, librarian));
    const asking = ask([{ to: 'h1' }], userContext({ timeoutMs: 1000 }));
    await giveUp();
    const { responses, trace } = await asking;
    expect(responses[0]?.error).toMatchObject({ code: 'TIMEOUT', librarian: 'h8' });
    const outcomes = trace.hops.map(({ to, outcome, verified }) => [to, outcome, verified]);
    expect(outcomes).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((hop) => [`h${hop}`, 'TIMEOUT', true]));
  });

  it('suffices for a partial answer when one branch is silent, at every depth', async () => {
    stopClocks();
    const { librarian, giveUp } = silence();
    const answering = { a: delegatesTo('b', 'c'), b: says('b'), c: delegatesTo('d', 'e'), d: says('d') };
    const { ask } = await network({ ...answering, e: librarian });
    const asking = ask([{ to: 'a' }], userContext({ timeoutMs: 600 }));
    await giveUp();
    const { responses } = await asking;
    expect(responses[0]).toMatchObject({ partial: true, answer: expect.stringMatching(/b[\s\S]*d/) });
  });

  it('never grows along the chain, and every hop has a reserve', async () => {
    stopClocks();
    const { ask, arrivals } = await network(chainOf(8));
    await ask([{ to: 'h1' }], userContext({ timeoutMs: 4000 }));
    const deadlines = arrivals.map(({ links }) => links.at(-1).exp as number);
    expect(deadlines.length).toBe(8);
    for (let hop = 1; hop < deadlines.length; hop += 1) {
      const reservedMs = ((deadlines[hop - 1] ?? 0) - (deadlines[hop] ?? 0)) * 1000;
      expect(reservedMs).toBeGreaterThan(33.9);
      expect(reservedMs).toBeLessThan(56.1);
    }
  });
});
