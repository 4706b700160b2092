import { beforeEach, describe, expect, it } from 'vitest';
import {
  ContextPreview,
  ContextRankers,
  ContextTemplates,
} from '../../src/contract/wire/context-engine.ts';
import { MemoryBatchResponse, MemoryStats } from '../../src/contract/wire/memory.ts';
import type { RemoteLedger } from '../../src/memory/store/remote-memory.ts';
import { ledgerForTest } from './ledger-for-test.ts';
import { gatewayTo, memoryApp } from './memory-for-test.ts';
import { embeddedStore } from './store/memory-stores.ts';

let call: Awaited<ReturnType<typeof gatewayTo>>;
let ledgers: Map<string, RemoteLedger>;
beforeEach(async () => {
  const { store } = await embeddedStore();
  ledgers = new Map();
  const ledgerOf = (workspace: string) => {
    const ledger = ledgers.get(workspace) ?? ledgerForTest();
    ledgers.set(workspace, ledger);
    return ledger;
  };
  call = await gatewayTo(await memoryApp({ store, ledgerOf }));
  await call('POST /memories', { type: 'fact', content: 'The yak eats grass' });
  await call('POST /memories', { type: 'decision', content: 'The yak moves in May' });
});

const TEMPLATE = {
  header: '# ',
  memoryFormat: '{{type}}: {{content}}',
  separator: '; ',
  includeMetadata: false,
};
const preview = async (options: object, workspace = 'acme') => {
  const { status, json } = await call(
    'POST /memories/context/preview',
    { query: 'yak', options },
    { workspace },
  );
  return status === 200 ? ContextPreview.parse(json) : json;
};
const oneOf = (names: string) => ({
  error: { code: 'INVALID_QUERY', suggestion: expect.stringContaining(names) },
});

describe('templates of a workspace', () => {
  it('format contexts by their name, until they are replaced or deleted', async () => {
    const stored = await call('PUT /context-templates/typed', TEMPLATE);
    expect(stored).toEqual({ status: 200, json: { name: 'typed', ...TEMPLATE } });
    // With the name of the address in the body too, as a template is written in code.
    expect(await call('PUT /context-templates/typed', { name: 'typed', ...TEMPLATE })).toEqual(
      stored,
    );
    const options = { template: 'typed', ranker: 'recency' };
    const context = '# decision: The yak moves in May; fact: The yak eats grass';
    expect(await preview(options)).toMatchObject({ context, template: 'typed' });
    await call('PUT /context-templates/typed', { ...TEMPLATE, header: '' });
    expect(await preview(options)).toMatchObject({ context: context.slice(2) });
    expect((await call('DELETE /context-templates/typed')).status).toBe(204);
    expect((await call('DELETE /context-templates/typed')).status).toBe(404);
    expect(await preview(options)).toMatchObject(oneOf('chat, detailed, summary, list, dated'));
  });
  it('are listed with the built-in ones, and belong to one workspace', async () => {
    await call('PUT /context-templates/typed', TEMPLATE);
    const { templates, built_in } = ContextTemplates.parse(
      (await call('GET /context-templates')).json,
    );
    expect(templates).toEqual([{ name: 'typed', ...TEMPLATE }]);
    expect(built_in.map(({ name }) => name)).toEqual([
      'chat',
      'detailed',
      'summary',
      'list',
      'dated',
    ]);
    const { json } = await call('GET /context-templates', undefined, { workspace: 'globex' });
    expect(json).toMatchObject({ templates: [] });
    expect(await preview({ template: 'typed' }, 'globex')).toMatchObject({
      error: { code: 'INVALID_QUERY' },
    });
    expect(await preview({ template: 'other' })).toMatchObject(oneOf('typed'));
  });
  it.each<[string, string, object]>([
    ['a built-in name', 'chat', TEMPLATE],
    ['an invalid name', 'a%20b', TEMPLATE],
    ['an unknown variable', 'x', { ...TEMPLATE, memoryFormat: '{{person}}' }],
    ['a second name', 'x', { ...TEMPLATE, name: 'y' }],
    ['a huge header', 'x', { ...TEMPLATE, header: 'x'.repeat(4001) }],
  ])('are refused with %s', async (_, name, body) => {
    const { status, json } = await call(`PUT /context-templates/${name}`, body);
    expect([status, json]).toMatchObject([400, { error: { code: 'INVALID_QUERY' } }]);
    expect((await call('GET /context-templates')).json).toMatchObject({ templates: [] });
  });
  it.each(['{', '7', '{"header":1}'])(
    'are listed and used without a damaged one: %s',
    async (damaged) => {
      await call('PUT /context-templates/typed', TEMPLATE);
      await ledgers.get('acme')?.putSetting('template', 'broken', damaged);
      expect((await call('GET /context-templates')).json).toMatchObject({
        templates: [{ name: 'typed' }],
      });
      expect(await preview({ template: 'typed' })).toMatchObject({ template: 'typed' });
      expect(await preview({ template: 'broken' })).toMatchObject(oneOf('typed'));
    },
  );
  it.each([
    ['PUT /context-templates/x', TEMPLATE, 'memory:read'],
    ['DELETE /context-templates/x', undefined, 'memory:read'],
    ['GET /context-templates', undefined, 'kb:read'],
  ])('need a capability for %s', async (route, body, capability) => {
    expect((await call(route, body, { capabilities: [capability] })).status).toBe(401);
  });
  it('are limited to fifty, which can still be replaced', async () => {
    for (let at = 0; at < 50; at += 1) await call(`PUT /context-templates/t${at}`, TEMPLATE);
    expect((await call('PUT /context-templates/more', TEMPLATE)).status).toBe(429);
    expect((await call('PUT /context-templates/t7', TEMPLATE)).status).toBe(200);
    expect((await call('PUT /context-rankers/first', {})).status).toBe(200);
  });
});

