/** Embeddings that outlive an isolate: the second level of the cache. It holds vectors under hashes, never a text. */
export interface EmbeddingStore {
  /** In the order of the keys, `undefined` where there is none. One request where the store can do it. Throws `StoreUnavailable`. */
  getMany(keys: readonly string[], options?: StoreOptions): Promise<(number[] | undefined)[]>;
  /** Exactly what was set comes back, as 32-bit floats. */
  setMany(entries: readonly { key: string; embedding: readonly number[] }[], options?: StoreOptions): Promise<void>;
  /** Forgets them at once; keys that are not there are no error. */
  deleteMany(keys: readonly string[], options?: StoreOptions): Promise<void>;
}

export interface StoreOptions {
  signal?: AbortSignal | undefined;
}
