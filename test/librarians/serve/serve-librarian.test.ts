import { afterEach, describe, expect, it, vi } from 'vitest';
import { ModelUnavailable } from '../../../src/ai/openai-chat.ts';
import type { Context, Librarian } from '../../../src/contract/core/librarian.ts';
import type { LibrarianResponse } from '../../../src/contract/core/response.ts';
import { delegateTo } from '../../../src/librarians/delegation/delegates.ts';
import {
  type ServeOptions,
  serveLibrarian,
} from '../../../src/librarians/serve/serve-librarian.ts';
import { ModelBudgetSpent } from '../../../src/platform/context/model-budget.ts';
import { DataSourceError } from '../../../src/platform/http/coded-error.ts';
import {
  type App,
  ask,
  identityOf,
  notebook,
  targetOf,
  userContext,
} from '../../platform/context/callers.ts';

type ServedLibrarian = Parameters<typeof serveLibrarian>[0];

const INFO = {
  id: 'navigator',
  name: 'Navigator',
  description: 'Knows where things are.',
  capabilities: ['kb:read'],
};

const serve = async (
  librarian: ServedLibrarian,
  options: Partial<ServeOptions> = {},
  id = 'navigator',
) =>
  serveLibrarian(
    librarian,
    { ...INFO, id },
    { ...(await identityOf(id)), log: () => undefined, ...options },
  );

/** Serves a librarian, asks it once, and picks what the tests compare. */
const asked = async (
  librarian: ServedLibrarian,
  question: Parameters<typeof ask>[2] = {},
  options: Partial<ServeOptions> = {},
) => {
  const result = await ask('navigator', await serve(librarian, options), question);
  return { ...result, refusal: [result.status, result.reply?.error?.code] };
};
const silent: Librarian = async () => ({ answer: 'x' });

afterEach(() => void vi.useRealTimers());

