import type { Context as HonoContext } from 'hono';
import * as z from 'zod';
import { History } from '../../answering/understand/recent-turns.ts';
import { ASKER_LANGUAGE, languageOfAsker } from '../../answering/write/answer-phrases.ts';
import { rounded } from '../../answering/write/cite-sources.ts';
import type { NavigatorAnswer } from '../../answering/write/navigator-answer.ts';
import { ASKER_FACTS, AskerFacts, NavigateRequest } from '../../contract/core/ask.ts';
import { readAs } from '../../contract/core/error-info.ts';
import type { Context, Librarian, LibrarianInfo } from '../../contract/core/librarian.ts';
import { Query } from '../../contract/core/names.ts';
import { isUnsure, type LibrarianResponse } from '../../contract/core/response.ts';
import { ASK_ROUTES } from '../../contract/routes/ask.ts';
import { type EditionScope, freshFor } from '../../knowledge/edition/current-edition.ts';
import type { Edition } from '../../knowledge/edition/open-edition.ts';
import { waitUntilOf } from '../../platform/concurrency.ts';
import { covers } from '../../platform/context/capabilities.ts';
import { faultHandler, type GuardedEnv } from '../../platform/context/context-guard.ts';
import { errorInfo, errorInfoOf } from '../../platform/context/error-info-of.ts';
import { requestBudget } from '../../platform/context/limits.ts';
import { budgetedModel, settleModel } from '../../platform/context/model-budget.ts';
import type { RequestScope } from '../../platform/context/request-scope.ts';
import { timeToAnswer, withDeadline } from '../../platform/http/deadline.ts';
import { type Reporting, reportedBy, withProgress } from '../../platform/http/progress.ts';
import { type Log, logLine } from '../../platform/log.ts';
import { mountRoutes } from '../../platform/serve/mount-routes.ts';
import type { Librarians } from '../delegation/librarian-directory.ts';
import { type ServeOptions, serveLibrarian } from '../serve/serve-librarian.ts';
import {
  type AnswerMetadata,
  answerQuestion,
  type QuestionOptions,
  searchesFor,
} from './answer-question.ts';
import examples from './question-examples.json' with { type: 'json' };
import type { OtherLibrarians } from './whom-to-ask.ts';

interface NavigatorParts
  extends Pick<QuestionOptions, 'retrieve' | 'reranker' | 'wordVectors' | 'waitUntil'> {
  /**
   * The current edition of the user's knowledge base, or the one that `metadata.edition` names, if the user may read older ones; throws
   * when there is none.
   */
  readEdition: (
    named: string | undefined,
    search: Pick<EditionScope, 'fresh' | 'searches' | 'indexMs'>,
  ) => Promise<Edition>;
  /** Librarians that may be named as the ones to ask; none when absent. */
  others?: (() => Promise<OtherLibrarians>) | undefined;
  log?: Log | undefined;
  now?: (() => number) | undefined;
}

/**
 * The navigator as a librarian: grounded answers from one knowledge base, with the full response of the navigator contract under
 * `metadata.navigator`.
 *
 * It reads `history` (previous turns), `language` (of the conversation), `devices` (that the user has) and `asker_facts` (what is known
 * about the user) from `context.metadata`. If the context has a model, the model answers, with quotes as the fallback (docs/navigator.md).
 */
export function createNavigator(parts: NavigatorParts): Librarian {
  return async (query, context) => {
    const { log = logLine, now = Date.now } = parts;
    const untilMs = now() + (context?.timeout ?? DEFAULT_TIMEOUT_MS);
    try {
      const question = readAs(Query, query);
      if (!question.ok)
        return {
          error: errorInfo('INVALID_QUERY', {
            librarian: 'navigator',
            message: `Cannot answer: the query ${question.issues[0]?.message}`,
          }),
        };
      const edition = readAs(EditionId, context?.metadata?.edition);
      const { answer, metadata } = await answerWith(parts, question.value, {
        ...optionsOf(question.value, context),
        timeLeftMs: () => untilMs - now(),
        edition: edition.ok ? edition.value : undefined,
        ai: context?.ai,
        signal: context?.signal,
        progress: context?.progress,
        traceId: context?.trace?.traceId,
      });
      return asLibrarianResponse(answer, metadata);
    } catch (error) {
      return {
        error: errorInfoOf(error, {
          librarian: 'navigator',
          where: 'librarian',
          log,
          now: now(),
          traceId: context?.trace?.traceId,
        }),
      };
    }
  };
}

