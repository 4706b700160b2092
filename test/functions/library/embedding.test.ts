import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { vectorsOf } from '../../../src/knowledge/edition/edition-vectors.ts';
import { upstashVectorIndex } from '../../../src/platform/storage/upstash-vector-index.ts';
import type { LocalCloud } from '../../../tools/run/local-cloud.ts';
import {
  type OpenAIServer,
  startOpenAIServer,
} from '../../../tools/stand-ins/openai/openai-server.ts';
import {
  startVectorServer,
  type VectorServer,
} from '../../../tools/stand-ins/vector/vector-server.ts';
import { hostArticle } from '../../knowledge/library/library-for-test.ts';
import { libraryIn, serveHost, startLibrary } from './served-library.ts';

const FRUIT = ['apple', 'banana', 'cherry', 'date', 'fig', 'grape'];
/** The text of the first one may differ. */
const fruits = (apple = 'The apple grows slowly.') =>
  FRUIT.map((name) =>
    hostArticle(`fruit/${name}.md`, name === 'apple' ? apple : `The ${name} grows slowly.`),
  );

let articles: unknown[] = [];
let host: Awaited<ReturnType<typeof serveHost>>;
let openai: OpenAIServer;
let vector: VectorServer;
/** The library with a vector index, and without one. */
const clouds = new Map<string, LocalCloud>();

beforeAll(async () => {
  [openai, vector] = await Promise.all([
    startOpenAIServer(),
    startVectorServer({ indexingDelayMs: 100 }),
  ]);
  host = await serveHost((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ articles, total: articles.length }));
  });
  const vars = { ...host.variables, OPENAI_BASE_URL: openai.url, OPENAI_API_KEY: openai.apiKey };
  const index = { UPSTASH_VECTOR_REST_URL: vector.url, UPSTASH_VECTOR_REST_TOKEN: vector.token };
  clouds.set('index', await startLibrary({ ...vars, ...index }));
  clouds.set('edition', await startLibrary(vars));
});

afterAll(async () => {
  await Promise.all([...clouds.values()].map((cloud) => cloud.stop()));
  await Promise.all([openai.stop(), vector.stop()]);
  host.stop();
});

describe.each([
  ['index', 'ids'],
  ['edition', 'rows'],
])('the library in workerd with a model, its vectors in the %s', (place, kind) => {
  const { sync, edition } = libraryIn(() => clouds.get(place)!);

  it('embeds new and changed articles in a sync, and nothing when nothing differs', async () => {
    articles = fruits();
    expect(await sync()).toMatchObject({ outcome: 'published', embeddings: 6, warning_count: 0 });
    const space = { model: 'text-embedding-3-small', dimensions: 1536 };
    expect(vectorsOf(await edition())).toMatchObject({ kind, space });
    openai.forgetRequests();
    expect(await sync()).toMatchObject({ outcome: 'unchanged', embeddings: 0, writes: 0 });
    expect(openai.requests).toEqual([]);
    articles = fruits('The apple is ripe.');
    expect(await sync()).toMatchObject({ outcome: 'published', embeddings: 1, changed: 1 });
  });

  it('publishes while the model is down, and reports what is missing', async () => {
    openai.faults.always({ kind: 'status', status: 401 }, '/v1/embeddings');
    articles = fruits('The apple is rotten.');
    expect(await sync()).toMatchObject({
      outcome: 'published',
      embeddings: 0,
      embeddings_missing: 1,
    });
    openai.faults.none();
    expect(await sync()).toMatchObject({ outcome: 'published', embeddings: 1 });
  });
});

describe('the library in workerd with a vector index', () => {
  const { sync, call } = libraryIn(() => clouds.get('index')!);
  const ours = () => {
    const { url, token } = vector;
    return upstashVectorIndex({ url, token, namespace: 'kb_default', dimensions: 1536 });
  };
  const stored = async () => (await ours().list()).ids.length;

  it('has one vector per chunk in the index, and restores those that the index has lost', async () => {
    await call('DELETE /api/kb/articles/fruit/fig.md');
    await expect.poll(stored, { timeout: 60_000, interval: 50 }).toBe(5);
    articles = fruits();
    await sync();
    await ours().clear();
    const warnings = [{ reason: expect.stringContaining('lost 5 vectors') }];
    expect(await sync()).toMatchObject({ embeddings: 5, warning_count: 1, warnings });
    expect(await stored()).toBe(5);
  });

  it('does not embed again what the index refused', async () => {
    articles = [...fruits(), hostArticle('fruit/kiwi.md', 'The kiwi is green.')];
    vector.faults.always({ kind: 'status', status: 401 }, '/upsert/kb_default');
    openai.forgetRequests();
    expect(await sync()).toMatchObject({ embeddings: 0, embeddings_missing: 1 });
    vector.faults.none();
    expect(await sync()).toMatchObject({ embeddings: 1, outcome: 'published' });
    expect([openai.requests.length, await stored()]).toEqual([1, 6]);
  });
});
