import { beforeEach, describe, expect, it } from 'vitest';
import { EmbeddingFailed } from '../../src/ai/embeddings/base.ts';
import { CharacterTokenizer } from '../../src/ai/tokenizer.ts';
import { ErrorBody } from '../../src/contract/core/error-info.ts';
import { ContextPreview, ContextResult } from '../../src/contract/wire/context-engine.ts';
import {
  type Memory,
  MemoryPage,
  MemorySearchResponse,
  MemoryStats,
  MemoryStored,
} from '../../src/contract/wire/memory.ts';
import type { createApp } from '../../src/memory/app.ts';
import { createEngines } from '../../src/memory/search-memories.ts';
import type { MemoryStore } from '../../src/memory/store/memory-store.ts';
import { readMemoryQuotas } from '../../src/memory/store/store-memory.ts';
import { MAX_ANSWER_BYTES } from '../../src/platform/context/limits.ts';
import type { LogLine } from '../../src/platform/log.ts';
import { StoreUnavailable } from '../../src/platform/storage/store-unavailable.ts';
import { identityOf, signedRequest, userContext } from '../platform/context/callers.ts';
import { ledgerForTest } from './ledger-for-test.ts';
import { memoryApp } from './memory-for-test.ts';
import { embeddedStore } from './store/memory-stores.ts';

type MemoryParts = Parameters<typeof createApp>[0];

let log: LogLine[];
let store: MemoryStore;
beforeEach(async () => {
  log = [];
  ({ store } = await embeddedStore());
});

const put = (memory: Pick<Memory, 'id' | 'content' | 'created_at'> & Partial<Memory>) =>
  store.put({ workspace_id: 'acme', type: 'fact', confidence: 1, ...memory }, {});

const appOf = async (changes: Partial<MemoryParts> = {}) =>
  memoryApp({
    guard: { ...(await identityOf('memory')), log: (line) => log.push(line) },
    store,
    quotas: readMemoryQuotas({ MAX_MEMORIES: '3', TURN_DAYS: '90' }),
    ...changes,
  });

interface Call {
  audiences?: string[];
  body?: unknown;
  workspace?: string;
  capabilities?: string[];
  timeoutMs?: number;
  subject?: string;
}

const PATH = '/v1/workspaces/acme/memories';
const FACT = { type: 'fact', content: 'x' };

/** A request signed by the gateway; its path is relative to the memories of `acme`. */
const requestOf = (route: string, { body, ...call }: Call = {}): Promise<Request> => {
  const [method = 'GET', below = ''] = route.split(' ');
  const capabilities = ['memory:read', 'memory:write'];
  const context = userContext({
    subject: 'user:test',
    workspace: 'acme',
    timeoutMs: 5000,
    capabilities,
    ...call,
  });
  return signedRequest('memory', method, `${PATH}${below}`, {
    body: JSON.stringify(body),
    context,
  });
};

type App = Awaited<ReturnType<typeof appOf>>;
const send = async (app: App, route: string, call?: Call) =>
  app.request(await requestOf(route, call));
const codeOf = async (response: Response) => {
  const { error } = ErrorBody.parse(await response.json());
  return `${response.status} ${error.code}`;
};

const hangs = () => new Promise<never>(() => {});
/** Ends with its signal alone. */
const hangsInStore = (_: unknown, __: unknown, options?: { signal?: AbortSignal | undefined }) =>
  new Promise<never>((_resolve, reject) => {
    const aborted = () => reject(new StoreUnavailable('aborted', 'Cannot use memories'));
    options?.signal?.addEventListener('abort', aborted);
  });
const down = () =>
  Promise.reject(new StoreUnavailable('unavailable', 'Cannot use memories: status is 500'));
const SEARCH = { body: { query: 'x' } };
const SOON = { timeoutMs: 600 };

