import { describe, expect, it, vi } from 'vitest';
import type { ClientOptions } from '../../client/connection.ts';
import { Constellation } from '../../client/constellation.ts';
import { ConstellationError } from '../../client/constellation-error.ts';

const URL_ = 'http://localhost:8787';
type Reply = () => Response | Promise<Response>;

/** A client whose requests get these replies in order, and its sent requests. */
const clientOf = (replies: readonly Reply[], options: Partial<ClientOptions> = {}) => {
  const sent: Request[] = [];
  const fetch = (async (input: string, init?: RequestInit) => {
    sent.push(new Request(input, init));
    const reply = replies[sent.length - 1];
    if (reply === undefined) throw new Error('one request more than expected');
    return reply();
  }) as typeof globalThis.fetch; // called with an address and its options only
  return { client: new Constellation({ url: URL_, key: 'ck_test', fetch, ...options }), sent };
};

const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Reply =>
  () =>
    Response.json(body, { status, headers });
const NOW = { 'Retry-After': '0' };
const busy = json({ error: { code: 'RATE_LIMITED', message: 'Too many', recoverable: true } }, 429, NOW);
const down = json({ error: { code: 'SERVICE_UNAVAILABLE', message: 'Down', recoverable: true } }, 503, NOW);
const lost: Reply = () => Promise.reject(new TypeError('fetch failed'));
const ANSWER = { answer: 'Yes.', sources: [], confidence: 0.9 };

const failureOf = async (work: Promise<unknown>): Promise<ConstellationError> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ConstellationError);
  return error as ConstellationError;
};

const event = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const statement = (index: number) => ({
  index,
  text: `Statement ${index} ü`,
  sources: [],
  support: 1,
  check: 'quoted',
});

/** A stream of these pieces. */
const stream =
  (pieces: Iterable<Uint8Array>, onCancel?: () => void): Reply =>
  () => {
    const iterator = pieces[Symbol.iterator]();
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const { done, value } = iterator.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => onCancel?.(),
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};

