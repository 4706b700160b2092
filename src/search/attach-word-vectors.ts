import { WORD_VECTORS_MODEL, type WordVectors } from '../ai/embeddings/word-vectors.ts';
import { attachVectors } from './attach-vectors.ts';
import { embeddingTextOf } from './embedding-text.ts';
import { openEdition } from './open-edition.ts';
import { packVector, quantise } from './quantise.ts';

/** Gives every chunk of an edition its vector from the table of word vectors; `edition` must not be used any more. */
export const attachWordVectors = (edition: Uint8Array, words: WordVectors): Uint8Array<ArrayBuffer> => {
  const { index, chunk, article, chunkCount } = openEdition(edition);
  const rows = Array.from({ length: chunkCount }, (_, place) => {
    const text = embeddingTextOf({ ...chunk(place), title: article(index.articleOf(place)).title });
    const vector = words.vectorOfText(text);
    return vector && packVector(quantise(vector));
  });
  const space = { model: WORD_VECTORS_MODEL, dimensions: words.dimensions };
  return attachVectors(edition, { kind: 'rows', space, rows, chunks: chunkCount });
};
