import * as z from 'zod';
import type { Memory, Relationship } from '../../contract/wire/memory.ts';
import { describeCause, logLine } from '../../platform/log.ts';
import { addColumn, migrate, readStored, type Sql } from '../../platform/storage/sql.ts';
import { StoreUnavailable } from '../../platform/storage/store-unavailable.ts';
import type { VectorHit, VectorIndex } from '../../platform/storage/vector-index.ts';
import {
  type AdjacentMemory,
  ASKED_WITH,
  type Candidate,
  decodeText,
  encodeText,
  type FoundMemory,
  MAX_ANSWER_BYTES,
  MAX_MEMORY_WORDS,
  MAX_QUERY_WORDS,
  type MemoryCount,
  type MemoryListing,
  type MemoryQuery,
  type MemoryStore,
  mayReadMemory,
  nearestReadable,
  placeFilterOf,
  placeOf,
  RELATIONS_LIMIT,
  rankMemories,
  readStoredMemory,
  relationOfPlace,
  relationPlaceOf,
  SURPLUS_LIMIT,
  type TurnLimits,
  vectorFilterOf,
  vectorMetadataOf,
  type WordsOf,
  wordWeight,
} from './memory-store.ts';

interface SqlMemoryStoreOptions {
  /** The only workspace in this database. */
  workspace: string;
  /**
   * The index in the same database for vectors with this many dimensions; it deletes vectors of any
   * dimension. Absent: memories are found by their words.
   */
  vectorsOf?: ((dimensions: number) => VectorIndex) | undefined;
  /**
   * The workspace's index outside of the database, for every vector that is older than three minutes.
   * It may find a vector late, and find one that is deleted.
   */
  remoteVectors?: VectorIndex | undefined;
  wordsOf: WordsOf;
  /** Milliseconds since 1970. */
  now?: (() => number) | undefined;
}

/** The same, with what the owner of the database does by itself. */
export interface SqlMemoryStore extends MemoryStore {
  /** Removes turns that have expired, and vectors whose removal was noted. A vector that cannot be deleted stays noted. */
  removeExpired(): Promise<void>;
  /** When `removeExpired` has something to do next, in milliseconds since 1970. */
  nextRemoval(): number | undefined;
}

const VECTORS_AT_ONCE = 500;
/** The remote index has found a vector by then, and no upsert that was given up can still arrive. */
const SETTLED_MS = 180_000;
/** Vectors that could not be deleted are tried again after this time. */
const RETRY_MS = 60_000;

/**
 * Memories of one workspace in an embedded database. A memory is written before its vector and removed before it, so that a vector
 * without a memory can be ignored; vectors left over after a crash are deleted by the next removal.
 *
 * With a remote index a new vector is also in the database until the index finds it, so that a memory is found at once; where the
 * upload fails, it stays there. Each removed vector is deleted from the index at once and again after three minutes, as an upsert
 * that was in flight may arrive after the first deletion.
 *
 * @throws {RangeError} From every method, for another workspace.
 */
