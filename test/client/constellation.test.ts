import { afterEach, describe, expect, it, vi } from 'vitest';
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
const failing = (
  code: string,
  status: number,
  headers: Record<string, string> = { 'Retry-After': '0' },
): Reply =>
  json(
    { error: { code, message: code, recoverable: status === 429 || status >= 500 } },
    status,
    headers,
  );
const busy = failing('RATE_LIMITED', 429);
const down = failing('SERVICE_UNAVAILABLE', 503);
const lost: Reply = () => Promise.reject(new TypeError('fetch failed'));
const page =
  (status: number): Reply =>
  () =>
    new Response('<html>', { status, headers: { 'Retry-After': '0' } });
const ANSWER = { answer: 'Yes.', sources: [], confidence: 0.9 };

const failureOf = async (work: Promise<unknown>): Promise<ConstellationError> => {
  const error = await work.then(() => undefined).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ConstellationError);
  return error as ConstellationError; // as the line above found
};

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const event = (name: string, data: unknown): string =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const statement = (index: number) => ({
  index,
  text: `Statement ${index} ü`,
  sources: [],
  support: 1,
  check: 'quoted',
});

/** A stream of these pieces. */
const stream =
  (pieces: Iterable<Uint8Array>, cancel: () => void = () => undefined): Reply =>
  () => {
    const iterator = pieces[Symbol.iterator]();
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      const { done, value } = iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    };
    return new Response(new ReadableStream({ pull, cancel }), {
      headers: { 'content-type': 'text/event-stream' },
    });
  };
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const collect = <T>(items: AsyncIterable<T>): Promise<T[]> => Array.fromAsync(items);

