import { type AnswerPhrases, answerPhrases, filled } from '../../answering/write/answer-phrases.ts';
import { AGENT_OPTIONS } from '../../contract/wire/agent-response.ts';
import { errorInfoOf } from '../../platform/context/error-info-of.ts';
import { CodedError, DataSourceError } from '../../platform/http/coded-error.ts';
import { withDeadline } from '../../platform/http/deadline.ts';
import { type Log, logLine } from '../../platform/log.ts';
import { type SqlDatabase, SqlUnavailable } from '../../platform/storage/sql-database.ts';
import { type Agent, readOptions } from '../agents/agent.ts';
import { type AgentServeOptions, serveAgent } from '../agents/serve-agent.ts';
import { answerFromModel } from './answer-from-model.ts';
import { type Catalogue, type NamedQuestion, storedCatalogue } from './catalogue.ts';
import { type Executed, executor, responseFor, type Statement } from './execute-sql.ts';
import type { FoundName } from './find-names.ts';
import {
  indexQuestions,
  type MatchOutcome,
  MIN_SCORE,
  matchQuestion,
  type QuestionMatch,
} from './match-question.ts';
import { createNameLists } from './name-lists.ts';
import { parseQuestion } from './parse-question.ts';
import EXAMPLES from './question-examples.json' with { type: 'json' };
import { interpretRows, originOf, type RunLimits, type Table } from './run-sql.ts';
import { createSqlGate } from './sql-gate.ts';
import type { Checked } from './sql-text.ts';

interface AnalyticsParts {
  database: SqlDatabase;
  /** Its result is `undefined` when there is none. */
  catalogueOf: () => Promise<Catalogue | undefined>;
  /** The workspace that the database belongs to. */
  workspace: string;
  now?: (() => number) | undefined;
  log?: Log | undefined;
}

/**
 * Answers questions from a database: with the named question of the catalogue when it surely asks the same; otherwise with a statement that
 * a model proposes, in half of the time; and with the named question that probably asks the same when there is no model, or its statement
 * fails. Every statement passes the gate before it runs.
 *
 * The agent throws NOT_FOUND, with named questions as a suggestion, when neither can answer; UNAUTHORIZED for other workspaces;
 * SERVICE_UNAVAILABLE without a catalogue.
 */
const createAnalyticsAgent = ({
  database,
  catalogueOf,
  workspace,
  now = Date.now,
  log = logLine,
}: AnalyticsParts): Agent => {
  let current: { catalogue: Catalogue; answer: Agent } | undefined;
  return async (query, call) => {
    if (call.scope.context.workspace !== workspace) throw otherWorkspace();
    readOptions(AGENT_OPTIONS.analytics, call.options);
    call.progress?.({ type: 'searching' });
    try {
      const reason = 'the catalogue was not read in time';
      const catalogue = await withDeadline(catalogueOf, { signal: call.signal, reason });
      if (catalogue === undefined) throw noCatalogue();
      if (current?.catalogue !== catalogue) {
        current = { catalogue, answer: answererFor(catalogue, { database, now, log }) };
      }
      return await current.answer(query, call);
    } catch (error) {
      throw error instanceof SqlUnavailable
        ? new DataSourceError(error.message, { cause: error.cause })
        : error;
    }
  };
};

