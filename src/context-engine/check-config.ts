import * as z from 'zod';
import { CacheConfig, RankingOptions } from '../contract/context-engine.ts';
import { describeIssues, issuesOf } from '../contract/issue.ts';
import { InvalidContextConfiguration } from './errors.ts';
import type { ContextEngineConfig } from './types.ts';

const method = z.custom((value) => typeof value === 'function', 'is no function');
const dimensions = z.int().min(1).max(16_384);

/** What can be seen from outside; parts have private state, so that what is parsed is not what is used. */
const Config = z.strictObject({
  storageClient: z.looseObject({
    searchMemories: method,
    getMemoryRelationships: method,
    relationshipsOf: method.optional(),
  }),
  embeddingProvider: z
    .looseObject({ embed: method, embedBatch: method, dimensions, model: z.string().min(1).max(200) })
    .optional(),
  expectedEmbeddingDimensions: dimensions.optional(),
  defaultTemplate: z.string().min(1, 'is empty').max(64).optional(),
  defaultTokenBudget: z.int().min(1).max(200_000).optional(),
  cacheConfig: CacheConfig.optional(),
  logger: z.looseObject({ warn: method, error: method }).optional(),
  tokenizer: z.union([method, z.looseObject({ count: method })]).optional(),
  maxResultBytes: z.int().min(65_536).optional(),
  rankingOptions: RankingOptions.optional(),
  now: method.optional(),
});

/**
 * The configuration itself, once it has been looked at.
 *
 * @throws {InvalidContextConfiguration} That names what is wrong: `embeddingProvider: has 3072 dimensions, 1536 are expected`.
 */
export const checkedConfig = (config: ContextEngineConfig): ContextEngineConfig => {
  const parsed = Config.safeParse(config);
  if (!parsed.success) throw refusal(describeIssues(issuesOf(parsed.error)));
  const { embeddingProvider, expectedEmbeddingDimensions: expected } = config;
  if (embeddingProvider !== undefined && expected !== undefined && embeddingProvider.dimensions !== expected)
    throw refusal(`embeddingProvider: has ${embeddingProvider.dimensions} dimensions, ${expected} are expected`);
  return config;
};

const refusal = (what: string): InvalidContextConfiguration =>
  new InvalidContextConfiguration(`Cannot make a context engine: ${what}`);
