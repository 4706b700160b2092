import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROUTES, type RouteName } from '../../src/contract/routes/http-routes.ts';
import { KnowledgeChecks } from '../../src/contract/wire/checks.ts';
import { OVERVIEW_LISTED } from '../../src/contract/wire/overview.ts';
import type { Product } from '../../tools/run/product.ts';
import { grant, send, startEmbedded } from '../functions/product-for-test.ts';
import { RESTRICTED_BASE, RESTRICTED_QUESTIONS, RESTRICTED_WORDS } from './restricted-base.ts';

/**
 * Two deployments, one with articles for staff and one without them. A caller without audiences gets the same bytes from both, whatever is
 * asked in whichever interface.
 */
interface Base {
  product: Product;
  folder: string;
}
let full: Base;
let open: Base;

const READER = 'ck_restricted_reader0001';
/** Writes what whoever may read. */
const WRITER = 'ck_restricted_writer0001';
/** The key of a page's visitors, and of whom a deployment has given nothing. */
const PAGE = 'https://shop.example';
const CAPABILITIES = [
  ...[
    'kb:read',
    'memory:*',
    'answers:*',
    'sql:read',
    'web:search',
    'support:*',
    'helpdesk:*',
    'metrics:read',
  ],
];

const startBase = async (files: Readonly<Record<string, string>>): Promise<Base> => {
  const folder = mkdtempSync(join(tmpdir(), 'constellation-restricted-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const product = await startEmbedded({ kb: { folder }, key: 'ck_restricted_owner00001' });
  await product.sync({ full: true });
  await grant(product, READER, { capabilities: CAPABILITIES });
  await grant(product, WRITER, { capabilities: ['kb:read', 'kb:write'] });
  return { product, folder };
};

beforeAll(async () => {
  const { readable, restricted } = RESTRICTED_BASE;
  [full, open] = await Promise.all([
    startBase({ ...readable, ...restricted }),
    startBase(readable),
  ]);
}, 180_000);

afterAll(async () => {
  for (const { product, folder } of [full, open].filter(Boolean)) {
    await product.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

interface Sent {
  route: string;
  body?: unknown;
  headers?: Record<string, string>;
  as?: string;
}

const EVENTS = { accept: 'text/event-stream' };
const MCP = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' };
const A2A = { 'a2a-version': '1.0' };

const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });
const tool = (name: string, given: object): Sent => ({
  route: 'POST /mcp',
  headers: MCP,
  body: rpc('tools/call', { name, arguments: given }),
});
const message = (text: string, more: object = {}) => ({
  messageId: 'm1',
  role: 'ROLE_USER',
  parts: [{ text }],
  ...more,
});

/** Whatever takes a question. */
const askedEverywhere = (query: string, at: number): Sent[] => {
  const chat = { model: 'constellation', messages: [{ role: 'user', content: query }] };
  const ticket = {
    message: `Hello, ${query} Thanks`,
    subject: 'The pump',
    metadata: { product: 'Pump 2' },
  };
  const conversation = `talk-${at}`;
  return [
    { route: 'POST /v1/ask', body: { query } },
    {
      route: 'POST /v1/ask',
      body: { query, include: ['statements', 'navigator', 'trace', 'why'] },
    },
    { route: 'POST /v1/ask', body: { query, include: ['statements'] }, headers: EVENTS },
    { route: 'POST /v1/ask', body: { query, conversation_id: conversation } },
    {
      route: 'POST /v1/ask',
      body: { query: 'And the lamp?', conversation_id: conversation, include: ['why'] },
    },
    {
      route: 'POST /v1/ask',
      body: { query: 'And how long?', conversation_id: conversation },
      headers: EVENTS,
    },
    { route: 'POST /v1/ask', body: { query: 'And that one?', conversation_id: 'of-staff' } },
    { route: 'POST /v1/ask', body: { query: `${query} How long is the delivery to Canada?` } },
    { route: 'POST /v1/ask', body: { query, librarian: 'semantic', include: ['statements'] } },
    { route: 'POST /v1/ask', body: { query }, as: 'page' },
    { route: 'POST /v1/knowledge/search', body: { query, limit: 50 }, as: 'page' },
    { route: 'POST /v1/navigate', body: { query } },
    { route: 'POST /v1/navigate', body: { query }, headers: EVENTS },
    { route: 'POST /v1/knowledge/search', body: { query, limit: 50 } },
    {
      route: 'POST /v1/knowledge/search',
      body: { query, limit: 3, filter: { device: 'Pump 9 Secret' } },
    },
    {
      route: 'POST /v1/knowledge/retrieve',
      body: { intent: 'care', message: query, metadata: { include_weak: true } },
    },
    { route: 'POST /v1/agents/semantic', body: { query } },
    { route: 'POST /v1/agents/semantic?format=markdown', body: { query } },
    { route: 'POST /v1/agents/semantic?format=display', body: { query } },
    { route: 'POST /v1/agents/hybrid', body: { query } },
    { route: 'POST /v1/agents/analytics', body: { query } },
    { route: 'POST /v1/agents/web_search', body: { query } },
    { route: 'POST /v1/chat/completions', body: chat },
    { route: 'POST /v1/chat/completions', body: { ...chat, model: 'navigator', stream: true } },
    { route: 'POST /v1/responses', body: { model: 'constellation', input: query } },
    { route: 'POST /v1/responses', body: { model: 'navigator', input: query, stream: true } },
    { route: 'POST /v1/support/analyze', body: ticket },
    {
      route: 'POST /v1/support/analyze',
      body: { ...ticket, metadata: { product: 'Pump 9 Secret' } },
    },
    tool('ask', { query }),
    tool('search', { query }),
    tool('analyze_ticket', { message: ticket.message, subject: ticket.subject }),
    { route: 'POST /a2a', headers: A2A, body: rpc('SendMessage', { message: message(query) }) },
    {
      route: 'POST /a2a',
      headers: A2A,
      body: rpc('SendMessage', { message: message('And how long?', { contextId: 'of-staff' }) }),
    },
    { route: `GET /search?q=${encodeURIComponent(query)}` },
    { route: `GET /search?q=${encodeURIComponent(query)}`, as: 'anonymous' },
  ];
};

/** Articles by id, of each kind. */
const readEverywhere = (id: string): Sent[] => [
  { route: `GET /api/kb/articles/${id}` },
  { route: `GET /api/kb/text/${id}` },
  { route: `GET /kb/${id}` },
  { route: `GET /kb/${id}`, as: 'anonymous' },
  tool('read_article', { id }),
  {
    route: 'POST /mcp',
    headers: MCP,
    body: rpc('resources/read', { uri: `constellation://articles/${encodeURIComponent(id)}` }),
  },
];

/** What lists, counts and describes, after all that was asked. */
const lists = (): Sent[] => [
  { route: 'GET /v1/access' },
  { route: 'GET /v1/librarians' },
  { route: 'GET /v1/models' },
  { route: 'GET /v1/models/navigator' },
  { route: 'GET /librarians/navigator', as: 'anonymous' },
  { route: 'GET /.well-known/agent-card.json', as: 'anonymous' },
  { route: 'GET /healthz', as: 'anonymous' },
  { route: 'GET /openapi.json', as: 'anonymous' },
  { route: 'GET /v1/knowledge/gaps?state=all' },
  { route: 'GET /v1/knowledge/stats' },
  { route: 'GET /v1/knowledge/health' },
  { route: 'GET /v1/overview' },
  { route: 'GET /v1/overview?days=1' },
  { route: 'GET /v1/knowledge/editions' },
  { route: 'GET /v1/sync' },
  { route: 'GET /api/kb/articles' },
  { route: 'GET /api/kb/articles?limit=2' },
  { route: 'GET /api/kb/articles?device=Pump%209%20Secret' },
  { route: 'GET /api/kb/articles?updated_since=2025-01-01' },
  { route: 'GET /api/kb/inventory' },
  { route: 'GET /api/kb/inventory?limit=2' },
  { route: 'GET /v1/support/taxonomy' },
  { route: 'GET /v1/support/taxonomy/accuracy' },
  { route: 'GET /v1/support/settings' },
  { route: 'GET /v1/support/tickets' },
  { route: 'GET /v1/support/tickets/outcomes' },
  { route: 'GET /v1/support/tickets/draft?helpdesk=zendesk&ticket_id=1' },
  { route: 'GET /v1/support/tickets/case?helpdesk=zendesk&ticket_id=1' },
  { route: 'GET /v1/support/tickets/lessons' },
  { route: 'GET /v1/support/requests' },
  { route: 'GET /v1/answers?limit=200' },
  { route: 'GET /v1/answers?format=jsonl' },
  { route: 'GET /v1/answers/statistics' },
  { route: 'GET /v1/workspaces/default/memories/stats' },
  { route: 'GET /v1/workspaces/default/context-templates' },
  { route: 'GET /v1/workspaces/default/context-rankers' },
  { route: 'POST /v1/workspaces/default/memories/search', body: { query: 'filter' } },
  { route: 'POST /v1/workspaces/default/memories/context', body: { query: 'filter' } },
  { route: 'GET /metrics' },
  { route: 'POST /mcp', headers: MCP, body: rpc('tools/list', {}) },
  { route: 'POST /mcp', headers: MCP, body: rpc('resources/list', {}) },
  { route: 'POST /mcp', headers: MCP, body: rpc('prompts/list', {}) },
  tool('list_gaps', {}),
  tool('recall', { query: 'filter' }),
  { route: 'POST /a2a', headers: A2A, body: rpc('ListTasks', { includeArtifacts: true }) },
];

/** Routes that are not compared, each with why. */
const NOT_COMPARED: Partial<Record<RouteName, string>> = {
  // Writing: docs/audiences.md says what a key may write where some articles are for others.
  ...Object.fromEntries(
    (
      [
        ...['PUT /api/kb/articles/{id}', 'DELETE /api/kb/articles/{id}', 'POST /v1/sync'],
        ...[
          'POST /v1/knowledge/editions/{id}/activate',
          'DELETE /v1/knowledge/gaps',
          'DELETE /v1/knowledge/gaps/{id}',
        ],
        ...[
          'PUT /v1/knowledge/gaps/records',
          'PUT /v1/support/settings',
          'PUT /v1/support/taxonomy',
          'DELETE /v1/support/taxonomy',
        ],
        ...[
          'PUT /v1/support/tickets',
          'DELETE /v1/support/tickets/draft',
          'POST /v1/support/tickets/feedback',
        ],
        ...[
          'POST /v1/support/tickets/replay',
          'POST /v1/support/requests',
          'DELETE /v1/support/requests',
        ],
        ...[
          'DELETE /v1/answers',
          'DELETE /v1/answers/{id}',
          'POST /v1/answers/{id}/feedback',
          'DELETE /v1/a2a/tasks',
        ],
        ...[
          'POST /v1/workspaces/{workspace_id}/memories',
          'PUT /v1/workspaces/{workspace_id}/memories',
        ],
        ...[
          'DELETE /v1/workspaces/{workspace_id}/memories',
          'DELETE /v1/workspaces/{workspace_id}/memories/{id}',
        ],
        ...['PUT /v1/workspaces/{workspace_id}/context-templates/{name}'],
        ...['DELETE /v1/workspaces/{workspace_id}/context-templates/{name}'],
        ...['PUT /v1/workspaces/{workspace_id}/context-rankers/{name}'],
        ...['DELETE /v1/workspaces/{workspace_id}/context-rankers/{name}'],
      ] as RouteName[]
    ).map((name) => [name, 'writes']),
  ),
  'POST /librarians/{id}/ask':
    'a signed call of another librarian; it answers as the same librarian does for a key',
  'POST /webhooks/{helpdesk}/{workspace}':
    'a signed delivery; tickets are answered from what is for everybody',
  'GET /v1/sign-in': 'no identity provider is configured',
  'POST /v1/sign-in': 'no identity provider is configured',
  'GET /.well-known/oauth-protected-resource': 'no identity provider is configured',
  'GET /.well-known/oauth-protected-resource/mcp': 'no identity provider is configured',
  'GET /.well-known/jwks.json': 'random keys of each start',
  'GET /v1/audit': 'acts of administrators, for keys with audit:read',
  'POST /v1/knowledge/gaps': 'writes',
  'GET /v1/knowledge/gaps/{id}': 'by a random id; test/knowledge/gaps/gap-book.test.ts',
  'POST /v1/answers/{id}/replay':
    'asks again, by a random id; test/functions/describe-audiences.ts',
  'GET /v1/knowledge/editions/{id}/changes':
    'as the list of editions; test/knowledge/library/edition-history.test.ts',
  'GET /v1/knowledge/gaps/records': 'for keys with kb:write',
  'GET /v1/workspaces/{workspace_id}/memories':
    'in the order of random ids; test/memory/store/hidden-memories.test.ts',
  'GET /v1/workspaces/{workspace_id}/memories/{id}':
    'by a random id; test/memory/store/hidden-memories.test.ts',
  'POST /v1/workspaces/{workspace_id}/memories/search/batch': 'as the search of one query',
  'POST /v1/workspaces/{workspace_id}/memories/context/preview': 'as the context',
};

const pageKeys = new Map<Product, string>();

const headersOf = async ({ product }: Base, { as = READER, route, headers = {} }: Sent) => {
  const json = { 'content-type': 'application/json', ...headers };
  if (as === 'anonymous') return json;
  const path = route.split(' ')[1] ?? '';
  if (/^\/(?:search|kb)\b/.test(path))
    return { ...json, authorization: `Basic ${btoa(`reader:${as}`)}` };
  if (as !== 'page') return { ...json, authorization: `Bearer ${as}` };
  const key = pageKeys.get(product) ?? (await product.publish([PAGE]));
  pageKeys.set(product, key);
  return { ...json, authorization: `Bearer ${key}`, origin: PAGE };
};

/** A busy machine may be too late for the 100 ms of a retrieval, which then gives nothing. */
const replyTo = async (base: Base, sent: Sent): Promise<string> => {
  const [method = '', path = ''] = sent.route.split(' ');
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(new URL(path, base.product.url), {
      method,
      headers: await headersOf(base, sent),
      ...(sent.body === undefined ? {} : { body: JSON.stringify(sent.body) }),
    });
    const headers = [...response.headers].filter(([name]) => !CHANGING_HEADERS.has(name));
    const text = `${response.status}\n${headers.map((pair) => pair.join(': ')).join('\n')}\n\n${await response.text()}`;
    if (!/"degraded":\["timeout"\]|constellation_source_up\{[^}]*\} 0/.test(text) || attempt === 10)
      return comparable(text, base);
  }
};

/** They belong to the connection and to this request. */
const CHANGING_HEADERS = new Set([
  'date',
  'x-request-id',
  'content-length',
  'etag',
  'connection',
  'keep-alive',
]);

/**
 * What differs between two deployments and two moments anyway: addresses, ids, times, how long something took, what was called how
 * often, and what is made of these: hashes of articles with their addresses, signatures.
 */
const comparable = (text: string, { product }: Base): string =>
  text
    .replaceAll(product.url.origin, 'ORIGIN')
    .replaceAll(product.url.host, 'HOST')
    .replaceAll(/\be\d{6}-[0-9a-f]{8}/g, 'EDITION')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID')
    .replaceAll(/\b(?:[0-9a-f]{16}|[0-9a-f]{32})\b/g, 'ID')
    .replaceAll(/(chatcmpl|resp|msg)[-_][\w-]+/g, 'ID')
    .replaceAll(/\b20[23]\d-\d\d-\d\dT[\d:.]+Z/g, (time) =>
      time.endsWith('T00:00:00.000Z') ? time : 'TIME',
    )
    .replaceAll(/("next_cursor":"\d)\.\d{13}\./g, '$1.TIME.')
    .replaceAll(/"(timings|latency)":\{[^{}]*\}/g, '"$1":{}')
    .replaceAll(
      /(\w*(?:_ms|Ms|duration|execution_time|created|time_seconds|p50|p90|p95|p99)\w*\\*"):[\d.e-]+/g,
      '$1:0',
    )
    .replaceAll(/^constellation_(?:request|sync_age|embedding_lookups|metrics).*\n/gm, '')
    .replaceAll(/"isolate":\{.*?\}\}/g, '"isolate":{}')
    .replaceAll(/"hash":"[0-9a-f]{64}"/g, '"hash":"OF AN ADDRESS TOO"')
    .replaceAll(/"signature":"[\w-]+"/g, '"signature":""')
    .replaceAll(/\beyJ[\w.-]+/g, 'TOKEN');

/** Gaps, kept answers and turns are stored after the reply, a question and its answer at once: those of one moment come in any order. */
const isUnordered = ({ route, body }: Sent): boolean =>
  /\/gaps|\/answers|\/memories\/|\/overview/.test(route) ||
  /list_gaps|recall|ListTasks/.test(JSON.stringify(body ?? ''));

/** The overview lists the first ten, and of equal ones any: where there may be more, it is compared how many are listed. */
const withoutLongLists = (text: string): string =>
  text.replace(/\{.*\}$/s, (body) =>
    JSON.stringify(JSON.parse(body), (_name, value) =>
      Array.isArray(value) && value.length === OVERVIEW_LISTED ? value.length : value,
    ),
  );

const partsOf = (text: string): string =>
  text
    .split(/[{}[\],]|\\+n/)
    .filter((part) => part !== '')
    .sort()
    .join('\n');

const differenceOf = (inFull: string, inOpen: string) => {
  let at = 0;
  while (at < inFull.length && inFull[at] === inOpen[at]) at += 1;
  const from = Math.max(0, at - 60);
  return { full: inFull.slice(from, at + 160), open: inOpen.slice(from, at + 160) };
};

/** Replies by route, without its query: how many were refused, how many not. */
const tried = new Map<string, { ok: number; refused: number }>();

/** Sends the same to both, and notes what differs, and words that only restricted articles have. */
const compare = async (all: readonly Sent[]) => {
  const differences: unknown[] = [];
  for (const sent of all) {
    const [inFull, inOpen] = await Promise.all([replyTo(full, sent), replyTo(open, sent)]);
    const name = `${sent.route.replace(/\?.*/, '')}${sent.as === undefined ? '' : ` as ${sent.as}`}`;
    const counts = tried.get(name) ?? { ok: 0, refused: 0 };
    tried.set(name, counts);
    counts[/^[45]/.test(inOpen) ? 'refused' : 'ok'] += 1;
    const texts = [inFull, inOpen].map((text) =>
      sent.route.includes('/v1/overview') ? withoutLongLists(text) : text,
    );
    const [one = '', other = ''] = isUnordered(sent) ? texts.map(partsOf) : texts;
    if (one !== other) differences.push([sent.route, sent.body, sent.as, differenceOf(one, other)]);
    const words = RESTRICTED_WORDS.filter((word) => inFull.toLowerCase().includes(word));
    if (words.length > 0) differences.push([sent.route, sent.body, words]);
  }
  return differences;
};

it('has restricted articles that whoever may read them is answered from', async () => {
  const asked = await send(full.product, 'POST /v1/ask', {
    query: RESTRICTED_QUESTIONS[6],
    conversation_id: 'of-staff',
  });
  expect(await asked.text()).toContain('40 bar');
  // What staff has asked is in the same conversations, gaps and kept answers.
  for (const query of [
    ...RESTRICTED_QUESTIONS,
    'Which acquisition does the velociflange belong to?',
  ]) {
    await send(full.product, 'POST /v1/ask', { query, conversation_id: 'of-staff' });
    await send(full.product, 'POST /v1/support/analyze', { message: query });
    await send(full.product, 'POST /v1/knowledge/gaps', { query: `${query} (staff)` });
  }
});

it.each(RESTRICTED_QUESTIONS.map((query, at) => [query, at] as const))(
  'answers "%s" in every interface as without the restricted articles',
  async (query, at) => {
    expect(await compare(askedEverywhere(query, at))).toEqual([]);
  },
);

/** Restricted, refused by the sync, and unknown. */
const HIDDEN_IDS = [
  'internal/ladder.md',
  'a-filter.md',
  'de/filter.md',
  'internal/empty.md',
  'unknown.md',
];
/** Ids that a caller without audiences gets nothing for. */
const hiddenIds = [...HIDDEN_IDS];

it('shows articles, and ids that there are not, as without the restricted articles', async () => {
  const ids = [...Object.keys(RESTRICTED_BASE.readable), ...HIDDEN_IDS];
  expect(await compare(ids.flatMap(readEverywhere))).toEqual([]);
});

/** Green without the restricted articles, and red. */
const CHECKS = [
  { question: 'How long is the warranty of the pump?', contains: '24 months' },
  { question: RESTRICTED_QUESTIONS[0], declined: true },
  { question: 'How do I clean the filter of the pump?', contains: 'a text of no article' },
];

const listedChecks = async ({ product }: Base, query = '') =>
  KnowledgeChecks.parse(await (await send(product, `GET /v1/knowledge/checks${query}`)).json());

it('stores, runs, previews and deletes checks as without the restricted articles', async () => {
  const hidden = [{ question: RESTRICTED_QUESTIONS[6], contains: '40 bar' }];
  expect((await send(full.product, 'PUT /v1/knowledge/checks', { checks: hidden })).status).toBe(
    200,
  );
  const [hiddenId = ''] = (await listedChecks(full)).checks.map(({ id }) => id);
  hiddenIds.push(hiddenId);
  const warranty = {
    id: 'guides/warranty.md',
    article: { title: 'Warranty', content: '# Warranty\n\nThe warranty of the pump is 12 months.' },
  };
  const written = {
    checks: [...CHECKS, { question: 'Which article is there?', cites: 'unknown.md' }],
  };
  const asWriter = (route: string, body?: unknown): Sent => ({ route, body, as: WRITER });
  expect(
    await compare([
      asWriter('PUT /v1/knowledge/checks', written),
      asWriter('PUT /v1/knowledge/checks', {
        checks: [{ ...hidden[0], id: hiddenId, contains: '50 bar' }],
      }),
      asWriter('POST /v1/knowledge/checks/run', {}),
    ]),
  ).toEqual([]);
  const areRunning = async (base: Base) => (await listedChecks(base)).running;
  for (const base of [full, open])
    await expect.poll(() => areRunning(base), { timeout: 60_000, interval: 500 }).toBe(false);
  const lists = ['', '?state=green', '?state=red', '?order=created&limit=1'];
  expect(
    await compare([
      ...lists.map((query) => ({ route: `GET /v1/knowledge/checks${query}` })),
      ...[...CHECKS, ...hidden].map((body) => ({ route: 'POST /v1/knowledge/checks/try', body })),
      asWriter('POST /v1/knowledge/checks/preview', warranty),
      asWriter(`DELETE /v1/knowledge/checks/${hiddenId}`),
      asWriter(
        `DELETE /v1/knowledge/checks/${(await listedChecks(open, '?order=created')).checks[3]?.id}`,
      ),
      ...lists.map((query) => ({ route: `GET /v1/knowledge/checks${query}` })),
    ]),
  ).toEqual([]);
  // What was compared were answers.
  const { counts } = await listedChecks(open);
  expect(counts).toEqual({
    red: expect.toSatisfy((count) => count > 0),
    not_run: 0,
    green: expect.toSatisfy((count) => count > 0),
  });
  expect((await listedChecks(full)).checks.find(({ id }) => id === hiddenId)?.state).toBe('green');
}, 180_000);

it('lists, counts and describes everything as without the restricted articles', async () => {
  // A gap that could not be recorded at once is reported again ten seconds later.
  const gaps = { route: 'GET /v1/knowledge/gaps?state=all' };
  await expect.poll(() => compare([gaps]), { timeout: 60_000, interval: 1000 }).toEqual([]);
  expect(await compare(lists())).toEqual([]);
  // Page by page.
  let cursor: string | undefined = '';
  for (let page = 1; cursor !== undefined && page < 20; page += 1) {
    const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const route = `GET /api/kb/articles?limit=2${query}`;
    expect(await compare([{ route }])).toEqual([]);
    cursor = /"next_cursor":"([^"]+)"/.exec(await replyTo(open, { route }))?.[1];
  }
  expect(cursor).toBeUndefined();
}, 120_000);

it('compares every route that reads', () => {
  const paths = [...tried.keys()].map((route) => route.replace(/ as .*/, ''));
  const isTried = (name: string) => {
    const pattern = new RegExp(
      `^${name.replaceAll(/\{id\}/g, '.+').replaceAll(/\{\w+\}/g, '[^/]+')}$`,
    );
    return paths.some((path) => pattern.test(path));
  };
  expect(
    (Object.keys(ROUTES) as RouteName[]).filter(
      (name) => !isTried(name) && !(name in NOT_COMPARED),
    ),
  ).toEqual([]);
  // Nothing was compared but a refusal: there is no such data source, article, draft or taxonomy, and editions are for administrators.
  const refused = [...tried].filter(
    ([name, { ok }]) => ok === 0 && !hiddenIds.some((id) => name.includes(id)),
  );
  expect(refused.map(([name]) => name)).toEqual([
    'POST /v1/agents/analytics',
    'POST /v1/agents/web_search',
    'GET /v1/knowledge/editions',
    'GET /v1/support/taxonomy',
    'GET /v1/support/taxonomy/accuracy',
    'GET /v1/support/tickets/draft',
    'GET /v1/support/tickets/case',
  ]);
});
