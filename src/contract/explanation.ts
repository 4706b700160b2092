import * as z from 'zod';

/** The most passages of an explanation. */
export const MAX_EXPLAINED = 20;

/** A passage that a search found, with what ranked it. */
export const ExplainedPassage = z.object({
  title: z.string().max(500),
  /** The article's id. */
  file: z.string().max(500),
  /** The heading above it; its article's title where it has none. */
  section: z.string().max(500),
  /** Score of its words (BM25F). */
  lexical: z.number(),
  /** `lexical` with further evidence of words, such as their order. */
  score: z.number(),
  /** Share of the question's informative words, 0 to 1. */
  coverage: z.number(),
  /** Cosine of its meaning with the question's; absent where none were compared. */
  similarity: z.number().optional(),
  /** Words and meaning together, by which passages are ranked; absent where no meanings were compared. */
  fused: z.number().optional(),
  /** Probability that it answers the question by itself, 0 to 1. */
  relevance: z.number().min(0).max(1),
  /**
   * `cited`: the answer quotes it; `same_article`: it quotes another passage of the article; `closest`: the article is named as close;
   * `other_device`: it is about another device than the question; `not_chosen`: others answer more probably.
   */
  outcome: z.enum(['cited', 'same_article', 'closest', 'other_device', 'not_chosen']),
});
export type ExplainedPassage = z.infer<typeof ExplainedPassage>;

/** `metadata.explain` of a Response: why the navigator chose its passages. Statements that it removed are under `metadata.removed`. */
export const Explanation = z.object({
  edition: z.string().max(128),
  /** How meanings took part: `late` and `failed` name why they did not. */
  semantic: z.enum(['used', 'absent', 'late', 'failed']),
  /** Probability that the answer answers, and the bounds that it was compared with. */
  probability: z.number().min(0).max(1),
  thresholds: z.object({
    /** Below it nothing is quoted. */
    declined_below: z.number(),
    /** From it on the answer is given without a doubt. */
    sure_from: z.number(),
  }),
  /** Passages that the search found in all. */
  found: z.int().min(0),
  /** Best first. */
  passages: z.array(ExplainedPassage).max(MAX_EXPLAINED),
});
export type Explanation = z.infer<typeof Explanation>;
