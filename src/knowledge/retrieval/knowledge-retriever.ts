import type { Edition } from '../../search/open-edition.ts';
import type { Retriever } from '../../search/retrieve.ts';
import { covers } from '../../signing/capabilities.ts';
import type { Knowledge, KnowledgeQuestion, KnowledgeScope } from './knowledge.ts';
import { type RetrievalOptions, retrieveKnowledge } from './retrieve-knowledge.ts';

/** Records what the knowledge base could not answer. */
export interface GapRecorder {
  /** Called after a response: records its gaps, and compares open gaps with an edition that is new to this isolate. Never rejects. */
  met(
    question: KnowledgeQuestion,
    found: { knowledge: Knowledge; edition: Edition | undefined },
    scope: KnowledgeScope,
  ): Promise<void>;
}

export interface KnowledgeRetrieverParts {
  /** The current edition of the workspace that a verified context names: `currentEdition`. */
  editionFor: (scope: KnowledgeScope) => Promise<Edition>;
  /** `createRetriever`. */
  retrieve: Retriever;
  /** Masks personal data in what is searched and embedded. */
  mask: (text: string) => string;
  /** Without it, gaps are reported but not recorded. */
  gaps?: GapRecorder | undefined;
  now?: (() => number) | undefined;
  /** Receives failures; responses are sent all the same. */
  onFault?: ((where: string, error: unknown) => void) | undefined;
}

interface KnowledgeCall
  extends KnowledgeScope,
    Pick<RetrievalOptions, 'signal' | 'timeoutMs' | 'editionMs' | 'products' | 'articleIntents'> {}

/**
 * Retrieves for one request. After the response, gaps are recorded for callers that may analyse tickets: a key that only reads stores
 * nothing. Never rejects.
 */
export type KnowledgeRetriever = (question: KnowledgeQuestion, call: KnowledgeCall) => Promise<Knowledge>;

/** One per isolate. */
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
    if (gaps !== undefined && covers(call.context.capabilities, 'support:analyze')) {
      call.waitUntil(gaps.met(question, { knowledge, edition }, scope));
    }
    return knowledge;
  };
