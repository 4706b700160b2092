import { describe, expect, it } from 'vitest';
import { identityFrom } from '../../src/runtime/identity.ts';
import { serveLibrarian } from '../../src/runtime/serve-librarian.ts';
import { userContext } from '../runtime/neighbours.ts';
import { type Arrival, codesOf, fails, handsOnTo, network, says } from './network.ts';

describe('the budget of calls', () => {
  /** In the order of the targets: which of several calls is signed first is left open. */
  const handed = (arrivals: Arrival[]) =>
    arrivals.toSorted((one, other) => one.to.localeCompare(other.to)).map(({ links }) => links.at(-1).bud.calls);

  it('is divided among the branches, each call paid for, one kept for a retry', async () => {
    const { ask, arrivals } = await network({ a: says('a'), b: says('b'), c: says('c') });
    const { delegates } = await ask([{ to: 'a' }, { to: 'b' }, { to: 'c' }], userContext({ budgets: { calls: 23 } }));
    expect(handed(arrivals)).toEqual([6, 6, 5]);
    expect(delegates.usage()).toEqual({ calls: 3 });
  });

  it('is 24 if the context names none', async () => {
    const { ask, arrivals } = await network({ a: says('a') });
    await ask([{ to: 'a' }], userContext({ budgets: {} }));
    expect(handed(arrivals)).toEqual([22]);
  });

  it('pays for what it can: further questions are refused, and nothing of them is sent', async () => {
    const { ask, arrivals } = await network({ a: says('a') });
    const requests = [{ to: 'a' }, { to: 'a' }, { to: 'a' }, { to: 'a' }];
    const { responses, trace } = await ask(requests, userContext({ budgets: { calls: 3 } }));
    expect(codesOf(responses)).toEqual([undefined, undefined, undefined, 'DELEGATION_FAILED']);
    expect(responses[3]?.error).toMatchObject({ recoverable: false, message: expect.stringContaining('used up') });
    expect([arrivals.length, handed(arrivals), trace.hops[3]?.attempts]).toEqual([3, [0, 0, 0], 0]);
  });

  it('gets back what a receipt says was not used', async () => {
    const { gateway, arrivals } = await network({ a: says('a'), b: handsOnTo('c'), c: says('c') });
    const delegates = gateway(userContext({ budgets: { calls: 4 } }));
    await delegates.ask([{ to: 'a' }]);
    const [branch] = await delegates.ask([{ to: 'b' }]);
    const [last] = await delegates.ask([{ to: 'a' }]);
    expect([branch?.response.answer, last?.response.answer]).toEqual(['c', 'a']);
    expect((await delegates.ask([{ to: 'a' }]))[0]?.response.error?.code).toBe('DELEGATION_FAILED');
    expect([arrivals.length, delegates.usage()]).toEqual([4, { calls: 4 }]);
  });

  it('counts as spent what was handed to a target whose answer brings no receipt', async () => {
    const { gateway } = await network({ a: says('x') }, { tamper: () => new Response('{"answer":"x"}') });
    const delegates = gateway(userContext({ budgets: { calls: 3 } }));
    await delegates.ask([{ to: 'a' }]);
    expect(delegates.usage()).toEqual({ calls: 3 });
  });

  it('gets back all that was handed to a target that refuses to be asked', async () => {
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

  it('keeps half for the fallback', async () => {
    const { ask, arrivals } = await network({ a: fails('NOT_FOUND'), b: says('b') });
    await ask([{ to: 'a', fallback: 'b' }], userContext({ budgets: { calls: 9 } }));
    expect(handed(arrivals)).toEqual([4, 6]);
  });

  it('suffices for a chain of eight', async () => {
    const ids = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'h7', 'h8'];
    const chain = Object.fromEntries(ids.map((id, at) => [id, at < 7 ? handsOnTo(ids[at + 1] ?? '') : says('x')]));
    const { ask } = await network(chain);
    expect((await ask([{ to: 'h1' }])).responses).toMatchObject([{ answer: 'x' }]);
  });
});