describe('serveLibrarian() answers', () => {
  const partial = {
    partial: true,
    error: { code: 'DATA_SOURCE_ERROR', message: 'Cannot read one source' },
  } as const;
  it.each<[string, LibrarianResponse]>([
    [
      'with the response of the librarian',
      { answer: 'Under the mat.', sources: [{ name: 'a.md' }], confidence: 0.9 },
    ],
    ['a partial answer that also has an error with 200', { answer: 'Some.', ...partial }],
  ])('%s', async (_, response) => {
    expect(await asked(async () => response)).toMatchObject({ status: 200, reply: response });
    const { partial: _partial, ...unmarked } = response;
    expect((await asked(async () => unmarked)).reply.partial).toBe(response.partial);
  });
  it.each<[string, LibrarianResponse['metadata'], true | undefined]>([
    ['a source that failed', { degraded: ['embeddings'] }, true],
    [
      'a source that failed for a block of its metadata',
      { conversation: { id: 'c', degraded: ['memory'] } },
      true,
    ],
    [
      'a source that failed for its full reply',
      { semantic: { metadata: { degraded: ['texts'] } } },
      true,
    ],
    [
      'a source that failed for one of several parts',
      { parts: [{}, { metadata: { degraded: ['model'] } }] },
      true,
    ],
    ['no source that failed', { degraded: [], navigator: { metadata: {} } }, undefined],
    ['a member of another form', { degraded: 'yes', semantic: null, parts: 7 }, undefined],
  ])('as partial or whole with %s', async (_, metadata, partial) => {
    const { reply } = await asked(async () => ({
      answer: 'Under the mat.',
      confidence: 0.95,
      metadata,
    }));
    expect([reply.answer, reply.partial]).toEqual(['Under the mat.', partial]);
  });
  it('with at most 4,000 characters, and a link to the rest', async () => {
    const sources = [
      { name: 'Notes' },
      { name: 'Keys [old]', url: 'https://docs.example.com/keys' },
    ];
    const { reply } = await asked(async () => ({
      answer: 'The key is under the mat. '.repeat(200),
      sources,
    }));
    expect(reply.answer.length).toBeLessThanOrEqual(4000);
    const end = 'Read on in [Keys \\[old\\]](https://docs.example.com/keys).*';
    expect(reply.answer.slice(3700)).toContain(
      `the mat.\n\n*Shortened: the whole answer is longer. ${end}`,
    );
  });
  it('GET with a description of the librarian, and its example questions if any, without authentication', async () => {
    const described = async (examples?: string[]) => {
      const options = { ...(await identityOf('navigator')), log: () => undefined };
      const app = serveLibrarian(silent, { ...INFO, ...(examples && { examples }) }, options);
      return (await app.request('/librarians/navigator')).json();
    };
    const keys = [{ kid: 'dev.navigator.1', x: expect.any(String) }];
    expect(await described()).toMatchObject({ ...INFO, access: 'signed', keys });
    expect(await described()).not.toHaveProperty('examples');
    expect(await described(['Where is the key?'])).toMatchObject({
      examples: ['Where is the key?'],
    });
  });
  it('an unknown path with NOT_FOUND', async () => {
    const response = await (await serve(silent)).request('/librarians/support');
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });
  it('a caller without the capability with UNAUTHORIZED', async () => {
    const { status, reply } = await asked(silent, {
      context: userContext({ capabilities: ['sql:read'] }),
    });
    expect([status, reply.error.details]).toEqual([401, { missing: 'kb:read' }]);
  });
  it.each([
    [0.59, true],
    [0.6, undefined],
  ])(
    'a confidence of %d as partial: %s, also when its librarian does not mark it',
    async (confidence, partial) => {
      const { reply } = await asked(async () => ({ answer: 'Perhaps.', confidence }));
      expect([reply.answer, reply.partial]).toEqual(['Perhaps.', partial]);
    },
  );
  it.each([
    ['empty', ' ', /query/],
    ['of control characters', '\u0000\u0007\u001b', /query/],
    ['of 100,000 characters', 'x'.repeat(100_000), /query/],
    ['no text', 7, /query/],
    [
      'an object that cannot be compared',
      { length: { valueOf: 0, toString: 0 } },
      /cannot be read/,
    ],
  ])('a question that is %s with INVALID_QUERY', async (_, query, message) => {
    const { refusal, reply } = await asked(silent, { query });
    expect([refusal, reply.error.message]).toEqual([
      [400, 'INVALID_QUERY'],
      expect.stringMatching(message),
    ]);
  });
  it('a question in Chinese', async () => {
    const { reply } = await asked(async (query) => ({ answer: query }), {
      query: ' 钥匙在哪里？ ',
    });
    expect(reply.answer).toBe('钥匙在哪里？');
  });
});

