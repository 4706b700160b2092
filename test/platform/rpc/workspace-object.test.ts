import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { storeObject } from '../../../src/platform/rpc/workspace-object.ts';

vi.mock('cloudflare:workers', () => ({
  DurableObject: class {
    readonly ctx: unknown;
    readonly env: unknown;
    constructor(ctx: unknown, env: unknown) {
      this.ctx = ctx;
      this.env = env;
    }
  },
}));

const START = 1_800_000_000_000;
beforeEach(() => void vi.useFakeTimers({ now: START }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

interface Store {
  add(): void;
  dueAt(): number | undefined;
  work(): Promise<void>;
}

class TestObject extends storeObject<Store, Store, 'add'>(['add']) {
  protected readonly librarian = 'test';
  protected open(): Store {
    return this.env;
  }
  protected override dueAt(store: Store): number | undefined {
    return store.dueAt();
  }
  protected override work(store: Store): Promise<void> {
    return store.work();
  }
}

/** An object whose alarm and memo are seen from outside. */
const start = (store: Partial<Store>) => {
  const memo = new Map<string, unknown>();
  const alarm: { at: number | undefined } = { at: undefined };
  const storage = {
    kv: {
      get: (key: string) => memo.get(key),
      put: (key: string, value: unknown) => memo.set(key, value),
      delete: (key: string) => memo.delete(key),
    },
    setAlarm: async (at: number) => {
      alarm.at = at;
    },
    deleteAlarm: async () => {
      alarm.at = undefined;
    },
  };
  const env: Store = {
    add: () => undefined,
    dueAt: () => undefined,
    work: async () => undefined,
    ...store,
  };
  // The object uses no more of its state than this.
  const object = new TestObject({ storage } as unknown as DurableObjectState, env);
  return { object, alarm, memo };
};

it('rings at the first of the times that work was due, however many calls come before', async () => {
  const { object, alarm } = start({ dueAt: () => Date.now() + 60_000 });
  await object.add('acme');
  vi.setSystemTime(START + 59_000);
  await object.add('acme');
  expect(alarm.at).toBe(START + 60_000);
  await object.alarm();
  expect(alarm.at).toBe(START + 119_000);
});

it('waits a minute after an alarm that failed, whatever is called meanwhile', async () => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  let isBroken = true;
  const { object, alarm, memo } = start({
    dueAt: () => START,
    work: async () => {
      if (isBroken) throw new Error('a variable is invalid');
    },
  });
  await object.add('acme');
  expect(alarm.at).toBe(START);
  await object.alarm();
  await object.add('acme');
  expect([alarm.at, [...memo.keys()]]).toEqual([START + 60_000, ['workspace']]);
  isBroken = false;
  await object.alarm();
  expect(alarm.at).toBe(START);
});
