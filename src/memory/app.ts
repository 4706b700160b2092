import { type Context, Hono } from 'hono';
import type { CachedEmbeddings, EmbeddingStatistics } from '../ai/embeddings/cached-embeddings.ts';
import { readAs } from '../contract/core/error-info.ts';
import { MemoryId } from '../contract/core/names.ts';
import { MEMORY_ROUTES } from '../contract/routes/memory.ts';
import {
  type ContextError,
  ContextRequest,
  MemoryBatchRequest,
  MemorySearchRequest,
  type Result,
} from '../contract/wire/context-engine.ts';
import {
  FactsRequest,
  type Memory,
  type MemoryBatchResponse,
  type MemoryErasure,
  MemoryErasureQuery,
  MemoryInput,
  MemoryListingQuery,
  type MemoryPage,
  type MemorySearchResponse,
  type MemoryStats,
  type SearchResult,
} from '../contract/wire/memory.ts';
import { MemoriesRestore, type Restored } from '../contract/wire/moving.ts';
import { mapBounded, type WaitUntil, waitUntilOf } from '../platform/concurrency.ts';
import {
  faultHandler,
  type GuardedEnv,
  type GuardOptions,
} from '../platform/context/context-guard.ts';
import { withDeadline } from '../platform/http/deadline.ts';
import { jsonAnswer } from '../platform/http/json-http.ts';
import { logLine } from '../platform/log.ts';
import { mountRoutes } from '../platform/serve/mount-routes.ts';
import type { SearchAnalytics } from './context-engine/config.ts';
import {
  addContextSettingsRoutes,
  codedError,
  contextErrorResponse,
  errorResponse,
  resolveStored,
  SELF,
  withRetryAfter,
} from './context-settings.ts';
import {
  type Engines,
  findMemories,
  fitContext,
  fitPage,
  fitResults,
  type MemorySearch,
  readFacts,
} from './search-memories.ts';
import {
  type AdjacentMemory,
  ASKED_WITH,
  type MemoryCount,
  type MemoryStore,
  mayReadMemory,
} from './store/memory-store.ts';
import { ledgerReplay, type RemoteLedger } from './store/remote-memory.ts';
import {
  deleteMemory,
  type ErasingParts,
  eraseMemories,
  MEMORIES_OF_TURN,
  restoreMemories,
  type StoringParts,
  storeMemory,
} from './store/store-memory.ts';

interface MemoryParts
  extends Pick<ErasingParts, 'store'>,
    Pick<StoringParts, 'embeddings' | 'quotas'>,
    Partial<Pick<StoringParts, 'newId' | 'now' | 'log'>> {
  guard: Omit<GuardOptions, 'self' | 'access' | 'replay'>;
  engines: Engines;
  /** Counters and seen calls of a workspace: strongly consistent, whichever store holds the memories. */
  ledgerOf: (workspace: string) => RemoteLedger;
  /** Cached embeddings of queries, for one workspace and one request. */
  queryEmbeddings?:
    | ((scope: { waitUntil: WaitUntil; workspace: string }) => CachedEmbeddings)
    | undefined;
  /** Erases what else is stored of a person or a conversation, and returns how many answers that were, of those that audiences may read. */
  eraseAnswers?:
    | ((workspace: string, of: MemoryErasureQuery, audiences: readonly string[]) => Promise<number>)
    | undefined;
  /** Mounts further routes of the function. */
  mount?: ((app: Hono<GuardedEnv>, guard: GuardOptions) => void) | undefined;
}

const INFO = {
  id: SELF,
  name: 'Memory',
  description: 'Stores the memories of a workspace, searches them, and builds context from them.',
  capabilities: ['memory:read', 'memory:write'],
  access: 'signed',
};
const MEMORIES = '/v1/workspaces/{workspace_id}/memories';
const DEFAULT_PAGE = 20;
/** With those that the gateway alone calls. */
const ROUTES = {
  ...MEMORY_ROUTES,
  // API keys never have this capability.
  'POST /v1/workspaces/{workspace_id}/memories/turns': {
    capability: 'memory:turns:write',
    body: 'MemoryInput',
  },
  'POST /v1/workspaces/{workspace_id}/memories/facts': {
    capability: 'memory:read',
    body: 'FactsRequest',
  },
} as const;
/** Metadata of a turn, reserved: the subject of the verified context that stored it. */
const ASKED_BY = 'asked_by';