const answererFor = (
  catalogue: Catalogue,
  { database, now, log }: { database: SqlDatabase; now: () => number; log: Log },
): Agent => {
  const gate = createSqlGate({ database, tables: catalogue.tables.map(({ name }) => name), now });
  const index = indexQuestions(catalogue);
  const execute = executor({ gate, database });
  const executeTrusted = async (statement: Statement, limits: RunLimits) =>
    acceptedOrThrow(await execute({ ...statement, isTrusted: true }, limits));
  const currentNames = createNameLists(catalogue, {
    ask: async (sql) => (await executeTrusted({ sql, maxRows: MAX_NAMES }, NAMES_LIMITS)).table,
    report: (error) =>
      errorInfoOf(error, { librarian: 'analytics', where: 'names', log, now: now() }),
    now,
  });
  return async (query, call) => {
    const parsed = parseQuestion(query, { names: await currentNames(), now: now() });
    const outcome = matchQuestion(index, parsed);
    const isSure = outcome.ok && outcome.match.score >= SURE_SCORE;
    const proposed = isSure
      ? undefined
      : await answerFromModel(query, call, { execute, catalogue, now: now() });
    if (proposed !== undefined) return proposed;
    if (!outcome.ok) {
      const { missing } = outcome;
      const similar = missing?.kind === 'name' ? (parsed.similar[missing.list]?.names ?? []) : [];
      throw notFound(outcome, { similar, questions: catalogue.questions });
    }
    const { question, values } = outcome.match;
    const executed = await executeTrusted({ sql: question.sql, values }, call);
    const phrases = answerPhrases(call.language);
    return catalogueResponse(query, {
      match: outcome.match,
      names: parsed.names,
      executed,
      now: now(),
      phrases,
    });
  };
};

const MAX_NAMES = 5000;
/** Names are cached for later questions, so that reading them does not stop when the first caller goes away. */
const NAMES_LIMITS: RunLimits = {
  signal: new AbortController().signal,
  timeoutMs: 2000,
  maxLength: 1_200_000,
};

const acceptedOrThrow = (executed: Checked<Executed>): Executed => {
  if (executed.ok) return executed.value;
  throw new DataSourceError(
    `the gate refuses a statement of the catalogue: ${executed.reason} ${executed.hint ?? ''}`,
  );
};

/** From this score on a named question is taken before a model is asked. */
const SURE_SCORE = 0.9;
interface CatalogueAnswer {
  match: QuestionMatch;
  names: readonly FoundName[];
  executed: Executed;
  now: number;
  phrases: AnswerPhrases;
}

const catalogueResponse = (
  query: string,
  { match, names, executed, now, phrases }: CatalogueAnswer,
) => {
  const { question, labels, score } = match;
  const { table } = executed;
  const assumptions = assumptionsIn(names, phrases);
  const answer = interpretRows(table, { reading: question.reading, labels });
  const interpretation = `${assumptions}${answer} ${originOf(now, phrases)}`;
  const confidence = Math.min(confidenceOf(score), assumptions === '' ? 1 : ASSUMED_CONFIDENCE);
  return responseFor(query, { executed, interpretation, confidence })
    .setMetadata({
      statement_by: 'catalogue',
      named_question: question.name,
      parameters: labels,
      truncated: table.truncated,
      classification_reasoning: [
        `The named question ${question.name} asks the same, with a score of ${score}`,
      ],
      cache_hit: false,
      ...entityOf(question, table),
    })
    .toArray();
};

/** Used when the question omits the size of a product. */
const ASSUMED_CONFIDENCE = 0.7;

const assumptionsIn = (found: readonly FoundName[], { tookFor, or }: AnswerPhrases): string =>
  found
    .filter(({ beginning }) => beginning !== undefined)
    .map(({ beginning = '', names }) => {
      const named = Object.values(names).map(String).join(` ${or} `);
      return `${filled(tookFor, { words: beginning, names: named })} `;
    })
    .join('');

/** 0.6 at the threshold, 0.95 when the question equals an example. */
const confidenceOf = (score: number): number =>
  Math.round((0.6 + 0.35 * Math.min(1, (score - MIN_SCORE) / (1 - MIN_SCORE))) * 100) / 100;

/** What the answer is about, unless it is about several. */
const entityOf = ({ entity }: NamedQuestion, { rows }: Table) => {
  const [id, ...others] = new Set(rows.map((row) => entity && row[entity.column]));
  return Number.isSafeInteger(id) && others.length === 0
    ? { entity_type: entity?.type, entity_id: Number(id) }
    : {};
};

const MAX_SIMILAR = 5;

/** Questions that are suggested where none is similar. */
const MAX_EXAMPLES = 3;

