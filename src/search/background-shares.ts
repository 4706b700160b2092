import { BACKGROUND_WORDS } from './background-words.ts';

/** Share of each listed stem in general English; parsed once. */
export const backgroundShares = (): ReadonlyMap<string, number> => {
  known ??= readShares();
  return known;
};
let known: ReadonlyMap<string, number> | undefined;

const readShares = (): Map<string, number> => {
  const shares = new Map<string, number>();
  for (const [step, stems] of Object.entries(BACKGROUND_WORDS)) {
    let previous = '';
    for (const [, shared, rest] of stems.matchAll(/(\d)([a-z]+)/g)) {
      previous = previous.slice(0, Number(shared)) + rest;
      shares.set(previous, Math.exp(-Number(step) / 2));
    }
  }
  return shares;
};
