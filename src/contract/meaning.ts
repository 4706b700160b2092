import * as z from 'zod';

/** Numbers of a vector, at most. */
const MAX_DIMENSIONS = 16_384;

/**
 * `POST /meaning`, between functions: what a question means to the embedding model, as its vector or as the closest vectors of the
 * knowledge base of the context's workspace.
 */
export const MeaningRequest = z.strictObject({
  text: z.string().min(1, 'is empty').max(4000),
  wants: z.enum(['vector', 'hits']),
});
export type MeaningRequest = z.infer<typeof MeaningRequest>;

export const MeaningReply = z.object({
  model: z.string().min(1).max(200),
  dimensions: z.int().min(1).max(MAX_DIMENSIONS),
  /** 32-bit floats, little-endian, in base64. */
  vector: z
    .string()
    .max(Math.ceil((MAX_DIMENSIONS * 4) / 3) * 4 + 4)
    .optional(),
  /** Best first; ids of vectors, which only an edition leads to texts. */
  hits: z
    .array(z.object({ id: z.string().max(200), similarity: z.number().min(-1.001).max(1.001) }))
    .max(1000)
    .optional(),
});
export type MeaningReply = z.infer<typeof MeaningReply>;
