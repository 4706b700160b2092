import * as z from 'zod';

/** Maximum number of intents of a taxonomy, up to which classifiers were measured. */
export const TAXONOMY_MAX_INTENTS = 200;
/** Maximum number of examples of an intent. */
export const INTENT_MAX_EXAMPLES = 500;
/** The intent of a message that matches none; reserved. */
export const UNKNOWN_INTENT = 'unknown';

const Id = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, 'is no id: small letters, digits and _, a letter first');
const Phrase = z.string().trim().min(1, 'is empty').max(1000);
/** BCP 47: `en`, `pt-BR`. */
const Language = z.string().regex(/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,4}$/, 'is no language tag');

/**
 * A reply in Markdown. `{customer_name}`, `{product}` and `{subject}` stand for values of the ticket; `{knowledge}`, on its own line, for
 * the grounded steps: without knowledge only that line is removed. `{missing_information}`, also on its own line, stands for questions
 * about facts that the customer has not given: without any its whole paragraph is removed.
 */
const ReplyTemplate = z.string().trim().min(1, 'is empty').max(8000);

/** A fact that is required to resolve the intent. */
export const RequiredFact = z.strictObject({
  id: Id,
  /** The question to the customer, one for all languages or by language: `Which firmware version does the dashboard show?` */
  question: z.union([
    Phrase,
    z.record(Language, Phrase).refine((each) => Object.keys(each).length > 0, 'is in no language'),
  ]),
  /** Regular expressions that detect it in a message, used with the flags `iu`; any match counts. Absent: detected by its words. */
  patterns: z.array(z.string().min(1).max(300)).max(20).optional(),
  /** Members of the ticket's `metadata` that also contain it: `product`, `attachments`. */
  metadata: z.array(z.string().min(1).max(100)).max(10).optional(),
});
export type RequiredFact = z.infer<typeof RequiredFact>;

/** When another team must see the ticket. All given conditions must hold. */
export const EscalationRule = z
  .strictObject({
    to: z.string().trim().min(1, 'is empty').max(200),
    reason: Phrase,
    /** Words or phrases, any of which the message must contain; compared word by word, ignoring case. */
    any_of: z.array(Phrase).min(1).max(50).optional(),
    /** Minimum number of messages of the customer, including this one. */
    min_customer_messages: z.int().min(1).max(100).optional(),
    /** Confidence of the classification below this, 0 to 1. */
    confidence_below: z.number().min(0).max(1).optional(),
    /** Coverage of the knowledge base is one of these. */
    coverage: z
      .array(z.enum(['high', 'medium', 'low', 'none']))
      .min(1)
      .max(4)
      .optional(),
    /** Every ticket of the intent. */
    always: z.literal(true).optional(),
  })
  .refine(
    (rule) => Object.keys(rule).length > 2,
    'names no condition; `always: true` holds for every ticket',
  );
export type EscalationRule = z.infer<typeof EscalationRule>;

/** Least confidence of an intent with `no_reply`, unless it names its own: no customer's message of the evaluation reaches it. */
const NO_REPLY_FROM = 0.9;

/** What a customer wants, and how the support desk responds. */
export const Intent = z
  .strictObject({
    id: Id.refine(
      (id) => id !== UNKNOWN_INTENT && id !== 'general',
      'is kept for messages that fit no intent',
    ),
    title: Phrase.max(120),
    description: Phrase.optional(),
    /** Messages of customers, in any language. */
    examples: z.array(Phrase).min(1, 'are none').max(INTENT_MAX_EXAMPLES),
    /** Products that it concerns; all when empty. */
    devices: z.array(Phrase.max(100)).max(50).default([]),
    /** Whether a draft of this intent may be sent automatically, if the classification is confident enough. */
    auto_send: z
      .strictObject({
        allowed: z.boolean(),
        min_confidence: z.number().min(0).max(1).default(0.9),
        /** The reply that is sent then: it must be a complete answer on its own. `reply_template` when absent. */
        template: z.union([ReplyTemplate, z.record(Language, ReplyTemplate)]).optional(),
        /** Further questions that this reply answers, as customers ask them: each widens what is sent without a person. Not trained on. */
        examples: z.array(Phrase).max(200).optional(),
      })
      .default({ allowed: false, min_confidence: 0.9 }),
    /** For messages that no one replies to, such as spam: from this confidence on, 0 to 1, no draft is proposed and nothing is searched. */
    no_reply: z
      .strictObject({ min_confidence: z.number().min(0).max(1).default(NO_REPLY_FROM) })
      .optional(),
    required_facts: z.array(RequiredFact).max(20).default([]),
    /** One for all languages, or by language; `general_template` when absent, which is for intents with `no_reply`. */
    reply_template: z.union([ReplyTemplate, z.record(Language, ReplyTemplate)]).optional(),
    /** Used when no article answers: confirms what was understood and asks for what is missing. `reply_template` when absent. */
    fallback_template: z.union([ReplyTemplate, z.record(Language, ReplyTemplate)]).optional(),
    /** In addition to those of the taxonomy. */
    escalation: z.array(EscalationRule).max(20).default([]),
    /** Article intents of the knowledge base that also answer it, besides its own id. */
    article_intents: z.array(z.string().min(1).max(100)).max(20).default([]),
  })
  .refine(
    ({ reply_template, no_reply }) => reply_template !== undefined || no_reply !== undefined,
    {
      path: ['reply_template'],
      message: 'is missing',
    },
  );
