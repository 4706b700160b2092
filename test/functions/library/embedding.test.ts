import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestHarness } from 'wrangler';
import { type SyncReport, SyncStatus } from '../../../src/contract/sync.ts';
import { type OpenAIServer, startOpenAIServer } from '../../../src/dev/stand-ins/openai/openai-server.ts';
import { startVectorServer, type VectorServer } from '../../../src/dev/stand-ins/vector/vector-server.ts';
import { signedClient } from '../../../src/runtime/signed-client.ts';
import { vectorsOf } from '../../../src/search/edition-vectors.ts';
import { openEdition } from '../../../src/search/open-edition.ts';
import { identityFrom } from '../../../src/signing/identity.ts';
import { originate } from '../../../src/signing/request-context.ts';
import { EditionManifest } from '../../../src/storage/edition-storage.ts';
import { upstashVectorIndex } from '../../../src/storage/upstash-vector-index.ts';
import { hostArticle } from '../../knowledge/library/library-for-test.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** What the library is bound to. */
const SOURCES = { configPath: 'functions/sources/wrangler.toml', vars: { ENVIRONMENT: 'development' } };

let articles: unknown[] = [];
let host: Server;
let openai: OpenAIServer;
let vector: VectorServer;
/** The library as it is configured with a vector index, and without one. */
const harnesses = new Map<string, ReturnType<typeof createTestHarness>>();

beforeAll(async () => {
  [openai, vector] = await Promise.all([startOpenAIServer(), startVectorServer({ indexingDelayMs: 100 })]);
  host = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ articles, total: articles.length }));
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${(host.address() as AddressInfo).port}`;
  const url = `http://${address}/api/kb/articles`;
  const configPath = 'functions/library/wrangler.toml';
  const model = { OPENAI_BASE_URL: openai.url, OPENAI_API_KEY: openai.apiKey };
  const index = { UPSTASH_VECTOR_REST_URL: vector.url, UPSTASH_VECTOR_REST_TOKEN: vector.token };
  for (const [place, services] of [
    ['index', { ...model, ...index }],
    ['edition', model],
  ] as const) {
    const vars = { ENVIRONMENT: 'development', KB_URL: url, KB_ALLOWED_HOSTS: address, ...services };
    const harness = createTestHarness({ root: ROOT, workers: [{ configPath, vars }, SOURCES] });
    harnesses.set(place, harness);
    await harness.listen();
  }
}, 120_000);

afterAll(async () => {
  await Promise.all([...harnesses.values()].map((harness) => harness.close()));
  await Promise.all([openai.stop(), vector.stop()]);
  host.closeAllConnections();
  host.close();
});

const call = async (route: string, place: string, body?: unknown) => {
  const [method = 'GET', path = '/'] = route.split(' ');
  const identity = await identityFrom({ ENVIRONMENT: 'development' }, 'gateway');
  const worker = harnesses.get(place)?.getWorker();
  if (worker === undefined) throw new Error('There is no such library');
  const library = {
    fetch: async (request: Request) => {
      const init = { method: request.method, headers: Object.fromEntries(request.headers) };
      const bytes = await request.arrayBuffer();
      const sent = bytes.byteLength > 0 ? { ...init, body: bytes } : init;
      // The harness has a Response of its own, with the same members.
      return (await worker.fetch(request.url, sent)) as unknown as Response;
    },
  };
  const client = signedClient({ ...identity, targets: { library } });
  const capabilities = ['kb:read', 'kb:write'];
  const origin = { self: 'gateway', subject: 'user:test', authentication: 'key', workspace: 'default', capabilities };
  const answer = await client.call(originate({ ...origin, now: Date.now() }), { to: 'library', method, path, body });
  if (!answer.ok) throw new Error(answer.error.message);
  return answer;
};

const untilIdle = async (place: string): Promise<SyncReport> => {
  const read = async () => SyncStatus.parse((await call('GET /v1/sync', place)).json());
  await expect.poll(async () => (await read()).state, { timeout: 20_000, interval: 20 }).toBe('idle');
  const { last_report } = await read();
  if (last_report === null) throw new Error('There is no report');
  return last_report;
};

