import type { Word } from './read-words.ts';

/** Words that stand between two that both sentences have, in order. */
export interface Gap {
  ours: readonly Word[];
  theirs: readonly Word[];
}

/** Aligns two sentences by their longest common subsequence of words: how many words that has, and where they differ. */
export const align = (ours: readonly Word[], theirs: readonly Word[]): { shared: number; gaps: Gap[] } => {
  const width = theirs.length + 1;
  const lengths = new Uint16Array((ours.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  const isSame = (i: number, j: number): boolean => ours[i]?.key === theirs[j]?.key;
  for (let i = ours.length - 1; i >= 0; i -= 1)
    for (let j = theirs.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] = isSame(i, j) ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const gaps: Gap[] = [];
  let [i, j, fromOurs, fromTheirs] = [0, 0, 0, 0];
  const close = () => {
    if (i > fromOurs || j > fromTheirs)
      gaps.push({ ours: ours.slice(fromOurs, i), theirs: theirs.slice(fromTheirs, j) });
  };
  while (i < ours.length && j < theirs.length) {
    if (isSame(i, j)) {
      close();
      i += 1;
      j += 1;
      [fromOurs, fromTheirs] = [i, j];
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  [i, j] = [ours.length, theirs.length];
  close();
  return { shared: at(0, 0), gaps };
};
