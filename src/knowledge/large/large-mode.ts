import type { HybridChoice } from '../../ai/adapters/settings.ts';
import type { EmbeddingProvider } from '../../ai/embeddings/base.ts';
import type { WordVectors } from '../../ai/embeddings/word-vectors.ts';
import { mapBounded } from '../../platform/concurrency.ts';
import { namespaceOf } from '../../platform/storage/upstash-vector-index.ts';
import type { EditionEntry } from '../articles/article.ts';
import { usualLanguage } from '../edition/collect-words.ts';
import { embeddingTextOf } from '../edition/edition-vectors.ts';
import { lexiconCounter } from './lexicon.ts';
import type { LargeMode } from './publishing-ports.ts';
import { sparseVectorsOf } from './sparse-vectors.ts';
import { upstashHybridIndex } from './upstash-hybrid-index.ts';

/** Raised when stems or weights change: then all records are written again, as with another model or index. */
const RECORD_VERSION = 1;

/** Texts of one call of the model. */
const TEXTS = 128;

interface LargeModeParts {
  workspace: string;
  hybrid: HybridChoice;
  /** Absent: word vectors. */
  provider: EmbeddingProvider | undefined;
  wordVectors: () => WordVectors;
}

/** How a workspace's passages get into a hybrid index. */
export function largeModeOf({
  workspace,
  hybrid,
  provider,
  wordVectors,
}: LargeModeParts): LargeMode {
  const { url, token, fromPassages } = hybrid;
  const { model, dimensions } = provider ?? wordVectors();
  return {
    namespaceOf: (generation) => namespaceOf('passages', workspace, generation),
    indexOf: (namespace) => upstashHybridIndex({ url, token, namespace, dimensions }),
    space: { model, dimensions },
    madeWith: [RECORD_VERSION, model, dimensions, url].join(' '),
    usualOf: usualLanguage,
    vectorsOf: async (entries, usual) => {
      const sparse = entries.map((entry) => sparseVectorsOf(entry, usual));
      const texts = entries.flatMap(textsOf);
      const dense = provider
        ? await embedded(texts, provider)
        : texts.map((text) => wordVectors().vectorOfText(text));
      let next = 0;
      return sparse.map((vectors) =>
        vectors.map((each) => ({ sparse: each, dense: withDirection(dense[next++], dimensions) })),
      );
    },
    counterFor: lexiconCounter,
    fromPassages,
  };
}

const textsOf = ({ article, chunks }: EditionEntry): string[] =>
  chunks.map((chunk) => embeddingTextOf({ ...chunk, title: article.title }));

const embedded = async (texts: string[], provider: EmbeddingProvider): Promise<number[][]> => {
  const batches = Array.from({ length: Math.ceil(texts.length / TEXTS) }, (_, at) =>
    texts.slice(at * TEXTS, (at + 1) * TEXTS),
  );
  const lists = await mapBounded(batches, (batch) => provider.embedBatch(batch));
  return lists.flat();
};

/** Cosine needs a direction: a text without known words gets one that is close to no other. */
const withDirection = (
  vector: Float32Array | readonly number[] | undefined,
  dimensions: number,
): number[] => {
  const hasDirection = vector?.some((value) => value !== 0) === true;
  if (vector === undefined || !hasDirection) return new Array<number>(dimensions).fill(0.1);
  return Array.from(vector, (value) => Number(value.toPrecision(4)));
};
