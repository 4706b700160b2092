import { describe, expect, it } from 'vitest';
import type { Context, Librarian } from '../../src/contract/librarian.ts';
import { readingCapabilities } from '../../src/delegation/call.ts';
import { createCircuitBreakers } from '../../src/delegation/circuit-breaker.ts';
import { createDelegates } from '../../src/delegation/delegates.ts';
import { signedClient } from '../../src/runtime/signed-client.ts';
import { signJws } from '../../src/signing/compact-jws.ts';
import { randomHex, sha256, utf8 } from '../../src/signing/encoding.ts';
import { identityFrom, localSigner } from '../../src/signing/identity.ts';
import { capabilitiesOf, type KeyDirectory } from '../../src/signing/key-directory.ts';
import { requestBudget } from '../../src/signing/limits.ts';
import { userContext } from '../signing/callers.ts';
import { delegatesTo, network } from './network.ts';

describe('T27 a librarian that starts a new chain as itself', () => {
  const restarting = async (self: string) => {
    let seen: Context | undefined;
    const b: Librarian = async (_, context) => {
      seen = context;
      return { answer: 'x' };
    };
    const { apps, variables, directory } = await network({ b });
    const identity = await identityFrom(variables, self);
    const target = { fetch: async (request: Request) => apps.get('b')?.fetch(request) ?? new Response() };
    const client = signedClient({ ...identity, targets: { b: target }, log: () => undefined });
    const context = userContext({ self, subject: `svc:${self}`, capabilities: ['kb:read'], budgets: { calls: 1000 } });
    const known = { client, directory, context, budget: requestBudget(context), query: 'Where?' };
    const parts = { ...known, circuitBreakers: createCircuitBreakers(), log: () => undefined };
    const [branch] = await createDelegates(parts).ask([{ to: 'b' }]);
    return { response: branch?.response, seen };
  };

  it('is refused when it may not originate one', async () => {
    const { response, seen } = await restarting('semantic');
    expect([response?.error?.code, seen]).toEqual(['UNAUTHORIZED', undefined]);
  });

  it('appears as itself when it may, and not as the user of the question', async () => {
    const { response, seen } = await restarting('webhooks');
    expect([response?.answer, seen?.user?.id, seen?.delegationChain]).toEqual(['x', 'svc:webhooks', ['webhooks']]);
  });
});

describe('the taint rule', () => {
  it.each([
    ['kb:read kb:write helpdesk:write webhook:send', 'kb:read'],
    ['memory:* sql:read', 'memory:read sql:read'],
    ['*', 'kb:read memory:read sql:read web:search support:analyze'],
    ['kb:hr:* webhook:* tool:web', 'kb:hr:read'],
    ['kb:read web:search', 'kb:read web:search'],
  ])('delegates %j as %j, here and at every further hop', async (capabilities, expected) => {
    const seen: unknown[] = [];
    const records: Librarian = async (_, context?: Context) => {
      seen.push(context?.user?.capabilities?.toSorted());
      return context?.delegationChain?.length === 1 ? { delegate: { to: 'b' } } : { answer: 'x' };
    };
    const { ask } = await network({ a: records, b: records });
    const { responses } = await ask([{ to: 'a' }], userContext({ capabilities: capabilities.split(' ') }));
    expect(responses).toMatchObject([{ answer: 'x' }]);
    expect(seen).toEqual(Array(2).fill(expected.split(' ').toSorted()));
  });

  it('applies to a librarian that has a right to write', async () => {
    let seen: readonly string[] | undefined;
    const records: Librarian = async (_, context) => {
      seen = context?.user?.capabilities;
      return { answer: 'x' };
    };
    const { client, arrivals } = await network({ a: delegatesTo('b'), b: records });
    const context = userContext({ capabilities: ['kb:read', 'kb:write'] });
    await client.call(context, { to: 'a', path: '/librarians/a/ask', body: { query: 'Where?' } });
    expect(arrivals[0]?.links.at(-1).cap).toEqual(['kb:read', 'kb:write']);
    expect(seen).toEqual(['kb:read']);
  });
});

