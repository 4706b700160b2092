import type { EmbeddingOptions, EmbeddingProvider } from '../../src/ai/embeddings/base.ts';
import { wordsOf } from './memory-storage.ts';

export interface WordEmbeddings extends EmbeddingProvider {
  /** Texts of each call, oldest first. */
  calls: string[][];
}

/** Vectors that are more similar the more words two texts share: a hash maps each word to a dimension. */
export const wordEmbeddings = ({
  dimensions = 64,
  fail,
}: {
  dimensions?: number;
  fail?: () => Error;
} = {}): WordEmbeddings => {
  const calls: string[][] = [];
  const embedBatch = async (texts: string[], options?: EmbeddingOptions): Promise<number[][]> => {
    calls.push(texts);
    options?.signal?.throwIfAborted();
    if (fail !== undefined) throw fail();
    return texts.map((text) => vectorOf(text, dimensions));
  };
  return {
    calls,
    dimensions,
    model: 'words',
    embed: async (text, options) => (await embedBatch([text], options))[0] ?? [],
    embedBatch,
  };
};

export const vectorOf = (text: string, dimensions = 64): number[] => {
  const vector = new Array<number>(dimensions).fill(0);
  for (const word of wordsOf(text)) {
    let hash = 7;
    for (const character of word) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
    const place = hash % dimensions;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  return vector;
};
