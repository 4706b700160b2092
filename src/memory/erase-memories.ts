import type { Memory } from '../contract/memory.ts';
import type { StoreOptions } from '../storage/embedding-store.ts';
import type { MemoryStore } from '../storage/memory-store.ts';

export interface ErasingParts {
  store: MemoryStore;
  /** Drops the embeddings of texts from every cache. Throws when it cannot. */
  forgetEmbeddings?: ((texts: readonly string[], options: StoreOptions) => Promise<void>) | undefined;
}

interface Erasing {
  workspaceId: string;
  signal: AbortSignal;
}

/**
 * Removes all of a person or of a conversation, the newest first. Caches forget before the memories go: once they are gone, nobody
 * could tell what there is to forget. Repeated after a failure it finishes.
 *
 * @returns How many memories were removed.
 * @throws {StoreUnavailable}
 */
export const eraseMemories = async (
  of: { personId: string } | { conversationId: string },
  { store, forgetEmbeddings, workspaceId, signal }: ErasingParts & Erasing,
): Promise<number> => {
  for (let erased = 0; ; ) {
    if (forgetEmbeddings !== undefined) {
      const { memories } = await store.list(workspaceId, { ...of, limit: FORGOTTEN_AT_ONCE }, { signal });
      if (memories.length > 0)
        await forgetEmbeddings(
          memories.map(({ content }) => content),
          { signal },
        );
    }
    const removed = await store.erase(workspaceId, of, { signal });
    if (removed.length === 0) return erased;
    erased += removed.length;
  }
};

/** More than an erasure removes at once, so that what is stored in between is among them. */
const FORGOTTEN_AT_ONCE = 100;

/** Only what was looked for is in the caches, and that was trimmed. */
const askedAs = ({ content }: Memory): string => content.trim();

/** The same for one memory; false when there was none. */
export const deleteMemory = async (
  id: string,
  { store, forgetEmbeddings, workspaceId, signal }: ErasingParts & Erasing,
): Promise<boolean> => {
  if (forgetEmbeddings !== undefined) {
    const memory = await store.get(workspaceId, id, { signal });
    if (memory !== undefined) await forgetEmbeddings([askedAs(memory)], { signal });
  }
  return store.delete(workspaceId, id, { signal });
};
