import { beforeEach, describe, expect, it } from 'vitest';
import { EmbeddingFailed, type EmbeddingProvider } from '../../src/ai/embeddings/base.ts';
import { CharacterTokenizer } from '../../src/ai/tokenizer.ts';
import { ContextPreview, ContextResult } from '../../src/contract/context-engine.ts';
import { ErrorBody } from '../../src/contract/error-info.ts';
import { MemorySearchResponse, MemoryStored } from '../../src/contract/memory.ts';
import { nodeSql } from '../../src/dev/stand-ins/node-sql.ts';
import { createApp, type MemoryParts } from '../../src/memory/app.ts';
import { createLedger } from '../../src/memory/ledger.ts';
import { createEngines } from '../../src/memory/search-memories.ts';
import type { LogLine } from '../../src/runtime/log.ts';
import { CONTEXT_HEADER, MAX_ANSWER_BYTES } from '../../src/signing/limits.ts';
import { localDirectory, localSigner } from '../../src/signing/local-directory.ts';
import { originate } from '../../src/signing/request-context.ts';
import { mintContext } from '../../src/signing/sign-link.ts';
import type { MemoryStore } from '../../src/storage/memory-store.ts';
import { StoreUnavailable } from '../../src/storage/store-unavailable.ts';
import { embeddedStore } from '../storage/memory-stores.ts';

let log: LogLine[];
let store: MemoryStore;
beforeEach(async () => {
  log = [];
  ({ store } = await embeddedStore());
});

const appOf = async (changes: Partial<MemoryParts> = {}) => {
  const ledger = createLedger(nodeSql());
  const { embeddings } = changes;
  const used = changes.store ?? store;
  return createApp({
    guard: { signer: await localSigner('memory'), directory: await localDirectory(), log: (line) => log.push(line) },
    store: used,
    engines: createEngines({ store: used, embeddings }),
    ledgerOf: () => ({
      isFirstCall: async (...parameters) => ledger.isFirstCall(...parameters),
      noteSearch: async (...parameters) => ledger.noteSearch(...parameters),
      searches: async () => ledger.searches(),
    }),
    maxMemories: 3,
    ...changes,
  });
};

interface Call {
  body?: unknown;
  workspace?: string;
  capabilities?: string[];
  timeoutMs?: number;
}

/** A request as the gateway signs it. */
const requestOf = async (
  route: string,
  { body, workspace = 'acme', capabilities = ['memory:read', 'memory:write'], timeoutMs = 5000 }: Call = {},
): Promise<Request> => {
  const [method = 'GET', path = '/'] = route.split(' ');
  const text = body === undefined ? '' : JSON.stringify(body);
  const origin = { self: 'gateway', subject: 'user:test', authentication: 'key', workspace, capabilities };
  const context = originate({ ...origin, timeoutMs, now: Date.now() });
  const target = { aud: 'memory', op: `${method} ${path}`, body: new TextEncoder().encode(text) };
  const { token } = await mintContext(context, { ...target, signer: await localSigner('gateway'), now: Date.now() });
  const headers = { [CONTEXT_HEADER]: token, 'content-type': 'application/json' };
  return new Request(`http://memory${path}`, { method, headers, ...(text === '' ? {} : { body: text }) });
};

const PATH = '/v1/workspaces/acme/memories';
const codeOf = async (response: Response) => {
  const { error } = ErrorBody.parse(await response.json());
  return [response.status, error.code];
};

