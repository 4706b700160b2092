import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  ASK_TIMEOUT_MS,
  breakDown,
  type Cell,
  FAULT_NAMES,
  FAULTS,
  type FaultName,
  MARK,
  OPERATION_NAMES,
  OPERATIONS,
  type Operation,
  type Running,
  repair,
  SAID_BY_SERVICE,
  SERVICES,
  type Service,
  startRunning,
  storeMemory,
  TOKEN,
} from './fault-matrix.ts';

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
  const left = ROWS.toSorted(([, one], [, other]) => Number(other === 'hang') - Number(one === 'hang'));
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
    for (let row = left.shift(); row !== undefined; row = left.shift()) rows.push(await runRow(running, ...row));
  } finally {
    await running.stop();
  }
};

/** Operations that find only stored memories. */
const MEMORY_OPERATIONS: readonly Operation[] = ['memory search', 'context'];

const runRow = async (running: Running, service: Service, fault: FaultName): Promise<Row> => {
  const wordOf = (operation: Operation, again = '') => wordFor(service, fault, operation, again);
  const words = MEMORY_OPERATIONS.flatMap((operation) => [wordOf(operation), wordOf(operation, 'another')]);
  await Promise.all(words.map((word) => storeMemory(running, word)));
  breakDown(running, service, FAULTS[fault]);
  const cells = await forEachOperation((operation) => OPERATIONS[operation](running, wordOf(operation)));
  repair(running);
  const recovery = await forEachOperation(async (operation) => {
    // The next sync does what an earlier one had to omit.
    const same = operation === 'sync' ? 0 : await untilHealthy(() => OPERATIONS[operation](running, wordOf(operation)));
    const another = await untilHealthy(() => OPERATIONS[operation](running, wordOf(operation, 'another')));
    return Math.max(same, another);
  });
  return { service, fault, cells, recovery };
};

const forEachOperation = async <T>(work: (operation: Operation) => Promise<T>): Promise<Record<Operation, T>> => {
  const done = await Promise.all(OPERATION_NAMES.map(async (operation) => [operation, await work(operation)] as const));
  // Every operation is among them.
  return Object.fromEntries(done) as Record<Operation, T>;
};

/** A word of letters that is unique to the cell. */
const wordFor = (...parts: string[]): string => {
  const seed = [...parts.join(' ')].reduce((sum, sign) => (sum * 131 + (sign.codePointAt(0) ?? 0)) % 4_294_967_291, 7);
  const letters = [...seed.toString(16)].map((digit) => 'abcdefghijklmnop'[Number.parseInt(digit, 16)]);
  return `${MARK}${letters.join('')}`;
};

/** The longest pause of an open circuit between two probes (`src/delegation/circuit-breaker.ts`). */
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
 * The result of each operation without a service: what the answer reports as degraded, or the status of an error. Redis holds the
 * memories; for embeddings it is only a cache.
 */
const withoutMeaning = (why: string, inMemory: string) => ({
  ...{ ask: why, navigate: why, retrieve: why, 'memory search': inMemory, context: inMemory },
  sync: 'embeddings_missing',
});
const WITHOUT: Record<Service, Record<Operation, string>> = {
  Vector: withoutMeaning('embeddings', 'vectors'),
  Redis: { ask: 'memory', navigate: 'ok', retrieve: 'ok', 'memory search': '503', context: '503', sync: 'ok' },
  embeddings: withoutMeaning('embeddings', 'embeddings'),
  chat: { ask: 'model', navigate: 'model', retrieve: 'ok', 'memory search': 'ok', context: 'ok', sync: 'ok' },
};

/** Deadline of each operation in milliseconds; of a sync until it has ended. */
const DEADLINE_MS: Record<Operation, number> = {
  ...{ ask: ASK_TIMEOUT_MS, navigate: 12_000, retrieve: 2000 },
  ...{ 'memory search': 12_000, context: 12_000, sync: 40_000 },
};

describe('when a service fails', () => {
  it.each(ROWS)(
    '%s, %s: every operation answers in time and in form, and reports what is degraded',
    (service, fault) => {
      const { cells, recovery } = rows.find((row) => row.service === service && row.fault === fault)!;
      for (const operation of OPERATION_NAMES) {
        const cell = cells[operation];
        const label = `${operation}, ${JSON.stringify(cell)}`;
        const without = WITHOUT[service][operation];
        expect([200, 503], label).toContain(cell.status);
        expect(cell.problem, label).toBeUndefined();
        // On a busy machine even a healthy service may be late, and a delay of 100 ms may or may not be.
        if (without === 'ok' || fault === '100 ms') expect([200, []], label).toEqual([cell.status, notLate(cell)]);
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
    expect(all).not.toMatch(new RegExp(`${MARK}|ledger|archive|power supply|450 W|Apollo|miner`, 'i'));
    for (const secret of [TOKEN, SAID_BY_SERVICE, 'numbat', 'Bearer', ...keys]) expect(all).not.toContain(secret);
    // A token, which is longer than the eight characters of a link.
    expect(all).not.toMatch(/eyJ[\w-]{8}/);
  });
});

/** Degradations other than late embeddings. */
const notLate = ({ degraded }: Cell): string[] => degraded.filter((each) => each !== 'embeddings');
