import type { OriginContext, VerifiedContext } from '../../runtime/request-context.ts';
import type { Edition } from '../edition/open-edition.ts';
import type { RemoteGapBook } from '../gaps/gap-book.ts';
import type { Retriever } from '../search/retrieve.ts';
import type { Knowledge, KnowledgeQuestion } from './knowledge.ts';
import { retrieveKnowledge } from './retrieve-knowledge.ts';

export interface KnowledgeRetrieverParts {
  /** The current edition of the workspace that a verified context names: `currentEdition`. */
  editionFor: (scope: KnowledgeScope) => Promise<Edition>;
  /** `createRetriever`. */
  retrieve: Retriever;
  /** Where gaps are kept, by workspace; absent: they are told and not kept. */
  gapBookFor?: ((workspace: string) => RemoteGapBook) | undefined;
  /** Takes personal data out of a text before it is kept. */
  mask: (text: string) => string;
  now?: (() => number) | undefined;
  /** Told of what failed; answers go out without it. */
  onFault?: ((where: string, error: unknown) => void) | undefined;
}

/** What belongs to one request. */
export interface KnowledgeScope {
  context: OriginContext | VerifiedContext;
  waitUntil: (work: Promise<unknown>) => void;
}

interface KnowledgeScopeOptions extends KnowledgeScope {
  signal?: AbortSignal | undefined;
  /** At most 100, and that when absent. */
  timeoutMs?: number | undefined;
  /** Products by name, beside those that articles are labelled with: `devices` of the taxonomy. */
  products?: readonly string[] | undefined;
}

/** Retrieves for one request, and has the gaps kept after the answer. Never rejects. */
export type KnowledgeRetriever = (question: KnowledgeQuestion, scope: KnowledgeScopeOptions) => Promise<Knowledge>;

/** One for an isolate. */
export const createKnowledgeRetriever = (parts: KnowledgeRetrieverParts): KnowledgeRetriever => {
  const { editionFor, retrieve, now, onFault } = parts;
  return async (question, { products, signal, timeoutMs, ...scope }) =>
    retrieveKnowledge(question, {
      ...{ retrieve, products, signal, timeoutMs, now, onFault },
      ...scope,
      edition: () => editionFor(scope),
    });
};
