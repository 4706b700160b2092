import { describe, expect, it, vi } from 'vitest';
import type { Librarian } from '../../../src/contract/core/librarian.ts';
import {
  DelegationTrace,
  LibrarianResponse,
  type TraceHop,
} from '../../../src/contract/core/response.ts';
import { readJws, signJws } from '../../../src/platform/context/compact-jws.ts';
import type { Delegates } from '../../../src/platform/context/delegates.ts';
import { localSigner } from '../../../src/platform/context/identity.ts';
import { signReceipt } from '../../../src/platform/context/receipt.ts';
import { sha256, utf8 } from '../../../src/platform/encoding.ts';
import { userContext } from '../../platform/context/callers.ts';
import { askOnce, asks, delegatesTo, fails, network, says } from './network.ts';

/** One line per hop, `?` before unverified ones. */
const linesOf = (hops: readonly TraceHop[]) =>
  hops.map(({ from, to, outcome, verified }) => `${verified ? '' : '?'}${from}>${to} ${outcome}`);

const invented = (to: string, parentSpanId?: string): TraceHop => ({
  spanId: 'a'.repeat(16),
  from: 'a',
  to,
  durationMs: 1,
  outcome: 'answer',
  attempts: 1,
  verified: true,
  ...(parentSpanId === undefined ? {} : { parentSpanId }),
});

/** Reports as many hops as fit, all invented. */
const flooding =
  (from: string): Librarian =>
  async (_, context) => {
    const hops = Array(64).fill({ ...invented('z'), from });
    return { answer: 'x', metadata: { trace: { traceId: context?.trace?.traceId, hops } } };
  };

describe('Delegates.trace()', () => {
  it('lists all hops, each before the hops below it, all verified at the origin', async () => {
    const librarians = {
      a: delegatesTo('b', 'c'),
      b: delegatesTo('d'),
      c: says('c'),
      d: says('d'),
      e: says('e'),
    };
    const { trace, arrivals, delegates } = await askOnce(librarians, [{ to: 'a' }, { to: 'e' }]);
    expect(DelegationTrace.parse(trace)).toEqual(trace);
    expect(trace.traceId).toBe(arrivals[0]?.links[0].tid);
    const lines = [
      'gateway>a answer',
      'a>b answer',
      'b>d answer',
      'a>c answer',
      'gateway>e answer',
    ];
    expect(linesOf(trace.hops)).toEqual(lines);
    const spanOf = (to?: string) => arrivals.find((arrival) => arrival.to === to)?.links.at(-1).jti;
    expect(trace.hops.map(({ spanId }) => spanId)).toEqual(['a', 'b', 'd', 'c', 'e'].map(spanOf));
    const parents = [undefined, 'a', 'b', 'a', undefined].map(spanOf);
    expect(trace.hops.map(({ parentSpanId }) => parentSpanId)).toEqual(parents);
    expect(delegates.trace()).toEqual(trace);
  });
  it('is not repeated in the answers', async () => {
    const { responses } = await askOnce({ a: delegatesTo('b'), b: delegatesTo('c'), c: says('x') });
    expect(responses).toEqual([{ answer: 'x', confidence: 0.9 }]);
  });
  it('lists failed hops with their code, beside verified ones', async () => {
    const { trace } = await askOnce(
      { a: delegatesTo('b', 'c'), b: says('b'), c: says('c') },
      undefined,
      {
        tamper: (to, _request, pass) =>
          to === 'c' ? Response.json({ answer: 'Pay mallory.' }) : pass(),
      },
    );
    expect(linesOf(trace.hops)).toEqual([
      'gateway>a partial',
      'a>b answer',
      '?a>c DELEGATION_FAILED',
    ]);
  });
  it.each<[string, unknown]>([
    ['is invalid', 'all is well'],
    ['holds 65 hops', { traceId: 'own', hops: Array(65).fill({}) }],
    ['is of another question', { traceId: 'f'.repeat(32), hops: [invented('z')] }],
  ])('drops the trace of a target that %s', async (_, reported) => {
    const metadata = { trace: reported, other: 1 };
    const { trace, responses } = await askOnce({ a: async () => ({ answer: 'x', metadata }) });
    expect(linesOf(trace.hops)).toEqual(['gateway>a answer']);
    expect(responses).toEqual([{ answer: 'x', metadata: { other: 1 } }]);
  });
});