const sync = async (place: string): Promise<SyncReport> => {
  expect((await call('POST /v1/sync', place, { full: true })).status).toBe(202);
  return untilIdle(place);
};

const vectorsIn = async (place: string) => {
  const manifest = EditionManifest.parse((await call('GET /editions/current', place)).json());
  return vectorsOf(openEdition((await call(`GET /editions/${manifest.edition}/parts/0`, place)).body));
};

const FRUIT = ['apple', 'banana', 'cherry', 'date', 'fig', 'grape'];
const fruits = () => FRUIT.map((fruit) => hostArticle(`fruit/${fruit}.md`, `The ${fruit} grows slowly.`));

describe.each([
  ['in Upstash Vector', 'index', 'ids'],
  ['in the edition', 'edition', 'rows'],
])('the library in workerd with a model, its vectors %s', (_, place, kind) => {
  it('embeds in a sync driven by alarms, and nothing when nothing differs', async () => {
    articles = fruits();
    expect(await sync(place)).toMatchObject({ outcome: 'published', embeddings: 6, warning_count: 0 });
    expect(await vectorsIn(place)).toMatchObject({
      kind,
      space: { model: 'text-embedding-3-small', dimensions: 1536 },
    });
    openai.forgetRequests();
    expect(await sync(place)).toMatchObject({ outcome: 'unchanged', embeddings: 0, writes: 0 });
    expect(openai.requests).toEqual([]);
  }, 60_000);

  it('embeds what has changed', async () => {
    articles = [hostArticle('fruit/apple.md', 'The apple is ripe.'), ...fruits().slice(1)];
    expect(await sync(place)).toMatchObject({ outcome: 'published', embeddings: 1, changed: 1 });
  }, 60_000);

  it('publishes while the model is down, and says what is missing', async () => {
    openai.faults.always({ kind: 'status', status: 401 }, '/v1/embeddings');
    articles = [hostArticle('fruit/apple.md', 'The apple is rotten.'), ...fruits().slice(1)];
    expect(await sync(place)).toMatchObject({ outcome: 'published', embeddings: 0, embeddings_missing: 1 });
    openai.faults.none();
    expect(await sync(place)).toMatchObject({ outcome: 'published', embeddings: 1 });
  }, 60_000);
});

describe('the library in workerd with a vector index', () => {
  it('has as many vectors there as chunks, once all is done', async () => {
    await call('DELETE /api/kb/articles/fruit/fig.md', 'index');
    const stored = async () => {
      const response = await fetch(`${vector.url}/range/kb_default`, {
        method: 'POST',
        headers: { authorization: `Bearer ${vector.token}` },
        body: JSON.stringify({ cursor: '0', limit: 100 }),
      });
      const { result } = (await response.json()) as { result: { vectors: unknown[] } };
      return result.vectors.length;
    };
    await expect.poll(stored, { timeout: 10_000, interval: 50 }).toBe(5);
  }, 30_000);

  const ours = () => {
    const { url, token } = vector;
    return upstashVectorIndex({ url, token, namespace: 'kb_default', dimensions: 1536 });
  };

  it('stores again what the index has lost', async () => {
    articles = fruits();
    await sync('index');
    await ours().clear();
    const report = await sync('index');
    expect(report).toMatchObject({ embeddings: 5, warning_count: 1 });
    expect(report.warnings[0]?.reason).toContain('lost 5 vectors');
    expect((await ours().list()).ids).toHaveLength(5);
  }, 60_000);

  it('does not embed again what the index did not take', async () => {
    articles = [...fruits(), hostArticle('fruit/kiwi.md', 'The kiwi is green.')];
    vector.faults.always({ kind: 'status', status: 401 }, '/upsert/kb_default');
    openai.forgetRequests();
    expect(await sync('index')).toMatchObject({ embeddings: 0, embeddings_missing: 1 });
    vector.faults.none();
    expect(await sync('index')).toMatchObject({ embeddings: 1, outcome: 'published' });
    expect(openai.requests).toHaveLength(1);
    expect((await ours().list()).ids).toHaveLength(6);
  }, 60_000);
});
