import { describe, expect, it } from 'vitest';
import type { Context, Librarian } from '../../../src/contract/core/librarian.ts';
import { createCircuitBreakers } from '../../../src/librarians/delegation/circuit-breaker.ts';
import { createDelegates } from '../../../src/librarians/delegation/delegates.ts';
import { signJws } from '../../../src/platform/context/compact-jws.ts';
import { identityFrom, localSigner } from '../../../src/platform/context/identity.ts';
import { capabilitiesOf, type KeyDirectory } from '../../../src/platform/context/key-directory.ts';
import { requestBudget } from '../../../src/platform/context/limits.ts';
import { signedClient } from '../../../src/platform/context/signed-client.ts';
import { randomHex, sha256, utf8 } from '../../../src/platform/encoding.ts';
import { userContext } from '../../platform/context/callers.ts';
import { askOnce, delegatesTo, network } from './network.ts';

/** A librarian that answers `x`, with the contexts that it received. */
const watched = () => {
  const seen: (Context | undefined)[] = [];
  const b: Librarian = async (_, context) => {
    seen.push(context);
    return { answer: 'x' };
  };
  return { b, seen, rights: () => seen.map((context) => context?.user?.capabilities?.toSorted()) };
};
const sorted = (rights: string) => rights.split(' ').toSorted();

const restarting = async (self: string) => {
  const { b, seen } = watched();
  const { apps, variables, directory } = await network({ b });
  const identity = await identityFrom(variables, self);
  const target = {
    fetch: async (request: Request) => apps.get('b')?.fetch(request) ?? new Response(),
  };
  const client = signedClient({ ...identity, targets: { b: target }, log: () => undefined });
  const context = userContext({
    self,
    subject: `svc:${self}`,
    capabilities: ['kb:read'],
    budgets: { calls: 1000 },
  });
  const known = { client, directory, context, budget: requestBudget(context), query: 'Where?' };
  const parts = { ...known, circuitBreakers: createCircuitBreakers(), log: () => undefined };
  const [branch] = await createDelegates(parts).ask([{ to: 'b' }]);
  return { response: branch?.response, seen };
};
it.each([
  ['is refused when it may not originate one', 'semantic', { error: { code: 'UNAUTHORIZED' } }, []],
  [
    'appears as itself when it may, and not as the user of the question',
    ...[
      'webhooks',
      { answer: 'x' },
      [{ user: { id: 'svc:webhooks' }, delegationChain: ['webhooks'] }],
    ],
  ],
] as const)(
  'T27 a librarian that starts a new chain as itself %s',
  async (_, self, response, seen) =>
    expect(await restarting(self)).toMatchObject({ response, seen }),
);

describe('the taint rule', () => {
  it.each([
    ['kb:read kb:write helpdesk:write webhook:send', 'kb:read'],
    ['memory:* sql:read', 'memory:read sql:read'],
    ['*', 'kb:read memory:read sql:read web:search support:analyze'],
    ['kb:hr:* webhook:* tool:web', 'kb:hr:read'],
    ['kb:read web:search', 'kb:read web:search'],
    ['web:*', 'web:read web:search'],
    ['memory:write kb:hr:write kb:hr:* kb:*', 'kb:hr:read kb:read'],
  ])('delegates %j as %j, here and at every further hop', async (capabilities, expected) => {
    const { b, rights } = watched();
    const a: Librarian = async (...call) => {
      await b(...call);
      return { delegate: { to: 'b' } };
    };
    const context = { capabilities: capabilities.split(' ') };
    expect((await askOnce({ a, b }, undefined, { context })).responses).toMatchObject([
      { answer: 'x' },
    ]);
    expect(rights()).toEqual([sorted(expected), sorted(expected)]);
  });
  it('applies to a librarian that has a right to write', async () => {
    const { b, rights } = watched();
    const { client, arrivals } = await network({ a: delegatesTo('b'), b });
    const context = userContext({ capabilities: ['kb:read', 'kb:write'] });
    await client.call(context, { to: 'a', path: '/librarians/a/ask', body: { query: 'Where?' } });
    expect(arrivals[0]?.links.at(-1).cap).toEqual(['kb:read', 'kb:write']);
    expect(rights()).toEqual([['kb:read']]);
  });
});

