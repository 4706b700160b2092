import * as z from 'zod';

/** `GET /healthz` (design, section 4): that the function lives, and which adapters it uses. */
export const Healthz = z.object({
  status: z.enum(['ok', 'degraded']),
  version: z.string().max(64).optional(),
  /** By role: `{ knowledge: 'embedded', embeddings: 'static-words-2', model: 'none' }`. */
  adapters: z.record(z.string().max(64), z.string().max(64)),
});
export type Healthz = z.infer<typeof Healthz>;
