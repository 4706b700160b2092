import * as z from 'zod';
import { jsonObject, withinLimits } from './json-object.ts';
import { KnowledgeRetrievalV1, WeakKnowledgeRetrieval } from './knowledge-retrieval.ts';
import { Timestamp } from './timestamp.ts';

const Share = z.number().min(0).max(1);
const Intent = z.string().trim().min(1, 'is empty').max(100);
/** For what a block holds besides its named members. */
const bounded = withinLimits({ maxDepth: 8, maxLength: 64_000 });
const Sentence = z.string().min(1, 'is empty').max(1000);

/** A message of the ticket before the one that is analysed. */
export const TicketMessage = z.strictObject({
  from: z.enum(['customer', 'agent']),
  text: z.string().max(32_000),
  sent_at: Timestamp.optional(),
});
export type TicketMessage = z.infer<typeof TicketMessage>;

/** `POST /v1/support/analyze` (design, section 4). Unknown members are refused, except within `metadata`. */
export const SupportRequest = z.strictObject({
  /** The customer's latest message. */
  message: z.string().regex(/\S/, 'is empty').max(32_000),
  subject: z.string().max(1000).optional(),
  customer_name: z.string().max(200).optional(),
  /** What the helpdesk knows: `product`, `attachments`, and whatever else. At most 16,000 characters. */
  metadata: jsonObject({ maxDepth: 6, maxLength: 16_000 }).optional(),
  /** Oldest first. */
  history: z.array(TicketMessage).max(100).optional(),
});
export type SupportRequest = z.infer<typeof SupportRequest>;

/** What the customer wants. Alone decides whether a draft may be sent without a person (design 7.9). */
export const IntentClassification = z
  .looseObject({
    /** `unknown` when no intent is likely enough. */
    primary_intent: Intent,
    /** 0 to 1. */
    confidence: Share,
    /** Next likely first. */
    secondary_intents: z
      .array(z.looseObject({ intent: Intent, confidence: Share }))
      .max(10)
      .optional(),
  })
  .superRefine(bounded);
export type IntentClassification = z.infer<typeof IntentClassification>;

/** A reply that an agent may send as it is or edit (seed 001, contract 4). */
export const Draft = z
  .looseObject({
    text: z.string().max(32_000),
    /** The template that it is made from. */
    template: z.string().max(100).optional(),
    /** Whether it may go out without a person: decided by the classification alone, never by knowledge (design 7.9). */
    auto_send: z.boolean(),
  })
  .superRefine(bounded);
export type Draft = z.infer<typeof Draft>;

/** Hints for the agent, in sentences. */
export const AgentGuidance = z
  .looseObject({
    summary: Sentence.optional(),
    suggested_actions: z.array(Sentence).max(20),
    /** What to look out for before sending. */
    warnings: z.array(Sentence).max(20).optional(),
  })
  .superRefine(bounded);
export type AgentGuidance = z.infer<typeof AgentGuidance>;

/**
 * The analysis of a ticket, API v1.1 (seed 001, contract 3). The seed fixes the four blocks and all of
 * `knowledge_retrieval`; what the other three hold beyond the named members passes through.
 */
export const SupportResponse = z.object({
  intent_classification: IntentClassification,
  draft: Draft,
  knowledge_retrieval: WeakKnowledgeRetrieval,
  agent_guidance: AgentGuidance,
});
export type SupportResponse = z.infer<typeof SupportResponse>;

/** What a client of v1.0 reads of a reply: the same four blocks, `knowledge_retrieval` without its later fields. */
export const SupportResponseV1 = z.object({
  intent_classification: z.looseObject({}),
  draft: z.looseObject({}),
  knowledge_retrieval: KnowledgeRetrievalV1,
  agent_guidance: z.looseObject({}),
});
export type SupportResponseV1 = z.infer<typeof SupportResponseV1>;

/**
 * What a draft is made from (seed 001, contract 4). Without `knowledge`, or with empty sources, the draft is the one
 * of v1.0, character for character.
 */
export interface DraftInput {
  classification: IntentClassification;
  customerName?: string | undefined;
  metadata?: Readonly<Record<string, unknown>> | undefined;
  knowledge?: WeakKnowledgeRetrieval | undefined;
}
