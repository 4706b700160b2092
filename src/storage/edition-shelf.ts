import type { KVNamespace } from '@cloudflare/workers-types';

/** Where the parts of editions are laid out near the readers. */
export interface EditionShelf {
  put(key: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  delete(key: string): Promise<void>;
}

export const kvEditionShelf = (kv: Pick<KVNamespace, 'put' | 'delete'>): EditionShelf => ({
  put: (key, bytes) => kv.put(key, bytes),
  delete: (key) => kv.delete(key),
});
