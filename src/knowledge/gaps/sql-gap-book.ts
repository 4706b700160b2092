import * as z from 'zod';
import { GAP_WEEKS, type KnowledgeGap } from '../../contract/wire/knowledge.ts';
import { GapRecord, type GapRecordPage, type GapRecordsQuery } from '../../contract/wire/moving.ts';
import { splitSentences } from '../../language/split-sentences.ts';
import { NO_ONE } from '../../platform/context/capabilities.ts';
import { READABLE } from '../../platform/storage/readable.ts';
import {
  bytesOf,
  migrate,
  readStored,
  type Sql,
  type SqlValue,
} from '../../platform/storage/sql.ts';
import {
  type GapBook,
  type GapListing,
  type GapPage,
  type GapQuery,
  type GapSighting,
  type GapSubject,
  gapCursorText,
  NO_ANSWER,
  type OpenGap,
  type RecordedGap,
  type RevealedGap,
  readGapCursor,
  SAME_ACROSS_INTENTS,
  SAME_SUBJECT,
  subjectLikeness,
} from './gap-book.ts';

interface SqlGapBookOptions {
  newId: () => string;
  /** Most gaps that are stored; 2,000 when absent. The least frequent are deleted first, beginning with closed and old ones. */
  maxGaps?: number | undefined;
}

/** The gap book of one workspace, in a database of its own. */
export function sqlGapBook(sql: Sql, { newId, maxGaps = MAX_GAPS }: SqlGapBookOptions): GapBook {
  createGapTables(sql);
  return {
    record: (sighting) =>
      sql.transaction(() => {
        const gaps = sighting.gaps.slice(0, MAX_GAPS_A_SIGHTING);
        const audiences = audienceList(sighting.audiences);
        if (!isNewRequest(sql, sighting)) {
          return gaps.map((gap): RecordedGap => {
            const id = sameGap(sql, gap, audiences);
            return id === undefined ? { outcome: 'repeated' } : { id, outcome: 'repeated' };
          });
        }
        const isCurrent = noteEdition(sql, sighting);
        const recorded = gaps.map((gap): RecordedGap => {
          const known = sameGap(sql, gap, audiences);
          if (known === undefined && !mayAdd(sql, sighting)) return { outcome: 'limit' };
          const id = known ?? newId();
          countGap(sql, { id, gap, sighting, isCurrent });
          keepExample(sql, id, sighting.query);
          return { id, outcome: known === undefined ? 'new' : 'counted' };
        });
        forgetBeyond(sql, maxGaps);
        return recorded;
      }),
    read: (id, nowMs, audiences = []) => {
      const [row] = sql.all<ListedRow>(
        `SELECT *, ${EXAMPLES}, ${DAYS} FROM gaps WHERE ${READABLE} AND id = ?2`,
        ...[JSON.stringify(audiences), id],
      );
      return row === undefined ? null : gapOfRow(row, nowMs);
    },
    remove: (id, audiences = []) =>
      sql.transaction(() => {
        const [gap] = sql.all(
          `SELECT 1 AS one FROM gaps WHERE ${READABLE} AND id = ?2`,
          JSON.stringify(audiences),
          id,
        );
        if (gap === undefined) return false;
        sql.run('DELETE FROM gaps WHERE id = ?', id);
        removeOrphans(sql);
        return true;
      }),
    erasePerson: (person, audiences = []) =>
      sql.transaction(() => {
        const [asked] = sql.all<{ total: number }>(
          `SELECT count(*) AS total FROM gap_examples JOIN gaps ON gaps.id = gap_examples.gap WHERE ${READABLE} AND person = ?2`,
          ...[JSON.stringify(audiences), person],
        );
        // A gap with no example of anyone else's is the person's own words.
        sql.run(
          `DELETE FROM gaps WHERE id IN (SELECT gap FROM gap_examples GROUP BY gap HAVING sum(person IS ?1) = count(*))`,
          person,
        );
        sql.run('DELETE FROM gap_examples WHERE person = ?', person);
        removeOrphans(sql);
        return asked?.total ?? 0;
      }),
    list: (listing) => listGaps(sql, listing),
    records: (query, audiences) => gapRecords(sql, query, audiences),
    audienceLists: () =>
      sql
        .all<{ audiences: string }>('SELECT DISTINCT audiences FROM gaps ORDER BY audiences')
        .map(({ audiences }) => readStored(AudienceList, audiences) ?? []),
    restore: (gaps, audiences = []) =>
      sql.transaction(() => {
        const held = JSON.stringify(audiences);
        const [hidden] = sql.all(`SELECT 1 AS one FROM gaps WHERE NOT ${READABLE} LIMIT 1`, held);
        const isSeen = (id: string) =>
          sql.all(`SELECT 1 AS one FROM gaps WHERE ${READABLE} AND id = ?2`, held, id).length > 0;
        const refused =
          hidden === undefined ? [] : gaps.filter(({ id }) => !isSeen(id)).map(({ id }) => id);
        const restored = gaps.filter(
          (gap) => !refused.includes(gap.id) && restoreGap(sql, gap),
        ).length;
        forgetBeyond(sql, maxGaps);
        return { restored, refused };
      }),
    toCheck: (edition, limit, nowMs, audiences) =>
      noteEdition(sql, { edition, nowMs })
        ? gapsToCheck(sql, edition, limit, audienceList(audiences))
        : [],
    noteChecked: (results, { edition, nowMs }) =>
      sql.transaction(() => {
        if (!noteEdition(sql, { edition, nowMs })) return;
        for (const { id, isAnswered, lastSeenMs } of results) {
          sql.run(
            `UPDATE gaps SET edition = ?1, edition_number = ?2, closed_at = CASE WHEN ?3 = 1 THEN ?4 ELSE NULL END
              WHERE id = ?5 AND closed_at IS NULL AND last_seen <= ?6`,
            ...[edition, editionNumber(edition), isAnswered ? 1 : 0, nowMs, id, lastSeenMs],
          );
        }
      }),
  };
}

