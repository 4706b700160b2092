import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AIClient, Librarian } from '../../src/contract/librarian.ts';
import { userContext } from '../runtime/neighbours.ts';
import { network, type Tamper } from './network.ts';

/** What a librarian does that gets the number of this step: it has its model write, asks others, and writes again. */
interface Step {
  before: number[];
  asks: { to: string; fallback: string | undefined; step: number }[];
  after: number[];
  fails: boolean;
}

const IDS = ['a', 'b', 'c', 'd', 'e', 'f'];
const STEPS = 5;
const id = fc.constantFrom(...IDS);
/** Tokens asked for, of calls that run side by side. */
const writing = fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 3 });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    before: writing,
    asks: fc.array(
      fc.record({ to: id, fallback: fc.option(id, { nil: undefined }), step: fc.nat({ max: STEPS - 1 }) }),
      { maxLength: 4 },
    ),
    after: writing,
    fails: fc.boolean(),
  }),
  { minLength: STEPS, maxLength: STEPS },
);

const requestsOf = (step: Step | undefined) =>
  (step?.asks ?? []).map(({ to, fallback, step }) => ({
    to,
    context: { step },
    ...(fallback === undefined ? {} : { fallback }),
  }));

const PRICE = { inputPerMillion: 3, outputPerMillion: 7 };

/** Writes all that it may, counts as many tokens of input as there are letters at most, and adds up what it really took. */
const meteredModel = () => {
  const taken = { tokens: 0, micros: 0 };
  const ai: AIClient = {
    model: 'm-1',
    complete: async (messages, { maxTokens = 0 } = {}) => {
      const inputTokens = messages.reduce((sum, { content }) => sum + Math.ceil(content.length / 2), 0);
      const micros = inputTokens * PRICE.inputPerMillion + maxTokens * PRICE.outputPerMillion;
      taken.tokens += inputTokens + maxTokens;
      taken.micros += micros;
      return { text: 'x', usage: { inputTokens, outputTokens: maxTokens }, costUsd: micros / 1_000_000 };
    },
  };
  return { ai, taken };
};

const librariansOf = (plan: Step[]) => {
  const acts = {
    forRequest:
      ({ delegates }: { delegates: { ask(requests: ReturnType<typeof requestsOf>): Promise<unknown> } }): Librarian =>
      async (_, context) => {
        const step = plan[Number(context?.metadata?.step)];
        const write = (amounts: number[] = []) =>
          Promise.allSettled(
            amounts.map((maxTokens) => context?.ai?.complete([{ role: 'user', content: 'Where?' }], { maxTokens })),
          );
        await write(step?.before);
        // What it writes while the others are asked is a part of the same budget.
        await Promise.all([delegates.ask(requestsOf(step)), write(step?.after)]);
        await write(step?.after);
        return step?.fails === true ? { error: { code: 'SERVICE_UNAVAILABLE', message: 'Not now' } } : { answer: 'x' };
      },
  };
  return Object.fromEntries(IDS.map((each) => [each, acts]));
};

/** Loses the answer of every n-th call. */
const losing = (every: number): Tamper => {
  let count = 0;
  return async (_to, _request, pass) => {
    const response = await pass();
    count += 1;
    if (every > 0 && count % (every + 1) === 0) throw new TypeError('connection lost');
    return response;
  };
};

describe('T24, for models', () => {
  it('no tree of honest librarians takes more tokens or money than its root was granted', async () => {
    let spenders = 0;
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.nat({ max: 20_000 }),
        fc.nat({ max: 60_000 }),
        fc.nat({ max: 4 }),
        async (plan, tokens, micros, lost) => {
          const { ai, taken } = meteredModel();
          const options = { ai, aiPrice: PRICE };
          const { gateway } = await network(librariansOf(plan), { tamper: losing(lost), options });
          const delegates = gateway(userContext({ budgets: { tokens, cost_micros: micros } }));
          await delegates.ask(requestsOf(plan[0]).slice(0, 2));
          await delegates.ask(requestsOf(plan[0]).slice(2));
          const told = delegates.usage();
          expect(taken.tokens).toBeLessThanOrEqual(told.tokens ?? -1);
          expect(Math.ceil(taken.micros)).toBeLessThanOrEqual(told.cost_micros ?? -1);
          expect(told.tokens).toBeLessThanOrEqual(tokens);
          expect(told.cost_micros).toBeLessThanOrEqual(micros);
          // Where nothing is lost, receipts tell exactly what was taken.
          if (lost === 0)
            expect(delegates.verifiedUsage()).toEqual({ tokens: taken.tokens, cost_micros: taken.micros });
          if (taken.tokens > 0) spenders += 1;
        },
      ),
      { numRuns: 60, seed: 20_261_121 },
    );
    expect(spenders).toBeGreaterThan(20);
  }, 60_000);
});
