import { describe, expect, it } from 'vitest';
import type { Librarian } from '../../../src/contract/core/librarian.ts';
import {
  DelegationTrace,
  JoinedAnswer,
  LibrarianResponse,
} from '../../../src/contract/core/response.ts';
import {
  askOnce,
  asks,
  chainOf,
  delegatesTo,
  fails,
  network,
  says,
  silence,
  stopClocks,
} from './network.ts';

/** Follows the delegate requests of a response, like the runtime. The result is always valid. */
const followed = async (response: LibrarianResponse, librarians: Record<string, Librarian>) => {
  const { gateway, arrivals } = await network(librarians);
  const delegates = gateway();
  const requests = [response.delegate ?? []].flat();
  const combined = await delegates.combine(
    response,
    requests.length === 0 ? [] : await delegates.ask(requests),
  );
  expect(LibrarianResponse.safeParse(combined).success).toBe(true);
  return { combined, arrivals, hops: () => DelegationTrace.parse(combined.metadata?.trace).hops };
};

const unavailable = fails('NOT_FOUND');
const BOTH = { delegate: [{ to: 'a' }, { to: 'b' }] };

describe('Delegates.combine()', () => {
  it('returns a response without a delegate request unchanged, and asks no one', async () => {
    const response: LibrarianResponse = { answer: 'Under the mat.', metadata: { more: 1 } };
    const { combined, arrivals } = await followed(response, { a: says('x') });
    expect(combined).toBe(response);
    expect(arrivals).toEqual([]);
  });
  it.each([{ to: 'a' }, [{ to: 'a' }]])(
    'returns the response of one target, with the trace: %j',
    async (delegate) => {
      const response = { answer: 'x', confidence: 0.9, metadata: { navigator: 1 } };
      const { combined } = await followed({ delegate }, { a: async () => response });
      const trace = { traceId: expect.any(String), hops: [expect.objectContaining({ to: 'a' })] };
      expect(combined).toEqual({ ...response, metadata: { navigator: 1, trace } });
    },
  );
  it('keeps its own answer, partial and with the gap named, when the target has none', async () => {
    const own = { answer: 'Perhaps inside.', metadata: { own: 1 }, delegate: { to: 'a' } };
    const { combined } = await followed(own, { a: unavailable });
    const delegationError = { code: 'NOT_FOUND', librarian: 'a' };
    const metadata = { own: 1, delegationError, trace: { hops: [{ to: 'a' }] } };
    expect(combined).toMatchObject({ answer: 'Perhaps inside.', partial: true, metadata });
  });
  it('names the gap even if its own metadata leaves no room for it', async () => {
    const own = {
      answer: 'Perhaps.',
      metadata: { text: 'x'.repeat(255_990) },
      delegate: { to: 'a' },
    };
    const { combined } = await followed(own, { a: unavailable });
    expect(combined.metadata).toMatchObject({ delegationError: { code: 'NOT_FOUND' } });
  });
  it('joins several answers, its own first', async () => {
    const own = { answer: 'First.', confidence: 0.9, ...BOTH };
    const { combined, hops } = await followed(own, { a: says('Second.'), b: says('Third.') });
    const { parts } = JoinedAnswer.parse(combined.metadata);
    const lines = parts.map(({ librarian, answer }) => `${librarian}: ${answer}`);
    expect(lines).toEqual(['gateway: First.', 'a: Second.', 'b: Third.']);
    expect(hops().map(({ to }) => to)).toEqual(['a', 'b']);
  });
  it('is partial if one of several fails, which it names, and an error if all fail', async () => {
    const { combined } = await followed(BOTH, { a: says('One.'), b: unavailable });
    expect(combined).toMatchObject({ partial: true, answer: expect.stringContaining('One.') });
    expect(JSON.stringify(combined.metadata?.parts)).toContain('NOT_FOUND');
    const failed = await followed(BOTH, { a: unavailable, b: unavailable });
    expect(failed.combined).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect([failed.combined.answer, failed.hops().length]).toEqual([undefined, 2]);
  });

  const large = (length: number) => 'x'.repeat(length);
  it.each<[string, Record<string, unknown>, string[], string[] | undefined, boolean]>([
    ['receipts are omitted', { text: large(255_600) }, ['text'], undefined, false],
    [
      'the largest member is dropped',
      { small: 1, large: large(255_950) },
      ['omitted', 'small'],
      ['large'],
      true,
    ],
    [
      'one of two is dropped',
      { a: large(127_990), b: large(127_990) },
      ['b', 'omitted'],
      ['a'],
      true,
    ],
    ['a member with an endless name is dropped', { [large(255_950)]: 1 }, ['omitted'], [], true],
  ])(
    'keeps the trace if other metadata leaves no room: %s',
    async (_, metadata, left, omitted, hasReceipts) => {
      const { combined, hops } = await followed(
        { delegate: { to: 'a' } },
        { a: async () => ({ answer: 'x', metadata }) },
      );
      const receipt = hasReceipts ? expect.any(String) : undefined;
      expect(hops().map((hop) => [hop.to, hop.verified, hop.receipt])).toEqual([
        ['a', true, receipt],
      ]);
      const { trace: _trace, ...others } = combined.metadata ?? {};
      expect([Object.keys(others).toSorted(), others.omitted]).toEqual([left, omitted]);
    },
  );
});

