/** Numbers that look random and are the same on every run. */
export interface SeededRandom {
  /** 0 (included) to 1 (excluded). */
  next(): number;
  /** A whole number, both ends included. */
  between(least: number, most: number): number;
  pick<T>(list: readonly [T, ...T[]] | readonly T[]): T;
}

/** A multiply-with-carry generator by G. Marsaglia, good enough for sample data. */
export function seededRandom(seed: number): SeededRandom {
  let high = 362_436_069 ^ seed;
  let low = 521_288_629 + seed;
  const next = (): number => {
    high = (36_969 * (high & 0xffff) + (high >>> 16)) >>> 0;
    low = (18_000 * (low & 0xffff) + (low >>> 16)) >>> 0;
    return (((high << 16) + (low & 0xffff)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number): number =>
    least + Math.floor(next() * (most - least + 1));
  return {
    next,
    between,
    pick: (list) => {
      const picked = list[between(0, list.length - 1)];
      if (picked === undefined) throw new RangeError('Cannot pick from an empty list');
      return picked;
    },
  };
}
