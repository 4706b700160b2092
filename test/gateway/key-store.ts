import type { KVNamespace } from '@cloudflare/workers-types';
import { type ApiKeyRecord, hashApiKey } from '../../src/gateway/api-keys.ts';

/** A KV namespace in memory with the records of these keys. */
export const keyStore = async (
  records: Record<string, ApiKeyRecord>,
): Promise<{ kv: KVNamespace; lookUps: () => number; stored: Map<string, string> }> => {
  const stored = new Map<string, string>();
  for (const [secret, record] of Object.entries(records)) stored.set(await hashApiKey(secret), JSON.stringify(record));
  let lookUps = 0;
  const get = async (name: string) => {
    lookUps += 1;
    return stored.get(name) ?? null;
  };
  // Only `get` is used.
  return { kv: { get } as unknown as KVNamespace, lookUps: () => lookUps, stored };
};
