import { describe, expect, it } from 'vitest';
import type { Librarian } from '../../src/contract/librarian.ts';
import { type ServedLibrarian, serveLibrarian } from '../../src/runtime/serve-librarian.ts';
import { identityFrom } from '../../src/signing/identity.ts';
import { requestBudget } from '../../src/signing/limits.ts';
import { userContext } from '../signing/callers.ts';
import { type Arrival, chainOf, codesOf, delegatesTo, fails, network, says } from './network.ts';

/** The budgets by target; the order in which parallel calls are signed is undefined. */
const granted = (arrivals: Arrival[], name: string) =>
  arrivals.toSorted((one, other) => one.to.localeCompare(other.to)).map(({ links }) => links.at(-1).bud[name]);

describe('a context of another librarian', () => {
  it.each<[string, Record<string, number>, Record<string, number>]>([
    ['neither tokens nor cost: a default of both', { calls: 3 }, { tokens: 30_000, cost_micros: 100_000 }],
    ['tokens alone: no limit of cost', { tokens: 900_000 }, { tokens: 900_000, cost_micros: Number.POSITIVE_INFINITY }],
  ])('that limits %s', (_, budgets, limits) => {
    const budget = requestBudget({ budgets, caller: 'partner.weather' });
    expect({ tokens: budget.left('tokens'), cost_micros: budget.left('cost_micros') }).toEqual(limits);
  });
});

describe('the budget of calls', () => {
  it('is divided among the branches after paying for each call, with one reserved for a retry', async () => {
    const { ask, arrivals } = await network({ a: says('a'), b: says('b'), c: says('c') });
    const { delegates } = await ask([{ to: 'a' }, { to: 'b' }, { to: 'c' }], userContext({ budgets: { calls: 23 } }));
    expect(granted(arrivals, 'calls')).toEqual([6, 6, 5]);
    expect(delegates.usage()).toEqual({ calls: 3 });
  });

  it.each<[string, Record<string, number>, string | undefined, number[]]>([
    ['is 24 if the context names none', {}, undefined, [22]],
    ['reserves half for the fallback', { calls: 9 }, 'b', [4, 6]],
  ])('%s', async (_, budgets, fallback, expected) => {
    const { ask, arrivals } = await network({ a: fails('NOT_FOUND'), b: says('b') });
    await ask([{ to: 'a', ...(fallback === undefined ? {} : { fallback }) }], userContext({ budgets }));
    expect(granted(arrivals, 'calls')).toEqual(expected);
  });

  it('refuses and does not send questions beyond it', async () => {
    const { ask, arrivals } = await network({ a: says('a') });
    const requests = Array(4).fill({ to: 'a' });
    const { responses, trace } = await ask(requests, userContext({ budgets: { calls: 3 } }));
    expect(codesOf(responses)).toEqual([undefined, undefined, undefined, 'DELEGATION_FAILED']);
    expect(responses[3]?.error).toMatchObject({ recoverable: false, message: expect.stringContaining('used up') });
    expect([arrivals.length, granted(arrivals, 'calls'), trace.hops[3]?.attempts]).toEqual([3, [0, 0, 0], 0]);
  });

  it('is refunded the unused part of a receipt', async () => {
    const { gateway, arrivals } = await network({ a: says('a'), b: delegatesTo('c'), c: says('c') });
    const delegates = gateway(userContext({ budgets: { calls: 4 } }));
    await delegates.ask([{ to: 'a' }]);
    const [branch] = await delegates.ask([{ to: 'b' }]);
    const [last] = await delegates.ask([{ to: 'a' }]);
    expect([branch?.response.answer, last?.response.answer]).toEqual(['c', 'a']);
    expect((await delegates.ask([{ to: 'a' }]))[0]?.response.error?.code).toBe('DELEGATION_FAILED');
    expect([arrivals.length, delegates.usage()]).toEqual([4, { calls: 4 }]);
  });

  it('is refunded everything granted to a target that refuses the call', async () => {
    const { gateway, apps, variables } = await network({ a: says('x') });
    const info = { id: 'a', name: 'A', capabilities: ['sql:read'] };
    const own = { ...(await identityFrom(variables, 'a')), log: () => undefined };
    apps.set('a', serveLibrarian(says('x'), info, own));
    const delegates = gateway();
    expect(codesOf((await delegates.ask([{ to: 'a' }])).map(({ response }) => response))).toEqual(['UNAUTHORIZED']);
    expect(delegates.usage()).toEqual({ calls: 1, tokens: 0 });
    apps.set('a', serveLibrarian(says('x'), { id: 'a', name: 'A' }, { ...own, callers: ['b'] }));
    await delegates.ask([{ to: 'a' }]);
    expect(delegates.usage()).toEqual({ calls: 2, tokens: 0 });
  });

  it('suffices for a chain of eight', async () => {
    const { ask } = await network(chainOf(8));
    expect((await ask([{ to: 'h1' }])).responses).toMatchObject([{ answer: 'x' }]);
  });
});

