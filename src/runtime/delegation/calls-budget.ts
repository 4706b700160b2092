/** Calls that may still be made below one librarian for one question (signed context 4.8). */
export interface CallsBudget {
  left(): number;
  /** For calls that are sent, and for those that their targets may make. The caller has looked at `left`. */
  take(calls: number): void;
  /** What was taken and, as a receipt says or because nothing was sent, not used. */
  giveBack(calls: number): void;
}

export const callsBudget = (total: number): CallsBudget => {
  let left = total;
  return {
    left: () => left,
    take: (calls) => {
      left -= calls;
    },
    giveBack: (calls) => {
      left += calls;
    },
  };
};

/** `total` in `count` shares that differ by one at most, the larger ones first; each at least 1 where `count <= total`. */
export const sharesOf = (total: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => Math.floor(total / count) + (index < total % count ? 1 : 0));

/**
 * How much of its budget one call hands down to its target, the call itself being paid for. Half is kept where a
 * fallback may have to ask the same; otherwise one call for a retry, where that is little of what is left.
 */
export const handedDown = (left: number, { fallback }: { fallback: boolean }): number => {
  if (fallback) return Math.floor(left / 2);
  return left >= SPARED_FROM ? left - 1 : left;
};

const SPARED_FROM = 4;