describe('a call', () => {
  it('sends the question with the key, and returns the response', async () => {
    const { client, sent } = clientOf([json(ANSWER)]);
    expect(await client.ask({ query: 'Is it?', metadata: { a: 1 } }, { workspace: 'docs' })).toEqual(ANSWER);
    const [request] = sent;
    expect([request?.method, request?.url]).toEqual(['POST', `${URL_}/v1/ask?workspace_id=docs`]);
    expect(request?.headers.get('authorization')).toBe('Bearer ck_test');
    expect(await request?.json()).toEqual({ query: 'Is it?', metadata: { a: 1 } });
    expect(request?.headers.get('constellation-interface')).toBe('client');
  });

  it('names its interface', async () => {
    const { client, sent } = clientOf([json(ANSWER)], { interface: 'command_line' });
    await client.ask('Is it?');
    expect(sent[0]?.headers.get('constellation-interface')).toBe('command_line');
  });

  it.each([
    ['a lost connection', lost],
    ['429', busy],
    ['503', down],
    ['a 502 of a proxy', () => new Response('<html>', { status: 502, headers: NOW })],
    [
      'a reply that breaks off',
      () => new Response(new ReadableStream({ start: (body) => body.error(new Error('gone')) })),
    ],
  ] as [string, Reply][])('is repeated after %s', async (_, failure) => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { client, sent } = clientOf([failure, failure, json(ANSWER)]);
      const answer = client.ask('Is it?');
      await vi.advanceTimersByTimeAsync(10_000);
      expect(await answer).toEqual(ANSWER);
      expect(sent).toHaveLength(3);
    } finally {
      vi.useRealTimers();
      vi.restoreAllMocks();
    }
  });

  it('waits for Retry-After, but not beyond its deadline', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const later = json({ error: { code: 'RATE_LIMITED', message: 'Too many' } }, 429, { 'Retry-After': '7' });
      const { client, sent } = clientOf([later, json(ANSWER)]);
      const answer = client.ask('Is it?');
      await vi.advanceTimersByTimeAsync(6999);
      expect(sent).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(1);
      expect(await answer).toEqual(ANSWER);
      const hurried = clientOf([later, json(ANSWER)], { timeoutMs: 5000 });
      expect(await failureOf(hurried.client.ask('Is it?'))).toMatchObject({ code: 'RATE_LIMITED', retryable: true });
      expect(hurried.sent).toHaveLength(1);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is not repeated when it could run twice, unless it was rate limited', async () => {
    for (const failure of [lost, down]) {
      const stored = clientOf([failure, json({ memory: {} })]);
      await failureOf(stored.client.memories.store({ type: 'fact', content: 'x' }));
      const asked = clientOf([failure, json(ANSWER)]);
      await failureOf(asked.client.ask({ query: 'x', conversation_id: 'c' }));
      expect([stored.sent.length, asked.sent.length]).toEqual([1, 1]);
    }
    const { client, sent } = clientOf([busy, json({ memory: {} })]);
    await client.memories.store({ type: 'fact', content: 'x' });
    expect(sent).toHaveLength(2);
  });

  it('is not repeated for permanent errors, nor more often than configured', async () => {
    const { client, sent } = clientOf([
      json({ error: { code: 'NOT_FOUND', message: 'None', recoverable: false } }, 404),
    ]);
    expect(await failureOf(client.articles.get('a'))).toMatchObject({
      code: 'NOT_FOUND',
      status: 404,
      retryable: false,
    });
    expect(sent).toHaveLength(1);
    const often = clientOf(Array.from({ length: 9 }, () => down));
    await failureOf(often.client.search('x', { retries: 3 }));
    expect(often.sent).toHaveLength(4);
    const lostDeletion = clientOf([
      down,
      json({ error: 'NOT_FOUND', message: 'None', info: { code: 'NOT_FOUND', message: 'None' } }, 404),
    ]);
    await lostDeletion.client.articles.delete('a');
  });

  it('reads all forms of error', async () => {
    const info = { code: 'INVALID_QUERY', message: 'No.', suggestion: 'Write another id', recoverable: false };
    const host = clientOf([json({ error: 'INVALID_QUERY', message: 'No.', info }, 400, { 'X-Request-Id': 'r-1' })]);
    const expected = { code: 'INVALID_QUERY', status: 400, message: 'No.', suggestion: 'Write another id', info };
    expect(await failureOf(host.client.articles.list())).toMatchObject({ ...expected, requestId: 'r-1' });
    const agent = clientOf([
      json({ success: false, error: 'No database', metadata: { error_code: 'NOT_FOUND' } }, 404),
    ]);
    expect(await failureOf(agent.client.agent('analytics', 'x'))).toMatchObject({
      code: 'NOT_FOUND',
      message: 'No database',
    });
    const proxy = clientOf([() => new Response('<html>', { status: 401 })]);
    expect(await failureOf(proxy.client.ask('x'))).toMatchObject({ code: 'UNAUTHORIZED', status: 401 });
    const redirect = clientOf([() => new Response(null, { status: 302, headers: { Location: 'https://elsewhere' } })]);
    expect(await failureOf(redirect.client.ask('x'))).toMatchObject({ code: 'INVALID_REPLY' });
  });

  it.each([
    ['no JSON', () => new Response('<html>')],
    ['a list', json([])],
    ['sources that are a text', json({ answer: 'x', sources: 'y' })],
    ['invalid sources', json({ answer: 'x', sources: [null] })],
    ['an answer that is a number', json({ answer: 1 })],
  ] as [string, Reply][])('fails for a reply with %s', async (_, reply) => {
    expect(await failureOf(clientOf([reply]).client.ask('x'))).toMatchObject({
      code: 'INVALID_REPLY',
      retryable: false,
    });
  });

  it('stops reading an endless reply', async () => {
    const piece = new Uint8Array(1_048_576).fill(32);
    const onCancel = vi.fn();
    function* endless() {
      for (;;) yield piece;
    }
    expect(await failureOf(clientOf([stream(endless(), onCancel)]).client.ask('x'))).toMatchObject({
      code: 'INVALID_REPLY',
    });
    expect(onCancel).toHaveBeenCalled();
  });

  it('ends with ABORTED by the signal, and with TIMEOUT at its deadline', async () => {
    const hang = (_: string, { signal }: RequestInit) =>
      new Promise<Response>((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    const client = new Constellation({ url: URL_, fetch: hang as typeof fetch }); // as above
    const ending = new AbortController();
    const aborted = failureOf(client.ask('x', { signal: ending.signal }));
    ending.abort();
    expect(await aborted).toMatchObject({ code: 'ABORTED', retryable: false });
    expect(await failureOf(client.ask('x', { timeoutMs: 5 }))).toMatchObject({ code: 'TIMEOUT', retryable: true });
  });

  it.each(['../../v1/sync', 'a/../b', '.', 'a/./b'])('refuses the id %s, which leads to another route', async (id) => {
    const { client, sent } = clientOf([]);
    expect(await failureOf(client.articles.get(id))).toMatchObject({ code: 'INVALID_QUERY' });
    expect(sent).toHaveLength(0);
  });

  it('keeps the path of the address, and encodes ids', async () => {
    const sent: string[] = [];
    const fetch = (async (input: string) => {
      sent.push(input);
      return Response.json({ content: '' });
    }) as typeof globalThis.fetch; // called with an address only
    await new Constellation({ url: 'https://example.com/kb/', fetch }).articles.get('a b/ü?#.md');
    expect(sent).toEqual(['https://example.com/kb/api/kb/articles/a%20b/%C3%BC%3F%23.md']);
    expect(() => new Constellation({ url: 'ftp://example.com' })).toThrow(ConstellationError);
  });

  it('yields the items of all pages, and stops at a repeated cursor', async () => {
    const page = (id: string, next_cursor: string | null): Reply => json({ gaps: [{ id }], next_cursor });
    const { client, sent } = clientOf([page('1', 'a'), page('2', 'b'), page('3', 'b')]);
    expect((await collect(client.gaps.all({ limit: 1 }))).map(({ id }) => id)).toEqual(['1', '2', '3']);
    expect(sent[2]?.url).toBe(`${URL_}/v1/knowledge/gaps?limit=1&cursor=b`);
  });
});