describe('the app of memories', () => {
  it('takes the workspace from the signed context and finds no other one', async () => {
    const app = await appOf();
    await app.request(await requestOf(`POST ${PATH}`, { body: { type: 'fact', content: 'A secret.' } }));
    for (const route of [`GET ${PATH}`, `GET ${PATH}/stats`, `DELETE ${PATH}?person_id=p`]) {
      const response = await app.request(await requestOf(route, { workspace: 'globex' }));
      expect(await codeOf(response)).toEqual([404, 'NOT_FOUND']);
    }
    const search = await requestOf(`POST ${PATH}/search`, { workspace: 'globex', body: { query: 'secret' } });
    expect(await codeOf(await app.request(search))).toEqual([404, 'NOT_FOUND']);
  });

  it('refuses calls without a context, and without the capability', async () => {
    const app = await appOf();
    expect(await codeOf(await app.request(PATH))).toEqual([401, 'UNAUTHORIZED']);
    const reader = { capabilities: ['memory:read'], body: { type: 'fact', content: 'x' } };
    expect(await codeOf(await app.request(await requestOf(`POST ${PATH}`, reader)))).toEqual([401, 'UNAUTHORIZED']);
    const writer = { capabilities: ['memory:write'] };
    expect(await codeOf(await app.request(await requestOf(`GET ${PATH}`, writer)))).toEqual([401, 'UNAUTHORIZED']);
  });

  it('stores a replayed call once', async () => {
    const app = await appOf();
    const request = await requestOf(`POST ${PATH}`, { body: { type: 'fact', content: 'x' } });
    expect((await app.request(request.clone())).status).toBe(201);
    expect(await codeOf(await app.request(request))).toEqual([401, 'UNAUTHORIZED']);
    expect(await store.count('acme')).toBe(1);
  });

  it('refuses a memory when the workspace is full', async () => {
    const app = await appOf();
    const body = { type: 'fact', content: 'x' };
    for (let count = 0; count < 3; count++) {
      expect((await app.request(await requestOf(`POST ${PATH}`, { body }))).status).toBe(201);
    }
    const full = await app.request(await requestOf(`POST ${PATH}`, { body }));
    expect(full.headers.get('Retry-After')).toBe('60');
    const { error } = ErrorBody.parse(await full.json());
    expect([full.status, error.code]).toEqual([429, 'RATE_LIMITED']);
    expect(error.message).toContain('has 3 memories, 3 are allowed');
    expect(error.suggestion).toContain('MAX_MEMORIES');
  });

  it('sends Retry-After while the store is unavailable, and logs the cause', async () => {
    const down = async () => {
      throw new StoreUnavailable('unavailable', 'Cannot use memories: status is 500');
    };
    const app = await appOf({ store: { ...store, list: down, searchMemories: down } });
    const response = await app.request(await requestOf(`GET ${PATH}`));
    expect(response.headers.get('Retry-After')).toBe('5');
    expect(await codeOf(response)).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(log).toContainEqual(
      expect.objectContaining({ event: 'fault', cause: expect.stringContaining('status is 500') }),
    );
    const search = await app.request(await requestOf(`POST ${PATH}/search`, { body: { query: 'x' } }));
    expect(search.headers.get('Retry-After')).toBe('5');
    expect(await codeOf(search)).toEqual([503, 'SERVICE_UNAVAILABLE']);
  });

  it('answers TIMEOUT before the deadline when the store hangs', async () => {
    const hang = (_: unknown, __: unknown, options?: { signal?: AbortSignal | undefined }) =>
      new Promise<never>((_resolve, reject) => {
        options?.signal?.addEventListener('abort', () =>
          reject(new StoreUnavailable('aborted', 'Cannot use memories')),
        );
      });
    const app = await appOf({ store: { ...store, list: hang, searchMemories: hang } });
    const calls = [await requestOf(`GET ${PATH}`, { timeoutMs: 600 })];
    calls.push(await requestOf(`POST ${PATH}/search`, { timeoutMs: 600, body: { query: 'x' } }));
    for (const response of await Promise.all(calls.map((request) => app.request(request)))) {
      expect(await codeOf(response)).toEqual([504, 'TIMEOUT']);
    }
  });

  it('refuses a search by vector without an embedding model', async () => {
    const app = await appOf();
    for (const path of ['/search', '/context']) {
      const response = await app.request(await requestOf(`POST ${PATH}${path}`, { body: { vector: [1, 2] } }));
      const { error } = ErrorBody.parse(await response.json());
      expect([response.status, error.code]).toEqual([400, 'INVALID_QUERY']);
      expect(error.message).toContain('no embedding model');
    }
  });

  it('includes the whole last day of a search', async () => {
    const days = [
      '2026-03-01T23:59:59.999Z',
      '2026-03-02T00:00:00.000Z',
      '2026-03-02T23:59:59.999Z',
      '2026-03-03T00:00:00.000Z',
    ];
    for (const created_at of days) {
      await store.put(
        { id: created_at, workspace_id: 'acme', type: 'fact', content: 'A yak.', confidence: 1, created_at },
        {},
      );
    }
    const app = await appOf();
    const found = async (options: object) => {
      const response = await app.request(await requestOf(`POST ${PATH}/search`, { body: { query: 'yak', options } }));
      const { results } = MemorySearchResponse.parse(await response.json());
      return results.map(({ memory }) => memory.id).toSorted();
    };
    expect(await found({ dateFrom: '2026-03-02', dateTo: '2026-03-02' })).toEqual(days.slice(1, 3));
    expect(await found({ dateTo: '2026-03-02T00:00:00Z' })).toEqual(days.slice(0, 2));
  });

  it('waits for the ledger no longer than the deadline', async () => {
    const hang = () => new Promise<never>(() => {});
    const searches = async () => ({ count: 0, empty: 0, degraded: 0, failed: 0 });
    const noteSearch = async () => {};
    const silent = await appOf({ ledgerOf: () => ({ isFirstCall: async () => true, noteSearch, searches: hang }) });
    const stats = await silent.request(await requestOf(`GET ${PATH}/stats`, { timeoutMs: 600 }));
    expect(await codeOf(stats)).toEqual([504, 'TIMEOUT']);
    const forgetful = await appOf({ ledgerOf: () => ({ isFirstCall: hang, noteSearch, searches }) });
    const body = { type: 'fact', content: 'x' };
    const stored = await forgetful.request(await requestOf(`POST ${PATH}`, { body }));
    expect(await codeOf(stored)).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(await store.count('acme')).toBe(0);
  });

  it('keeps a context and a preview below the maximum response size, with correct memory ids', async () => {
    const id = (index: number) => `m${String(index).padStart(3, '0')}${'"'.repeat(100)}`;
    for (let index = 0; index < 100; index++) {
      const content = `yak ${index % 2 === 0 ? '龍'.repeat(31_000) : '\u0001'.repeat(31_000)}`;
      const created_at = new Date(1_700_000_000_000 + index).toISOString();
      await store.put({ id: id(index), workspace_id: 'acme', type: 'saga', content, confidence: 1, created_at }, {});
    }
    const app = await appOf({ engines: createEngines({ store, tokenizer: new CharacterTokenizer() }) });
    const options = { limit: 100, tokenBudget: 200_000, template: 'detailed' };
    const body = { query: 'yak', options };
    const built = await app.request(await requestOf(`POST ${PATH}/context`, { body, timeoutMs: 30_000 }));
    const builtText = await built.text();
    expect(Buffer.byteLength(builtText)).toBeLessThan(MAX_ANSWER_BYTES);
    const context = ContextResult.parse(JSON.parse(builtText));
    expect(context.memories.length).toBeGreaterThan(5);
    expect(context.truncated).toBe(true);
    for (const { memory } of context.memories) expect(context.context).toContain(memory.content);
    const previewed = await app.request(await requestOf(`POST ${PATH}/context/preview`, { body, timeoutMs: 30_000 }));
    const previewText = await previewed.text();
    expect(Buffer.byteLength(previewText)).toBeLessThan(MAX_ANSWER_BYTES);
    const preview = ContextPreview.parse(JSON.parse(previewText));
    expect(preview.context).toBe(context.context);
  });

  it('stores a memory without a vector, and says so, when embedding fails', async () => {
    const refuse = async () => {
      throw new EmbeddingFailed('refused', 'The text is too long');
    };
    const embeddings: EmbeddingProvider = { model: 'm', dimensions: 4, embed: refuse, embedBatch: refuse };
    const app = await appOf({ embeddings });
    const response = await app.request(await requestOf(`POST ${PATH}`, { body: { type: 'fact', content: 'A yak.' } }));
    const { memory, degraded } = MemoryStored.parse(await response.json());
    expect(degraded).toEqual(['embeddings']);
    const search = await app.request(await requestOf(`POST ${PATH}/search`, { body: { query: 'yak' } }));
    expect(await search.json()).toMatchObject({ results: [{ memory: { id: memory.id } }], degraded: ['embeddings'] });
  });
});
