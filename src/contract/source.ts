import * as z from 'zod';
import { Link } from './link.ts';

/** Where a statement comes from, so that a reader can check it (seed 000, sources). Best first, each once. */
export const Source = z.object({
  name: z.string().regex(/\S/, 'is empty').max(500),
  url: Link.optional(),
  /** What kind of source: `document`, `api`, `database`; free. */
  type: z.string().max(100).optional(),
  /** 0 (unrelated) to 1 (very probably answers the question). */
  relevance: z.number().min(0).max(1).optional(),
});
export type Source = z.infer<typeof Source>;
