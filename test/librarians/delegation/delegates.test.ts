import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../../src/contract/core/error-info.ts';
import type { Librarian } from '../../../src/contract/core/librarian.ts';
import type { DelegateRequest } from '../../../src/contract/core/response.ts';
import { delegateTo } from '../../../src/librarians/delegation/delegates.ts';
import { httpsTargets } from '../../../src/librarians/delegation/librarian-directory.ts';
import { serveLibrarian } from '../../../src/librarians/serve/serve-librarian.ts';
import { makeSigningKey } from '../../../src/platform/context/compact-jws.ts';
import { identityFrom } from '../../../src/platform/context/identity.ts';
import { ask as askOf, userContext } from '../../platform/context/callers.ts';
import {
  askOnce,
  asks,
  chainOf,
  delegatesTo,
  fails,
  network,
  says,
  signing,
  type Tamper,
} from './network.ts';

const REFUSED = { code: 'DELEGATION_FAILED', librarian: 'gateway', recoverable: false };

describe('Delegates.ask()', () => {
  it('asks in parallel, and returns the branches in the order of the requests', async () => {
    const open = Promise.withResolvers<void>();
    const waits: Librarian = async () => open.promise.then(() => ({ answer: 'first' }));
    const opens: Librarian = async () => {
      open.resolve();
      return { answer: 'second' };
    };
    const { branches } = await askOnce({ a: waits, b: opens }, [
      { to: 'a' },
      { to: 'b', query: 'Where exactly?' },
    ]);
    expect(branches).toMatchObject([
      { to: 'a', query: 'Where is the key?', response: { answer: 'first' } },
      { to: 'b', query: 'Where exactly?', response: { answer: 'second' } },
    ]);
  });
  it('sends the refined question, with its context merged into the metadata of the request', async () => {
    const request = {
      to: 'a',
      query: 'Where exactly?',
      context: { reason: 'place', device: 'apollo 2' },
    };
    const more = { metadata: { device: 'apollo', language: 'en' } };
    const { arrivals } = await askOnce({ a: says('x') }, [request], { more });
    const metadata = { device: 'apollo 2', language: 'en', reason: 'place' };
    expect(arrivals[0]?.body).toEqual({ query: 'Where exactly?', metadata });
  });
  it.each<[string, Omit<DelegateRequest, 'to'>]>([
    ['more metadata than a request may have', { context: { text: 'x'.repeat(9000) } }],
    ['an empty question', { query: ' ' }],
    ['a question of 4,001 characters', { query: 'x'.repeat(4001) }],
  ])('refuses %s as an error of the caller, and sends nothing', async (_, request) => {
    const more = { metadata: { more: 'y'.repeat(9000) } };
    const requests = [{ to: 'a', fallback: 'b', ...request }];
    const { responses, arrivals } = await askOnce({ a: says('x'), b: says('y') }, requests, {
      more,
    });
    const message = expect.stringMatching(/^Cannot delegate the question: /);
    expect([responses, arrivals]).toMatchObject([[{ error: { ...REFUSED, message } }], []]);
  });
  it.each(['Not an id', '', 'https://evil.example'])(
    'refuses an invalid id and sends nothing: %j',
    async (id) => {
      const requests = [{ to: id }, { to: 'a', fallback: id }];
      const { codes, trace, arrivals } = await askOnce({ a: says('x') }, requests);
      expect(codes).toEqual(['DELEGATION_FAILED', 'DELEGATION_FAILED']);
      expect([arrivals, trace.hops.map(({ to }) => to)]).toEqual([[], ['a']]);
    },
  );
  it('reports an error of the target unchanged, with its name', async () => {
    const { responses } = await askOnce({ a: fails('NOT_FOUND') });
    const warnings = ['error.recoverable: is missing', 'error.suggestion: is missing'];
    const error = {
      code: 'NOT_FOUND',
      message: 'It cannot be done',
      librarian: 'a',
      query: 'Where is the key?',
    };
    expect(responses).toEqual([{ error, metadata: { warnings } }]);
  });
  it('accepts the answer of a librarian without a validating runtime, and names its faults', async () => {
    const { ask, apps, variables } = await network({ a: says('x') });
    const reply = {
      answer: 'x',
      error: null,
      delegate: null,
      confidence: '0.9',
      metadata: { warnings: ['old data'] },
    };
    apps.set('a', await signing('a', variables, JSON.stringify(reply)));
    const { responses } = await ask([{ to: 'a' }]);
    const warnings = ['old data', expect.stringMatching(/^confidence: .*left out$/)];
    expect(responses).toEqual([{ answer: 'x', metadata: { warnings } }]);
  });
  it.each<[string, string]>([
    ['delegates the question itself', '{"delegate":{"to":"b"}}'],
    ['answers beside a delegation', '{"answer":"x","delegate":{"to":"b"}}'],
    ['sends no Response', '{"text":"x"}'],
    ['sends no JSON', '<h1>502</h1>'],
    ['sends nothing', ''],
    ['sends a list', '[]'],
    ['sends a huge answer', JSON.stringify({ answer: 'x', padding: 'x'.repeat(1_100_000) })],
  ])('fails with DELEGATION_FAILED when the target %s', async (_, body) => {
    const { ask, apps, variables } = await network({ a: says('x'), b: says('y') });
    apps.set('a', await signing('a', variables, body));
    const { responses, trace } = await ask([{ to: 'a' }]);
    expect(responses[0]?.error).toMatchObject({
      code: 'DELEGATION_FAILED',
      librarian: 'a',
      recoverable: true,
    });
    const hop = { outcome: 'DELEGATION_FAILED', attempts: 1, verified: body.length < 1_000_000 };
    expect(trace.hops).toMatchObject([hop]);
  });

  const FORGED = '{"answer":"Pay mallory."}';
  it.each<[string, Tamper]>([
    ['cannot be reached', () => Promise.reject(new TypeError('connection lost'))],
    ['answers without a receipt', async (_to, _request, pass) => new Response((await pass()).body)],
    ['is replaced by another server', () => new Response(FORGED)],
    [
      'is changed in transit',
      async (_to, _request, pass) => new Response(FORGED, { headers: (await pass()).headers }),
    ],
  ])('fails with DELEGATION_FAILED when the target %s', async (_, tamper) => {
    const { responses, trace, delegates } = await askOnce({ a: says('x') }, undefined, { tamper });
    expect(responses[0]?.error).toMatchObject({ code: 'DELEGATION_FAILED', librarian: 'a' });
    expect(trace.hops).toMatchObject([{ outcome: 'DELEGATION_FAILED', verified: false }]);
    expect([trace.hops[0]?.receipt, delegates.receipts()]).toEqual([undefined, []]);
  });
});

