import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AIClient, Librarian } from '../../src/contract/librarian.ts';
import type { DelegateRequest } from '../../src/contract/response.ts';
import type { ServedLibrarian } from '../../src/runtime/serve-librarian.ts';
import { covers } from '../../src/signing/capabilities.ts';
import { readJws } from '../../src/signing/compact-jws.ts';
import { DEFAULT_CALLS } from '../../src/signing/limits.ts';
import { userContext } from '../signing/callers.ts';
import { type Arrival, network, type Tamper } from './network.ts';

/** What a librarian does at this step: it asks others, each of which continues at another step. */
interface Step {
  asks: { to: string; fallback: string | undefined; step: number }[];
  fails: boolean;
}

/** Steps may lead back to one another, so that only the bounds end them. */
const stepsOf = (ids: readonly string[], { count, maxAsks }: { count: number; maxAsks: number }) => {
  const id = fc.constantFrom(...ids);
  const ask = fc.record({ to: id, fallback: fc.option(id, { nil: undefined }), step: fc.nat({ max: count - 1 }) });
  const asks = fc.array(ask, { maxLength: maxAsks });
  return fc.array(fc.record({ asks, fails: fc.boolean() }), { minLength: count, maxLength: count });
};

const requestsOf = (step: Step | undefined): DelegateRequest[] =>
  (step?.asks ?? []).map(({ to, fallback, step }) => ({
    to,
    context: { step },
    ...(fallback === undefined ? {} : { fallback }),
  }));

const UNAVAILABLE = { error: { code: 'SERVICE_UNAVAILABLE' as const, message: 'Not now' } };

/** Loses the answer of every n-th call, so that retries and fallbacks need budget. */
const losing = (every: number): Tamper => {
  let count = 0;
  return async (_to, _request, pass) => {
    const response = await pass();
    count += 1;
    if (every > 0 && count % (every + 1) === 0) throw new TypeError('connection lost');
    return response;
  };
};

const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
const callSteps = stepsOf(IDS, { count: 6, maxAsks: 9 });

const delegating = (plan: Step[]): Record<string, Librarian> => {
  const librarian: Librarian = async (_, context) => {
    const step = plan[Number(context?.metadata?.step)];
    const requests = requestsOf(step).slice(0, 8);
    if (requests.length > 0) return { delegate: requests };
    return step?.fails === true ? UNAVAILABLE : { answer: 'x' };
  };
  return Object.fromEntries(IDS.map((id) => [id, librarian]));
};

describe('T24, for calls', () => {
  it('no tree of questions makes more calls than its root was granted, and no limit grows', async () => {
    const granted = fc.option(fc.nat({ max: 40 }), { nil: undefined, freq: 2 });
    const isBounded = fc.asyncProperty(callSteps, granted, fc.nat({ max: 5 }), async (plan, calls, lost) => {
      const { gateway, arrivals } = await network(delegating(plan), { tamper: losing(lost) });
      const budgets: Record<string, number> = { tokens: 1000, ...(calls === undefined ? {} : { calls }) };
      const delegates = gateway(userContext({ budgets, capabilities: ['kb:*', 'sql:read'] }));
      await delegates.ask(requestsOf(plan[0]).slice(0, 4));
      await delegates.ask(requestsOf(plan[0]).slice(4));
      expect(delegates.usage().calls).toBeLessThanOrEqual(calls ?? DEFAULT_CALLS);
      expect(delegates.usage().calls).toBeGreaterThanOrEqual(arrivals.length);
      arrivals.forEach(expectShrinking);
    });
    await fc.assert(isBounded, { numRuns: 25, seed: 20_261_121 });
  });

  it('a receipt reports exactly the calls below it when no answer is lost', async () => {
    const isReported = fc.asyncProperty(callSteps, async (plan) => {
      const reported: number[] = [];
      const recording: Tamper = async (_to, _request, pass) => {
        const response = await pass();
        const { claims } = readJws(response.headers.get('Context-Receipt') ?? '', 'ctx-receipt+jwt');
        reported.push((claims.use as { calls?: number }).calls ?? -1);
        return response;
      };
      const { gateway, arrivals } = await network(delegating(plan), { tamper: recording });
      const delegates = gateway();
      await delegates.ask(requestsOf(plan[0]));
      expect(delegates.usage().calls).toBe(arrivals.length);
      expect(reported.filter((calls) => calls < 0)).toEqual([]);
      expect(delegates.receipts().length).toBeLessThanOrEqual(16);
    });
    await fc.assert(isReported, { numRuns: 15, seed: 20_261_121 });
  });
});

