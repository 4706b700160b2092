import * as z from 'zod';
import {
  AnswerDetails,
  type AnswerFeedback,
  type AnswerFilter,
  type AnswerInput,
  AnswerSummary,
  type AnswersErasureQuery,
  type KeptAnswer,
} from '../../contract/wire/answers.ts';
import { AuditEntry } from '../../contract/wire/audit.ts';
import { migrate, readStored, type Sql, type SqlValue } from '../../platform/storage/sql.ts';
import { countsOf, statisticsOf } from './answer-statistics.ts';
import {
  type AnswerLimits,
  type AnswerListing,
  type AnswerStore,
  answerCursorText,
  readAnswerCursor,
} from './answer-store.ts';

interface SqlAnswerStoreOptions {
  limits: AnswerLimits;
  now?: (() => number) | undefined;
}

/** The answers of one workspace, in a database of its own. */
export function sqlAnswerStore(
  sql: Sql,
  { limits, now = Date.now }: SqlAnswerStoreOptions,
): AnswerStore {
  migrate(sql, 'answers', [TABLES, [WITH_AUDIENCES], [WITH_ARTICLES], [ACTS]]);
  let count = countOf(sql);
  const removePlaces = (query: string, ...values: SqlValue[]): number => {
    let removed = 0;
    for (;;) {
      const batch = sql.transaction(() => {
        const places = sql.all<{ place: number }>(
          `SELECT place FROM answers WHERE ${query} LIMIT ${BATCH}`,
          ...values,
        );
        for (const { place } of places) {
          sql.run('DELETE FROM answer_details WHERE place = ?', place);
          sql.run('DELETE FROM answers WHERE place = ?', place);
        }
        return places.length;
      });
      removed += batch;
      count -= batch;
      if (batch < BATCH) return removed;
    }
  };
  const removeSurplus = (): void => {
    if (count <= limits.answers) return;
    const surplus = count - limits.answers;
    removePlaces(
      'place <= (SELECT place FROM answers ORDER BY place LIMIT 1 OFFSET ?)',
      surplus - 1,
    );
  };
  return {
    keep: (answers, audiences = []) => {
      count += sql.transaction(
        () => answers.filter((answer) => insertAnswer(sql, answer, audiences)).length,
      );
      removeSurplus();
    },
    list: ({ filter, audiences, limit, cursor }) => {
      const where = conditionsOf(filter, audiences);
      const rows = pageOf(sql, where, { limit: limit + 1, cursor });
      const page = rows.slice(0, limit);
      const [counted] = sql.all<{ total: number }>(
        `SELECT count(*) AS total FROM answers WHERE ${where.sql}`,
        ...where.values,
      );
      return {
        answers: page.flatMap((row) => summaryOf(row) ?? []),
        total: counted?.total ?? 0,
        next_cursor: rows.length > limit ? answerCursorText(page.at(-1)?.place ?? 0) : null,
      };
    },
    full: (listing) => fullPage(sql, listing),
    get: (id, audiences) => {
      const where = conditionsOf({}, audiences);
      const [row] = sql.all<AnswerRow>(
        `SELECT * FROM answers WHERE ${where.sql} AND id = ?`,
        ...where.values,
        id,
      );
      return (row && answerOf(sql, row)) ?? null;
    },
    statistics: (filter, range, audiences) => {
      const [from, to] = [range.fromMs, range.toMs].map((ms) => new Date(ms).toISOString());
      return statisticsOf(sql, conditionsOf({ ...filter, from, to }, audiences), range);
    },
    counts: (range, audiences) => {
      const [from, to] = [range.fromMs, range.toMs].map((ms) => new Date(ms).toISOString());
      return countsOf(sql, conditionsOf({ from, to }, audiences), range);
    },
    judge: (id, feedback, by) =>
      sql.transaction(() => {
        const readable = conditionsOf({}, by.audiences);
        const [row] = sql.all<{
          place: number;
          asked_by: string;
          person: string | null;
          readable: number;
        }>(
          `SELECT place, asked_by, person, ${readable.sql} AS readable FROM answers WHERE id = ?`,
          ...[...readable.values, id],
        );
        if (
          row === undefined ||
          !((by.mayJudgeAll && row.readable === 1) || row.asked_by === by.subject)
        )
          return false;
        if (by.person !== undefined && row.person !== null && by.person !== row.person)
          return false;
        sql.run(
          'UPDATE answers SET feedback = ?, comment = ?, judged_at = ? WHERE place = ?',
          ...[feedback.value, feedback.comment ?? null, Date.parse(feedback.at), row.place],
        );
        return true;
      }),
    erase: (of, audiences) => {
      const [condition, value] = erasureOf(of);
      const { sql: readable, values } = conditionsOf({}, audiences);
      const erased = removePlaces(`${readable} AND ${condition}`, ...values, value);
      // Those of a person or a conversation go completely; only what the caller may read is counted.
      if (of.before === undefined) removePlaces(condition, value);
      return erased;
    },
    remove: (id, audiences) => {
      const { sql: readable, values } = conditionsOf({}, audiences);
      return removePlaces(`${readable} AND id = ?`, ...values, id) > 0;
    },
    noteAct: (entry) =>
      sql.transaction(() => {
        sql.run(
          'INSERT INTO acts (at, entry) VALUES (?, ?)',
          Date.parse(entry.at),
          JSON.stringify(entry),
        );
        sql.run('DELETE FROM acts WHERE at < ?', now() - ACT_DAYS * DAY_MS);
        sql.run('DELETE FROM acts WHERE place <= (SELECT max(place) FROM acts) - ?', MAX_ACTS);
      }),
    acts: ({ limit, cursor }) => {
      const before =
        cursor === undefined ? Number.MAX_SAFE_INTEGER : (readAnswerCursor(cursor) ?? 0);
      const rows = sql.all<{ place: number; entry: string }>(
        'SELECT place, entry FROM acts WHERE place < ? ORDER BY place DESC LIMIT ?',
        ...[before, limit + 1],
      );
      const page = rows.slice(0, limit);
      return {
        entries: page.flatMap(({ entry }) => readStored(AuditEntry, entry) ?? []),
        next_cursor: rows.length > limit ? answerCursorText(page.at(-1)?.place ?? 0) : null,
      };
    },
    removeExpired: () => {
      removePlaces('asked_at < ?', now() - limits.days * DAY_MS);
      removeSurplus();
    },
    nextRemoval: () => {
      const [oldest] = sql.all<{ at: number | null }>('SELECT min(asked_at) AS at FROM answers');
      // One millisecond later, so that the answer is older than the limit then.
      return oldest?.at == null ? undefined : oldest.at + limits.days * DAY_MS + 1;
    },
  };
}