describe('rankers of a workspace', () => {
  it('rank contexts by their weights', async () => {
    await call('POST /memories', { type: 'fact', content: 'The yak sleeps', confidence: 0.1 });
    const onlyConfidence = { similarityWeight: 0, recencyWeight: 0, confidenceWeight: 1 };
    expect((await call('PUT /context-rankers/sure', onlyConfidence)).status).toBe(200);
    expect(await preview({ ranker: 'recency', template: 'list' })).toMatchObject({
      context: expect.stringMatching(/^The yak sleeps/),
    });
    const built = ContextPreview.parse(await preview({ ranker: 'sure', template: 'list' }));
    expect(built.context).toMatch(/The yak sleeps$/);
    expect(Object.values(built.rankingScores)).toEqual([1, 1, 0.1]);
    const { rankers, built_in } = ContextRankers.parse((await call('GET /context-rankers')).json);
    expect([rankers, built_in]).toEqual([
      { sure: onlyConfidence },
      ['default', 'similarity', 'recency', 'confidence', 'mmr'],
    ]);
    expect((await call('DELETE /context-rankers/sure')).status).toBe(204);
    const refused = await preview({ ranker: 'sure' });
    expect(refused).toMatchObject({
      error: { message: expect.stringContaining('similarity, recency, confidence') },
    });
  });
  it.each<[string, object]>([
    ['mmr', { lambda: 0.5 }],
    ['x', { lambda: 2 }],
    ['x', { similarityWeight: -1 }],
    ['x', { weight: 1 }],
  ])('are refused under %s with %j', async (name, body) =>
    expect((await call(`PUT /context-rankers/${name}`, body)).status).toBe(400),
  );
});

describe('POST /memories/search/batch', () => {
  it('searches for each query in order, and counts each in the isolate', async () => {
    const body = { queries: ['grass', 'nothing', 'May yak'], options: { limit: 1 } };
    const { results, degraded } = MemoryBatchResponse.parse(
      (await call('POST /memories/search/batch', body)).json,
    );
    expect(results.map((list) => list.map(({ memory }) => memory.content))).toEqual([
      ['The yak eats grass'],
      [],
      ['The yak moves in May'],
    ]);
    expect(degraded).toBeUndefined();
    const { isolate, searches } = MemoryStats.parse((await call('GET /memories/stats')).json);
    expect(isolate).toMatchObject({
      count: 3,
      empty: 1,
      failed: 0,
      latency_ms: { max: expect.any(Number) },
    });
    expect(searches).toMatchObject({ count: 1, empty: 0 });
  });
  it.each([
    { queries: [] },
    { queries: Array(21).fill('yak') },
    { queries: [' '] },
    { query: 'yak' },
  ])('refuses %j', async (body) =>
    expect((await call('POST /memories/search/batch', body)).status).toBe(400),
  );
});
