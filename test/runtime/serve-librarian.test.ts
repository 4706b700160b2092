import { Hono } from 'hono';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Context, Librarian } from '../../src/contract/librarian.ts';
import { delegateTo } from '../../src/delegation/delegates.ts';
import { DataSourceError } from '../../src/http/coded-error.ts';
import { contextGuard, type GuardedEnv } from '../../src/runtime/context-guard.ts';
import { type ServedLibrarian, type ServeOptions, serveLibrarian } from '../../src/runtime/serve-librarian.ts';
import { type App, ask, identityOf, notebook, targetOf, userContext } from '../signing/callers.ts';

const INFO = { id: 'navigator', name: 'Navigator', description: 'Knows where things are.', capabilities: ['kb:read'] };

const serve = async (librarian: ServedLibrarian, options: Partial<ServeOptions> = {}, id = 'navigator') =>
  serveLibrarian(librarian, { ...INFO, id }, { ...(await identityOf(id)), log: () => undefined, ...options });

/** Serves a librarian and asks it once. */
const asked = async (
  librarian: ServedLibrarian,
  question: Parameters<typeof ask>[2] = {},
  options: Partial<ServeOptions> = {},
) => ask('navigator', await serve(librarian, options), question);

afterEach(() => {
  vi.useRealTimers();
});

describe('serveLibrarian() answers', () => {
  it('with the response of the librarian', async () => {
    const response = { answer: 'Under the mat.', sources: [{ name: 'house.md' }], confidence: 0.9 };
    expect(await asked(async () => response)).toMatchObject({ status: 200, reply: response });
  });

  it('GET with a description of the librarian, without authentication', async () => {
    const app = await serve(async () => ({ answer: 'x' }));
    const response = await app.request('/librarians/navigator');
    expect(await response.json()).toMatchObject({
      ...INFO,
      access: 'signed',
      keys: [{ kid: 'dev.navigator.1', x: expect.any(String) }],
    });
  });

  it('GET with its example questions, if it has any', async () => {
    const examples = ['Where is the key?'];
    const options = { ...(await identityOf('navigator')), log: () => undefined };
    const app = serveLibrarian(async () => ({ answer: 'x' }), { ...INFO, examples }, options);
    expect(await (await app.request('/librarians/navigator')).json()).toMatchObject({ examples });
    const silent = await (await serve(async () => ({ answer: 'x' }))).request('/librarians/navigator');
    expect(await silent.json()).not.toHaveProperty('examples');
  });

  it('an unknown path with NOT_FOUND', async () => {
    const response = await (await serve(async () => ({ answer: 'x' }))).request('/librarians/support');
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });

  it('a caller without the capability with UNAUTHORIZED', async () => {
    const { status, reply } = await asked(async () => ({ answer: 'x' }), {
      context: userContext({ capabilities: ['sql:read'] }),
    });
    expect([status, reply.error.details]).toEqual([401, { missing: 'kb:read' }]);
  });

  it('an unsure answer as partial, whether or not its librarian marks it', async () => {
    const { reply } = await asked(async () => ({ answer: 'Perhaps.', confidence: 0.59 }));
    expect(reply).toMatchObject({ answer: 'Perhaps.', partial: true });
    const sure = await asked(async () => ({ answer: 'Certainly.', confidence: 0.6 }));
    expect(sure.reply).not.toHaveProperty('partial');
  });

  it('a question that is an object instead of a string with INVALID_QUERY', async () => {
    const query = { length: { valueOf: 0, toString: 0 } };
    const { status, reply } = await asked(async () => ({ answer: 'x' }), { query });
    expect([status, reply.error.code]).toEqual([400, 'INVALID_QUERY']);
  });

  it.each([
    ['empty', ' '],
    ['of control characters', '\u0000\u0007\u001b'],
    ['of 100,000 characters', 'x'.repeat(100_000)],
    ['no text', 7],
  ])('a question that is %s with INVALID_QUERY', async (_, query) => {
    const { status, reply } = await asked(async () => ({ answer: 'x' }), { query });
    expect([status, reply.error.code]).toEqual([400, 'INVALID_QUERY']);
    expect(reply.error.message).toMatch(/query/);
  });

  it('a question in Chinese', async () => {
    const { reply } = await asked(async (query) => ({ answer: query }), { query: ' 钥匙在哪里？ ' });
    expect(reply.answer).toBe('钥匙在哪里？');
  });

  it('with the status of the error that the librarian returned', async () => {
    const { status, reply } = await asked(async () => ({
      error: { code: 'NOT_FOUND', message: 'Cannot find the key' },
    }));
    expect([status, reply.error.code]).toEqual([404, 'NOT_FOUND']);
  });

  it('a partial answer that also has an error with 200', async () => {
    const partial = {
      answer: 'Some.',
      partial: true,
      error: { code: 'DATA_SOURCE_ERROR' as const, message: 'Cannot read one source' },
    };
    expect(await asked(async () => partial)).toMatchObject({ status: 200, reply: partial });
  });
});

