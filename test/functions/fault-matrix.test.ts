import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { ErrorBody } from '../../src/contract/core/error-info.ts';
import { NavigatorResponse } from '../../src/contract/core/navigator-response.ts';
import { LibrarianResponse } from '../../src/contract/core/response.ts';
import { ContextResult } from '../../src/contract/wire/context-engine.ts';
import { KnowledgeSearchResponse } from '../../src/contract/wire/knowledge.ts';
import { MemorySearchResponse } from '../../src/contract/wire/memory.ts';
import { SyncAccepted, SyncStatus } from '../../src/contract/wire/sync.ts';
import type { Product } from '../../tools/run/product.ts';
import { SAMPLE_KNOWLEDGE_BASE } from '../../tools/sample/files.ts';
import type { Fault } from '../../tools/stand-ins/server/faults.ts';
import type { LocalServices } from '../../tools/stand-ins/start-services.ts';
import { send, startOnServices } from './product-for-test.ts';

/** A word of every question, memory and article of the matrix, and of nothing else. */
const MARK = 'quokka';
/** The error message of the services. */
const SAID_BY_SERVICE = 'numbat: the database of the tenant is out of reach';
const TOKEN = 'token-of-the-wombat';

const SERVICES = ['Vector', 'Redis', 'embeddings', 'chat'] as const;
type Service = (typeof SERVICES)[number];

const FAULTS = {
  down: { kind: 'reset' },
  '100 ms': { kind: 'delay', ms: 100 },
  hang: { kind: 'hang-before-headers' },
  'status 429': { kind: 'status', status: 429, message: SAID_BY_SERVICE },
  'status 500': { kind: 'status', status: 500, message: SAID_BY_SERVICE },
  malformed: { kind: 'malformed-json' },
  'cut half-way': { kind: 'reset-in-body' },
} as const satisfies Record<string, Fault>;
type FaultName = keyof typeof FAULTS;
// Object.keys returns strings.
const FAULT_NAMES = Object.keys(FAULTS) as FaultName[];

/** The result of one operation. */
interface Cell {
  /** HTTP status; of a sync the worst of its requests. */
  status: number;
  ms: number;
  /** What the answer reports as degraded. */
  degraded: readonly string[];
  /** Why the result is wrong: an invalid form, or empty although there is evidence. */
  problem?: string | undefined;
}

/** A product with its own services. */
interface Running {
  product: Product;
  services: LocalServices;
  folder: string;
  stop(): Promise<void>;
}

/** Every row publishes editions: fifteen articles are enough. */
const PARTS_OF_KB = ['getting-started', 'hardware', 'network', 'orders'];

const startRunning = async (onLog: (line: string) => void): Promise<Running> => {
  const folder = mkdtempSync(join(tmpdir(), 'constellation-matrix-'));
  for (const part of PARTS_OF_KB)
    cpSync(join(SAMPLE_KNOWLEDGE_BASE, part), join(folder, part), { recursive: true });
  const adapters = {
    UPSTASH_VECTOR_REST_TOKEN: TOKEN,
    UPSTASH_REDIS_REST_TOKEN: TOKEN,
    OPENAI_API_KEY: TOKEN,
  };
  const { product, services, stop } = await startOnServices(
    { functions: ['library', 'navigator', 'semantic', 'memory'], kb: { folder }, adapters, onLog },
    TOKEN,
  );
  await product.sync({ full: true });
  const stopAll = async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { product, services, folder, stop: stopAll };
};

const breakDown = ({ services }: Running, service: Service, fault: Fault): void => {
  const { vector, redis, openai } = services;
  if (service === 'Vector') vector.faults.always(fault);
  else if (service === 'Redis') redis.faults.always(fault);
  else openai.faults.always(fault, service === 'chat' ? '/v1/chat/completions' : '/v1/embeddings');
};

const repair = ({ services: { vector, redis, openai } }: Running): void => {
  for (const { faults } of [vector, redis, openai]) faults.none();
};

/** Stores what is searched for later, before anything fails. */
const storeMemory = async ({ product }: Running, word: string): Promise<void> => {
  const content = `The ${word} ledger lies in the archive.`;
  const { status } = await send(product, `POST ${MEMORIES}`, { type: 'fact', content });
  if (status !== 201) throw new Error(`Cannot store the memory: status is ${status}`);
};

