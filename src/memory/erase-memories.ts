import type { MemoryStore } from '../storage/memory-store.ts';
import type { StoreOptions } from '../storage/store-unavailable.ts';
import { askedTexts } from './asked-texts.ts';

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
 * Removes all of a person or of a conversation, the newest first: reads some, has the caches forget what was embedded for these, and
 * removes these. Once they are gone nobody could tell what there is to forget. Repeated after a failure it finishes.
 *
 * @returns How many memories were removed.
 * @throws {StoreUnavailable}
 */
export const eraseMemories = async (
  of: { personId: string } | { conversationId: string },
  { store, forgetEmbeddings, workspaceId, signal }: ErasingParts & Erasing,
): Promise<number> => {
  for (let erased = 0; ; ) {
    const { memories, next: cursor } = await store.list(workspaceId, { ...of, limit: ERASED_AT_ONCE }, { signal });
    if (forgetEmbeddings !== undefined && memories.length > 0) {
      const before = cursor === undefined ? undefined : { ...of, limit: TURN_BEFORE, cursor };
      const older = before === undefined ? [] : (await store.list(workspaceId, before, { signal })).memories;
      await forgetEmbeddings(askedTexts(memories, older), { signal });
    }
    // Also when there are none: an erasure that broke off may have left vectors.
    const removed = await store.erase(
      workspaceId,
      memories.map(({ id }) => id),
      { signal },
    );
    erased += removed.length;
    if (memories.length === 0) return erased;
  }
};

const ERASED_AT_ONCE = 50;
/** Memories behind them, among which the question before the oldest of them is. */
const TURN_BEFORE = 8;

/** The same for one memory; false when there was none. */
export const deleteMemory = async (
  id: string,
  { store, forgetEmbeddings, workspaceId, signal }: ErasingParts & Erasing,
): Promise<boolean> => {
  if (forgetEmbeddings !== undefined) {
    const memory = await store.get(workspaceId, id, { signal });
    const conversationId = memory?.conversation_id;
    const listing = { conversationId, limit: 100 };
    const around = conversationId === undefined ? [] : (await store.list(workspaceId, listing, { signal })).memories;
    if (memory !== undefined) await forgetEmbeddings(askedTexts([memory], around), { signal });
  }
  return store.delete(workspaceId, id, { signal });
};