/** Suggests named questions, or the value that is missing. */
const notFound = (
  { nearest, missing }: Extract<MatchOutcome, { ok: false }>,
  { similar, questions }: { similar: readonly string[]; questions: readonly NamedQuestion[] },
): CodedError => {
  const such = similar.length === 0 ? '' : `, such as ${similar.slice(0, MAX_SIMILAR).join(', ')}`;
  const usual = questions
    .filter(({ parameters }) => parameters.length === 0)
    .slice(0, MAX_EXAMPLES);
  const suggested = nearest.length > 0 ? nearest : usual;
  const examples = suggested.map(({ examples: [example = ''] }) => `"${example}"`);
  const suggestion = [
    ...(missing === undefined ? [] : [`Name the ${missing.name}${such}.`]),
    examples.length > 0
      ? `Questions that can be answered: ${examples.join(', ')}`
      : 'Ask for one figure or list in one short sentence',
  ].join(' ');
  const message =
    missing === undefined
      ? 'Cannot answer: none of the questions known for this database asks that'
      : `Cannot answer: the question does not name a known ${missing.name}`;
  const details = { named_questions: nearest.map(({ name }) => name) };
  return new CodedError('NOT_FOUND', 'no named question matches', {
    reported: { message, suggestion, details },
  });
};

const otherWorkspace = (): CodedError =>
  new CodedError('UNAUTHORIZED', 'the database belongs to another workspace', {
    reported: {
      message: 'Cannot answer: this database belongs to another workspace',
      suggestion: 'Ask with a context of the workspace that the database belongs to',
    },
  });

const noCatalogue = (): CodedError =>
  new CodedError('SERVICE_UNAVAILABLE', 'the database has no catalogue', {
    reported: {
      message: 'Cannot answer from business data: the database has no catalogue',
      suggestion: 'Store a catalogue in the database of the analytics function',
      recoverable: false,
    },
  });

interface AnalyticsAppOptions extends Omit<AgentServeOptions, 'unavailable'> {
  /** When it is absent or holds no catalogue, every question fails with SERVICE_UNAVAILABLE. */
  database: SqlDatabase | undefined;
  /** The workspace that the database belongs to. */
  workspace: string;
}

/** `POST /librarians/analytics/ask`, `GET /librarians/analytics` and `POST /v1/agents/analytics`. */
export function createApp({ database, workspace, ...options }: AnalyticsAppOptions) {
  if (database === undefined) {
    return serveAgent(withoutDatabase, PROFILE, {
      ...options,
      unavailable: async () => 'No database is set up',
    });
  }
  const { now = Date.now, log } = options;
  const catalogueOf = storedCatalogue(database, { now });
  const agent = createAnalyticsAgent({ database, catalogueOf, workspace, now, log });
  return serveAgent(agent, PROFILE, {
    ...options,
    unavailable: async () => missingData(database, await catalogueOf()),
  });
}

const PROFILE = {
  type: 'analytics' as const,
  info: {
    id: 'analytics',
    name: 'Analytics',
    description:
      "Counts, sums and ranks the shop's own business data in its database: stock and inventory by warehouse, products and their own prices, orders, revenue, sales and customers, over any period.",
    capabilities: ['sql:read'],
    examples: EXAMPLES,
  },
};

const withoutDatabase: Agent = async () => {
  throw new CodedError('SERVICE_UNAVAILABLE', 'no database is bound as SHOP_DB', {
    reported: {
      message: 'Cannot answer from business data: no database is set up',
      suggestion: 'Bind a database as SHOP_DB of the analytics function',
      recoverable: false,
    },
  });
};

/** What the database lacks for answering questions; `undefined` when it is complete. */
const missingData = async (
  database: SqlDatabase,
  catalogue: Catalogue | undefined,
): Promise<string | undefined> => {
  if (catalogue === undefined) return 'The database has no catalogue';
  const { rows } = await database.run({
    sql: "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')",
  });
  const present = new Set(rows.map(([name]) => name));
  return catalogue.tables.every(({ name }) => present.has(name))
    ? undefined
    : 'The database lacks its tables';
};
