import type { EmbeddingStatistics } from '../ai/embeddings/cache.ts';
import { type MeaningOf, meaningBy } from '../search/meaning.ts';
import { queryEmbeddingsOf } from './query-embeddings.ts';
import type { AdapterSettings } from './settings.ts';
import { vectorIndexesOf } from './vector-indexes.ts';

/** What questions mean, and how often that cost a call. */
export interface Meanings {
  meaningOf: MeaningOf;
  /** Of one workspace. */
  statistics: (workspace: string) => EmbeddingStatistics;
}

/**
 * What questions mean, by the embedding model and the index that are configured. One for an isolate.
 *
 * @returns Undefined without a model: words alone are searched then.
 */
export const meaningsOf = (
  settings: AdapterSettings,
  options: Parameters<typeof queryEmbeddingsOf>[1],
): Meanings | undefined => {
  const embeddingsFor = queryEmbeddingsOf(settings, options);
  if (embeddingsFor === undefined) return undefined;
  const indexOf = vectorIndexesOf(settings, 'kb');
  return {
    meaningOf: (text, asked) => {
      const { workspace, waitUntil = goOn } = asked;
      return meaningBy(embeddingsFor({ workspace, waitUntil }), indexOf)(text, asked);
    },
    statistics: (workspace) => embeddingsFor({ workspace, waitUntil: goOn }).statistics(),
  };
};

/** Outside of a request nothing has to be kept alive. */
const goOn = (work: Promise<unknown>): void => void work.catch(() => undefined);