describe('a stream', () => {
  const text = `: hello\r\n\r\n${event('routing', { librarians: [{ id: 'navigator' }] })}${event('later', 1)}${event('statement', statement(0))}${event('done', ANSWER)}`;

  it('yields the same events for any chunk sizes', async () => {
    const bytes = bytesOf(text);
    for (const size of [1, 2, 3, 7, bytes.length]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.slice(at * size, (at + 1) * size),
      );
      const events = await collect(clientOf([stream(pieces)]).client.askStream('x'));
      expect(events).toEqual([
        { type: 'routing', librarians: [{ id: 'navigator' }] },
        { type: 'statement', ...statement(0) },
        { type: 'done', response: ANSWER },
      ]);
    }
  });

  it('that ends without done or error has failed', async () => {
    const half = clientOf([stream([bytesOf(event('statement', statement(0)))])]).client.askStream('x');
    expect(await half.next()).toMatchObject({ value: { type: 'statement' } });
    expect(await failureOf(half.next())).toMatchObject({ code: 'UNREACHABLE', retryable: true });
    const cut = clientOf([stream([bytesOf(text.slice(0, -1))])]).client.askStream('x');
    expect(await failureOf(collect(cut))).toMatchObject({ code: 'UNREACHABLE' });
  });

  it('fails with its final error', async () => {
    const error = { code: 'TIMEOUT', message: 'Too late', recoverable: true };
    const events = clientOf([stream([bytesOf(event('error', { error }))])]).client.askStream('x');
    expect(await failureOf(collect(events))).toMatchObject({ code: 'TIMEOUT', message: 'Too late', retryable: true });
  });

  it.each([
    ['a line', 'data: '],
    ['an event', 'event: statement\n'],
  ])('stops reading %s that never ends', async (_, start) => {
    let pieces = 0;
    const onCancel = vi.fn();
    function* endless() {
      yield bytesOf(start);
      const piece = bytesOf(start.startsWith('data') ? 'x'.repeat(65_536) : `data: ${'x'.repeat(65_000)}\n`);
      for (; pieces < 10_000; pieces += 1) yield piece;
    }
    const events = clientOf([stream(endless(), onCancel)]).client.askStream('x');
    expect(await failureOf(collect(events))).toMatchObject({ code: 'INVALID_REPLY' });
    expect(pieces).toBeLessThan(100);
    expect(onCancel).toHaveBeenCalled();
  });

  it.each([
    ['statement', { index: 0, text: 1, sources: [], support: 1 }],
    ['statement', { index: 0, text: 'x', sources: [null], support: 1 }],
    ['routing', null],
    ['done', { answer: [] }],
    ['done', 'x'],
  ])('fails for an event %s of another type', async (name, data) => {
    const events = clientOf([stream([bytesOf(event(name, data))])]).client.askStream('x');
    expect(await failureOf(collect(events))).toMatchObject({ code: 'INVALID_REPLY' });
  });

  it('is cancelled when the loop is broken', async () => {
    const onCancel = vi.fn();
    function* many() {
      for (let index = 0; ; index += 1) yield bytesOf(event('statement', statement(index)));
    }
    const { client, sent } = clientOf([stream(many(), onCancel)]);
    for await (const _ of client.askStream('x')) break;
    expect(onCancel).toHaveBeenCalled();
    expect(sent[0]?.signal.aborted).toBe(true);
  });

  it('is repeated until it starts, and reads an answer without events', async () => {
    const { client, sent } = clientOf([busy, json(ANSWER)]);
    expect(await collect(client.askStream('x'))).toEqual([{ type: 'done', response: ANSWER }]);
    expect(sent[1]?.headers.get('accept')).toBe('text/event-stream');
  });
});

describe('waiting for a sync', () => {
  it('polls its state until it is idle, and returns its report', async () => {
    const report = { outcome: 'published' };
    const running = json({ state: 'listing', last_report: null });
    const { client, sent } = clientOf([running, running, json({ state: 'idle', last_report: report })]);
    const states: string[] = [];
    expect(await client.sync.wait({ pollMs: 0, onProgress: ({ state }) => states.push(state) })).toEqual(report);
    expect([states, sent.length]).toEqual([['listing', 'listing', 'idle'], 3]);
  });
});