export type Intent = z.infer<typeof Intent>;

/** The intents of a workspace. */
export const Taxonomy = z
  .strictObject({
    version: z.literal(1),
    name: Phrase.max(120),
    /** Language of titles, questions and templates without their own. */
    language: Language.default('en'),
    /** Product names to recognise in messages; articles may name more. */
    devices: z.array(Phrase.max(100)).max(200).default([]),
    intents: z.array(Intent).min(1, 'are none').max(TAXONOMY_MAX_INTENTS),
    /** For every message of any intent. */
    escalation: z.array(EscalationRule).max(20).default([]),
    /** For messages that match no intent. */
    general_template: z.union([ReplyTemplate, z.record(Language, ReplyTemplate)]),
    /** Signature: the last lines of every reply. */
    signature: z.string().trim().max(1000).optional(),
    /** Typical messages that belong to no intent. */
    out_of_scope_examples: z.array(Phrase).max(1000).default([]),
  })
  .superRefine(({ intents }, check) => {
    const seen = new Set<string>();
    for (const [index, { id }] of intents.entries()) {
      if (seen.has(id))
        check.addIssue({
          code: 'custom',
          path: ['intents', index, 'id'],
          message: `stands twice: ${id}`,
        });
      seen.add(id);
    }
  });
export type Taxonomy = z.infer<typeof Taxonomy>;

/** `PUT /v1/support/taxonomy`: the intents of a workspace, in place of those it had. */
export const TaxonomyPut = z.strictObject({
  taxonomy: Taxonomy,
  /**
   * The trained classifier, base64url, as `npx constellation taxonomy` writes it. Required when there are too many examples to train on load; must
   * be trained from exactly this taxonomy.
   */
  model: z
    .string()
    .max(3_145_728)
    .regex(/^[A-Za-z0-9_-]*$/, 'is not base64url')
    .optional(),
});
export type TaxonomyPut = z.infer<typeof TaxonomyPut>;

/** Reply of `GET /v1/support/taxonomy`. */
export const TaxonomyStored = z.object({
  taxonomy: Taxonomy,
  /**
   * Whether messages are classified by it. False when it has too many examples to be trained on load and no trained model of this
   * version, or is not valid in this version.
   */
  in_use: z.boolean(),
});
export type TaxonomyStored = z.infer<typeof TaxonomyStored>;

/** Reply of `PUT /v1/support/taxonomy`. */
export const TaxonomyWritten = z.object({
  name: z.string(),
  intents: z.int().min(1),
  /** Number of examples of all intents and out of scope. */
  examples: z.int().min(1),
  /** `given`: the classifier came with the taxonomy. `here`: it was trained from the examples. */
  trained: z.enum(['given', 'here']),
  /** Confidence below which a message is `unknown`, 0 to 1. */
  threshold: z.number().min(0).max(1),
  /** 16 hex digits; a hash of exactly what a classifier is trained from. */
  content_hash: z.string().regex(/^[0-9a-f]{16}$/),
});
export type TaxonomyWritten = z.infer<typeof TaxonomyWritten>;

/** Reply of `GET /v1/support/taxonomy/accuracy`: each example was held out once and classified by what the others teach. */
export const TaxonomyAccuracy = z.object({
  /** Number of parts, each of which was held out once. */
  rounds: z.int().min(2),
  /** Examples of intents; those out of scope are always trained. */
  examples: z.int().min(0),
  /** Examples whose likeliest intent was their own. */
  right: z.int().min(0),
  /** Intents with examples, in the order of the taxonomy. */
  intents: z
    .array(
      z.object({
        intent: Id,
        examples: z.int().min(1),
        right: z.int().min(0),
        /** What its examples were taken for instead, most frequent first. */
        taken_for: z.array(z.object({ intent: Id, examples: z.int().min(1) })).max(3),
      }),
    )
    .max(TAXONOMY_MAX_INTENTS),
  /** As in the reply of `PUT`: what was measured. */
  content_hash: z.string().regex(/^[0-9a-f]{16}$/),
});
export type TaxonomyAccuracy = z.infer<typeof TaxonomyAccuracy>;
