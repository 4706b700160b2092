import { expect, it } from 'vitest';
import { kvApiKeys } from '../../../src/gateway/access/api-keys.ts';
import { keyStore } from '../gateway-for-test.ts';

const KEY = 'ck_new_0123456789abcdef0';

it('accepts a key that was asked with before it was stored', async () => {
  let store = await keyStore({});
  const keys = kvApiKeys({ get: (hash: string) => store.get(hash) } as unknown as typeof store);
  expect(await keys.find(KEY)).toBeUndefined();
  store = await keyStore({ [KEY]: { name: 'new' } });
  expect(await keys.find(KEY)).toMatchObject({ name: 'new' });
});

it('reads a known key once in 30 seconds', async () => {
  let now = 0;
  const store = await keyStore({ [KEY]: {} });
  let reads = 0;
  const counted = {
    get: (hash: string) => {
      reads += 1;
      return store.get(hash);
    },
  } as unknown as typeof store;
  const keys = kvApiKeys(counted, { now: () => now });
  for (const [at, count] of [
    [0, 1],
    [29_999, 1],
    [30_000, 2],
  ] as const) {
    now = at;
    await keys.find(KEY);
    expect(reads).toBe(count);
  }
});
