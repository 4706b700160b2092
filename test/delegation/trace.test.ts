import { describe, expect, it, vi } from 'vitest';
import type { Librarian } from '../../src/contract/librarian.ts';
import { DelegationTrace, LibrarianResponse, type TraceHop } from '../../src/contract/response.ts';
import type { ServedLibrarian } from '../../src/runtime/serve-librarian.ts';
import { readJws, signJws } from '../../src/signing/compact-jws.ts';
import { sha256, utf8 } from '../../src/signing/digest.ts';
import { identityFrom } from '../../src/signing/identity.ts';
import { signReceipt } from '../../src/signing/receipt.ts';
import { userContext } from '../signing/callers.ts';
import { handsOnTo, network, says } from './network.ts';

const said = (hops: readonly TraceHop[]) =>
  hops.map(({ from, to, outcome, verified }) => [from, to, outcome, verified]);

describe('Delegates.trace()', () => {
  it('lists all hops, each before those that it led to, all verified at the origin', async () => {
    const { ask, arrivals } = await network({
      a: handsOnTo('b', 'c'),
      b: handsOnTo('d'),
      c: says('c'),
      d: says('d'),
      e: says('e'),
    });
    const context = userContext();
    const { trace } = await ask([{ to: 'a' }, { to: 'e' }], context);
    expect(DelegationTrace.parse(trace)).toEqual(trace);
    expect(trace.traceId).toBe(context.traceId);
    expect(said(trace.hops)).toEqual([
      ['gateway', 'a', 'answer', true],
      ['a', 'b', 'answer', true],
      ['b', 'd', 'answer', true],
      ['a', 'c', 'answer', true],
      ['gateway', 'e', 'answer', true],
    ]);
    const spanOf = (to: string) => arrivals.find((arrival) => arrival.to === to)?.links.at(-1).jti;
    expect(trace.hops.map(({ spanId }) => spanId)).toEqual(['a', 'b', 'd', 'c', 'e'].map(spanOf));
    expect(trace.hops.map(({ parentSpanId }) => parentSpanId)).toEqual(
      [undefined, 'a', 'b', 'a', undefined].map((to) => (to === undefined ? undefined : spanOf(to))),
    );
  });

  it('is not repeated in the answers', async () => {
    const { ask } = await network({ a: handsOnTo('b'), b: handsOnTo('c'), c: says('x') });
    const { responses } = await ask([{ to: 'a' }]);
    expect(responses).toEqual([{ answer: 'x', confidence: 0.9 }]);
  });

  it('lists what failed, by its code, beside what is verified', async () => {
    const { ask } = await network(
      { a: handsOnTo('b', 'c'), b: says('b'), c: says('c') },
      { tamper: (to, _request, pass) => (to === 'c' ? Response.json({ answer: 'Pay mallory.' }) : pass()) },
    );
    const { trace } = await ask([{ to: 'a' }]);
    expect(said(trace.hops)).toEqual([
      ['gateway', 'a', 'partial', true],
      ['a', 'b', 'answer', true],
      ['a', 'c', 'DELEGATION_FAILED', false],
    ]);
  });

  it('lists at most 64 hops', async () => {
    const many: Librarian = async (_, context) => ({
      answer: 'x',
      metadata: { trace: { traceId: context?.trace?.traceId, hops: Array(64).fill(invented('z')) } },
    });
    const { ask } = await network({ a: many, b: many });
    const { trace } = await ask([{ to: 'a' }, { to: 'b' }]);
    expect(trace.hops.length).toBe(64);
    expect(DelegationTrace.safeParse(trace).success).toBe(true);
  });

  it.each<[string, unknown]>([
    ['is no trace', 'all is well'],
    ['holds 65 hops', { traceId: 'own', hops: Array(65).fill({}) }],
    ['is of another question', { traceId: 'f'.repeat(32), hops: [invented('z')] }],
  ])('drops what a target reports that %s', async (_, reported) => {
    const { ask } = await network({ a: async () => ({ answer: 'x', metadata: { trace: reported, other: 1 } }) });
    const { trace, responses } = await ask([{ to: 'a' }]);
    expect(said(trace.hops)).toEqual([['gateway', 'a', 'answer', true]]);
    expect(responses).toEqual([{ answer: 'x', metadata: { other: 1 } }]);
  });
});