const RESERVED = [ASKED_BY, ASKED_WITH];
/** Part of the deadline that is reserved to write and sign the response. */
const RESERVE_MS = 100;

type MemoryContext = Context<GuardedEnv>;

/**
 * The routes of the memory API over HTTP. The workspace is that of the verified context; paths of other workspaces are not
 * found.
 */
export function createApp(parts: MemoryParts) {
  const { guard, store, engines, queryEmbeddings, ledgerOf, quotas } = parts;
  const { newId = () => crypto.randomUUID(), now = Date.now, log = guard.log ?? logLine } = parts;
  const settings = { ...guard, self: SELF, access: 'signed' as const };
  // A replayed call is refused, since it would change something a second time.
  const writing = { ...settings, replay: ledgerReplay(ledgerOf) };
  const app = new Hono<GuardedEnv>();
  const read = mountRoutes(app, ROUTES, settings, ownWorkspace);
  const write = mountRoutes(app, ROUTES, writing, ownWorkspace);
  const keepTurns = mountRoutes(app, ROUTES, { ...writing, callers: ['gateway'] }, ownWorkspace);
  const recall = mountRoutes(app, ROUTES, { ...settings, callers: ['gateway'] }, ownWorkspace);
  const callOf = (c: MemoryContext): Call => {
    const { workspace, deadlineMs } = c.get('context');
    const timeoutMs = Math.max(1, deadlineMs - now() - RESERVE_MS);
    return {
      workspaceId: workspace,
      timeoutMs,
      signal: AbortSignal.any([c.req.raw.signal, AbortSignal.timeout(timeoutMs)]),
    };
  };
  const readable = (c: MemoryContext) => readableMemories(store, c.get('context').audiences);
  const embeddingsFor = (c: MemoryContext): CachedEmbeddings | undefined =>
    queryEmbeddings?.({ waitUntil: waitUntilOf(c), workspace: c.get('context').workspace });
  const forgetEmbeddings = (c: MemoryContext): ErasingParts['forgetEmbeddings'] => {
    const cached = embeddingsFor(c);
    return cached === undefined ? undefined : (texts, options) => cached.forget(texts, options);
  };

  const onFault = faultHandler({ ...guard, self: SELF });
  app.onError(async (error, c) => withRetryAfter(await onFault(codedError(error), c)));
  app.notFound((c) => errorResponse(c, 'NOT_FOUND'));
  app.get('/librarians/memory', (c) =>
    c.json({ ...INFO, keys: guard.directory.librarian(SELF)?.keys ?? [] }),
  );

  const keep = async (
    c: MemoryContext,
    { input, isTurn }: { input: MemoryInput; isTurn: boolean },
  ): Promise<Response> => {
    const { metadata } = input;
    const reserved = RESERVED.find(
      (name) => metadata !== undefined && Object.hasOwn(metadata, name),
    );
    if (reserved !== undefined)
      return errorResponse(
        c,
        'INVALID_QUERY',
        `Cannot store the memory: metadata.${reserved} is reserved`,
      );
    const { subject, audiences } = c.get('context');
    const asked = {
      [ASKED_BY]: subject,
      ...(audiences.length === 0 ? {} : { [ASKED_WITH]: [...audiences] }),
    };
    const memory = isTurn ? { ...input, metadata: { ...metadata, ...asked } } : input;
    const { embeddings } = parts;
    const storing = {
      store,
      readable: readable(c),
      embeddings,
      quotas,
      newId,
      now,
      log,
      subject,
      isTurn,
      ...callOf(c),
    };
    const stored = await storeMemory(memory, storing);
    if (stored.ok) return jsonAnswer(stored.value, { status: 201 });
    return stored.full === undefined
      ? errorResponse(c, 'INVALID_QUERY', stored.problem)
      : errorResponse(c, 'RATE_LIMITED', stored.problem, {
          suggestion: fullSuggestion(stored.full.scope),
          details: { ...stored.full, memories: stored.full.memories - 1 },
        });
  };
  write(`POST ${MEMORIES}`, { body: MemoryInput }, (c, { body }) =>
    keep(c, { input: body, isTurn: false }),
  );
  // Not reachable at the gateway: the gateway itself stores turns, on behalf of its caller.
  keepTurns(`POST ${MEMORIES}/turns`, { body: MemoryInput }, (c, { body }) =>
    keep(c, { input: body, isTurn: true }),
  );
  const listing = { query: MemoryListingQuery, purpose: 'list memories' };
  read(`GET ${MEMORIES}`, listing, async (c, { query }) => {
    const {
      conversation_id: conversationId,
      person_id: personId,
      type,
      limit = DEFAULT_PAGE,
      cursor,
    } = query;
    const { workspaceId, signal } = callOf(c);
    const own = readable(c);
    const page = await own.list(
      workspaceId,
      { conversationId, personId, type, limit, cursor },
      { signal },
    );
    if (query.relations === undefined) return jsonAnswer(fitPage(page) satisfies MemoryPage);
    const memories = await mapBounded(page.memories, async (memory) => {
      const adjacent = await own.getMemoryRelationships(memory.id, workspaceId, { signal });
      const outgoing = adjacent.filter(
        ({ relationship }) => relationship.from_memory_id === memory.id,
      );
      const related_to = outgoing.map(({ relationship: { to_memory_id, type } }) => ({
        memory_id: to_memory_id,
        type,
      }));
      return related_to.length === 0 ? memory : { ...memory, related_to };
    });
    return jsonAnswer(fitPage({ ...page, memories }) satisfies MemoryPage);
  });
  write(`PUT ${MEMORIES}`, { body: MemoriesRestore }, async (c, { body }) => {
    const { embeddings } = parts;
    const { audiences } = c.get('context');
    const storing = {
      store,
      readable: readable(c),
      audiences,
      embeddings,
      quotas,
      now,
      log,
      ...callOf(c),
    };
    return jsonAnswer((await restoreMemories(body.memories, storing)) satisfies Restored);
  });
  const erasure = { query: MemoryErasureQuery, purpose: 'erase memories' };
  write(`DELETE ${MEMORIES}`, erasure, async (c, { query }) => {
    const { conversation_id: conversationId, person_id: personId } = query;
    const of = personId === undefined ? { conversationId: conversationId ?? '' } : { personId };
    const { workspace, audiences } = c.get('context');
    const answers = (await parts.eraseAnswers?.(workspace, query, audiences)) ?? 0;
    const erased = await eraseMemories(of, {
      store,
      audiences,
      forgetEmbeddings: forgetEmbeddings(c),
      ...callOf(c),
    });
    return jsonAnswer({ erased, ...(answers === 0 ? {} : { answers }) } satisfies MemoryErasure);
  });

  /** Searches and records the outcome. */
  const find = async <T>(
    c: MemoryContext,
    options: { hasText: boolean; isEmpty: (value: T) => boolean },
    search: (engine: Engines['lexical'], workspaceId: string) => Promise<Result<T, ContextError>>,
  ): Promise<MemorySearch<T>> => {
    const call = callOf(c);
    const startedAtMs = now();
    const embeddingProvider = embeddingsFor(c);
    const storageClient = readable(c);
    const found = await findMemories(
      engines,
      (engine) => search(engine.forRequest({ storageClient }), call.workspaceId),
      {
        ...call,
        ...options,
        embeddingProvider,
      },
    );
    const { result, degraded } = found;
    if (!result.ok && REQUEST_ERRORS.has(result.error.type)) return found;
    const outcome = result.ok ? (options.isEmpty(result.value) ? 'empty' : 'found') : 'failed';
    const record = {
      outcome,
      degraded: degraded.length > 0,
      durationMs: now() - startedAtMs,
      nowMs: startedAtMs,
    } as const;
    waitUntilOf(c)(
      ledgerOf(call.workspaceId)
        .recordSearch(record)
        .catch(() => undefined),
    );
    return found;
  };
  read(`POST ${MEMORIES}/search`, { body: MemorySearchRequest }, async (c, { body }) => {
    const { query, vector = [], options } = body;
    const hasText = query !== undefined;
    if (!hasText && engines.semantic === undefined)
      return errorResponse(c, 'INVALID_QUERY', NO_VECTORS);
    const isEmpty = (results: SearchResult[]) => results.length === 0;
    const { result, degraded } = await find(c, { hasText, isEmpty }, (engine, workspaceId) =>
      hasText
        ? engine.search(query, workspaceId, options)
        : engine.searchByVector(vector, workspaceId, options),
    );
    if (!result.ok) return contextErrorResponse(c, result.error);
    const results = fitResults(result.value);
    return jsonAnswer({ results, ...degradedField(degraded) } satisfies MemorySearchResponse);
  });
  read(`POST ${MEMORIES}/search/batch`, { body: MemoryBatchRequest }, async (c, { body }) => {
    const { queries, options } = body;
    const isEmpty = (lists: SearchResult[][]) => lists.every((results) => results.length === 0);
    const { result, degraded } = await find(c, { hasText: true, isEmpty }, (engine, workspaceId) =>
      engine.searchBatch(queries, workspaceId, options),
    );
    if (!result.ok) return contextErrorResponse(c, result.error);
    const results = result.value.map((list) => fitResults(list, { share: 1 / queries.length }));
    return jsonAnswer({ results, ...degradedField(degraded) } satisfies MemoryBatchResponse);
  });
  const settingsIn = (c: MemoryContext) => ({
    ledger: ledgerOf(c.get('context').workspace),
    signal: callOf(c).signal,
  });
  addContextSettingsRoutes({ read, write, ledgerIn: settingsIn });
  read(`POST ${MEMORIES}/context`, { body: ContextRequest }, async (c, { body }) => {
    const { query, vector = [] } = body;
    const hasText = query !== undefined;
    if (!hasText && engines.semantic === undefined)
      return errorResponse(c, 'INVALID_QUERY', NO_VECTORS);
    const { ledger, signal } = settingsIn(c);
    const named = await resolveStored(body.options, ledger, signal);
    if (!named.ok) return contextErrorResponse(c, named.error);
    const options = named.value;
    const { result, degraded } = await find(
      c,
      { hasText, isEmpty: hasNoMemories },
      (engine, workspaceId) =>
        hasText
          ? engine.buildContext(query, workspaceId, options)
          : engine.buildContextByVector(vector, workspaceId, options),
    );
    if (!result.ok) return contextErrorResponse(c, result.error);
    return jsonAnswer({ ...fitContext(result.value), ...degradedField(degraded) });
  });
  read(`POST ${MEMORIES}/context/preview`, { body: ContextRequest }, async (c, { body }) => {
    const { query } = body;
    if (query === undefined)
      return errorResponse(
        c,
        'INVALID_QUERY',
        'Cannot preview a context by vector: send the query',
      );
    const { ledger, signal } = settingsIn(c);
    const named = await resolveStored(body.options, ledger, signal);
    if (!named.ok) return contextErrorResponse(c, named.error);
    const options = named.value;
    const { result, degraded } = await find(
      c,
      { hasText: true, isEmpty: hasNoMemories },
      (engine, workspaceId) => engine.previewContext(query, workspaceId, options),
    );
    if (!result.ok) return contextErrorResponse(c, result.error);
    return jsonAnswer({ ...fitContext(result.value), ...degradedField(degraded) });
  });
  // Not reachable at the gateway, as turns: the gateway itself reads what is known about its caller.
  recall(`POST ${MEMORIES}/facts`, { body: FactsRequest }, async (c, { body }) => {
    const { subject } = c.get('context');
    const options = {
      engines,
      store: readable(c),
      subject,
      embeddingProvider: embeddingsFor(c),
      ...callOf(c),
    };
    const { result, facts } = await readFacts(body, options);
    return result.ok ? jsonAnswer(facts) : contextErrorResponse(c, result.error);
  });
  read(`GET ${MEMORIES}/stats`, {}, async (c) => {
    const { workspaceId, signal } = callOf(c);
    const { subject: storedBy, audiences: readableWith } = c.get('context');
    const count = (of: MemoryCount) =>
      store.count(workspaceId, { ...of, readableWith }, { signal });
    const [memories, turns, ofKey, turnsOfKey, searches] = await Promise.all([
      count({ turns: false }),
      count({ turns: true }),
      count({ turns: false, storedBy }),
      count({ turns: true, storedBy }),
      withDeadline(() => ledgerOf(workspaceId).searches(), {
        signal,
        reason: 'the ledger did not answer',
      }),
    ]);
    const cache = embeddingsFor(c)?.statistics();
    const isolate = (engines.semantic ?? engines.lexical).searchAnalytics(workspaceId);
    return jsonAnswer({
      memories,
      quotas: {
        workspace: {
          memories: { used: memories, allowed: quotas.memories },
          turns: { used: Math.ceil(turns / MEMORIES_OF_TURN), allowed: quotas.turns },
        },
        key: {
          memories: { used: ofKey, allowed: quotas.memoriesPerKey },
          turns: { used: Math.ceil(turnsOfKey / MEMORIES_OF_TURN), allowed: quotas.turnsPerKey },
        },
      },
      searches,
      ...(isolate === undefined ? {} : { isolate: isolateStats(isolate) }),
      ...(cache === undefined ? {} : { embedding_cache: cacheStats(cache) }),
    } satisfies MemoryStats);
  });

  parts.mount?.(app, settings);
  read(`GET ${MEMORIES}/{id}`, {}, async (c, { path }) => {
    const { workspaceId, signal } = callOf(c);
    const id = readAs(MemoryId, path.id);
    const memory = id.ok ? await readable(c).get(workspaceId, id.value, { signal }) : undefined;
    return memory === undefined ? errorResponse(c, 'NOT_FOUND', NO_MEMORY) : jsonAnswer(memory);
  });
  write(`DELETE ${MEMORIES}/{id}`, {}, async (c, { path }) => {
    const id = readAs(MemoryId, path.id);
    const { workspaceId, signal } = callOf(c);
    const isGone =
      id.ok &&
      (await readable(c).get(workspaceId, id.value, { signal })) !== undefined &&
      (await deleteMemory(id.value, {
        store,
        forgetEmbeddings: forgetEmbeddings(c),
        ...callOf(c),
      }));
    return isGone ? c.body(null, 204) : errorResponse(c, 'NOT_FOUND', NO_MEMORY);
  });
  return app;
}

