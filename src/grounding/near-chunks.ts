import type { SearchOutcome } from '../search/search-edition.ts';
import { semanticRelevances } from '../search/semantic-calibration.ts';

/** From this probability on a passage is taken to answer by its meaning, though it shares no word with the question. */
const NEAR_FROM = 0.5;

/** The chunks that answer by their meaning; none where meanings were not compared. */
export const nearChunks = (outcome: SearchOutcome): ReadonlySet<number> => {
  const relevances = semanticRelevances(outcome);
  return new Set(outcome.hits.flatMap(({ chunk }, at) => ((relevances[at] ?? 0) >= NEAR_FROM ? [chunk] : [])));
};