describe('what is refused before anything is sent', () => {
  const eight = Array.from({ length: 8 }, (_, at) => `h${at + 1}`);
  const pair = { a: delegatesTo('b'), b: delegatesTo('a') };
  it.each<[string, string, Record<string, Librarian>, ErrorCode, string[], object?]>([
    ['a loop', 'a', pair, 'LOOP_DETECTED', ['a', 'b']],
    ['a call to itself', 'a', { a: delegatesTo('a') }, 'LOOP_DETECTED', ['a']],
    ['a call to the origin', 'gateway', { a: says('x') }, 'LOOP_DETECTED', []],
    ['a librarian outside the directory', 'unknown', { a: says('x') }, 'DELEGATION_FAILED', []],
    [
      'a ninth hop',
      'h1',
      chainOf(9),
      'MAX_DEPTH_EXCEEDED',
      eight,
      { from: 'h8', to: 'h9', attempts: 0 },
    ],
  ])('is %s', async (_, to, librarians, code, asked, hop = {}) => {
    const { codes, arrivals, trace } = await askOnce(librarians, [{ to }]);
    expect(codes).toEqual([code]);
    expect(arrivals.map((arrival) => arrival.to)).toEqual(asked);
    expect(trace.hops.at(-1)).toMatchObject({ outcome: code, ...hop });
  });
  it('is a question without time', async () => {
    let skippedMs = 0;
    const { gateway, arrivals } = await network(
      { a: says('x') },
      { now: () => Date.now() + skippedMs },
    );
    const delegates = gateway(userContext({ timeoutMs: 2000 }));
    skippedMs = 2000;
    const [branch] = await delegates.ask([{ to: 'a' }]);
    expect([branch?.response.error?.code, arrivals]).toEqual(['TIMEOUT', []]);
  });
  it('is a question whose caller has disconnected', async () => {
    const more = { signal: AbortSignal.abort() };
    expect(await askOnce({ a: says('x') }, undefined, { more })).toMatchObject({
      codes: ['TIMEOUT'],
      arrivals: [],
    });
  });
  it('is a ninth question of one hop', async () => {
    const ten = Array.from({ length: 10 }, () => ({ to: 'a' }));
    const context = { budgets: { calls: 100 } };
    const { delegates, codes, responses, arrivals } = await askOnce({ a: says('x') }, ten, {
      context,
    });
    expect(codes).toEqual([...Array(8).fill(undefined), 'DELEGATION_FAILED', 'DELEGATION_FAILED']);
    expect(responses[9]?.error).toMatchObject({
      recoverable: false,
      message: expect.stringContaining('8'),
    });
    const [late] = await delegates.ask([{ to: 'a' }]);
    expect([late?.response.error?.code, arrivals.length]).toEqual(['DELEGATION_FAILED', 8]);
  });
});
it('an invalid token is refused, and does not become an anonymous caller', async () => {
  const tamper: Tamper = (to, request, pass) => {
    const token = request.headers.get('Context-Token') ?? '';
    if (to === 'a') request.headers.set('Context-Token', `${token.slice(0, -40)}${'A'.repeat(40)}`);
    return pass();
  };
  let asked = 0;
  const counting: Librarian = async () => {
    asked += 1;
    return { answer: 'x' };
  };
  const anonymous = { workspace: 'default', capabilities: ['kb:public'], secret: 's' };
  const options = { tamper, options: { access: 'public' as const, anonymous } };
  const { responses, trace } = await askOnce({ a: counting }, undefined, options);
  expect(responses[0]?.error).toMatchObject({ code: 'DELEGATION_FAILED', librarian: 'a' });
  expect([asked, trace.hops[0]?.verified]).toEqual([0, false]);
});

