import type { Context as HonoContext } from 'hono';
import type { WordVectors } from '../ai/embeddings/word-vectors.ts';
import type { Reranker } from '../ai/reranker.ts';
import { NavigateRequest } from '../contract/ask.ts';
import type { LibrarianInfo } from '../contract/librarian.ts';
import type { Librarians } from '../delegation/librarian-directory.ts';
import { timeToAnswer } from '../http/deadline.ts';
import { waitUntilOf } from '../runtime/concurrency.ts';
import { contextGuard, faultHandler, type GuardedEnv, refusal, requireCapability } from '../runtime/context-guard.ts';
import { readJson } from '../runtime/json-http.ts';
import { budgetedModel, settleModel } from '../runtime/model-budget.ts';
import { type Reporting, reportedBy, withProgress } from '../runtime/progress.ts';
import type { RequestScope } from '../runtime/request-scope.ts';
import { type ServeOptions, serveLibrarian } from '../runtime/serve-librarian.ts';
import type { EditionScope } from '../search/current-edition.ts';
import type { Edition } from '../search/open-edition.ts';
import type { Retriever } from '../search/retrieve.ts';
import { covers } from '../signing/capabilities.ts';
import { requestBudget } from '../signing/limits.ts';
import { answerQuestion } from './answer-question.ts';
import { closestIn, createNavigator, violationLog } from './navigator-librarian.ts';
import examples from './question-examples.json' with { type: 'json' };

/** The navigator's description for people and librarians. */
const NAVIGATOR: LibrarianInfo = {
  id: 'navigator',
  name: 'Navigator',
  description:
    'Answers questions from the knowledge base with quotes that name their file and section, says how sure it is and why, and declines where nothing is written: how to set up, use, maintain and repair, what messages and settings mean, rules and policies.',
  capabilities: ['kb:read'],
  examples,
  readsHistory: true,
};

/** Needed to answer from an edition that was replaced, as a replay does: it may hold text that was deleted since. */
const OLDER_EDITIONS = 'kb:editions:read';

const NO_LIBRARIANS: readonly LibrarianInfo[] = [];

export interface NavigatorAppOptions extends ServeOptions {
  /** The current edition for a request, of the workspace in its verified context. Throws when there is none. */
  editionFor: (scope: EditionScope) => Promise<Edition>;
  /** Finds passages; the edition's own search when absent. */
  retrieve?: Retriever | undefined;
  /** Orders the passages for the model; search order when absent. */
  reranker?: Reranker | undefined;
  /** Word vectors; words are compared by form alone when absent. */
  wordVectors?: (() => WordVectors) | undefined;
  /** Librarians that a question may be for instead; none when absent. */
  librarians?: Librarians | undefined;
}

/** `POST /librarians/navigator/ask`, `GET /librarians/navigator`, and `POST /v1/navigate` in the shape of the navigator contract. */
export const createApp = ({
  editionFor,
  retrieve,
  reranker,
  wordVectors,
  librarians,
  ...options
}: NavigatorAppOptions) => {
  const { now = Date.now } = options;
  const parts = { log: options.log, now };
  const othersFor = async ({ context, waitUntil }: Pick<RequestScope, 'context' | 'waitUntil'>) => ({
    self: NAVIGATOR,
    // No answer waits for a description: a librarian that has not sent its own yet is named the next time.
    all: (await librarians?.routable({ waitUntil, withinMs: 1 })) ?? NO_LIBRARIANS,
    chain: context.chain,
  });
  const librarian = {
    forRequest: (scope: RequestScope) =>
      createNavigator({
        ...parts,
        reranker,
        wordVectors,
        retrieve,
        waitUntil: scope.waitUntil,
        others: () => othersFor(scope),
        readEdition: (edition) =>
          editionFor({ ...scope, edition: covers(scope.context.capabilities, OLDER_EDITIONS) ? edition : undefined }),
      }),
  };
  const settings = { ...options, access: options.access ?? ('signed' as const), self: NAVIGATOR.id };
  const app = serveLibrarian(librarian, NAVIGATOR, options);
  const fault = faultHandler(settings);
  app.post('/v1/navigate', contextGuard(settings), requireCapability('kb:read'), async (c) => {
    const request = readJson(c.get('body'), NavigateRequest);
    if (!request.ok) {
      c.set('outcome', 'INVALID_QUERY');
      return refusal('INVALID_QUERY', { librarian: NAVIGATOR.id, message: request.problem });
    }
    return withProgress(c, (reporting) => navigate(c, request.value.query, reporting), {
      onFault: (error) => fault(error, c),
      beginsWithReport: true,
    });
  });

  const navigate = async (
    c: HonoContext<GuardedEnv>,
    query: string,
    { signal, progress }: Reporting,
  ): Promise<Response> => {
    const context = c.get('context');
    const waitUntil = waitUntilOf(c);
    const edition = await editionFor({ context, waitUntil });
    const model = options.ai && budgetedModel(options.ai, { budget: requestBudget(context), price: options.aiPrice });
    const timeLeftMs = () => timeToAnswer(context.deadlineMs - now());
    const asked = {
      timeLeftMs,
      signal,
      onViolations: violationLog({ ...parts, traceId: context.traceId }),
      progress: reportedBy(NAVIGATOR.id, progress),
      waitUntil,
      ai: model?.ai,
      reranker,
      wordVectors,
      retrieve,
      others: await othersFor({ context, waitUntil }),
    };
    const { answer, metadata } = await answerQuestion(edition, query, asked);
    settleModel(c, model);
    const details = { ...closestIn(answer), ...metadata };
    return c.json({ ...answer.response, ...(Object.keys(details).length > 0 ? { metadata: details } : {}) }, 200);
  };
  return app;
};
