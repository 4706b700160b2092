import type { Memory, MemoryRecord } from '../contract/memory.ts';
import type { Restored } from '../contract/moving.ts';
import { mapBounded } from '../runtime/concurrency.ts';
import { isTurn } from '../storage/memory-store.ts';
import {
  embedMemory,
  MEMORIES_OF_TURN,
  missingOf,
  putMemory,
  type StoringParts,
  type StoringRequest,
} from './store-memory.ts';

/**
 * Stores exported memories with their ids, times and relations, in their order; vectors are made again. One that is there already stays as it
 * is. Refuses what exceeds the workspace's quota, and a memory that is related to one that is not there.
 *
 * @throws {StoreUnavailable} When the store fails; calling it again with the same memories is safe.
 */
export const restoreMemories = async (
  records: readonly MemoryRecord[],
  {
    store,
    workspaceId,
    signal,
    quotas,
    ...parts
  }: Omit<StoringParts, 'newId'> & Pick<StoringRequest, 'workspaceId' | 'signal'>,
): Promise<Restored> => {
  const done: Restored = { restored: 0, unchanged: 0, refused: [] };
  const [memories, turns] = await Promise.all(
    [false, true].map((turns) => store.count(workspaceId, { turns }, { signal })),
  );
  const used = { memories: memories ?? 0, turns: turns ?? 0 };
  const found = await mapBounded(records, async ({ related_to: relatedTo, ...data }) => {
    const memory: Memory = { ...data, workspace_id: workspaceId };
    const isKnown = (await store.get(workspaceId, memory.id, { signal })) !== undefined;
    const embedded = isKnown ? undefined : await embedMemory(memory.content, { ...parts, signal });
    return { memory, relatedTo, embedded };
  });
  for (const { memory, relatedTo, embedded } of found) {
    const refuse = (reason: string) =>
      done.refused.push({ id: memory.id, reason: `Cannot restore the memory: ${reason}` });
    const [kind, allowed] = isTurn(memory)
      ? (['turns', quotas.turns * MEMORIES_OF_TURN] as const)
      : (['memories', quotas.memories] as const);
    if (embedded === undefined) done.unchanged += 1;
    else if (used[kind] >= allowed) refuse(`the workspace has ${used[kind]} ${kind}, ${allowed} are allowed`);
    else {
      const stepSignal = () => signal;
      const stored = await putMemory(memory, { store, relatedTo, signal, stepSignal, ...parts, ...embedded });
      if (stored.isStored) {
        done.restored += 1;
        used[kind] += 1;
      } else {
        const missing = await missingOf(relatedTo ?? [], (id) => store.get(workspaceId, id, { signal }));
        refuse(`related_to names ${missing}, which is not in this workspace`);
      }
    }
  }
  return done;
};
