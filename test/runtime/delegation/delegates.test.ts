import { describe, expect, it } from 'vitest';
import type { DelegateRequest } from '../../../src/contract/delegate-request.ts';
import type { Context, Librarian } from '../../../src/contract/librarian.ts';
import type { LibrarianResponse } from '../../../src/contract/response.ts';
import { serveLibrarian } from '../../../src/runtime/serve-librarian.ts';
import { userContext } from '../neighbours.ts';
import { handsOnTo, says, silent, type Tamper, town } from './town.ts';

const fails =
  (code: NonNullable<LibrarianResponse['error']>['code']): Librarian =>
  async () => ({ error: { code, message: 'It cannot be done' } });

const codesOf = (responses: LibrarianResponse[]) => responses.map(({ error }) => error?.code);

describe('Delegates.ask()', () => {
  it('asks all at once and gives the branches in the order of the requests', async () => {
    const open = Promise.withResolvers<void>();
    const waits: Librarian = async () => {
      await open.promise;
      return { answer: 'first' };
    };
    const opens: Librarian = async () => {
      open.resolve();
      return { answer: 'second' };
    };
    const { ask } = await town({ a: waits, b: opens });
    const { branches } = await ask([{ to: 'a' }, { to: 'b', query: 'Where exactly?' }]);
    expect(branches).toMatchObject([
      { to: 'a', query: 'Where is the key?', response: { answer: 'first' } },
      { to: 'b', query: 'Where exactly?', response: { answer: 'second' } },
    ]);
  });

  it('sends the refined question, with its context merged into the metadata of the request', async () => {
    const { ask, arrivals } = await town({ a: says('x') });
    await ask([{ to: 'a', query: 'Where exactly?', context: { reason: 'place', device: 'apollo 2' } }], undefined, {
      metadata: { device: 'apollo', language: 'en' },
    });
    expect(arrivals[0]?.body).toEqual({
      query: 'Where exactly?',
      metadata: { device: 'apollo 2', language: 'en', reason: 'place' },
    });
  });

  it.each<[string, DelegateRequest]>([
    ['more metadata than a request may have', { to: 'a', fallback: 'b', context: { text: 'x'.repeat(9000) } }],
    ['an empty question', { to: 'a', fallback: 'b', query: ' ' }],
    ['a question of 4,001 characters', { to: 'a', fallback: 'b', query: 'x'.repeat(4001) }],
  ])('refuses %s with INVALID_QUERY and sends nothing', async (_, request) => {
    const { ask, arrivals } = await town({ a: says('x'), b: says('y') });
    const { responses } = await ask([request], undefined, { metadata: { more: 'y'.repeat(9000) } });
    expect(codesOf(responses)).toEqual(['INVALID_QUERY']);
    expect(responses[0]?.error?.message).toMatch(/^Cannot hand the question on: /);
    expect(arrivals).toEqual([]);
  });

  it.each(['Not an id', '', 'https://evil.example'])('refuses what is not an id and sends nothing: %j', async (id) => {
    const { ask, arrivals } = await town({ a: says('x') });
    const { responses, trace } = await ask([{ to: id }, { to: 'a', fallback: id }]);
    expect(codesOf(responses)).toEqual(['DELEGATION_FAILED', 'DELEGATION_FAILED']);
    expect([arrivals, trace.hops.map(({ to }) => to)]).toEqual([[], ['a']]);
  });

  it('tells an error of the target as it is, with its name', async () => {
    const { ask } = await town({ a: fails('NOT_FOUND') });
    const { responses } = await ask([{ to: 'a' }]);
    expect(responses).toEqual([{ error: { code: 'NOT_FOUND', message: 'It cannot be done', librarian: 'a' } }]);
  });

  it.each<[string, string]>([
    ['hands the question on itself', '{"delegate":{"to":"b"}}'],
    ['answers beside a delegation', '{"answer":"x","delegate":{"to":"b"}}'],
    ['sends what is no Response', '{"text":"x"}'],
    ['sends what is no JSON', '<h1>502</h1>'],
    ['sends nothing', ''],
    ['sends a list', '[]'],
  ])('fails with DELEGATION_FAILED when the target %s', async (_, body) => {
    const { ask, apps, variables } = await town({ a: says('x'), b: says('y') });
    apps.set('a', await signing('a', variables, body));
    const { responses, trace } = await ask([{ to: 'a' }]);
    expect(responses[0]?.error).toMatchObject({ code: 'DELEGATION_FAILED', librarian: 'a', recoverable: true });
    expect(trace.hops).toMatchObject([{ outcome: 'DELEGATION_FAILED', attempts: 1, verified: true }]);
  });

  it('fails with DELEGATION_FAILED when the answer is huge', async () => {
    const { ask, apps, variables } = await town({ a: says('x') });
    apps.set('a', await signing('a', variables, JSON.stringify({ answer: 'x', padding: 'x'.repeat(5_000_000) })));
    expect(codesOf((await ask([{ to: 'a' }])).responses)).toEqual(['DELEGATION_FAILED']);
  });

  it.each<[string, Tamper]>([
    ['cannot be reached', () => Promise.reject(new TypeError('connection lost'))],
    ['answers without a receipt', async (_to, _request, pass) => new Response((await pass()).body)],
    ['is answered for by somebody else', () => Response.json({ answer: 'Pay mallory.' })],
    [
      'is changed on the way',
      async (_to, _request, pass) => new Response('{"answer":"Pay mallory."}', { headers: (await pass()).headers }),
    ],
  ])('fails with DELEGATION_FAILED when the target %s', async (_, tamper) => {
    const { ask } = await town({ a: says('x') }, { tamper });
    const { responses, trace, delegates } = await ask([{ to: 'a' }]);
    expect(responses[0]?.error).toMatchObject({ code: 'DELEGATION_FAILED', librarian: 'a' });
    expect(trace.hops).toMatchObject([{ outcome: 'DELEGATION_FAILED', verified: false }]);
    expect([trace.hops[0]?.receipt, delegates.receipts()]).toEqual([undefined, []]);
  });
});

