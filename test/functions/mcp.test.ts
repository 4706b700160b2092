import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bridgeMcp } from '../../client/command-line/mcp.ts';
import { AskResult, ERROR_META, ToolFailure } from '../../src/contract/wire/mcp.ts';
import type { Product } from '../../tools/run/product.ts';
import { runConformance } from '../gateway/protocols/mcp/run-conformance.ts';
import { grant, startEmbedded } from './product-for-test.ts';

const READER = 'ck_mcp_reader_0123456789';
const NOTHING = 'ck_mcp_nothing_012345678';

let product: Product;
beforeAll(async () => {
  product = await startEmbedded();
  await product.sync({ full: true });
  await grant(product, READER, { capabilities: ['kb:read', 'memory:read'] });
  await grant(product, NOTHING, { capabilities: ['none:at-all'] });
});
afterAll(() => product?.stop());

const connect = async (mode: 'auto' | 'legacy', key = product.key): Promise<Client> => {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', product.url), { requestInit }),
  );
  return client;
};

const failureOf = ({ _meta }: { _meta?: unknown }) => ToolFailure.parse(_meta)[ERROR_META];

const SHIPPING = 'How long does shipping to Canada take?';

describe.each([
  ['auto', '2026-07-28'],
  ['legacy', '2025-11-25'],
] as const)('the official client, %s', (mode, revision) => {
  it('asks, and reads the exact passage of the source', async () => {
    const client = await connect(mode);
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    const reported: { progress: number; message?: string | undefined }[] = [];
    const { content, structuredContent } = await client.callTool(
      { name: 'ask', arguments: { query: SHIPPING } },
      { onprogress: (each) => reported.push(each) },
    );
    const { statements = [], sources = [] } = AskResult.parse(structuredContent);
    expect(reported).toEqual(
      statements.map(({ text }, at) => ({ progress: at + 1, message: text })),
    );
    expect(content[0]).toMatchObject({
      text: expect.stringMatching(/Canada[\s\S]*\[1\][\s\S]*Sources/),
    });
    const links = content.filter(({ type }) => type === 'resource_link');
    expect(links.map((link) => 'uri' in link && link.uri)).toEqual(sources.map(({ url }) => url));
    const uri = String(links[0]?._meta?.['dev.constellation/resource']);
    const { contents } = await client.readResource({ uri });
    expect(contents).toEqual([
      { uri, mimeType: 'text/plain', text: statements[0]?.sources[0]?.quote },
    ]);
  });

  it('has all tools, and results that fit their schemas', async () => {
    const client = await connect(mode);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...['ask', 'search', 'read_article', 'list_gaps', 'analyze_ticket', 'remember', 'recall'],
    ]);
    expect(
      tools.filter(({ annotations }) => !annotations?.readOnlyHint).map(({ name }) => name),
    ).toEqual(['remember']);
    const call = async (name: string, given: object) => {
      // The client throws when the result does not fit the schema of the list.
      const { structuredContent, isError } = await client.callTool({
        name,
        arguments: { ...given },
      });
      expect(isError).not.toBe(true);
      return structuredContent;
    };
    expect(await call('search', { query: 'reset the password', limit: 2 })).toMatchObject({
      hits: [{}, {}],
    });
    const first = await call('read_article', { id: 'orders/shipping.md', limit: 300 });
    expect(first).toMatchObject({
      offset: 0,
      next_offset: 300,
      content: expect.stringContaining('Shipping'),
    });
    expect(await call('list_gaps', {})).toMatchObject({ total: expect.any(Number) });
    const ticket = { message: 'My Apollo shows 0 H/s', metadata: { product: 'Apollo II' } };
    expect(await call('analyze_ticket', ticket)).toMatchObject({
      intent_classification: { primary_intent: 'not_hashing' },
    });
    await call('remember', { content: `Owns an Apollo II, says ${mode}.` });
    expect(await call('recall', { query: `Apollo ${mode}` })).toMatchObject({
      results: expect.arrayContaining([
        expect.objectContaining({
          memory: expect.objectContaining({ content: expect.stringContaining(mode) }),
        }),
      ]),
    });
  });

  it('pages through the articles and reads one', async () => {
    const client = await connect(mode);
    const { resources } = await client.listResources();
    const ids = resources.map(({ name }) => name);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(20);
    const [first = { uri: '' }] = resources;
    expect((await client.readResource({ uri: first.uri })).contents).toMatchObject([
      { uri: first.uri },
    ]);
    await expect(client.listResources({ cursor: 'nonsense' })).rejects.toMatchObject({
      code: -32602,
    });
    const missing = 'constellation://articles/none.md';
    await expect(client.readResource({ uri: missing })).rejects.toMatchObject({
      data: { uri: missing },
    });
    await expect(
      client.readResource({ uri: 'constellation://articles/..%2Fv1%2Fsync' }),
    ).rejects.toThrow();
  });

  it('has a prompt for answers with sources', async () => {
    const client = await connect(mode);
    const { messages } = await client.getPrompt({
      name: 'answer-with-sources',
      arguments: { question: 'Why E30?' },
    });
    expect(messages).toMatchObject([
      { role: 'user', content: { text: expect.stringMatching(/ask[\s\S]*Why E30\?$/) } },
    ]);
    await expect(client.getPrompt({ name: 'answer-with-sources', arguments: {} })).rejects.toThrow(
      'question',
    );
  });

  it('lists only what the key may do', async () => {
    const reader = await connect(mode, READER);
    const tools = (await reader.listTools()).tools.map(({ name }) => name);
    expect(tools).toEqual(['ask', 'search', 'read_article', 'recall']);
    const refused = await reader
      .callTool({ name: 'remember', arguments: { content: 'x' } })
      .catch((error) => error);
    const unknown = await reader
      .callTool({ name: 'no_such_tool', arguments: {} })
      .catch((error) => error);
    expect([refused.code, refused.message]).toEqual([-32602, unknown.message]);

    const nothing = await connect(mode, NOTHING);
    expect((await nothing.listTools()).tools.map(({ name }) => name)).toEqual(['ask']);
    expect(await nothing.listResources()).toMatchObject({ resources: [] });
    expect(await nothing.listResourceTemplates()).toMatchObject({ resourceTemplates: [] });
    await expect(
      nothing.readResource({ uri: 'constellation://articles/orders%2Fshipping.md' }),
    ).rejects.toThrow();
  });

  it('explains wrong arguments, with our code', async () => {
    const client = await connect(mode);
    const call = (name: string, given: object) =>
      client.callTool({ name, arguments: { ...given } });
    const wrong = await call('ask', { query: ' ', surprise: 1 });
    expect(wrong.isError).toBe(true);
    expect(failureOf(wrong)).toMatchObject({
      code: 'INVALID_QUERY',
      message: expect.stringContaining('query'),
    });
    const long = {
      query: 'x',
      history: Array.from({ length: 12 }, () => ({ role: 'user', text: 'y'.repeat(2000) })),
    };
    expect(failureOf(await call('ask', long)).message).toContain('history');
    expect(failureOf(await call('read_article', { id: 'none.md' })).code).toBe('NOT_FOUND');
    expect(failureOf(await call('read_article', { id: '../v1/sync' })).code).toBe('INVALID_QUERY');
    expect(failureOf(await call('ask', { query: 'x', librarian: 'unknown' })).code).toBe(
      'NOT_FOUND',
    );
  });
});

