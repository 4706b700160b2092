import { MAX_TRACE_HOPS, type TraceHop } from '../../contract/response.ts';

/** A question that was asked here, and what its target said of those that it led to. */
export interface RecordedHop {
  own: TraceHop;
  below: readonly TraceHop[];
}

/**
 * The hops of a trace, each before those that it led to. All that was asked here comes first in counting: what is left
 * of the room is shared by the targets, so that none that reports many hops displaces those of another.
 */
export const assembleHops = (recorded: readonly RecordedHop[]): TraceHop[] => {
  const told = recorded.slice(0, MAX_TRACE_HOPS);
  const shares = fairShares(
    told.map(({ below }) => below.length),
    MAX_TRACE_HOPS - told.length,
  );
  return told.flatMap(({ own, below }, place) => [own, ...below.slice(0, shares[place])]);
};

/** What each gets of `room`: as much as it wants, or as much as all others that cannot have what they want. */
const fairShares = (wanted: readonly number[], room: number): number[] => {
  const shares = wanted.map(() => 0);
  let left = room;
  const leastFirst = wanted.map((count, place) => ({ count, place })).toSorted((a, b) => a.count - b.count);
  for (const [index, { count, place }] of leastFirst.entries()) {
    const share = Math.min(count, Math.floor(left / (wanted.length - index)));
    shares[place] = share;
    left -= share;
  }
  return shares;
};
