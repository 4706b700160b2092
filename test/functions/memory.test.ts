import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ContextPreview, ContextResult } from '../../src/contract/wire/context-engine.ts';
import { Memory } from '../../src/contract/wire/memory.ts';
import type { Product } from '../../tools/run/product.ts';
import {
  type OpenAIServer,
  startOpenAIServer,
} from '../../tools/stand-ins/openai/openai-server.ts';
import { memoriesIn } from './memories-for-test.ts';
import { grant, startEmbedded } from './product-for-test.ts';

const KEYS = {
  acme: 'ck_acme_0123456789abcdef',
  globex: 'ck_globex_0123456789abcdef',
  reader: 'ck_reader_0123456789',
};

let openai: OpenAIServer;
let product: Product;
let state: string;
const logs: string[] = [];
const openAs = (key: string, workspace = 'acme') => memoriesIn(() => product, { key, workspace });
const { call, store, search, searchWord, erase, page, stats, errorOf } = openAs(KEYS.acme);

const start = async (): Promise<void> => {
  const model = { OPENAI_BASE_URL: openai.url, OPENAI_API_KEY: openai.apiKey };
  const allVars = { ...model, EMBEDDING_DIMENSIONS: '64', CHAT_MODEL: 'gpt-4.1-mini' };
  product = await startEmbedded({
    functions: ['memory'],
    state,
    allVars,
    onLog: (line) => logs.push(line),
  });
};

beforeAll(async () => {
  state = mkdtempSync(join(tmpdir(), 'constellation-memory-'));
  openai = await startOpenAIServer();
  await start();
  await grant(product, KEYS.acme, { workspaces: ['acme'], capabilities: ['memory:*'] });
  await grant(product, KEYS.globex, { workspaces: ['globex'], capabilities: ['memory:*'] });
  await grant(product, KEYS.reader, { workspaces: ['acme'], capabilities: ['memory:read'] });
});

afterAll(async () => {
  await product?.stop();
  await openai?.stop();
  rmSync(state, { recursive: true, force: true });
});

