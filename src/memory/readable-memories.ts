import * as z from 'zod';
import { readAs } from '../contract/error-info.ts';
import type { Memory } from '../contract/memory.ts';
import { mayReadAsked } from '../signing/capabilities.ts';
import type { AdjacentMemory, MemoryStore } from '../storage/memory-store.ts';

/**
 * Metadata of a turn, reserved: the audiences of the context that asked. The answer may quote an article for any of them. Absent: none, as
 * in turns of earlier versions.
 */
export const ASKED_WITH = 'asked_with';

const Turn = z.object({ [ASKED_WITH]: z.array(z.string()).optional() });

/** The memories that a context with some audiences may read: no turn that was asked with others. */
export const readableMemories = (store: MemoryStore, audiences: readonly string[]): MemoryStore => {
  const isReadable = ({ metadata }: Memory): boolean => {
    if (metadata?.[ASKED_WITH] === undefined) return true;
    const turn = readAs(Turn, metadata);
    return turn.ok && mayReadAsked(audiences, turn.value[ASKED_WITH]);
  };
  const readable = (adjacent: AdjacentMemory[]) => adjacent.filter(({ memory }) => isReadable(memory));
  return {
    ...store,
    searchMemories: async (...query) =>
      (await store.searchMemories(...query)).filter(({ memory }) => isReadable(memory)),
    getMemoryRelationships: async (...of) => readable(await store.getMemoryRelationships(...of)),
    relationshipsOf: async (...of) => (await store.relationshipsOf(...of)).map(readable),
    get: async (...of) => {
      const memory = await store.get(...of);
      return memory !== undefined && isReadable(memory) ? memory : undefined;
    },
    list: async (...query) => {
      const page = await store.list(...query);
      return { ...page, memories: page.memories.filter(isReadable) };
    },
  };
};