const expectShrinking = ({ links }: Arrival) => {
  let { exp, max, cap, bud } = links[0];
  for (const link of links.slice(1)) {
    expect(link.exp).toBeLessThanOrEqual(exp);
    expect(link.max ?? max).toBeLessThanOrEqual(max);
    expect((link.cap ?? cap).every((each: string) => covers(cap, each))).toBe(true);
    for (const [name, amount] of Object.entries<number>(link.bud ?? {}))
      expect(amount).toBeLessThanOrEqual(bud[name] ?? amount);
    if (bud.calls !== undefined) expect(link.bud?.calls).toBeLessThan(bud.calls);
    ({ exp, max, cap, bud } = { exp: link.exp, max: link.max ?? max, cap: link.cap ?? cap, bud: link.bud ?? bud });
  }
};

const PRICE = { inputPerMillion: 3, outputPerMillion: 7 };

/** Writes as much as allowed, counts an upper bound of input tokens, and sums the actual usage. */
const meteredModel = () => {
  const used = { tokens: 0, micros: 0 };
  const ai: AIClient = {
    model: 'm-1',
    complete: async (messages, { maxTokens = 0 } = {}) => {
      const inputTokens = messages.reduce((sum, { content }) => sum + Math.ceil(content.length / 2), 0);
      const micros = inputTokens * PRICE.inputPerMillion + maxTokens * PRICE.outputPerMillion;
      used.tokens += inputTokens + maxTokens;
      used.micros += micros;
      return { text: 'x', usage: { inputTokens, outputTokens: maxTokens }, costUsd: micros / 1_000_000 };
    },
  };
  return { ai, used };
};

/** Tokens asked for by calls in parallel, before and after a librarian asks others. */
const writing = fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 3 });
const writes = fc.array(fc.record({ before: writing, after: writing }), { minLength: 5, maxLength: 5 });
const modelSteps = fc
  .tuple(stepsOf(IDS.slice(0, 6), { count: 5, maxAsks: 4 }), writes)
  .map(([steps, written]) => steps.map((step, index) => ({ ...step, ...written[index] })));

const writingAndAsking = (
  plan: (Step & { before?: number[]; after?: number[] })[],
): Record<string, ServedLibrarian> => {
  const librarian: ServedLibrarian = {
    forRequest:
      ({ delegates }) =>
      async (_, context) => {
        const step = plan[Number(context?.metadata?.step)];
        const write = (amounts: number[] = []) =>
          Promise.allSettled(
            amounts.map((maxTokens) => context?.ai?.complete([{ role: 'user', content: 'Where?' }], { maxTokens })),
          );
        await write(step?.before);
        // Model calls during delegation use the same budget.
        await Promise.all([delegates.ask(requestsOf(step)), write(step?.after)]);
        await write(step?.after);
        return step?.fails === true ? UNAVAILABLE : { answer: 'x' };
      },
  };
  return Object.fromEntries(IDS.slice(0, 6).map((id) => [id, librarian]));
};

describe('T24, for models', () => {
  it('no tree of honest librarians uses more tokens or money than its root was granted', async () => {
    let spenders = 0;
    const granted = fc.record({ tokens: fc.nat({ max: 20_000 }), cost_micros: fc.nat({ max: 60_000 }) });
    const isBounded = fc.asyncProperty(modelSteps, granted, fc.nat({ max: 4 }), async (plan, budgets, lost) => {
      const { ai, used } = meteredModel();
      const options = { ai, aiPrice: PRICE };
      const { gateway } = await network(writingAndAsking(plan), { tamper: losing(lost), options });
      const delegates = gateway(userContext({ budgets }));
      await delegates.ask(requestsOf(plan[0]).slice(0, 2));
      await delegates.ask(requestsOf(plan[0]).slice(2));
      const reported = delegates.usage();
      expect(used.tokens).toBeLessThanOrEqual(reported.tokens ?? -1);
      expect(Math.ceil(used.micros)).toBeLessThanOrEqual(reported.cost_micros ?? -1);
      expect(reported.tokens).toBeLessThanOrEqual(budgets.tokens);
      expect(reported.cost_micros).toBeLessThanOrEqual(budgets.cost_micros);
      // If nothing is lost, receipts report exactly what was used.
      if (lost === 0) expect(delegates.verifiedUsage()).toEqual({ tokens: used.tokens, cost_micros: used.micros });
      if (used.tokens > 0) spenders += 1;
    });
    await fc.assert(isBounded, { numRuns: 60, seed: 20_261_121 });
    expect(spenders).toBeGreaterThan(20);
  });
});
