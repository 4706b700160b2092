import { plainHeading } from '../../markup/markdown-to-text.ts';
import { type Block, parseBlocks } from '../../markup/parse-blocks.ts';
import type { Article } from '../../search/article.ts';
import type { Chunk } from '../../search/chunk.ts';
import { estimateTokens } from '../../text/estimate-tokens.ts';
import { cutBlock } from './cut-block.ts';

/**
 * Cuts an article into chunks that each stand alone (design, section 5). A chunk never reaches over a heading; the
 * blocks of one section are packed together up to `maxTokens`; code blocks, tables, lists and paragraphs stay whole up
 * to twice that, and beyond it are cut between lines, rows, items or sentences. Nothing is repeated.
 *
 * @param options.maxTokens What packing aims at, by `estimateTokens`; 50 to 2000, 400 unless given.
 * @returns Chunks in article order, whose `text` is exactly `article.text.slice(start, end)`. Together they cover every
 *   block of text once; headings stand in `headingPath` only. Empty for a blank article.
 * @throws {RangeError} When `maxTokens` is out of range.
 */
export const chunkArticle = (article: Article, { maxTokens = 400 }: { maxTokens?: number } = {}): Chunk[] => {
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
};

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
    sections.push({ headingPath: open.map((heading) => heading.words).filter((word) => word !== ''), pieces: [] });
  }
  return sections;
};

const isSame = (one: string, other: string): boolean => one.trim().toLowerCase() === other.trim().toLowerCase();

const piecesOf = (blocks: Block[], text: string, maxTokens: number): Piece[] =>
  blocks
    .filter(({ kind, start, end }) => kind !== 'empty' && text.slice(start, end).trim() !== '')
    .flatMap((block) => {
      const tokenCount = estimateTokens(text.slice(block.start, block.end));
      return tokenCount <= 2 * maxTokens
        ? [{ start: block.start, end: block.end, tokenCount }]
        : cutBlock(block, text, maxTokens);
    });

/** Joins neighbours up to `maxTokens`, and evenly: 420 tokens become two chunks of 210, not one of 400 and one of 20. */
const pack = (pieces: Piece[], text: string, maxTokens: number): Piece[] => {
  const total = pieces.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
  const goal = total / Math.ceil(total / maxTokens);
  const packed: Piece[] = [];
  for (const piece of pieces) {
    const last = packed.at(-1);
    const together = last ? last.tokenCount + piece.tokenCount + estimateTokens(text.slice(last.end, piece.start)) : 0;
    if (last && last.tokenCount < goal && together <= maxTokens) {
      last.end = piece.end;
      last.tokenCount = together;
    } else packed.push({ ...piece });
  }
  return packed;
};
