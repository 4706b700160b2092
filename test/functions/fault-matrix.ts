import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as z from 'zod';
import { ContextResult } from '../../src/contract/context-engine.ts';
import { ErrorBody } from '../../src/contract/error-info.ts';
import { KnowledgeSearchResponse } from '../../src/contract/knowledge-search.ts';
import { MemorySearchResponse } from '../../src/contract/memory.ts';
import { NavigatorResponse } from '../../src/contract/navigator-response.ts';
import { LibrarianResponse } from '../../src/contract/response.ts';
import { SyncAccepted, SyncStatus } from '../../src/contract/sync.ts';
import type { Product } from '../../src/dev/run/product.ts';
import { SAMPLE_KNOWLEDGE_BASE } from '../../src/dev/sample/files.ts';
import type { Fault } from '../../src/dev/stand-ins/server/faults.ts';
import type { LocalServices } from '../../src/dev/stand-ins/start-services.ts';
import { send, startOnServices } from './product-for-test.ts';

/** A word of every question, memory and article of the matrix, and of nothing else. */
export const MARK = 'quokka';
/** The error message of the services. */
export const SAID_BY_SERVICE = 'numbat: the database of the tenant is out of reach';
export const TOKEN = 'token-of-the-wombat';

export const SERVICES = ['Vector', 'Redis', 'embeddings', 'chat'] as const;
export type Service = (typeof SERVICES)[number];

export const FAULTS = {
  down: { kind: 'reset' },
  '100 ms': { kind: 'delay', ms: 100 },
  hang: { kind: 'hang-before-headers' },
  'status 429': { kind: 'status', status: 429, message: SAID_BY_SERVICE },
  'status 500': { kind: 'status', status: 500, message: SAID_BY_SERVICE },
  malformed: { kind: 'malformed-json' },
  'cut half-way': { kind: 'reset-in-body' },
} as const satisfies Record<string, Fault>;
export type FaultName = keyof typeof FAULTS;
// Object.keys returns strings.
export const FAULT_NAMES = Object.keys(FAULTS) as FaultName[];

/** The result of one operation. */
export interface Cell {
  /** HTTP status; of a sync the worst of its requests. */
  status: number;
  ms: number;
  /** What the answer reports as degraded. */
  degraded: readonly string[];
  /** Why the result is wrong: an invalid form, or empty although there is evidence. */
  problem?: string | undefined;
}

/** A product with its own services. */
export interface Running {
  product: Product;
  services: LocalServices;
  folder: string;
  stop(): Promise<void>;
}

/** Every row publishes editions: fifteen articles are enough. */
const PARTS_OF_KB = ['getting-started', 'hardware', 'network', 'orders'];

export const startRunning = async (onLog: (line: string) => void): Promise<Running> => {
  const folder = mkdtempSync(join(tmpdir(), 'constellation-matrix-'));
  for (const part of PARTS_OF_KB) cpSync(join(SAMPLE_KNOWLEDGE_BASE, part), join(folder, part), { recursive: true });
  const adapters = { UPSTASH_VECTOR_REST_TOKEN: TOKEN, UPSTASH_REDIS_REST_TOKEN: TOKEN, OPENAI_API_KEY: TOKEN };
  const { product, services, stop } = await startOnServices({ kb: { folder }, adapters, onLog }, TOKEN);
  await product.sync({ full: true });
  const stopAll = async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { product, services, folder, stop: stopAll };
};

export const breakDown = ({ services }: Running, service: Service, fault: Fault): void => {
  const { vector, redis, openai } = services;
  if (service === 'Vector') vector.faults.always(fault);
  else if (service === 'Redis') redis.faults.always(fault);
  else openai.faults.always(fault, service === 'chat' ? '/v1/chat/completions' : '/v1/embeddings');
};

export const repair = ({ services: { vector, redis, openai } }: Running): void => {
  for (const { faults } of [vector, redis, openai]) faults.none();
};

/** Stores what is searched for later, before anything fails. */
export const storeMemory = async ({ product }: Running, word: string): Promise<void> => {
  const content = `The ${word} ledger lies in the archive.`;
  const { status } = await send(product, `POST ${MEMORIES}`, { type: 'fact', content });
  if (status !== 201) throw new Error(`Cannot store the memory: status is ${status}`);
};

const MEMORIES = '/v1/workspaces/default/memories';
export const ASK_TIMEOUT_MS = 5000;

/** Does an operation that `word` makes unique. */
type Operate = (running: Running, word: string) => Promise<Cell>;

/** Answered by the sample knowledge base. */
const questionOf = (word: string): string => `Can I use a normal PC power supply with my Apollo II (case ${word})?`;

