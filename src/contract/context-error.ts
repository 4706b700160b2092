import * as z from 'zod';

const message = z.string().max(2000);
/** For the log; it never travels. */
const cause = z.unknown().optional();

/** Why the context engine has no result (seed 002, Error Handling). */
export const ContextError = z.discriminatedUnion('type', [
  z.object({ type: z.literal('embedding_error'), message, cause }),
  z.object({ type: z.literal('search_error'), message, cause }),
  z.object({ type: z.literal('storage_error'), message, cause }),
  z.object({ type: z.literal('validation_error'), message }),
  z.object({
    type: z.literal('template_not_found'),
    template: z.string().max(64),
    /** The names that there are. */
    available: z.array(z.string().max(64)).max(100).optional(),
  }),
]);
export type ContextError = z.infer<typeof ContextError>;

/** A value or the reason why there is none; callers look at `ok` before they use it (seed 002, Error Handling). */
export type Result<T, E> = { ok: true; value: T } | { ok: false; error: E };
