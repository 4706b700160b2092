import type { EmbeddingProvider } from '../../src/ai/embeddings/base.ts';
import type { WordVectors } from '../../src/ai/embeddings/word-vectors.ts';

/**
 * Word vectors behind the port of embedding models. `embed` is for questions, whose vector is shorter the more of their words are
 * unknown; `embedBatch` is for passages, which have length 1. A text without a known word has the zero vector.
 */
export function wordVectorProvider(words: WordVectors): EmbeddingProvider {
  const numbers = (vector: Float32Array | undefined): number[] =>
    Array.from(vector ?? new Float32Array(words.dimensions));
  return {
    model: words.model,
    dimensions: words.dimensions,
    embed: async (text) => numbers(words.vectorOfQuestion(text)),
    embedBatch: async (texts) => texts.map((text) => numbers(words.vectorOfText(text))),
  };
}
