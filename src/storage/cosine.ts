/** How close two vectors are, -1 to 1; 0 where one is all zeros, or they are of different length. */
export const cosine = (one: readonly number[], other: readonly number[]): number => {
  if (one.length !== other.length) return 0;
  let product = 0;
  let squares = 0;
  let otherSquares = 0;
  for (const [at, value] of one.entries()) {
    const otherValue = other[at] ?? 0;
    product += value * otherValue;
    squares += value * value;
    otherSquares += otherValue * otherValue;
  }
  const length = Math.sqrt(squares) * Math.sqrt(otherSquares);
  return length === 0 ? 0 : Math.min(Math.max(product / length, -1), 1);
};