export const OPERATIONS = {
  ask: (running, word) => {
    // A new conversation each time, so that a repeated question has no earlier turns.
    const body = { query: questionOf(word), conversation_id: crypto.randomUUID(), timeout_ms: ASK_TIMEOUT_MS };
    return call(running, '/v1/ask', body, LibrarianResponse, ({ answer, sources = [], metadata = {} }) => ({
      degraded: [...degradedIn(metadata), ...degradedIn(metadata.conversation)],
      isEmpty: !answer || sources.length === 0,
    }));
  },
  navigate: (running, word) =>
    call(running, '/v1/navigate', { query: questionOf(word) }, NavigatorResponse, ({ sources, metadata }) => ({
      degraded: degradedIn(metadata),
      isEmpty: sources.length === 0,
    })),
  retrieve: (running, word) =>
    call(running, '/v1/knowledge/search', { query: questionOf(word) }, KnowledgeSearchResponse, (found) => ({
      degraded: degradedIn(found),
      isEmpty: found.hits.length === 0,
    })),
  'memory search': (running, word) => {
    const body = { query: `Where does the ${word} ledger lie?` };
    return call(running, `${MEMORIES}/search`, body, MemorySearchResponse, (found) => ({
      degraded: degradedIn(found),
      isEmpty: !found.results.some(({ memory }) => memory.content.includes(word)),
    }));
  },
  context: (running, word) => {
    const body = { query: `In which archive does the ${word} ledger lie?` };
    return call(running, `${MEMORIES}/context`, body, ContextResult, (built) => ({
      degraded: degradedIn(built),
      isEmpty: !built.context.includes(word),
    }));
  },
  sync: (running, word) => sync(running, word),
} satisfies Record<string, Operate>;
export type Operation = keyof typeof OPERATIONS;
export const OPERATION_NAMES = Object.keys(OPERATIONS) as Operation[];

const degradedIn = (value: unknown): string[] => {
  const degraded = typeof value === 'object' && value !== null && 'degraded' in value ? value.degraded : [];
  return Array.isArray(degraded) ? degraded.map(String) : [];
};

const call = async <Schema extends z.ZodType>(
  { product }: Running,
  path: string,
  body: object,
  schema: Schema,
  look: (reply: z.output<Schema>) => { degraded: string[]; isEmpty: boolean },
): Promise<Cell> => {
  const begun = performance.now();
  const response = await send(product, `POST ${path}`, body);
  const { status } = response;
  const json: unknown = await response.json();
  const ms = Math.round(performance.now() - begun);
  if (status >= 400) {
    const error = ErrorBody.safeParse(json);
    return { status, ms, degraded: [], problem: error.success ? undefined : 'the error has no form' };
  }
  const reply = schema.safeParse(json);
  if (!reply.success) return { status, ms, degraded: [], problem: reply.error.issues[0]?.message };
  const { degraded, isEmpty } = look(reply.data);
  return { status, ms, degraded, problem: isEmpty ? 'it is empty' : undefined };
};

/** Longer than any sync may take. */
const SYNC_LIMIT_MS = 60_000;
/** No request about a sync waits for the sync. */
const REQUEST_LIMIT_MS = 5000;
const POLL_MS = 250;

/** Adds a new article and syncs; the report says what is missing. */
const sync = async ({ product, folder }: Running, word: string): Promise<Cell> => {
  writeFileSync(join(folder, `${word}.md`), `# The ${word}\n\nThe ${word} sleeps under the miner all day.\n`);
  const begun = performance.now();
  let worst = 200;
  let problem: string | undefined;
  const request = async <Schema extends z.ZodType>(init: RequestInit, schema: Schema): Promise<z.output<Schema>> => {
    const sent = performance.now();
    const response = await product.fetch('/v1/sync', init);
    worst = Math.max(worst, response.status === 202 ? 200 : response.status);
    if (performance.now() - sent > REQUEST_LIMIT_MS) problem = 'a request about it took long';
    return schema.parse(await response.json());
  };
  const { started } = await request({ method: 'POST', body: JSON.stringify({ full: true }) }, SyncAccepted);
  if (!started) problem = 'another one was running';
  for (;;) {
    const { state, last_report: report } = await request({}, SyncStatus);
    const ms = Math.round(performance.now() - begun);
    if (state === 'idle' && report !== null) {
      const { outcome, embeddings_missing: missing = 0, warnings } = report;
      if (outcome === 'failed' || (missing > 0 && warnings.length === 0)) problem ??= `outcome is ${outcome}`;
      return { status: worst, ms, degraded: missing > 0 ? ['embeddings_missing'] : [], problem };
    }
    if (ms > SYNC_LIMIT_MS) return { status: worst, ms, degraded: [], problem: 'it does not come to an end' };
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
};