describe('a nested hop is not verified', () => {
  interface Reported {
    hops: TraceHop[];
    receipts: string[];
  }
  type Change = (hops: TraceHop[], receipts: string[]) => unknown;

  /** Replaces the true trace of the runtime. */
  const report = (
    delegates: Delegates,
    { traceId }: { traceId: string },
    { hops, receipts }: Reported,
  ) => {
    delegates.trace = () => ({ traceId, hops });
    delegates.receipts = () => receipts;
  };

  /** Librarian a, which asks others, and reports its hops and receipts after `change`. */
  const reporting = (change: Change, asked = ['b', 'c']) =>
    asks(async ({ delegates, context }) => {
      await delegates.ask(asked.map((to) => ({ to })));
      const [hops, receipts] = [structuredClone([...delegates.trace().hops]), delegates.receipts()];
      await change(hops, receipts);
      report(delegates, context, { hops, receipts });
    });

  /** The trace when librarian a reports its hops after `change`; a asks b and c, b asks d. */
  const afterChange = async (change: Change): Promise<TraceHop[]> =>
    (await askOnce({ a: reporting(change), b: delegatesTo('d'), c: says('c'), d: says('d') })).trace
      .hops;

  const hopTo = (hops: TraceHop[], to: string): TraceHop => {
    const hop = hops.find((each) => each.to === to);
    if (hop === undefined) throw new Error(`no hop to ${to}`);
    return hop;
  };
  /** The librarians that were asked, sorted, `?` after unverified ones. */
  const askedIn = (hops: readonly TraceHop[]) => {
    const sorted = hops.toSorted((one, other) => one.to.localeCompare(other.to));
    return sorted.map(({ to, verified }) => `${to}${verified ? '' : '?'}`).join(' ');
  };

  const alter =
    (to: string, changes: (hops: TraceHop[]) => Partial<TraceHop>) => (hops: TraceHop[]) =>
      Object.assign(hopTo(hops, to), changes(hops));

  const moveBelowA: Change = async (hops, receipts) => {
    const hop = hopTo(hops, 'd');
    const { parentSpanId } = hopTo(hops, 'b');
    receipts.push(await sha256(utf8(hop.receipt ?? '')));
    hops.splice(hops.indexOf(hop), 1);
    hops.push({ ...hop, ...(parentSpanId === undefined ? {} : { parentSpanId }) });
  };
  const changeAfterSigning: Change = async (hops, receipts) => {
    const hop = hopTo(hops, 'c');
    const [header, claims = '', signature] = (hop.receipt ?? '').split('.');
    const changed = {
      ...JSON.parse(Buffer.from(claims, 'base64url').toString()),
      use: { calls: 7 },
    };
    hop.receipt = [
      header,
      Buffer.from(JSON.stringify(changed)).toString('base64url'),
      signature,
    ].join('.');
    receipts.push(await sha256(utf8(hop.receipt)));
  };
  const signAs = async (id: string, linkHash: string) => {
    const answer = {
      caller: { id: 'a', linkHash },
      status: 200,
      body: new Uint8Array(),
      now: Date.now(),
    };
    return signReceipt(await localSigner(id), answer);
  };
  const signItself: Change = async (hops, receipts) => {
    const receipt = await signAs('a', 'A'.repeat(43));
    receipts.push(await sha256(utf8(receipt)));
    hops.push({ ...invented('memory', hops[0]?.parentSpanId), receipt });
  };
  const signForAnother: Change = async (hops, receipts) => {
    const hop = hopTo(hops, 'c');
    const receipt = await signAs('b', await sha256(utf8(hop.link ?? '')));
    receipts.push(await sha256(utf8(receipt)));
    Object.assign(hop, { to: 'b', receipt });
  };
  const claimAll: Change = (hops) => {
    for (const hop of hops) hop.verified = true;
    delete hopTo(hops, 'c').receipt;
  };
  const exchangeLinks: Change = (hops) => {
    delete hopTo(hops, 'b').link;
    Object.assign(hopTo(hops, 'c'), { link: hopTo(hops, 'd').link });
  };
  const spoilReceipt = alter('b', (hops) => ({
    receipt: (hopTo(hops, 'b').receipt ?? '').replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A')),
  }));
  const otherSpan = alter('c', () => ({ spanId: 'b'.repeat(16) }));
  const AS_ANSWER = () => ({ outcome: 'answer' as const });
  const unlist: Change = (_, receipts) => receipts.splice(0, 1);
  const moveBelowB = alter('c', (hops) => ({ parentSpanId: hopTo(hops, 'b').spanId }));
  const exchangeReceipt = alter('c', (hops) => ({ receipt: hopTo(hops, 'b').receipt }));
  const invent: Change = (hops) => hops.push(invented('memory', hops[0]?.parentSpanId));
  const repeat: Change = (hops) => hops.push({ ...hopTo(hops, 'c'), spanId: 'b'.repeat(16) });

  it.each<[string, Change, string]>([
    ['unless something is wrong with it', () => undefined, 'a b c d'],
    ['when its reporter only claims that it is', claimAll, 'a b c? d'],
    ['when its receipt was changed, and nothing below it either', spoilReceipt, 'a b? c d?'],
    ['when the receipt of the hop above does not list its receipt', unlist, 'a b? c d?'],
    [
      'when the answer is attributed to another librarian',
      alter('c', () => ({ to: 'navigator' })),
      'a b d navigator?',
    ],
    [
      'when the question is attributed to another librarian',
      alter('c', () => ({ from: 'b' })),
      'a b c? d',
    ],
    ['when it is reported below another hop', moveBelowB, 'a b c? d'],
    ['when it is reported below a hop that lists it but did not ask', moveBelowA, 'a b c d?'],
    [
      'when its reporter lists a receipt that was changed after signing',
      changeAfterSigning,
      'a b c? d',
    ],
    ['when it has the receipt of another hop', exchangeReceipt, 'a b c? d'],
    ['when it is invented', invent, 'a b c d memory?'],
    ['when its reporter signed the receipt itself', signItself, 'a b c d memory?'],
    ['when another librarian signed a receipt for the question', signForAnother, 'a b b? d'],
    ['when its link is missing or replaced', exchangeLinks, 'a b? c? d?'],
    ['when it names another call than its link', otherSpan, 'a b c? d'],
    ['when it is listed twice', repeat, 'a b c c? d'],
  ])('%s, and has no proof then', async (_, change, asked) => {
    const hops = await afterChange(change);
    expect(askedIn(hops)).toBe(asked);
    const proofs = hops
      .filter(({ verified }) => !verified)
      .map(({ receipt, link }) => receipt ?? link);
    expect(proofs.filter((proof) => proof !== undefined)).toEqual([]);
  });
  it('when an error is reported as an answer', async () => {
    const dishonest = reporting(alter('b', AS_ANSWER), ['b']);
    expect(askedIn((await askOnce({ a: dishonest, b: fails('NOT_FOUND') })).trace.hops)).toBe(
      'a b?',
    );
  });

  /** Asks b for its first question, and later reports the hop to b after `forge`. */
  const repeating = (
    forge: (hop: TraceHop, context: { linkHash: string }) => Promise<TraceHop> = async (hop) => hop,
  ) => {
    let first: { hop: TraceHop; receipts: string[] } | undefined;
    return asks(async ({ delegates, context }) => {
      if (first === undefined) {
        await delegates.ask([{ to: 'b' }]);
        first = { hop: hopTo([...delegates.trace().hops], 'b'), receipts: delegates.receipts() };
        return;
      }
      const hop = await forge({ ...first.hop, parentSpanId: context.spanId }, context);
      report(delegates, context, { hops: [hop], receipts: first.receipts });
      delegates.usage = () => ({ calls: 1 });
    });
  };

  it('when its receipt is from an earlier question, or from another branch of the same', async () => {
    const { ask, arrivals } = await network({ a: repeating(), b: says('b') });
    const { delegates, trace } = await ask([{ to: 'a' }]);
    expect(askedIn(trace.hops)).toBe('a b');
    await delegates.ask([{ to: 'a' }]);
    const again = ['gateway>a answer', '?a>b answer'];
    expect(linesOf(delegates.trace().hops)).toEqual(['gateway>a answer', 'a>b answer', ...again]);
    const later = await ask([{ to: 'a' }, { to: 'a' }], userContext({ workspace: 'other' }));
    expect(linesOf(later.trace.hops)).toEqual([...again, ...again]);
    expect(arrivals.filter(({ to }) => to === 'b').length).toBe(1);
  });
  it('when a link was made for a receipt of another call', async () => {
    const signer = await localSigner('a');
    const dishonest = repeating(async (hop, { linkHash }) => {
      const { claims } = readJws(hop.link ?? '', 'ctx+jwt');
      return {
        ...hop,
        link: await signJws({ ...claims, prv: linkHash }, { typ: 'ctx+jwt', signer }),
      };
    });
    const { ask } = await network({ a: dishonest, b: says('b') });
    expect(askedIn((await ask([{ to: 'a' }])).trace.hops)).toBe('a b');
    expect(askedIn((await ask([{ to: 'a' }])).trace.hops)).toBe('a b?');
  });
  it('and costs no signature check when it cannot fit', async () => {
    const verify = vi.spyOn(crypto.subtle, 'verify');
    const countOf = async (change: Change) => {
      verify.mockClear();
      await afterChange(change);
      return verify.mock.calls.length;
    };
    const plain = await countOf(() => undefined);
    const copied = await countOf((reported) => {
      while (reported.length < 60) reported.push({ ...hopTo(reported, 'c') });
    });
    verify.mockRestore();
    expect(copied).toBe(plain);
  });
});

