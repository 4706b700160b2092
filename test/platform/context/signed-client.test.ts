import { globSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { serveLibrarian } from '../../../src/librarians/serve/serve-librarian.ts';
import { identityFrom } from '../../../src/platform/context/identity.ts';
import { signedClient } from '../../../src/platform/context/signed-client.ts';
import { callFrom, identityOf, targetOf, userContext } from './callers.ts';

type SignedRequest = Parameters<ReturnType<typeof signedClient>['call']>[1];

const quiet = { log: () => undefined };
const INFO = { id: 'navigator', name: 'Navigator' };
const navigator = async (answer = 'Under the mat.') =>
  serveLibrarian(async () => ({ answer }), INFO, { ...(await identityOf('navigator')), ...quiet });

const ASK = {
  to: 'navigator',
  path: '/librarians/navigator/ask',
  body: { query: 'Where is the key?' },
};

interface Asking {
  tamper?: Parameters<typeof targetOf>[1];
  context?: ReturnType<typeof userContext>;
  answer?: string;
}
/** The gateway asks a navigator; request and answer may be changed. */
const asking = async (
  request: Partial<SignedRequest> = {},
  { tamper, context = userContext(), answer }: Asking = {},
) => {
  const { target, requests } = targetOf(await navigator(answer), tamper);
  const targets = { navigator: target, gateway: target, unlisted: target };
  const called = await callFrom('gateway', context, { targets, request: { ...ASK, ...request } });
  return { ...called, requests };
};

/** The gateway calls a navigator with this handler. */
const calling = (
  fetch: (request: Request) => Response | Promise<Response>,
  request: Partial<SignedRequest> = {},
) => {
  const targets = { navigator: { fetch: async (received: Request) => fetch(received) } };
  return callFrom('gateway', userContext(), { targets, request: { ...ASK, ...request } });
};
const SPAN = { spanId: expect.stringMatching(/^[0-9a-f]{16}$/) };
const unanswered = () => new Promise<Response>(() => undefined);

afterEach(() => void vi.useRealTimers());

describe('signedClient()', () => {
  it('returns the response bytes, parses them on request, and returns the receipt and the span id', async () => {
    const { answer, requests } = await asking();
    if (!answer.ok) throw new Error('refused');
    expect(new TextDecoder().decode(answer.body)).toBe('{"answer":"Under the mat."}');
    const { status, contentType } = answer;
    expect([status, contentType, answer.json()]).toEqual([
      200,
      'application/json',
      { answer: 'Under the mat.' },
    ]);
    expect(await answer.receiptHash()).toMatch(/^[\w-]{43}$/);
    expect(answer.receiptText.split('.').length).toBe(3);
    expect(requests[0]?.headers.get('traceparent')).toContain(answer.spanId);
  });
  it('sends bytes and text unchanged, with a traceparent from the context and a signature for each call', async () => {
    const context = userContext();
    const headers: (string | null)[][] = [];
    for (const body of ['{"query": "a"}', new TextEncoder().encode('{"query":"b" }')]) {
      const { answer, requests } = await asking({ body }, { context });
      expect(answer).toMatchObject({ ok: true, status: 200 });
      expect(await requests[0]?.text()).toBe(typeof body === 'string' ? body : '{"query":"b" }');
      headers.push(
        ['Context-Token', 'traceparent'].map((name) => requests[0]?.headers.get(name) ?? null),
      );
    }
    const [[token, trace] = [], [otherToken, otherTrace] = []] = headers;
    expect(trace).toMatch(new RegExp(`^00-${context.traceId}-[0-9a-f]{16}-01$`));
    expect([token === otherToken, trace === otherTrace]).toEqual([false, false]);
  });
  it.each(['team.500', '7', 'a.0x1', 'xn--a', 'a..b', 'a-'])(
    'calls an id that is not a host name: %s',
    async (id) => {
      const variables = { ENVIRONMENT: 'development', CONTEXT_LOCAL_LIBRARIANS: id };
      const options = { ...(await identityFrom(variables, id)), ...quiet };
      const app = serveLibrarian(async () => ({ answer: 'x' }), { id, name: 'Odd' }, options);
      const gateway = await identityFrom(variables, 'gateway');
      const client = signedClient({ ...gateway, targets: { [id]: targetOf(app).target } });
      const request = { to: id, path: `/librarians/${id}/ask`, body: { query: 'Where?' } };
      expect(await client.call(userContext(), request)).toMatchObject({ ok: true, status: 200 });
    },
  );
  it.each<[string, Partial<SignedRequest>, string]>([
    ['itself', { to: 'gateway' }, 'LOOP_DETECTED'],
    ['a librarian without a binding', { to: 'memory' }, 'DELEGATION_FAILED'],
    ['a librarian outside the directory', { to: 'unlisted' }, 'DELEGATION_FAILED'],
    ['a property of every object', { to: 'constructor' }, 'DELEGATION_FAILED'],
    ['a path without a scheme', { path: '//evil.example/' }, 'DELEGATION_FAILED'],
    ['a path that is an address', { path: 'https://evil.example/' }, 'DELEGATION_FAILED'],
    ['a path that is a name', { path: 'evil' }, 'DELEGATION_FAILED'],
  ])('T22 sends nothing to %s', async (_, request, code) => {
    const { answer, requests } = await asking(request);
    expect(answer).toMatchObject({
      ok: false,
      error: { code, librarian: request.to ?? 'navigator' },
    });
    expect(requests).toEqual([]);
  });
  it.each(['with a body', 'without a body'])(
    'T22 does not send the token to a redirect target, %s',
    async (which) => {
      const { requests } = await asking(
        which === 'with a body' ? {} : { path: '/librarians/navigator', body: undefined },
      );
      expect(requests.map(({ redirect }) => redirect)).toEqual(['manual']);
    },
  );
  it('T22 is the only code that attaches the token', () => {
    const sources = globSync(['src/**/*.ts', 'functions/**/*.ts'], {
      exclude: ['src/documents/node/**'],
    });
    const attaches = /CONTEXT_HEADER\]|set\(['"`]context-token/i;
    const attaching = sources.filter((file) => attaches.test(readFileSync(file, 'utf8')));
    expect(attaching).toEqual(['src/platform/context/signed-client.ts']);
  });
  it.each<[string, (response: Response) => Response]>([
    ['altered', (response) => new Response('{"answer":"Pay mallory."}', response)],
    ['of another status', ({ body, headers }) => new Response(body, { status: 203, headers })],
    ['without a receipt', ({ body, status }) => new Response(body, { status })],
    ['an error page', () => new Response('<h1>502</h1>', { status: 502 })],
  ])('T26 rejects an answer that is %s', async (_, tamper) => {
    const error = { code: 'DELEGATION_FAILED', librarian: 'navigator', recoverable: true };
    expect((await asking({}, { tamper })).answer).toMatchObject({ ok: false, error });
  });
  it('T26 refuses the response to an earlier call', async () => {
    let first: Response | undefined;
    const tamper = (response: Response) => {
      first ??= response;
      return first.clone();
    };
    expect((await asking({}, { tamper })).answer.ok).toBe(true);
    expect((await asking({}, { tamper })).answer.ok).toBe(false);
  });
  it('cancels the body of a response without a receipt', async () => {
    const cancel = vi.fn();
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(10)),
      cancel,
    });
    const { answer } = await calling(() => new Response(endless));
    expect([answer.ok, cancel.mock.calls.length]).toEqual([false, 1]);
  });
  it('times out at the deadline when the target does not respond', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const received = Promise.withResolvers<AbortSignal>();
    const hang = ({ signal }: Request) => {
      received.resolve(signal);
      return unanswered();
    };
    const call = calling(hang, { timeoutMs: 50 });
    const signal = await received.promise;
    vi.advanceTimersByTime(50);
    const error = { code: 'TIMEOUT', librarian: 'navigator' };
    expect((await call).answer).toMatchObject({
      ok: false,
      why: 'timeout',
      sent: true,
      error,
      ...SPAN,
    });
    expect(signal.aborted).toBe(true);
  });
  it('cancels the call when the caller aborts, and sends nothing when it already has', async () => {
    const controller = new AbortController();
    const aborting = () => {
      controller.abort();
      return unanswered();
    };
    const { answer } = await calling(aborting, { signal: controller.signal });
    expect(answer).toMatchObject({ ok: false, error: { code: 'TIMEOUT' } });
    const early = await asking({ signal: AbortSignal.abort() });
    expect(early.answer).toMatchObject({
      ok: false,
      why: 'refused',
      sent: false,
      error: { code: 'TIMEOUT' },
    });
    expect(early.requests).toEqual([]);
  });
  it.each<[string, string, () => Response | Promise<Response>]>([
    ['lost in transit', 'transport', () => Promise.reject(new TypeError('connection lost'))],
    ['answered without a receipt', 'receipt', () => new Response('{}')],
    ['answered with an invalid receipt', 'receipt', () => withReceipt('{}', 'x')],
    ['answered with too much', 'unusable', () => withReceipt('x'.repeat(2000), 'x')],
  ])('reports that a call was %s, and logs it without the question', async (_, why, fetch) => {
    const { answer, lines } = await calling(fetch, { maxAnswerBytes: 1000 });
    const error = { code: 'DELEGATION_FAILED', librarian: 'navigator' };
    expect(answer).toMatchObject({ ok: false, why, sent: true, error, ...SPAN });
    expect(lines).toMatchObject([
      { event: 'fault', where: 'call navigator', cause: expect.any(String) },
    ]);
    expect(JSON.stringify(lines)).not.toContain('key?');
  });
  it('reports that a call was refused locally or cancelled', async () => {
    const refused = await callFrom('gateway', userContext(), { targets: {}, request: ASK });
    expect(refused.answer).toMatchObject({ why: 'refused', sent: false, spanId: undefined });
    const controller = new AbortController();
    // Fails when it is aborted, like fetch.
    const leaving = ({ signal }: Request) => {
      controller.abort();
      return Promise.reject(signal.reason);
    };
    const { answer } = await calling(leaving, { signal: controller.signal });
    expect(answer).toMatchObject({ why: 'given-up', sent: true, error: { code: 'TIMEOUT' } });
  });
});

const withReceipt = (body: string, receipt: string) =>
  new Response(body, { headers: { 'Context-Receipt': receipt } });
