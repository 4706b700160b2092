import * as z from 'zod';
import {
  type AnswerInterface,
  type AnswerStatistics,
  type AnswerStatisticsQuery,
  type AnswerVerdict,
  MAX_BUCKETS,
  MAX_CITED_ARTICLES,
} from '../../contract/wire/answers.ts';
import type { QuestionCounts } from '../../contract/wire/overview.ts';
import { readStored, type Sql, type SqlValue } from '../../platform/storage/sql.ts';

/** The time of a request for statistics, in milliseconds since 1970, in whole buckets. */
export interface StatisticsRange {
  fromMs: number;
  /** Excluded. */
  toMs: number;
  bucketMs: number;
}

const DAY_MS = 86_400_000;
const BUCKET_MS = { hour: 3_600_000, day: DAY_MS };
const DAYS = 30;

/** The whole buckets that a query covers; a text that says what is wrong with its time. */
export function rangeOf(
  { from, to, bucket }: AnswerStatisticsQuery,
  now: number,
): StatisticsRange | string {
  const end = to === undefined ? now + 1 : Date.parse(to);
  const start = from === undefined ? end - DAYS * DAY_MS : Date.parse(from);
  const bucketMs = BUCKET_MS[bucket];
  const fromMs = Math.floor(start / bucketMs) * bucketMs;
  const toMs = Math.ceil(end / bucketMs) * bucketMs;
  if (fromMs >= toMs) return 'from is not before to';
  const count = (toMs - fromMs) / bucketMs;
  return count > MAX_BUCKETS
    ? `the time has ${count} buckets, more than ${MAX_BUCKETS}`
    : { fromMs, toMs, bucketMs };
}

const NO_VERDICTS: Readonly<Record<AnswerVerdict, number>> = {
  answered: 0,
  hedged: 0,
  declined: 0,
  clarifying: 0,
  closes: 0,
  person: 0,
  error: 0,
};

const STAGES = {
  total: 'duration_ms',
  understanding: 'understanding_ms',
  routing: 'routing_ms',
  answering: 'answering_ms',
  first_statement: 'first_statement_ms',
} as const;

/**
 * Counts answers for charts.
 *
 * @param where Condition on the table `answers` with its values, the time included.
 */
export function statisticsOf(
  sql: Sql,
  where: { sql: string; values: readonly SqlValue[] },
  { fromMs, toMs, bucketMs }: StatisticsRange,
): AnswerStatistics {
  const rows = <Row extends Record<string, SqlValue>>(
    select: string,
    ...values: SqlValue[]
  ): Row[] =>
    sql.all<Row>(
      select.replace('$where', () => where.sql),
      ...values,
      ...where.values,
    );
  const counted = rows<{ bucket: number; verdict: AnswerVerdict; total: number } & Sums>(
    `SELECT ${BUCKET} AS bucket, verdict, count(*) AS total, sum(tokens) AS tokens, sum(cost_micros) AS micros,
      sum(cached) AS cached, ${OPINIONS} FROM answers WHERE $where GROUP BY 1, 2`,
    ...[fromMs, bucketMs],
  );
  const byBucket = Map.groupBy(counted, ({ bucket }) => bucket);
  const timed = rows<{ bucket: number } & Counted>(
    `SELECT ${BUCKET} AS bucket, ${STAGES.total} AS value, count(*) AS total FROM answers WHERE $where
      GROUP BY 1, 2 ORDER BY 1, 2`,
    ...[fromMs, bucketMs],
  );
  const timesByBucket = Map.groupBy(timed, ({ bucket }) => bucket);
  const buckets = Array.from({ length: (toMs - fromMs) / bucketMs }, (_, index) => {
    const at = fromMs + index * bucketMs;
    const its = byBucket.get(index) ?? [];
    return {
      from: moment(at),
      to: moment(at + bucketMs),
      total: sumOf(its, 'total'),
      verdicts: verdictsOf(its),
      tokens: sumOf(its, 'tokens'),
      cost_usd: sumOf(its, 'micros') / MICROS,
      cached: sumOf(its, 'cached'),
      feedback: { up: sumOf(its, 'up'), down: sumOf(its, 'down') },
      latency: percentilesOf(timesByBucket.get(index) ?? []),
    };
  });
  const percentiles = (column: string): Percentiles =>
    percentilesOf(
      rows<Counted>(
        `SELECT ${column} AS value, count(*) AS total FROM answers WHERE ${column} IS NOT NULL AND $where GROUP BY 1 ORDER BY 1`,
      ),
    );
  const histogram = rows<Tenth>(
    `SELECT min(9, CAST(confidence * 10 + 1e-9 AS INTEGER)) AS tenth, count(*) AS total, ${OPINIONS},
      count(*) FILTER (${JUDGED}) AS judged, count(*) FILTER (${JUDGED} AND feedback = 'up') AS correct, avg(confidence) FILTER (${JUDGED}) AS stated
      FROM answers WHERE confidence IS NOT NULL AND $where GROUP BY 1`,
  );
  const kinds = rows<Kind>(
    `SELECT librarians, interface, intent, verdict, count(*) AS total FROM answers WHERE $where GROUP BY 1, 2, 3, 4`,
  );
  const grouped = (namesOf: (kind: Kind) => readonly string[], limit: number) => {
    const named = kinds.flatMap((kind) => namesOf(kind).map((name) => ({ ...kind, name })));
    return [...Map.groupBy(named, ({ name }) => name)]
      .map(([name, its]) => ({ name, total: sumOf(its, 'total'), verdicts: verdictsOf(its) }))
      .sort((one, other) => other.total - one.total)
      .slice(0, limit);
  };
  return {
    from: moment(fromMs),
    to: moment(toMs),
    total: sumOf(buckets, 'total'),
    buckets,
    latency: {
      total: percentiles(STAGES.total),
      understanding: percentiles(STAGES.understanding),
      routing: percentiles(STAGES.routing),
      answering: percentiles(STAGES.answering),
      first_statement: percentiles(STAGES.first_statement),
    },
    confidence: Array.from({ length: 10 }, (_, tenth) => {
      const { total, up, down, judged, correct, stated } =
        histogram.find((each) => each.tenth === tenth) ?? NO_TENTH;
      const feedback = { up, down };
      const range = { from: tenth / 10, to: (tenth + 1) / 10 };
      return {
        ...range,
        total,
        feedback,
        judged: { total: judged, right: correct, confidence: stated },
      };
    }),
    librarians: grouped((kind) => readStored(z.array(z.string()), kind.librarians) ?? [], 100).map(
      ({ name: librarian, ...rest }) => ({ librarian, ...rest }),
    ),
    // Written by this store.
    interfaces: grouped((kind) => [kind.interface], 20).map(({ name, ...rest }) => ({
      interface: name as AnswerInterface,
      ...rest,
    })),
    intents: grouped(({ intent }) => (intent === null ? [] : [intent]), 200).map(
      ({ name: intent, ...rest }) => ({
        intent,
        ...rest,
      }),
    ),
    articles: rows<AnswerStatistics['articles'][number]>(
      `SELECT cited.key AS article, max(cited.value) AS title, count(*) AS total,
          count(*) FILTER (WHERE verdict = 'hedged') AS hedged, count(*) FILTER (WHERE feedback = 'down') AS down FROM answers, json_each(articles) AS cited WHERE $where
        GROUP BY 1 ORDER BY 3 DESC, 1 LIMIT ${MAX_CITED_ARTICLES}`,
    ),
  };
}

