import { encodeKey } from './answering-model.ts';
import { backgroundShares } from './background-shares.ts';
import type { Edition } from './open-edition.ts';
import { entryText } from './text-table.ts';

/**
 * For each term of an edition how much more often it occurs there than in English at large, as `encodeKey` bytes. A term
 * that the background does not list counts as half as common as the rarest that it does.
 */
export const keysOfTerms = ({ index, wordTotal }: Edition): Uint8Array => {
  const shares = backgroundShares();
  const rarest = Math.min(...shares.values());
  const keys = new Uint8Array(index.terms.count);
  for (let term = 0; term < keys.length; term++) {
    const here = ((index.termCounts[term] ?? 0) + 0.05) / Math.max(1, wordTotal);
    const atLarge = shares.get(entryText(index.terms, term)) ?? rarest / 2;
    keys[term] = encodeKey(Math.log(here / atLarge));
  }
  return keys;
};