/** As it is stored: equal lists are equal texts. */
const audienceList = (audiences: readonly string[] = []): string =>
  JSON.stringify([...audiences].sort());

const AudienceList = z.array(z.string());

const MAX_GAPS = 2000;
const MAX_GAPS_A_SIGHTING = 20;
/** Gaps that the holder of one API key may add in a day (UTC); those that exist are counted beyond it. */
const MAX_ADDED_A_DAY = 200;
const MAX_EXAMPLES = 5;
const MAX_MESSAGE = 1000;
/** A helpdesk delivers again within minutes, a queue within the hour. */
const REQUEST_TTL_MS = 3_600_000;
const MAX_REQUESTS = 10_000;
/** Most gaps of one kind and product that are compared by vectors, those with the most words in common. */
const MAX_COMPARED = 50;
/** Upper bound of stems per gap (`topicOf`). */
const MAX_STEMS = 24;

const isNewRequest = (sql: Sql, { requestHash, nowMs }: GapSighting): boolean => {
  sql.run('DELETE FROM gap_requests WHERE until <= ?', nowMs);
  if (sql.all('SELECT 1 AS one FROM gap_requests WHERE hash = ?', requestHash).length > 0)
    return false;
  sql.run(
    'INSERT INTO gap_requests (hash, until) VALUES (?, ?)',
    requestHash,
    nowMs + REQUEST_TTL_MS,
  );
  sql.run(
    'DELETE FROM gap_requests WHERE hash IN (SELECT hash FROM gap_requests ORDER BY until DESC LIMIT -1 OFFSET ?)',
    MAX_REQUESTS,
  );
  return true;
};

/** Counts a gap that the holder of an API key adds; false once its share of the day is used. Our own functions have no limit. */
const mayAdd = (sql: Sql, { by, nowMs }: GapSighting): boolean => {
  if (!by.startsWith('user:')) return true;
  const day = dayOf(nowMs);
  sql.run('DELETE FROM gap_additions WHERE day < ?', day);
  const [counted] = sql.all<{ added: number }>(
    'SELECT added FROM gap_additions WHERE subject = ?',
    by,
  );
  if ((counted?.added ?? 0) >= MAX_ADDED_A_DAY) return false;
  sql.run(
    'INSERT INTO gap_additions (subject, day, added) VALUES (?, ?, 1) ON CONFLICT (subject) DO UPDATE SET added = added + 1',
    ...[by, day],
  );
  return true;
};