describe('what is refused before anything is sent', () => {
  it('is a loop', async () => {
    const { ask, arrivals } = await town({ a: handsOnTo('b'), b: handsOnTo('a') });
    const { responses } = await ask([{ to: 'a' }]);
    expect(codesOf(responses)).toEqual(['LOOP_DETECTED']);
    expect(arrivals.map(({ to }) => to)).toEqual(['a', 'b']);
  });

  it('is oneself', async () => {
    const { ask, arrivals } = await town({ a: handsOnTo('a') });
    expect(codesOf((await ask([{ to: 'a' }])).responses)).toEqual(['LOOP_DETECTED']);
    expect(codesOf((await ask([{ to: 'gateway' }])).responses)).toEqual(['LOOP_DETECTED']);
    expect(arrivals.map(({ to }) => to)).toEqual(['a']);
  });

  it('is a ninth hop', async () => {
    const ids = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'h7', 'h8', 'h9'];
    const chain = Object.fromEntries(ids.map((id, at) => [id, at < 8 ? handsOnTo(ids[at + 1] ?? '') : says('x')]));
    const { ask, arrivals } = await town(chain);
    const { responses, trace } = await ask([{ to: 'h1' }]);
    expect(codesOf(responses)).toEqual(['MAX_DEPTH_EXCEEDED']);
    expect(arrivals.map(({ to }) => to)).toEqual(ids.slice(0, 8));
    expect(trace.hops.at(-1)).toMatchObject({ from: 'h8', to: 'h9', attempts: 0, outcome: 'MAX_DEPTH_EXCEEDED' });
  });

  it('is a question without time', async () => {
    let skippedMs = 0;
    const { gateway, arrivals } = await town({ a: says('x') }, { now: () => Date.now() + skippedMs });
    const delegates = gateway(userContext({ timeoutMs: 2000 }));
    skippedMs = 2000;
    const [branch] = await delegates.ask([{ to: 'a' }]);
    expect([branch?.response.error?.code, arrivals]).toEqual(['TIMEOUT', []]);
  });

  it('is a question that nobody waits for', async () => {
    const { ask, arrivals } = await town({ a: says('x') });
    const { responses } = await ask([{ to: 'a' }], undefined, { signal: AbortSignal.abort() });
    expect([codesOf(responses), arrivals]).toEqual([['TIMEOUT'], []]);
  });

  it('is a librarian outside the directory', async () => {
    const { ask, arrivals } = await town({ a: says('x') });
    expect(codesOf((await ask([{ to: 'stranger' }])).responses)).toEqual(['DELEGATION_FAILED']);
    expect(arrivals).toEqual([]);
  });

  it('is a ninth question of one hop', async () => {
    const { gateway, arrivals } = await town({ a: says('x') });
    const delegates = gateway(userContext({ budgets: { calls: 100 } }));
    const branches = await delegates.ask(Array.from({ length: 10 }, () => ({ to: 'a' })));
    expect(codesOf(branches.map(({ response }) => response))).toEqual([
      ...Array(8).fill(undefined),
      'DELEGATION_FAILED',
      'DELEGATION_FAILED',
    ]);
    expect(branches[9]?.response.error).toMatchObject({ recoverable: false, message: expect.stringContaining('8') });
    const [late] = await delegates.ask([{ to: 'a' }]);
    expect([late?.response.error?.code, arrivals.length]).toEqual(['DELEGATION_FAILED', 8]);
  });
});

