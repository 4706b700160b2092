import * as z from 'zod';
import { Taxonomy } from './taxonomy.ts';

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
