import { type Block, lineRanges } from '../../markup/parse-blocks.ts';
import { estimateTokens } from '../../text/estimate-tokens.ts';

/**
 * Cuts a block that is too large for one chunk where a reader would: a list between its items, a table between rows,
 * code and text between lines; a line that alone is too large between sentences, else words, else anywhere but within
 * a surrogate pair.
 *
 * @returns Ranges in order, each at most `2 * maxTokens`, that leave out nothing but white space between them.
 */
export const cutBlock = (block: Block, text: string, maxTokens: number): Piece[] => {
  const borders = [...block.itemStarts.filter((start) => start > block.start), block.end];
  let start = block.start;
  return borders.flatMap((end) => {
    const piece = pieceOf(text, start, end);
    start = end;
    return cut(piece, text, maxTokens, 0);
  });
};

interface Piece {
  start: number;
  end: number;
  tokenCount: number;
}

/** From the best place to cut to the worst. Each yields ranges that follow one another. */
const CUTTERS: ((text: string, piece: Piece) => Iterable<[number, number]>)[] = [
  (text, { start, end }) => lineRanges(text, start, end),
  (text, { start, end }) => rangesBefore(text, start, end, /[.!?。！？]["')\]]*\s+|[。！？]/g),
  (text, { start, end }) => rangesBefore(text, start, end, /\s+/g),
  (text, { start, end }) => fixedRanges(text, start, end),
];

const cut = (piece: Piece, text: string, maxTokens: number, level: number): Piece[] => {
  if (piece.tokenCount === 0) return [];
  const cutter = CUTTERS[level];
  if (piece.tokenCount <= 2 * maxTokens || !cutter) return [piece];
  const joined: Piece[] = [];
  for (const [start, end] of cutter(text, piece)) {
    const next = pieceOf(text, start, end);
    const last = joined.at(-1);
    if (next.tokenCount === 0) continue;
    const together = last ? last.tokenCount + next.tokenCount + estimateTokens(text.slice(last.end, next.start)) : 0;
    if (last && together <= maxTokens) {
      last.end = next.end;
      last.tokenCount = together;
    } else joined.push(next);
  }
  return joined.flatMap((part) => cut(part, text, maxTokens, level + 1));
};

const pieceOf = (text: string, start: number, end: number): Piece => {
  const slice = text.slice(start, end).trimEnd();
  return { start, end: start + slice.length, tokenCount: estimateTokens(slice) };
};

/** Ranges that each end with a match of the border, the last one with the piece. */
function* rangesBefore(text: string, start: number, end: number, border: RegExp): Generator<[number, number]> {
  const slice = text.slice(start, end);
  let from = 0;
  for (const match of slice.matchAll(border)) {
    const to = match.index + match[0].length;
    yield [start + from, start + to];
    from = to;
  }
  if (from < slice.length) yield [start + from, end];
}

/** Ranges of 50 UTF-16 units, at most 50 tokens each. */
function* fixedRanges(text: string, start: number, end: number): Generator<[number, number]> {
  for (let from = start; from < end; ) {
    const splitsPair = (text.charCodeAt(from + 49) & 0xfc00) === 0xd800;
    const to = Math.min(end, from + (splitsPair ? 49 : 50));
    yield [from, to];
    from = to;
  }
}
