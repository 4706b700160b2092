import type { AnswerPart, Contradiction } from '../../../contract/joined-answer.ts';

/** Room for all parts together, in the units of the contract's metadata limit (256,000), with some left for what others add. */
const ROOM = 240_000;
/** Levels of a part's own metadata, so that with the three above it they stay within the contract's 16. */
const MAX_DEPTH = 13;

/**
 * Leaves out what would not fit `metadata` of a Response: first metadata of parts, largest first, then answers, largest first
 * (their text is in the joined answer, as far as it fits there).
 */
export const fitParts = (parts: readonly AnswerPart[], contradictions: readonly Contradiction[] = []): AnswerPart[] => {
  const fitted = parts.map((part): AnswerPart => {
    const { metadata, ...rest } = part;
    return metadata === undefined || sizeOf(metadata, MAX_DEPTH) === Number.POSITIVE_INFINITY ? rest : part;
  });
  const sizes = fitted.map(({ metadata, answer, ...rest }) => ({
    metadata: metadata === undefined ? 0 : sizeOf(metadata, MAX_DEPTH),
    answer: answer?.length ?? 0,
    rest: sizeOf(rest, MAX_DEPTH),
  }));
  let left = ROOM - sizeOf(contradictions, MAX_DEPTH);
  for (const { metadata, answer, rest } of sizes) left -= metadata + answer + rest + OVERHEAD;
  for (const member of ['metadata', 'answer'] as const) {
    const largestFirst = sizes
      .map((size, place) => ({ place, size: size[member] }))
      .toSorted((a, b) => b.size - a.size);
    for (const { place, size } of largestFirst) {
      if (left >= 0 || size === 0) break;
      const part = fitted[place];
      if (part !== undefined) delete part[member];
      left += size;
    }
  }
  return fitted;
};

/** Of the names and values around a part. */
const OVERHEAD = 100;

/** As `jsonObject` counts; infinite when nested deeper than `depth`, or larger than there is room for. */
const sizeOf = (value: unknown, depth: number): number => {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? value.length + 1 : 1;
  if (depth === 0) return Number.POSITIVE_INFINITY;
  let size = 1;
  for (const [key, member] of Object.entries(value)) {
    size += sizeOf(member, depth - 1) + (Array.isArray(value) ? 0 : key.length);
    if (size > ROOM) return Number.POSITIVE_INFINITY;
  }
  return size;
};
