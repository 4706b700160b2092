import type { KVNamespace } from '@cloudflare/workers-types';
import { type EditionParts, type EditionStorage, FIRST_PAGE, partKey } from './edition-storage.ts';

/** Parts in Workers KV, which has a copy close to every location. KV may be a minute behind: a missing part is read elsewhere. */
export const kvEditionParts = (kv: Pick<KVNamespace, 'get'>): EditionParts => ({
  readPart: async (manifest, part) => {
    const key = part < FIRST_PAGE ? manifest.parts[part]?.key : partKey(manifest, part);
    const bytes = key === undefined ? null : await kv.get(key, 'arrayBuffer');
    return bytes === null ? undefined : new Uint8Array(bytes);
  },
});

export const kvEditionStorage = (kv: Pick<KVNamespace, 'put' | 'delete'>): EditionStorage => ({
  put: (key, bytes) => kv.put(key, bytes),
  delete: (key) => kv.delete(key),
});