export function sqlMemoryStore(
  sql: Sql,
  { workspace, vectorsOf, remoteVectors, wordsOf, now = Date.now }: SqlMemoryStoreOptions,
): SqlMemoryStore {
  migrate(sql, 'memories', [
    TABLES.map((table) => `CREATE ${table}`),
    addColumn('memories', 'stored_by', 'TEXT'),
    addColumn('memories', 'expires', 'INTEGER'),
    TURNS,
    [`CREATE INDEX memories_asked_with ON memories (${ASKED}) WHERE ${ASKED} IS NOT NULL`],
    REMOTE_VECTORS,
    addColumn('removed_memories', 'retry_at', 'INTEGER NOT NULL DEFAULT 0'),
  ]);
  const removeTurns = (): void => {
    for (;;) {
      const ids = expiredTurns(sql, now());
      if (ids.length === 0) return;
      sql.transaction(() => removeMemories(sql, ids, now()));
    }
  };
  // Before the first read: the alarm may ring later.
  removeTurns();

  const checkWorkspace = (named: string): void => {
    if (named !== workspace)
      throw new RangeError('Cannot read these memories: the database is of another workspace');
  };
  const clearVectors = async (): Promise<void> => {
    const settledBefore = remoteVectors === undefined ? now() : now() - SETTLED_MS;
    // Stored before the attempt: what fails waits from now on, whatever is called meanwhile.
    sql.run(
      'UPDATE removed_memories SET retry_at = ? WHERE deleted = 0 OR removed_at <= ?',
      now() + RETRY_MS,
      settledBefore,
    );
    for (;;) {
      const ids = sql
        .all<{ id: string }>(
          'SELECT id FROM removed_memories WHERE deleted = 0 OR removed_at <= ? LIMIT ?',
          settledBefore,
          VECTORS_AT_ONCE,
        )
        .map(({ id }) => id);
      if (ids.length === 0) return;
      await vectorsOf?.(1).delete(ids.map(encodeText));
      await remoteVectors?.delete(ids.map(encodeText));
      const those = 'id IN (SELECT value FROM json_each(?))';
      const named = JSON.stringify(ids);
      sql.run(
        `DELETE FROM removed_memories WHERE removed_at <= ? AND ${those}`,
        settledBefore,
        named,
      );
      sql.run(`UPDATE removed_memories SET deleted = 1 WHERE ${those}`, named);
    }
  };
  /** Deletes the copies of vectors that the remote index finds by now. */
  const deleteCopies = async (): Promise<void> => {
    const ids = sql
      .all<{ id: string }>(
        'DELETE FROM uploaded_vectors WHERE uploaded_at <= ? RETURNING id',
        now() - SETTLED_MS,
      )
      .map(({ id }) => id);
    if (ids.length > 0) await vectorsOf?.(1).delete(ids.map(encodeText));
  };
  const semanticCandidates = async (query: MemoryQuery): Promise<Candidate[]> => {
    if (query.vector === undefined || vectorsOf === undefined) return [];
    const { vector, readableWith } = query;
    const filter = vectorFilterOf(query);
    // First the vectors in the database: they are exact.
    const indexes = [
      vectorsOf(vector.length),
      ...(remoteVectors === undefined ? [] : [remoteVectors]),
    ];
    const hits = await Promise.all(
      indexes.map((vectors) =>
        nearestReadable(Math.max(query.limit * 4, 100), {
          nearest: (limit) => vectors.query(vector, { limit, filter }),
          memoryOf: (hit) => memoryOfHit(sql, hit),
          readableWith,
        }),
      ),
    );
    return hits.flat().map(({ hit, memory }) => ({ memory, semantic: hit.similarity }));
  };
  const erase = async (workspaceId: string, ids: readonly string[]): Promise<string[]> => {
    checkWorkspace(workspaceId);
    const removed = sql.transaction(() => removeMemories(sql, ids, now()));
    await clearVectors();
    return removed;
  };
  return {
    put: async (memory, { vector, relatedTo = [] }) => {
      checkWorkspace(memory.workspace_id);
      const isStored = sql.transaction(() =>
        writeMemory(sql, { memory, relatedTo, words: wordsOf(memory.content) }),
      );
      if (!isStored || vector === undefined || vectorsOf === undefined) return isStored;
      const id = encodeText(memory.id);
      const records = [{ id, vector, metadata: vectorMetadataOf(memory) }];
      await vectorsOf(vector.length).upsert(records);
      if (remoteVectors === undefined) return true;
      await deleteCopies();
      await remoteVectors.upsert(records);
      if (rowOf(sql, memory.id) !== undefined)
        sql.run(
          'INSERT OR REPLACE INTO uploaded_vectors (id, uploaded_at) VALUES (?, ?)',
          memory.id,
          now(),
        );
      // It was removed meanwhile. When this fails, the note of the removal remains.
      else await remoteVectors.delete([id]).catch(() => undefined);
      return true;
    },
    get: async (workspaceId, id) => {
      checkWorkspace(workspaceId);
      return readMemory(sql, id);
    },
    count: async (workspaceId, of) => {
      checkWorkspace(workspaceId);
      return countOf(sql, of);
    },
    surplusTurns: async (workspaceId, limits) => {
      checkWorkspace(workspaceId);
      return surplusTurns(sql, limits, now());
    },
    removeExpired: async () => {
      removeTurns();
      await deleteCopies();
      await clearVectors().catch((error: unknown) => {
        if (!(error instanceof StoreUnavailable)) throw error;
        logLine({
          event: 'fault',
          time: now(),
          librarian: 'memory',
          where: 'delete vectors',
          code: 'SERVICE_UNAVAILABLE',
          cause: describeCause(error),
        });
      });
    },
    nextRemoval: () => {
      const [next] = sql.all<{ at: number | null }>(
        `SELECT min(at) AS at FROM (
          SELECT min(expires) AS at FROM memories WHERE expires IS NOT NULL
          UNION ALL SELECT min(uploaded_at) + ?1 FROM uploaded_vectors
          UNION ALL
            SELECT min(max(retry_at, iif(deleted, removed_at + ?1, 0))) FROM removed_memories)`,
        SETTLED_MS,
      );
      return next?.at ?? undefined;
    },
    list: async (workspaceId, listing) => {
      checkWorkspace(workspaceId);
      return listMemories(sql, listing);
    },
    delete: async (workspaceId, id) => (await erase(workspaceId, [id])).length > 0,
    erase,
    searchMemories: async (workspaceId, query) => {
      checkWorkspace(workspaceId);
      if (query.memoryTypes?.length === 0) return [];
      if (query.vector === undefined && query.text === undefined) return newestMemories(sql, query);
      const lexical =
        query.text === undefined
          ? []
          : lexicalCandidates(sql, { ...query, words: wordsOf(query.text) });
      return rankMemories([...(await semanticCandidates(query)), ...lexical], {
        workspaceId,
        query,
      });
    },
    getMemoryRelationships: async (memoryId, workspaceId) => {
      checkWorkspace(workspaceId);
      return readRelations(sql, [memoryId])[0] ?? [];
    },
    relationshipsOf: async (memoryIds, workspaceId) => {
      checkWorkspace(workspaceId);
      return readRelations(sql, memoryIds);
    },
  };
}

