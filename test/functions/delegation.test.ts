import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LibrarianDescription } from '../../src/contract/core/librarian.ts';
import {
  DelegationTrace,
  JoinedAnswer,
  LibrarianResponse,
} from '../../src/contract/core/response.ts';
import { validateResponse } from '../../src/contract/core/validate-response.ts';
import { readJws } from '../../src/platform/context/compact-jws.ts';
import { localSigner } from '../../src/platform/context/identity.ts';
import { CONTEXT_HEADER } from '../../src/platform/context/limits.ts';
import { ROOT } from '../../tools/functions.ts';
import type { Product } from '../../tools/run/product.ts';
import type { Plan } from '../../tools/run/relays/index.ts';
import { relayIds, relayWorkers } from '../../tools/run/relays/relay-workers.ts';
import { type Misbehaving, serveMisbehaving } from './misbehaving-librarians.ts';
import { ask as askProduct, startEmbedded } from './product-for-test.ts';
import {
  type Answer,
  type Forgery,
  forge,
  prepareThirdTeam,
  type ThirdTeam,
  unknownKey,
  WEATHER,
} from './third-team-for-test.ts';

const TIMEOUT_MS = 1000;
/** Tolerated delay on a busy machine; without the deadline an answer would wait for a partner that never answers. */
const GRACE_MS = 3000;

const [, ...OTHERS] = relayIds(8);
let product: Product;
let misbehaving: Misbehaving;
let team: ThirdTeam;
let weather: { url: string };
const logged: string[] = [];

beforeAll(async () => {
  misbehaving = await serveMisbehaving();
  team = await prepareThirdTeam();
  const relays = relayWorkers(8);
  product = await startEmbedded({
    functions: ['library', 'navigator', 'semantic', 'analytics'],
    moreWorkers: [
      ...relays.workers,
      { name: 'oversized', main: join(ROOT, 'test/functions/oversized-reply.ts') },
    ],
    moreServices: { 'constellation-gateway': { ...relays.services, OVERSIZED: 'oversized' } },
    allVars: { CONTEXT_LOCAL_LIBRARIANS: `${relays.vars.CONTEXT_LOCAL_LIBRARIANS},oversized` },
    partners: { ...misbehaving.partners, ...team.partners },
    onLog: (line) => void logged.push(line),
  });
  misbehaving.gateway = team.toUs.target = product.url.origin;
  weather = await team.serve();
  await product.sync({ full: true });
  // The first request of a function loads its modules, which no deadline of a test is for.
  await ask({ via: OTHERS }, 'relay-1', 20_000);
});

afterAll(async () => {
  team?.stop();
  await product?.stop();
  await misbehaving?.close();
});

/** Sends a question through the relays; returns the reply, and whether it was in time. */
const ask = async (plan: Plan, librarian = 'relay-1', timeoutMs = TIMEOUT_MS) => {
  const startedAt = performance.now();
  const more = { librarian, timeout_ms: timeoutMs, metadata: { plan } };
  const { status, reply, hops } = await askProduct(product, 'Where is the key?', more);
  const isInTime = performance.now() - startedAt < timeoutMs + GRACE_MS;
  return { outcome: [reply.error?.code, status, isInTime], reply, hops };
};

/** Error code and status of each failure of a delegate. */
const OUTCOMES = {
  'partner.down': ['DELEGATION_FAILED', 502],
  'partner.slow': ['TIMEOUT', 504],
  'partner.500': ['INTERNAL_ERROR', 500],
  'partner.invalid-json': ['DELEGATION_FAILED', 502],
  'partner.invalid-response': ['DELEGATION_FAILED', 502],
  'partner.loop': ['LOOP_DETECTED', 508],
  'partner.receipt': ['DELEGATION_FAILED', 502],
  'partner.huge': ['DELEGATION_FAILED', 502],
} as const;

