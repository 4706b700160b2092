import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AIClient, Librarian } from '../../../src/contract/core/librarian.ts';
import type { DelegateRequest } from '../../../src/contract/core/response.ts';
import { serveLibrarian } from '../../../src/librarians/serve/serve-librarian.ts';
import { covers } from '../../../src/platform/context/capabilities.ts';
import { readJws } from '../../../src/platform/context/compact-jws.ts';
import { identityFrom } from '../../../src/platform/context/identity.ts';
import { DEFAULT_CALLS, requestBudget } from '../../../src/platform/context/limits.ts';
import { userContext } from '../../platform/context/callers.ts';
import {
  type Arrival,
  askOnce,
  delegatesTo,
  fails,
  network,
  says,
  type Tamper,
} from './network.ts';

type ServedLibrarian = Parameters<typeof serveLibrarian>[0];

/** The budgets by target; the order in which parallel calls are signed is undefined. */
const granted = (arrivals: Arrival[], name: string) =>
  arrivals
    .toSorted((one, other) => one.to.localeCompare(other.to))
    .map(({ links }) => links.at(-1).bud[name]);
const toAll = (...ids: string[]) => ids.map((to) => ({ to }));

it.each<[string, Record<string, number>, Record<string, number>]>([
  [
    'neither tokens nor cost has a default of both',
    { calls: 3 },
    { tokens: 30_000, cost_micros: 100_000 },
  ],
  [
    'tokens alone has no limit of cost',
    { tokens: 900_000 },
    { tokens: 900_000, cost_micros: Number.POSITIVE_INFINITY },
  ],
])('a context of another librarian that limits %s', (_, budgets, limits) => {
  const budget = requestBudget({ budgets, caller: 'partner.weather' });
  expect({ tokens: budget.left('tokens'), cost_micros: budget.left('cost_micros') }).toEqual(
    limits,
  );
});

describe('the budget of calls', () => {
  it.each<[string, Record<string, number>, DelegateRequest[], number[]]>([
    [
      'is divided after paying for each call, with one for a retry',
      { calls: 23 },
      toAll('b', 'c', 'd'),
      [6, 6, 5],
    ],
    ['is 24 if the context names none', {}, toAll('a'), [22]],
    ['reserves half for the fallback', { calls: 9 }, [{ to: 'a', fallback: 'b' }], [4, 6]],
  ])('%s', async (_, budgets, requests, expected) => {
    const librarians = { a: fails('NOT_FOUND'), b: says('b'), c: says('c'), d: says('d') };
    const { arrivals, delegates } = await askOnce(librarians, requests, { context: { budgets } });
    expect([granted(arrivals, 'calls'), delegates.usage().calls]).toEqual([
      expected,
      expected.length,
    ]);
  });
  it('refuses and does not send questions beyond it', async () => {
    const context = { budgets: { calls: 3 } };
    const asked = await askOnce({ a: says('a') }, toAll('a', 'a', 'a', 'a'), { context });
    expect(asked.codes).toEqual([undefined, undefined, undefined, 'DELEGATION_FAILED']);
    const message = expect.stringContaining('used up');
    expect(asked.responses[3]?.error).toMatchObject({ recoverable: false, message });
    const { arrivals, trace } = asked;
    expect([arrivals.length, granted(arrivals, 'calls'), trace.hops[3]?.attempts]).toEqual([
      3,
      [0, 0, 0],
      0,
    ]);
  });
  it('is refunded the unused part of a receipt', async () => {
    const { gateway, arrivals } = await network({
      a: says('a'),
      b: delegatesTo('c'),
      c: says('c'),
    });
    const delegates = gateway(userContext({ budgets: { calls: 4 } }));
    const outcomes: (string | undefined)[] = [];
    for (const to of ['a', 'b', 'a', 'a']) {
      const [branch] = await delegates.ask([{ to }]);
      outcomes.push(branch?.response.answer ?? branch?.response.error?.code);
    }
    expect(outcomes).toEqual(['a', 'c', 'a', 'DELEGATION_FAILED']);
    expect([arrivals.length, delegates.usage()]).toEqual([4, { calls: 4 }]);
  });
  it('is refunded everything granted to a target that refuses the call', async () => {
    const { gateway, apps, variables } = await network({ a: says('x') });
    const own = { ...(await identityFrom(variables, 'a')), log: () => undefined };
    const delegates = gateway();
    for (const [at, refusing] of [{ capabilities: ['sql:read'] }, { callers: ['b'] }].entries()) {
      const { callers, ...rights } = { callers: undefined, ...refusing };
      apps.set(
        'a',
        serveLibrarian(says('x'), { id: 'a', name: 'A', ...rights }, { ...own, callers }),
      );
      expect(await delegates.ask([{ to: 'a' }])).toMatchObject([
        { response: { error: { code: 'UNAUTHORIZED' } } },
      ]);
      expect(delegates.usage()).toEqual({ calls: at + 1, tokens: 0 });
    }
  });
});