const MEMORIES = '/v1/workspaces/default/memories';
const ASK_TIMEOUT_MS = 5000;

/** Does an operation that `word` makes unique. */
type Operate = (running: Running, word: string) => Promise<Cell>;

/** Answered by the sample knowledge base. */
const questionOf = (word: string): string =>
  `Can I use a normal PC power supply with my Apollo II (case ${word})?`;

const OPERATIONS = {
  ask: (running, word) => {
    // A new conversation each time, so that a repeated question has no earlier turns.
    const body = {
      query: questionOf(word),
      conversation_id: crypto.randomUUID(),
      timeout_ms: ASK_TIMEOUT_MS,
    };
    return call(running, '/v1/ask', body, LibrarianResponse, (reply) => {
      const { answer, sources = [], metadata = {}, partial } = reply;
      const degraded = [...degradedIn(metadata), ...degradedIn(metadata.conversation)];
      return {
        degraded,
        isEmpty: !answer || sources.length === 0,
        isWhole: degraded.length > 0 && partial !== true,
      };
    });
  },
  navigate: (running, word) =>
    call(
      running,
      '/v1/navigate',
      { query: questionOf(word) },
      NavigatorResponse,
      ({ sources, metadata }) => ({
        degraded: degradedIn(metadata),
        isEmpty: sources.length === 0,
      }),
    ),
  retrieve: (running, word) =>
    call(
      running,
      '/v1/knowledge/search',
      { query: questionOf(word) },
      KnowledgeSearchResponse,
      (found) => ({
        degraded: degradedIn(found),
        isEmpty: found.hits.length === 0,
      }),
    ),
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
type Operation = keyof typeof OPERATIONS;
const OPERATION_NAMES = Object.keys(OPERATIONS) as Operation[];

const degradedIn = (value: unknown): string[] => {
  const degraded =
    typeof value === 'object' && value !== null && 'degraded' in value ? value.degraded : [];
  return Array.isArray(degraded) ? degraded.map(String) : [];
};

const call = async <Schema extends z.ZodType>(
  { product }: Running,
  path: string,
  body: object,
  schema: Schema,
  look: (reply: z.output<Schema>) => { degraded: string[]; isEmpty: boolean; isWhole?: boolean },
): Promise<Cell> => {
  const begun = performance.now();
  const response = await send(product, `POST ${path}`, body);
  const { status } = response;
  const json: unknown = await response.json();
  const ms = Math.round(performance.now() - begun);
  if (status >= 400) {
    const error = ErrorBody.safeParse(json);
    return {
      status,
      ms,
      degraded: [],
      problem: error.success ? undefined : 'the error has no form',
    };
  }
  const reply = schema.safeParse(json);
  if (!reply.success) return { status, ms, degraded: [], problem: reply.error.issues[0]?.message };
  const { degraded, isEmpty, isWhole = false } = look(reply.data);
  const problem = isEmpty
    ? 'it is empty'
    : isWhole
      ? 'it is not partial, although a source failed'
      : undefined;
  return { status, ms, degraded, problem };
};

/** Longer than any sync may take. */
const SYNC_LIMIT_MS = 60_000;
/** No request about a sync waits for the sync. */
const REQUEST_LIMIT_MS = 5000;
const POLL_MS = 250;

/** Adds a new article and syncs; the report says what is missing. */
const sync = async ({ product, folder }: Running, word: string): Promise<Cell> => {
  writeFileSync(
    join(folder, `${word}.md`),
    `# The ${word}\n\nThe ${word} sleeps under the miner all day.\n`,
  );
  const begun = performance.now();
  let worst = 200;
  let problem: string | undefined;
  const request = async <Schema extends z.ZodType>(
    init: RequestInit,
    schema: Schema,
  ): Promise<z.output<Schema>> => {
    const sent = performance.now();
    const response = await product.fetch('/v1/sync', init);
    worst = Math.max(worst, response.status === 202 ? 200 : response.status);
    if (performance.now() - sent > REQUEST_LIMIT_MS) problem = 'a request about it took long';
    return schema.parse(await response.json());
  };
  const { started } = await request(
    { method: 'POST', body: JSON.stringify({ full: true }) },
    SyncAccepted,
  );
  if (!started) problem = 'another one was running';
  for (;;) {
    const { state, last_report: report } = await request({}, SyncStatus);
    const ms = Math.round(performance.now() - begun);
    if (state === 'idle' && report !== null) {
      const { outcome, embeddings_missing: missing = 0, warnings } = report;
      if (outcome === 'failed' || (missing > 0 && warnings.length === 0))
        problem ??= `outcome is ${outcome}`;
      return { status: worst, ms, degraded: missing > 0 ? ['embeddings_missing'] : [], problem };
    }
    if (ms > SYNC_LIMIT_MS)
      return { status: worst, ms, degraded: [], problem: 'it does not come to an end' };
    await setTimeout(POLL_MS);
  }
};

interface Row {
  service: Service;
  fault: FaultName;
  cells: Record<Operation, Cell>;
  /** Milliseconds after the repair until the same and another request succeed again; the longer of both. */
  recovery: Record<Operation, number>;
}

const rows: Row[] = [];
const logs: string[] = [];
const keys: string[] = [];

const ROWS = SERVICES.flatMap((service) => FAULT_NAMES.map((fault) => [service, fault] as const));
const PRODUCTS = 2;

beforeAll(async () => {
  // The longest rows first: each product takes the next row when it has finished one.
  const left = ROWS.toSorted(
    ([, one], [, other]) => Number(other === 'hang') - Number(one === 'hang'),
  );
  await Promise.all(Array.from({ length: PRODUCTS }, () => runRows(left)));
}, 600_000);

let started = 0;

const runRows = async (left: (readonly [Service, FaultName])[]): Promise<void> => {
  const running = await startRunning((line) => void logs.push(line));
  started += 1;
  const name = `product ${started}`;
  keys.push(running.product.key);
  try {
    // The first request of a function loads modules and editions, which belongs to no row.
    await forEachOperation(async (operation) => {
      const word = wordFor(name, operation);
      await storeMemory(running, word);
      await untilHealthy(() => OPERATIONS[operation](running, word));
    });
    for (let row = left.shift(); row !== undefined; row = left.shift())
      rows.push(await runRow(running, ...row));
  } finally {
    await running.stop();
  }
};

/** Operations that find only stored memories. */
const MEMORY_OPERATIONS: readonly Operation[] = ['memory search', 'context'];

const runRow = async (running: Running, service: Service, fault: FaultName): Promise<Row> => {
  const wordOf = (operation: Operation, again = '') => wordFor(service, fault, operation, again);
  const words = MEMORY_OPERATIONS.flatMap((operation) => [
    wordOf(operation),
    wordOf(operation, 'another'),
  ]);
  await Promise.all(words.map((word) => storeMemory(running, word)));
  breakDown(running, service, FAULTS[fault]);
  const cells = await forEachOperation((operation) =>
    OPERATIONS[operation](running, wordOf(operation)),
  );
  repair(running);
  const recovery = await forEachOperation(async (operation) => {
    // What did not fail is asked once more, by another question.
    if (WITHOUT[service][operation] === 'ok')
      return untilHealthy(() => OPERATIONS[operation](running, wordOf(operation, 'another')));
    // The next sync does what an earlier one had to omit.
    const same =
      operation === 'sync'
        ? 0
        : await untilHealthy(() => OPERATIONS[operation](running, wordOf(operation)));
    const another = await untilHealthy(() =>
      OPERATIONS[operation](running, wordOf(operation, 'another')),
    );
    return Math.max(same, another);
  });
  return { service, fault, cells, recovery };
};

const forEachOperation = async <T>(
  work: (operation: Operation) => Promise<T>,
): Promise<Record<Operation, T>> => {
  const done = await Promise.all(
    OPERATION_NAMES.map(async (operation) => [operation, await work(operation)] as const),
  );
  // Every operation is among them.
  return Object.fromEntries(done) as Record<Operation, T>;
};

/** A word of letters that is unique to the cell. */
const wordFor = (...parts: string[]): string => {
  const seed = [...parts.join(' ')].reduce(
    (sum, sign) => (sum * 131 + (sign.codePointAt(0) ?? 0)) % 4_294_967_291,
    7,
  );
  const letters = [...seed.toString(16)].map(
    (digit) => 'abcdefghijklmnop'[Number.parseInt(digit, 16)],
  );
  return `${MARK}${letters.join('')}`;
};

/** The longest pause of an open circuit between two probes (`src/librarians/delegation/circuit-breaker.ts`). */
const RECOVERY_MS = 60_000;

/** Milliseconds until the operation succeeds without degradation; on a busy machine the embeddings may time out once. */
const untilHealthy = async (operate: () => Promise<Cell>): Promise<number> => {
  const begun = performance.now();
  for (;;) {
    const cell = await operate();
    const ms = Math.round(performance.now() - begun);
    const isHealthy = cell.problem === undefined && cell.status < 400 && cell.degraded.length === 0;
    if (isHealthy || ms > RECOVERY_MS) return ms;
    await setTimeout(250);
  }
};

/**
 * The result of each operation without a service: what the answer reports as degraded, or the status of an error. Redis is
 * only a cache of embeddings.
 */
const withoutMeaning = (why: string, inMemory: string) => ({
  ask: why,
  navigate: why,
  retrieve: why,
  'memory search': inMemory,
  context: inMemory,
  sync: 'embeddings_missing',
});
const WITHOUT: Record<Service, Record<Operation, string>> = {
  Vector: withoutMeaning('embeddings', 'vectors'),
  Redis: {
    ask: 'ok',
    navigate: 'ok',
    retrieve: 'ok',
    'memory search': 'ok',
    context: 'ok',
    sync: 'ok',
  },
  embeddings: withoutMeaning('embeddings', 'embeddings'),
  chat: {
    ask: 'model',
    navigate: 'model',
    retrieve: 'ok',
    'memory search': 'ok',
    context: 'ok',
    sync: 'ok',
  },
};

/** Deadline of each operation in milliseconds; of a sync until it has ended. */
const DEADLINE_MS: Record<Operation, number> = {
  ask: ASK_TIMEOUT_MS,
  navigate: 12_000,
  retrieve: 2000,
  'memory search': 12_000,
  context: 12_000,
  sync: 40_000,
};

describe('when a service fails', () => {
  it.each(ROWS)(
    '%s, %s: every operation answers in time and in form, and reports what is degraded',
    (service, fault) => {
      const { cells, recovery } = rows.find(
        (row) => row.service === service && row.fault === fault,
      )!;
      for (const operation of OPERATION_NAMES) {
        const cell = cells[operation];
        const label = `${operation}, ${JSON.stringify(cell)}`;
        const without = WITHOUT[service][operation];
        expect([200, 503], label).toContain(cell.status);
        expect(cell.problem, label).toBeUndefined();
        // On a busy machine even a healthy service may be late, and a delay of 100 ms may or may not be.
        if (without === 'ok' || fault === '100 ms')
          expect([200, []], label).toEqual([cell.status, notLate(cell)]);
        else if (without === '503') expect(cell.status, label).toBe(503);
        else expect(cell.degraded, label).toContain(without);
        expect(cell.ms, label).toBeLessThanOrEqual(DEADLINE_MS[operation]);
        // No failure is cached, neither for the same question nor for another one.
        expect(recovery[operation], `${operation} afterwards`).toBeLessThanOrEqual(RECOVERY_MS);
      }
    },
  );

  it('keeps questions, answers, memories, tokens and keys out of every log', () => {
    const all = logs.join('\n');
    expect(logs.length).toBeGreaterThan(500);
    expect(all).toContain('"event":"fault"');
    // No function reports an internal error to another one.
    expect(logs.filter((line) => /"status":500|INTERNAL_ERROR/.test(line))).toEqual([]);
    expect(all).not.toMatch(
      new RegExp(`${MARK}|ledger|archive|power supply|450 W|Apollo|miner`, 'i'),
    );
    for (const secret of [TOKEN, SAID_BY_SERVICE, 'numbat', 'Bearer', ...keys])
      expect(all).not.toContain(secret);
    // A token, which is longer than the eight characters of a link.
    expect(all).not.toMatch(/eyJ[\w-]{8}/);
  });
});

/** Degradations other than late embeddings. */
const notLate = ({ degraded }: Cell): string[] => degraded.filter((each) => each !== 'embeddings');
