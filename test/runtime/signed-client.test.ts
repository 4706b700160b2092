import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { serveLibrarian } from '../../src/runtime/serve-librarian.ts';
import { signedClient } from '../../src/runtime/signed-client.ts';
import { identityFrom } from '../../src/signing/identity.ts';
import { callFrom, identityOf, targetOf, userContext } from '../signing/callers.ts';

const quiet = { log: () => undefined };
const navigator = async (answer = 'Under the mat.') =>
  serveLibrarian(
    async () => ({ answer }),
    { id: 'navigator', name: 'Navigator' },
    { ...(await identityOf('navigator')), ...quiet },
  );

const ASK = { to: 'navigator', path: '/librarians/navigator/ask', body: { query: 'Where is the key?' } };

afterEach(() => {
  vi.useRealTimers();
});

describe('signedClient()', () => {
  it('returns the response bytes, parses them on request, and returns the receipt', async () => {
    const { target } = targetOf(await navigator());
    const { answer } = await callFrom('gateway', userContext(), { targets: { navigator: target }, request: ASK });
    if (!answer.ok) throw new Error('refused');
    expect(new TextDecoder().decode(answer.body)).toBe('{"answer":"Under the mat."}');
    expect([answer.status, answer.contentType, answer.json()]).toEqual([
      200,
      'application/json',
      { answer: 'Under the mat.' },
    ]);
    expect(await answer.receiptHash()).toMatch(/^[\w-]{43}$/);
  });

  it('sends bytes and text unchanged, and a traceparent rebuilt from the context', async () => {
    const { target, requests } = targetOf(await navigator());
    const context = userContext();
    for (const body of ['{"query": "a"}', new TextEncoder().encode('{"query":"b" }')]) {
      const { answer } = await callFrom('gateway', context, {
        targets: { navigator: target },
        request: { ...ASK, body },
      });
      expect(answer).toMatchObject({ ok: true, status: 200 });
    }
    expect(await Promise.all(requests.map((request) => request.text()))).toEqual(['{"query": "a"}', '{"query":"b" }']);
    expect(requests[0]?.headers.get('traceparent')).toMatch(new RegExp(`^00-${context.traceId}-[0-9a-f]{16}-01$`));
  });

  it.each(['team.500', '7', 'a.0x1', 'xn--a', 'a..b', 'a-'])(
    'calls a librarian whose id is no host name: %s',
    async (id) => {
      const variables = { ENVIRONMENT: 'development', CONTEXT_LOCAL_LIBRARIANS: id };
      const info = { id, name: 'Odd' };
      const app = serveLibrarian(async () => ({ answer: 'x' }), info, {
        ...(await identityFrom(variables, id)),
        ...quiet,
      });
      const client = signedClient({
        ...(await identityFrom(variables, 'gateway')),
        targets: { [id]: targetOf(app).target },
      });
      const answer = await client.call(userContext(), {
        to: id,
        path: `/librarians/${id}/ask`,
        body: { query: 'Where?' },
      });
      expect(answer).toMatchObject({ ok: true, status: 200 });
    },
  );

  it('signs each call separately', async () => {
    const { target, requests } = targetOf(await navigator());
    const context = userContext();
    for (let round = 0; round < 2; round += 1)
      await callFrom('gateway', context, { targets: { navigator: target }, request: ASK });
    for (const name of ['Context-Token', 'traceparent']) {
      const [first, second] = requests.map((request) => request.headers.get(name));
      expect(first).not.toBe(second);
    }
  });

  it.each([
    ['itself', 'gateway', 'LOOP_DETECTED'],
    ['somebody without a binding', 'memory', 'DELEGATION_FAILED'],
    ['somebody outside the directory', 'stranger', 'DELEGATION_FAILED'],
    ['what every object has', 'constructor', 'DELEGATION_FAILED'],
  ])('T22 sends nothing to %s', async (_, to, code) => {
    const { target, requests } = targetOf(await navigator());
    const targets = { navigator: target, gateway: target, stranger: target };
    const { answer } = await callFrom('gateway', userContext(), { targets, request: { ...ASK, to } });
    expect(answer).toMatchObject({ ok: false, error: { code, librarian: to } });
    expect(requests).toEqual([]);
  });

  it.each(['//evil.example/', 'https://evil.example/', 'evil'])(
    'T22 sends nothing to a path that is an address: %s',
    async (path) => {
      const { target, requests } = targetOf(await navigator());
      const { answer } = await callFrom('gateway', userContext(), {
        targets: { navigator: target },
        request: { ...ASK, path },
      });
      expect(answer).toMatchObject({ ok: false, error: { code: 'DELEGATION_FAILED' } });
      expect(requests).toEqual([]);
    },
  );

  it('T22 does not send the token to a redirect target', async () => {
    const { target, requests } = targetOf(await navigator());
    await callFrom('gateway', userContext(), { targets: { navigator: target }, request: ASK });
    expect(requests[0]?.redirect).toBe('manual');
  });

  it('T22 is the only code that attaches the token', () => {
    const sources = ['src', 'functions'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.startsWith('dev/'))
        .map((file) => `${folder}/${file}`),
    );
    const attaching = sources.filter((file) =>
      /CONTEXT_HEADER\]|set\(['"`]context-token/i.test(readFileSync(file, 'utf8')),
    );
    expect(attaching).toEqual(['src/runtime/signed-client.ts']);
  });

  it.each([
    ['altered', (response: Response) => new Response('{"answer":"Pay mallory."}', response)],
    [
      'of another status',
      (response: Response) => new Response(response.body, { status: 203, headers: response.headers }),
    ],
    ['without a receipt', (response: Response) => new Response(response.body, { status: response.status })],
    ['an error page', () => new Response('<h1>502</h1>', { status: 502 })],
  ])('T26 does not believe an answer that is %s', async (_, tamper) => {
    const { target } = targetOf(await navigator(), tamper);
    const { answer } = await callFrom('gateway', userContext(), { targets: { navigator: target }, request: ASK });
    expect(answer).toMatchObject({
      ok: false,
      error: { code: 'DELEGATION_FAILED', librarian: 'navigator', recoverable: true },
    });
  });

  it('T26 refuses the response to an earlier call', async () => {
    let first: Response | undefined;
    const { target } = targetOf(await navigator(), (response) => {
      first ??= response;
      return first.clone();
    });
    const answers = [];
    for (let round = 0; round < 2; round += 1) {
      answers.push(
        (await callFrom('gateway', userContext(), { targets: { navigator: target }, request: ASK })).answer.ok,
      );
    }
    expect(answers).toEqual([true, false]);
  });

  it('refuses an answer that is too large', async () => {
    const { target } = targetOf(await navigator('x'.repeat(2000)));
    const request = { ...ASK, maxAnswerBytes: 1000 };
    const { answer } = await callFrom('gateway', userContext(), { targets: { navigator: target }, request });
    expect(answer).toMatchObject({ ok: false, error: { code: 'DELEGATION_FAILED' } });
  });

  it('cancels the body of a response without a receipt', async () => {
    let cancelled = false;
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(10)),
      cancel: () => {
        cancelled = true;
      },
    });
    const { target } = targetOf(await navigator(), () => new Response(endless));
    const { answer } = await callFrom('gateway', userContext(), { targets: { navigator: target }, request: ASK });
    expect([answer.ok, cancelled]).toEqual([false, true]);
  });

  it('times out at the deadline when the target does not respond', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const heard = Promise.withResolvers<AbortSignal>();
    const target = {
      fetch: (request: Request) => {
        heard.resolve(request.signal);
        return new Promise<Response>(() => undefined);
      },
    };
    const request = { ...ASK, timeoutMs: 50 };
    const call = callFrom('gateway', userContext(), { targets: { navigator: target }, request });
    const signal = await heard.promise;
    vi.advanceTimersByTime(50);
    expect((await call).answer).toMatchObject({ ok: false, error: { code: 'TIMEOUT', librarian: 'navigator' } });
    expect(signal.aborted).toBe(true);
  });

  it('cancels the call when the caller aborts', async () => {
    const controller = new AbortController();
    const target = {
      fetch: () => {
        controller.abort();
        return new Promise<Response>(() => undefined);
      },
    };
    const request = { ...ASK, signal: controller.signal };
    const { answer } = await callFrom('gateway', userContext(), { targets: { navigator: target }, request });
    expect(answer).toMatchObject({ ok: false, error: { code: 'TIMEOUT' } });
  });

  it('sends nothing when the caller has already aborted', async () => {
    const { target, requests } = targetOf(await navigator());
    const request = { ...ASK, signal: AbortSignal.abort() };
    const { answer } = await callFrom('gateway', userContext(), { targets: { navigator: target }, request });
    expect(answer).toMatchObject({ ok: false, error: { code: 'TIMEOUT' } });
    expect(requests).toEqual([]);
  });

  it.each<[string, string, boolean, () => Response | Promise<Response>]>([
    ['lost on the way', 'transport', true, () => Promise.reject(new TypeError('connection lost'))],
    ['answered without a receipt', 'receipt', true, () => new Response('{}')],
    ['answered with a receipt that is none', 'receipt', true, () => withReceipt('{}', 'x')],
    ['answered with too much', 'unusable', true, () => withReceipt('x'.repeat(2000), 'x')],
    ['not answered in time', 'timeout', true, () => new Promise<Response>(() => undefined)],
  ])('tells that a call was %s', async (_, why, sent, fetch) => {
    const request = { ...ASK, maxAnswerBytes: 1000, timeoutMs: 50 };
    const targets = { navigator: { fetch: async () => fetch() } };
    const { answer } = await callFrom('gateway', userContext(), { targets, request });
    expect(answer).toMatchObject({ ok: false, why, sent, spanId: expect.stringMatching(/^[0-9a-f]{16}$/) });
  });

  it('reports that a call was refused locally or cancelled', async () => {
    const { target } = targetOf(await navigator());
    const refused = await callFrom('gateway', userContext(), { targets: {}, request: ASK });
    expect(refused.answer).toMatchObject({ why: 'refused', sent: false, spanId: undefined });
    const early = { ...ASK, signal: AbortSignal.abort() };
    const unsent = await callFrom('gateway', userContext(), { targets: { navigator: target }, request: early });
    expect(unsent.answer).toMatchObject({ why: 'refused', sent: false });
    const controller = new AbortController();
    const leaving = {
      fetch: (request: Request) => {
        controller.abort();
        // As fetch does: it fails by itself once it is aborted.
        return Promise.reject(request.signal.reason);
      },
    };
    const request = { ...ASK, signal: controller.signal };
    const givenUp = await callFrom('gateway', userContext(), { targets: { navigator: leaving }, request });
    expect(givenUp.answer).toMatchObject({ why: 'given-up', sent: true, error: { code: 'TIMEOUT' } });
  });

  it('returns the receipt as received, and the span id of the call', async () => {
    const { target, requests } = targetOf(await navigator());
    const { answer } = await callFrom('gateway', userContext(), { targets: { navigator: target }, request: ASK });
    if (!answer.ok) throw new Error('refused');
    expect(answer.receiptText.split('.').length).toBe(3);
    expect(requests[0]?.headers.get('traceparent')).toContain(answer.spanId);
  });

  it('logs the failure without the question', async () => {
    const target = { fetch: () => Promise.reject(new TypeError('connection lost')) };
    const { answer, lines } = await callFrom('gateway', userContext(), {
      targets: { navigator: target },
      request: ASK,
    });
    expect(answer).toMatchObject({ ok: false, error: { code: 'DELEGATION_FAILED' } });
    expect(lines).toMatchObject([{ event: 'fault', where: 'call navigator', cause: 'TypeError: connection lost' }]);
    expect(JSON.stringify(lines)).not.toContain('key?');
  });
});

const withReceipt = (body: string, receipt: string) => new Response(body, { headers: { 'Context-Receipt': receipt } });