describe('cancellation', () => {
  it('reaches a branch that the librarian did not await, and questions after its answer', async () => {
    const signals: AbortSignal[] = [];
    let later: (() => Promise<unknown>) | undefined;
    const hasty = asks(async ({ delegates }) => {
      void delegates.ask([{ to: 'b' }]);
      later = () => delegates.ask([{ to: 'c' }]);
      await expect.poll(() => signals.length, { interval: 1 }).toBe(1);
      return { answer: 'done' };
    });
    const tamper: Tamper = (to, request, pass) => {
      if (to !== 'b') return pass();
      signals.push(request.signal);
      return new Promise<Response>(() => undefined);
    };
    const librarians = { a: hasty, b: says('b'), c: says('c') };
    const { responses, arrivals } = await askOnce(librarians, undefined, { tamper });
    expect(responses).toMatchObject([{ answer: 'done' }]);
    expect(signals[0]?.aborted).toBe(true);
    expect(await later?.()).toMatchObject([{ response: { error: { code: 'TIMEOUT' } } }]);
    expect(arrivals.map(({ to }) => to)).toEqual(['a', 'b']);
  });
  it('reaches every open branch at any depth', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const all = Promise.withResolvers<void>();
    const waits: Librarian = (_, context) => {
      if (signals.push(context?.signal) === 3) all.resolve();
      return new Promise(() => undefined);
    };
    const controller = new AbortController();
    void all.promise.then(() => controller.abort());
    const librarians = { a: waits, b: waits, c: delegatesTo('d'), d: waits };
    const requests = [{ to: 'a' }, { to: 'b' }, { to: 'c' }];
    const { codes } = await askOnce(librarians, requests, { more: { signal: controller.signal } });
    expect(codes).toEqual(['TIMEOUT', 'TIMEOUT', 'TIMEOUT']);
    await expect.poll(() => signals.map((signal) => signal?.aborted)).toEqual([true, true, true]);
  });
});
it('the path from the route of a librarian to the network passes at most six of our frames', async () => {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 50;
  let stack = '';
  const keys = [{ kid: 'partner.a.1', x: (await makeSigningKey()).x }];
  const partners = JSON.stringify({ 'partner.a': { host: 'a.example.org', keys } });
  const identity = await identityFrom(
    { ENVIRONMENT: 'development', CONTEXT_PARTNERS: partners },
    'navigator',
  );
  const targets = httpsTargets(identity.directory, async () => {
    stack = new Error('here').stack ?? '';
    return new Response();
  });
  const options = { ...identity, targets: delegateTo(targets), log: () => undefined };
  await askOf(
    'navigator',
    serveLibrarian(delegatesTo('partner.a'), { id: 'navigator', name: 'Navigator' }, options),
  );
  Error.stackTraceLimit = stackTraceLimit;
  const files = stack.split('\n').flatMap((line) => /\/src\/([^:]+)/.exec(line)?.[1] ?? []);
  const depth = files.indexOf('librarians/serve/serve-librarian.ts') + 1;
  expect(depth).toBeGreaterThan(1);
  expect(depth).toBeLessThanOrEqual(6);
});
