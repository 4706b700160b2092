import { unavailableRetrieval } from '../contract/knowledge-retrieval.ts';
import type { AIClient } from '../contract/librarian.ts';
import type { IntentClassification, SupportRequest, SupportResponse } from '../contract/support-response.ts';
import type { Taxonomy } from '../contract/taxonomy.ts';
import { type Knowledge, knowledgeBlock } from '../knowledge/retrieval/knowledge.ts';
import type { KnowledgeRetriever, KnowledgeScope } from '../knowledge/retrieval/knowledge-retriever.ts';
import { covers } from '../runtime/capabilities.ts';
import type { Mask } from '../runtime/privacy/mask.ts';
import type { WaitUntil } from '../runtime/wait-until.ts';
import { createDraftComposer } from './draft/generate-draft.ts';
import { guideAgent } from './guidance/guide-agent.ts';
import type { TaxonomyAtHand } from './intents/current-taxonomy.ts';
import { readTicket, type TicketReading } from './read-ticket.ts';

export interface AnalysisParts {
  taxonomyFor: (workspace: string, scope: { waitUntil: WaitUntil }) => Promise<TaxonomyAtHand>;
  retrieveKnowledge: KnowledgeRetriever;
  mask: Mask;
}

/** What belongs to one request. */
export interface AnalysisScope extends KnowledgeScope {
  /** Within the budgets of the request; absent where there is none. */
  ai?: AIClient | undefined;
  signal?: AbortSignal | undefined;
  /** Milliseconds left for the whole analysis, at any moment. */
  timeLeftMs: () => number;
  /** Milliseconds since 1970. */
  now: number;
}

/**
 * Analyses a ticket: what the customer wants, what the knowledge base says to it, a reply to send, and what the agent should know
 * (seed 001, contract 3). Whatever fails of knowledge or model leaves the rest as it is.
 */
export const analyze = async (
  request: SupportRequest,
  scope: AnalysisScope,
  parts: AnalysisParts,
): Promise<SupportResponse> => {
  const { taxonomy, classifier } = await parts.taxonomyFor(scope.context.workspace, scope);
  const ticket = readTicket(request, { mask: parts.mask.mask, taxonomy });
  const classification = classifier.classify(textToClassify(ticket));
  const knowledge = await retrieve(ticket, classification, { request, scope, parts, taxonomy });
  const { customer_name } = request;
  const metadata = ticket.product === undefined ? request.metadata : { ...request.metadata, product: ticket.product };
  const compose = createDraftComposer({ taxonomy, ticket: { ...ticket, text: ticket.question } });
  const composed = compose(classification, customer_name, metadata, knowledge);
  return {
    intent_classification: classification,
    draft: composed.draft,
    knowledge_retrieval: knowledgeBlock(knowledge),
    agent_guidance: guideAgent({ taxonomy, classification, ticket, knowledge, composed, now: scope.now }),
  };
};

/** The subject on a line of its own: it tells what the message may leave out. */
const textToClassify = ({ subject, question }: TicketReading): string =>
  subject === undefined || subject === '' ? question : `${subject}\n${question}`;

const retrieve = async (
  ticket: TicketReading,
  { primary_intent }: IntentClassification,
  {
    request,
    scope,
    parts,
    taxonomy,
  }: { request: SupportRequest; scope: AnalysisScope; parts: AnalysisParts; taxonomy: Taxonomy },
): Promise<Knowledge> => {
  if (!covers(scope.context.capabilities, 'kb:read')) return unavailableRetrieval();
  const { context, waitUntil, signal } = scope;
  const question = {
    intent: primary_intent,
    message: ticket.question,
    subject: ticket.subject,
    metadata: ticket.product === undefined ? {} : { product: ticket.product },
    include_weak: request.include_weak,
  };
  return parts.retrieveKnowledge(question, { context, waitUntil, signal, products: taxonomy.devices });
};
