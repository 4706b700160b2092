import type { Hono } from 'hono/tiny';
import type { WordVectors } from '../ai/embeddings/word-vectors.ts';
import type { GapBooks } from '../knowledge/gaps/gap-book.ts';
import { createGapKeeper } from '../knowledge/gaps/gap-keeper.ts';
import { gapRoutes } from '../knowledge/gaps/gap-routes.ts';
import { createKnowledgeRetriever, retrievalRoutes } from '../knowledge/retrieval/retrieve-knowledge.ts';
import type { WaitUntil } from '../runtime/concurrency.ts';
import type { GuardedEnv } from '../runtime/context-guard.ts';
import { faultLogger } from '../runtime/log.ts';
import type { Mask } from '../runtime/privacy/mask.ts';
import { currentEdition } from '../search/current-edition.ts';
import { createRetriever, type MeaningOf } from '../search/retrieve.ts';
import type { Identity } from '../signing/identity.ts';
import { originate } from '../signing/request-context.ts';
import { memoryReplayStore } from '../signing/verify-context.ts';
import { createApp, type SupportAppOptions } from './app.ts';
import { currentTaxonomy, type TaxonomyStore } from './intents/current-taxonomy.ts';
import { taxonomyRoutes } from './intents/taxonomy-routes.ts';

interface Fetcher {
  fetch(request: Request): Promise<Response>;
}

interface SupportDeskParts {
  identity: Identity;
  library: Fetcher;
  /** Absent without a configured embedding model. */
  meaningOf?: MeaningOf | undefined;
  /** Storage of the editions of the knowledge base. */
  editions: Parameters<typeof currentEdition>[1]['parts'][number];
  taxonomies: TaxonomyStore;
  books: GapBooks;
  mask: Mask;
  wordVectors: () => WordVectors;
}

const SWEEP_MS = 300_000;

/** The support desk of an isolate: requests and schedule share its open editions and its compared gaps. */
export const createSupportDesk = ({ identity, books, mask, wordVectors, ...parts }: SupportDeskParts) => {
  const { library, meaningOf, editions, taxonomies: store } = parts;
  const onFault = faultLogger('support');
  const knowledge = {
    editionFor: currentEdition(identity, { library, parts: [editions] }),
    retrieve: createRetriever({ wordVectors, meaningOf, onFault }),
    mask: mask.mask,
    onFault,
  };
  const keeper = createGapKeeper({ ...knowledge, books, meaningOf });
  return {
    createApp: (model: Pick<SupportAppOptions, 'ai' | 'aiPrice'>): Hono<GuardedEnv> => {
      const { taxonomyFor, forget } = currentTaxonomy({ store, onFault });
      const retriever = createKnowledgeRetriever({ ...knowledge, gaps: keeper });
      return createApp({
        ...identity,
        ...model,
        // Best effort: a replay that reaches another isolate within 60 s is answered again, which changes nothing.
        replay: memoryReplayStore(),
        ...{ taxonomyFor, retrieveKnowledge: retriever, wordVectors, mask, onFault },
        mount: (app, guard) => {
          retrievalRoutes(app, { guard, retriever });
          gapRoutes(app, { guard, books, keeper, mask: mask.mask });
          taxonomyRoutes(app, { guard, store, forget });
        },
      });
    },
    /** Closes the gaps of all workspaces that a newer edition answers. */
    sweepGaps: (waitUntil: WaitUntil): Promise<void> =>
      keeper.sweep((workspace, audiences) => ({
        context: originate({
          ...{ self: 'support', subject: 'svc:support', authentication: 'none', capabilities: ['kb:read'] },
          ...{ workspace, audiences, timeoutMs: SWEEP_MS, now: Date.now() },
        }),
        waitUntil,
      })),
  };
};