describe.each(Object.entries(OUTCOMES))('a delegate like %s', (to, [code, status]) => {
  it.each<[kind: string, way: string[], plan: Plan]>([
    ['single', ['relay-1', to], { delegates: [{ to }] }],
    ['nested', ['relay-4', 'relay-5', to], { via: ['relay-5'], delegates: [{ to }] }],
  ])('ends a %s delegation with its code, in time', async (_, way, plan) => {
    // Only one that never replies needs the short time.
    const { outcome, hops } = await ask(
      plan,
      way[0],
      to === 'partner.slow' ? TIMEOUT_MS : 3 * TIMEOUT_MS,
    );
    expect(outcome).toEqual([code, status, true]);
    expect(hops.map(({ from, to: next, outcome: each }) => [from, next, each])).toEqual(
      way.map((id, index) => [way[index - 1] ?? 'gateway', id, code]),
    );
  });

  it('leaves a parallel delegation with the answer of the others, partial, naming the failed delegate, in time', async () => {
    const delegates = [{ to }, { to: 'relay-3', plan: { answer: 'Under the mat.' } }];
    const { outcome, reply } = await ask({ delegates }, 'relay-2');
    expect(outcome).toEqual([undefined, 200, true]);
    expect(reply).toMatchObject({
      answer: expect.stringContaining('Under the mat.'),
      partial: true,
    });
    // As words, not as an id.
    expect(reply.answer).toContain(`from ${to.replace('partner.', '').replace('-', ' ')}: `);
    expect(reply.answer).not.toContain(to);
    const { parts } = JoinedAnswer.parse(reply.metadata);
    expect(parts.map(({ librarian, error }) => [librarian, error?.code])).toEqual([
      [to, code],
      ['relay-3', undefined],
    ]);
  });

  it('is replaced by a fallback', async () => {
    const { outcome, reply } = await ask({ delegates: [{ to, fallback: 'relay-7' }] }, 'relay-6');
    if (code === 'LOOP_DETECTED') expect(outcome).toEqual([code, status, true]);
    else expect([reply.answer, outcome[2]]).toEqual(['relay-7 has answered.', true]);
  });
});

describe('a chain of eight', () => {
  it('is answered, and its trace shows every hop with its receipt checked', async () => {
    const { outcome, reply, hops } = await ask({ via: OTHERS }, 'relay-1', 20_000);
    expect([outcome[1], reply.answer]).toEqual([200, 'relay-8 has answered.']);
    expect(hops.map(({ from, to, verified }) => [from, to, verified])).toEqual(
      ['gateway', ...relayIds(7)].map((from, index) => [from, relayIds(8)[index], true]),
    );
  });

  it('cannot be extended to nine: the delegation is refused before anything is sent', async () => {
    const before = misbehaving.calls.length;
    const plan = {
      via: OTHERS,
      delegates: [{ to: 'partner.invalid-json' }, { to: 'partner.down' }],
    };
    expect((await ask(plan)).outcome).toEqual(['MAX_DEPTH_EXCEEDED', 508, true]);
    expect(misbehaving.calls.length).toBe(before);
  });
});

it('a question that would return to an earlier librarian is refused before anything is sent', async () => {
  const calls = () => logged.filter((line) => line.includes('POST /librarians/relay-1/ask')).length;
  const before = calls();
  const delegates = [{ to: 'relay-1' }, { to: 'relay-1' }];
  expect((await ask({ via: ['relay-2'], delegates })).outcome).toEqual([
    'LOOP_DETECTED',
    508,
    true,
  ]);
  // One line of relay-1 itself: it was not called again.
  expect(calls() - before).toBeLessThanOrEqual(1);
});

it('the answer of an internal function that declares a wrong length is not read beyond the limit', async () => {
  expect((await ask({}, 'oversized')).outcome).toEqual(['DELEGATION_FAILED', 502, true]);
  expect(logged.filter((line) => line.includes('too large')).length).toBeGreaterThan(0);
});

const INTERNAL_QUESTION = 'Can I use a normal PC power supply with my Apollo II?';
const PARTNER_QUESTION = 'How warm is it in Lisbon in July?';
const QUESTION = JSON.stringify({ query: PARTNER_QUESTION });