const DAY_MS = 86_400_000;

interface GapRow extends Record<string, SqlValue> {
  id: string;
  kind: string;
  product: string | null;
  intent: string | null;
  stems: string;
  vector: ArrayBuffer | Uint8Array<ArrayBuffer> | null;
  model: string | null;
  last_seen: number;
}

/** The most similar equal gap of the same kind and product. */
const sameGap = (sql: Sql, met: RevealedGap, audiences: string): string | undefined => {
  const { kind, product } = met;
  const likenessTo = (row: GapRow) =>
    gapLikeness({ kind, product, intent: row.intent, subject: subjectOf(row) }, met);
  // Most gaps share no word and need not be read; a vector takes a hundred times the bytes of a gap's words.
  const stems = met.subject.stems.slice(0, MAX_STEMS).map(([stem]) => `[${JSON.stringify(stem)},`);
  const sharing = stems.map((_, at) => `instr(stems, ?${at + 4})`).join(' OR ');
  const rows = sql.all<GapRow>(
    `SELECT id, kind, product, intent, stems, NULL AS vector, model, last_seen FROM gaps
      WHERE kind = ?1 AND product COLLATE NOCASE IS ?2 AND audiences = ?3 AND (${sharing === '' ? "stems = '[]'" : sharing}) ORDER BY count DESC, id`,
    ...[kind, product, audiences, ...stems],
  );
  const alike = rows.flatMap((row) => {
    const inWords = subjectLikeness(subjectOf(row), { stems: met.subject.stems });
    return inWords > 0 ? { row, inWords } : [];
  });
  const nearest = alike.sort((left, right) => right.inWords - left.inWords).slice(0, MAX_COMPARED);
  let best: { id: string; likeness: number } | undefined;
  for (const { row } of nearest) {
    const [vector] =
      row.model === null
        ? []
        : sql.all<Pick<GapRow, 'vector'>>('SELECT vector FROM gaps WHERE id = ?', row.id);
    const likeness = likenessTo({ ...row, vector: vector?.vector ?? null });
    if (likeness > (best?.likeness ?? 0)) best = { id: row.id, likeness };
  }
  return best?.id;
};

const Stems = z.array(z.tuple([z.string(), z.number()]));

const subjectOf = ({ stems, vector, model }: GapRow): GapSubject => ({
  stems: readStored(Stems, stems) ?? [],
  ...(vector === null || model === null
    ? {}
    : { vector: [...new Float32Array(bytesOf(vector).slice().buffer)], model }),
});

interface Counting {
  id: string;
  gap: RevealedGap;
  sighting: GapSighting;
  /** Whether it occurred in the active edition: a gap in an older one may be answered since, and stays closed. */
  isCurrent: boolean;
}

const countGap = (sql: Sql, { id, gap, sighting, isCurrent }: Counting): void => {
  const { vector, model = null, stems } = gap.subject;
  const { edition, nowMs } = sighting;
  const packed = vector === undefined ? null : new Uint8Array(Float32Array.from(vector).buffer);
  sql.run(
    `INSERT INTO gaps VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 1, ?9, ?9, NULL, ?10, ?11, ?13)
      ON CONFLICT (id) DO UPDATE SET count = count + 1, last_seen = max(last_seen, ?9), vector = coalesce(vector, ?7),
        model = coalesce(model, ?8), closed_at = CASE WHEN ?12 THEN NULL ELSE closed_at END,
        edition = CASE WHEN ?12 THEN ?10 ELSE edition END, edition_number = CASE WHEN ?12 THEN ?11 ELSE edition_number END`,
    ...[id, gap.kind, gap.product, gap.intent, gap.gap, JSON.stringify(stems), packed, model],
    ...[
      nowMs,
      edition,
      editionNumber(edition),
      isCurrent ? 1 : 0,
      audienceList(sighting.audiences),
    ],
  );
  const day = dayOf(nowMs);
  sql.run(
    'INSERT INTO gap_days (gap, day, count) VALUES (?, ?, 1) ON CONFLICT (gap, day) DO UPDATE SET count = count + 1',
    ...[id, day],
  );
  sql.run('DELETE FROM gap_days WHERE gap = ? AND day <= ?', id, day - GAP_WEEKS * 7);
};