describe('the context of a librarian', () => {
  const told = async (
    question: Parameters<typeof ask>[2] = {},
    options: Partial<ServeOptions> = {},
  ): Promise<Context> => {
    let seen: Context = {};
    await asked(
      async (_, context) => {
        expect(context?.signal?.aborted).toBe(false);
        seen = context ?? {};
        return { answer: 'x' };
      },
      question,
      options,
    );
    return seen;
  };

  it('has the user, the trace, the chain, the time left, and the metadata of the caller', async () => {
    const context = userContext({ timeoutMs: 5000 });
    const seen = await told({ context, metadata: { device: 'apollo' } });
    expect(seen).toMatchObject({
      librarian: INFO,
      user: { id: 'user:u_secret', workspaceId: 'default', capabilities: ['kb:read'], authentication: 'key' },
      trace: { traceId: context.traceId, spanId: expect.stringMatching(/^[0-9a-f]{16}$/) },
      delegationChain: ['gateway'],
      metadata: { device: 'apollo' },
    });
    expect(seen.timeout).toBeGreaterThan(0);
    expect(seen.timeout).toBeLessThanOrEqual(5000);
    // Now that it has answered.
    expect(seen.signal?.aborted).toBe(true);
    expect(seen.ai).toBeUndefined();
  });

  it('has a little less time than the caller waits, so that a TIMEOUT still arrives', async () => {
    expect((await told({ context: userContext({ timeoutMs: 5000 }) })).timeout).toBeLessThanOrEqual(4980);
    expect((await told({ context: userContext({ timeoutMs: 100 }) })).timeout).toBeLessThanOrEqual(90);
  });

  it('is deeply frozen', async () => {
    const seen = await told({ metadata: { deep: { list: [{ a: 1 }] } } });
    const all: unknown[] = [];
    const walk = (value: unknown): void => {
      if (typeof value !== 'object' || value === null || value instanceof AbortSignal) return;
      all.push(value);
      for (const member of Object.values(value)) walk(member);
    };
    walk(seen);
    expect(all.length).toBeGreaterThan(8);
    expect(all.filter((value) => !Object.isFrozen(value))).toEqual([]);
  });

  it('contains neither the token nor a signer', async () => {
    const seen = await told();
    expect(Object.keys(seen).toSorted()).toEqual([
      'availableDelegates',
      'delegationChain',
      'librarian',
      'signal',
      'timeout',
      'trace',
      'user',
    ]);
    expect(JSON.stringify(seen)).not.toContain('eyJ');
  });

  it('lists the delegates that can still be asked', async () => {
    const { target } = targetOf(await serve(async () => ({ answer: 'x' }), {}, 'semantic'));
    const seen = await told({}, { targets: delegateTo({ semantic: target, gateway: target, stranger: target }) });
    expect(seen.availableDelegates).toEqual([{ id: 'semantic' }]);
  });

  it('ignores an incoming traceparent, except for sampling', async () => {
    const context = userContext();
    let seen: Context = {};
    const app = await serve(async (_, given) => {
      seen = given ?? {};
      return { answer: 'x' };
    });
    const lying: App = {
      fetch: (request) => {
        request.headers.set('traceparent', `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`);
        return app.fetch(request);
      },
    };
    await ask('navigator', lying, { context });
    expect(seen.trace).toMatchObject({ traceId: context.traceId, sampled: false });
  });

  it('is extended by the request scope: the verified context and waitUntil', async () => {
    const later: unknown[] = [];
    const served: ServedLibrarian = {
      forRequest:
        ({ context, waitUntil }) =>
        async () => {
          waitUntil(Promise.resolve().then(() => later.push('done')));
          return { answer: context.workspace };
        },
    };
    expect((await asked(served)).reply.answer).toBe('default');
    expect(later).toEqual(['done']);
  });
});

