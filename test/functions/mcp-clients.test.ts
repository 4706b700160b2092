import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERROR_META, ToolFailure } from '../../src/contract/wire/mcp.ts';
import type { Product } from '../../tools/run/product.ts';
import { startEmbedded } from './product-for-test.ts';

let product: Product;
beforeAll(async () => {
  product = await startEmbedded();
  await product.sync({ full: true });
});
afterAll(() => product?.stop());

const SHIPPING = { query: 'How long does shipping to Canada take?' };

/** What the tests use of any version of the client. */
interface OldClient {
  connect(transport: unknown): Promise<void>;
  listTools(): Promise<{ tools: { name: string; outputSchema?: object; annotations?: object }[] }>;
  callTool(
    call: { name: string; arguments: object },
    schema?: undefined,
    options?: { onprogress: (progress: { progress: number }) => void },
  ): Promise<{
    content: { type: string; text?: string }[];
    structuredContent?: unknown;
    isError?: boolean;
    _meta?: unknown;
  }>;
  listResources(): Promise<{ resources: { uri: string; name: string }[] }>;
  readResource(wanted: { uri: string }): Promise<{ contents: { text?: string }[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  getPrompt(wanted: { name: string; arguments: object }): Promise<{ messages: object[] }>;
  close(): Promise<void>;
}

interface OldSdk {
  client: Promise<{ Client: new (info: object) => OldClient }>;
  transport: Promise<{ StreamableHTTPClientTransport: new (url: URL, options: object) => unknown }>;
}

// The versions have types of their own that differ; the tests use what all of them have.
const SDKS: [version: string, sdk: () => OldSdk, structured: boolean][] = [
  [
    '1.10.2',
    () => ({
      client: import('mcp-sdk-1-10/client/index.js') as unknown as OldSdk['client'],
      transport: import('mcp-sdk-1-10/client/streamableHttp.js') as unknown as OldSdk['transport'],
    }),
    false,
  ],
  [
    '1.12.3',
    () => ({
      client: import('mcp-sdk-1-12/client/index.js') as unknown as OldSdk['client'],
      transport: import('mcp-sdk-1-12/client/streamableHttp.js') as unknown as OldSdk['transport'],
    }),
    false,
  ],
  [
    '1.17.5',
    () => ({
      client: import('mcp-sdk-1-17/client/index.js') as unknown as OldSdk['client'],
      transport: import('mcp-sdk-1-17/client/streamableHttp.js') as unknown as OldSdk['transport'],
    }),
    true,
  ],
  [
    '1.25.3',
    () => ({
      client: import('mcp-sdk-1-25/client/index.js') as unknown as OldSdk['client'],
      transport: import('mcp-sdk-1-25/client/streamableHttp.js') as unknown as OldSdk['transport'],
    }),
    true,
  ],
  [
    '1.32.2',
    () => ({
      client: import('mcp-sdk-1-32/client/index.js') as unknown as OldSdk['client'],
      transport: import('mcp-sdk-1-32/client/streamableHttp.js') as unknown as OldSdk['transport'],
    }),
    true,
  ],
];

describe.each(SDKS)('the client of @modelcontextprotocol/sdk %s', (_version, sdk, structured) => {
  let client: OldClient;
  beforeAll(async () => {
    const { client: loaded, transport } = sdk();
    const [{ Client }, { StreamableHTTPClientTransport }] = [await loaded, await transport];
    client = new Client({ name: 'test', version: '1' });
    const requestInit = { headers: { Authorization: `Bearer ${product.key}` } };
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', product.url), { requestInit }),
    );
    // It remembers the output schemas, and checks results with them.
    await client.listTools();
  });
  afterAll(() => client?.close());

  it.each([
    ['ask', SHIPPING, 'Canada'],
    ['search', { query: 'reset the password' }, 'https://'],
    ['read_article', { id: 'orders/shipping.md' }, 'Shipping'],
    ['list_gaps', {}, 'gaps'],
    ['analyze_ticket', { message: 'My Apollo shows 0 H/s' }, 'not_hashing'],
    ['remember', { content: 'Owns an Apollo II.' }, 'Apollo II'],
    ['recall', { query: 'Apollo' }, 'results'],
  ])('gets the result of %s', async (name, given, text) => {
    const { content, structuredContent, isError } = await client.callTool({
      name,
      arguments: given,
    });
    expect([isError === true, content[0]?.text]).toEqual([false, expect.stringContaining(text)]);
    expect(structuredContent !== undefined).toBe(structured);
    if (!structured) expect(content.map(({ type }) => type)).toEqual(['text']);
  });

  it.each([
    ['ask', { query: ' ' }, 'query'],
    ['ask', { query: 'x', librarian: 'unknown' }, 'librarian'],
    ['search', {}, 'query'],
    ['read_article', { id: 'nope.md' }, 'Cannot find this article'],
    ['list_gaps', { limit: 1000 }, 'limit'],
    ['list_gaps', { cursor: 'nonsense' }, 'cursor'],
    ['analyze_ticket', {}, 'message'],
    ['remember', {}, 'content'],
    ['recall', {}, 'query'],
  ])('reads why %s %j fails', async (name, given, reason) => {
    const result = await client.callTool({ name, arguments: given });
    expect([result.isError, result.content[0]?.text]).toEqual([
      true,
      expect.stringContaining(reason),
    ]);
    expect(ToolFailure.parse(result._meta)[ERROR_META].message).toContain(reason);
  });

  it('reports progress, and reads articles and prompts', async () => {
    const reported: number[] = [];
    const onprogress = ({ progress }: { progress: number }): void => void reported.push(progress);
    await client.callTool({ name: 'ask', arguments: SHIPPING }, undefined, { onprogress });
    expect(reported).toEqual([1]);
    const { resources } = await client.listResources();
    const [first] = resources;
    expect((await client.readResource({ uri: first?.uri ?? '' })).contents[0]?.text).not.toBe('');
    const [prompt] = (await client.listPrompts()).prompts;
    const got = await client.getPrompt({
      name: prompt?.name ?? '',
      arguments: { question: 'Why?' },
    });
    expect(got.messages).toHaveLength(1);
  });
});

interface Answered {
  status: number;
  type: string | null;
  messages: Record<string, unknown>[];
}

const post = async (body: object, headers: Record<string, string> = {}): Promise<Answered> => {
  const response = await fetch(new URL('/mcp', product.url), {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${product.key}`,
      'Content-Type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const type = response.headers.get('Content-Type');
  const parts = type?.startsWith('text/event-stream')
    ? [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => data)
    : [text];
  return {
    status: response.status,
    type,
    messages: parts.flatMap((part) => JSON.parse(part ?? '')),
  };
};

const request = (method: string, params: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params,
});
const MODERN = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  },
};
const modern = (method: string, name?: string): Record<string, string> => ({
  'MCP-Protocol-Version': '2026-07-28',
  'Mcp-Method': method,
  ...(name === undefined ? {} : { 'Mcp-Name': name }),
});

describe('Accept', () => {
  const JSON_TYPE = expect.stringMatching(/^application\/json/);
  const EVENTS = expect.stringMatching(/^text\/event-stream/);
  const CASES: [accept: string | undefined, type: unknown, withProgress: unknown][] = [
    ['application/json, text/event-stream', expect.anything(), EVENTS],
    ['text/event-stream, application/json', expect.anything(), EVENTS],
    ['Application/JSON, Text/Event-Stream', expect.anything(), EVENTS],
    ['application/json;charset=utf-8, text/event-stream;q=0.5', expect.anything(), EVENTS],
    ['text/event-stream', EVENTS, EVENTS],
    ['TEXT/EVENT-STREAM; q=1', EVENTS, EVENTS],
    ['application/json', JSON_TYPE, JSON_TYPE],
    ['application/json, text/event-stream;q=0', JSON_TYPE, JSON_TYPE],
    ['application/json, text/plain, */*', JSON_TYPE, JSON_TYPE],
    ['application/*, text/*', JSON_TYPE, JSON_TYPE],
    ['*/*', JSON_TYPE, JSON_TYPE],
    ['', JSON_TYPE, JSON_TYPE],
    ['text/html', JSON_TYPE, JSON_TYPE],
  ];

  it.each(CASES)('%j gets what it can read', async (accept, type, withProgress) => {
    const headers = { Accept: accept ?? '' };
    const _meta = { progressToken: 'p' };
    const ask = { name: 'ask', arguments: SHIPPING };
    const answers = [
      [await post(request('tools/list'), headers), type],
      [await post(request('tools/call', { ...ask, _meta }), headers), withProgress],
      [await post(request('tools/list', MODERN), { ...headers, ...modern('tools/list') }), type],
      [
        await post(request('tools/call', { ...ask, _meta: { ...MODERN._meta, ..._meta } }), {
          ...headers,
          ...modern('tools/call', 'ask'),
        }),
        withProgress,
      ],
    ] as const;
    for (const [answer, expected] of answers) {
      expect([answer.status, answer.type]).toEqual([200, expected]);
      expect(answer.messages.at(-1)).toMatchObject({ id: 1, result: expect.anything() });
    }
  });

  it('is no matter for a notification and a batch', async () => {
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const headers = { Accept: 'application/json', Authorization: `Bearer ${product.key}` };
    const init = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' } };
    const sent = await fetch(new URL('/mcp', product.url), {
      ...init,
      body: JSON.stringify(notification),
    });
    expect([sent.status, await sent.text()]).toEqual([202, '']);
    const batch = [request('ping'), { ...request('prompts/list'), id: 2 }];
    for (const Accept of ['application/json', 'application/json, text/event-stream']) {
      const { messages } = await post(batch, { Accept });
      expect(messages.map(({ id }) => id).toSorted()).toEqual([1, 2]);
    }
  });
});

describe('a revision', () => {
  const OLD = ['2024-10-07', '2024-11-05', '2025-03-26'];
  const NEW = ['2025-06-18', '2025-11-25'];
  /** Members and kinds of content that were added with 2025-06-18. */
  const ADDED = /"(?:title|outputSchema|structuredContent|lastModified)":|resource_link/;

  const resultsFor = async (version: string | undefined): Promise<Record<string, unknown>> => {
    const headers: Record<string, string> =
      version === undefined ? {} : { 'MCP-Protocol-Version': version };
    const opening = {
      protocolVersion: version ?? '2025-03-26',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    };
    const calls = {
      initialize: request('initialize', opening),
      tools: request('tools/list'),
      resources: request('resources/list'),
      templates: request('resources/templates/list'),
      prompts: request('prompts/list'),
      prompt: request('prompts/get', {
        name: 'answer-with-sources',
        arguments: { question: 'Why?' },
      }),
      ask: request('tools/call', { name: 'ask', arguments: SHIPPING }),
      failed: request('tools/call', { name: 'search', arguments: {} }),
    };
    const entries = Object.entries(calls).map(async ([name, call]) => {
      const { messages } = await post(call, name === 'initialize' ? {} : headers);
      return [name, (messages[0] as { result?: unknown }).result] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  };

  it.each([...OLD, undefined])('%s gets nothing that came later', async (version) => {
    const { tools, failed, ...results } = await resultsFor(version);
    expect(results.initialize).toMatchObject({ protocolVersion: version ?? '2025-03-26' });
    for (const result of Object.values({ ...results, failed })) {
      expect(result).toBeTypeOf('object');
      // The text of a block is no member.
      expect(JSON.stringify({ ...(result as object), content: undefined })).not.toMatch(ADDED);
    }
    expect(results.ask).toMatchObject({
      content: [{ type: 'text', text: expect.stringContaining('https://') }],
    });
    const [tool] = (tools as { tools: object[] }).tools;
    const members = ['name', 'description', 'inputSchema'];
    const annotated = version === undefined || version >= '2025-03-26';
    expect(Object.keys(tool ?? {}).toSorted()).toEqual(
      [...members, ...(annotated ? ['annotations'] : [])].toSorted(),
    );
  });

  it.each(NEW)('%s gets titles, schemas of results and links', async (version) => {
    const { tools, ask, failed, resources } = await resultsFor(version);
    expect(tools).toMatchObject({
      tools: [
        { title: 'Ask a question', outputSchema: { type: 'object' } },
        {},
        {},
        {},
        {},
        {},
        {},
      ],
    });
    expect(ask).toMatchObject({
      content: [{ type: 'text' }, { type: 'resource_link' }],
      structuredContent: {},
    });
    expect(failed).toMatchObject({ isError: true, content: [{ type: 'text' }] });
    expect(failed).not.toHaveProperty('structuredContent');
    expect(resources).toMatchObject({
      resources: expect.arrayContaining([expect.objectContaining({ title: expect.anything() })]),
    });
  });

  it('is the newest with a handshake for one that does not exist', async () => {
    for (const version of ['2027-01-01', '1.0', '']) {
      expect((await resultsFor(version)).initialize).toMatchObject({
        protocolVersion: '2025-11-25',
      });
    }
  });
});
