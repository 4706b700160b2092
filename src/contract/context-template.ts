import * as z from 'zod';

/** What may stand in a `memoryFormat` (seed 002, Context Templates), each in double braces. */
export const TEMPLATE_VARIABLES = ['content', 'type', 'confidence', 'timestamp', 'score'] as const;

/** How memories become text (seed 002, Context Templates). */
export const ContextTemplate = z.strictObject({
  name: z.string().min(1, 'is empty').max(64),
  /** Stands before the memories. */
  header: z.string().max(4000).optional(),
  /** One memory: `- {{content}}`. Only the five variables may stand in double braces. */
  memoryFormat: z
    .string()
    .min(1, 'is empty')
    .max(4000)
    .superRefine((format, check) => {
      for (const [, name] of format.matchAll(/\{\{([^{}]{0,64})\}\}/g)) {
        if (TEMPLATE_VARIABLES.some((known) => known === name?.trim())) continue;
        check.addIssue({ code: 'custom', message: `has an unknown variable: ${name}` });
      }
    }),
  /** Stands between memories. */
  separator: z.string().max(200),
  /** Stands after the memories. */
  footer: z.string().max(4000).optional(),
  /** Whether type, confidence and time are written out. */
  includeMetadata: z.boolean(),
});
export type ContextTemplate = z.infer<typeof ContextTemplate>;
