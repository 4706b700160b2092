import type { KVNamespace } from '@cloudflare/workers-types';
import * as z from 'zod';
import { Capability, HeldAudiences, WorkspaceId } from '../../contract/core/names.ts';
import { lruCache } from '../../platform/lru-cache.ts';
import { readStored } from '../../platform/storage/sql.ts';

/** An origin as browsers send it: scheme, host and a port that is not the scheme's own (RFC 6454, section 6.2). */
const WebOrigin = z
  .string()
  .max(300)
  .refine(
    (text) => !text.includes('*') && URL.canParse(text) && new URL(text).origin === text,
    'is not an origin such as https://shop.example.com',
  );

/** Rights of an API key. Stored under the key's hash; the key itself is never stored. */
export const ApiKeyRecord = z.object({
  /** Label of the key, for operators. Only the audit log names it. */
  name: z.string().min(1).max(100),
  /** The first is the default of a request that names none. */
  workspaces: z.array(WorkspaceId).min(1).max(50),
  capabilities: z.array(Capability).max(24),
  /** Articles for these audiences may be read and written too; `*` for all. Absent: only those for everybody. */
  audiences: HeldAudiences.optional(),
  /** Which of the gateway's rate limits applies. */
  rate: z.enum(['standard', 'high', 'unlimited']),
  /** ISO 8601; no expiry when absent. */
  expires_at: z.iso.datetime({ offset: true }).optional(),
  /**
   * A publishable key, which stands in web pages for anybody to read: pages of these origins may ask with it, about articles for everybody
   * alone, whatever else the record says.
   */
  origins: z.array(WebOrigin).min(1).max(20).optional(),
});
export type ApiKeyRecord = z.infer<typeof ApiKeyRecord>;

/** What the secret of a publishable key begins with. */
export const PUBLISHABLE_PREFIX = 'ck_pub_';

/** A key that exists and has not expired. */
export interface ApiKey extends ApiKeyRecord {
  /** Opaque and stable, made from the hash: 16 hexadecimal digits. */
  id: string;
  workspaces: [string, ...string[]];
  /** How its holder signed in; `key` when absent. */
  authentication?: 'oidc';
}

export interface ApiKeys {
  /** The key's record; undefined when there is no such key or it has expired. Throws when the store fails. */
  find(secret: string): Promise<ApiKey | undefined>;
}

/** A secret of an API key: 16 to 200 printable ASCII characters. */
export const API_KEY = /^[\x21-\x7e]{16,200}$/;

/** Storage key of a record: the SHA-256 of the API key, in hexadecimal. */
export async function hashApiKey(secret: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const MAX_CACHED = 1000;
const CACHED_MS = 30_000;

/**
 * API keys in Workers KV. Records are cached in the isolate for 30 seconds and by KV for 60, so that a deleted key is refused
 * everywhere after at most two minutes. An unknown key is not cached here, so that one is accepted as soon as KV has it: somebody may have
 * asked with it a moment before, such as a page that was open while the product started.
 */
export function kvApiKeys(
  kv: KVNamespace,
  { now = Date.now }: { now?: () => number } = {},
): ApiKeys {
  const cached = lruCache<string, ApiKey>({ max: MAX_CACHED, ttlMs: CACHED_MS, now });
  return {
    find: async (secret) => {
      const recentKey = cached.get(secret);
      if (recentKey !== undefined) return unexpired(recentKey, now());
      const hash = await hashApiKey(secret);
      const record = readStored(ApiKeyRecord, (await kv.get(hash)) ?? '');
      const key = record && apiKeyOf(record, hash);
      if (key === undefined) return undefined;
      cached.set(secret, key);
      return unexpired(key, now());
    },
  };
}

const apiKeyOf = (record: ApiKeyRecord, hash: string): ApiKey => {
  const [first = 'default', ...others] = record.workspaces;
  const key = {
    ...record,
    workspaces: [first, ...others] satisfies ApiKey['workspaces'],
    id: hash.slice(0, 16),
  };
  return record.origins === undefined
    ? key
    : { ...key, capabilities: ['kb:read'], audiences: [], rate: 'standard' };
};

const unexpired = (key: ApiKey, now: number): ApiKey | undefined =>
  key.expires_at !== undefined && Date.parse(key.expires_at) <= now ? undefined : key;
