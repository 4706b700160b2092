import { Memory, type Relationship } from '../contract/memory.ts';
import { placeOf, relationPlaceOf } from './memory-place.ts';
import { MAX_MEMORY_WORDS } from './rank-memories.ts';
import type { Sql } from './sql.ts';

export type MemoryRow = { memory: string };

export const parseMemory = ({ memory }: MemoryRow): Memory => Memory.parse(JSON.parse(memory));

export const readMemory = (sql: Sql, id: string): Memory | undefined => {
  const [row] = sql.all<MemoryRow>('SELECT memory FROM memories WHERE id = ?', id);
  return row === undefined ? undefined : parseMemory(row);
};

/** Within a transaction. What is stored already stays as it is. */
export const writeMemory = (
  sql: Sql,
  written: { memory: Memory; relatedTo: readonly { memory_id: string; type: string }[]; words: readonly string[] },
): boolean => {
  const { memory, relatedTo, words } = written;
  const { id, type, confidence, conversation_id = null, person_id = null, created_at } = memory;
  if (readMemory(sql, id) !== undefined) return true;
  if (relatedTo.some(({ memory_id }) => readMemory(sql, memory_id) === undefined)) return false;
  sql.run(
    'INSERT INTO memories (id, place, type, confidence, conversation, person, memory) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ...[id, placeOf(memory), type, confidence, conversation_id, person_id, JSON.stringify(memory)],
  );
  sql.run(
    `INSERT OR IGNORE INTO memory_words (word, number)
      SELECT value, (SELECT number FROM memories WHERE id = ?) FROM json_each(?)`,
    id,
    JSON.stringify(words.slice(0, MAX_MEMORY_WORDS)),
  );
  for (const related of relatedTo) {
    const relation: Relationship = {
      from_memory_id: id,
      to_memory_id: related.memory_id,
      type: related.type,
      created_at,
    };
    const insert = 'INSERT OR IGNORE INTO memory_relations (place, from_id, to_id) VALUES (?, ?, ?)';
    sql.run(insert, relationPlaceOf(relation), id, related.memory_id);
  }
  return true;
};

/** Within a transaction: with everything that names them, and a note that their vectors have to go. Returns those that were there. */
export const removeMemories = (sql: Sql, ids: readonly string[]): string[] => {
  const named = JSON.stringify(ids);
  const those = 'IN (SELECT value FROM json_each(?))';
  const removed = sql.all<{ id: string }>(`SELECT id FROM memories WHERE id ${those}`, named).map(({ id }) => id);
  sql.run(`DELETE FROM memory_words WHERE number IN (SELECT number FROM memories WHERE id ${those})`, named);
  sql.run(`DELETE FROM memory_relations WHERE from_id ${those}`, named);
  sql.run(`DELETE FROM memory_relations WHERE to_id ${those}`, named);
  sql.run(`DELETE FROM memories WHERE id ${those}`, named);
  sql.run('INSERT OR IGNORE INTO removed_memories (id) SELECT value FROM json_each(?)', named);
  return removed;
};

export const countMemories = (sql: Sql): number =>
  sql.all<{ count: number }>('SELECT count(*) AS count FROM memories')[0]?.count ?? 0;
