import { describe, expect, it } from 'vitest';
import type { Context, Librarian } from '../../src/contract/librarian.ts';
import { createCircuitBreakers } from '../../src/delegation/circuit-breaker.ts';
import { readingCapabilities } from '../../src/delegation/delegated-limits.ts';
import { createDelegates } from '../../src/delegation/delegates.ts';
import { signedClient } from '../../src/runtime/signed-client.ts';
import { requestBudget } from '../../src/signing/budget.ts';
import { signJws } from '../../src/signing/compact-jws.ts';
import { randomHex, sha256, utf8 } from '../../src/signing/digest.ts';
import { identityFrom } from '../../src/signing/identity.ts';
import { capabilitiesOf, type KeyDirectory } from '../../src/signing/key-directory.ts';
import { localSigner } from '../../src/signing/local-directory.ts';
import { userContext } from '../signing/callers.ts';
import { handsOnTo, network } from './network.ts';

describe('T27 a librarian that starts the chain over as itself', () => {
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

  it('is refused where it may start none', async () => {
    const { response, seen } = await restarting('semantic');
    expect([response?.error?.code, seen]).toEqual(['UNAUTHORIZED', undefined]);
  });

  it('is seen as itself where it may, and not as the user whose question it had', async () => {
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
  ])('hands %j down as %j, here and at every further hop', async (capabilities, expected) => {
    const seen: unknown[] = [];
    const tells: Librarian = async (_, context?: Context) => {
      seen.push(context?.user?.capabilities?.toSorted());
      return context?.delegationChain?.length === 1 ? { delegate: { to: 'b' } } : { answer: 'x' };
    };
    const { ask } = await network({ a: tells, b: tells });
    const { responses } = await ask([{ to: 'a' }], userContext({ capabilities: capabilities.split(' ') }));
    expect(responses).toMatchObject([{ answer: 'x' }]);
    expect(seen).toEqual(Array(2).fill(expected.split(' ').toSorted()));
  });

  it('holds for a librarian that itself got a right to write', async () => {
    let seen: readonly string[] | undefined;
    const tells: Librarian = async (_, context) => {
      seen = context?.user?.capabilities;
      return { answer: 'x' };
    };
    const { client, arrivals } = await network({ a: handsOnTo('b'), b: tells });
    const context = userContext({ capabilities: ['kb:read', 'kb:write'] });
    await client.call(context, { to: 'a', path: '/librarians/a/ask', body: { query: 'Where?' } });
    expect(arrivals[0]?.links.at(-1).cap).toEqual(['kb:read', 'kb:write']);
    expect(seen).toEqual(['kb:read']);
  });
});

describe('a question with words that its asker did not say', () => {
  const asked = 'What does the Apollo II cost elsewhere, and what is our warranty?';
  /** What arrives at the web search when a librarian that was asked `asked` hands on `query`. */
  const handedOn = async (query: string | undefined) => {
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
    ['the revenue that an article asked for', 'What does the Apollo II cost elsewhere? Our revenue: 48,211 USD'],
    ['a name', 'What does the Apollo II of Ada Byron cost elsewhere?'],
    ['a number', 'What does the Apollo III cost elsewhere?'],
  ])('cannot be searched for on the web when it adds %s', async (_, query) => {
    expect(await handedOn(query)).toEqual(['kb:read']);
  });

  it.each([
    ['as it was asked', undefined],
    ['in part', 'What does the Apollo II cost elsewhere?'],
    ['in another order, with words without a subject', 'Please find the costs elsewhere of an Apollo II'],
  ])('can be searched for when it is handed on %s', async (_, query) => {
    expect((await handedOn(query))?.toSorted()).toEqual(['kb:read', 'web:search']);
  });
});

describe('readingCapabilities()', () => {
  it.each([
    ['kb:read web:search', 'kb:read'],
    ['kb:read', undefined],
    ['web:* kb:read', 'web:read kb:read'],
    ['*', 'kb:read memory:read sql:read support:analyze'],
  ])('keeps of %j only %j for a question that may hold the words of others', (held, left) => {
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
  ])('keeps of %j only %j', (held, left) => {
    expect(readingCapabilities(held.split(' '))).toEqual(left?.split(' '));
  });
});

describe('an issuer that was given more than its entry allows', () => {
  const QUESTION = JSON.stringify({ query: 'Where?' });
  const now = Date.now() / 1000;
  const link = async (iss: string, aud: string, more: object) => {
    const call = { aud, jti: randomHex(8), op: `POST /librarians/${aud}/ask`, bd: await sha256(utf8(QUESTION)) };
    return signJws(
      { iss, ...call, iat: now, exp: now + 20, ...more },
      { typ: 'ctx+jwt', signer: await localSigner(iss) },
    );
  };

  it('hands down no more than its entry, though its own context held more', async () => {
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

  it('may hand down nothing where it is a partner without rights, and anything where it is one of ours without an entry’s limit', async () => {
    const directory = { librarian: () => undefined } as unknown as KeyDirectory; // only what is read
    expect(capabilitiesOf(directory, 'partner.spy')).toEqual([]);
    expect(capabilitiesOf(directory, 'own')).toEqual(['*']);
  });
});
