import { type Block, parseBlocks } from '../../documents/markdown/blocks.ts';
import { plainHeading } from '../../documents/markdown/render-markdown.ts';
import type { Article, Chunk } from './article.ts';

/**
 * Cuts an article into chunks that each stand alone. A chunk never reaches over a heading; the
 * blocks of one section are packed together up to `maxTokens`; code blocks, tables, lists and paragraphs stay whole up
 * to twice that, and beyond it are cut between lines, rows, items or sentences. Nothing is repeated.
 *
 * @param options.maxTokens What packing aims at, by `estimateTokens`; 50 to 2000, 400 unless given.
 * @returns Chunks in article order, whose `text` is exactly `article.text.slice(start, end)`. Together they cover every
 *   block of text once; headings stand in `headingPath` only. Empty for a blank article.
 * @throws {RangeError} When `maxTokens` is out of range.
 */
export function chunkArticle(
  article: Article,
  { maxTokens = 400 }: { maxTokens?: number } = {},
): Chunk[] {
  if (!(maxTokens >= 50 && maxTokens <= 2000))
    throw new RangeError('Cannot chunk: maxTokens is not within 50 and 2000');
  return sectionsOf(article)
    .flatMap(({ headingPath, pieces }) =>
      pack(piecesOf(pieces, article.text, maxTokens), article.text, maxTokens).map((range) => ({
        headingPath,
        ...range,
      })),
    )
    .map(({ headingPath, start, end, tokenCount }, position) => ({
      articleId: article.id,
      position,
      headingPath,
      text: article.text.slice(start, end),
      start,
      end,
      tokenCount,
    }));
}

interface Section {
  headingPath: string[];
  pieces: Block[];
}

interface Piece {
  start: number;
  end: number;
  tokenCount: number;
}

/** A paragraph that an underline of dashes turns into a heading is still a paragraph when it is this long. */
const MAX_HEADING_CHARACTERS = 300;

const sectionsOf = ({ text, title }: Article): Section[] => {
  const sections: Section[] = [{ headingPath: [], pieces: [] }];
  const open: { depth: number; words: string }[] = [];
  for (const block of parseBlocks(text)) {
    if (block.depth === 0 || block.end - block.start > MAX_HEADING_CHARACTERS) {
      sections.at(-1)?.pieces.push(block);
      continue;
    }
    while ((open.at(-1)?.depth ?? 0) >= block.depth) open.pop();
    const words = plainHeading(text.slice(block.start, block.end));
    open.push({ depth: block.depth, words: isSame(words, title) ? '' : words });
    sections.push({
      headingPath: open.map((heading) => heading.words).filter((word) => word !== ''),
      pieces: [],
    });
  }
  return sections;
};

const isSame = (one: string, other: string): boolean =>
  one.trim().toLowerCase() === other.trim().toLowerCase();

const piecesOf = (blocks: Block[], text: string, maxTokens: number): Piece[] =>
  blocks
    .filter(({ kind, start, end }) => kind !== 'raw' && text.slice(start, end).trim() !== '')
    .flatMap((block) => {
      const tokenCount = estimateTokens(text.slice(block.start, block.end));
      return tokenCount <= 2 * maxTokens
        ? [{ start: block.start, end: block.end, tokenCount }]
        : cutBlock(block, text, maxTokens);
    });

/** Joins adjacent blocks evenly up to `maxTokens`: 420 tokens become two chunks of 210, not one of 400 and one of 20. */
const pack = (pieces: Piece[], text: string, maxTokens: number): Piece[] => {
  const total = pieces.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
  const goal = total / Math.ceil(total / maxTokens);
  const packed: Piece[] = [];
  for (const piece of pieces) {
    const last = packed.at(-1);
    const together = last
      ? last.tokenCount + piece.tokenCount + estimateTokens(text.slice(last.end, piece.start))
      : 0;
    if (last && last.tokenCount < goal && together <= maxTokens) {
      last.end = piece.end;
      last.tokenCount = together;
    } else packed.push({ ...piece });
  }
  return packed;
};

/**
 * Cuts a block that is too large for one chunk where a reader would: a list between its items, a table between rows,
 * code and text between lines; a line that alone is too large between sentences, else words, else anywhere but within
 * a surrogate pair.
 *
 * @returns Ranges in order, each at most `2 * maxTokens`, that leave out nothing but white space between them.
 */
const cutBlock = (block: Block, text: string, maxTokens: number): Piece[] => {
  const items = block.kind === 'list' ? block.items : [];
  const borders = [...items.slice(1).map((item) => item.start), block.end];
  let start = block.start;
  return borders.flatMap((end) => {
    const piece = pieceOf(text, start, end);
    start = end;
    return cut(piece, text, maxTokens, 0);
  });
};

/** From the best place to cut to the worst. Each yields ranges that follow one another. */
const CUTTERS: ((text: string, piece: Piece) => Iterable<[number, number]>)[] = [
  (text, { start, end }) => rangesBefore(text, start, end, /\n/g),
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
    const together = last
      ? last.tokenCount + next.tokenCount + estimateTokens(text.slice(last.end, next.start))
      : 0;
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
function* rangesBefore(
  text: string,
  start: number,
  end: number,
  border: RegExp,
): Generator<[number, number]> {
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

/**
 * Estimates the number of tokens of a text, in one pass and without a vocabulary: one per six letters of a run and per
 * three digits of a run (rounded up), one per character of a script without spaces, one per other mark, one per sixteen
 * white-space characters in a row. On English prose the estimate is about 10 % above byte-pair encodings, so a chunk that
 * fits by this count fits by theirs.
 */
const estimateTokens = (text: string): number => {
  let tokens = 0;
  let letters = 0;
  let digits = 0;
  let spaces = 0;
  for (let at = 0; at < text.length; at += 1) {
    const kind = kindOf(text.charCodeAt(at));
    letters = kind === LETTER ? letters + 1 : 0;
    digits = kind === DIGIT ? digits + 1 : 0;
    spaces = kind === SPACE ? spaces + 1 : 0;
    if (kind === MARK || letters % 6 === 1 || digits % 3 === 1 || spaces % 16 === 15) tokens += 1;
  }
  return tokens;
};

const SPACE = 0;
const LETTER = 1;
const DIGIT = 2;
const MARK = 3;

const kindOf = (code: number): number => {
  if (code <= 32 || code === 0xa0) return SPACE;
  if (code < 128) return ASCII_KINDS[code] ?? MARK;
  // From U+2E80 on stand CJK, kana, Hangul and the surrogates of emoji: about one token each.
  return code >= 0x2e80 || (code >= 0x2000 && code < 0x2c00) ? MARK : LETTER;
};

const asciiKind = (code: number): number => {
  if (code >= 48 && code <= 57) return DIGIT;
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122) ? LETTER : MARK;
};

const ASCII_KINDS = Uint8Array.from({ length: 128 }, (_, code) => asciiKind(code));