describe('the app of memories refuses', () => {
  const PARTS: Record<string, () => Partial<MemoryParts>> = {
    'the store is down': () => ({ store: { ...store, list: down, searchMemories: down } }),
    'the store hangs': () => ({
      store: { ...store, list: hangsInStore, searchMemories: hangsInStore },
    }),
    'the figures hang': () => ({ ledgerOf: () => ({ ...ledgerForTest(), searches: hangs }) }),
    'the list of calls hangs': () => ({
      ledgerOf: () => ({ ...ledgerForTest(), isFirstCall: hangs }),
    }),
  };
  it.each<[route: string, reason: string, Call, expected: string, retryAfter?: string]>([
    [
      'POST',
      'without the capability',
      { capabilities: ['memory:read'], body: FACT },
      '401 UNAUTHORIZED',
    ],
    ['GET', 'without the capability', { capabilities: ['memory:write'] }, '401 UNAUTHORIZED'],
    ['GET', 'of another workspace', { workspace: 'globex' }, '404 NOT_FOUND'],
    ['GET /stats', 'of another workspace', { workspace: 'globex' }, '404 NOT_FOUND'],
    ['DELETE ?person_id=p', 'of another workspace', { workspace: 'globex' }, '404 NOT_FOUND'],
    ['POST /search', 'of another workspace', { workspace: 'globex', ...SEARCH }, '404 NOT_FOUND'],
    [
      'POST /search',
      'by vector without a model',
      { body: { vector: [1, 2] } },
      '400 INVALID_QUERY',
    ],
    [
      'POST /context',
      'by vector without a model',
      { body: { vector: [1, 2] } },
      '400 INVALID_QUERY',
    ],
    ['GET', 'while the store is down', {}, '503 SERVICE_UNAVAILABLE', '5'],
    ['POST /search', 'while the store is down', SEARCH, '503 SERVICE_UNAVAILABLE', '5'],
    ['GET', 'while the store hangs', SOON, '504 TIMEOUT'],
    ['POST /search', 'while the store hangs', { ...SOON, ...SEARCH }, '504 TIMEOUT'],
    ['GET /stats', 'while the figures hang', SOON, '504 TIMEOUT'],
    ['POST', 'while the list of calls hangs', { body: FACT }, '503 SERVICE_UNAVAILABLE'],
  ])('%s %s', async (route, reason, call, expected, retryAfter) => {
    const response = await send(await appOf(PARTS[reason.replace('while ', '')]?.()), route, call);
    expect(await codeOf(response)).toBe(expected);
    if (retryAfter !== undefined) expect(response.headers.get('Retry-After')).toBe(retryAfter);
    expect(await store.count('acme', { turns: false })).toBe(0);
  });
  it('a call without a context', async () => {
    expect(await codeOf(await (await appOf()).request(PATH))).toBe('401 UNAUTHORIZED');
  });
});