/** Librarians with a model of which every call takes 200 tokens. */
const modelled = (librarians: Record<string, ServedLibrarian>, costUsd?: number) => {
  const reply = { text: 'Under the mat.', usage: { inputTokens: 190, outputTokens: 10 } };
  const complete = async () => ({ ...reply, ...(costUsd === undefined ? {} : { costUsd }) });
  return network(librarians, { options: { ai: { model: 'm-1', complete } } });
};

/** Answers with a model, or reports that there is none. */
const writes: Librarian = async (query, context) => {
  const written = await context?.ai?.complete([{ role: 'user', content: query }]).catch(() => undefined);
  return { answer: written?.text ?? 'No model.', confidence: 0.9 };
};

const writesThen =
  (librarian: Librarian): Librarian =>
  async (query, context) => {
    await writes(query, context);
    return librarian(query, context);
  };

describe('the budgets of models', () => {
  const context = userContext({ budgets: { calls: 24, tokens: 3001, cost_micros: 100 } });

  it('are divided among the branches, and the rest is refunded', async () => {
    const { ask, arrivals } = await modelled({ a: writes, b: writes, c: says('c') }, 0.00002);
    const { delegates } = await ask([{ to: 'a' }, { to: 'b' }, { to: 'c' }], context);
    expect(granted(arrivals, 'tokens')).toEqual([1001, 1000, 1000]);
    expect(granted(arrivals, 'cost_micros')).toEqual([34, 33, 33]);
    expect(delegates.usage()).toEqual({ calls: 3, tokens: 400, cost_micros: 40 });
    expect(delegates.verifiedUsage()).toEqual({ tokens: 400, cost_micros: 40 });
    await delegates.ask([{ to: 'c' }]);
    expect(arrivals.at(-1)?.links[0].bud).toMatchObject({ tokens: 2601, cost_micros: 60 });
  });

  it('have no entry if the origin names none, and usage is still reported', async () => {
    const { ask, arrivals } = await modelled({ a: writes });
    const { delegates } = await ask([{ to: 'a' }], userContext({ budgets: { calls: 5 } }));
    expect(granted(arrivals, 'tokens')).toEqual([undefined]);
    expect(delegates.usage()).toEqual({ calls: 1, tokens: 200 });
  });

  it('are passed on minus own model usage, and the receipt reports both', async () => {
    const { ask, arrivals } = await modelled({ a: writesThen(delegatesTo('b', 'c')), b: writes, c: says('c') });
    const { delegates } = await ask([{ to: 'a' }], context);
    expect(granted(arrivals, 'tokens')).toEqual([3001, 1401, 1400]);
    expect(delegates.usage()).toMatchObject({ tokens: 400 });
  });

  it('are 0 if nothing is left, and the target answers without a model', async () => {
    const { ask, arrivals } = await modelled({ a: writesThen(delegatesTo('b')), b: writes });
    const { responses } = await ask([{ to: 'a' }], userContext({ budgets: { tokens: 200 } }));
    expect(granted(arrivals, 'tokens')).toEqual([200, 0]);
    expect(responses).toMatchObject([{ answer: 'No model.' }]);
  });

  it('are reserved while they are granted to a delegate', async () => {
    let own: Promise<unknown> = Promise.resolve();
    const both: ServedLibrarian = {
      forRequest: (parts) => async (query, context) => {
        const asking = parts.delegates.ask([{ to: 'b' }]);
        own = writes(query, context);
        await asking;
        return writes(query, context);
      },
    };
    const { ask } = await modelled({ a: both, b: writes });
    const { responses, delegates } = await ask([{ to: 'a' }], context);
    expect(await own).toMatchObject({ answer: 'No model.' });
    expect(responses).toMatchObject([{ answer: 'Under the mat.' }]);
    expect(delegates.usage()).toMatchObject({ tokens: 400 });
  });

  it('count as spent without a receipt, and none of it is verified', async () => {
    const { gateway } = await network({ a: says('x') }, { tamper: () => new Response('{"answer":"x"}') });
    const delegates = gateway(context);
    await delegates.ask([{ to: 'a' }]);
    expect(delegates.usage()).toEqual({ calls: 23, tokens: 3001, cost_micros: 100 });
    expect(delegates.verifiedUsage()).toEqual({ tokens: 0, cost_micros: 0 });
  });

  it('are not used by a call that is never sent', async () => {
    const { ask } = await network({ a: says('x') });
    const { delegates, responses } = await ask([{ to: 'unknown' }], context);
    expect(codesOf(responses)).toEqual(['DELEGATION_FAILED']);
    expect(delegates.usage()).toEqual({ calls: 0, tokens: 0, cost_micros: 0 });
  });

  it('leave half for the fallback, which also gets the rest of the other half', async () => {
    const { ask, arrivals } = await modelled({ a: writesThen(fails('NOT_FOUND')), b: writes });
    await ask([{ to: 'a', fallback: 'b' }], context);
    expect(granted(arrivals, 'tokens')).toEqual([1500, 2801]);
  });
});