describe('what a receiver refuses by itself', () => {
  it('is a bad token, also where strangers are let in: it is never taken for none', async () => {
    const tamper: Tamper = (to, request, pass) => {
      const token = request.headers.get('Context-Token') ?? '';
      if (to === 'a') request.headers.set('Context-Token', `${token.slice(0, -2)}AA`);
      return pass();
    };
    let asked = 0;
    const counting: Librarian = async () => {
      asked += 1;
      return { answer: 'x' };
    };
    const anonymous = { workspace: 'default', capabilities: ['kb:public'], secret: 's' };
    const { ask } = await town({ a: counting }, { tamper, options: { access: 'public', anonymous } });
    const { responses, trace } = await ask([{ to: 'a' }]);
    expect(responses[0]?.error).toMatchObject({ code: 'DELEGATION_FAILED', librarian: 'a' });
    expect([asked, trace.hops[0]?.verified]).toEqual([0, false]);
  });

  it('is a caller without the right, which is told as UNAUTHORIZED', async () => {
    const { ask, apps, variables } = await town({ a: says('x') });
    const { identityFrom } = await import('../../../src/runtime/identity.ts');
    const info = { id: 'a', name: 'A', capabilities: ['sql:read'] };
    apps.set('a', serveLibrarian(says('x'), info, { ...(await identityFrom(variables, 'a')), log: () => undefined }));
    expect(codesOf((await ask([{ to: 'a' }])).responses)).toEqual(['UNAUTHORIZED']);
  });
});

