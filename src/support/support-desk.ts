import { Hono } from 'hono/tiny';
import type { EmbeddingStatistics } from '../ai/embeddings/cached-embeddings.ts';
import type { WordVectors } from '../ai/embeddings/word-vectors.ts';
import { ASKER_FACTS, AskerFacts } from '../contract/core/ask.ts';
import { readAs } from '../contract/core/error-info.ts';
import type { AIClient } from '../contract/core/librarian.ts';
import { SUPPORT_ROUTES } from '../contract/routes/support.ts';
import { SupportRequest } from '../contract/wire/support-response.ts';
import { currentEdition } from '../knowledge/edition/current-edition.ts';
import type { GapBooks } from '../knowledge/gaps/gap-book.ts';
import { editionsOfHits } from '../knowledge/large/editions-of-hits.ts';
import { createRetriever, type MeaningOf } from '../knowledge/search/retrieve.ts';
import type { Mask } from '../language/privacy/mask.ts';
import { type WaitUntil, waitUntilOf } from '../platform/concurrency.ts';
import {
  faultHandler,
  type GuardedEnv,
  type GuardOptions,
  refusal,
} from '../platform/context/context-guard.ts';
import type { Identity } from '../platform/context/identity.ts';
import { requestBudget } from '../platform/context/limits.ts';
import { budgetedModel, settleModel, type TokenPrice } from '../platform/context/model-budget.ts';
import { originate } from '../platform/context/request-context.ts';
import { memoryReplayStore } from '../platform/context/verify-context.ts';
import { timeToAnswer } from '../platform/http/deadline.ts';
import { jsonAnswer } from '../platform/http/json-http.ts';
import { faultLogger } from '../platform/log.ts';
import { mountRoutes } from '../platform/serve/mount-routes.ts';
import { type AnalysisParts, analyze } from './analyze.ts';
import { createGapKeeper } from './gaps/gap-keeper.ts';
import { gapRoutes } from './gaps/gap-routes.ts';
import { currentTaxonomy, type TaxonomyStore } from './intents/current-taxonomy.ts';
import { taxonomyRoutes } from './intents/taxonomy-routes.ts';
import { createKnowledgeRetriever, retrievalRoutes } from './retrieval/retrieve-knowledge.ts';

interface Fetcher {
  fetch(request: Request): Promise<Response>;
}

interface SupportDeskParts {
  identity: Identity;
  library: Fetcher;
  /** Absent without a configured embedding model. */
  meaningOf?: MeaningOf | undefined;
  /** How its cache of query embeddings did, by workspace. */
  statistics?: ((workspace: string) => EmbeddingStatistics) | undefined;
  /** Storage of the editions of the knowledge base. */
  editions: Parameters<typeof currentEdition>[1]['parts'][number];
  taxonomies: TaxonomyStore;
  books: GapBooks;
  mask: Mask;
  wordVectors: () => WordVectors;
  /** The indexes of large knowledge bases; absent where none is configured. */
  indexOf: Parameters<typeof editionsOfHits>[1]['indexOf'];
}

const SWEEP_MS = 300_000;

/** The support desk of an isolate: requests and schedule share its open editions and its compared gaps. */
export function createSupportDesk({
  identity,
  books,
  mask,
  wordVectors,
  ...parts
}: SupportDeskParts) {
  const { library, indexOf, meaningOf, statistics, editions, taxonomies: store } = parts;
  const onFault = faultLogger('support');
  const knowledge = {
    editionFor: editionsOfHits(currentEdition(identity, { library, parts: [editions] }), {
      indexOf,
      wordVectors,
      meaningOf,
    }),
    retrieve: createRetriever({ wordVectors, meaningOf, onFault }),
    mask: mask.mask,
    onFault,
  };
  const keeper = createGapKeeper({ ...knowledge, books, meaningOf, wordVectors });
  return {
    createApp: (model: Pick<SupportAppOptions, 'ai' | 'aiPrice'>): Hono<GuardedEnv> => {
      const { taxonomyFor, forget } = currentTaxonomy({ store, onFault });
      const retriever = createKnowledgeRetriever({ ...knowledge, gaps: keeper });
      return createApp({
        ...identity,
        ...model,
        // Best effort: a replay that reaches another isolate within 60 s is answered again, which changes nothing.
        replay: memoryReplayStore(),
        taxonomyFor,
        retrieveKnowledge: retriever,
        openEdition: knowledge.editionFor,
        wordVectors,
        mask,
        onFault,
        mount: (app, guard) => {
          retrievalRoutes(app, { guard, retriever, statistics });
          gapRoutes(app, { guard, books, keeper, mask: mask.mask });
          taxonomyRoutes(app, { guard, store, forget });
        },
      });
    },
    /** Closes the gaps of all workspaces that a newer edition answers. */
    sweepGaps: (waitUntil: WaitUntil): Promise<void> =>
      keeper.sweep((workspace, audiences) => ({
        context: originate({
          self: 'support',
          subject: 'svc:support',
          authentication: 'none',
          capabilities: ['kb:read'],
          workspace,
          audiences,
          timeoutMs: SWEEP_MS,
          now: Date.now(),
        }),
        waitUntil,
      })),
  };
}

const SUPPORT = 'support';

interface SupportAppOptions extends Omit<GuardOptions, 'access'>, AnalysisParts {
  ai?: AIClient | undefined;
  aiPrice?: TokenPrice | undefined;
  /** Mounts further routes of the function. */
  mount?: ((app: Hono<GuardedEnv>, guard: GuardOptions) => void) | undefined;
}

/** `POST /v1/support/analyze`, and the routes that `mount` adds. */
export function createApp({ ai, aiPrice, mount, ...options }: SupportAppOptions): Hono<GuardedEnv> {
  const { now = Date.now } = options;
  const guard: GuardOptions = { ...options, access: 'signed', self: SUPPORT };
  const app = new Hono<GuardedEnv>();
  const mounted = mountRoutes(app, SUPPORT_ROUTES, guard);
  mounted('POST /v1/support/analyze', { body: SupportRequest }, async (c, { body }) => {
    const context = c.get('context');
    const { [ASKER_FACTS]: given, ...metadata } = body.metadata ?? {};
    // A helpdesk's metadata come from forms that customers fill in; only the gateway reads what is stored.
    const facts = readAs(AskerFacts, context.caller === 'gateway' ? given : undefined);
    const model = ai && budgetedModel(ai, { budget: requestBudget(context), price: aiPrice });
    const analysis = await analyze(
      { ...body, metadata },
      {
        facts: facts.ok ? facts.value : [],
        context,
        waitUntil: waitUntilOf(c),
        ai: model?.ai,
        signal: c.req.raw.signal,
        timeLeftMs: () => timeToAnswer(context.deadlineMs - now()),
        now: now(),
      },
      options,
    );
    settleModel(c, model);
    return jsonAnswer(analysis);
  });
  mount?.(app, guard);
  app.notFound(() => refusal('NOT_FOUND', { librarian: SUPPORT }));
  app.onError(faultHandler(guard));
  return app;
}
