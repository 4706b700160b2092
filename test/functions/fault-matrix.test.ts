import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  ASK_TIMEOUT_MS,
  breakDown,
  type Cell,
  FAULT_NAMES,
  FAULTS,
  type FaultName,
  type House,
  MARK,
  mend,
  OPERATION_NAMES,
  OPERATIONS,
  type Operation,
  SAID_BY_SERVICE,
  SERVICES,
  type Service,
  startHouse,
  storeMemory,
  TOKEN,
} from './fault-matrix.ts';

interface Row {
  service: Service;
  fault: FaultName;
  cells: Record<Operation, Cell>;
  /** As soon as the service is well: milliseconds until the same is as always again, and something else; the longer of both. */
  recovery: Record<Operation, number>;
}

const rows: Row[] = [];
const logs: string[] = [];
const keys: string[] = [];

const ROWS = SERVICES.flatMap((service) => FAULT_NAMES.map((fault) => [service, fault] as const));
const HOUSES = 2;

beforeAll(async () => {
  // Those that take longest first: each house takes the next row when it is done with one.
  const left = ROWS.toSorted(([, one], [, other]) => Number(other === 'hang') - Number(one === 'hang'));
  await Promise.all(Array.from({ length: HOUSES }, () => runRows(left)));
}, 600_000);

let houses = 0;

const runRows = async (left: (readonly [Service, FaultName])[]): Promise<void> => {
  const house = await startHouse((line) => void logs.push(line));
  houses += 1;
  const name = `house ${houses}`;
  keys.push(house.product.key);
  try {
    // The first request of a function loads what it needs: that is no row's time.
    await forEachOperation(async (operation) => {
      const word = wordFor(name, operation);
      await storeMemory(house, word);
      await untilWell(() => OPERATIONS[operation](house, word));
    });
    for (let row = left.shift(); row !== undefined; row = left.shift()) rows.push(await runRow(house, ...row));
  } finally {
    await house.stop();
  }
};

/** They find only what was stored. */
const REMEMBERED: readonly Operation[] = ['memory search', 'context'];

const runRow = async (house: House, service: Service, fault: FaultName): Promise<Row> => {
  const wordOf = (operation: Operation, again = '') => wordFor(service, fault, operation, again);
  const words = REMEMBERED.flatMap((operation) => [wordOf(operation), wordOf(operation, 'another')]);
  await Promise.all(words.map((word) => storeMemory(house, word)));
  breakDown(house, service, FAULTS[fault]);
  const cells = await forEachOperation((operation) => OPERATIONS[operation](house, wordOf(operation)));
  mend(house);
  const recovery = await forEachOperation(async (operation) => {
    // What a sync had to leave out is done by whichever comes next.
    const same = operation === 'sync' ? 0 : await untilWell(() => OPERATIONS[operation](house, wordOf(operation)));
    const another = await untilWell(() => OPERATIONS[operation](house, wordOf(operation, 'another')));
    return Math.max(same, another);
  });
  return { service, fault, cells, recovery };
};

const forEachOperation = async <T>(work: (operation: Operation) => Promise<T>): Promise<Record<Operation, T>> => {
  const done = await Promise.all(OPERATION_NAMES.map(async (operation) => [operation, await work(operation)] as const));
  // Every operation is among them.
  return Object.fromEntries(done) as Record<Operation, T>;
};

/** A word of letters alone, which no other cell has. */
const wordFor = (...parts: string[]): string => {
  const seed = [...parts.join(' ')].reduce((sum, sign) => (sum * 131 + (sign.codePointAt(0) ?? 0)) % 4_294_967_291, 7);
  const letters = [...seed.toString(16)].map((digit) => 'abcdefghijklmnop'[Number.parseInt(digit, 16)]);
  return `${MARK}${letters.join('')}`;
};

/** The longest pause of an open circuit between two probes (`src/delegation/circuit-breaker.ts`). */
const RECOVERY_MS = 60_000;

/** As it is when nothing fails: a machine that is busy may be too late for the meanings once. */
const untilWell = async (operate: () => Promise<Cell>): Promise<number> => {
  const begun = performance.now();
  for (;;) {
    const cell = await operate();
    const ms = Math.round(performance.now() - begun);
    const isWell = cell.problem === undefined && cell.status < 400 && cell.degraded.length === 0;
    if (isWell || ms > RECOVERY_MS) return ms;
    await setTimeout(100);
  }
};

/**
 * What each operation comes to without a service: what the answer names as missing, or the status of an error. Redis holds the
 * memories; for embeddings it is a cache that can be done without.
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

/** Longest that anybody waits, in milliseconds; of a sync until it has ended. */
const PATIENCE: Record<Operation, number> = {
  ...{ ask: ASK_TIMEOUT_MS, navigate: 12_000, retrieve: 2000 },
  ...{ 'memory search': 12_000, context: 12_000, sync: 40_000 },
};

describe('when a service fails', () => {
  it.each(ROWS)('%s, %s: every operation answers in time and form, and says what it does without', (service, fault) => {
    const { cells, recovery } = rows.find((row) => row.service === service && row.fault === fault)!;
    for (const operation of OPERATION_NAMES) {
      const cell = cells[operation];
      const told = `${operation}, ${JSON.stringify(cell)}`;
      const without = WITHOUT[service][operation];
      expect([200, 503], told).toContain(cell.status);
      expect(cell.problem, told).toBeUndefined();
      // What is well can still be late, on a machine that is busy; and 100 ms may be too late or not.
      if (without === 'ok' || fault === '100 ms') expect([200, []], told).toEqual([cell.status, notLate(cell)]);
      else if (without === '503') expect(cell.status, told).toBe(503);
      else expect(cell.degraded, told).toContain(without);
      expect(cell.ms, told).toBeLessThanOrEqual(PATIENCE[operation]);
      // Nothing of a failure is kept: neither the same question nor another comes to it again.
      expect(recovery[operation], `${operation} afterwards`).toBeLessThanOrEqual(RECOVERY_MS);
    }
  });

  it('keeps questions, answers, memories, tokens and keys out of every log', () => {
    const all = logs.join('\n');
    expect(logs.length).toBeGreaterThan(500);
    expect(all).toContain('"event":"fault"');
    // Nor does one function tell another that something went wrong inside.
    expect(logs.filter((line) => /"status":500|INTERNAL_ERROR/.test(line))).toEqual([]);
    expect(all).not.toMatch(new RegExp(`${MARK}|ledger|archive|power supply|450 W|Apollo|miner`, 'i'));
    for (const secret of [TOKEN, SAID_BY_SERVICE, 'numbat', 'Bearer', ...keys]) expect(all).not.toContain(secret);
    // A token, which is longer than the eight characters of a link.
    expect(all).not.toMatch(/eyJ[\w-]{8}/);
  });
});

/** What an answer does without that is no matter of time. */
const notLate = ({ degraded }: Cell): string[] => degraded.filter((each) => each !== 'embeddings');