/** Number of the bucket of an answer, from 0; begins with the first bucket's time. */
const BUCKET = 'CAST((asked_at - ?) / ? AS INTEGER)';

/** Answers of some days: by outcome, by interface, and those that somebody found unhelpful. */
export type AnswerCounts = z.infer<typeof QuestionCounts>;

/** Counts the answers of each bucket of a time, oldest first, in one pass: statistics take many. */
export function countsOf(
  sql: Sql,
  where: { sql: string; values: readonly SqlValue[] },
  { fromMs, toMs, bucketMs }: StatisticsRange,
): AnswerCounts[] {
  const rows = sql.all<
    { bucket: number; interface: AnswerInterface; verdict: AnswerVerdict; total: number } & Opinions
  >(
    `SELECT ${BUCKET} AS bucket, interface, verdict, count(*) AS total, ${OPINIONS} FROM answers WHERE ${where.sql} GROUP BY 1, 2, 3`,
    ...[fromMs, bucketMs, ...where.values],
  );
  const byBucket = Map.groupBy(rows, ({ bucket }) => bucket);
  return Array.from({ length: Math.round((toMs - fromMs) / bucketMs) }, (_, index) => {
    const its = byBucket.get(index) ?? [];
    const interfaces = [...Map.groupBy(its, (row) => row.interface)].map(([name, own]) => ({
      interface: name,
      total: sumOf(own, 'total'),
      verdicts: verdictsOf(own),
    }));
    return {
      total: sumOf(its, 'total'),
      verdicts: verdictsOf(its),
      disliked: sumOf(its, 'down'),
      interfaces: interfaces.toSorted((one, other) => other.total - one.total),
    };
  });
}

const MICROS = 1_000_000;

interface Counted extends Record<string, SqlValue> {
  value: number;
  /** Answers with this value. */
  total: number;
}

type Percentiles = AnswerStatistics['latency']['total'];

/** @param values In ascending order. */
const percentilesOf = (values: readonly Counted[]): Percentiles => {
  const count = sumOf(values, 'total');
  const at = (share: number): number => {
    let seen = 0;
    for (const { value, total } of values) {
      seen += total;
      if (seen >= count * share) return value;
    }
    return 0;
  };
  return count === 0 ? null : { count, p50: at(0.5), p90: at(0.9), p99: at(0.99) };
};

type Verdicts = Record<AnswerVerdict, number>;

interface Kind extends Record<string, SqlValue> {
  /** JSON. */
  librarians: string;
  interface: string;
  intent: string | null;
  verdict: AnswerVerdict;
  total: number;
}

interface Opinions extends Record<string, SqlValue> {
  up: number;
  down: number;
}

/** Answers whose confidence is in one tenth. */
interface Tenth extends Opinions {
  tenth: number;
  total: number;
  judged: number;
  correct: number;
  /** Mean confidence of the judged ones. */
  stated: number | null;
}

const NO_TENTH = { total: 0, up: 0, down: 0, judged: 0, correct: 0, stated: null };

interface Sums extends Opinions {
  tokens: number;
  micros: number;
  cached: number;
}

const OPINIONS =
  "count(*) FILTER (WHERE feedback = 'up') AS up, count(*) FILTER (WHERE feedback = 'down') AS down";

const JUDGED = "WHERE feedback IS NOT NULL AND verdict IN ('answered', 'hedged')";

const sumOf = <Name extends string>(rows: readonly Record<Name, number>[], name: Name): number =>
  rows.reduce((sum, row) => sum + row[name], 0);

const verdictsOf = (rows: readonly { verdict: AnswerVerdict; total: number }[]): Verdicts => {
  const counts = { ...NO_VERDICTS };
  for (const { verdict, total } of rows) counts[verdict] += total;
  return counts;
};

const moment = (ms: number): string => new Date(ms).toISOString();