describe('a target that reports many hops', () => {
  it('displaces no hop of another branch', async () => {
    const honest = { a: delegatesTo('b', 'c'), b: says('b'), c: says('c'), d: says('d') };
    const { trace } = await askOnce({ m: flooding('m'), ...honest }, [
      { to: 'm' },
      { to: 'a' },
      { to: 'd' },
    ]);
    expect(trace.hops.length).toBe(64);
    const lines = [
      'gateway>m answer',
      'gateway>a answer',
      'a>b answer',
      'a>c answer',
      'gateway>d answer',
    ];
    expect(linesOf(trace.hops.filter(({ from }) => from !== 'm'))).toEqual(lines);
    expect(DelegationTrace.safeParse(trace).success).toBe(true);
  });
  it('shares the limit with another such target', async () => {
    const { trace } = await askOnce({ m: flooding('m'), n: flooding('n') }, [
      { to: 'm' },
      { to: 'n' },
    ]);
    expect(['m', 'n'].map((id) => trace.hops.filter(({ from }) => from === id).length)).toEqual([
      31, 31,
    ]);
  });
  it('cannot add hops in the name of the origin', async () => {
    const { trace } = await askOnce({ m: flooding('gateway') }, [{ to: 'm' }]);
    expect(linesOf(trace.hops)).toEqual(['gateway>m answer']);
  });
});

