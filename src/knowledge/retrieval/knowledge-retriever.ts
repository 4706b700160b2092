import type { Edition } from '../../search/open-edition.ts';
import type { Retriever } from '../../search/retrieve.ts';
import type { GapKeeper } from '../gaps/gap-keeper.ts';
import type { Knowledge, KnowledgeQuestion, KnowledgeScope } from './knowledge.ts';
import { type RetrievalOptions, retrieveKnowledge } from './retrieve-knowledge.ts';

export interface KnowledgeRetrieverParts {
  /** The current edition of the workspace that a verified context names: `currentEdition`. */
  editionFor: (scope: KnowledgeScope) => Promise<Edition>;
  /** `createRetriever`. */
  retrieve: Retriever;
  /** Takes personal data out of what is searched and embedded. */
  mask: (text: string) => string;
  /** Keeps the gaps; absent: they are told and not kept. */
  gaps?: GapKeeper | undefined;
  now?: (() => number) | undefined;
  /** Told of what failed; answers go out without it. */
  onFault?: ((where: string, error: unknown) => void) | undefined;
}

interface KnowledgeCall
  extends KnowledgeScope,
    Pick<RetrievalOptions, 'signal' | 'timeoutMs' | 'editionMs' | 'products' | 'articleIntents'> {}

/** Retrieves for one request, and has the gaps kept after the answer. Never rejects. */
export type KnowledgeRetriever = (question: KnowledgeQuestion, call: KnowledgeCall) => Promise<Knowledge>;

/** One for an isolate. */
export const createKnowledgeRetriever =
  ({ editionFor, gaps, ...parts }: KnowledgeRetrieverParts): KnowledgeRetriever =>
  async (question, call) => {
    const scope = { context: call.context, waitUntil: call.waitUntil };
    let edition: Edition | undefined;
    const load = async (): Promise<Edition> => {
      edition = await editionFor(scope);
      return edition;
    };
    const knowledge = await retrieveKnowledge(question, { ...parts, ...call, edition: load });
    if (gaps !== undefined) call.waitUntil(gaps.met(question, { knowledge, edition }, scope));
    return knowledge;
  };
