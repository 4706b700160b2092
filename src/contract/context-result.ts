import * as z from 'zod';
import { MemoryDegradation, MemoryId, SearchResult } from './memory.ts';

/** Text made of memories, for a prompt (seed 002, Data Models). */
export const ContextResult = z.object({
  context: z.string().max(2_000_000),
  /** Counted with the model's tokenizer, or estimated. */
  tokenCount: z.int().min(0),
  /** What counted them: `cl100k_base`, a vocabulary of OpenAI, or `characters`, an estimate of four to a token. */
  tokenizer: z.string().max(64).optional(),
  /** The memories that are in the text, best first. */
  memories: z.array(SearchResult).max(1000),
  /** Whether memories were left out or cut to keep to the budget. */
  truncated: z.boolean(),
  /** Name of the template. */
  template: z.string().min(1).max(64),
  /** Over HTTP: what was not available when it was made. */
  degraded: z.array(MemoryDegradation).max(2).optional(),
});
export type ContextResult = z.infer<typeof ContextResult>;

/** The same with what led to it (seed 002, Data Models). The ids are those of `memories`, in their order. */
export const ContextPreview = ContextResult.extend({
  memoryIds: z.array(MemoryId).max(1000),
  /** By memory id. */
  rankingScores: z.record(MemoryId, z.number()),
  /** Per cent of the token budget; 100 is all of it. */
  budgetUsed: z.number().min(0),
}).superRefine(({ memories, memoryIds, rankingScores }, check) => {
  const refuse = (path: string, message: string) => check.addIssue({ code: 'custom', path: [path], message });
  const included = memories.map(({ memory }) => memory.id);
  if (included.join('\n') !== memoryIds.join('\n')) refuse('memoryIds', 'differs from the ids of memories');
  const unscored = memoryIds.find((id) => !Object.hasOwn(rankingScores, id));
  if (unscored !== undefined) refuse('rankingScores', `has no score for ${unscored}`);
});
export type ContextPreview = z.infer<typeof ContextPreview>;