describe('memories of a workspace, in Durable Objects, with embeddings', () => {
  it('are stored with id, workspace and server time, and returned unchanged', async () => {
    const before = Date.now();
    const content = 'The office in Lisbon has a bronze samovar.';
    const { memory } = await store(content, { conversation_id: 'c-1', metadata: { by: 'Ann' } });
    expect(memory).toEqual({
      type: 'fact',
      content,
      workspace_id: 'acme',
      confidence: 1,
      conversation_id: 'c-1',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      stored_by: expect.stringMatching(/^user:/),
      created_at: expect.any(String),
      metadata: { by: 'Ann' },
    });
    expect(Date.parse(memory.created_at)).toBeGreaterThanOrEqual(before);
    expect(Memory.parse(await (await call(`GET /${memory.id}`)).json())).toEqual(memory);
  });

  it('are found by words, filtered, with their relationships', async () => {
    const { memory } = await store('The zeppelin project ends in May.', { type: 'decision' });
    const related_to = [{ memory_id: memory.id, type: 'replaces' }];
    await store('The zeppelin project ends in June.', {
      type: 'decision',
      confidence: 0.4,
      related_to,
    });
    const { contents } = await search('When does the zeppelin project end?');
    expect(contents.slice(0, 2).every((content) => content.includes('zeppelin'))).toBe(true);
    expect(await searchWord('zeppelin', { minConfidence: 0.5 })).toEqual([memory.content]);
    const { results } = await search('zeppelin June', { includeRelationships: true, limit: 1 });
    expect(results).toMatchObject([
      { relationships: [{ depth: 1, memory, relationship: { type: 'replaces' } }] },
    ]);
    expect(results[0]?.relationships).toHaveLength(1);
  });

  it('are found by parts of words through embeddings, and gone once deleted', async () => {
    const { memory } = await store('Espressomaschinen stehen in Lissabon.');
    await store('The harbour opens at six.');
    expect((await search('Espressomaschine')).contents[0]).toBe(memory.content);
    expect((await call(`DELETE /${memory.id}`)).status).toBe(204);
    expect((await errorOf(`GET /${memory.id}`)).code).toBe('NOT_FOUND');
    expect((await errorOf(`DELETE /${memory.id}`)).code).toBe('NOT_FOUND');
    const { contents, degraded } = await search('Espressomaschine');
    expect([contents.includes(memory.content), degraded]).toEqual([false, undefined]);
  });

  it('are listed newest first, a page at a time', async () => {
    for (const content of ['one', 'two', 'three']) await store(content, { person_id: 'p/1?' });
    const query = `person_id=${encodeURIComponent('p/1?')}&limit=2`;
    const first = await page(query);
    expect(first.memories).toHaveLength(2);
    const second = await page(`${query}&cursor=${encodeURIComponent(first.next_cursor ?? '')}`);
    const all = [...first.memories, ...second.memories].map(({ content }) => content);
    expect([all.toSorted(), second.next_cursor]).toEqual([['one', 'three', 'two'], undefined]);
  });

  it('become context within a budget, and the preview equals it', async () => {
    for (let index = 0; index < 5; index++) {
      await store(`Marmalade fact ${index}: ${'it is orange and sweet. '.repeat(8)}`);
    }
    const body = { query: 'marmalade', options: { tokenBudget: 120, template: 'detailed' } };
    const built = ContextResult.parse(await (await call('POST /context', body)).json());
    expect(built).toMatchObject({ truncated: true, template: 'detailed' });
    expect(built.tokenCount).toBeLessThanOrEqual(120);
    expect(built.context).toContain('[fact] Marmalade fact');
    const preview = ContextPreview.parse(await (await call('POST /context/preview', body)).json());
    const memoryIds = built.memories.map(({ memory }) => memory.id);
    expect([preview.context, preview.memoryIds]).toEqual([built.context, memoryIds]);
    expect(memoryIds.length).toBeGreaterThan(0);
    // Tokens are counted with the tokenizer of the chat model; the template comes from the request.
    const template = {
      name: 'own',
      memoryFormat: '* {{content}}',
      separator: '; ',
      includeMetadata: false,
    };
    const own = { query: 'marmalade', options: { tokenBudget: 120, template } };
    expect(ContextResult.parse(await (await call('POST /context', own)).json())).toMatchObject({
      template: 'own',
      context: expect.stringMatching(/^\* Marmalade fact \d/),
      tokenizer: 'o200k_base',
    });
  });

  it('are counted, and so are searches, without their text', async () => {
    await search('marmalade');
    await search('xylophone', { memoryTypes: ['of no memory'] });
    await expect
      .poll(async () => (await stats()).searches.empty, { timeout: 60_000 })
      .toBeGreaterThan(0);
    const { memories, searches, ...more } = await stats();
    expect(memories).toBeGreaterThan(5);
    expect(searches.count).toBeGreaterThan(searches.empty);
    expect(searches.latency_ms?.p95).toBeGreaterThan(0);
    expect(JSON.stringify([searches, more])).not.toMatch(/marmalade|xylophone/);
  });

  it('of a person or a conversation can be erased', async () => {
    for (let index = 0; index < 60; index++) {
      await store(`A rhinoceros, number ${index}.`, { person_id: 'ann' });
    }
    await store('A rhinoceros of Bob.', { person_id: 'bob', conversation_id: 'c-9' });
    expect(await erase('person_id=ann')).toEqual({ erased: 60 });
    expect(await searchWord('rhinoceros')).toEqual(['A rhinoceros of Bob.']);
    expect(await erase('conversation_id=c-9')).toEqual({ erased: 1 });
    expect(await searchWord('rhinoceros')).toEqual([]);
    expect(await erase('person_id=ann')).toEqual({ erased: 0 });
  });

  it('belong to the workspace of the key, whatever path or query name', async () => {
    const { memory } = await store('A secret gazebo.', { person_id: 'p', conversation_id: 'c' });
    const outsider = openAs(KEYS.globex);
    const reads = [
      `GET /${memory.id}`,
      'GET ',
      'GET ?workspace_id=acme',
      'GET /stats',
      'DELETE ?person_id=p',
    ];
    for (const route of [...reads, 'POST /search', 'POST /context', 'POST /context/preview']) {
      const body = route.startsWith('POST') ? { query: 'gazebo' } : undefined;
      expect((await outsider.errorOf(route, body)).status, route).toBe(401);
    }
    const own = openAs(KEYS.globex, 'globex');
    expect((await own.errorOf(`GET /${memory.id}`)).code).toBe('NOT_FOUND');
    expect((await own.errorOf(`DELETE /${memory.id}`)).code).toBe('NOT_FOUND');
    expect((await own.search('gazebo')).contents).toEqual([]);
    expect(await own.erase('person_id=p')).toEqual({ erased: 0 });
    const related = {
      type: 'fact',
      content: 'x',
      related_to: [{ memory_id: memory.id, type: 'supports' }],
    };
    expect((await own.errorOf('POST ', related)).code).toBe('INVALID_QUERY');
    expect((await errorOf('GET ?workspace_id=globex')).code).toBe('INVALID_QUERY');
    expect(await searchWord('gazebo')).toEqual([memory.content]);
  });

  it('can be read but not changed by a read-only key', async () => {
    const reader = openAs(KEYS.reader);
    expect((await reader.call('GET ')).status).toBe(200);
    expect((await reader.call('POST /search', { query: 'zeppelin' })).status).toBe(200);
    expect((await reader.errorOf('POST ', { type: 'fact', content: 'x' })).status).toBe(401);
    expect((await reader.errorOf('DELETE ?person_id=p')).status).toBe(401);
  });

  const FACT = { type: 'fact', content: 'x' };
  const NOWHERE = [{ memory_id: 'nowhere', type: 't' }];
  const withOption = (name: string) => ({ query: 'x', options: { [name]: 'nope' } });
  it.each<[what: string, route: string, body: unknown, problem: RegExp]>([
    ['an erasure names nothing', 'DELETE ', undefined, /person_id/],
    ['an erasure names both', 'DELETE ?person_id=a&conversation_id=b', undefined, /person_id/],
    ['there is no content', 'POST ', { type: 'fact' }, /content: is missing/],
    ['a member is unknown', 'POST ', { ...FACT, workspace_id: 'globex' }, /workspace_id/],
    ['the confidence is above 1', 'POST ', { ...FACT, confidence: 2 }, /confidence/],
    ['a related memory does not exist', 'POST ', { ...FACT, related_to: NOWHERE }, /nowhere/],
    ['the body is not JSON', 'POST ', '{', /not JSON/],
    ['there is no query', 'POST /search', {}, /query/],
    ['the limit is too large', 'POST /search', { query: 'x', options: { limit: 101 } }, /limit/],
    ['the limit of a page is no number', 'GET ?limit=many', undefined, /limit/],
    ['a parameter is unknown', 'GET ?colour=red', undefined, /colour/],
    [
      'the template is unknown',
      'POST /context',
      withOption('template'),
      /no template nope.*chat, detailed, summary/s,
    ],
    ['the ranker is unknown', 'POST /context', withOption('ranker'), /options.ranker/],
    ['a preview is asked for by vector', 'POST /context/preview', { vector: [1, 2] }, /query/],
  ])('refuses with INVALID_QUERY when %s', async (_, route, body, problem) => {
    const { status, code, message, suggestion } = await errorOf(route, body);
    expect([status, code]).toEqual([400, 'INVALID_QUERY']);
    expect(`${message}\n${suggestion}`).toMatch(problem);
  });

  it('may have the maximum length, and are split into pages by size', async () => {
    const long = { type: 'saga', conversation_id: 'long' };
    for (let index = 0; index < 45; index++) await store('龍'.repeat(32_000), long);
    const query = 'conversation_id=long&limit=100';
    const first = await page(query);
    expect(first.memories.length).toBeLessThan(45);
    const second = await page(`${query}&cursor=${encodeURIComponent(first.next_cursor ?? '')}`);
    expect(first.memories.length + second.memories.length).toBe(45);
  });

  it('survive a restart with their vectors; erased and expired ones do not', async () => {
    await store('A dirigible landed.', { person_id: 'ann' });
    const { memory: kept } = await store('A galleon sailed.', { person_id: 'bob' });
    expect(await erase('person_id=ann')).toEqual({ erased: 1 });
    const { memory: expired } = await store('A turn that has expired.');
    await product.stop();
    const files = readdirSync(state, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.sqlite'),
    );
    for (const file of files) {
      const database = new DatabaseSync(join(state, file));
      const has = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'memories'").get();
      if (has !== undefined)
        database.prepare('UPDATE memories SET expires = 1 WHERE id = ?').run(expired.id);
      database.close();
    }
    await start();
    expect((await call(`GET /${expired.id}`)).status).toBe(404);
    expect((await page('limit=1')).memories).toEqual([kept]);
    expect((await search('galleons')).contents[0]).toBe(kept.content);
    expect(await searchWord('dirigible')).toEqual([]);
  });

  it('leave no text in the log', () => {
    expect(logs.join('\n')).toContain('/v1/workspaces/:workspace_id/memories');
    expect(logs.join('\n')).not.toMatch(/zeppelin|rhinoceros|marmalade|gazebo|samovar|espresso/i);
  });
});
