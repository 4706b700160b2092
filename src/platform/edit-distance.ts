/**
 * Damerau-Levenshtein distance (optimal string alignment) between `word` and the range `from` to `to` of `bytes`, in UTF-8
 * bytes: a letter beyond ASCII may count as two.
 *
 * @returns The distance; any number above `limit` when it is more.
 */
export function editDistance(
  word: Uint8Array,
  bytes: Uint8Array,
  { from, to, limit }: { from: number; to: number; limit: number },
): number {
  let start = 0;
  let wordEnd = word.length;
  let bytesEnd = to;
  while (start < wordEnd && from + start < bytesEnd && word[start] === bytes[from + start]) start++;
  while (wordEnd > start && bytesEnd > from + start && word[wordEnd - 1] === bytes[bytesEnd - 1]) {
    wordEnd--;
    bytesEnd--;
  }
  const wordRest = wordEnd - start;
  const bytesRest = bytesEnd - from - start;
  if (wordRest === 0 || bytesRest === 0) return Math.max(wordRest, bytesRest);
  if (limit > 1 || (wordRest === 2 && bytesRest === 2)) {
    return fullDistance(
      word.subarray(start, wordEnd),
      bytes.subarray(from + start, bytesEnd),
      limit,
    );
  }
  return wordRest === 1 && bytesRest === 1 ? 1 : limit + 1;
}

const fullDistance = (left: Uint8Array, right: Uint8Array, limit: number): number => {
  const width = right.length + 1;
  let beforeLast = new Uint16Array(width);
  let last = Uint16Array.from({ length: width }, (_, column) => column);
  let current = new Uint16Array(width);
  for (let row = 1; row <= left.length; row++) {
    current[0] = row;
    let smallest = row;
    for (let column = 1; column < width; column++) {
      const changed = left[row - 1] === right[column - 1] ? 0 : 1;
      const inserted = (current[column - 1] ?? 0) + 1;
      let distance = Math.min((last[column] ?? 0) + 1, inserted, (last[column - 1] ?? 0) + changed);
      const isSwap =
        row > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (isSwap) distance = Math.min(distance, (beforeLast[column - 2] ?? 0) + 1);
      current[column] = distance;
      smallest = Math.min(smallest, distance);
    }
    if (smallest > limit) return limit + 1;
    [beforeLast, last, current] = [last, current, beforeLast];
  }
  return last[width - 1] ?? limit + 1;
};