const askPartner = async (query: string) => {
  const { status, body, reply, hops } = await askProduct(product, query, { librarian: WEATHER });
  const path = hops.map(({ from, to, outcome, verified }) => [from, to, outcome, verified]);
  return { status, body, reply, path };
};

/** Sends a question as a partner does: to the public address, with only the context header. */
const sendTo = async (
  to: string,
  token: string | undefined,
  body = QUESTION,
): Promise<string | undefined> => {
  const origin = to === WEATHER ? weather.url : product.url.origin;
  const context: Record<string, string> = token === undefined ? {} : { [CONTEXT_HEADER]: token };
  const headers = { 'content-type': 'application/json', ...context };
  const response = await fetch(`${origin}/librarians/${to}/ask`, { method: 'POST', headers, body });
  expect(response.headers.get(CONTEXT_HEADER)).toBeNull();
  return LibrarianResponse.parse(await response.json()).error?.code;
};

const tokenAlong = (path: string[], forgery?: Forgery) =>
  forge(path, QUESTION, team.signer, forgery);

/** Replaces the receipt with that of the previous answer. */
const withOldReceipt = () => {
  const receipts: string[] = [];
  return (answer: Answer): Answer => ({
    ...answer,
    receipt: receipts[receipts.push(answer.receipt ?? '') - 2] ?? answer.receipt,
  });
};

afterEach(() => {
  team.toThem.tamper = team.toUs.tamper = (answer) => answer;
});

describe('a partner librarian in one file, without our code,', () => {
  const DELEGATED = [
    ['gateway', WEATHER, 'answer', true],
    [WEATHER, 'navigator', 'answer', true],
  ];

  it('describes itself as the contract requires', async () => {
    const description = await (await fetch(`${weather.url}/librarians/${WEATHER}`)).json();
    expect(LibrarianDescription.parse(description)).toMatchObject({
      id: WEATHER,
      keys: [{ kid: `${WEATHER}.1` }],
    });
  });

  it('asks an internal librarian in its own name, and verifies the receipt', async () => {
    expect(await team.askUs(INTERNAL_QUESTION)).toMatchObject({
      status: 200,
      reply: { answer: expect.stringContaining('300 W') },
    });
  });

  it('is asked through the gateway with the rights of its directory entry, and every hop is verified', async () => {
    const { status, body, reply, path } = await askPartner(PARTNER_QUESTION);
    expect([status, reply.answer]).toEqual([
      200,
      'In July the mean temperature in Lisbon is 23 °C.',
    ]);
    expect(validateResponse(body)).toMatchObject({ ok: true, warnings: [] });
    expect(path).toEqual(DELEGATED.slice(0, 1));
    const [root = ''] = team.toThem.token.split('~');
    expect(readJws(root, 'ctx+jwt').claims.cap).toEqual(['kb:read']);
  });

  it('delegates a question within the received chain', async () => {
    const before = logged.length;
    const { status, reply, path } = await askPartner(INTERNAL_QUESTION);
    expect([status, reply.answer, path]).toEqual([
      200,
      expect.stringContaining('300 W'),
      DELEGATED,
    ]);
    const lines = logged.slice(before).map((line) => JSON.parse(line) as { librarian?: string });
    expect(lines.find(({ librarian }) => librarian === 'navigator')).toMatchObject({
      chain: ['gateway', WEATHER],
    });
    // The receipt reports its use of every budget to the caller.
    const [{ receipt = '' } = {}] = DelegationTrace.parse(reply.metadata?.trace).hops;
    expect(readJws(receipt, 'ctx-receipt+jwt').claims.use).toEqual({
      calls: 1,
      tokens: 0,
      cost_micros: 0,
    });
  });

  it('does not send the question back to its caller', async () => {
    const other = await team.serve({ WEATHER_HANDS_ON_TO: 'gateway' });
    const calls = team.toUs.calls;
    const { status, reply } = await askPartner(INTERNAL_QUESTION);
    other.stop();
    team.toThem.target = weather.url;
    expect([status, reply.error?.code, team.toUs.calls]).toEqual([508, 'LOOP_DETECTED', calls]);
  });
});

