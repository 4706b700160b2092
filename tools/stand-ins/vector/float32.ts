/**
 * The number whose decimal form is the shortest that still names the same 32-bit float, as the service prints values and
 * scores: 0.1 stays 0.1, and is not 0.10000000149011612. Numbers below 1e-38 may get more digits than they need.
 */
export function shortestFloat32(value: number): number {
  const single = Math.fround(value);
  // Up to six digits survive the way to 32 bits and back; nine always distinguish adjacent numbers.
  for (const digits of [6, 7, 8]) {
    const shorter = Number(single.toPrecision(digits));
    if (Math.fround(shorter) === single) return shorter;
  }
  return Number(single.toPrecision(9));
}
