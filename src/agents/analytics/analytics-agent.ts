import { CodedError, DataSourceError, errorInfoOf } from '../../runtime/error-info-of.ts';
import { type Log, logLine } from '../../runtime/log.ts';
import { type SqlDatabase, SqlUnavailable } from '../../storage/sql-database.ts';
import type { Agent, AgentCall } from '../agent.ts';
import { AgentResponse } from '../agent-response.ts';
import type { Catalogue, NamedQuestion } from './catalogue.ts';
import { checkColumns } from './check-columns.ts';
import { checkCurrencies } from './check-currencies.ts';
import type { Checked } from './checked.ts';
import { createComposer } from './compose-question.ts';
import { describeRows } from './describe-rows.ts';
import { findAnswer } from './find-answer.ts';
import type { FoundName } from './find-names.ts';
import { interpretRows, originOf } from './interpret-rows.ts';
import { createKnownNames } from './known-names.ts';
import { type MatchOutcome, MIN_SCORE, type QuestionMatch } from './match-question.ts';
import { proposeSql, type Rejected } from './propose-sql.ts';
import { indexQuestions } from './question-index.ts';
import { readQuestion } from './read-question.ts';
import { type RunLimits, runSql, type Table } from './run-sql.ts';
import { createSqlGate, type GatedSql, type Submission } from './sql-gate.ts';
import { showSql } from './sql-literal.ts';

export interface AnalyticsParts {
  database: SqlDatabase;
  catalogue: Catalogue;
  /** The workspace that the database belongs to. */
  workspace: string;
  now?: (() => number) | undefined;
  log?: Log | undefined;
}

/**
 * Answers questions from a database: with a model by a statement that it proposes, else, or when no proposal passes the gate, by
 * the catalogue's named question that asks the same. Every statement passes the gate before it runs.
 *
 * It throws NOT_FOUND, with named questions as a suggestion, when neither can answer; UNAUTHORIZED for other workspaces.
 */
export const createAnalyticsAgent = ({
  database,
  catalogue,
  workspace,
  now = Date.now,
  log = logLine,
}: AnalyticsParts): Agent => {
  const gate = createSqlGate({ database, tables: catalogue.tables.map(({ name }) => name), now });
  const index = indexQuestions(catalogue);
  const compose = catalogue.composed && createComposer(catalogue.composed);
  const ask: Ask = async ({ sql, ...submission }, limits) => {
    const gated = await gate.judge(sql, submission);
    if (!gated.ok) return gated;
    const table = await runSql(database, gated.value, limits);
    const columns = checkColumns(table.columns);
    return columns.ok ? { ok: true, value: { gated: gated.value, table } } : columns;
  };
  const askOurs = async (statement: Statement, limits: RunLimits) =>
    ours(await ask({ ...statement, isOurs: true }, limits));
  const namesFor = createKnownNames(catalogue, {
    ask: async (sql) => (await askOurs({ sql, maxRows: MAX_NAMES }, NAMES_LIMITS)).table,
    report: (error) => errorInfoOf(error, { librarian: 'analytics', where: 'names', log, now: now() }),
    now,
  });
  const fromCatalogue: Agent = async (query, call) => {
    const names = await namesFor();
    const asked = readQuestion(query, { names, now: now() });
    const outcome = findAnswer(asked, { index, compose });
    if (!outcome.ok) {
      const { missing } = outcome;
      throw notFound(outcome, missing?.kind === 'name' ? (asked.similar[missing.list]?.names ?? []) : []);
    }
    const { question, values } = outcome.match;
    const answered = await askOurs({ sql: question.sql, values }, call);
    return namedAnswer(query, { match: outcome.match, names: asked.names, answered, now: now() });
  };
  return async (query, call) => {
    if (call.scope.context.workspace !== workspace) throw otherWorkspace();
    try {
      const proposed = await fromModel(query, call, { ask, catalogue, now: now() });
      return proposed ?? (await fromCatalogue(query, call));
    } catch (error) {
      throw error instanceof SqlUnavailable ? new DataSourceError(error.message, { cause: error.cause }) : error;
    }
  };
};

/** A statement that has run. */
interface Answered {
  gated: GatedSql;
  table: Table;
}

interface Statement extends Submission {
  sql: string;
}

type Ask = (statement: Statement, limits: RunLimits) => Promise<Checked<Answered>>;

const MAX_NAMES = 5000;
/** Names are kept for the next questions: that the one who caused their reading has gone ends it not. */
const NAMES_LIMITS: RunLimits = { signal: new AbortController().signal, timeoutMs: 2000, maxLength: 1_200_000 };

/** A statement of the catalogue that the gate refuses is a fault of the catalogue. */
const ours = (answered: Checked<Answered>): Answered => {
  if (answered.ok) return answered.value;
  throw new DataSourceError(
    `the catalogue has a statement that the gate refuses: ${answered.reason} ${answered.hint ?? ''}`,
  );
};

const ATTEMPTS = 2;
/** A statement that a model wrote is as right as the model. */
const MODEL_CONFIDENCE = 0.7;