describe('the context of a librarian', () => {
  const contextOf = async (
    question: Parameters<typeof ask>[2] = {},
    options: Partial<ServeOptions> = {},
  ) => {
    let seen: Context = {};
    const librarian: Librarian = async (_, context) => {
      expect(context?.signal?.aborted).toBe(false);
      seen = context ?? {};
      return { answer: 'x' };
    };
    await asked(librarian, question, options);
    return seen;
  };
  it('has the user, the trace, the chain, the remaining time, and the metadata of the caller', async () => {
    const context = userContext({ timeoutMs: 5000 });
    const seen = await contextOf({ context, metadata: { device: 'apollo' } });
    expect(seen).toMatchObject({
      librarian: INFO,
      user: {
        id: 'user:u_secret',
        workspaceId: 'default',
        capabilities: ['kb:read'],
        authentication: 'key',
      },
      trace: { traceId: context.traceId, spanId: expect.stringMatching(/^[0-9a-f]{16}$/) },
      delegationChain: ['gateway'],
      metadata: { device: 'apollo' },
    });
    expect(seen.timeout).toBeGreaterThan(0);
    // After the answer.
    expect(seen.signal?.aborted).toBe(true);
    expect(seen.ai).toBeUndefined();
  });
  it('has slightly less time than the caller, so that a TIMEOUT still arrives', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    const timeLeftOf = async (timeoutMs: number) =>
      (await contextOf({ context: userContext({ timeoutMs }) })).timeout;
    expect([await timeLeftOf(5000), await timeLeftOf(100)]).toEqual([4960, 90]);
  });
  it('is deeply frozen', async () => {
    const seen = await contextOf({ metadata: { deep: { list: [{ a: 1 }] } } });
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
    const seen = await contextOf();
    const members = 'availableDelegates delegationChain librarian signal timeout trace user';
    expect(Object.keys(seen).toSorted().join(' ')).toBe(members);
    expect(JSON.stringify(seen)).not.toContain('eyJ');
  });
  it('lists the delegates that can still be asked', async () => {
    const { target } = targetOf(await serve(silent, {}, 'semantic'));
    const slow = { fetch: () => new Promise<Response>(() => undefined) };
    const { target: down } = targetOf(
      await serve(silent, { unavailable: async () => 'no database' }, 'hybrid'),
    );
    const figures = { id: 'analytics', name: 'Figures', capabilities: ['sql:read'] };
    const { target: secret } = targetOf(
      serveLibrarian(silent, figures, await identityOf('analytics')),
    );
    const hidden = { gateway: target, unlisted: target, hybrid: down, analytics: secret };
    const targets = { semantic: target, support: slow, ...hidden };
    const seen = await contextOf({}, { targets: delegateTo(targets) });
    expect(seen.availableDelegates).toEqual([{ ...INFO, id: 'semantic' }, { id: 'support' }]);
  });
  const PARENT = `00-${'a'.repeat(32)}-${'b'.repeat(16)}`;
  it.each<[string | undefined, boolean | undefined, string]>([
    [`${PARENT}-00`, false, '00'],
    [`${PARENT}-01`, true, '01'],
    ['00-short-00', undefined, '01'],
    [`${PARENT}-00-extra`, undefined, '01'],
    [undefined, undefined, '01'],
  ])(
    'ignores the incoming traceparent %s, except for sampling, which it passes on',
    async (parent, sampled, flag) => {
      const context = userContext();
      let seen: Context = {};
      const other = await serve(silent, {}, 'semantic');
      const { target, requests } = targetOf(other);
      const librarian: Librarian = async (_, given) => {
        seen = given ?? {};
        return { delegate: { to: 'semantic' } };
      };
      const app = await serve(librarian, { targets: delegateTo({ semantic: target }) });
      const fetch: App['fetch'] = (request) => {
        const headers = new Headers(request.headers);
        headers.delete('traceparent');
        if (parent !== undefined) headers.set('traceparent', parent);
        return app.fetch(new Request(request, { headers }));
      };
      await ask('navigator', { fetch }, { context });
      expect([seen.trace?.traceId, seen.trace?.sampled]).toEqual([context.traceId, sampled]);
      const sent = new RegExp(`^00-${context.traceId}-[0-9a-f]{16}-${flag}$`);
      expect(requests.at(-1)?.headers.get('traceparent')).toMatch(sent);
    },
  );
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

/** A librarian that never answers, and its context. */
const hanging = () => {
  const { promise, resolve } = Promise.withResolvers<Context | undefined>();
  const librarian: Librarian = (_, context) => {
    resolve(context);
    return new Promise(() => undefined);
  };
  return { librarian, given: promise };
};

/** Asks a navigator, and disconnects once the hanging librarian behind it was asked. */
const disconnected = async (app: App, given: Promise<Context | undefined>) => {
  const controller = new AbortController();
  const hasty: App = {
    fetch: (request) => app.fetch(new Request(request, { signal: controller.signal })),
  };
  const asking = ask('navigator', hasty);
  const seen = await given;
  controller.abort();
  return { answer: (await asking).answer, signal: seen?.signal };
};

describe('a librarian that misbehaves', () => {
  const SECRET = 'secret: sk-123';
  const throws = () => {
    throw new Error(SECRET);
  };
  it.each<[string, () => unknown, status: number, code: string]>([
    ['throws', throws, 500, 'INTERNAL_ERROR'],
    ['rejects', () => Promise.reject(new Error(SECRET)), 500, 'INTERNAL_ERROR'],
    ['rejects with no error', () => Promise.reject(SECRET), 500, 'INTERNAL_ERROR'],
    [
      'rejects with a code',
      () => Promise.reject(new DataSourceError(SECRET)),
      502,
      'DATA_SOURCE_ERROR',
    ],
    [
      'returns an error',
      async () => ({ error: { code: 'NOT_FOUND', message: 'No key' } }),
      404,
      'NOT_FOUND',
    ],
    ['returns nothing', async () => undefined, 500, 'INTERNAL_ERROR'],
    ['returns an empty object', async () => ({}), 500, 'INTERNAL_ERROR'],
    [
      'returns an invalid answer',
      async () => ({ answer: 42, confidence: 0.9 }),
      500,
      'INTERNAL_ERROR',
    ],
    [
      'returns an invalid delegate',
      async () => ({ delegate: { to: 'No such' } }),
      500,
      'INTERNAL_ERROR',
    ],
    [
      'returns a nameless source',
      async () => ({ answer: 'x', sources: [{}] }),
      500,
      'INTERNAL_ERROR',
    ],
    [
      'returns an unknown code',
      async () => ({ error: { code: 'OOPS', message: SECRET } }),
      500,
      'INTERNAL_ERROR',
    ],
    ['returns text', async () => SECRET, 500, 'INTERNAL_ERROR'],
  ])('%s: %d %s, without its text', async (_, misbehave, status, code) => {
    const { lines, log } = notebook();
    const { refusal, reply } = await asked(misbehave as Librarian, {}, { log });
    expect(refusal).toEqual([status, code]);
    expect(JSON.stringify(reply)).not.toContain('sk-123');
    if (status >= 500) expect(lines[0]).toMatchObject({ event: 'fault', where: 'librarian', code });
  });
  const unreachable = new ModelUnavailable('unavailable', 'Cannot reach 10.0.0.7', {
    retryAfterMs: 1500,
  });
  it.each([
    [
      'that cannot be reached',
      unreachable,
      { recoverable: true, details: { retry_after_seconds: 2 } },
    ],
    ['beyond the budget', new ModelBudgetSpent(), { recoverable: false }],
  ])('needs a model %s: AI_UNAVAILABLE, with the question', async (_, error, expected) => {
    const { refusal, reply } = await asked(() => Promise.reject(error), { query: 'Where is it?' });
    expect(refusal).toEqual([503, 'AI_UNAVAILABLE']);
    const { recoverable, details } = reply.error;
    expect({ query: reply.error.query, recoverable, details }).toEqual({
      query: 'Where is it?',
      ...expected,
    });
    expect(JSON.stringify(reply)).not.toContain('10.0.0.7');
  });
  it('keeps an answer with faulty optional fields, and names the omitted ones', async () => {
    const sources = [
      { name: 'a.md', url: 'javascript:alert(1)', relevance: 0.9 },
      { name: 'b.md', relevance: 7 },
    ];
    const faulty = {
      answer: 'Under the mat.',
      confidence: 2,
      partial: 'no',
      sources,
      metadata: { at: 1n },
    };
    const { reply } = await asked((async () => faulty) as unknown as Librarian);
    const omitted = ['sources.0.url', 'sources.1.relevance', 'confidence', 'partial', 'metadata'];
    const warnings = omitted.map((path) => expect.stringMatching(`^${path}: .*; it was left out$`));
    const kept = [{ name: 'a.md', relevance: 0.9 }, { name: 'b.md' }];
    expect(reply).toEqual({ answer: 'Under the mat.', sources: kept, metadata: { warnings } });
  });
  it('warns about recommendations that an answer does not follow', async () => {
    const { reply } = await asked(async () => ({
      answer: 'x'.repeat(4001),
      sources: [{ name: 'a' }, { name: 'a' }],
    }));
    const warnings = ['answer: is longer than 4000 characters', 'sources: names a source twice'];
    expect(reply?.metadata?.warnings).toEqual(warnings);
  });
  it('gets TIMEOUT and an aborted signal when it never settles', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { librarian, given } = hanging();
    const asking = asked(librarian, { context: userContext({ timeoutMs: 1000 }) });
    const seen = await given;
    vi.advanceTimersByTime(seen?.timeout ?? 0);
    expect(seen?.signal?.aborted).toBe(true);
    // In time for the caller, whose deadline is slightly later.
    expect((await asking).answer).toMatchObject({ ok: true, status: 504 });
  });
  it('gets an aborted signal when the caller disconnects', async () => {
    const { librarian, given } = hanging();
    const { answer, signal } = await disconnected(await serve(librarian), given);
    expect(signal?.aborted).toBe(true);
    expect(answer).toMatchObject({ ok: true, status: 504 });
  });
});