const dayOf = (ms: number): number => Math.floor(ms / DAY_MS);

const keepExample = (
  sql: Sql,
  id: string,
  { message, subject, intent, product, person }: GapQuery,
): void => {
  const cut = cutText(message, MAX_MESSAGE);
  sql.run(
    'DELETE FROM gap_examples WHERE gap = ? AND message = ? AND person IS ?',
    id,
    cut,
    person ?? null,
  );
  sql.run(
    'INSERT INTO gap_examples (gap, message, subject, intent, product, person) VALUES (?, ?, ?, ?, ?, ?)',
    ...[id, cut, subject, intent, product, person ?? null],
  );
  sql.run(
    `DELETE FROM gap_examples WHERE gap = ?1 AND place NOT IN
      (SELECT place FROM gap_examples WHERE gap = ?1 ORDER BY place DESC LIMIT ?2)`,
    ...[id, MAX_EXAMPLES],
  );
};

/** Never within a surrogate pair. */
const cutText = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');

const forgetBeyond = (sql: Sql, maxGaps: number): void => {
  const [counted] = sql.all<{ total: number }>('SELECT count(*) AS total FROM gaps');
  if ((counted?.total ?? 0) <= maxGaps) return;
  sql.run(
    `DELETE FROM gaps WHERE id IN
      (SELECT id FROM gaps ORDER BY closed_at IS NULL DESC, count DESC, last_seen DESC, id LIMIT -1 OFFSET ?)`,
    maxGaps,
  );
  removeOrphans(sql);
};

/** Questions and counts of gaps that are gone. */
const removeOrphans = (sql: Sql): void => {
  for (const table of ['gap_examples', 'gap_days'])
    sql.run(`DELETE FROM ${table} WHERE gap NOT IN (SELECT id FROM gaps)`);
};

interface StoredRow extends Record<string, SqlValue> {
  id: string;
  kind: KnowledgeGap['kind'];
  gap: string;
  intent: string | null;
  product: string | null;
  count: number;
  first_seen: number;
  last_seen: number;
  closed_at: number | null;
  edition: string;
  /** JSON, newest first. */
  examples: string;
}

interface ListedRow extends StoredRow {
  /** JSON of pairs: a day since 1970, and how often it occurred then. */
  days: string;
}

interface RankedRow extends ListedRow {
  /** What the list is sorted by. */
  ranked: number;
}

const EXAMPLES = `(SELECT json_group_array(message) FROM
  (SELECT message FROM gap_examples WHERE gap = gaps.id ORDER BY place DESC)) AS examples`;

const DAYS =
  '(SELECT json_group_array(json_array(day, count)) FROM gap_days WHERE gap = gaps.id) AS days';

const IN_STATE = { open: 'closed_at IS NULL', closed: 'closed_at IS NOT NULL', all: '1' };

/** How often a gap occurred from the day of the time ?2 on. */
const OCCURRENCES = `(SELECT coalesce(sum(count), 0) FROM gap_days
  WHERE gap = gaps.id AND day >= CAST(?2 / ${DAY_MS} AS INTEGER))`;

const listGaps = (
  sql: Sql,
  { state, limit, cursor, days, question, nowMs, audiences = [] }: GapListing,
): GapPage => {
  const held = JSON.stringify(audiences);
  const after = cursor === undefined ? undefined : readGapCursor(cursor);
  const sinceMs = days === undefined ? null : nowMs - days * DAY_MS;
  // An open gap that occurred since then, or one that was closed since then; ?2 is null without a limit of days.
  const isRecent = '(?2 IS NULL OR coalesce(closed_at, last_seen) >= ?2)';
  const message = question === undefined ? null : cutText(question, MAX_MESSAGE);
  const isAsked =
    '(?3 IS NULL OR EXISTS (SELECT 1 FROM gap_examples WHERE gap = gaps.id AND message = ?3))';
  const where = `${IN_STATE[state]} AND ${READABLE} AND ${isRecent} AND ${isAsked}`;
  const rank = days === undefined ? 'count' : state === 'closed' ? 'closed_at' : OCCURRENCES;
  const rows = sql.all<RankedRow>(
    `SELECT *, ${EXAMPLES}, ${DAYS} FROM
        (SELECT *, ${rank} AS ranked FROM gaps WHERE ${where}) AS gaps
      WHERE ?4 IS NULL OR ranked < ?4 OR (ranked = ?4 AND id > ?5) ORDER BY ranked DESC, id LIMIT ?6`,
    ...[held, sinceMs, message, after?.rank ?? null, after?.id ?? null, limit + 1],
  );
  const [counted] = sql.all<{ total: number }>(
    `SELECT count(*) AS total FROM gaps WHERE ${where}`,
    held,
    sinceMs,
    message,
  );
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    gaps: page.map((row) => gapOfRow(row, nowMs)),
    total: counted?.total ?? 0,
    next_cursor: last === undefined ? null : gapCursorText({ rank: last.ranked, id: last.id }),
  };
};