const DAY_MS = 86_400_000;
const MICROS = 1_000_000;
/** Acts of administration are kept longer than answers, and are few. */
const ACT_DAYS = 400;
const MAX_ACTS = 10_000;
const ACTS =
  'CREATE TABLE acts (place INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, entry TEXT NOT NULL)';
/** Answers that one transaction removes. */
const BATCH = 500;
/** Characters of the details of one page of an export. */
const FULL_PAGE = 2_000_000;

/** Lists and filters read `answers` alone; the long texts have a table of their own. Texts in lower case are for the filter by words. */
const TABLES = [
  `CREATE TABLE answers (
    place INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, asked_at INTEGER NOT NULL, question TEXT NOT NULL,
    words TEXT NOT NULL, understood_as TEXT, verdict TEXT NOT NULL, confidence REAL, interface TEXT NOT NULL,
    librarians TEXT NOT NULL, edition TEXT, intent TEXT, conversation TEXT, person TEXT, asked_by TEXT NOT NULL,
    duration_ms REAL NOT NULL, understanding_ms REAL, routing_ms REAL, answering_ms REAL, first_statement_ms REAL,
    tokens INTEGER NOT NULL, cost_micros INTEGER NOT NULL, cached INTEGER NOT NULL, code TEXT,
    feedback TEXT, comment TEXT, judged_at INTEGER)`,
  'CREATE INDEX answers_by_time ON answers (asked_at)',
  'CREATE INDEX answers_by_person ON answers (person) WHERE person IS NOT NULL',
  'CREATE INDEX answers_by_conversation ON answers (conversation) WHERE conversation IS NOT NULL',
  'CREATE TABLE answer_details (place INTEGER PRIMARY KEY, details TEXT NOT NULL)',
];

/** A list of names as JSON. */
const WITH_AUDIENCES = "ALTER TABLE answers ADD COLUMN audiences TEXT NOT NULL DEFAULT '[]'";