interface Call {
  workspaceId: string;
  signal: AbortSignal;
  timeoutMs: number;
}

const fullSuggestion = (scope: 'workspace' | 'key'): string =>
  `Delete memories that are no longer needed, one by one or by conversation, or have the operator raise MAX_MEMORIES${scope === 'key' ? '_PER_KEY' : ''}`;
const NO_MEMORY = 'Cannot find this memory';
const NO_VECTORS =
  'Cannot search by vector: there is no embedding model, so no memory has one. Send the query';
/** Errors of the request, before any search. */
const REQUEST_ERRORS: ReadonlySet<ContextError['type']> = new Set([
  'validation_error',
  'template_not_found',
]);

/** Runs after the guard. Any workspace but the context's is not found. */
const ownWorkspace = async (
  c: MemoryContext,
  next: () => Promise<void>,
): Promise<Response | undefined> => {
  if (c.req.param('workspace_id') !== c.get('context').workspace)
    return errorResponse(c, 'NOT_FOUND', NO_WORKSPACE);
  await next();
  return undefined;
};
const NO_WORKSPACE = 'Cannot find this workspace: the context is of another one';

const hasNoMemories = ({ memories }: { memories: SearchResult[] }): boolean =>
  memories.length === 0;

const degradedField = (degraded: MemorySearch<unknown>['degraded']) =>
  degraded.length === 0 ? {} : { degraded };