const gapOfRow = (row: ListedRow, nowMs: number): KnowledgeGap => {
  const examples = readStored(z.array(z.string()), row.examples) ?? [];
  const [newest] = examples;
  return {
    id: row.id,
    kind: row.kind,
    gap: newest === undefined ? cutText(row.gap, MAX_SENTENCE) : titleOf(newest),
    missing: row.gap === NO_ANSWER ? null : cutText(row.gap, MAX_SENTENCE),
    intent: row.intent,
    product: row.product,
    count: row.count,
    example_queries: examples,
    ...timesOfRow(row),
    weeks: weeksOf(readStored(DayCounts, row.days) ?? [], dayOf(nowMs)),
  };
};

const DayCounts = z.array(z.tuple([z.number(), z.number()]));

/** Counts of days by week, the oldest first; the last week ends with `today`. */
const weeksOf = (days: z.infer<typeof DayCounts>, today: number): number[] => {
  const weeks = Array.from({ length: GAP_WEEKS }, () => 0);
  for (const [day, count] of days) {
    const at = GAP_WEEKS - 1 - Math.floor((today - day) / 7);
    if (at >= 0 && at < GAP_WEEKS) weeks[at] = (weeks[at] ?? 0) + count;
  }
  return weeks;
};

/** Characters of a sentence. */
const MAX_SENTENCE = 500;
/** Characters of a title. */
const MAX_TITLE = 200;

/** The title of a gap: what a customer asked, the first question of a message, else its first sentence. */
const titleOf = (message: string): string => {
  const sentences = splitSentences(message).map(({ start, end }) =>
    message.slice(start, end).trim(),
  );
  const title = sentences.find((sentence) => /[?？]/.test(sentence)) ?? sentences[0] ?? message;
  const line = title.replace(/\s+/g, ' ').trim();
  return line.length <= MAX_TITLE ? line : `${cutText(line, MAX_TITLE - 1)}…`;
};

const timesOfRow = (row: StoredRow): Pick<KnowledgeGap, 'state' | (typeof TIMES)[number]> => ({
  state: row.closed_at === null ? 'open' : 'closed',
  first_seen: moment(row.first_seen),
  last_seen: moment(row.last_seen),
  closed_at: row.closed_at === null ? null : moment(row.closed_at),
  checked_edition: row.edition === '' ? null : row.edition,
});

const TIMES = [
  'first_seen',
  'last_seen',
  'closed_at',
  'checked_edition',
] as const satisfies (keyof KnowledgeGap)[];

interface RecordRow extends StoredRow {
  /** JSON, like `audiences`. */
  stems: string;
  audiences: string;
}

