import type { Hono } from 'hono';
import { describeIssues } from '../../contract/issue.ts';
import { KnowledgeGapsRequest, type KnowledgeGapsResponse } from '../../contract/knowledge-gaps.ts';
import { readAs } from '../../contract/read-as.ts';
import {
  contextGuard,
  type GuardedEnv,
  type GuardOptions,
  refusal,
  requireCapability,
} from '../../runtime/context-guard.ts';
import { jsonAnswer } from '../../runtime/json-answer.ts';
import { waitUntilOf } from '../../runtime/wait-until.ts';
import type { KnowledgeScope } from '../retrieval/knowledge-retriever.ts';
import type { RemoteGapBook } from './gap-book.ts';

export interface GapRouteParts {
  /** Of the function that the routes are part of. */
  guard: GuardOptions;
  gapBookFor: (workspace: string) => RemoteGapBook;
  /** Closes what a newer edition answers, as far as there is time; the edition that is current. Never rejects. */
  refresh?: ((scope: KnowledgeScope) => Promise<string | undefined>) | undefined;
}

/** `GET /v1/knowledge/gaps`: of the workspace that the verified context names (design 7.11). */
export const gapRoutes = (app: Hono<GuardedEnv>, { guard, gapBookFor, refresh }: GapRouteParts): void => {
  app.get('/v1/knowledge/gaps', contextGuard(guard), requireCapability('support:analyze'), async (c) => {
    const query = readAs(KnowledgeGapsRequest, c.req.query());
    if (!query.ok) {
      c.set('outcome', 'INVALID_QUERY');
      const message = `Cannot list gaps: ${describeIssues(query.issues)}`;
      return refusal('INVALID_QUERY', { librarian: guard.self, message });
    }
    const context = c.get('context');
    const edition = await refresh?.({ context, waitUntil: waitUntilOf(c) });
    const { state, limit, cursor } = query.value;
    const listed = await gapBookFor(context.workspace).list({ state, limit, cursor });
    return jsonAnswer({ ...listed, edition: edition ?? null } satisfies KnowledgeGapsResponse);
  });
};