/** Titles of the cited articles by id, as JSON. */
const WITH_ARTICLES = "ALTER TABLE answers ADD COLUMN articles TEXT NOT NULL DEFAULT '{}'";

/** `mayReadAsked` of platform/context/capabilities.ts, for audiences as JSON. */
const READABLE = `(audiences = '[]' OR EXISTS (SELECT 1 FROM json_each(?) WHERE value = '*')
  OR NOT EXISTS (SELECT 1 FROM json_each(audiences) WHERE value NOT IN (SELECT value FROM json_each(?))))`;

interface AnswerRow extends Record<string, SqlValue> {
  place: number;
  id: string;
  asked_at: number;
  question: string;
  understood_as: string | null;
  verdict: string;
  confidence: number | null;
  interface: string;
  /** JSON. */
  librarians: string;
  edition: string | null;
  intent: string | null;
  conversation: string | null;
  person: string | null;
  asked_by: string;
  duration_ms: number;
  tokens: number;
  cost_micros: number;
  cached: number;
  code: string | null;
  feedback: AnswerFeedback['value'] | null;
  comment: string | null;
  judged_at: number | null;
}

const countOf = (sql: Sql): number =>
  sql.all<{ total: number }>('SELECT count(*) AS total FROM answers')[0]?.total ?? 0;

/** False for an id that is known. */
const insertAnswer = (sql: Sql, answer: AnswerInput, audiences: readonly string[]): boolean => {
  const { timings, ...rest } = answer;
  const [row] = sql.all<{ place: number }>(
    `INSERT INTO answers (id, asked_at, question, words, understood_as, verdict, confidence, interface, librarians, edition, intent,
        conversation, person, asked_by, duration_ms, understanding_ms, routing_ms, answering_ms, first_statement_ms, tokens, cost_micros,
        cached, code, audiences, articles)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING RETURNING place`,
    ...[
      rest.id,
      Date.parse(rest.asked_at),
      rest.question,
      rest.question.toLowerCase(),
      rest.understood_as ?? null,
    ],
    ...[
      rest.verdict,
      rest.confidence,
      rest.interface,
      JSON.stringify(rest.librarians),
      rest.edition,
    ],
    ...[
      rest.intent ?? null,
      rest.conversation_id ?? null,
      rest.person_id ?? null,
      rest.asked_by,
      timings.total,
    ],
    ...[timings.understanding ?? null, timings.routing ?? null, timings.answering ?? null],
    ...[
      timings.first_statement ?? null,
      rest.tokens,
      Math.round(rest.cost_usd * MICROS),
      rest.cached ? 1 : 0,
    ],
    ...[rest.code ?? null, JSON.stringify(audiences), JSON.stringify(citedArticles(answer))],
  );
  if (row === undefined) return false;
  const details = JSON.stringify(Object.fromEntries(DETAILS.map((name) => [name, answer[name]])));
  sql.run('INSERT INTO answer_details (place, details) VALUES (?, ?)', row.place, details);
  return true;
};

const DETAILS = AnswerDetails.keyof().options;

const citedArticles = ({ statements }: AnswerInput): Record<string, string> =>
  Object.fromEntries(
    statements.flatMap(({ sources }) =>
      sources.flatMap(({ file, name }) => (file === undefined ? [] : [[file, name]])),
    ),
  );

interface Conditions {
  sql: string;
  values: SqlValue[];
}

const conditionsOf = (filter: AnswerFilter, audiences: readonly string[] = []): Conditions => {
  const conditions: string[] = [READABLE];
  const held = JSON.stringify(audiences);
  const values: SqlValue[] = [held, held];
  const and = (condition: string, ...of: SqlValue[]): void => {
    conditions.push(condition);
    values.push(...of);
  };
  const {
    librarian,
    article,
    feedback,
    confidence_from: above,
    confidence_to: below,
    from,
    to,
    text,
  } = filter;
  // An id has no quotation mark, so it is found as a whole.
  if (librarian !== undefined) and('instr(librarians, ?) > 0', JSON.stringify(librarian));
  // A quotation mark within a title is escaped, so that only an id ends this way.
  if (article !== undefined) and('instr(articles, ?) > 0', `${JSON.stringify(article)}:`);
  if (above !== undefined) and('confidence >= ?', above);
  if (below !== undefined) and(below === 1 ? 'confidence <= ?' : 'confidence < ?', below);
  if (from !== undefined) and('asked_at >= ?', Date.parse(from));
  if (to !== undefined) and('asked_at < ?', Date.parse(to));
  if (feedback === 'any' || feedback === 'none')
    and(`feedback IS ${feedback === 'any' ? 'NOT NULL' : 'NULL'}`);
  else if (feedback !== undefined) and('feedback = ?', feedback);
  for (const word of new Set(text?.toLowerCase().split(/\s+/).slice(0, MAX_WORDS)))
    and('instr(words, ?) > 0', word);
  for (const [name, column] of EQUAL) {
    const value = filter[name];
    if (value !== undefined) and(`${column} = ?`, value);
  }
  return { sql: conditions.join(' AND '), values };
};

