import { StoreUnavailable } from '../../storage/store-unavailable.ts';
import type { VectorIndex } from '../../storage/vector-index.ts';

/** Pages of a listing, of a thousand ids as a rule: more than an edition has chunks. */
const MAX_PAGES = 300;

/**
 * Which of the vectors an index does not have: all when somebody emptied it.
 *
 * @throws {StoreUnavailable} Also when the index has more pages than 300.
 */
export const missingVectors = async (
  index: Pick<VectorIndex, 'list'>,
  ids: readonly string[],
  { signal }: { signal: AbortSignal },
): Promise<string[]> => {
  const missing = new Set(ids);
  let cursor: string | undefined;
  for (let page = 0; missing.size > 0; page += 1) {
    if (page === MAX_PAGES)
      throw new StoreUnavailable('malformed', 'Cannot compare the vectors: the index lists too many');
    const listed = await index.list({ cursor, signal });
    for (const id of listed.ids) missing.delete(id);
    if (listed.next === undefined) break;
    cursor = listed.next;
  }
  return [...missing];
};