describe('the fallback', () => {
  it.each([
    'INVALID_QUERY',
    'UNAUTHORIZED',
    'NOT_FOUND',
    'RATE_LIMITED',
    'INTERNAL_ERROR',
    'TIMEOUT',
    'SERVICE_UNAVAILABLE',
    'DELEGATION_FAILED',
    'AI_UNAVAILABLE',
    'DATA_SOURCE_ERROR',
  ] as const)('is asked the same when the target answers with %s', async (code) => {
    const { ask, arrivals } = await town({ a: fails(code), b: says('In the kitchen.') });
    const { branches, trace } = await ask([{ to: 'a', fallback: 'b', query: 'Where exactly?' }]);
    expect(branches).toMatchObject([{ to: 'b', response: { answer: 'In the kitchen.' } }]);
    expect(arrivals.at(-1)?.body.query).toBe('Where exactly?');
    expect(trace.hops).toMatchObject([
      { to: 'a', outcome: code },
      { to: 'b', outcome: 'answer' },
    ]);
  });

  it.each(['LOOP_DETECTED', 'MAX_DEPTH_EXCEEDED'] as const)('is not asked when the target reports %s', async (code) => {
    const { ask, arrivals } = await town({ a: fails(code), b: says('x') });
    const { branches } = await ask([{ to: 'a', fallback: 'b' }]);
    expect(branches).toMatchObject([{ to: 'a', response: { error: { code } } }]);
    expect(arrivals.length).toBe(1);
  });

  it('is asked where the target itself would be a loop', async () => {
    const back: Librarian = async () => ({ delegate: { to: 'a', fallback: 'c' } });
    const { ask } = await town({ a: handsOnTo('b'), b: back, c: says('x') });
    expect((await ask([{ to: 'a' }])).responses).toMatchObject([{ answer: 'x' }]);
  });

  it('is not asked when the target answers with an error beside the answer', async () => {
    const partial: Librarian = async () => ({ answer: 'Some.', error: { code: 'DATA_SOURCE_ERROR', message: 'Gap' } });
    const { ask, trace } = { ...(await town({ a: partial, b: says('x') })), trace: undefined };
    const { branches, trace: seen } = await ask([{ to: 'a', fallback: 'b' }]);
    expect([branches[0]?.to, branches[0]?.response.answer, trace]).toEqual(['a', 'Some.', undefined]);
    expect(seen.hops).toMatchObject([{ outcome: 'partial' }]);
  });

  it('that fails too leaves the error of the target, with its own code in the details', async () => {
    const { ask } = await town({ a: fails('NOT_FOUND'), b: fails('RATE_LIMITED') });
    const { branches } = await ask([{ to: 'a', fallback: 'b' }]);
    expect(branches).toMatchObject([
      {
        to: 'b',
        response: {
          error: {
            code: 'NOT_FOUND',
            librarian: 'a',
            details: { fallback: { librarian: 'b', code: 'RATE_LIMITED' } },
          },
        },
      },
    ]);
  });

  it('has time left when the target never answers', async () => {
    const { ask } = await town({ a: silent, b: says('x') });
    const { responses } = await ask([{ to: 'a', fallback: 'b' }], userContext({ timeoutMs: 500 }));
    expect(responses).toMatchObject([{ answer: 'x' }]);
  });
});

describe('a retry', () => {
  const failingOnce = (fail: () => Response | Promise<Response>): Tamper => {
    let count = 0;
    return (_to, _request, pass) => {
      count += 1;
      return count === 1 ? fail() : pass();
    };
  };

  it('follows a call that was lost on the way, signed anew', async () => {
    const tamper = failingOnce(() => Promise.reject(new TypeError('connection lost')));
    const { ask, arrivals } = await town({ a: says('x') }, { tamper });
    const { responses, trace } = await ask([{ to: 'a' }]);
    expect(responses).toMatchObject([{ answer: 'x' }]);
    expect(trace.hops).toMatchObject([{ attempts: 2, outcome: 'answer', verified: true }]);
    expect(arrivals[0]?.links.at(-1).jti).not.toBe(arrivals[1]?.links.at(-1).jti);
    expect(trace.hops[0]?.spanId).toBe(arrivals[1]?.links.at(-1).jti);
  });

  it('follows SERVICE_UNAVAILABLE', async () => {
    let count = 0;
    const second: Librarian = async () => {
      count += 1;
      return count === 2 ? { answer: 'x' } : { error: { code: 'SERVICE_UNAVAILABLE', message: 'Not now' } };
    };
    const { ask } = await town({ a: second });
    expect((await ask([{ to: 'a' }])).responses).toMatchObject([{ answer: 'x' }]);
  });

  it('comes once only', async () => {
    const { ask, arrivals } = await town({ a: fails('SERVICE_UNAVAILABLE') });
    const { responses, trace } = await ask([{ to: 'a' }]);
    expect([codesOf(responses), arrivals.length, trace.hops[0]?.attempts]).toEqual([['SERVICE_UNAVAILABLE'], 2, 2]);
  });

  it.each(['INTERNAL_ERROR', 'TIMEOUT', 'RATE_LIMITED', 'NOT_FOUND', 'INVALID_QUERY', 'DELEGATION_FAILED'] as const)(
    'does not follow %s',
    async (code) => {
      const { ask, arrivals } = await town({ a: fails(code) });
      await ask([{ to: 'a' }]);
      expect(arrivals.length).toBe(1);
    },
  );

  it('does not follow a call that was not answered in time, nor one without time for another', async () => {
    const { ask, arrivals } = await town({ a: silent, b: fails('SERVICE_UNAVAILABLE') });
    await ask([{ to: 'a' }], userContext({ timeoutMs: 60 }));
    await ask([{ to: 'b' }], userContext({ timeoutMs: 120 }));
    expect(arrivals.map(({ to }) => to)).toEqual(['a', 'b']);
  });
});