const MAX_WORDS = 12;

/** Filters that compare a column with the value itself. */
const EQUAL = [
  ['verdict', 'verdict'],
  ['interface', 'interface'],
  ['intent', 'intent'],
  ['edition', 'edition'],
  ['conversation_id', 'conversation'],
  ['person_id', 'person'],
] as const;

const pageOf = (
  sql: Sql,
  where: Conditions,
  { limit, cursor }: Pick<AnswerListing, 'limit' | 'cursor'>,
): AnswerRow[] => {
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : (readAnswerCursor(cursor) ?? 0);
  return sql.all<AnswerRow>(
    `SELECT * FROM answers WHERE place < ? AND ${where.sql} ORDER BY place DESC LIMIT ?`,
    ...[before, ...where.values, limit],
  );
};

const fullPage = (
  sql: Sql,
  { filter, audiences, limit, cursor }: AnswerListing,
): ReturnType<AnswerStore['full']> => {
  const rows = pageOf(sql, conditionsOf(filter, audiences), { limit: limit + 1, cursor });
  const answers: KeptAnswer[] = [];
  let length = 0;
  for (const [at, row] of rows.entries()) {
    const last = rows[at - 1];
    if (last !== undefined && (at === limit || length > FULL_PAGE)) {
      return { answers, next_cursor: answerCursorText(last.place) };
    }
    const answer = answerOf(sql, row);
    if (answer === undefined) continue;
    length += JSON.stringify(answer).length;
    answers.push(answer);
  }
  return { answers, next_cursor: null };
};

const answerOf = (sql: Sql, row: AnswerRow): KeptAnswer | undefined => {
  const summary = summaryOf(row);
  const [stored] = sql.all<{ details: string }>(
    'SELECT details FROM answer_details WHERE place = ?',
    row.place,
  );
  const details = stored && readStored(AnswerDetails, stored.details);
  return summary && details && { ...summary, ...details };
};

/** Undefined when the row is damaged. */
const summaryOf = (row: AnswerRow): AnswerSummary | undefined => {
  const { feedback, comment, judged_at: judgedAt } = row;
  return readSummary({
    id: row.id,
    asked_at: moment(row.asked_at),
    question: row.question,
    verdict: row.verdict,
    confidence: row.confidence,
    interface: row.interface,
    edition: row.edition,
    asked_by: row.asked_by,
    librarians: readStored(z.array(z.string()), row.librarians) ?? [],
    ...(row.understood_as === null ? {} : { understood_as: row.understood_as }),
    ...(row.intent === null ? {} : { intent: row.intent }),
    ...(row.conversation === null ? {} : { conversation_id: row.conversation }),
    ...(row.person === null ? {} : { person_id: row.person }),
    duration_ms: row.duration_ms,
    tokens: row.tokens,
    cost_usd: row.cost_micros / MICROS,
    cached: row.cached === 1,
    ...(row.code === null ? {} : { code: row.code }),
    feedback:
      feedback === null || judgedAt === null
        ? null
        : { value: feedback, ...(comment === null ? {} : { comment }), at: moment(judgedAt) },
  });
};

const readSummary = (summary: unknown): AnswerSummary | undefined => {
  const read = AnswerSummary.safeParse(summary);
  return read.success ? read.data : undefined;
};

const moment = (ms: number): string => new Date(ms).toISOString();

const erasureOf = ({
  person_id: person,
  conversation_id: conversation,
  before,
}: AnswersErasureQuery): [string, SqlValue] => {
  if (person !== undefined) return ['person = ?', person];
  if (conversation !== undefined) return ['conversation = ?', conversation];
  return ['asked_at < ?', Date.parse(before ?? '')];
};
