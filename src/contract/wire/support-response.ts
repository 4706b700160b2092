import * as z from 'zod';
import { jsonObject, withinLimits } from '../core/json-object.ts';
import { Timestamp } from '../core/names.ts';
import { KnowledgeRetrievalV1, WeakKnowledgeRetrieval } from './knowledge.ts';

const Share = z.number().min(0).max(1);
const Intent = z.string().trim().min(1, 'is empty').max(100);
/** For what a block holds besides its named members. */
const bounded = withinLimits({ maxDepth: 8, maxLength: 64_000 });
/** A draft contains its text in three formats. */
const boundedDraft = withinLimits({ maxDepth: 8, maxLength: 200_000 });
const Sentence = z.string().min(1, 'is empty').max(1000);

/** A message of the ticket before the one that is analysed. */
export const TicketMessage = z.strictObject({
  from: z.enum(['customer', 'agent']),
  text: z.string().max(32_000),
  sent_at: Timestamp.optional(),
});
export type TicketMessage = z.infer<typeof TicketMessage>;

/** `POST /v1/support/analyze`. Unknown members are refused, except within `metadata`. */
export const SupportRequest = z.strictObject({
  /** The customer's latest message. */
  message: z.string().regex(/\S/, 'is empty').max(32_000),
  subject: z.string().max(1000).optional(),
  customer_name: z.string().max(200).optional(),
  /** What the helpdesk knows: `product`, `attachments`, `person_id`, and whatever else. At most 16,000 characters; `null` is absent. */
  metadata: jsonObject({ maxDepth: 6, maxLength: 16_000 }).nullish(),
  /** Sender of the mail: an address, or `Name <address>`. With `headers` it shows automatic mail, which gets no draft. */
  from: z.string().max(1000).nullish(),
  /** Header fields of the mail by name: `{"Auto-Submitted": "auto-replied"}`. */
  headers: z
    .record(
      z.string().max(200),
      z.union([z.string().max(10_000), z.array(z.string().max(10_000)).max(100)]),
    )
    .refine((fields) => Object.keys(fields).length <= 200, 'has more than 200 fields')
    .nullish(),
  /** Oldest first. */
  history: z.array(TicketMessage).max(100).optional(),
  /** Shows sources below 0.7 too. */
  include_weak: z.boolean().optional(),
  /** Whether facts that are stored about `metadata.person_id` are used; true when absent. */
  facts: z.boolean().optional(),
});
export type SupportRequest = z.infer<typeof SupportRequest>;

/** What the customer wants. Alone decides whether a draft may be sent without a person. */
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
    /** The customer's word for danger to people or property, whatever the intent: such a draft never goes out without a person. */
    danger: z.string().max(100).optional(),
    /** Who must see the message, whatever the knowledge base contains: such a draft is never sent automatically. */
    escalated_to: z.string().max(200).optional(),
    /** What kind of automatic mail the message is, such as `an automatic reply`: no one waits for an answer, and nothing was looked up. */
    automatic: z.string().max(100).optional(),
    /**
     * Why a person must see the message although its intent lets a template go out alone, in sentences: a second question, anger, another
     * language, words that the template does not cover. Empty when none was found; absent for intents that send nothing.
     */
    needs_person: z.array(Sentence).max(20).optional(),
  })
  .superRefine(bounded);
export type IntentClassification = z.infer<typeof IntentClassification>;

/** An article that a draft quotes: for the agent, as the text names no source. */
export const DraftReference = z.object({
  title: z.string().min(1, 'is empty').max(200),
  url: z.string().min(1, 'is empty').max(500),
});
export type DraftReference = z.infer<typeof DraftReference>;

/** What a draft says from an article: for the agent, as the text names no source. */
export const DraftEvidence = z.object({
  ...DraftReference.shape,
  /** A statement or passage of the draft in plain text. */
  text: z.string().min(1, 'is empty').max(2000),
  /** The words of the article that state it; absent where the draft quotes the article word for word. */
  quote: z.string().min(1, 'is empty').max(600).optional(),
});
export type DraftEvidence = z.infer<typeof DraftEvidence>;