const gapRecords = (
  sql: Sql,
  { limit, cursor }: GapRecordsQuery,
  audiences: readonly string[] = [],
): GapRecordPage => {
  const rows = sql.all<RecordRow>(
    `SELECT *, (SELECT json_group_array(json_object('message', message, 'subject', subject, 'intent', intent, 'product', product,
        'person_id', person)) FROM (SELECT * FROM gap_examples WHERE gap = gaps.id ORDER BY place)) AS examples
      FROM gaps WHERE ${READABLE} AND id > ?2 ORDER BY id LIMIT ?3`,
    ...[JSON.stringify(audiences), cursor ?? '', limit + 1],
  );
  const page = rows.slice(0, limit);
  return {
    gaps: page.map((row) => ({
      id: row.id,
      kind: row.kind,
      gap: row.gap,
      intent: row.intent,
      product: row.product,
      count: row.count,
      stems: readStored(GapRecord.shape.stems, row.stems) ?? [],
      examples: readStored(GapRecord.shape.examples, row.examples) ?? [],
      first_seen: moment(row.first_seen),
      last_seen: moment(row.last_seen),
      closed_at: row.closed_at === null ? null : moment(row.closed_at),
      ...(row.audiences === '[]'
        ? {}
        : { audiences: readStored(AudienceList, row.audiences) ?? [NO_ONE] }),
    })),
    next_cursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
  };
};

/** False for a gap that exists. Editions of another library say nothing here: it counts as not compared with any yet. */
const restoreGap = (sql: Sql, gap: GapRecord): boolean => {
  if (sql.all('SELECT 1 AS found FROM gaps WHERE id = ?', gap.id).length > 0) return false;
  const closedAt = gap.closed_at === null ? null : Date.parse(gap.closed_at);
  sql.run(
    "INSERT INTO gaps VALUES (?, ?, ?, ?, ?, ?, NULL, NULL, ?, ?, ?, ?, '', 0, ?)",
    ...[gap.id, gap.kind, gap.product, gap.intent, gap.gap, JSON.stringify(gap.stems), gap.count],
    ...[
      Date.parse(gap.first_seen),
      Date.parse(gap.last_seen),
      closedAt,
      audienceList(gap.audiences),
    ],
  );
  // As for gaps of earlier versions: only its last day is known.
  sql.run(
    'INSERT INTO gap_days (gap, day, count) VALUES (?, ?, 1)',
    gap.id,
    dayOf(Date.parse(gap.last_seen)),
  );
  for (const { person_id: person, ...query } of gap.examples)
    keepExample(sql, gap.id, { ...query, person });
  return true;
};

const moment = (ms: number): string => new Date(ms).toISOString();

const gapsToCheck = (sql: Sql, edition: string, limit: number, audiences: string): OpenGap[] => {
  const rows = sql.all<GapRow & { asked: string }>(
    `SELECT *, (SELECT json_group_array(json_object('message', message, 'subject', subject, 'intent', intent, 'product', product))
        FROM (SELECT * FROM gap_examples WHERE gap = gaps.id ORDER BY place DESC)) AS asked
      FROM gaps WHERE closed_at IS NULL AND edition <> ?1 AND audiences = ?3 AND id IN (SELECT gap FROM gap_examples)
      ORDER BY count DESC, id LIMIT ?2`,
    ...[edition, limit, audiences],
  );
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind as OpenGap['kind'],
    product: row.product,
    intent: row.intent,
    subject: subjectOf(row),
    queries: readStored(Queries, row.asked) ?? [],
    lastSeenMs: row.last_seen,
  }));
};

const Queries = z.array(
  z.object({
    message: z.string(),
    subject: z.string().nullable(),
    intent: z.string(),
    product: z.string().nullable(),
  }),
);

/**
 * Whether an edition is the active one. An isolate may use an older one for some minutes; when the newer one is not reported for longer than that,
 * the library was rolled back.
 */
const noteEdition = (sql: Sql, { edition, nowMs }: { edition: string; nowMs: number }): boolean => {
  const [latest] = sql.all<{ edition: string; seen: number }>(
    'SELECT edition, seen FROM gap_edition',
  );
  const isOlder = latest !== undefined && editionNumber(edition) < editionNumber(latest.edition);
  if (isOlder && nowMs < latest.seen + OLDER_EDITION_MS) return false;
  if (latest?.edition !== edition || nowMs >= latest.seen + NOTED_EVERY_MS) {
    sql.run(
      'INSERT OR REPLACE INTO gap_edition (one, edition, seen) VALUES (1, ?, ?)',
      edition,
      nowMs,
    );
  }
  return true;
};
/** Twice as long as an edition that cannot be refreshed is used (`STALE_LIMIT_MS`). */
const OLDER_EDITION_MS = 600_000;
const NOTED_EVERY_MS = 60_000;