describe('the budgets of models', () => {
  const LIMITS = { calls: 24, tokens: 3001, cost_micros: 100 };
  /** Asks librarians with a model of which every call takes 200 tokens and 20 millionths of a dollar. */
  const ask = (
    librarians: Record<string, ServedLibrarian>,
    requests: DelegateRequest[] = toAll('a'),
    budgets: Record<string, number> = LIMITS,
  ) => {
    const reply = {
      text: 'Under the mat.',
      usage: { inputTokens: 190, outputTokens: 10 },
      costUsd: 0.00002,
    };
    const ai = { model: 'm-1', complete: async () => reply };
    return askOnce(librarians, requests, { options: { ai }, context: { budgets } });
  };

  /** Answers with a model, or reports that there is none. */
  const writes: Librarian = async (query, context) => {
    const written = await context?.ai
      ?.complete([{ role: 'user', content: query }])
      .catch(() => undefined);
    return { answer: written?.text ?? 'No model.', confidence: 0.9 };
  };
  const writesThen =
    (librarian: Librarian): Librarian =>
    async (query, context) => {
      await writes(query, context);
      return librarian(query, context);
    };

  const all = { a: writes, b: writes, c: says('c') };
  const withOwn = { ...all, a: writesThen(delegatesTo('b', 'c')) };
  const failing = { ...all, a: writesThen(fails('NOT_FOUND')) };
  const FALLBACK = [{ to: 'a', fallback: 'b' }];
  it.each<
    [string, typeof all, DelegateRequest[], Record<string, number>, (number | undefined)[], number]
  >([
    ['are divided among the branches', all, toAll('a', 'b', 'c'), LIMITS, [1001, 1000, 1000], 400],
    ['have no entry if the origin names none', all, toAll('a'), { calls: 5 }, [undefined], 200],
    ['are passed on minus own usage', withOwn, toAll('a'), LIMITS, [3001, 1401, 1400], 400],
    [
      'are 0 if nothing is left, which suffices',
      withOwn,
      toAll('a'),
      { tokens: 200 },
      [200, 0, 0],
      200,
    ],
    [
      'leave half for the fallback, and the rest of the other half',
      failing,
      FALLBACK,
      LIMITS,
      [1500, 2801],
      400,
    ],
  ])(
    '%s, and the receipts report the usage',
    async (_, librarians, requests, budgets, tokens, used) => {
      const { arrivals, delegates, codes } = await ask(librarians, requests, budgets);
      expect(granted(arrivals, 'tokens')).toEqual(tokens);
      expect([delegates.usage().tokens, delegates.verifiedUsage().tokens]).toEqual([used, used]);
      expect(codes.filter((code) => code !== undefined)).toEqual([]);
    },
  );
  it('are refunded what was not used', async () => {
    const { arrivals, delegates } = await ask(all, toAll('a', 'b', 'c'));
    expect(granted(arrivals, 'cost_micros')).toEqual([34, 33, 33]);
    expect(delegates.usage()).toEqual({ calls: 3, tokens: 400, cost_micros: 40 });
    await delegates.ask(toAll('c'));
    expect(arrivals.at(-1)?.links[0].bud).toMatchObject({ tokens: 2601, cost_micros: 60 });
  });
  it('count as spent without a receipt, and none of it is verified', async () => {
    const tamper = () => new Response('{"answer":"x"}');
    const { delegates } = await askOnce({ a: says('x') }, undefined, {
      tamper,
      context: { budgets: LIMITS },
    });
    expect(delegates.usage()).toEqual({ calls: 23, tokens: 3001, cost_micros: 100 });
    expect(delegates.verifiedUsage()).toEqual({ tokens: 0, cost_micros: 0 });
  });
  it('are not used by a call that is never sent', async () => {
    const { delegates, codes } = await ask({ a: says('x') }, toAll('unknown'));
    expect([codes, delegates.usage()]).toEqual([
      ['DELEGATION_FAILED'],
      { calls: 0, tokens: 0, cost_micros: 0 },
    ]);
  });
});

