import { Redis } from '@upstash/redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ContextPreview, ContextResult } from '../../src/contract/context-engine.ts';
import { ErrorBody } from '../../src/contract/error-info.ts';
import {
  Memory,
  MemoryErasure,
  MemoryPage,
  MemorySearchResponse,
  MemoryStats,
  MemoryStored,
} from '../../src/contract/memory.ts';
import { type ApiKeyRecord, hashApiKey } from '../../src/gateway/api-keys.ts';
import { BACK_ENDS, type RunningBackEnd, servicesOf } from './back-ends.ts';
import { idsInVector, textsInRedis } from './look-into-services.ts';

const KEYS = {
  acme: 'ck_acme_0123456789abcdef',
  globex: 'ck_globex_0123456789abcdef',
  reader: 'ck_reader_0123456789abcdef',
};
const RECORDS: Record<keyof typeof KEYS, Partial<ApiKeyRecord>> = {
  acme: { workspaces: ['acme'], capabilities: ['memory:*'] },
  globex: { workspaces: ['globex'], capabilities: ['memory:*'] },
  reader: { workspaces: ['acme'], capabilities: ['memory:read'] },
};

describe.each(BACK_ENDS)('on the $name back end', ({ name, start }) => {
  let running: RunningBackEnd;
  const logs: string[] = [];

  beforeAll(async () => {
    running = await start({ onLog: (line) => logs.push(line) });
    const keys = await running.product.miniflare.getKVNamespace('API_KEYS', 'constellation-gateway');
    for (const [name, changes] of Object.entries(RECORDS)) {
      const record = { name, rate: 'unlimited', ...changes };
      await keys.put(await hashApiKey(KEYS[name as keyof typeof KEYS]), JSON.stringify(record));
    }
  });

  afterAll(() => running?.stop());

  interface Call {
    body?: unknown;
    key?: keyof typeof KEYS;
    workspace?: string;
  }

  const call = (route: string, { body, key = 'acme', workspace = 'acme' }: Call = {}): Promise<Response> => {
    const [method = 'GET', path = ''] = route.split(' ');
    return fetch(new URL(`/v1/workspaces/${workspace}/memories${path}`, running.product.url), {
      method,
      headers: { authorization: `Bearer ${KEYS[key]}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  };

  const store = async (body: unknown, options: Call = {}): Promise<Memory> => {
    const response = await call('POST ', { body, ...options });
    expect(response.status).toBe(201);
    return MemoryStored.parse(await response.json()).memory;
  };

  const errorOf = async (response: Response) => {
    const { error } = ErrorBody.parse(await response.json());
    return { status: response.status, code: error.code, message: error.message, suggestion: error.suggestion };
  };

  const search = async (query: string, { options, ...more }: Call & { options?: unknown } = {}) => {
    const response = await call('POST /search', {
      body: { query, ...(options === undefined ? {} : { options }) },
      ...more,
    });
    expect(response.status).toBe(200);
    return MemorySearchResponse.parse(await response.json()).results;
  };

  const contents = (results: { memory: Memory }[]) => results.map(({ memory }) => memory.content);
  /** Where meanings are compared too, others that are less near stand behind those that have the word. */
  const withWord = (word: string, results: { memory: Memory }[]) =>
    contents(results).filter((content) => content.includes(word));

  describe('memories of a workspace, all functions in workerd', () => {
    it('are stored with an id, a workspace and a time of the server, and given back as they are', async () => {
      const before = Date.now();
      const memory = await store({
        type: 'fact',
        content: 'The office in Lisbon has a bronze espresso machine.',
        conversation_id: 'c-1',
        metadata: { by: 'Ann' },
      });
      expect(memory).toMatchObject({
        workspace_id: 'acme',
        confidence: 1,
        conversation_id: 'c-1',
        metadata: { by: 'Ann' },
      });
      expect(memory.id).toMatch(/^[0-9a-f-]{36}$/);
      expect(Date.parse(memory.created_at)).toBeGreaterThanOrEqual(before);
      expect(Memory.parse(await (await call(`GET /${memory.id}`)).json())).toEqual(memory);
    });

    it('are found by words, narrowed as asked, with what they are related to', async () => {
      const first = await store({ type: 'decision', content: 'The zeppelin project ends in May.' });
      const related_to = [{ memory_id: first.id, type: 'replaces' }];
      await store({ type: 'decision', content: 'The zeppelin project ends in June.', confidence: 0.4, related_to });
      const ends = contents(await search('When does the zeppelin project end?'));
      expect(ends.slice(0, 2).every((content) => content.includes('zeppelin'))).toBe(true);
      const sure = await search('zeppelin', { options: { minConfidence: 0.5 } });
      expect(withWord('zeppelin', sure)).toEqual([first.content]);
      const [found] = await search('zeppelin June', { options: { includeRelationships: true, limit: 1 } });
      expect(found?.relationships).toEqual([
        expect.objectContaining({
          depth: 1,
          memory: first,
          relationship: expect.objectContaining({ type: 'replaces' }),
        }),
      ]);
    });

    it('are listed newest first, a page at a time', async () => {
      for (const content of ['one', 'two', 'three']) await store({ type: 'note', content, person_id: 'p/1?' });
      const query = `person_id=${encodeURIComponent('p/1?')}&limit=2`;
      const first = MemoryPage.parse(await (await call(`GET ?${query}`)).json());
      expect(first.memories).toHaveLength(2);
      const cursor = encodeURIComponent(first.next_cursor ?? '');
      const second = MemoryPage.parse(await (await call(`GET ?${query}&cursor=${cursor}`)).json());
      const all = [...first.memories, ...second.memories];
      expect(all.map(({ content }) => content).toSorted()).toEqual(['one', 'three', 'two']);
      expect(second.next_cursor).toBeUndefined();
    });

    it('become context within a budget, and the preview is what is built', async () => {
      for (let index = 0; index < 5; index++) {
        await store({ type: 'fact', content: `Marmalade fact ${index}: ${'it is orange and sweet. '.repeat(8)}` });
      }
      const body = { query: 'marmalade', options: { tokenBudget: 120, template: 'detailed' } };
      const built = ContextResult.parse(await (await call('POST /context', { body })).json());
      expect(built).toMatchObject({ truncated: true, template: 'detailed' });
      expect(built.tokenCount).toBeLessThanOrEqual(120);
      expect(built.context).toContain('[fact] Marmalade fact');
      expect(built.memories.length).toBeGreaterThan(0);
      const preview = ContextPreview.parse(await (await call('POST /context/preview', { body })).json());
      expect(preview.context).toBe(built.context);
      expect(preview.memoryIds).toEqual(built.memories.map(({ memory }) => memory.id));
    });

    it('are counted, and how they are looked for is too, without a text', async () => {
      await search('marmalade');
      await search('xylophone', { options: { memoryTypes: ['of no memory'] } });
      await expect
        .poll(async () => MemoryStats.parse(await (await call('GET /stats')).json()).searches.empty, { timeout: 5000 })
        .toBeGreaterThan(0);
      const stats = MemoryStats.parse(await (await call('GET /stats')).json());
      expect(stats.memories).toBeGreaterThan(5);
      expect(stats.searches.count).toBeGreaterThan(stats.searches.empty);
      expect(stats.searches.latency_ms?.p95).toBeGreaterThan(0);
      expect(JSON.stringify(stats)).not.toMatch(/marmalade|xylophone/);
    });

    it('are gone once deleted, and all of a person or a conversation once erased', async () => {
      const memory = await store({ type: 'fact', content: 'A rhinoceros.', person_id: 'ann', conversation_id: 'c-9' });
      expect((await call(`DELETE /${memory.id}`)).status).toBe(204);
      expect((await errorOf(await call(`GET /${memory.id}`))).code).toBe('NOT_FOUND');
      expect((await errorOf(await call(`DELETE /${memory.id}`))).code).toBe('NOT_FOUND');
      for (let index = 0; index < 60; index++) {
        await store({ type: 'fact', content: `A rhinoceros, number ${index}.`, person_id: 'ann' });
      }
      await store({ type: 'fact', content: 'A rhinoceros of Bob.', person_id: 'bob', conversation_id: 'c-9' });
      expect(MemoryErasure.parse(await (await call('DELETE ?person_id=ann')).json())).toEqual({ erased: 60 });
      expect(withWord('rhinoceros', await search('rhinoceros'))).toEqual(['A rhinoceros of Bob.']);
      expect(await (await call('DELETE ?conversation_id=c-9')).json()).toEqual({ erased: 1 });
      expect(withWord('rhinoceros', await search('rhinoceros'))).toEqual([]);
      expect(await (await call('DELETE ?person_id=ann')).json()).toEqual({ erased: 0 });
    });

    it.runIf(name === 'production')('are gone from Redis and from the vector index too, once erased', async () => {
      const { redis, vector } = servicesOf(running);
      const namespace = 'memory_acme';
      const before = await idsInVector(vector, namespace);
      const about = { person_id: 'carol' };
      await store({ type: 'fact', content: 'The okapi sleeps in the pantry.', ...about });
      const { id } = await store({
        type: 'fact',
        content: 'The okapi eats figs.',
        conversation_id: 'okapis',
        ...about,
      });
      await search('The okapi eats figs.');
      expect((await textsInRedis(redis)).filter((text) => text.includes('okapi')).length).toBeGreaterThanOrEqual(2);
      expect(await idsInVector(vector, namespace)).toHaveLength(before.length + 2);
      expect((await call(`DELETE /${id}`)).status).toBe(204);
      expect(await (await call('DELETE ?person_id=carol')).json()).toEqual({ erased: 1 });
      expect((await textsInRedis(redis)).filter((text) => /okapi|pantry|figs|carol/.test(text))).toEqual([]);
      // Nothing but the id, in the note that its vector went.
      expect(new Set((await textsInRedis(redis)).filter((text) => text.includes(id)))).toEqual(new Set([id]));
      expect(await idsInVector(vector, namespace)).toEqual(before);
      expect(withWord('okapi', await search('Where does the okapi sleep?'))).toEqual([]);
    });

    it.runIf(name === 'production')(
      'tell no workspace what another has asked, by their figures or by what is at hand',
      async () => {
        const { openai } = servicesOf(running);
        const globex = { key: 'globex', workspace: 'globex' } as const;
        const cacheOf = async (options: Call) =>
          MemoryStats.parse(await (await call('GET /stats', options)).json()).embedding_cache;
        const before = await cacheOf(globex);
        await search('Who knows of the walrus?');
        expect(await cacheOf(globex)).toEqual(before);
        openai.forgetRequests();
        await search('Who knows of the walrus?', globex);
        expect(openai.requests).toHaveLength(1);
        await search('Who knows of the walrus?', globex);
        expect(openai.requests).toHaveLength(1);
      },
    );

    it.runIf(name === 'production')(
      'leave no embedding behind of what was asked in a conversation that is erased, whichever function asked the model',
      async () => {
        const { redis } = servicesOf(running);
        const { product } = running;
        const embeddings = async () => {
          const client = new Redis({ url: redis.url, token: redis.token, automaticDeserialization: false });
          return ((await client.keys('embedding:*')) as string[]).toSorted();
        };
        await product.sync({ full: true });
        const path = '/v1/workspaces/default/memories?conversation_id=walk';
        const kept = async () => MemoryPage.parse(await (await product.fetch(path)).json()).memories.length;
        const before = await embeddings();
        const questions = [
          'What should I do when my Apollo III is not hashing?',
          'And on the Apollo II?',
          'How do I reset it to factory settings?',
        ];
        for (const [at, query] of questions.entries()) {
          const body = JSON.stringify({ query, conversation_id: 'walk' });
          expect((await product.fetch('/v1/ask', { method: 'POST', body })).status).toBe(200);
          await expect.poll(kept, { timeout: 10_000 }).toBe(2 * at + 2);
        }
        await expect
          .poll(async () => (await embeddings()).length, { timeout: 10_000 })
          .toBeGreaterThan(before.length + 2);
        expect(await (await product.fetch(path, { method: 'DELETE' })).json()).toEqual({ erased: 6 });
        expect(await embeddings()).toEqual(before);
      },
      60_000,
    );

    it('belong to the workspace of the key, whatever the path or the query say', async () => {
      const memory = await store({ type: 'fact', content: 'A secret gazebo.', person_id: 'p', conversation_id: 'c' });
      const foreign = { key: 'globex' } as const;
      for (const route of [
        `GET /${memory.id}`,
        'GET ',
        'GET ?workspace_id=acme',
        'GET /stats',
        'DELETE ?person_id=p',
      ]) {
        expect((await errorOf(await call(route, foreign))).status, route).toBe(401);
      }
      const body = { query: 'gazebo' };
      for (const path of ['/search', '/context', '/context/preview']) {
        expect((await call(`POST ${path}`, { ...foreign, body })).status).toBe(401);
      }
      const own = { ...foreign, workspace: 'globex' };
      expect((await errorOf(await call(`GET /${memory.id}`, own))).code).toBe('NOT_FOUND');
      expect((await errorOf(await call(`DELETE /${memory.id}`, own))).code).toBe('NOT_FOUND');
      expect(await search('gazebo', own)).toEqual([]);
      expect(await (await call('DELETE ?person_id=p', own)).json()).toEqual({ erased: 0 });
      const related = { type: 'fact', content: 'x', related_to: [{ memory_id: memory.id, type: 'supports' }] };
      expect((await errorOf(await call('POST ', { ...own, body: related }))).code).toBe('INVALID_QUERY');
      expect((await errorOf(await call('GET ?workspace_id=globex'))).code).toBe('INVALID_QUERY');
      expect(withWord('gazebo', await search('gazebo'))).toEqual([memory.content]);
    });

    it('can be read and not changed by a key that may only read', async () => {
      const reader = { key: 'reader' } as const;
      expect((await call('GET ', reader)).status).toBe(200);
      expect((await call('POST /search', { ...reader, body: { query: 'zeppelin' } })).status).toBe(200);
      expect((await errorOf(await call('POST ', { ...reader, body: { type: 'fact', content: 'x' } }))).status).toBe(
        401,
      );
      expect((await errorOf(await call('DELETE ?person_id=p', reader))).status).toBe(401);
    });

    it.each([
      ['nothing to be erased is named', 'DELETE ', undefined, /person_id/],
      ['both are named', 'DELETE ?person_id=a&conversation_id=b', undefined, /person_id/],
      ['there is no content', 'POST ', { type: 'fact' }, /content: is missing/],
      ['a member is unknown', 'POST ', { type: 'fact', content: 'x', workspace_id: 'globex' }, /workspace_id/],
      ['the confidence is above 1', 'POST ', { type: 'fact', content: 'x', confidence: 2 }, /confidence/],
      [
        'a related memory is not there',
        'POST ',
        { type: 'fact', content: 'x', related_to: [{ memory_id: 'nowhere', type: 't' }] },
        /nowhere/,
      ],
      ['the body is not JSON', 'POST ', '{', /not JSON/],
      ['there is no query', 'POST /search', {}, /query/],
      ['the limit is too large', 'POST /search', { query: 'x', options: { limit: 101 } }, /limit/],
      ['the limit of a page is none', 'GET ?limit=many', undefined, /limit/],
      ['a parameter is unknown', 'GET ?colour=red', undefined, /colour/],
      ['the template is unknown', 'POST /context', { query: 'x', options: { template: 'nope' } }, /no template nope/],
      ['the ranker is unknown', 'POST /context', { query: 'x', options: { ranker: 'nope' } }, /options.ranker/],
      ['a preview is asked for by vector', 'POST /context/preview', { vector: [1, 2] }, /query/],
    ])('refuses with INVALID_QUERY when %s', async (_, route, body, message) => {
      const error = await errorOf(await call(route, { body }));
      expect([error.status, error.code]).toEqual([400, 'INVALID_QUERY']);
      expect(error.message).toMatch(message);
    });

    it('names the templates that there are', async () => {
      const body = { query: 'x', options: { template: 'nope' } };
      expect((await errorOf(await call('POST /context', { body }))).suggestion).toMatch(/chat, detailed, summary/);
    });

    it('takes the longest memory there may be, and memories that together are too long for one answer a few at a time', async () => {
      const long = { type: 'saga', content: '龍'.repeat(32_000), conversation_id: 'long' };
      for (let index = 0; index < 45; index++) await store(long);
      const first = MemoryPage.parse(await (await call('GET ?conversation_id=long&limit=100')).json());
      expect(first.memories.length).toBeLessThan(45);
      const cursor = encodeURIComponent(first.next_cursor ?? '');
      const second = MemoryPage.parse(
        await (await call(`GET ?conversation_id=long&limit=100&cursor=${cursor}`)).json(),
      );
      expect(first.memories.length + second.memories.length).toBe(45);
    });

    it('leaves no text in the log', () => {
      expect(logs.join('\n')).toContain('/v1/workspaces/:workspace_id/memories');
      expect(logs.join('\n')).not.toMatch(/zeppelin|rhinoceros|marmalade|gazebo|espresso/i);
    });
  });
});