const asked = 'What does the Apollo II cost elsewhere, and what is our warranty?';
const REVENUE = 'What does the Apollo II cost elsewhere? Our revenue: 48,211 USD';
const SEARCHING = 'kb:read web:search';
const REORDERED = 'Please find the costs elsewhere of an Apollo II';
it.each([
  ['a figure is added', REVENUE, SEARCHING, 'kb:read'],
  ['a name is added', 'What does the Apollo II of Ada Byron cost elsewhere?', SEARCHING, 'kb:read'],
  ['a number is added', 'What does the Apollo III cost elsewhere?', SEARCHING, 'kb:read'],
  ['a figure is added', REVENUE, 'web:* kb:read', 'web:read kb:read'],
  ['a figure is added', REVENUE, '*', 'kb:read memory:read sql:read support:analyze'],
  ['a figure is added', REVENUE, 'kb:read', 'kb:read'],
  ['it is unchanged', undefined, SEARCHING, SEARCHING],
  ['only a part', 'What does the Apollo II cost elsewhere?', SEARCHING, SEARCHING],
  ['another order, with function words', REORDERED, SEARCHING, SEARCHING],
])(
  'a question with words that the user did not write loses web:search, unless it adds none: %s, %s, %s',
  async (_, query, held, left) => {
    const { b, rights } = watched();
    const a: Librarian = async () => ({
      delegate: { to: 'b', ...(query === undefined ? {} : { query }) },
    });
    const options = { context: { capabilities: held.split(' ') }, more: { query: asked } };
    expect((await askOnce({ a, b }, undefined, options)).responses).toMatchObject([
      { answer: 'x' },
    ]);
    expect(rights()).toEqual([sorted(left)]);
  },
);

describe('an issuer with more rights than its directory entry allows', () => {
  const QUESTION = JSON.stringify({ query: 'Where?' });
  const now = Date.now() / 1000;
  const link = async (iss: string, aud: string, more: object) => {
    const call = {
      aud,
      jti: randomHex(8),
      op: `POST /librarians/${aud}/ask`,
      bd: await sha256(utf8(QUESTION)),
    };
    const claims = { iss, ...call, iat: now, exp: now + 20, ...more };
    return signJws(claims, { typ: 'ctx+jwt', signer: await localSigner(iss) });
  };

  it('delegates no more than its entry allows, though its own context has more', async () => {
    const { b, rights } = watched();
    const { apps, lines } = await network({ semantic: async () => ({ answer: 'x' }), b });
    const user = {
      tid: randomHex(16),
      sub: 'user:u_1',
      ws: 'default',
      amr: 'key',
      max: 8,
      bud: { calls: 8 },
    };
    const root = await link('gateway', 'semantic', {
      hop: 0,
      ...user,
      cap: ['kb:read', 'sql:read', 'memory:read'],
    });
    const next = await link('semantic', 'b', { hop: 1, prv: await sha256(utf8(root)) });
    const headers = { 'context-token': `${root}~${next}`, 'content-type': 'application/json' };
    const request = new Request('https://b/librarians/b/ask', {
      method: 'POST',
      body: QUESTION,
      headers,
    });
    expect((await apps.get('b')?.fetch(request))?.status, JSON.stringify(lines)).toBe(200);
    expect(rights()).toEqual([['kb:read']]);
  });
  it('may delegate nothing as a partner without rights, and anything as an internal librarian without a limit', async () => {
    const directory = { librarian: () => undefined } as unknown as KeyDirectory; // only what is read
    expect(capabilitiesOf(directory, 'partner.spy')).toEqual([]);
    expect(capabilitiesOf(directory, 'own')).toEqual(['*']);
  });
});