describe('POST /mcp with an invalid call', () => {
  const post = async (body: string, headers: Record<string, string> = {}, method = 'POST') => {
    const response = await fetch(new URL('/mcp', product.url), {
      method,
      headers: {
        Authorization: `Bearer ${product.key}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...headers,
      },
      ...(method === 'POST' ? { body } : {}),
    });
    return {
      status: response.status,
      headers: response.headers,
      json: await response.json().catch(() => undefined),
    };
  };
  const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });

  it('refuses a forged key with the code of the error', async () => {
    const { status, headers, json } = await post(LIST, {
      Authorization: 'Bearer ck_forged_0123456789abcdef',
    });
    expect(status).toBe(401);
    expect(headers.get('WWW-Authenticate')).toBe('Bearer realm="constellation"');
    expect(json).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { code: 401, data: { error: { code: 'UNAUTHORIZED' } } },
    });
  });

  it('refuses pages of other origins', async () => {
    const { status, json } = await post(LIST, { Origin: 'https://evil.example' });
    expect(status).toBe(403);
    expect(json).toMatchObject({ error: { data: { error: { code: 'UNAUTHORIZED' } } } });
    expect((await post(LIST, { Origin: product.url.origin })).status).toBe(200);
  });

  it('accepts only POST', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const { status, headers } = await post('', {}, method);
      expect([status, headers.get('Allow')]).toEqual([405, 'POST']);
    }
  });

  it.each<[string, string, object | null]>([
    ['no parameters', 'tools/list', null],
    ['a cursor', 'tools/list', { cursor: null }],
    ['the cursor of articles', 'resources/list', { cursor: null, _meta: null }],
    ['the arguments', 'tools/call', { name: 'list_gaps', arguments: null }],
    [
      'a token of progress',
      'tools/call',
      { name: 'list_gaps', arguments: { cursor: null }, _meta: { progressToken: null } },
    ],
    [
      'capabilities',
      'initialize',
      {
        protocolVersion: '2025-06-18',
        capabilities: { roots: null, sampling: null, experimental: null },
        clientInfo: { name: 'test', version: '1', title: null },
      },
    ],
  ])('takes null for what is absent: %s', async (_, method, params) => {
    const { status, json } = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), {
      Accept: 'application/json',
    });
    expect([status, json]).toEqual([200, { jsonrpc: '2.0', id: 1, result: expect.any(Object) }]);
    expect(json.result.isError).not.toBe(true);
  });

  it('says what is wrong with arguments in the words of a tool, and names no body or route', async () => {
    const params = { name: 'list_gaps', arguments: { cursor: 'nonsense' } };
    const { json } = await post(
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      {
        Accept: 'application/json',
      },
    );
    expect(json.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/cursor.*input schema of this tool/) }],
    });
  });

  it('refuses malformed and oversized frames', async () => {
    const envelope = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":';
    const cases: [body: string, status: number][] = [
      ['{"jsonrpc":', 400],
      ['', 400],
      ['[]', 400],
      ['{"id":1}', 400],
      [`${envelope}${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 400],
      [`${envelope}{"name":"ask","arguments":{"query":"${'x'.repeat(400_000)}"}}}`, 413],
    ];
    for (const [body, status] of cases) {
      const answer = await post(body);
      expect([body.slice(0, 80), answer.status]).toEqual([body.slice(0, 80), status]);
      expect(answer.json).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } });
    }
    const tooLong = await post('x'.repeat(400_000));
    expect(tooLong.json).toMatchObject({
      error: { code: 413, data: { error: { code: 'INVALID_QUERY' } } },
    });
    expect((await post(LIST, { 'Content-Type': 'text/plain' })).status).toBe(415);
  });
});