/** Used when the caller sends no timeout. */
const DEFAULT_TIMEOUT_MS = 30_000;

interface Asking extends QuestionOptions {
  /** Id of an older edition to read. */
  edition?: string | undefined;
  traceId: string | undefined;
}

/** Reads the edition, and answers from it. Logs each rule that the answer broke, which counts it (docs/production.md). */
const answerWith = async (
  { readEdition, others, log = logLine, now = Date.now, ...parts }: NavigatorParts,
  question: string,
  { edition: named, traceId, ...options }: Asking,
) => {
  let isStale = false;
  const fresh = freshFor(options.timeLeftMs(), () => {
    isStale = true;
  });
  const searches = () => searchesFor(question, options.history);
  const indexMs = options.timeLeftMs() / 2;
  const edition = await withDeadline(() => readEdition(named, { fresh, searches, indexMs }), {
    signal: options.signal,
    reason: 'the signal aborted before the edition was read',
  });
  const { answer, metadata } = await answerQuestion(edition, question, {
    ...options,
    retrieve: parts.retrieve,
    reranker: parts.reranker,
    wordVectors: parts.wordVectors,
    waitUntil: parts.waitUntil,
    others: await others?.(),
    onViolations: (violations) => {
      for (const { rule, outcome } of violations)
        log({
          event: 'violation',
          time: now(),
          librarian: 'navigator',
          rule,
          outcome,
          trace_id: traceId,
        });
    },
  });
  if (!isStale) return { answer, metadata };
  const degraded = [...(metadata.degraded ?? []), 'freshness' as const];
  return { answer, metadata: { ...metadata, degraded } };
};

/** The same answer as a librarian response. A declination counts as partial. */
export function asLibrarianResponse(
  answer: NavigatorAnswer,
  metadata: AnswerMetadata = {},
): LibrarianResponse {
  const { verdict, probability, sources } = answer;
  const { statements, ...response } = answer.response;
  const confidence = rounded(probability);
  const partial = verdict !== 'answer' || isUnsure(confidence);
  return {
    answer: response.answer,
    sources: sources.map((source) => ({ ...source })),
    confidence,
    ...(partial ? { partial } : {}),
    metadata: {
      navigator: response,
      ...(statements === undefined ? {} : { statements }),
      ...linksIn(answer),
      ...(verdict === 'underspecified' ? { clarifying: true } : {}),
      ...metadata,
    },
  };
}

/** The closest articles that are not cited. */
const linksIn = ({
  verdict,
  closest,
}: NavigatorAnswer): { closest?: NavigatorAnswer['closest'] } =>
  verdict === 'answer' && closest.length === 0
    ? {}
    : { closest: closest.map((article) => ({ ...article })) };

const EditionId = z.string().max(40).optional();
const Devices = z.array(z.string().min(1).max(100)).max(20);

/** Metadata comes from the caller: invalid members are ignored. */
const optionsOf = (
  question: string,
  context: Context | undefined,
): Pick<QuestionOptions, 'history' | 'devices' | 'facts' | 'explain' | 'language'> => {
  const history = readOr(History, context?.metadata?.history, []);
  const before = history.flatMap(({ speaker, text }) => (speaker === 'user' ? [text] : []));
  return {
    explain: context?.metadata?.explain === true,
    facts: readOr(AskerFacts, context?.metadata?.[ASKER_FACTS], []),
    history,
    devices: readOr(Devices, context?.metadata?.devices, []),
    language: languageOfAsker({ question, before, known: context?.metadata?.[ASKER_LANGUAGE] }),
  };
};

