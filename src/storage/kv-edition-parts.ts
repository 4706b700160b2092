import type { KVNamespace } from '@cloudflare/workers-types';
import type { EditionParts } from './edition-source.ts';

/**
 * Parts in Workers KV, where every location has a copy near by. KV may be a minute behind: a part that is not there yet
 * is looked for elsewhere.
 */
export const kvEditionParts = (kv: Pick<KVNamespace, 'get'>): EditionParts => ({
  readPart: async ({ parts }, part) => {
    const key = parts[part]?.key;
    const bytes = key === undefined ? null : await kv.get(key, 'arrayBuffer');
    return bytes === null ? undefined : new Uint8Array(bytes);
  },
});