describe('a call', () => {
  it('sends the question with the key and its interface, and returns the response', async () => {
    const { client, sent } = clientOf([json(ANSWER)]);
    expect(
      await client.ask({ query: 'Is it?', metadata: { a: 1 } }, { workspace: 'docs' }),
    ).toEqual(ANSWER);
    const [request] = sent;
    expect([request?.method, request?.url]).toEqual(['POST', `${URL_}/v1/ask?workspace_id=docs`]);
    const headers = ['authorization', 'constellation-interface'].map((name) =>
      request?.headers.get(name),
    );
    expect(headers).toEqual(['Bearer ck_test', 'client']);
    expect(await request?.json()).toEqual({ query: 'Is it?', metadata: { a: 1 } });
    const other = clientOf([json(ANSWER)], { interface: 'command_line' });
    await other.client.ask('Is it?');
    expect(other.sent[0]?.headers.get('constellation-interface')).toBe('command_line');
  });

  const broken: Reply = () =>
    new Response(new ReadableStream({ start: (body) => body.error(new Error('gone')) }));
  it.each<[string, Reply]>([
    ['a lost connection', lost],
    ['429', busy],
    ['503', down],
    ['a 502 of a proxy', page(502)],
    ['a reply that breaks off', broken],
  ])('is repeated after %s', async (_, failure) => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { client, sent } = clientOf([failure, failure, json(ANSWER)]);
    const answer = client.ask('Is it?');
    await vi.advanceTimersByTimeAsync(10_000);
    expect([await answer, sent.length]).toEqual([ANSWER, 3]);
  });

  it('waits for Retry-After, but not beyond its deadline', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const replies = [failing('RATE_LIMITED', 429, { 'Retry-After': '7' }), json(ANSWER)];
    const { client, sent } = clientOf(replies);
    const answer = client.ask('Is it?');
    await vi.advanceTimersByTimeAsync(6999);
    expect(sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await answer).toEqual(ANSWER);
    const hurried = clientOf(replies, { timeoutMs: 5000 });
    expect(await failureOf(hurried.client.ask('Is it?'))).toMatchObject({
      code: 'RATE_LIMITED',
      retryable: true,
    });
    expect(hurried.sent).toHaveLength(1);
  });

  const store = (client: Constellation) => client.memories.store({ type: 'fact', content: 'x' });
  const converse = (client: Constellation) => client.ask({ query: 'x', conversation_id: 'c' });
  it.each([
    ['a memory, after a lost connection', lost, store],
    ['a memory, after 503', down, store],
    ['a turn of a conversation, after a lost connection', lost, converse],
    ['a turn of a conversation, after 503', down, converse],
  ])('is not repeated when it could run twice: %s', async (_, failure, call) => {
    const { client, sent } = clientOf([failure, json(ANSWER)]);
    await failureOf(call(client));
    expect(sent).toHaveLength(1);
  });

  it('is repeated when it was rate limited, although it could run twice', async () => {
    const { client, sent } = clientOf([busy, json({ memory: {} })]);
    await store(client);
    expect(sent).toHaveLength(2);
  });

  it('is not repeated for permanent errors, nor more often than configured', async () => {
    const missing = clientOf([failing('NOT_FOUND', 404)]);
    const error = { code: 'NOT_FOUND', status: 404, retryable: false };
    expect(await failureOf(missing.client.articles.get('a'))).toMatchObject(error);
    expect(missing.sent).toHaveLength(1);
    const often = clientOf(Array.from({ length: 9 }, () => down));
    await failureOf(often.client.search('x', { retries: 3 }));
    expect(often.sent).toHaveLength(4);
  });

  it('takes what is gone for deleted when the first reply was lost', async () => {
    const info = { code: 'NOT_FOUND', message: 'None' };
    await clientOf([
      down,
      json({ error: 'NOT_FOUND', message: 'None', info }, 404),
    ]).client.articles.delete('a');
  });

  const info = {
    code: 'INVALID_QUERY',
    message: 'No.',
    suggestion: 'Write another id',
    recoverable: false,
  };
  const host = json({ error: 'INVALID_QUERY', message: 'No.', info }, 400, {
    'X-Request-Id': 'r-1',
  });
  const agent = json(
    { success: false, error: 'No database', metadata: { error_code: 'NOT_FOUND' } },
    404,
  );
  const redirect: Reply = () =>
    new Response(null, { status: 302, headers: { Location: 'https://elsewhere' } });
  it.each<[string, Reply, object]>([
    [
      'the host API',
      host,
      {
        code: 'INVALID_QUERY',
        message: 'No.',
        suggestion: 'Write another id',
        status: 400,
        info,
        requestId: 'r-1',
      },
    ],
    ['an agent', agent, { code: 'NOT_FOUND', message: 'No database' }],
    ['a proxy', page(401), { code: 'UNAUTHORIZED', status: 401 }],
    ['a redirect', redirect, { code: 'INVALID_REPLY' }],
    ['no JSON', page(200), { code: 'INVALID_REPLY', retryable: false }],
    ['a list', json([]), { code: 'INVALID_REPLY', retryable: false }],
    ['sources that are a text', json({ answer: 'x', sources: 'y' }), { code: 'INVALID_REPLY' }],
    ['invalid sources', json({ answer: 'x', sources: [null] }), { code: 'INVALID_REPLY' }],
    ['an answer that is a number', json({ answer: 1 }), { code: 'INVALID_REPLY' }],
  ])('fails with the error of %s', async (_, reply, expected) => {
    expect(await failureOf(clientOf([reply]).client.ask('x'))).toMatchObject(expected);
  });

  it('stops reading an endless reply', async () => {
    const onCancel = vi.fn();
    function* endless() {
      for (;;) yield new Uint8Array(1_048_576).fill(32);
    }
    const { client } = clientOf([stream(endless(), onCancel)]);
    expect(await failureOf(client.ask('x'))).toMatchObject({ code: 'INVALID_REPLY' });
    expect(onCancel).toHaveBeenCalled();
  });

  it('ends with ABORTED by the signal, and with TIMEOUT at its deadline', async () => {
    const hang = (_: string, { signal }: RequestInit) =>
      new Promise<Response>((_resolve, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason)),
      );
    const client = new Constellation({ url: URL_, fetch: hang as typeof fetch }); // as above
    const ending = new AbortController();
    const aborted = failureOf(client.ask('x', { signal: ending.signal }));
    ending.abort();
    expect(await aborted).toMatchObject({ code: 'ABORTED', retryable: false });
    expect(await failureOf(client.ask('x', { timeoutMs: 5 }))).toMatchObject({
      code: 'TIMEOUT',
      retryable: true,
    });
  });

  it.each(['../../v1/sync', 'a/../b', '.', 'a/./b'])(
    'refuses the id %s, which leads to another route',
    async (id) => {
      const { client, sent } = clientOf([]);
      expect(await failureOf(client.articles.get(id))).toMatchObject({ code: 'INVALID_QUERY' });
      expect(sent).toHaveLength(0);
    },
  );

  it('keeps the path of the address, and encodes ids', async () => {
    const { client, sent } = clientOf([json({ content: '' })], { url: 'https://example.com/kb/' });
    await client.articles.get('a b/ü?#.md');
    expect(sent[0]?.url).toBe('https://example.com/kb/api/kb/articles/a%20b/%C3%BC%3F%23.md');
    expect(() => new Constellation({ url: 'ftp://example.com' })).toThrow(ConstellationError);
  });

  it('yields the items of all pages, and stops at a repeated cursor', async () => {
    const gaps = (id: string, next_cursor: string | null): Reply =>
      json({ gaps: [{ id }], next_cursor });
    const { client, sent } = clientOf([gaps('1', 'a'), gaps('2', 'b'), gaps('3', 'b')]);
    expect((await collect(client.gaps.all({ limit: 1 }))).map(({ id }) => id)).toEqual([
      '1',
      '2',
      '3',
    ]);
    expect(sent[2]?.url).toBe(`${URL_}/v1/knowledge/gaps?limit=1&cursor=b`);
  });
});

