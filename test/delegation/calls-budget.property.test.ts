import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DelegateRequest } from '../../src/contract/delegate-request.ts';
import type { Librarian } from '../../src/contract/librarian.ts';
import { covers } from '../../src/runtime/capabilities.ts';
import { readJws } from '../../src/runtime/compact-jws.ts';
import { DEFAULT_CALLS } from '../../src/runtime/limits.ts';
import { userContext } from '../runtime/neighbours.ts';
import { type Arrival, network, type Tamper } from './network.ts';

/** What a librarian does that gets the number of this step: it asks, and each of them goes on at another step. */
interface Step {
  asks: { to: string; fallback: string | undefined; step: number }[];
  fails: boolean;
}

const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
const STEPS = 6;
const id = fc.constantFrom(...IDS);

/** Steps may lead back to one another, so that only the bounds end the way. */
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    asks: fc.array(
      fc.record({ to: id, fallback: fc.option(id, { nil: undefined }), step: fc.nat({ max: STEPS - 1 }) }),
      { maxLength: 9 },
    ),
    fails: fc.boolean(),
  }),
  { minLength: STEPS, maxLength: STEPS },
);

const requestsOf = (step: Step | undefined): DelegateRequest[] =>
  (step?.asks ?? []).map(({ to, fallback, step }) => ({
    to,
    context: { step },
    ...(fallback === undefined ? {} : { fallback }),
  }));

const librariansOf = (plan: Step[]) => {
  const acts: Librarian = async (_, context) => {
    const step = plan[Number(context?.metadata?.step)];
    const requests = requestsOf(step).slice(0, 8);
    if (requests.length > 0) return { delegate: requests };
    return step?.fails === true ? { error: { code: 'SERVICE_UNAVAILABLE', message: 'Not now' } } : { answer: 'x' };
  };
  return Object.fromEntries(IDS.map((each) => [each, acts]));
};

describe('T24', () => {
  it('no tree of questions leads to more calls than its root paid for, and no bound ever grows', async () => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.nat({ max: 40 }),
        fc.boolean(),
        fc.nat({ max: 5 }),
        async (plan, calls, named, lost) => {
          const { gateway, arrivals } = await network(librariansOf(plan), { tamper: losing(lost) });
          const budgets: Record<string, number> = named ? { calls, tokens: 1000 } : { tokens: 1000 };
          const delegates = gateway(userContext({ budgets, capabilities: ['kb:*', 'sql:read'] }));
          const half = requestsOf(plan[0]).slice(0, 4);
          await delegates.ask(half);
          await delegates.ask(requestsOf(plan[0]).slice(4));
          const total = named ? calls : DEFAULT_CALLS;
          expect(arrivals.length).toBeLessThanOrEqual(total);
          expect(delegates.usage().calls).toBeLessThanOrEqual(total);
          expect(delegates.usage().calls).toBeGreaterThanOrEqual(arrivals.length);
          arrivals.forEach(expectShrinking);
        },
      ),
      { numRuns: 25, seed: 20_261_121 },
    );
  }, 60_000);

  it('what a receipt says is used is what was called below, where nothing is lost on the way', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (plan) => {
        const used: { to: string; use: number }[] = [];
        const noting: Tamper = async (to, _request, pass) => {
          const response = await pass();
          const { claims } = readJws(response.headers.get('Context-Receipt') ?? '', 'ctx-receipt+jwt');
          used.push({ to, use: (claims.use as { calls?: number }).calls ?? -1 });
          return response;
        };
        const { gateway, arrivals } = await network(librariansOf(plan), { tamper: noting });
        const delegates = gateway();
        await delegates.ask(requestsOf(plan[0]));
        expect(delegates.usage().calls).toBe(arrivals.length);
        expect(used.every(({ use }) => use >= 0)).toBe(true);
        expect(delegates.receipts().length).toBeLessThanOrEqual(16);
      }),
      { numRuns: 15, seed: 20_261_121 },
    );
  }, 60_000);
});

/** Loses the answer of every n-th call, so that retries and fallbacks have to be paid for. */
const losing = (every: number): Tamper => {
  let count = 0;
  return async (_to, _request, pass) => {
    const response = await pass();
    count += 1;
    if (every > 0 && count % (every + 1) === 0) throw new TypeError('connection lost');
    return response;
  };
};

const expectShrinking = ({ links }: Arrival) => {
  let { exp, max, cap, bud } = links[0];
  for (const link of links.slice(1)) {
    expect(link.exp).toBeLessThanOrEqual(exp);
    expect(link.max ?? max).toBeLessThanOrEqual(max);
    expect((link.cap ?? cap).every((each: string) => covers(cap, each))).toBe(true);
    for (const [name, amount] of Object.entries<number>(link.bud ?? {})) expect(amount).toBeLessThanOrEqual(bud[name]);
    if (bud.calls !== undefined) expect(link.bud?.calls).toBeLessThan(bud.calls);
    ({ exp, max, cap, bud } = { exp: link.exp, max: link.max ?? max, cap: link.cap ?? cap, bud: link.bud ?? bud });
  }
};
