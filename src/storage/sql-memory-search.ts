import type { Memory } from '../contract/memory.ts';
import { MAX_ANSWER_BYTES } from './memory-limits.ts';
import { relationOfPlace } from './memory-place.ts';
import type { FoundMemory, MemoryListing, MemoryQuery, RelatedNeighbour } from './memory-store.ts';
import { type Candidate, MAX_QUERY_WORDS, placeFilterOf, wordWeight } from './rank-memories.ts';
import type { Sql } from './sql.ts';
import { countMemories, type MemoryRow, parseMemory } from './sql-memory-rows.ts';

const RELATIONS_LIMIT = 100;

type Condition = [sql: string, value: string | number];

const where = (conditions: readonly Condition[]): string =>
  conditions.length === 0 ? '' : `WHERE ${conditions.map(([condition]) => condition).join(' AND ')}`;

export const listMemories = (sql: Sql, { conversationId, personId, type, limit, cursor }: MemoryListing) => {
  const conditions: Condition[] = [
    ...(conversationId === undefined ? [] : [['conversation = ?', conversationId] satisfies Condition]),
    ...(personId === undefined ? [] : [['person = ?', personId] satisfies Condition]),
    ...(type === undefined ? [] : [['type = ?', type] satisfies Condition]),
    ...(cursor === undefined ? [] : [['place < ?', cursor] satisfies Condition]),
  ];
  const rows = sql.all<MemoryRow & { place: string }>(
    `SELECT memory, place FROM memories ${where(conditions)} ORDER BY place DESC LIMIT ?`,
    ...conditions.map(([, value]) => value),
    limit + 1,
  );
  const page = rows.slice(0, limit);
  return { memories: page.map(parseMemory), next: rows.length > limit ? page.at(-1)?.place : undefined };
};

const conditionsOf = (query: MemoryQuery): Condition[] => {
  const { from, before } = placeFilterOf(query);
  const { memoryTypes = [], minConfidence, conversationId } = query;
  return [
    ...(from === '' ? [] : [['place >= ?', from] satisfies Condition]),
    ...(before === '' ? [] : [['place < ?', before] satisfies Condition]),
    ...(minConfidence === undefined ? [] : [['confidence >= ?', minConfidence] satisfies Condition]),
    ...(conversationId === undefined ? [] : [['conversation = ?', conversationId] satisfies Condition]),
    ...(memoryTypes.length === 0
      ? []
      : [['type IN (SELECT value FROM json_each(?))', JSON.stringify(memoryTypes)] satisfies Condition]),
  ];
};

export const newestMemories = (sql: Sql, query: MemoryQuery): FoundMemory[] => {
  const conditions = conditionsOf(query);
  const rows = sql.all<MemoryRow>(
    `SELECT memory FROM memories ${where(conditions)} ORDER BY place DESC LIMIT ?`,
    ...conditions.map(([, value]) => value),
    query.limit,
  );
  return rows.map((row) => ({ memory: parseMemory(row), score: 0 }));
};

export const lexicalCandidates = (sql: Sql, query: MemoryQuery & { words: readonly string[] }): Candidate[] => {
  const words = query.words.slice(0, MAX_QUERY_WORDS);
  const total = countMemories(sql);
  const counted = sql.all<{ word: string; count: number }>(
    `SELECT value AS word, (SELECT count(*) FROM memory_words WHERE word = value) AS count FROM json_each(?)`,
    JSON.stringify(words),
  );
  const weights = counted.map(({ word, count }) => ({ word, count, weight: wordWeight(count, total) }));
  const whole = weights.reduce((sum, { weight }) => sum + weight, 0);
  const known = weights.filter(({ count }) => count > 0).map(({ word, weight }) => [word, weight]);
  if (known.length === 0) return [];
  const conditions = conditionsOf(query);
  const rows = sql.all<MemoryRow & { weight: number }>(
    `SELECT memories.memory AS memory, found.weight AS weight FROM (
        SELECT memory_words.number AS number, sum(wanted.value ->> 1) AS weight
        FROM json_each(?) AS wanted CROSS JOIN memory_words ON memory_words.word = wanted.value ->> 0
        GROUP BY memory_words.number
      ) AS found JOIN memories ON memories.number = found.number ${where(conditions)}
      ORDER BY found.weight DESC, memories.place DESC LIMIT ?`,
    JSON.stringify(known),
    ...conditions.map(([, value]) => value),
    // With a vector too, more than are asked for may come first by words and not by both.
    query.vector === undefined ? query.limit : Math.max(query.limit * 4, 100),
  );
  return rows.map((row) => ({ memory: parseMemory(row), lexical: row.weight / whole }));
};

/** In the order of the ids; a memory that is related to many is read once. */
export const readRelations = (sql: Sql, memoryIds: readonly string[]): RelatedNeighbour[][] => {
  const read = new Map<string, Memory>();
  let left = MAX_ANSWER_BYTES;
  const memoryOf = (id: string): Memory | undefined => {
    const known = read.get(id);
    if (known !== undefined) return known;
    const [row] = sql.all<MemoryRow>('SELECT memory FROM memories WHERE id = ?', id);
    if (row === undefined) return undefined;
    left -= row.memory.length;
    const memory = parseMemory(row);
    read.set(id, memory);
    return memory;
  };
  return memoryIds.map((memoryId) => {
    const related: RelatedNeighbour[] = [];
    if (left < 0) return related;
    const rows = sql.all<{ place: string; other: string }>(
      `SELECT place, iif(from_id = ?1, to_id, from_id) AS other FROM memory_relations
        WHERE from_id = ?1 OR to_id = ?1 ORDER BY place LIMIT ?2`,
      memoryId,
      RELATIONS_LIMIT,
    );
    for (const { place, other } of rows) {
      if (left < 0) break;
      const memory = memoryOf(other);
      if (memory !== undefined) related.push({ relationship: relationOfPlace(place), memory });
    }
    return related;
  });
};