describe('cancellation', () => {
  it('reaches every open branch, however far down', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const all = Promise.withResolvers<void>();
    const waits: Librarian = (_, context) => {
      if (signals.push(context?.signal) === 3) all.resolve();
      return new Promise(() => undefined);
    };
    const controller = new AbortController();
    const { gateway } = await town({ a: waits, b: waits, c: handsOnTo('d'), d: waits });
    const asking = gateway(undefined, { signal: controller.signal }).ask([{ to: 'a' }, { to: 'b' }, { to: 'c' }]);
    await all.promise;
    controller.abort();
    const branches = await asking;
    expect(codesOf(branches.map(({ response }) => response))).toEqual(['TIMEOUT', 'TIMEOUT', 'TIMEOUT']);
    await expect.poll(() => signals.map((signal) => signal?.aborted)).toEqual([true, true, true]);
  });
});

describe('the taint rule', () => {
  it.each([
    [['kb:read', 'kb:write', 'helpdesk:write', 'webhook:send'], ['kb:read']],
    [
      ['memory:*', 'sql:read'],
      ['memory:read', 'sql:read'],
    ],
    [['*'], ['kb:read', 'memory:read', 'sql:read', 'web:search', 'support:analyze']],
    [['kb:hr:*', 'webhook:*', 'tool:web'], ['kb:hr:read']],
    [
      ['kb:read', 'web:search'],
      ['kb:read', 'web:search'],
    ],
  ])('hands %j down as %j, here and at every further hop', async (capabilities, expected) => {
    const seen: (readonly string[] | undefined)[] = [];
    const tells: Librarian = async (_, context?: Context) => {
      seen.push(context?.user?.capabilities);
      return context?.delegationChain?.length === 1 ? { delegate: { to: 'b' } } : { answer: 'x' };
    };
    const { ask } = await town({ a: tells, b: tells });
    const { responses } = await ask([{ to: 'a' }], userContext({ capabilities }));
    expect(responses).toMatchObject([{ answer: 'x' }]);
    expect(seen.map((list) => list?.toSorted())).toEqual([expected.toSorted(), expected.toSorted()]);
  });

  it('holds for a librarian that itself got a right to write', async () => {
    let seen: readonly string[] | undefined;
    const tells: Librarian = async (_, context) => {
      seen = context?.user?.capabilities;
      return { answer: 'x' };
    };
    const { client, arrivals } = await town({ a: handsOnTo('b'), b: tells });
    const context = userContext({ capabilities: ['kb:read', 'kb:write'] });
    await client.call(context, { to: 'a', path: '/librarians/a/ask', body: { query: 'Where?' } });
    expect(arrivals[0]?.links.at(-1).cap).toEqual(['kb:read', 'kb:write']);
    expect(seen).toEqual(['kb:read']);
  });
});

/** An app that answers anything, with a valid receipt. */
const signing = async (id: string, variables: Record<string, string>, body: string) => {
  const { Hono } = await import('hono');
  const { contextGuard } = await import('../../../src/runtime/context-guard.ts');
  const { identityFrom } = await import('../../../src/runtime/identity.ts');
  const guard = contextGuard({ ...(await identityFrom(variables, id)), access: 'signed', log: () => undefined });
  return new Hono().use(guard as never).post('/librarians/:id/ask', () => new Response(body === '' ? null : body));
};
