import type { OriginContext, VerifiedContext } from '../../runtime/request-context.ts';

/** What belongs to one request, for what is read of the knowledge base in its name. */
export interface KnowledgeScope {
  context: OriginContext | VerifiedContext;
  waitUntil: (work: Promise<unknown>) => void;
}
