import * as z from 'zod';

/** Intents of a taxonomy, at most: what a classifier is measured with. */
export const TAXONOMY_MAX_INTENTS = 200;
/** Examples of an intent, at most. */
export const INTENT_MAX_EXAMPLES = 500;
/** The intent of a message that fits none; not to be listed. */
export const UNKNOWN_INTENT = 'unknown';

const Id = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'is no id: small letters, digits and _, a letter first');
const Phrase = z.string().trim().min(1, 'is empty').max(1000);
/** BCP 47: `en`, `pt-BR`. */
const Language = z.string().regex(/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/, 'is no language tag');

/**
 * A reply in Markdown. `{customer_name}`, `{product}` and `{subject}` stand for what the ticket says; `{knowledge}`, on a
 * line of its own, for the grounded steps: without knowledge that line goes, and with it nothing else. `{missing_information}`, on a
 * line of its own too, for the questions of facts that the customer has not told: without any its whole paragraph goes.
 */
const ReplyTemplate = z.string().trim().min(1, 'is empty').max(8000);

/** Something that must be known before the intent can be settled. */
export const RequiredFact = z.strictObject({
  id: Id,
  /** As the customer is asked, one for all languages or by language: `Which firmware version does the dashboard show?` */
  question: z.union([
    Phrase,
    z.record(Language, Phrase).refine((each) => Object.keys(each).length > 0, 'is in no language'),
  ]),
  /** How a message tells it: regular expressions without flags, read as `iu`. Any match will do. Absent: by its words. */
  patterns: z.array(z.string().min(1).max(300)).max(20).optional(),
  /** Members of the ticket's `metadata` that tell it too: `product`, `attachments`. */
  metadata: z.array(z.string().min(1).max(100)).max(10).optional(),
});
export type RequiredFact = z.infer<typeof RequiredFact>;

/** When a person of another team must see the ticket. All that are given must hold. */
export const EscalationRule = z
  .strictObject({
    to: z.string().trim().min(1, 'is empty').max(200),
    reason: Phrase,
    /** Words or phrases, any of which the message must hold: compared by their words, whatever their case. */
    any_of: z.array(Phrase).min(1).max(50).optional(),
    /** At least so many messages of the customer, this one counted. */
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
  .refine((rule) => Object.keys(rule).length > 2, 'names no condition; `always: true` holds for every ticket');
export type EscalationRule = z.infer<typeof EscalationRule>;

/** What customers want, and what a support desk does about it. */
export const Intent = z.strictObject({
  id: Id.refine((id) => id !== UNKNOWN_INTENT && id !== 'general', 'is kept for messages that fit no intent'),
  title: Phrase.max(120),
  description: Phrase.optional(),
  /** Messages of customers, in any language. */
  examples: z.array(Phrase).min(1, 'are none').max(INTENT_MAX_EXAMPLES),
  /** Products that it is about; empty: all. */
  devices: z.array(Phrase.max(100)).max(50).default([]),
  /** Whether a draft of this intent may go out without a person, if the classification is sure enough. */
  auto_send: z
    .strictObject({
      allowed: z.boolean(),
      min_confidence: z.number().min(0).max(1).default(0.9),
      /** What goes out then, alone: it answers by itself whatever the message asks. Absent: `reply_template`. */
      template: z.union([ReplyTemplate, z.record(Language, ReplyTemplate)]).optional(),
    })
    .default({ allowed: false, min_confidence: 0.9 }),
  required_facts: z.array(RequiredFact).max(20).default([]),
  /** One for all languages, or by language. */
  reply_template: z.union([ReplyTemplate, z.record(Language, ReplyTemplate)]),
  /** What takes its place where no article answers: it says what was understood and asks for what is missing. Absent: `reply_template`. */
  fallback_template: z.union([ReplyTemplate, z.record(Language, ReplyTemplate)]).optional(),
  /** Beside those of the taxonomy. */
  escalation: z.array(EscalationRule).max(20).default([]),
  /** Intents of the knowledge base's articles that answer it too, beside its own id. */
  article_intents: z.array(z.string().min(1).max(100)).max(20).default([]),
});
export type Intent = z.infer<typeof Intent>;

/** The intents of a workspace. */
export const Taxonomy = z
  .strictObject({
    version: z.literal(1),
    name: Phrase.max(120),
    /** Of titles, questions and templates without a language of their own. */
    language: Language.default('en'),
    /** Products by name, so that a message that names one is understood; articles may name more. */
    devices: z.array(Phrase.max(100)).max(200).default([]),
    intents: z.array(Intent).min(1, 'are none').max(TAXONOMY_MAX_INTENTS),
    /** For every message, whatever its intent. */
    escalation: z.array(EscalationRule).max(20).default([]),
    /** For messages that fit no intent. */
    general_template: z.union([ReplyTemplate, z.record(Language, ReplyTemplate)]),
    /** How replies are signed: the last lines of every one. */
    signature: z.string().trim().max(1000).optional(),
    /** Messages that belong to no intent, as the team knows them. */
    out_of_scope_examples: z.array(Phrase).max(1000).default([]),
  })
  .superRefine(({ intents }, check) => {
    const seen = new Set<string>();
    for (const [index, { id }] of intents.entries()) {
      if (seen.has(id))
        check.addIssue({ code: 'custom', path: ['intents', index, 'id'], message: `stands twice: ${id}` });
      seen.add(id);
    }
  });
export type Taxonomy = z.infer<typeof Taxonomy>;

/** `PUT /v1/support/taxonomy`: the intents of a workspace, in place of those it had. */
export const TaxonomyPut = z.strictObject({
  taxonomy: Taxonomy,
  /**
   * The trained classifier, base64url, as `npm run taxonomy` writes it. Needed where there are more examples than are trained when
   * they are loaded; has to be made of this very taxonomy.
   */
  model: z
    .string()
    .max(3_145_728)
    .regex(/^[A-Za-z0-9_-]*$/, 'is not base64url')
    .optional(),
});
export type TaxonomyPut = z.infer<typeof TaxonomyPut>;

/** What is so after `PUT /v1/support/taxonomy`. */
export const TaxonomyWritten = z.object({
  name: z.string(),
  intents: z.int().min(1),
  /** Of all intents, and of what belongs to none. */
  examples: z.int().min(1),
  /** `given`: the classifier that came with it. `here`: one that was trained from its examples. */
  trained: z.enum(['given', 'here']),
  /** Confidence below which a message is `unknown`, 0 to 1. */
  threshold: z.number().min(0).max(1),
  /** 16 hex digits; changes with whatever a classifier is trained from, and with nothing else. */
  content_hash: z.string().regex(/^[0-9a-f]{16}$/),
});
export type TaxonomyWritten = z.infer<typeof TaxonomyWritten>;