const readOr = <Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  otherwise: z.output<Schema>,
): z.output<Schema> => {
  if (value === undefined) return otherwise;
  const read = readAs(schema, value);
  return read.ok ? read.value : otherwise;
};

/** The navigator's description for people and librarians. */
const NAVIGATOR: LibrarianInfo = {
  id: 'navigator',
  name: 'Navigator',
  description:
    'Answers questions from the knowledge base with quotes that name their article and section, says how sure it is and why, and declines where nothing is written: how to set up, use, maintain and repair, what messages and settings mean, rules and policies.',
  capabilities: ['kb:read'],
  examples,
  readsHistory: true,
};

/** Needed to answer from an edition that was replaced, as a replay does: it may hold text that was deleted since. */
const OLDER_EDITIONS = 'kb:editions:read';

const NO_LIBRARIANS: readonly LibrarianInfo[] = [];

interface NavigatorAppOptions
  extends ServeOptions,
    Pick<QuestionOptions, 'retrieve' | 'reranker' | 'wordVectors'> {
  /** The current edition for a request, of the workspace in its verified context. Throws when there is none. */
  editionFor: (scope: EditionScope) => Promise<Edition>;
  /** Librarians that a question may be for instead; none when absent. */
  librarians?: Librarians | undefined;
}

/** `POST /librarians/navigator/ask`, `GET /librarians/navigator`, and `POST /v1/navigate` in the shape of the navigator contract. */
export function createApp({
  editionFor,
  retrieve,
  reranker,
  wordVectors,
  librarians,
  ...options
}: NavigatorAppOptions) {
  const { log, now = Date.now } = options;
  const partsFor = (scope: Pick<RequestScope, 'context' | 'waitUntil'>): NavigatorParts => {
    const { context, waitUntil } = scope;
    const mayReadOlder = covers(context.capabilities, OLDER_EDITIONS);
    return {
      readEdition: (edition, search) =>
        editionFor({
          ...search,
          context,
          waitUntil,
          edition: mayReadOlder ? edition : undefined,
        }),
      retrieve,
      reranker,
      wordVectors,
      waitUntil,
      others: async () => ({
        self: NAVIGATOR,
        // No answer waits for a description: a librarian that has not sent its own yet is named the next time.
        all: (await librarians?.routable({ waitUntil, withinMs: 1 })) ?? NO_LIBRARIANS,
        chain: context.chain,
      }),
      log,
      now,
    };
  };
  const settings = {
    ...options,
    access: options.access ?? ('signed' as const),
    self: NAVIGATOR.id,
  };
  const librarian = { forRequest: (scope: RequestScope) => createNavigator(partsFor(scope)) };
  const app = serveLibrarian(librarian, NAVIGATOR, options);
  const fault = faultHandler(settings);
  const mounted = mountRoutes(app, ASK_ROUTES, settings);
  mounted('POST /v1/navigate', { body: NavigateRequest }, (c, { body }) =>
    withProgress(c, (reporting) => navigate(c, body.query, reporting), {
      onFault: (error) => fault(error, c),
      beginsWithReport: true,
    }),
  );

  const navigate = async (
    c: HonoContext<GuardedEnv>,
    query: string,
    { signal, progress }: Reporting,
  ): Promise<Response> => {
    const context = c.get('context');
    const budget = requestBudget(context);
    const model = options.ai && budgetedModel(options.ai, { budget, price: options.aiPrice });
    const parts = partsFor({ context, waitUntil: waitUntilOf(c) });
    const { answer, metadata } = await answerWith(parts, query, {
      timeLeftMs: () => timeToAnswer(context.deadlineMs - now()),
      signal,
      progress: reportedBy(NAVIGATOR.id, progress),
      ai: model?.ai,
      traceId: context.traceId,
    });
    settleModel(c, model);
    const details = { ...linksIn(answer), ...metadata };
    const more = Object.keys(details).length > 0 ? { metadata: details } : {};
    return c.json({ ...answer.response, ...more }, 200);
  };
  return app;
}
