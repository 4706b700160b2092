import { WORD_VECTORS_MODEL } from '../ai/embeddings/word-vectors.ts';
import { chunkAtHand } from '../search/chunks-at-hand.ts';
import type { Edition } from '../search/open-edition.ts';
import type { SearchOutcome } from '../search/search-edition.ts';
import { semanticRelevances } from '../search/semantic-calibration.ts';
import type { Unit } from './units.ts';

/** Less near passages tell nothing. */
const NEAR_FROM = 0.5;

/**
 * Tells how probably a unit answers by its meaning alone, 0 to 1, as an embedding model that was configured compares whole texts. The
 * table of word vectors that stands in for one is none: what it compares is among the features of units.
 */
export const nearnessIn = (edition: Edition, search: SearchOutcome | undefined): ((unit: Unit) => number) => {
  if (search?.model === undefined || search.model === WORD_VECTORS_MODEL) return () => 0;
  const near = semanticRelevances(search).flatMap((relevance = 0, at) => {
    const hit = search.hits[at];
    return hit === undefined || relevance < NEAR_FROM ? [] : [{ relevance, chunk: chunkAtHand(edition, hit.chunk) }];
  });
  return ({ parts }) =>
    near.reduce((most, { relevance, chunk }) => {
      const isWithin = parts.some(
        ({ section, pieces }) =>
          chunk.index >= section.firstChunk &&
          chunk.index < section.endChunk &&
          pieces.some(({ start, end }) => section.start + start < chunk.end && section.start + end > chunk.start),
      );
      return isWithin ? Math.max(most, relevance) : most;
    }, 0);
};