describe('the app of memories', () => {
  it('names the reason of a refusal to the caller, and logs the cause of a fault', async () => {
    const byVector = await send(await appOf(), 'POST /search', { body: { vector: [1, 2] } });
    const message = expect.stringContaining('no embedding model');
    expect(await byVector.json()).toMatchObject({ error: { message } });
    await send(await appOf({ store: { ...store, list: down } }), 'GET');
    const cause = expect.stringContaining('status is 500');
    expect(log).toContainEqual(expect.objectContaining({ event: 'fault', cause }));
  });
  it('stores a replayed call once', async () => {
    const app = await appOf();
    const request = await requestOf('POST', { body: FACT });
    expect((await app.request(request.clone())).status).toBe(201);
    expect(await codeOf(await app.request(request))).toBe('401 UNAUTHORIZED');
    expect(await store.count('acme', { turns: false })).toBe(1);
  });
  it('refuses a memory when the workspace is full', async () => {
    const app = await appOf();
    for (let count = 0; count < 3; count++)
      expect((await send(app, 'POST', { body: FACT })).status).toBe(201);
    const full = await send(app, 'POST', { body: FACT });
    expect([full.status, full.headers.get('Retry-After')]).toEqual([429, '60']);
    const message = expect.stringContaining('has 3 memories, 3 are allowed');
    const suggestion = expect.stringContaining('MAX_MEMORIES');
    expect(ErrorBody.parse(await full.json()).error).toMatchObject({
      code: 'RATE_LIMITED',
      message,
      suggestion,
    });
  });
  it('warns before the workspace or the key is full, and limits one key before it fills the workspace', async () => {
    const app = await appOf({
      quotas: readMemoryQuotas({ MAX_MEMORIES: '20', MAX_MEMORIES_PER_KEY: '10' }),
    });
    const stored = async (subject: string) => {
      const response = await send(app, 'POST', { body: FACT, subject });
      return response.ok
        ? MemoryStored.parse(await response.json()).nearly_full
        : await codeOf(response);
    };
    for (let count = 1; count < 9; count++) expect(await stored('user:ada')).toBeUndefined();
    expect(await stored('user:ada')).toEqual([{ scope: 'key', memories: 9, allowed: 10 }]);
    expect(log).toContainEqual(
      expect.objectContaining({ where: 'quota', cause: expect.stringContaining('9 of 10') }),
    );
    await stored('user:ada');
    expect(await stored('user:ada')).toBe('429 RATE_LIMITED');
    for (let count = 1; count < 8; count++) expect(await stored('user:eve')).toBeUndefined();
    expect(await stored('user:eve')).toEqual([{ scope: 'workspace', memories: 18, allowed: 20 }]);
    const stats = MemoryStats.parse(
      await (await send(app, 'GET /stats', { subject: 'user:eve' })).json(),
    );
    expect(stats.quotas).toMatchObject({
      workspace: { memories: { used: 18, allowed: 20 }, turns: { used: 0, allowed: 5000 } },
      key: { memories: { used: 8, allowed: 10 }, turns: { used: 0, allowed: 4500 } },
    });
  });
  it('counts turns that the caller may read', async () => {
    const app = await appOf();
    const turn = (audiences: string[], subject: string) => {
      const body = { type: 'question', content: 'x', conversation_id: 'c' };
      return send(app, 'POST /turns', {
        body,
        audiences,
        subject,
        capabilities: ['memory:turns:write'],
      });
    };
    for (const audiences of [[], ['legal'], ['legal']])
      for (let part = 0; part < 2; part += 1)
        expect((await turn(audiences, 'user:law')).status).toBe(201);
    const counted = async (audiences: string[], subject = 'user:eve') => {
      const { quotas } = MemoryStats.parse(
        await (await send(app, 'GET /stats', { audiences, subject })).json(),
      );
      return [quotas.workspace.turns.used, quotas.key.turns.used];
    };
    expect(await counted([])).toEqual([1, 0]);
    expect(await counted(['sales'])).toEqual([1, 0]);
    expect(await counted(['legal'])).toEqual([3, 0]);
    expect(await counted(['*'], 'user:law')).toEqual([3, 3]);
  });
  it('restores nothing that the caller may not read, and tells of no id whether it is taken', async () => {
    const app = await appOf();
    await put({ id: 'own', content: 'x', created_at: '2026-01-01T00:00:00Z' });
    const turn = { expires_at: '2099-01-01T00:00:00Z', metadata: { asked_with: ['legal'] } };
    const restore = async (memories: object[], audiences: string[]) => {
      const call = { body: { memories }, audiences, capabilities: ['memory:restore:write'] };
      return (await send(app, 'PUT', call)).json();
    };
    const record = (id: string, more: object = {}) => {
      const created_at = '2026-01-01T00:00:00Z';
      return {
        id,
        workspace_id: 'acme',
        type: 'fact',
        content: 'x',
        confidence: 1,
        created_at,
        ...more,
      };
    };
    expect(await restore([record('before')], ['sales'])).toMatchObject({ restored: 1 });
    await put({ id: 'hidden', content: 'x', created_at: '2026-01-01T00:00:00Z', ...turn });
    const reply = (await restore(
      [record('hidden'), record('free'), record('own'), record('theirs', turn)],
      ['sales'],
    )) as {
      refused: { id: string; reason: string }[];
    };
    expect(reply).toMatchObject({ restored: 0, unchanged: 1 });
    expect(reply.refused.map(({ id }) => id)).toEqual(['hidden', 'free', 'theirs']);
    expect(new Set(reply.refused.map(({ reason }) => reason)).size).toBe(1);
    expect(
      await restore([record('hidden'), record('free'), record('theirs', turn)], ['legal']),
    ).toMatchObject({
      restored: 2,
      unchanged: 1,
      refused: [],
    });
  });
  it('removes the oldest turns for new ones, without counting turns as memories', async () => {
    const quotas = readMemoryQuotas({
      MAX_MEMORIES: '1',
      TURNS_PER_CONVERSATION: '2',
      TURN_DAYS: '3',
    });
    const clock = { now: Date.now() - 5000 };
    const app = await appOf({ quotas, now: () => (clock.now += 1000) });
    for (const turn of ['1', '2', '3']) {
      for (const type of ['question', 'answer']) {
        const body = { type, content: `${type} ${turn}`, conversation_id: 'c', metadata: { turn } };
        const call = { body, capabilities: ['memory:turns:write'] };
        const { memory } = MemoryStored.parse(await (await send(app, 'POST /turns', call)).json());
        expect(Date.parse(memory.expires_at ?? '') - Date.parse(memory.created_at)).toBeCloseTo(
          3 * 86_400_000,
          -5,
        );
      }
    }
    const { memories } = MemoryPage.parse(await (await send(app, 'GET ?conversation_id=c')).json());
    expect(memories.map(({ content }) => content)).toEqual([
      'answer 3',
      'question 3',
      'answer 2',
      'question 2',
    ]);
    expect((await send(app, 'POST', { body: FACT })).status).toBe(201);
    expect(await codeOf(await send(app, 'POST', { body: FACT }))).toBe('429 RATE_LIMITED');
  });
  it('includes the whole last day of a search', async () => {
    const days = ['01T23:59:59.999Z', '02T00:00:00.000Z', '02T23:59:59.999Z', '03T00:00:00.000Z'];
    const times = days.map((day) => `2026-03-${day}`);
    for (const created_at of times) await put({ id: created_at, content: 'A yak.', created_at });
    const app = await appOf();
    const found = async (options: object) => {
      const response = await send(app, 'POST /search', { body: { query: 'yak', options } });
      const { results } = MemorySearchResponse.parse(await response.json());
      return results.map(({ memory }) => memory.id).toSorted();
    };
    expect(await found({ dateFrom: '2026-03-02', dateTo: '2026-03-02' })).toEqual(
      times.slice(1, 3),
    );
    expect(await found({ dateTo: '2026-03-02T00:00:00Z' })).toEqual(times.slice(0, 2));
  });
  it('keeps a context and a preview below the maximum response size, with correct memory ids', async () => {
    for (let index = 0; index < 100; index++) {
      const id = `m${String(index).padStart(3, '0')}${'"'.repeat(100)}`;
      const content = `yak ${index % 2 === 0 ? '龍'.repeat(31_000) : '\u0001'.repeat(31_000)}`;
      await put({
        id,
        type: 'saga',
        content,
        created_at: new Date(1_700_000_000_000 + index).toISOString(),
      });
    }
    const app = await appOf({
      engines: createEngines({ store, tokenizer: new CharacterTokenizer() }),
    });
    const body = {
      query: 'yak',
      options: { limit: 100, tokenBudget: 200_000, template: 'detailed' },
    };
    const answered = async (route: string) => {
      const text = await (await send(app, route, { body, timeoutMs: 30_000 })).text();
      expect(Buffer.byteLength(text)).toBeLessThan(MAX_ANSWER_BYTES);
      return JSON.parse(text);
    };
    const context = ContextResult.parse(await answered('POST /context'));
    expect(context.memories.length).toBeGreaterThan(5);
    expect(context.truncated).toBe(true);
    for (const { memory } of context.memories) expect(context.context).toContain(memory.content);
    const preview = ContextPreview.parse(await answered('POST /context/preview'));
    expect(preview.context).toBe(context.context);
  });
  it('stores a memory without a vector and reports it when embedding fails', async () => {
    const refuse = () => Promise.reject(new EmbeddingFailed('refused', 'The text is too long'));
    const app = await appOf({
      embeddings: { model: 'm', dimensions: 4, embed: refuse, embedBatch: refuse },
    });
    const degraded = ['embeddings'];
    const stored = MemoryStored.parse(await (await send(app, 'POST', { body: FACT })).json());
    expect(stored.degraded).toEqual(degraded);
    const results = [{ memory: { id: stored.memory.id } }];
    expect(await (await send(app, 'POST /search', SEARCH)).json()).toMatchObject({
      results,
      degraded,
    });
  });
});