/** A row stays far below 2 MB. */
const TABLES = [
  // `place` as in memory-store.ts; `memory` is JSON.
  `TABLE IF NOT EXISTS memories (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, place TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL, confidence REAL NOT NULL, conversation TEXT, person TEXT, memory TEXT NOT NULL)`,
  'INDEX IF NOT EXISTS memories_of_conversation ON memories (conversation, place) WHERE conversation IS NOT NULL',
  'INDEX IF NOT EXISTS memories_of_person ON memories (person, place) WHERE person IS NOT NULL',
  // The memories that contain a word.
  'TABLE IF NOT EXISTS memory_words (word TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (word, number)) WITHOUT ROWID',
  'INDEX IF NOT EXISTS words_of_memory ON memory_words (number)',
  // `place` is the whole relation, as `relationPlaceOf` writes it.
  'TABLE IF NOT EXISTS memory_relations (place TEXT PRIMARY KEY, from_id TEXT NOT NULL, to_id TEXT NOT NULL) WITHOUT ROWID',
  'INDEX IF NOT EXISTS relations_from ON memory_relations (from_id, place)',
  'INDEX IF NOT EXISTS relations_to ON memory_relations (to_id, place)',
  // Removed memories whose vectors may still have to be deleted.
  'TABLE IF NOT EXISTS removed_memories (id TEXT PRIMARY KEY) WITHOUT ROWID',
];

/** Turns from before they expired get the lifetime of new ones, and their subject: 90 days were the default then. */
const TURNS = [
  `UPDATE memories SET stored_by = memory ->> '$.metadata.asked_by',
      expires = (unixepoch(memory ->> '$.created_at') + 7776000) * 1000
    WHERE memory ->> '$.metadata.asked_by' IS NOT NULL`,
  `UPDATE memories SET memory = json_set(memory, '$.stored_by', stored_by,
      '$.expires_at', strftime('%Y-%m-%dT%H:%M:%SZ', expires / 1000, 'unixepoch')) WHERE expires IS NOT NULL`,
  'CREATE INDEX facts_of ON memories (stored_by, place) WHERE expires IS NULL',
  'CREATE INDEX turns_of ON memories (stored_by, place) WHERE expires IS NOT NULL',
  'CREATE INDEX turns ON memories (place) WHERE expires IS NOT NULL',
  'CREATE INDEX turns_by_expiry ON memories (expires) WHERE expires IS NOT NULL',
];

/** When a memory was removed, whether its vector was deleted since, and when a vector was written to the remote index. */
const REMOTE_VECTORS = [
  'ALTER TABLE removed_memories ADD COLUMN removed_at INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE removed_memories ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0',
  'CREATE TABLE uploaded_vectors (id TEXT PRIMARY KEY, uploaded_at INTEGER NOT NULL) WITHOUT ROWID',
];

/** The audiences that a memory was asked with, as SQLite shows them; null for none. Texts of an index must be those of the query. */
const ASKED = `CASE WHEN json_valid(memory) THEN memory ->> '$.metadata.${ASKED_WITH}' END`;

type MemoryRow = { memory: string };

const parseMemory = ({ memory }: MemoryRow): Memory | undefined => readStoredMemory(memory);