describe('a delegated question', () => {
  const delegate = { to: 'semantic', query: 'Where exactly?', context: { reason: 'place' } };
  const delegating: Librarian = async () => ({ delegate });
  /** Asks a navigator that delegates to `semantic`. */
  const delegated = async (target: ServedLibrarian, question: Parameters<typeof ask>[2] = {}) => {
    const { target: served } = targetOf(await serve(target, {}, 'semantic'));
    return asked(delegating, question, { targets: delegateTo({ semantic: served }) });
  };
  it('reaches the target with the new query and context, on an extended chain', async () => {
    const seen: unknown[] = [];
    const kitchen: Librarian = async (query, context) => {
      seen.push(query, context);
      return { answer: 'In the kitchen.', confidence: 0.9 };
    };
    const { status, reply } = await delegated(kitchen, { metadata: { device: 'apollo' } });
    expect([status, reply]).toMatchObject([200, { answer: 'In the kitchen.', confidence: 0.9 }]);
    const metadata = { device: 'apollo', reason: 'place' };
    const context = {
      delegationChain: ['gateway', 'navigator'],
      metadata,
      user: { id: 'user:u_secret' },
    };
    expect(seen).toMatchObject(['Where exactly?', context]);
  });
  it('returns the error of the target with its status', async () => {
    const missing: Librarian = async () => ({
      error: { code: 'NOT_FOUND', message: 'Cannot find it' },
    });
    expect((await delegated(missing)).refusal).toEqual([404, 'NOT_FOUND']);
  });
  it('is not sent when the target does not exist', async () => {
    const others = { analytics: { fetch: () => Promise.reject(new Error('not asked')) } };
    for (const targets of [undefined, delegateTo(others)]) {
      const { refusal, reply } = await asked(delegating, {}, { targets });
      expect([...refusal, reply.error.librarian]).toEqual([502, 'DELEGATION_FAILED', 'semantic']);
      const binding = /functions\/navigator\/wrangler\.toml.*"SEMANTIC".*"constellation-semantic"/;
      expect(reply.error.suggestion).toMatch(binding);
    }
  });
  it('that fails keeps the own answer as partial, and names the gap', async () => {
    const unsure = { answer: 'Perhaps inside.', confidence: 0.5, delegate: { to: 'semantic' } };
    const { status, reply } = await asked(async () => unsure);
    expect([status, reply.answer, reply.partial]).toEqual([200, 'Perhaps inside.', true]);
    expect(reply.metadata.delegationError.code).toBe('DELEGATION_FAILED');
    expect(reply.delegate).toBeUndefined();
  });
  it('is cancelled at the target when the caller disconnects', async () => {
    const { librarian, given } = hanging();
    const { target } = targetOf(await serve(librarian, {}, 'semantic'));
    const app = await serve(delegating, { targets: delegateTo({ semantic: target }) });
    const { answer, signal } = await disconnected(app, given);
    expect(answer).toMatchObject({ ok: true, status: 504 });
    expect(signal?.aborted).toBe(true);
  });
});