const fromModel = async (
  query: string,
  call: AgentCall,
  { ask, catalogue, now }: { ask: Ask; catalogue: Catalogue; now: number },
) => {
  let rejected: Rejected | undefined;
  for (let attempt = 0; attempt < ATTEMPTS && call.ai !== undefined; attempt++) {
    // A model that is down or talks nonsense leaves the question to the catalogue.
    const sql = await proposeSql(call.ai, query, { catalogue, now, signal: call.signal, rejected }).catch(
      () => undefined,
    );
    if (sql === undefined) return undefined;
    const currencies = checkCurrencies(sql, catalogue);
    const answered = currencies.ok ? await orFailed(() => ask({ sql }, half(call)), call.signal) : currencies;
    if (answered === undefined) return undefined;
    if (!answered.ok) {
      rejected = { sql, refusal: answered };
      continue;
    }
    const { gated, table } = answered.value;
    const interpretation = `${describeRows(table)} ${originOf(gated.tables, now)}`;
    return analyticsAnswer(query, { answered: answered.value, interpretation, confidence: MODEL_CONFIDENCE })
      .setMetadata({ statement_by: 'model', model: call.ai.model, truncated: table.truncated })
      .toArray();
  }
  return undefined;
};

/** The catalogue needs time as well. */
const half = ({ signal, timeoutMs }: AgentCall): RunLimits => ({ signal, timeoutMs: Math.floor(timeoutMs / 2) });

/** A model's statement that passes and then fails, or takes too long, leaves the question to the catalogue while there is time. */
const orFailed = async <T>(run: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> => {
  try {
    return await run();
  } catch (error) {
    const isOfTheStatement = error instanceof CodedError && LEFT_TO_THE_CATALOGUE.has(error.code);
    if (signal.aborted || !(isOfTheStatement || error instanceof SqlUnavailable)) throw error;
    return undefined;
  }
};

const LEFT_TO_THE_CATALOGUE: ReadonlySet<string> = new Set(['DATA_SOURCE_ERROR', 'TIMEOUT']);

const namedAnswer = (
  query: string,
  {
    match,
    names,
    answered,
    now,
  }: { match: QuestionMatch; names: readonly FoundName[]; answered: Answered; now: number },
) => {
  const { question, told, score } = match;
  const { gated, table } = answered;
  const said = interpretRows(table, { reading: question.reading, told });
  const guessed = guessesIn(names);
  const interpretation = `${guessed}${said} ${originOf(gated.tables, now)}`;
  const confidence = guessed === '' ? confidenceOf(score) : Math.min(GUESSED_CONFIDENCE, confidenceOf(score));
  return analyticsAnswer(query, { answered, interpretation, confidence })
    .setMetadata({
      statement_by: 'catalogue',
      named_question: question.name,
      parameters: told,
      truncated: table.truncated,
      ...entityOf(question, table),
    })
    .toArray();
};

/** When a product was taken for one whose size the question does not name. */
const GUESSED_CONFIDENCE = 0.7;

const guessesIn = (found: readonly FoundName[]): string =>
  found
    .filter(({ beginning }) => beginning !== undefined)
    .map(({ beginning, names }) => `I took "${beginning}" for ${Object.values(names).join(' or ')}. `)
    .join('');

const analyticsAnswer = (
  query: string,
  {
    answered: { gated, table },
    interpretation,
    confidence,
  }: { answered: Answered; interpretation: string; confidence: number },
) =>
  AgentResponse.success('analytics', query)
    .setResult({
      sql_query: showSql(gated.statement),
      columns: table.columns,
      rows: table.rows,
      row_count: table.rows.length,
      interpretation,
    })
    .setSourceAttribution(AgentResponse.createAnalyticsSourceAttribution(gated.tables, confidence));

/** The score of a match as a chance: 0.6 at the threshold, 0.95 when the question is one of the examples. */
const confidenceOf = (score: number): number =>
  Math.round((0.6 + 0.35 * Math.min(1, (score - MIN_SCORE) / (1 - MIN_SCORE))) * 100) / 100;

const entityOf = ({ entity }: NamedQuestion, { rows }: Table) => {
  const id = entity && rows[0]?.[entity.column];
  return Number.isSafeInteger(id) ? { entity_type: entity?.type, entity_id: Number(id) } : {};
};

const MAX_SIMILAR = 5;

/** What the caller can do: ask one of the named questions, or name what was missing. */
const notFound = ({ close, missing }: Extract<MatchOutcome, { ok: false }>, similar: readonly string[]): CodedError => {
  const examples = close.map(({ examples: [example = ''] }) => `"${example}"`);
  const needs = missing === undefined ? '' : `Name the ${missing.name}${like(similar)}. `;
  const suggestion = `${needs}${
    examples.length > 0
      ? `Questions that can be answered: ${examples.join(', ')}`
      : 'Ask about products, stock, orders, revenue or customers in one short sentence'
  }`;
  const message =
    missing === undefined
      ? 'Cannot answer: none of the questions known for this database asks that'
      : `Cannot answer: the question does not name a known ${missing.name}`;
  const details = { named_questions: close.map(({ name }) => name) };
  return new CodedError('NOT_FOUND', 'no named question matches', { told: { message, suggestion, details } });
};

const like = (similar: readonly string[]): string =>
  similar.length === 0 ? '' : `, such as ${similar.slice(0, MAX_SIMILAR).join(', ')}`;

const otherWorkspace = (): CodedError =>
  new CodedError('UNAUTHORIZED', 'the database belongs to another workspace', {
    told: {
      message: 'Cannot answer: this database belongs to another workspace',
      suggestion: 'Ask with a context of the workspace that the database belongs to',
    },
  });
