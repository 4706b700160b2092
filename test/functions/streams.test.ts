import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { SendMessageRequest, TaskState } from '@a2a-js/sdk';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ErrorInfo } from '../../src/contract/core/error-info.ts';
import { ChatError } from '../../src/contract/wire/chat-completions.ts';
import type { Product } from '../../tools/run/product.ts';
import { connect as connectAgent, message } from '../gateway/protocols/a2a/local-agent.ts';
import { send, startEmbedded } from './product-for-test.ts';

/** A model that starts to write and never ends; it counts requests, and those whose client left. */
const models = { waiting: 0, left: 0 };
let model: Server;
let product: Product;
const logged: string[] = [];

/** The beginning of an answer, as a chunk of the API. */
const delta = { role: 'assistant', content: '{"statements":[' };
const choices = [{ index: 0, delta, finish_reason: null }];
const BEGINNING = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices };

beforeAll(async () => {
  model = createServer((request, response) => {
    request.resume();
    models.waiting += 1;
    response.on('close', () => {
      models.left += 1;
    });
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .write(`data: ${JSON.stringify(BEGINNING)}\n\n`);
  });
  await new Promise<void>((resolve) => void model.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`; // a server that listens on a port
  product = await startEmbedded({
    functions: ['library', 'navigator', 'semantic', 'analytics', 'hybrid', 'a2a'],
    adapters: { OPENAI_BASE_URL: url, OPENAI_API_KEY: 'local', EMBEDDING_MODEL: 'none' },
    moreWorkers: [
      {
        name: 'busy',
        main: 'test/functions/busy.ts',
        services: { NEXT: 'constellation-semantic' },
      },
    ],
    moreServices: { 'constellation-gateway': { SEMANTIC: 'busy' } },
    onLog: (line) => void logged.push(line),
  });
  await product.sync({ full: true });
}, 400_000);
afterAll(async () => {
  await product?.stop();
  model?.closeAllConnections();
  model?.close();
});

const QUESTION = 'How do I reset the dashboard password?';
const EVENTS = { accept: 'text/event-stream' };

const JSON_TYPE = { 'content-type': 'application/json' };
/** Sends a body of which an event stream is expected. */
const stream = (path: string, body: string) =>
  product.fetch(path, { method: 'POST', headers: EVENTS, body });

/** A request whose response has started and is not read. */
const unread = (
  path: string,
  body: object,
  headers: Record<string, string> = EVENTS,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const sent = httpRequest(new URL(path, product.url), {
      method: 'POST',
      headers: { ...JSON_TYPE, authorization: `Bearer ${product.key}`, ...headers },
    });
    sent.once('response', (response) => resolve(response.pause())).once('error', reject);
    sent.end(JSON.stringify(body));
  });

const POLL = { timeout: 90_000, interval: 200 };
/** Less than the twelve seconds after which the navigator stops its model by itself. */
const SOON = { timeout: 10_000, interval: 50 };

describe('a stream', { timeout: 180_000 }, () => {
  it.each([
    ['/v1/ask', { query: QUESTION, timeout_ms: 60_000 }, EVENTS],
    ['/v1/navigate', { query: QUESTION }, EVENTS],
    ['/v1/agents/semantic', { query: 'Find articles about the dashboard password' }, EVENTS],
    ['/v1/agents/hybrid', { query: `Find articles about the dashboard password` }, EVENTS],
    [
      '/v1/chat/completions',
      { model: 'constellation', stream: true, messages: [{ role: 'user', content: QUESTION }] },
      {},
    ],
  ])('of %s stops the model when its client leaves', async (path, body, headers) => {
    const before = { ...models };
    const response = await unread(path, body, headers);
    await expect.poll(() => models.waiting - before.waiting, POLL).toBeGreaterThan(0);
    response.destroy();
    await expect.poll(() => models.waiting - models.left, SOON).toBe(0);
  });

  it('names the librarian before that librarian computes', async () => {
    const arrivals = new Map<string, number>();
    const response = await unread('/v1/ask', {
      query: QUESTION,
      librarian: 'semantic',
      timeout_ms: 60_000,
    });
    for await (const part of response.setEncoding('utf8')) {
      for (const [, name = ''] of String(part).matchAll(/^event: (\w+)$/gm))
        arrivals.set(name, performance.now());
      if (arrivals.has('searching')) break;
    }
    const [routed = 0, searching = 0] = ['routing', 'searching'].map((name) => arrivals.get(name));
    expect(searching - routed).toBeGreaterThan(50);
  });

  it('of an agent sends the answer as a statement, and ends with the result of a plain call', async () => {
    const body = { query: 'How many iPhone 17 are in stock?' };
    const plain = await (await send(product, 'POST /v1/agents/analytics', body)).json();
    expect(JSON.stringify(plain)).toContain('50 units');
    let text = '';
    for await (const part of (await unread('/v1/agents/analytics', body)).setEncoding('utf8'))
      text += part;
    const statement = /event: statement\ndata: (.*)\n/.exec(text)?.[1] ?? '{}';
    expect(JSON.parse(statement)).toMatchObject({
      index: 0,
      librarian: 'analytics',
      text: expect.stringContaining('50 units'),
    });
    const [, done = '{}'] = /event: done\ndata: (.*)\n\n$/.exec(text) ?? [];
    expect(JSON.parse(done)).toMatchObject({ result: (plain as { result: object }).result });
  });

  it('that is not read, fifty times, delays no other request, and ends when its clients leave', async () => {
    const body = { query: QUESTION, timeout_ms: 60_000 };
    const open = await Promise.all(Array.from({ length: 50 }, () => unread('/v1/ask', body)));
    expect(new Set(open.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    const other = await send(product, 'POST /v1/knowledge/search', { query: 'reset the password' });
    expect([other.status, await other.json()]).toEqual([
      200,
      expect.objectContaining({ hits: expect.anything() }),
    ]);
    for (const response of open) response.destroy();
    await expect.poll(() => models.waiting - models.left, SOON).toBe(0);
  });
});

describe('a call that is taken back stops the model', { timeout: 180_000 }, () => {
  it.each(['auto', 'legacy'] as const)('when a client of MCP closes it, %s', async (mode) => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    const requestInit = { headers: { authorization: `Bearer ${product.key}` } };
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', product.url), { requestInit }),
    );
    const before = { ...models };
    const abort = new AbortController();
    // In revision 2026-07-28 only a call that wants progress has a stream; without one the local runtime does not notice.
    const options = { signal: abort.signal, onprogress: () => undefined };
    const ended = expect(
      client.callTool({ name: 'ask', arguments: { query: QUESTION } }, options),
    ).rejects.toThrow();
    await expect.poll(() => models.waiting - before.waiting, POLL).toBeGreaterThan(0);
    abort.abort('no longer needed');
    await ended;
    await client.close();
    await expect.poll(() => models.waiting - models.left, SOON).toBe(0);
  });

  it('when another request of A2A cancels its task, which ends every stream', async () => {
    const agent = await connectAgent(product.fetch as typeof fetch, product.url.origin);
    const before = { ...models };
    const configuration = { returnImmediately: true };
    const task = await agent.sendMessage(
      SendMessageRequest.fromJSON({ message: message(QUESTION), configuration }),
    );
    if (!('status' in task)) throw new Error('is no task');
    const { id } = task;
    await expect.poll(() => models.waiting - before.waiting, POLL).toBeGreaterThan(0);
    const events = agent.resubscribeTask({ tenant: '', id });
    await events.next();
    const { status } = await agent.cancelTask({ tenant: '', id, metadata: undefined });
    expect(status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    await expect.poll(() => models.waiting - models.left, SOON).toBe(0);
    expect((await events.next()).value?.payload).toMatchObject({
      $case: 'statusUpdate',
      value: { status },
    });
    expect((await events.next()).done).toBe(true);
    expect((await agent.getTask({ tenant: '', id })).status?.state).toBe(
      TaskState.TASK_STATE_CANCELED,
    );
  });
});

describe('invalid input', { timeout: 180_000 }, () => {
  it('of half a request does not affect later ones', async () => {
    const { hostname, port } = product.url;
    for (const bytes of [
      `POST /v1/ask HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${product.key}\r\ncontent-length: 500\r\n\r\n{"query": "Hel`,
      `POST /v1/ask HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\nnot a chunk\r\n`,
      'POST /v1/ask HTTP/1.1\r\nhost',
      '\0\u0001\u0002\r\n\r\n',
    ]) {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      await new Promise<void>((resolve) =>
        socket.once('connect', () => socket.write(bytes, () => resolve())),
      );
      socket.destroy();
    }
    expect((await send(product, 'POST /v1/knowledge/search', { query: 'password' })).status).toBe(
      200,
    );
  });

  const BAD = [
    ['no JSON', '{"query": '],
    ['no question', '{}'],
    ['an unknown member', '{"query": "x", "colour": 1}'],
  ] as const;
  const STREAMS = ['/v1/ask', '/v1/navigate', '/v1/agents/semantic', '/v1/agents/hybrid'] as const;
  it.each(STREAMS.flatMap((path) => BAD.map(([what, body]) => [what, path, body] as const)))(
    'with %s to %s is answered as JSON with its status, not as a stream',
    async (_, path, body) => {
      const response = await stream(path, body);
      expect([response.status, response.headers.get('content-type')]).toEqual([
        400,
        'application/json',
      ]);
      const { error } = (await response.json()) as { error: unknown };
      expect(ErrorInfo.parse(error).code).toBe('INVALID_QUERY');
    },
  );

  it('with an invalid option of an agent is answered in the agent envelope', async () => {
    const body = JSON.stringify({ query: 'the dashboard', options: { limit: 900 } });
    const response = await stream('/v1/agents/semantic', body);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      400,
      'application/json',
    ]);
    expect(await response.json()).toMatchObject({
      success: false,
      metadata: { error_code: 'INVALID_QUERY' },
    });
  });

  const turns = (count: number, length: number) =>
    Array.from({ length: count }, () => ({ role: 'user', content: 'SECRET '.repeat(length / 7) }));
  const forged = `${btoa('{"alg":"none"}')}.${btoa('{"iss":"https://evil.example","sub":"admin"}')}.`;
  it.each<[what: string, messages: object[], status: number, code: string, key?: string]>([
    ['a history of too many messages', turns(501, 7), 400, 'INVALID_QUERY'],
    ['a message that is too long', turns(1, 210_000), 400, 'INVALID_QUERY'],
    ['more than a MiB', turns(6, 190_000), 400, 'INVALID_QUERY'],
    ['a forged token', turns(1, 7), 401, 'UNAUTHORIZED', forged],
  ])(
    'to /v1/chat/completions, %s, is answered in its form with our code, without text in the log',
    async (...row) => {
      const [, messages, status, code, key] = row;
      const response = await send(
        product,
        'POST /v1/chat/completions',
        { model: 'constellation', messages },
        key,
      );
      expect(response.status).toBe(status);
      const { error } = ChatError.parse(await response.json());
      expect([error.info.code, error.type]).toEqual([code, 'invalid_request_error']);
      expect(logged.join('\n')).not.toContain('SECRET');
    },
  );

  it('with a long valid history is cut to the part that is read', async () => {
    const messages = [
      ...turns(400, 1400),
      { role: 'user', content: 'How many iPhone 17 are in stock?' },
    ];
    const response = await send(product, 'POST /v1/chat/completions', {
      model: 'analytics',
      messages,
    });
    expect(response.status).toBe(200);
    expect(JSON.stringify(await response.json())).toContain('50 units');
  });
});
