import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openWordVectors, type WordVectors } from '../../src/ai/embeddings/word-vectors.ts';

const TABLE = fileURLToPath(new URL('../../src/ai/embeddings/static-words-2.bin', import.meta.url));

let opened: WordVectors | undefined;

/** The table of word vectors that the functions carry, for tools and tests that run in Node. */
export function shippedWordVectors(): WordVectors {
  opened ??= openWordVectors(Uint8Array.from(readFileSync(TABLE)));
  return opened;
}
