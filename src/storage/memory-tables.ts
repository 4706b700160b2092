import type { Sql } from './sql.ts';

/** Creates the tables of a workspace's memories where they are missing. A row stays far below 2 MB. */
export const createMemoryTables = (sql: Sql): void => {
  for (const statement of STATEMENTS) sql.run(`CREATE ${statement}`);
};

const STATEMENTS = [
  // `place` is that of memory-place.ts; `memory` is JSON.
  `TABLE IF NOT EXISTS memories (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, place TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL, confidence REAL NOT NULL, conversation TEXT, person TEXT, memory TEXT NOT NULL)`,
  'INDEX IF NOT EXISTS memories_of_conversation ON memories (conversation, place) WHERE conversation IS NOT NULL',
  'INDEX IF NOT EXISTS memories_of_person ON memories (person, place) WHERE person IS NOT NULL',
  // Which memories a word stands in.
  'TABLE IF NOT EXISTS memory_words (word TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (word, number)) WITHOUT ROWID',
  'INDEX IF NOT EXISTS words_of_memory ON memory_words (number)',
  // `place` is that of `relationPlaceOf`, which holds all of the relation.
  'TABLE IF NOT EXISTS memory_relations (place TEXT PRIMARY KEY, from_id TEXT NOT NULL, to_id TEXT NOT NULL) WITHOUT ROWID',
  'INDEX IF NOT EXISTS relations_from ON memory_relations (from_id, place)',
  'INDEX IF NOT EXISTS relations_to ON memory_relations (to_id, place)',
  // Memories that are gone, and whose vectors may still have to be removed.
  'TABLE IF NOT EXISTS removed_memories (id TEXT PRIMARY KEY) WITHOUT ROWID',
];
