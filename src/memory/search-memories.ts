import type { EmbeddingProvider } from '../ai/embeddings/base.ts';
import type { ContextError, Result } from '../contract/wire/context-engine.ts';
import {
  FACT_TYPES,
  type Facts,
  type FactsRequest,
  type MemoryDegradation,
  type MemoryPage,
  type MemoryRecord,
  type SearchResult,
} from '../contract/wire/memory.ts';
import { wordsOf } from '../language/analyse-text.ts';
import { stem } from '../language/stem.ts';
import { MAX_ANSWER_BYTES } from '../platform/context/limits.ts';
import { utf8 } from '../platform/encoding.ts';
import { logLine } from '../platform/log.ts';
import type { ContextEngineConfig } from './context-engine/config.ts';
import type { LogFields, Logger } from './context-engine/errors.ts';
import { ContextEngine } from './context-engine/index.ts';
import {
  type MemoryQuery,
  type MemoryStore,
  placeOf,
  type StorageClient,
} from './store/memory-store.ts';

/** Two engines over the same memories. They outlive a request: use `forRequest`. */
export interface Engines {
  /** Searches by meaning and by words; absent without an embedding model. */
  semantic?: ContextEngine | undefined;
  /** Searches by words alone. */
  lexical: ContextEngine;
}

export function createEngines(parts: {
  store: MemoryStore;
  embeddings?: EmbeddingProvider | undefined;
  tokenizer?: ContextEngineConfig['tokenizer'];
}): Engines {
  const { store: storageClient, embeddings: embeddingProvider, tokenizer } = parts;
  const common = {
    storageClient,
    tokenizer,
    logger: logFailures,
    maxResultBytes: MAX_CONTEXT_BYTES,
  };
  const lexical = new ContextEngine(common);
  if (embeddingProvider === undefined) return { lexical };
  return {
    lexical,
    semantic: new ContextEngine({ ...common, embeddingProvider, cacheConfig }),
  };
}

/** Practically off: each request brings a provider with its own cache, which can drop the texts of erased memories. */
const cacheConfig = { maxSize: 1, ttl: 0.001 };

export interface MemorySearch<T> {
  result: Result<T, ContextError>;
  /** The parts that failed and that the result does without. */
  degraded: MemoryDegradation[];
}

/**
 * Searches by meaning and words; when vectors fail or take too long, searches again by words alone. The context engine leaves this fallback
 * to its callers (docs/contract.md#context-engine).
 *
 * @param search A search or a context.
 * @param options.hasText Whether it is by a text; a search by a vector has no fallback.
 * @param options.timeoutMs Time left for both attempts.
 * @param options.embeddingProvider The provider of this request, in place of the engine's.
 */
export async function findMemories<T>(
  { semantic, lexical }: Engines,
  search: (engine: ContextEngine) => Promise<Result<T, ContextError>>,
  options: {
    signal: AbortSignal;
    timeoutMs: number;
    hasText: boolean;
    embeddingProvider?: EmbeddingProvider | undefined;
  },
): Promise<MemorySearch<T>> {
  const { signal, timeoutMs, hasText, embeddingProvider } = options;
  if (semantic === undefined)
    return { result: await search(lexical.forRequest({ signal })), degraded: [] };
  if (!hasText)
    return {
      result: await search(semantic.forRequest({ signal, embeddingProvider })),
      degraded: [],
    };
  const semanticMs = Math.max(1, Math.floor(Math.min(timeoutMs * SEMANTIC_SHARE, SEMANTIC_MS)));
  const searchSignal = AbortSignal.any([signal, AbortSignal.timeout(semanticMs)]);
  const first = await search(semantic.forRequest({ signal, searchSignal, embeddingProvider }));
  if (first.ok || signal.aborted || !RETRYABLE.has(first.error.type))
    return { result: first, degraded: [] };
  const second = await search(lexical.forRequest({ signal }));
  if (!second.ok) return { result: second, degraded: [] };
  return {
    result: second,
    degraded: [first.error.type === 'embedding_error' ? 'embeddings' : 'vectors'],
  };
}

/** Share of the remaining time for the first attempt, and its upper bound. */
const SEMANTIC_SHARE = 0.5;
const SEMANTIC_MS = 3000;

const RETRYABLE: ReadonlySet<ContextError['type']> = new Set([
  'embedding_error',
  'storage_error',
  'search_error',
]);

/** Writes failures of the context engine to the log: their kind and cause, nothing of the query. */
const logFailures: Logger = {
  // Mistakes of callers are in their responses.
  warn: () => {},
  error: (_message, { operation = 'search', error = '', cause = '' }: LogFields) =>
    logLine({
      event: 'fault',
      time: Date.now(),
      librarian: 'memory',
      where: String(operation),
      code: String(error),
      cause: String(cause),
    }),
};

/** Upper bound of the results in a response; the rest is for the fields around them. */
const MAX_RESULT_BYTES = MAX_ANSWER_BYTES - 65_536;

/** Upper bound of a context with its memories; it keeps the text below 2,000,000 characters. */
const MAX_CONTEXT_BYTES = 3_800_000;

/**
 * The results that fit into one response: related memories are dropped first, from the last result on, then the last results.
 *
 * @param results Best first.
 * @param options.share Of the response, when it holds the results of several searches.
 */