const memoriesIn = (rows: readonly MemoryRow[]): Memory[] =>
  rows.map(parseMemory).filter((memory) => memory !== undefined);

const rowOf = (sql: Sql, id: string): MemoryRow | undefined =>
  sql.all<MemoryRow>('SELECT memory FROM memories WHERE id = ?', id)[0];

const readMemory = (sql: Sql, id: string): Memory | undefined => {
  const row = rowOf(sql, id);
  return row === undefined ? undefined : parseMemory(row);
};

/** A vector that is still to be deleted may belong to an earlier memory with the same id. */
const memoryOfHit = (sql: Sql, { id, metadata }: VectorHit): Memory | undefined => {
  const memory = readMemory(sql, decodeText(id));
  return memory !== undefined && metadata?.created === Date.parse(memory.created_at)
    ? memory
    : undefined;
};

/** Within a transaction. A memory that is stored already stays as it is. */
const writeMemory = (
  sql: Sql,
  written: {
    memory: Memory;
    relatedTo: readonly { memory_id: string; type: string }[];
    words: readonly string[];
  },
): boolean => {
  const { memory, relatedTo, words } = written;
  const {
    id,
    type,
    confidence,
    conversation_id = null,
    person_id = null,
    created_at,
    stored_by = null,
  } = memory;
  const expires = memory.expires_at === undefined ? null : Date.parse(memory.expires_at);
  if (rowOf(sql, id) !== undefined) return true;
  if (relatedTo.some(({ memory_id }) => readMemory(sql, memory_id) === undefined)) return false;
  sql.run(
    `INSERT INTO memories (id, place, type, confidence, conversation, person, memory, stored_by, expires)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[
      id,
      placeOf(memory),
      type,
      confidence,
      conversation_id,
      person_id,
      JSON.stringify(memory),
      stored_by,
      expires,
    ],
  );
  // Else its vector would be deleted in place of that of an earlier memory.
  sql.run('DELETE FROM removed_memories WHERE id = ?', id);
  sql.run(
    `INSERT OR IGNORE INTO memory_words (word, number)
      SELECT value, (SELECT number FROM memories WHERE id = ?) FROM json_each(?)`,
    id,
    JSON.stringify(words.slice(0, MAX_MEMORY_WORDS)),
  );
  for (const { memory_id: other, type: kind } of relatedTo) {
    const relation: Relationship = {
      from_memory_id: id,
      to_memory_id: other,
      type: kind,
      created_at,
    };
    const insert =
      'INSERT OR IGNORE INTO memory_relations (place, from_id, to_id) VALUES (?, ?, ?)';
    sql.run(insert, relationPlaceOf(relation), id, other);
  }
  return true;
};

/** Within a transaction: removes the memories with their relations and notes that their vectors must go. Returns those that existed. */
const removeMemories = (sql: Sql, ids: readonly string[], removedAt: number): string[] => {
  const named = JSON.stringify(ids);
  const those = 'IN (SELECT value FROM json_each(?))';
  const removed = sql
    .all<{ id: string }>(`SELECT id FROM memories WHERE id ${those}`, named)
    .map(({ id }) => id);
  sql.run(
    `DELETE FROM memory_words WHERE number IN (SELECT number FROM memories WHERE id ${those})`,
    named,
  );
  sql.run(`DELETE FROM memory_relations WHERE from_id ${those}`, named);
  sql.run(`DELETE FROM memory_relations WHERE to_id ${those}`, named);
  sql.run(`DELETE FROM memories WHERE id ${those}`, named);
  sql.run(`DELETE FROM uploaded_vectors WHERE id ${those}`, named);
  sql.run(
    'INSERT OR REPLACE INTO removed_memories (id, removed_at) SELECT value, ? FROM json_each(?)',
    removedAt,
    named,
  );
  return removed;
};

const countOf = (sql: Sql, { turns, storedBy, readableWith }: MemoryCount): number => {
  const conditions = [
    `expires IS ${turns ? 'NOT ' : ''}NULL`,
    ...(storedBy === undefined ? [] : ['stored_by = ?']),
  ];
  const by = readableWith === undefined ? 'NULL' : ASKED;
  const counted = sql.all<{ count: number; asked: string | null }>(
    `SELECT count(*) AS count, ${by} AS asked FROM memories WHERE ${conditions.join(' AND ')} GROUP BY asked`,
    ...(storedBy === undefined ? [] : [storedBy]),
  );
  const isReadable = (asked: string | null) =>
    readableWith === undefined ||
    asked === null ||
    mayReadMemory(readableWith, askedWithText(asked));
  return counted.reduce((sum, { count, asked }) => sum + (isReadable(asked) ? count : 0), 0);
};

/** Audiences, as SQLite shows them, of memories that a context may not read. */
const hiddenFor = (sql: Sql, readableWith: readonly string[] | undefined): string[] =>
  readableWith === undefined
    ? []
    : sql
        .all<{ asked: string }>(
          `SELECT DISTINCT ${ASKED} AS asked FROM memories WHERE ${ASKED} IS NOT NULL`,
        )
        .map(({ asked }) => asked)
        .filter((asked) => !mayReadMemory(readableWith, askedWithText(asked)));

/** The metadata of memories that were asked with some audiences, as SQLite shows them. */
const askedWithText = (text: string): Pick<Memory, 'metadata'> => ({
  metadata: { [ASKED_WITH]: readStored(z.json(), text) ?? text },
});

const expiredTurns = (sql: Sql, now: number): string[] =>
  sql
    .all<{ id: string }>(
      'SELECT id FROM memories WHERE expires IS NOT NULL AND expires <= ? ORDER BY expires LIMIT ?',
      now,
      SURPLUS_LIMIT,
    )
    .map(({ id }) => id);

const surplusTurns = (sql: Sql, limits: TurnLimits, now: number): string[] => {
  const {
    storedBy,
    conversationId,
    personId = null,
    perConversation,
    perSubject,
    perWorkspace,
  } = limits;
  const beyond = (most: number, condition: string, ...values: (string | null)[]): string[] =>
    sql
      .all<{ id: string }>(
        `SELECT id FROM memories WHERE expires IS NOT NULL ${condition} ORDER BY place DESC LIMIT ? OFFSET ?`,
        ...values,
        SURPLUS_LIMIT,
        most,
      )
      .map(({ id }) => id);
  const surplus = [
    ...expiredTurns(sql, now),
    ...beyond(
      perConversation,
      'AND conversation = ? AND stored_by = ? AND person IS ?',
      conversationId,
      storedBy,
      personId,
    ),
    ...beyond(perSubject, 'AND stored_by = ?', storedBy),
    ...beyond(perWorkspace, ''),
  ];
  return [...new Set(surplus)].slice(0, SURPLUS_LIMIT);
};

type Condition = [sql: string, value: string | number];

/** The condition, unless its value is absent. */
const when = (condition: string, value: string | number | undefined): Condition[] =>
  value === undefined ? [] : [[condition, value]];

const where = (conditions: readonly Condition[]): string =>
  conditions.length === 0
    ? ''
    : `WHERE ${conditions.map(([condition]) => condition).join(' AND ')}`;

/** Leaves out memories that were asked with `hidden` audiences. */
const readable = (hidden: readonly string[], number = 'memories.number'): Condition[] =>
  when(
    `${number} NOT IN (SELECT number FROM memories
      WHERE ${ASKED} IS NOT NULL AND ${ASKED} IN (SELECT value FROM json_each(?)))`,
    hidden.length === 0 ? undefined : JSON.stringify(hidden),
  );

const listMemories = (sql: Sql, listing: MemoryListing) => {
  const { conversationId, personId, type, factsOf, limit, cursor } = listing;
  const conditions = [
    ...readable(hiddenFor(sql, listing.readableWith)),
    ...when('expires IS NULL AND stored_by = ?', factsOf),
    ...when('conversation = ?', conversationId),
    ...when('person = ?', personId),
    ...when('type = ?', type),
    ...when('place < ?', cursor),
  ];
  const rows = sql.all<MemoryRow & { place: string }>(
    `SELECT memory, place FROM memories ${where(conditions)} ORDER BY place DESC LIMIT ?`,
    ...conditions.map(([, value]) => value),
    limit + 1,
  );
  const page = rows.slice(0, limit);
  return { memories: memoriesIn(page), next: rows.length > limit ? page.at(-1)?.place : undefined };
};

const conditionsOf = (query: MemoryQuery, hidden: readonly string[]): Condition[] => {
  const { from, before } = placeFilterOf(query);
  const { memoryTypes = [], minConfidence, conversationId, personId, factsOf } = query;
  const types = memoryTypes.length === 0 ? undefined : JSON.stringify(memoryTypes);
  return [
    ...when('place >= ?', from || undefined),
    ...when('place < ?', before || undefined),
    ...when('confidence >= ?', minConfidence),
    ...when('conversation = ?', conversationId),
    ...when('person = ?', personId),
    ...when('expires IS NULL AND stored_by = ?', factsOf),
    ...when('type IN (SELECT value FROM json_each(?))', types),
    ...readable(hidden),
  ];
};

const newestMemories = (sql: Sql, query: MemoryQuery): FoundMemory[] => {
  const conditions = conditionsOf(query, hiddenFor(sql, query.readableWith));
  const rows = sql.all<MemoryRow>(
    `SELECT memory FROM memories ${where(conditions)} ORDER BY place DESC LIMIT ?`,
    ...conditions.map(([, value]) => value),
    query.limit,
  );
  return memoriesIn(rows).map((memory) => ({ memory, score: 0 }));
};

const lexicalCandidates = (
  sql: Sql,
  query: MemoryQuery & { words: readonly string[] },
): Candidate[] => {
  const hidden = hiddenFor(sql, query.readableWith);
  const { total, counted } = frequencies(sql, query.words.slice(0, MAX_QUERY_WORDS), hidden);
  const weights = counted.map(({ word, count }) => ({
    word,
    count,
    weight: wordWeight(count, total),
  }));
  const whole = weights.reduce((sum, { weight }) => sum + weight, 0);
  const known = weights.filter(({ count }) => count > 0).map(({ word, weight }) => [word, weight]);
  if (known.length === 0) return [];
  const conditions = conditionsOf(query, hidden);
  const rows = sql.all<MemoryRow & { weight: number }>(
    `SELECT memories.memory AS memory, found.weight AS weight FROM (
        SELECT memory_words.number AS number, sum(wanted.value ->> 1) AS weight
        FROM json_each(?) AS wanted CROSS JOIN memory_words ON memory_words.word = wanted.value ->> 0
        GROUP BY memory_words.number
      ) AS found JOIN memories ON memories.number = found.number ${where(conditions)}
      ORDER BY found.weight DESC, memories.place DESC LIMIT ?`,
    JSON.stringify(known),
    ...conditions.map(([, value]) => value),
    // With a vector too, more candidates are needed: the best by words may not be the best by both.
    query.vector === undefined ? query.limit : Math.max(query.limit * 4, 100),
  );
  return rows.flatMap((row) => {
    const memory = parseMemory(row);
    return memory === undefined ? [] : [{ memory, lexical: row.weight / whole }];
  });
};

/** How many memories there are, and how many contain each word; hidden ones do not count. */
const frequencies = (sql: Sql, words: readonly string[], hidden: readonly string[]) => {
  const memories = readable(hidden);
  const [{ total } = { total: 0 }] = sql.all<{ total: number }>(
    `SELECT count(*) AS total FROM memories ${where(memories)}`,
    ...memories.map(([, value]) => value),
  );
  const containing = readable(hidden, 'memory_words.number');
  const counted = sql.all<{ word: string; count: number }>(
    `SELECT value AS word, (SELECT count(*) FROM memory_words ${where([['word = value', ''], ...containing])}) AS count
      FROM json_each(?)`,
    ...containing.map(([, value]) => value),
    JSON.stringify(words),
  );
  return { total, counted };
};

/** In the order of the ids; a memory that is related to several is read once. */
const readRelations = (sql: Sql, memoryIds: readonly string[]): AdjacentMemory[][] => {
  const read = new Map<string, Memory>();
  let bytesLeft = MAX_ANSWER_BYTES;
  const memoryOf = (id: string): Memory | undefined => {
    const known = read.get(id);
    if (known !== undefined) return known;
    const row = rowOf(sql, id);
    if (row === undefined) return undefined;
    bytesLeft -= row.memory.length;
    const memory = parseMemory(row);
    if (memory !== undefined) read.set(id, memory);
    return memory;
  };
  return memoryIds.map((memoryId) => {
    const related: AdjacentMemory[] = [];
    if (bytesLeft < 0) return related;
    const rows = sql.all<{ place: string; other: string }>(
      `SELECT place, iif(from_id = ?1, to_id, from_id) AS other FROM memory_relations
        WHERE from_id = ?1 OR to_id = ?1 ORDER BY place LIMIT ?2`,
      memoryId,
      RELATIONS_LIMIT,
    );
    for (const { place, other } of rows) {
      if (bytesLeft < 0) break;
      const memory = memoryOf(other);
      if (memory !== undefined) related.push({ relationship: relationOfPlace(place), memory });
    }
    return related;
  });
};