/** A reply that an agent may send as it is or edit. */
export const Draft = z
  .looseObject({
    /** Plain text; empty when no reply is proposed, as for spam. */
    text: z.string().max(32_000),
    /** The same with steps, links and emphasis. */
    markdown: z.string().max(48_000).optional(),
    /** The same as a fragment of HTML without scripts, styles or foreign images. */
    html: z.string().max(96_000).optional(),
    /** Its template: the id of an intent, or `general`. */
    template: z.string().max(100).optional(),
    /** BCP 47, as short as possible: `en`. */
    language: z.string().max(35).optional(),
    /** Empty without knowledge. */
    references: z.array(DraftReference).max(10).optional(),
    /** In the order of the text; absent when no article is quoted. */
    evidence: z.array(DraftEvidence).max(10).optional(),
    /** Share of its statements that a source supports, 0 to 1; null without statements of its own. */
    source_grounding: Share.nullable().optional(),
    /** `model`: verified statements of a model replace quotes. */
    written_by: z.enum(['template', 'model']).optional(),
    /** Whether it may be sent automatically: decided by the classification alone, never by knowledge. */
    auto_send: z.boolean(),
  })
  .superRefine(boundedDraft);
export type Draft = z.infer<typeof Draft>;

/** A recommended step for the agent. */
export const RecommendedStep = z.object({
  step: Sentence,
  /** The article that it comes from; absent for steps from the taxonomy or the support desk itself. */
  title: z.string().min(1, 'is empty').max(200).optional(),
  url: z.string().min(1, 'is empty').max(500).optional(),
});
export type RecommendedStep = z.infer<typeof RecommendedStep>;

/** An article that the draft quotes; without address where the public cannot open it. */
export const QuotedArticle = z.object({
  title: z.string().min(1, 'is empty').max(200),
  url: z.string().min(1, 'is empty').max(500).optional(),
});
export type QuotedArticle = z.infer<typeof QuotedArticle>;

/** An article that may answer the message. */
export const ClosestArticle = z.object({
  title: z.string().min(1, 'is empty').max(200),
  url: z.string().min(1, 'is empty').max(500),
  /** Probability that it answers, 0 to 1. */
  relevance_score: Share,
});
export type ClosestArticle = z.infer<typeof ClosestArticle>;

/** Hints for the agent, in sentences. */
export const AgentGuidance = z
  .looseObject({
    summary: Sentence.optional(),
    recommended_steps: z.array(RecommendedStep).max(20),
    /** The articles that the draft quotes, each once, also those that are not among its `references`. */
    quoted_articles: z.array(QuotedArticle).max(10).optional(),
    /** The closest articles, closest first, when none reliably answers. */
    closest_articles: z.array(ClosestArticle).max(3).optional(),
    /** Facts that the intent requires and the customer has not given, as questions. */
    missing_information: z.array(Sentence).max(20),
    /** What to check before sending. */
    risks: z.array(Sentence).max(20),
    escalation: z.object({
      needed: z.boolean(),
      /** Team or level; absent when none is needed. */
      to: z.string().min(1).max(200).optional(),
      reasons: z.array(Sentence).max(20),
    }),
    /** Whether the draft may be sent automatically, and why or why not. */
    auto_send: z.object({ allowed: z.boolean(), reasons: z.array(Sentence).min(1).max(20) }),
  })
  .superRefine(bounded);
export type AgentGuidance = z.infer<typeof AgentGuidance>;

/** The analysis of a ticket, API v1.1. `knowledge_retrieval` is fixed; further members of the other three blocks pass through. */
export const SupportResponse = z.object({
  intent_classification: IntentClassification,
  draft: Draft,
  knowledge_retrieval: WeakKnowledgeRetrieval,
  agent_guidance: AgentGuidance,
});
export type SupportResponse = z.infer<typeof SupportResponse>;

/** The part of a reply that a v1.0 client reads: the same four blocks, `knowledge_retrieval` without later fields. */
export const SupportResponseV1 = z.object({
  intent_classification: z.looseObject({}),
  draft: z.looseObject({}),
  knowledge_retrieval: KnowledgeRetrievalV1,
  agent_guidance: z.looseObject({}),
});
export type SupportResponseV1 = z.infer<typeof SupportResponseV1>;

/** The input of a draft. Without `knowledge`, or with empty sources, the draft is identical to that of v1.0. */
export interface DraftInput {
  classification: IntentClassification;
  customerName?: string | undefined;
  metadata?: Readonly<Record<string, unknown>> | undefined;
  knowledge?: WeakKnowledgeRetrieval | undefined;
}