export function fitResults(
  results: readonly SearchResult[],
  { share = 1 }: { share?: number } = {},
): SearchResult[] {
  let left = Math.floor(MAX_RESULT_BYTES * share);
  const fitting: SearchResult[] = [];
  const bare = results.map(({ relationships: _, ...result }) => ({
    result,
    bytes: bytesOf(result),
  }));
  for (const { result, bytes } of bare) {
    if (bytes > left) break;
    left -= bytes;
    fitting.push(result);
  }
  return withRelated(fitting, results, left);
}

/**
 * A context or a preview that fits into one response. All its memories stay, since the engine keeps them and the text within
 * `MAX_CONTEXT_BYTES`; related memories are added as far as there is room.
 */
export function fitContext<T extends { memories: SearchResult[] }>(built: T): T {
  const bare = built.memories.map(({ relationships: _, ...result }) => result);
  const taken = bytesOf({ ...built, memories: bare });
  return { ...built, memories: withRelated(bare, built.memories, MAX_RESULT_BYTES - taken) };
}

/** Adds related memories, those of the first results first. */
const withRelated = (
  bare: readonly SearchResult[],
  results: readonly SearchResult[],
  room: number,
): SearchResult[] => {
  let left = room;
  return bare.map((result, at) => {
    const relationships = results[at]?.relationships;
    if (relationships === undefined) return result;
    const bytes = bytesOf(relationships) + FIELD_BYTES;
    if (bytes > left) return result;
    left -= bytes;
    return { ...result, relationships };
  });
};

/** `"relationships":,` */
const FIELD_BYTES = 20;

const bytesOf = (value: unknown): number => utf8(JSON.stringify(value)).length + 1;

/** A page that fits into one response; when it is cut, the next page begins there. */
export function fitPage({
  memories,
  next,
}: {
  memories: MemoryRecord[];
  next?: string | undefined;
}): MemoryPage {
  let left = MAX_RESULT_BYTES;
  const end = memories.findIndex((memory) => {
    left -= bytesOf(memory);
    return left < 0;
  });
  const fitting = end === -1 ? memories : memories.slice(0, end);
  const last = fitting.at(-1);
  const cursor = end === -1 || last === undefined ? next : placeOf(last);
  return { memories: fitting, ...(cursor === undefined ? {} : { next_cursor: cursor }) };
}

type FactsOptions = Pick<
  Parameters<typeof findMemories>[2],
  'signal' | 'timeoutMs' | 'embeddingProvider'
> & {
  engines: Engines;
  store: MemoryStore;
  workspaceId: string;
  /** Subject of the verified context: only facts that it stored are read. */
  subject: string;
};

/**
 * The facts about a person, or about a conversation that names none, as lines of text within a token budget: those that fit the question
 * best, then the newest.
 */
export async function readFacts(
  { query, token_budget: tokenBudget, ...about }: FactsRequest,
  { engines, store, workspaceId, subject, ...bounds }: FactsOptions,
): Promise<Pick<MemorySearch<unknown>, 'result'> & { facts?: Facts }> {
  const storageClient = factStorage(store, { subject, ...about });
  const { result, degraded } = await findMemories(
    engines,
    (engine) =>
      engine
        .forRequest({ storageClient })
        .buildContext(query, workspaceId, { ...OPTIONS, tokenBudget }),
    { ...bounds, hasText: true },
  );
  if (!result.ok) return { result };
  const { context, tokenCount: tokens } = result.value;
  const facts = context.split('\n').filter((line) => line !== '');
  return { result, facts: { facts, tokens, ...(degraded.length === 0 ? {} : { degraded }) } };
}

const OPTIONS = { template: 'list', limit: 100 };

/**
 * Searches within the facts of one person or conversation. The newest follow those that a search found: a fact such as the product that
 * somebody owns seldom shares a word with the question.
 */
const factStorage = (
  store: MemoryStore,
  {
    subject: factsOf,
    person_id: personId,
    conversation_id,
  }: Omit<FactsRequest, 'query' | 'token_budget'> & { subject: string },
): StorageClient => ({
  ...store,
  searchMemories: async (workspaceId, { vector, text, limit }, options) => {
    const conversationId = personId === undefined ? conversation_id : undefined;
    const within = {
      factsOf,
      personId,
      conversationId,
      memoryTypes: FACT_TYPES,
      limit,
    } satisfies MemoryQuery;
    const [found, newest] = await Promise.all([
      store.searchMemories(workspaceId, { ...within, vector, text }, options),
      store.searchMemories(workspaceId, within, options),
    ]);
    const known = new Set(found.map(({ memory }) => memory.id));
    return [...found, ...newest.filter(({ memory }) => !known.has(memory.id))]
      .filter(({ memory }) => memory.person_id === personId)
      .slice(0, limit)
      .map(({ memory, score }) => ({
        score,
        memory: { ...memory, content: memory.content.replace(/\s+/g, ' ').trim() },
      }));
  },
});

/** The distinct stems of the content words of a text, in order; searches and memories are compared by them. */
export function stemsOf(text: string): string[] {
  return [...new Set(wordsOf(text).map(stem))];
}
