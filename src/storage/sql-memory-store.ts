import { decodeText, encodeText } from './memory-place.ts';
import type { MemoryQuery, MemoryStore } from './memory-store.ts';
import { createMemoryTables } from './memory-tables.ts';
import { type Candidate, rankMemories, vectorFilterOf, vectorMetadataOf, type WordsOf } from './rank-memories.ts';
import type { Sql } from './sql.ts';
import { countMemories, readMemory, removeMemories, writeMemory } from './sql-memory-rows.ts';
import { lexicalCandidates, listMemories, newestMemories, readRelations } from './sql-memory-search.ts';
import type { VectorIndex } from './vector-index.ts';

export interface SqlMemoryStoreOptions {
  /** The one whose memories the database holds. */
  workspace: string;
  /**
   * The index of vectors with so many numbers, in which those of the workspace are, and no others; it removes a vector whatever its
   * number. Absent: memories are found by their words.
   */
  vectorsOf?: ((dimensions: number) => VectorIndex) | undefined;
  wordsOf: WordsOf;
}

/**
 * The memories of one workspace in a database of its own. A memory is written before its vector and removed before it, so that
 * what a vector leads to and is not there is gone; vectors that are left over after a crash go with the next removal.
 *
 * @throws {RangeError} From every method, when another workspace is named.
 */
export const sqlMemoryStore = (sql: Sql, { workspace, vectorsOf, wordsOf }: SqlMemoryStoreOptions): MemoryStore => {
  createMemoryTables(sql);
  const here = (named: string): void => {
    if (named !== workspace) throw new RangeError('Cannot read these memories: the database is of another workspace');
  };
  const clearVectors = async (): Promise<void> => {
    for (;;) {
      const ids = sql
        .all<{ id: string }>('SELECT id FROM removed_memories LIMIT ?', VECTORS_AT_ONCE)
        .map(({ id }) => id);
      if (ids.length === 0) return;
      await vectorsOf?.(1).delete(ids.map(encodeText));
      sql.run('DELETE FROM removed_memories WHERE id IN (SELECT value FROM json_each(?))', JSON.stringify(ids));
    }
  };
  const semanticCandidates = async (query: MemoryQuery): Promise<Candidate[]> => {
    if (query.vector === undefined || vectorsOf === undefined) return [];
    const limit = Math.min(Math.max(query.limit * 4, 100), 1000);
    const hits = await vectorsOf(query.vector.length).query(query.vector, { limit, filter: vectorFilterOf(query) });
    return hits.flatMap(({ id, similarity }) => {
      const memory = readMemory(sql, decodeText(id));
      return memory === undefined ? [] : [{ memory, semantic: similarity }];
    });
  };
  const erase = async (workspaceId: string, ids: readonly string[]): Promise<string[]> => {
    here(workspaceId);
    const removed = sql.transaction(() => removeMemories(sql, ids));
    await clearVectors();
    return removed;
  };
  return {
    put: async (memory, { vector, relatedTo = [] }) => {
      here(memory.workspace_id);
      const isStored = sql.transaction(() => writeMemory(sql, { memory, relatedTo, words: wordsOf(memory.content) }));
      if (!isStored || vector === undefined || vectorsOf === undefined) return isStored;
      const vectors = vectorsOf(vector.length);
      await vectors.upsert([{ id: encodeText(memory.id), vector, metadata: vectorMetadataOf(memory) }]);
      // It may have been removed meanwhile.
      if (readMemory(sql, memory.id) === undefined) await vectors.delete([encodeText(memory.id)]);
      return true;
    },
    get: async (workspaceId, id) => {
      here(workspaceId);
      return readMemory(sql, id);
    },
    count: async (workspaceId) => {
      here(workspaceId);
      return countMemories(sql);
    },
    list: async (workspaceId, listing) => {
      here(workspaceId);
      return listMemories(sql, listing);
    },
    delete: async (workspaceId, id) => (await erase(workspaceId, [id])).length > 0,
    erase,
    searchMemories: async (workspaceId, query) => {
      here(workspaceId);
      if (query.memoryTypes?.length === 0) return [];
      if (query.vector === undefined && query.text === undefined) return newestMemories(sql, query);
      const lexical = query.text === undefined ? [] : lexicalCandidates(sql, { ...query, words: wordsOf(query.text) });
      return rankMemories([...(await semanticCandidates(query)), ...lexical], { workspaceId, query });
    },
    getMemoryRelationships: async (memoryId, workspaceId) => {
      here(workspaceId);
      return readRelations(sql, [memoryId])[0] ?? [];
    },
    relationshipsOf: async (memoryIds, workspaceId) => {
      here(workspaceId);
      return readRelations(sql, memoryIds);
    },
  };
};

const VECTORS_AT_ONCE = 500;