describe('the conformance suite of MCP, against the product', () => {
  /** Adds the credentials that the suite does not have, and changes nothing else. */
  const front = createServer((received, response) => {
    const { method, url: path, rawHeaders } = received;
    const { hostname, port } = product.url;
    const headers = [...rawHeaders, 'Authorization', `Bearer ${product.key}`];
    const sent = request({ hostname, port, path, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    sent.on('error', () => response.destroy());
    response.on('close', () => sent.destroy());
    received.pipe(sent);
  });
  let url: URL;
  beforeAll(async () => {
    await once(front.listen(0, '127.0.0.1'), 'listening');

    const { port } = front.address() as AddressInfo;
    url = new URL(`http://127.0.0.1:${port}/mcp`);
  });
  afterAll(() => {
    front.closeAllConnections();
    front.close();
  });

  it.each([
    ['tools-list', 4],
    ['http-header-validation', 14],
    ['dns-rebinding-protection', 2],
    ['server-stateless', 22],
    ['caching', 8],
  ])(
    'passes %s, except for the listed failures',
    async (scenario, passed) => {
      const what = ['--scenario', scenario, '--spec-version', '2026-07-28'];
      const { wrong, output } = await runConformance(url, what, 'product');
      expect(wrong).toBeUndefined();
      expect(output).toMatch(new RegExp(`^Passed: ${passed}/`, 'm'));
    },
    120_000,
  );
});

describe.each(['auto', 'legacy'] as const)('the local server, %s', (mode) => {
  const start = async (key: string): Promise<Client> => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    const env = { CONSTELLATION_URL: product.url.origin, CONSTELLATION_API_KEY: key };
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: ['client/command-line/constellation.ts', 'mcp'],
        env,
      }),
    );
    return client;
  };

  it('answers from the deployment', async () => {
    const client = await start(product.key);
    const [answer, found] = await Promise.all([
      client.callTool({ name: 'ask', arguments: { query: SHIPPING } }),
      client.callTool({ name: 'search', arguments: { query: 'größer “0 H/s”', limit: 1 } }),
    ]);
    expect(AskResult.parse(answer.structuredContent).answer).toContain('Canada');
    expect(found.structuredContent).toMatchObject({ hits: [{}] });
    const uri = 'constellation://articles/grö%C3%9Fe.md';
    await expect(client.readResource({ uri })).rejects.toMatchObject({ data: { uri } });
    await client.close();
  });

  it('passes on that the key is refused', async () => {
    await expect(start('ck_forged_0123456789abcdef')).rejects.toThrow('Cannot accept the API key');
  });
});

describe('the lines of the local server', () => {
  const answersTo = async (lines: readonly string[], url = product.url.href, key = product.key) => {
    const written: { id?: unknown; method?: string; error?: { code: number; message: string } }[] =
      [];
    const input = Readable.from(lines.map((line) => Buffer.from(`${line}\n`)));
    await bridgeMcp({ url, key, input, write: (line) => void written.push(JSON.parse(line)) });
    return written;
  };
  const ASK = {
    jsonrpc: '2.0',
    id: 'a',
    method: 'tools/call',
    params: { name: 'ask', arguments: { query: SHIPPING }, _meta: { progressToken: 7 } },
  };

  it('report progress and then the result', async () => {
    const written = await answersTo([JSON.stringify(ASK)]);
    expect(written.map(({ id, method }) => id ?? method)).toEqual(['notifications/progress', 'a']);
  });

  it('name what is wrong, and the next request is answered', async () => {
    const LIST = JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'tools/list', params: {} });
    const written = await answersTo([
      '{"jsonrpc":',
      '[]',
      'x'.repeat(1_200_000),
      '',
      '"text"',
      '{"id":1}',
      LIST,
    ]);
    expect(written.map(({ id, error }) => [id, error?.code])).toEqual([
      [null, -32_700],
      [null, -32_600],
      [null, -32_700],
      [null, -32_700],
      [9, undefined],
    ]);
  });

  it('report for each request that the deployment cannot be reached', async () => {
    const written = await answersTo([JSON.stringify(ASK)], 'http://127.0.0.1:1');
    expect(written).toMatchObject([
      { id: 'a', error: { code: 503, message: expect.stringContaining('Cannot reach') } },
    ]);
  });
});