const isolateStats = ({
  latencyMs,
  since,
  ...counts
}: SearchAnalytics): MemoryStats['isolate'] => ({
  ...counts,
  since: new Date(since).toISOString(),
  ...(latencyMs === undefined ? {} : { latency_ms: latencyMs }),
});

/** A query that another request is already embedding counts as a hit. */
const cacheStats = ({
  hits,
  storeHits,
  coalesced,
  misses,
}: EmbeddingStatistics): MemoryStats['embedding_cache'] => {
  const all = hits + storeHits + coalesced;
  return { hits: all, misses, hit_rate: all + misses === 0 ? 0 : all / (all + misses) };
};

/** The memories that a context with some audiences may read: no turn that was asked with others. */
const readableMemories = (store: MemoryStore, audiences: readonly string[]): MemoryStore => {
  const isReadable = (memory: Memory): boolean => mayReadMemory(audiences, memory);
  const readable = (adjacent: AdjacentMemory[]) =>
    adjacent.filter(({ memory }) => isReadable(memory));
  return {
    ...store,
    searchMemories: (workspaceId, query, options) =>
      store.searchMemories(workspaceId, { ...query, readableWith: audiences }, options),
    getMemoryRelationships: async (...of) => readable(await store.getMemoryRelationships(...of)),
    relationshipsOf: async (...of) => (await store.relationshipsOf(...of)).map(readable),
    get: async (...of) => {
      const memory = await store.get(...of);
      return memory !== undefined && isReadable(memory) ? memory : undefined;
    },
    list: (workspaceId, listing, options) =>
      store.list(workspaceId, { ...listing, readableWith: audiences }, options),
  };
};