describe('a librarian that asks others', () => {
  it('has its questions in the trace, and in the usage and receipts of its own receipt', async () => {
    const a = asks(async ({ delegates }) => {
      const branches = await delegates.ask([{ to: 'b' }, { to: 'c', query: 'And where exactly?' }]);
      return { answer: branches.map(({ response }) => response.answer).join(' '), confidence: 0.9 };
    });
    const librarians = { a, b: says('b'), c: delegatesTo('d'), d: says('d') };
    const { responses, trace, delegates, arrivals } = await askOnce(librarians);
    expect(responses[0]?.answer).toBe('b d');
    expect(arrivals.map(({ body }) => body.query)).toContain('And where exactly?');
    expect(trace.hops.map(({ from, to }) => `${from}>${to}`)).toEqual([
      'gateway>a',
      'a>b',
      'a>c',
      'c>d',
    ]);
    expect(trace.hops.every(({ verified }) => verified)).toBe(true);
    // An origin signs no receipt.
    expect([delegates.usage(), delegates.receipts()]).toEqual([{ calls: 4, tokens: 0 }, []]);
  });
  it('may delegate as well, all in one trace', async () => {
    const a = asks(async ({ delegates }) => {
      await delegates.ask([{ to: 'b' }]);
      return { delegate: { to: 'c' } };
    });
    const { trace, responses } = await askOnce({ a, b: says('b'), c: says('c') });
    expect(trace.hops.map(({ to }) => to)).toEqual(['a', 'b', 'c']);
    expect(responses[0]?.answer).toBe('c');
  });
});

describe('time', () => {
  it('is divided so that a TIMEOUT after eight hops arrives as such, with its trace', async () => {
    stopClocks();
    const { librarian, giveUp } = silence();
    const asking = askOnce(chainOf(8, librarian), [{ to: 'h1' }], { context: { timeoutMs: 1000 } });
    await giveUp();
    const { responses, trace } = await asking;
    expect(responses[0]?.error).toMatchObject({ code: 'TIMEOUT', librarian: 'h8' });
    const outcomes = trace.hops.map(({ to, outcome, verified }) => [to, outcome, verified]);
    expect(outcomes).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((hop) => [`h${hop}`, 'TIMEOUT', true]));
  });
  it('suffices for a partial answer when one branch is silent, at every depth', async () => {
    stopClocks();
    const { librarian, giveUp } = silence();
    const answering = {
      a: delegatesTo('b', 'c'),
      b: says('b'),
      c: delegatesTo('d', 'e'),
      d: says('d'),
    };
    const asking = askOnce({ ...answering, e: librarian }, undefined, {
      context: { timeoutMs: 600 },
    });
    await giveUp();
    const { responses } = await asking;
    expect(responses[0]).toMatchObject({
      partial: true,
      answer: expect.stringMatching(/b[\s\S]*d/),
    });
  });
  it('never grows along the chain, and every hop has a reserve', async () => {
    stopClocks();
    const { arrivals } = await askOnce(chainOf(8), [{ to: 'h1' }], {
      context: { timeoutMs: 4000 },
    });
    const deadlines = arrivals.map(({ links }) => links.at(-1).exp as number);
    const reserves = deadlines
      .slice(1)
      .map((deadline, at) => ((deadlines[at] ?? 0) - deadline) * 1000);
    expect(reserves.length).toBe(7);
    expect(Math.min(...reserves)).toBeGreaterThan(33.9);
    expect(Math.max(...reserves)).toBeLessThan(56.1);
  });
});