describe('a stream', () => {
  const events = [event('routing', { librarians: [{ id: 'navigator' }] }), event('later', 1)];
  const text = [
    ': hello\r\n\r\n',
    ...events,
    event('statement', statement(0)),
    event('done', ANSWER),
  ].join('');

  it.each([1, 2, 3, 7, 10_000])('yields the same events for chunks of %d bytes', async (size) => {
    const bytes = bytesOf(text);
    const starts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => at * size);
    const pieces = starts.map((start) => bytes.slice(start, start + size));
    expect(await collect(clientOf([stream(pieces)]).client.askStream('x'))).toEqual([
      { type: 'routing', librarians: [{ id: 'navigator' }] },
      { type: 'statement', ...statement(0) },
      { type: 'done', response: ANSWER },
    ]);
  });

  it('that ends without done or error has failed', async () => {
    const half = clientOf([stream([bytesOf(event('statement', statement(0)))])]).client.askStream(
      'x',
    );
    expect(await half.next()).toMatchObject({ value: { type: 'statement' } });
    expect(await failureOf(half.next())).toMatchObject({ code: 'UNREACHABLE', retryable: true });
    const cut = clientOf([stream([bytesOf(text.slice(0, -1))])]).client.askStream('x');
    expect(await failureOf(collect(cut))).toMatchObject({ code: 'UNREACHABLE' });
  });

  it('fails with its final error', async () => {
    const error = { code: 'TIMEOUT', message: 'Too late', recoverable: true };
    const events = clientOf([stream([bytesOf(event('error', { error }))])]).client.askStream('x');
    expect(await failureOf(collect(events))).toMatchObject({
      code: 'TIMEOUT',
      message: 'Too late',
      retryable: true,
    });
  });

  it.each([
    ['a line', 'data: '],
    ['an event', 'event: statement\n'],
  ])('stops reading %s that never ends', async (_, start) => {
    let pieces = 0;
    const onCancel = vi.fn();
    function* endless() {
      yield bytesOf(start);
      const piece = bytesOf(
        start.startsWith('data') ? 'x'.repeat(65_536) : `data: ${'x'.repeat(65_000)}\n`,
      );
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
    const { client, sent } = clientOf([
      running,
      running,
      json({ state: 'idle', last_report: report }),
    ]);
    const states: string[] = [];
    expect(
      await client.sync.wait({ pollMs: 0, onProgress: ({ state }) => states.push(state) }),
    ).toEqual(report);
    expect([states, sent.length]).toEqual([['listing', 'listing', 'idle'], 3]);
  });
});