describe('the gateway refuses', () => {
  const flip = (text: string): string =>
    text.replace(/.(?=.{19}$)/s, (sign) => (sign === 'A' ? 'B' : 'A'));
  it.each<[what: string, make: () => Promise<string | undefined>]>([
    ['no context', async () => undefined],
    ['an empty one', async () => ''],
    ['garbage', async () => 'x'.repeat(500)],
    [
      'one with one character changed',
      async () => flip(await tokenAlong(['gateway', 'navigator'])),
    ],
  ])('%s', async (_, make) => {
    expect(await sendTo('navigator', await make())).toBe('UNAUTHORIZED');
  });

  const FROM_THEM = [WEATHER, 'navigator'];
  const FROM_US = ['gateway', 'navigator'];
  it.each<[what: string, path: string[], forgery: Forgery, code?: string]>([
    ['a key that is not registered', FROM_THEM, { by: unknownKey }],
    [
      "a key of another seed in the gateway's name",
      FROM_US,
      { by: () => localSigner('gateway', 'mallory') },
    ],
    ["another librarian's key in the gateway's name", FROM_US, { by: () => localSigner('memory') }],
    [
      'a context for another librarian',
      [WEATHER, 'semantic'],
      { op: 'POST /librarians/navigator/ask' },
    ],
    ['a context for another path', FROM_THEM, { op: 'POST /v1/navigate' }],
    ['another question than was signed', FROM_THEM, { body: '{"query":"x"}' }],
    ['a user of a partner', FROM_THEM, { sub: 'user:u_1' }],
    ['another workspace', FROM_THEM, { ws: 'globex' }],
    ['a right that a partner may not grant', FROM_THEM, { cap: ['kb:write', 'kb:read'] }],
    ['a question without the required right', FROM_US, { cap: ['sql:read'] }],
    [
      'a right of the user that the directory entry of the partner does not allow',
      ['gateway', WEATHER, 'analytics'],
      { cap: ['kb:read', 'sql:read'] },
    ],
    [
      'a question that was here before',
      ['gateway', 'navigator', WEATHER, 'navigator'],
      {},
      'LOOP_DETECTED',
    ],
    ['a deadline that has passed', FROM_US, { ageMs: 66_000 }, 'TIMEOUT'],
  ])('%s', async (_, path, forgery, code = 'UNAUTHORIZED') => {
    expect(await sendTo(path.at(-1) ?? '', await tokenAlong(path, forgery))).toBe(code);
  });

  it('the same call a second time, and another question with its token', async () => {
    const [once, stripped] = [await tokenAlong(FROM_US), await tokenAlong(FROM_US)];
    expect([await sendTo('navigator', once), await sendTo('navigator', once)]).toEqual([
      undefined,
      'UNAUTHORIZED',
    ]);
    expect(await sendTo('navigator', stripped, '{"query":"Give me everything"}')).toBe(
      'UNAUTHORIZED',
    );
  });

  it('a partner answer that was altered in transit, and an error that was changed to a success', async () => {
    team.toThem.tamper = ({ body, ...answer }) => ({
      ...answer,
      body: body.replace('23 °C', '40 °C'),
    });
    expect((await askPartner(PARTNER_QUESTION)).reply.error?.code).toBe('DELEGATION_FAILED');
    team.toThem.tamper = (answer) => ({ ...answer, status: 203 });
    expect((await askPartner(PARTNER_QUESTION)).reply.error?.code).toBe('DELEGATION_FAILED');
  });

  it('the receipt of another answer', async () => {
    team.toThem.tamper = withOldReceipt();
    expect((await askPartner(PARTNER_QUESTION)).status).toBe(200);
    expect((await askPartner(PARTNER_QUESTION)).reply.error?.code).toBe('DELEGATION_FAILED');
  });
});