describe('T24', () => {
  /** What a librarian does at this step: it writes with a model, and asks others, each of which continues at another step. */
  interface Step {
    asks: { to: string; fallback: string | undefined; step: number }[];
    fails: boolean;
    before: number[];
    after: number[];
  }
  const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
  /** Tokens asked for by calls in parallel, before and after a librarian asks others. */
  const writing = fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 3 });
  /** Steps may lead back to one another, so that only the bounds end them. */
  const stepsOf = (
    ids: readonly string[],
    { count, maxAsks }: { count: number; maxAsks: number },
  ) => {
    const id = fc.constantFrom(...ids);
    const ask = fc.record({
      to: id,
      fallback: fc.option(id, { nil: undefined }),
      step: fc.nat({ max: count - 1 }),
    });
    const asks = fc.array(ask, { maxLength: maxAsks });
    const step = fc.record({ asks, fails: fc.boolean(), before: writing, after: writing });
    return fc.array(step, { minLength: count, maxLength: count });
  };
  const requestsOf = (step: Step | undefined): DelegateRequest[] =>
    (step?.asks ?? []).map(({ to, fallback, step }) => ({
      to,
      context: { step },
      ...(fallback === undefined ? {} : { fallback }),
    }));
  const endOf = (step: Step | undefined) =>
    step?.fails === true
      ? { error: { code: 'SERVICE_UNAVAILABLE' as const, message: 'Not now' } }
      : { answer: 'x' };

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

  const callSteps = stepsOf(IDS, { count: 6, maxAsks: 9 });
  const delegating = (plan: Step[]): Record<string, Librarian> => {
    const librarian: Librarian = async (_, context) => {
      const step = plan[Number(context?.metadata?.step)];
      const requests = requestsOf(step).slice(0, 8);
      return requests.length > 0 ? { delegate: requests } : endOf(step);
    };
    return Object.fromEntries(IDS.map((id) => [id, librarian]));
  };

  const expectShrinking = ({ links }: Arrival) => {
    let { exp, max, cap, bud } = links[0];
    for (const link of links.slice(1)) {
      expect(link.exp).toBeLessThanOrEqual(exp);
      expect(link.max ?? max).toBeLessThanOrEqual(max);
      expect((link.cap ?? cap).every((each: string) => covers(cap, each))).toBe(true);
      for (const [name, amount] of Object.entries<number>(link.bud ?? {}))
        expect(amount).toBeLessThanOrEqual(bud[name] ?? amount);
      if (bud.calls !== undefined) expect(link.bud?.calls).toBeLessThan(bud.calls);
      ({ exp, max, cap, bud } = {
        exp: link.exp,
        max: link.max ?? max,
        cap: link.cap ?? cap,
        bud: link.bud ?? bud,
      });
    }
  };

  it('no tree of questions makes more calls than its root was granted, and no limit grows', async () => {
    const calls = fc.option(fc.nat({ max: 40 }), { nil: undefined, freq: 2 });
    const isBounded = fc.asyncProperty(
      callSteps,
      calls,
      fc.nat({ max: 5 }),
      async (plan, calls, lost) => {
        const { gateway, arrivals } = await network(delegating(plan), { tamper: losing(lost) });
        const budgets: Record<string, number> = {
          tokens: 1000,
          ...(calls === undefined ? {} : { calls }),
        };
        const delegates = gateway(userContext({ budgets, capabilities: ['kb:*', 'sql:read'] }));
        await delegates.ask(requestsOf(plan[0]).slice(0, 4));
        await delegates.ask(requestsOf(plan[0]).slice(4));
        expect(delegates.usage().calls).toBeLessThanOrEqual(calls ?? DEFAULT_CALLS);
        expect(delegates.usage().calls).toBeGreaterThanOrEqual(arrivals.length);
        arrivals.forEach(expectShrinking);
      },
    );
    await fc.assert(isBounded, { numRuns: 25, seed: 20_261_121 });
  });
  it('a receipt reports exactly the calls below it when no answer is lost', async () => {
    const isReported = fc.asyncProperty(callSteps, async (plan) => {
      const reported: (number | undefined)[] = [];
      const recording: Tamper = async (_to, _request, pass) => {
        const response = await pass();
        const { claims } = readJws(
          response.headers.get('Context-Receipt') ?? '',
          'ctx-receipt+jwt',
        );
        reported.push((claims.use as { calls?: number }).calls);
        return response;
      };
      const asked = await askOnce(delegating(plan), requestsOf(plan[0]), { tamper: recording });
      expect(asked.delegates.usage().calls).toBe(asked.arrivals.length);
      expect(reported).not.toContain(undefined);
      expect(asked.delegates.receipts().length).toBeLessThanOrEqual(16);
    });
    await fc.assert(isReported, { numRuns: 15, seed: 20_261_121 });
  });

  const PRICE = { inputPerMillion: 3, outputPerMillion: 7 };
  /** Writes as much as allowed, counts an upper bound of input tokens, and sums the actual usage. */
  const meteredModel = () => {
    const used = { tokens: 0, cost_micros: 0 };
    const complete: AIClient['complete'] = async (messages, { maxTokens = 0 } = {}) => {
      const inputTokens = messages.reduce(
        (sum, { content }) => sum + Math.ceil(content.length / 2),
        0,
      );
      const micros = inputTokens * PRICE.inputPerMillion + maxTokens * PRICE.outputPerMillion;
      used.tokens += inputTokens + maxTokens;
      used.cost_micros += micros;
      return {
        text: 'x',
        usage: { inputTokens, outputTokens: maxTokens },
        costUsd: micros / 1_000_000,
      };
    };
    return { ai: { model: 'm-1', complete }, used };
  };

  const writingIds = IDS.slice(0, 6);
  const writingAndAsking = (plan: Step[]): Record<string, ServedLibrarian> => {
    const librarian: ServedLibrarian = {
      forRequest: (parts) => async (_, context) => {
        const step = plan[Number(context?.metadata?.step)];
        const write = (amounts: number[] = []) =>
          Promise.allSettled(
            amounts.map((maxTokens) =>
              context?.ai?.complete([{ role: 'user', content: 'Where?' }], { maxTokens }),
            ),
          );
        await write(step?.before);
        // Model calls during delegation use the same budget.
        await Promise.all([parts.delegates.ask(requestsOf(step)), write(step?.after)]);
        await write(step?.after);
        return endOf(step);
      },
    };
    return Object.fromEntries(writingIds.map((id) => [id, librarian]));
  };

  it('no tree of honest librarians uses more tokens or money than its root was granted', async () => {
    let spenders = 0;
    const limits = fc.record({
      tokens: fc.nat({ max: 20_000 }),
      cost_micros: fc.nat({ max: 60_000 }),
    });
    const steps = stepsOf(writingIds, { count: 5, maxAsks: 4 });
    const isBounded = fc.asyncProperty(
      steps,
      limits,
      fc.nat({ max: 4 }),
      async (plan, budgets, lost) => {
        const { ai, used } = meteredModel();
        const options = { tamper: losing(lost), options: { ai, aiPrice: PRICE } };
        const { gateway } = await network(writingAndAsking(plan), options);
        const delegates = gateway(userContext({ budgets }));
        await delegates.ask(requestsOf(plan[0]).slice(0, 2));
        await delegates.ask(requestsOf(plan[0]).slice(2));
        const reported = delegates.usage();
        for (const name of ['tokens', 'cost_micros'] as const) {
          expect(Math.ceil(used[name])).toBeLessThanOrEqual(reported[name] ?? -1);
          expect(reported[name]).toBeLessThanOrEqual(budgets[name]);
        }
        // If nothing is lost, receipts report exactly what was used.
        if (lost === 0) expect(delegates.verifiedUsage()).toEqual(used);
        if (used.tokens > 0) spenders += 1;
      },
    );
    await fc.assert(isBounded, { numRuns: 60, seed: 20_261_121 });
    expect(spenders).toBeGreaterThan(20);
  });
});