describe('a nested hop is not verified', () => {
  /** The trace after `change` was made to what librarian a reports; a asks b twice and c once, b asks d. */
  const afterChange = async (change: (hops: TraceHop[], receipts: string[]) => unknown): Promise<TraceHop[]> => {
    const liar: ServedLibrarian = {
      forRequest:
        ({ delegates, context }) =>
        async () => {
          await delegates.ask([{ to: 'b' }, { to: 'c' }]);
          const hops = structuredClone(delegates.trace().hops);
          const receipts = delegates.receipts();
          await change(hops, receipts);
          // The runtime would put the true trace in its place.
          delegates.trace = () => ({ traceId: context.traceId, hops });
          delegates.receipts = () => receipts;
          return { answer: 'x' };
        },
    };
    const { ask } = await network({ a: liar, b: handsOnTo('d'), c: says('c'), d: says('d') });
    return (await ask([{ to: 'a' }])).trace.hops;
  };

  const hopTo = (hops: TraceHop[], to: string): TraceHop => {
    const hop = hops.find((each) => each.to === to);
    if (hop === undefined) throw new Error(`no hop to ${to}`);
    return hop;
  };
  const verifiedOf = (hops: TraceHop[]) => Object.fromEntries(hops.map(({ to, verified }) => [to, verified]));

  it('unless something is wrong with it', async () => {
    expect(verifiedOf(await afterChange(() => undefined))).toEqual({ a: true, b: true, d: true, c: true });
  });

  it.each<[string, Parameters<typeof afterChange>[0], Record<string, boolean>]>([
    [
      'whatever its reporter says',
      (hops) => {
        for (const hop of hops) hop.verified = true;
        delete hopTo(hops, 'c').receipt;
      },
      { b: true, d: true, c: false },
    ],
    [
      'when its receipt was changed, nor is anything below it',
      (hops) => {
        const hop = hopTo(hops, 'b');
        hop.receipt = hop.receipt?.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'));
      },
      { b: false, d: false, c: true },
    ],
    [
      'when its receipt is not among those that the hop above is based on',
      (_hops, receipts) => receipts.splice(0, 1),
      { b: false, d: false, c: true },
    ],
    [
      'when the answer is attributed to another librarian',
      (hops) => Object.assign(hopTo(hops, 'c'), { to: 'navigator' }),
      { b: true, d: true, navigator: false },
    ],
    [
      'when the question is attributed to another librarian',
      (hops) => Object.assign(hopTo(hops, 'c'), { from: 'b' }),
      { b: true, d: true, c: false },
    ],
    [
      'when it is reported below another hop',
      (hops) => Object.assign(hopTo(hops, 'c'), { parentSpanId: hopTo(hops, 'b').spanId }),
      { b: true, d: true, c: false },
    ],
    [
      'when it is reported below a hop that lists it, but did not ask',
      async (hops, receipts) => {
        const hop = hopTo(hops, 'd');
        const { parentSpanId } = hopTo(hops, 'b');
        receipts.push(await sha256(utf8(hop.receipt ?? '')));
        hops.splice(hops.indexOf(hop), 1);
        hops.push({ ...hop, ...(parentSpanId === undefined ? {} : { parentSpanId }) });
      },
      { b: true, d: false, c: true },
    ],
    [
      'when its reporter lists a receipt that was changed after signing',
      async (hops, receipts) => {
        const hop = hopTo(hops, 'c');
        const [header, claims = '', signature] = (hop.receipt ?? '').split('.');
        const changed = { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), use: { calls: 7 } };
        hop.receipt = [header, Buffer.from(JSON.stringify(changed)).toString('base64url'), signature].join('.');
        receipts.push(await sha256(utf8(hop.receipt)));
      },
      { b: true, d: true, c: false },
    ],
    [
      'when the receipt of another hop stands under it',
      (hops) => Object.assign(hopTo(hops, 'c'), { receipt: hopTo(hops, 'b').receipt }),
      { b: true, d: true, c: false },
    ],
    [
      'when it was made up',
      (hops) => hops.push(invented('memory', hops[0]?.parentSpanId)),
      { b: true, d: true, c: true, memory: false },
    ],
    [
      'when its reporter signed the receipt itself',
      async (hops, receipts) => {
        const { signer } = await identityFrom({ ENVIRONMENT: 'development' }, 'a');
        const caller = { id: 'a', linkHash: 'A'.repeat(43) };
        const receipt = await signReceipt(signer, { caller, status: 200, body: new Uint8Array(), now: Date.now() });
        receipts.push(await sha256(utf8(receipt)));
        hops.push({ ...invented('memory', hops[0]?.parentSpanId), receipt });
      },
      { b: true, d: true, c: true, memory: false },
    ],
    [
      'when its link is left out, or another one stands in its place',
      (hops) => {
        delete hopTo(hops, 'b').link;
        Object.assign(hopTo(hops, 'c'), { link: hopTo(hops, 'd').link });
      },
      { b: false, d: false, c: false },
    ],
    [
      'when it names another call than its link',
      (hops) => Object.assign(hopTo(hops, 'c'), { spanId: 'b'.repeat(16) }),
      { b: true, d: true, c: false },
    ],
  ])('%s', async (_, change, verified) => {
    expect(verifiedOf(await afterChange(change))).toEqual({ a: true, ...verified });
  });

  it('when it is listed twice', async () => {
    const hops = await afterChange((reported) => {
      reported.push({ ...hopTo(reported, 'c'), spanId: 'b'.repeat(16) });
    });
    expect(hops.filter(({ to }) => to === 'c').map(({ verified }) => verified)).toEqual([true, false]);
  });

  it('when an error is reported as an answer', async () => {
    const refuses: Librarian = async () => ({ error: { code: 'NOT_FOUND', message: 'Cannot find it' } });
    const liar: ServedLibrarian = {
      forRequest:
        ({ delegates, context }) =>
        async () => {
          await delegates.ask([{ to: 'b' }]);
          const hops = delegates.trace().hops.map((hop) => ({ ...hop, outcome: 'answer' as const }));
          delegates.trace = () => ({ traceId: context.traceId, hops });
          return { answer: 'x' };
        },
    };
    const { ask } = await network({ a: liar, b: refuses });
    expect(verifiedOf((await ask([{ to: 'a' }])).trace.hops)).toEqual({ a: true, b: false });
  });

  it('and then brings no proof along', async () => {
    const hops = await afterChange((reported) => {
      hopTo(reported, 'c').spanId = 'b'.repeat(16);
    });
    expect([hopTo(hops, 'b'), hopTo(hops, 'c')].map(({ receipt, link }) => [typeof receipt, typeof link])).toEqual([
      ['string', 'string'],
      ['undefined', 'undefined'],
    ]);
  });

  /** Asks b for the first question it gets, and reports that trace ever after. */
  const repeating = (): ServedLibrarian => {
    let kept: { hops: readonly TraceHop[]; receipts: string[] } | undefined;
    return {
      forRequest:
        ({ delegates, context }) =>
        async () => {
          if (kept === undefined) {
            await delegates.ask([{ to: 'b' }]);
            kept = { hops: delegates.trace().hops, receipts: delegates.receipts() };
            return { answer: 'x' };
          }
          const { hops, receipts } = kept;
          const repeated = hops.map((hop) => ({ ...hop, parentSpanId: context.spanId }));
          delegates.trace = () => ({ traceId: context.traceId, hops: repeated });
          delegates.receipts = () => receipts;
          delegates.usage = () => ({ calls: 1 });
          return { answer: 'x' };
        },
    };
  };

  it('when its receipt is from an earlier question, in one branch or in two', async () => {
    const { ask, arrivals } = await network({ a: repeating(), b: says('b') });
    expect(verifiedOf((await ask([{ to: 'a' }])).trace.hops)).toEqual({ a: true, b: true });
    const { trace } = await ask([{ to: 'a' }, { to: 'a' }], userContext({ workspace: 'other' }));
    expect(said(trace.hops)).toEqual([
      ['gateway', 'a', 'answer', true],
      ['a', 'b', 'answer', false],
      ['gateway', 'a', 'answer', true],
      ['a', 'b', 'answer', false],
    ]);
    expect(arrivals.filter(({ to }) => to === 'b').length).toBe(1);
  });

  it('when its receipt is from another branch of the same question', async () => {
    const { gateway } = await network({ a: repeating(), b: says('b') });
    const delegates = gateway();
    await delegates.ask([{ to: 'a' }]);
    await delegates.ask([{ to: 'a' }]);
    expect(delegates.trace().hops.map(({ to, verified }) => [to, verified])).toEqual([
      ['a', true],
      ['b', true],
      ['a', true],
      ['b', false],
    ]);
  });

  it('when a link was made for a receipt of another call', async () => {
    const { signer } = await identityFrom({ ENVIRONMENT: 'development' }, 'a');
    let kept: { hop: TraceHop; receipts: string[] } | undefined;
    const liar: ServedLibrarian = {
      forRequest:
        ({ delegates, context }) =>
        async () => {
          if (kept === undefined) {
            await delegates.ask([{ to: 'b' }]);
            kept = { hop: hopTo([...delegates.trace().hops], 'b'), receipts: delegates.receipts() };
            return { answer: 'x' };
          }
          const { claims } = readJws(kept.hop.link ?? '', 'ctx+jwt');
          const link = await signJws({ ...claims, prv: context.linkHash }, { typ: 'ctx+jwt', signer });
          const forged = [{ ...kept.hop, parentSpanId: context.spanId, link }];
          const { receipts } = kept;
          delegates.trace = () => ({ traceId: context.traceId, hops: forged });
          delegates.receipts = () => receipts;
          return { answer: 'x' };
        },
    };
    const { ask } = await network({ a: liar, b: says('b') });
    expect(verifiedOf((await ask([{ to: 'a' }])).trace.hops)).toEqual({ a: true, b: true });
    expect(verifiedOf((await ask([{ to: 'a' }])).trace.hops)).toEqual({ a: true, b: false });
  });

  it('and costs no signature where it cannot fit', async () => {
    const verify = vi.spyOn(crypto.subtle, 'verify');
    const countOf = async (change: (hops: TraceHop[]) => void) => {
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
  const flooding =
    (from: string): Librarian =>
    async (_, context) => {
      const hops = Array.from({ length: 64 }, () => ({ ...invented('z'), from }));
      return { answer: 'x', metadata: { trace: { traceId: context?.trace?.traceId, hops } } };
    };

  it('displaces none of another branch', async () => {
    const { ask } = await network({
      m: flooding('m'),
      a: handsOnTo('b', 'c'),
      b: says('b'),
      c: says('c'),
      d: says('d'),
    });
    const { trace } = await ask([{ to: 'm' }, { to: 'a' }, { to: 'd' }]);
    expect(trace.hops.length).toBe(64);
    expect(said(trace.hops.filter(({ from }) => from !== 'm'))).toEqual([
      ['gateway', 'm', 'answer', true],
      ['gateway', 'a', 'answer', true],
      ['a', 'b', 'answer', true],
      ['a', 'c', 'answer', true],
      ['gateway', 'd', 'answer', true],
    ]);
  });

  it('shares the room with another that does', async () => {
    const { ask } = await network({ m: flooding('m'), n: flooding('n') });
    const { trace } = await ask([{ to: 'm' }, { to: 'n' }]);
    expect(['m', 'n'].map((id) => trace.hops.filter(({ from }) => from === id).length)).toEqual([31, 31]);
  });

  it('adds none that says it was asked here', async () => {
    const { ask } = await network({ m: flooding('gateway') });
    expect(said((await ask([{ to: 'm' }])).trace.hops)).toEqual([['gateway', 'm', 'answer', true]]);
  });
});

describe('librarians on the way', () => {
  it('pass nested hops on unverified, with the proofs for the origin', async () => {
    const seen: LibrarianResponse[] = [];
    const { ask } = await network(
      { a: handsOnTo('b'), b: handsOnTo('c'), c: says('x') },
      {
        tamper: async (to, _request, pass) => {
          const response = await pass();
          if (to === 'a') seen.push(await response.clone().json());
          return response;
        },
      },
    );
    await ask([{ to: 'a' }]);
    const trace = DelegationTrace.parse(seen[0]?.metadata?.trace);
    expect(said(trace.hops)).toEqual([
      ['a', 'b', 'answer', true],
      ['b', 'c', 'answer', false],
    ]);
    expect(trace.hops.map(({ receipt, link }) => [typeof receipt, typeof link])).toEqual([
      ['string', 'string'],
      ['string', 'string'],
    ]);
  });

  it('vouch for nothing that was made up below them', async () => {
    const liar: Librarian = async (_, context) => {
      const { traceId, spanId } = context?.trace ?? {};
      return { answer: 'x', metadata: { trace: { traceId, hops: [{ ...invented('payments', spanId), from: 'b' }] } } };
    };
    const { client } = await network({ a: handsOnTo('b'), b: liar });
    const request = { to: 'a', path: '/librarians/a/ask', body: { query: 'Where is the key?' } };
    const answer = await client.call(userContext(), request);
    const { metadata } = LibrarianResponse.parse(answer.ok ? answer.json() : undefined);
    expect(said(DelegationTrace.parse(metadata?.trace).hops)).toEqual([
      ['a', 'b', 'answer', true],
      ['b', 'payments', 'answer', false],
    ]);
  });
});

const invented = (to: string, parentSpanId?: string): TraceHop => ({
  spanId: 'a'.repeat(16),
  ...(parentSpanId === undefined ? {} : { parentSpanId }),
  from: 'a',
  to,
  durationMs: 1,
  outcome: 'answer',
  attempts: 1,
  verified: true,
});