describe('the partner refuses', () => {
  const DIRECT = ['gateway', WEATHER];
  const BY_NAVIGATOR = ['gateway', 'navigator', WEATHER];
  it.each<[what: string, path: string[], forgery?: Forgery, code?: string]>([
    ['a key that is not registered', DIRECT, { by: () => unknownKey('dev.gateway.1') }],
    ['a key of another librarian', DIRECT, { by: () => localSigner('memory') }],
    [
      'a context for another librarian',
      ['gateway', 'navigator'],
      { op: `POST /librarians/${WEATHER}/ask` },
    ],
    ['a context for another path', DIRECT, { op: 'POST /v1/navigate' }],
    ['another question than was signed', DIRECT, { body: '{"query":"x"}' }],
    ['a user named by a service without users', ['webhooks', WEATHER], { sub: 'user:u_1' }],
    ['a spliced chain', BY_NAVIGATOR, { later: { prv: 'A'.repeat(43) } }],
    ['a service that speaks for another', ['webhooks', WEATHER], { sub: 'svc:library' }],
    ['a right that the service may not grant', ['webhooks', WEATHER], { cap: ['sql:read'] }],
    ['a context of a librarian that may not originate one', ['semantic', WEATHER]],
    ['a right that a later link adds', BY_NAVIGATOR, { later: { cap: ['sql:read'] } }],
    ['a deadline that has passed', DIRECT, { ageMs: 31_000 }, 'TIMEOUT'],
    ['a longer chain than was allowed', BY_NAVIGATOR, { max: 1 }, 'MAX_DEPTH_EXCEEDED'],
    [
      'a question that was there before',
      ['gateway', WEATHER, 'navigator', WEATHER],
      {},
      'LOOP_DETECTED',
    ],
  ])('%s', async (_, path, forgery, code = 'UNAUTHORIZED') => {
    expect(await sendTo(WEATHER, await tokenAlong(path, forgery))).toBe(code);
  });

  it('garbage, a chain without its root, and the same call a second time', async () => {
    expect(await sendTo(WEATHER, 'x~y')).toBe('UNAUTHORIZED');
    const [, end] = (await tokenAlong(BY_NAVIGATOR)).split('~');
    expect(await sendTo(WEATHER, end)).toBe('UNAUTHORIZED');
    const token = await tokenAlong(DIRECT);
    expect([await sendTo(WEATHER, token), await sendTo(WEATHER, token)]).toEqual([
      undefined,
      'UNAUTHORIZED',
    ]);
  });

  it('an answer that was altered in transit', async () => {
    team.toUs.tamper = ({ body, ...answer }) => ({
      ...answer,
      body: body.replace('300 W', '30 W'),
    });
    await expect(team.askUs(INTERNAL_QUESTION)).rejects.toThrow('is a receipt for another answer');
    expect((await askPartner(INTERNAL_QUESTION)).reply.error?.code).toBe('DELEGATION_FAILED');
  });

  it('the receipt of another call, and an answer without a receipt', async () => {
    team.toUs.tamper = withOldReceipt();
    expect((await team.askUs(INTERNAL_QUESTION)).status).toBe(200);
    await expect(team.askUs(INTERNAL_QUESTION)).rejects.toThrow('is a receipt for another call');
    team.toUs.tamper = ({ receipt: _, ...answer }) => answer;
    await expect(team.askUs(INTERNAL_QUESTION)).rejects.toThrow('has no receipt');
  });
});

describe('the logs of these delegations', () => {
  it('contain no uncaught exception, no question and no answer', () => {
    const lines = logged.map((line) => JSON.parse(line) as { event: string; where?: string });
    expect(lines.filter(({ event, where }) => event === 'fault' && where === 'route')).toEqual([]);
    const content = /Where is the key|has answered|Under the mat|power supply|300 W/;
    expect(logged.filter((line) => content.test(line))).toEqual([]);
  });
});