describe('a librarian that misbehaves', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('secret: sk-123');
      },
    ],
    ['rejects', () => Promise.reject(new Error('secret: sk-123'))],
    ['rejects with no error', () => Promise.reject('secret: sk-123')],
  ])('%s: INTERNAL_ERROR, and the text stays inside', async (_, misbehave) => {
    const { lines, log } = notebook();
    const librarian = misbehave as unknown as Librarian;
    const { status, reply } = await asked(librarian, {}, { log });
    expect([status, reply.error.code]).toEqual([500, 'INTERNAL_ERROR']);
    expect(JSON.stringify(reply)).not.toContain('sk-123');
    expect(lines[0]).toMatchObject({ event: 'fault', where: 'librarian', code: 'INTERNAL_ERROR' });
  });

  it('keeps the code of a CodedError', async () => {
    const { status, reply } = await asked(() => Promise.reject(new DataSourceError('Cannot reach db7.internal')));
    expect([status, reply.error.code]).toEqual([502, 'DATA_SOURCE_ERROR']);
    expect(JSON.stringify(reply)).not.toContain('db7');
  });

  it.each([
    ['nothing', undefined],
    ['an empty object', {}],
    ['a confidence of 2', { answer: 'x', confidence: 2 }],
    ['a source without name', { answer: 'x', sources: [{ url: 'https://a.example' }] }],
    ['an error of an unknown code', { error: { code: 'OOPS', message: 'x' } }],
    ['text', 'Under the mat.'],
  ])('returns %s: INTERNAL_ERROR', async (_, response) => {
    const { status, reply } = await asked((async () => response) as unknown as Librarian);
    expect([status, reply.error.code]).toEqual([500, 'INTERNAL_ERROR']);
  });

  it('ends with TIMEOUT and an aborted signal when it never settles', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const told = Promise.withResolvers<Context | undefined>();
    const silent: Librarian = (_, context) => {
      told.resolve(context);
      return new Promise(() => undefined);
    };
    const asking = asked(silent, { context: userContext({ timeoutMs: 1000 }) });
    const seen = await told.promise;
    vi.advanceTimersByTime(seen?.timeout ?? 0);
    expect(seen?.signal?.aborted).toBe(true);
    // In time for the caller, whose own patience ends a little later.
    expect((await asking).answer).toMatchObject({ ok: true, status: 504 });
  });

  it('gets an aborted signal when the caller disconnects', { timeout: 10_000 }, async () => {
    const controller = new AbortController();
    const seen = Promise.withResolvers<AbortSignal | undefined>();
    const app = await serve((_, context) => {
      seen.resolve(context?.signal);
      return new Promise(() => undefined);
    });
    const hasty: App = { fetch: (request) => app.fetch(new Request(request, { signal: controller.signal })) };
    const asking = ask('navigator', hasty);
    const signal = await seen.promise;
    controller.abort();
    expect(signal?.aborted).toBe(true);
    expect((await asking).answer).toMatchObject({ ok: true, status: 504 });
  });
});