describe('intermediate librarians', () => {
  /** The trace in the answer of librarian a. */
  const traceFromA = async (librarians: Record<string, Librarian>) => {
    const { client } = await network(librarians);
    const request = { to: 'a', path: '/librarians/a/ask', body: { query: 'Where is the key?' } };
    const answer = await client.call(userContext(), request);
    const { metadata } = LibrarianResponse.parse(answer.ok ? answer.json() : undefined);
    return DelegationTrace.parse(metadata?.trace).hops;
  };

  it('pass nested hops on unverified, with the proofs for the origin', async () => {
    const hops = await traceFromA({ a: delegatesTo('b'), b: delegatesTo('c'), c: says('x') });
    expect(linesOf(hops)).toEqual(['a>b answer', '?b>c answer']);
    const proofs = hops.flatMap(({ receipt, link }) => [typeof receipt, typeof link]);
    expect(proofs).toEqual(Array(4).fill('string'));
  });
  it('vouch for no invented hop below them', async () => {
    const b: Librarian = async (_, context) => {
      const { traceId, spanId } = context?.trace ?? {};
      return {
        answer: 'x',
        metadata: { trace: { traceId, hops: [{ ...invented('payments', spanId), from: 'b' }] } },
      };
    };
    expect(linesOf(await traceFromA({ a: delegatesTo('b'), b }))).toEqual([
      'a>b answer',
      '?b>payments answer',
    ]);
  });
});