/** Number of an edition: `e000012-3f9c01ab` -> 12. */
const editionNumber = (edition: string): number => Number(/^e(\d{1,12})/.exec(edition)?.[1] ?? 0);

/** What two gaps are compared by. */
type GapTopic = Pick<RevealedGap, 'kind' | 'product' | 'intent' | 'subject'>;

/** Similarity of two gaps of one kind and product, 0 to 1; 0 if they differ. */
const gapLikeness = (left: GapTopic, right: GapTopic): number => {
  if (left.kind !== right.kind || left.product?.toLowerCase() !== right.product?.toLowerCase())
    return 0;
  const isOneIntent = left.intent === right.intent;
  if (!isOneIntent && left.subject.stems.length === 0) return 0;
  const likeness = subjectLikeness(left.subject, right.subject);
  return likeness >= (isOneIntent ? SAME_SUBJECT : SAME_ACROSS_INTENTS) ? likeness : 0;
};

export function isSameGap(left: GapTopic, right: GapTopic): boolean {
  return gapLikeness(left, right) > 0;
}

/** Brings the tables of a gap book up to date. */
export function createGapTables(sql: Sql): void {
  migrate(sql, 'gaps', MIGRATIONS);
}

const VERSION_1 = [
  // `stems` is JSON, `vector` 32-bit floats. `closed_at` is null while open. `edition` is the one that it last occurred in or was compared with,
  // `edition_number` its number.
  `TABLE IF NOT EXISTS gaps (id TEXT PRIMARY KEY, kind TEXT NOT NULL, product TEXT, intent TEXT, gap TEXT NOT NULL, stems TEXT NOT NULL,
    vector BLOB, model TEXT, count INTEGER NOT NULL, first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL, closed_at INTEGER,
    edition TEXT NOT NULL, edition_number INTEGER NOT NULL)`,
  'INDEX IF NOT EXISTS gaps_by_kind ON gaps (kind, product COLLATE NOCASE)',
  'INDEX IF NOT EXISTS gaps_by_count ON gaps (count DESC, id)',
  // The newest questions of a gap; deleted with it.
  `TABLE IF NOT EXISTS gap_examples (place INTEGER PRIMARY KEY AUTOINCREMENT, gap TEXT NOT NULL, message TEXT NOT NULL, subject TEXT,
    intent TEXT NOT NULL, product TEXT)`,
  'INDEX IF NOT EXISTS gap_examples_by_gap ON gap_examples (gap, place)',
  // Counted requests, until a copy can no longer arrive.
  'TABLE IF NOT EXISTS gap_requests (hash TEXT PRIMARY KEY, until INTEGER NOT NULL)',
  'INDEX IF NOT EXISTS gap_requests_by_until ON gap_requests (until)',
  // The active edition, and when it was last reported.
  'TABLE IF NOT EXISTS gap_edition (one INTEGER PRIMARY KEY, edition TEXT NOT NULL, seen INTEGER NOT NULL)',
  // Workspaces that have a gap book: in the one object without a workspace.
  'TABLE IF NOT EXISTS gap_workspaces (workspace TEXT PRIMARY KEY)',
];

const MIGRATIONS = [
  VERSION_1.map((statement) => `CREATE ${statement}`),
  [
    // Gaps that each key has added today (days since 1970).
    'CREATE TABLE gap_additions (subject TEXT PRIMARY KEY, day INTEGER NOT NULL, added INTEGER NOT NULL)',
    // Who asked, where the request names a person; erased with that person.
    'ALTER TABLE gap_examples ADD COLUMN person TEXT',
    'CREATE INDEX gap_examples_by_person ON gap_examples (person) WHERE person IS NOT NULL',
  ],
  // Audiences of the context that met the gap: a sorted list as JSON.
  ["ALTER TABLE gaps ADD COLUMN audiences TEXT NOT NULL DEFAULT '[]'"],
  [
    // How often each gap occurred on a day (since 1970), for eight weeks. Of earlier days only the last one is known.
    `CREATE TABLE gap_days (gap TEXT NOT NULL, day INTEGER NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (gap, day)) WITHOUT ROWID`,
    `INSERT INTO gap_days SELECT id, last_seen / ${DAY_MS}, 1 FROM gaps`,
  ],
];