describe('a delegated question', () => {
  const handsOn: Librarian = async () => ({
    delegate: { to: 'semantic', query: 'Where exactly?', context: { reason: 'place' } },
  });

  const partner = async (librarian: ServedLibrarian, options: Partial<ServeOptions> = {}) =>
    targetOf(await serve(librarian, options, 'semantic'));

  it('reaches the target with the new query and context, on an extended chain', async () => {
    let seen: [string, Context | undefined] = ['', undefined];
    const { target } = await partner(async (...told) => {
      seen = [told[0], told[1]];
      return { answer: 'In the kitchen.', confidence: 0.9 };
    });
    const { status, reply } = await asked(
      handsOn,
      { metadata: { device: 'apollo' } },
      { targets: delegateTo({ semantic: target }) },
    );
    expect([status, reply]).toMatchObject([200, { answer: 'In the kitchen.', confidence: 0.9 }]);
    expect(seen[0]).toBe('Where exactly?');
    expect(seen[1]).toMatchObject({
      delegationChain: ['gateway', 'navigator'],
      metadata: { device: 'apollo', reason: 'place' },
    });
    expect(seen[1]?.user?.id).toBe('user:u_secret');
  });

  it('returns the error of the target with its status', async () => {
    const { target } = await partner(async () => ({ error: { code: 'NOT_FOUND', message: 'Cannot find it' } }));
    const { status, reply } = await asked(handsOn, {}, { targets: delegateTo({ semantic: target }) });
    expect([status, reply.error.code]).toEqual([404, 'NOT_FOUND']);
  });

  it('is not sent when the target does not exist', async () => {
    const { status, reply } = await asked(handsOn);
    expect([status, reply.error.code, reply.error.librarian]).toEqual([502, 'DELEGATION_FAILED', 'semantic']);
    expect(reply.error.suggestion).toMatch(/\w/);
  });

  it('is not sent when it would loop', async () => {
    const { target, requests } = targetOf(await serve(async () => ({ answer: 'x' }), {}, 'gateway'));
    const back: Librarian = async () => ({ delegate: { to: 'gateway' } });
    const { status, reply } = await asked(back, {}, { targets: delegateTo({ gateway: target }) });
    expect([status, reply.error.code, requests.length]).toEqual([508, 'LOOP_DETECTED', 0]);
  });

  it('is not sent when the maximum depth is reached', async () => {
    const { target, requests } = await partner(async () => ({ answer: 'x' }));
    const { status, reply } = await asked(
      handsOn,
      { context: userContext({ maxHops: 1 }) },
      { targets: delegateTo({ semantic: target }) },
    );
    expect([status, reply.error.code, requests.length]).toEqual([508, 'MAX_DEPTH_EXCEEDED', 0]);
  });

  it('is not sent when no time is left', async () => {
    const { target, requests } = await partner(async () => ({ answer: 'x' }));
    let skippedMs = 0;
    const slow: Librarian = async (query, context) => {
      skippedMs = 2000;
      return handsOn(query, context);
    };
    const options = { targets: delegateTo({ semantic: target }), now: () => Date.now() + skippedMs };
    const { status, reply } = await asked(slow, { context: userContext({ timeoutMs: 2000 }) }, options);
    expect([status, reply.error.code, requests.length]).toEqual([504, 'TIMEOUT', 0]);
  });

  it('keeps the own answer as partial, and names the gap, when it fails', async () => {
    const unsure: Librarian = async () => ({
      answer: 'Perhaps inside.',
      confidence: 0.5,
      delegate: { to: 'semantic' },
    });
    const { status, reply } = await asked(unsure);
    expect([status, reply.answer, reply.partial]).toEqual([200, 'Perhaps inside.', true]);
    expect(reply.metadata.delegationError.code).toBe('DELEGATION_FAILED');
    expect(reply.delegate).toBeUndefined();
  });

  it('to a list of one is followed', async () => {
    const { target } = await partner(async () => ({ answer: 'In the kitchen.' }));
    const { reply } = await asked(
      async () => ({ delegate: [{ to: 'semantic' }] }),
      {},
      { targets: delegateTo({ semantic: target }) },
    );
    expect(reply.answer).toBe('In the kitchen.');
  });

  it.each([
    ['hands it on once more', { delegate: { to: 'memory' } }],
    ['answers something that is no Response', { text: 'In the kitchen.' }],
  ])('fails when the target %s', async (_, body) => {
    const guard = contextGuard({ ...(await identityOf('semantic')), access: 'signed', log: () => undefined });
    const { target } = targetOf(
      new Hono<GuardedEnv>().use(guard).post('/librarians/semantic/ask', (c) => c.json(body)),
    );
    const { status, reply } = await asked(handsOn, {}, { targets: delegateTo({ semantic: target }) });
    expect([status, reply.error.code, reply.error.librarian]).toEqual([502, 'DELEGATION_FAILED', 'semantic']);
  });

  it('is cancelled at the target when the caller disconnects', { timeout: 10_000 }, async () => {
    const controller = new AbortController();
    const seen = Promise.withResolvers<AbortSignal | undefined>();
    const { target } = await partner((_, context) => {
      seen.resolve(context?.signal);
      return new Promise(() => undefined);
    });
    const app = await serve(handsOn, { targets: delegateTo({ semantic: target }) });
    const asking = ask('navigator', {
      fetch: (request) => app.fetch(new Request(request, { signal: controller.signal })),
    });
    const signal = await seen.promise;
    controller.abort();
    expect((await asking).answer).toMatchObject({ ok: true, status: 504 });
    expect(signal?.aborted).toBe(true);
  });

  it('fails when the answer was altered in transit', async () => {
    const app = await serve(async () => ({ answer: 'In the kitchen.' }), {}, 'semantic');
    const { target } = targetOf(app, (response) => new Response('{"answer":"Nowhere."}', response));
    const { status, reply } = await asked(handsOn, {}, { targets: delegateTo({ semantic: target }) });
    expect([status, reply.error.code]).toEqual([502, 'DELEGATION_FAILED']);
  });
});