describe('a question with words that the user did not write', () => {
  const asked = 'What does the Apollo II cost elsewhere, and what is our warranty?';
  /** The capabilities of `b` when a librarian that was asked `asked` delegates `query`. */
  const delegated = async (query: string | undefined) => {
    let seen: readonly string[] | undefined;
    const librarians: Record<string, Librarian> = {
      a: async () => ({ delegate: { to: 'b', ...(query === undefined ? {} : { query }) } }),
      b: async (_, context) => {
        seen = context?.user?.capabilities;
        return { answer: 'x' };
      },
    };
    const { ask } = await network(librarians);
    const context = userContext({ capabilities: ['kb:read', 'web:search'] });
    const { responses } = await ask([{ to: 'a' }], context, { query: asked });
    expect(responses).toMatchObject([{ answer: 'x' }]);
    return seen;
  };

  it.each([
    ['a figure', 'What does the Apollo II cost elsewhere? Our revenue: 48,211 USD'],
    ['a name', 'What does the Apollo II of Ada Byron cost elsewhere?'],
    ['a number', 'What does the Apollo III cost elsewhere?'],
  ])('loses web:search when it adds %s', async (_, query) => {
    expect(await delegated(query)).toEqual(['kb:read']);
  });

  it.each([
    ['unchanged', undefined],
    ['in part', 'What does the Apollo II cost elsewhere?'],
    ['in another order, with function words', 'Please find the costs elsewhere of an Apollo II'],
  ])('keeps web:search when it is delegated %s', async (_, query) => {
    expect((await delegated(query))?.toSorted()).toEqual(['kb:read', 'web:search']);
  });
});

describe('readingCapabilities()', () => {
  it.each([
    ['kb:read web:search', 'kb:read'],
    ['kb:read', undefined],
    ['web:* kb:read', 'web:read kb:read'],
    ['*', 'kb:read memory:read sql:read support:analyze'],
  ])('reduces %j to %j for a tainted question', (held, left) => {
    expect(readingCapabilities(held.split(' '), { isTainted: true })).toEqual(left?.split(' '));
  });

  it.each([
    ['kb:read kb:write helpdesk:write', 'kb:read'],
    ['kb:read', undefined],
    ['kb:*', 'kb:read'],
    ['helpdesk:* sql:read', 'helpdesk:read sql:read'],
    ['web:*', 'web:read web:search'],
    ['*', 'kb:read memory:read sql:read web:search support:analyze'],
    ['memory:write kb:hr:write kb:hr:* kb:*', 'kb:hr:read kb:read'],
  ])('reduces %j to %j', (held, left) => {
    expect(readingCapabilities(held.split(' '))).toEqual(left?.split(' '));
  });
});

describe('an issuer with more rights than its directory entry allows', () => {
  const QUESTION = JSON.stringify({ query: 'Where?' });
  const now = Date.now() / 1000;
  const link = async (iss: string, aud: string, more: object) => {
    const call = { aud, jti: randomHex(8), op: `POST /librarians/${aud}/ask`, bd: await sha256(utf8(QUESTION)) };
    return signJws(
      { iss, ...call, iat: now, exp: now + 20, ...more },
      { typ: 'ctx+jwt', signer: await localSigner(iss) },
    );
  };

  it('delegates no more than its entry allows, though its own context has more', async () => {
    const seen: (readonly string[] | undefined)[] = [];
    const { apps, lines } = await network({
      semantic: async () => ({ answer: 'x' }),
      b: async (_, context) => {
        seen.push(context?.user?.capabilities);
        return { answer: 'x' };
      },
    });
    const user = { tid: randomHex(16), sub: 'user:u_1', ws: 'default', amr: 'key', max: 8, bud: { calls: 8 } };
    const root = await link('gateway', 'semantic', { hop: 0, ...user, cap: ['kb:read', 'sql:read', 'memory:read'] });
    const next = await link('semantic', 'b', { hop: 1, prv: await sha256(utf8(root)) });
    const headers = { 'context-token': `${root}~${next}`, 'content-type': 'application/json' };
    const request = new Request('https://b/librarians/b/ask', { method: 'POST', body: QUESTION, headers });
    const response = await apps.get('b')?.fetch(request);
    expect(response?.status, JSON.stringify(lines)).toBe(200);
    expect(seen).toEqual([['kb:read']]);
  });

  it('may delegate nothing as a partner without rights, and anything as an internal librarian without a limit', async () => {
    const directory = { librarian: () => undefined } as unknown as KeyDirectory; // only what is read
    expect(capabilitiesOf(directory, 'partner.spy')).toEqual([]);
    expect(capabilitiesOf(directory, 'own')).toEqual(['*']);
  });
});
