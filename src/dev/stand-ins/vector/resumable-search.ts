import type { LocalIndex } from './local-index.ts';
import type { Scored } from './scoring.ts';
import { searchNamespace } from './search-namespace.ts';
import type { ResumableSearch } from './search-request.ts';
import { VectorRefusal } from './vector-error.ts';

const MAX_OPEN = 1000;

/** Opens a search under a name. The oldest makes room when 1000 are open. */
export const openSearch = (
  { resumableSearches, indexing }: LocalIndex,
  uuid: string,
  search: Omit<ResumableSearch, 'found' | 'usedAt'>,
): ResumableSearch => {
  const oldest = resumableSearches.keys().next().value;
  if (resumableSearches.size >= MAX_OPEN && oldest !== undefined) resumableSearches.delete(oldest);
  const opened = { ...search, found: new Set<string>(), usedAt: indexing.now() };
  resumableSearches.set(uuid, opened);
  return opened;
};

/** @throws {VectorRefusal} 404 when it was never opened, is closed, or rested for longer than it may. */
export const findSearch = ({ resumableSearches, indexing }: LocalIndex, uuid: string): ResumableSearch => {
  const search = resumableSearches.get(uuid);
  if (!search || indexing.now() - search.usedAt > search.maxIdleMs) {
    resumableSearches.delete(uuid);
    throw new VectorRefusal(404, `Resumable query with the uuid ${uuid} does not exist`);
  }
  search.usedAt = indexing.now();
  return search;
};

/** The next `count`. Each batch is ranked and fused for itself, among what has not been found before. */
export const continueSearch = (index: LocalIndex, resumable: ResumableSearch, count: number): Scored[] => {
  const { search, records, found } = resumable;
  const batch = searchNamespace(index, records, search, { leftOut: found, perList: count }).slice(0, count);
  for (const { record } of batch) found.add(record.id);
  return batch;
};
