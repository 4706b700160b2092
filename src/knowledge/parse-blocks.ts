import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTable } from 'micromark-extension-gfm-table';

/** A block at the top level of a Markdown text: `[start, end)` in UTF-16 units, indentation of the first line included. */
export interface Block {
  kind: 'heading' | 'text' | 'list' | 'code' | 'table' | 'empty';
  start: number;
  end: number;
  /** 1 to 6 for a heading, else 0. */
  depth: number;
  /** Where the items of a list start; empty for all others. */
  itemStarts: number[];
}

/**
 * Finds the top-level blocks of a Markdown text (CommonMark 0.31.2 with the tables of GFM), in order.
 *
 * Only the block structure is parsed: with emphasis, links and code spans a single paragraph of 1 MB took 9.8 s, without
 * them 0.3 s. A text nested more than 50 levels deep (a list of 5,000 levels took 5.7 s), or with more than 20,000 lines or a million characters, is
 * read line by line instead: headings and blank lines are seen, all else is text.
 */
export const parseBlocks = (markdown: string): Block[] =>
  isTooMuch(markdown) ? blocksOfLines(markdown) : blocksOfTree(markdown);

const blocksOfTree = (markdown: string): Block[] => {
  const tree = fromMarkdown(markdown, {
    extensions: [gfmTable(), { disable: { null: INLINE_CONSTRUCTS } }],
    mdastExtensions: [gfmTableFromMarkdown()],
  });
  return tree.children.map((node) => blockOf(node, markdown));
};

type TopNode = ReturnType<typeof fromMarkdown>['children'][number];

const blockOf = (node: TopNode, markdown: string): Block => {
  const start = lineStart(markdown, node.position?.start.offset ?? 0);
  return {
    kind: kindOf(node),
    start,
    end: node.position?.end.offset ?? start,
    depth: node.type === 'heading' ? node.depth : 0,
    itemStarts:
      node.type === 'list'
        ? node.children.map((item) => lineStart(markdown, item.position?.start.offset ?? start))
        : [],
  };
};

const kindOf = (node: TopNode): Block['kind'] => {
  if (node.type === 'heading' || node.type === 'list' || node.type === 'code' || node.type === 'table')
    return node.type;
  if (node.type === 'thematicBreak') return 'empty';
  return node.type === 'html' && isComment(node.value) ? 'empty' : 'text';
};

const isComment = (html: string): boolean => html.startsWith('<!--') && html.indexOf('-->') === html.length - 3;

/** The offset moved back over the white space before it, if nothing else stands on its line. */
const lineStart = (markdown: string, offset: number): number => {
  let at = offset;
  while (at > 0 && (markdown[at - 1] === ' ' || markdown[at - 1] === '\t')) at -= 1;
  return at === 0 || markdown[at - 1] === '\n' ? at : offset;
};

/** Definitions are left to stand as text too: they are part of what the article says, and 20,000 of them took 1.3 s. */
const INLINE_CONSTRUCTS = [
  ...['attention', 'autolink', 'characterEscape', 'characterReference', 'codeText', 'definition'],
  ...['hardBreakEscape', 'htmlText', 'labelEnd', 'labelStartImage', 'labelStartLink'],
];

const isTooMuch = (markdown: string): boolean => {
  if (markdown.length > MAX_CHARACTERS) return true;
  let lines = 0;
  let levels = 0;
  for (const [start, end] of lineRanges(markdown)) {
    lines += 1;
    const opener = CONTAINERS.exec(markdown.slice(start, Math.min(end, start + 200)))?.[0] ?? '';
    const level = opener.length / 2;
    levels += Math.max(0, level - FREE_LEVELS);
    if (level > MAX_LEVEL || levels > MAX_LEVELS || lines > MAX_LINES) return true;
  }
  return false;
};

/** The white space, quote marks and list marks that a line begins with, if there is a mark: about two characters a level. */
const CONTAINERS = /^(?:[ \t]*(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s)))+/;
const MAX_CHARACTERS = 1_000_000;
/** A block costs some 0.06 ms whatever its size: 166,000 paragraphs of one letter took 10 s. */
const MAX_LINES = 20_000;
const MAX_LEVEL = 50;
const FREE_LEVELS = 5;
/** The sum over all lines, each less five: 30,000 lines that are 25 deep took 6 s. */
const MAX_LEVELS = 10_000;

const blocksOfLines = (markdown: string): Block[] => {
  const blocks: Block[] = [];
  let open: Block | undefined;
  for (const [start, end] of lineRanges(markdown)) {
    const depth = /^ {0,3}(#{1,6})(?:\s|$)/.exec(markdown.slice(start, Math.min(end, start + 10)))?.[1]?.length ?? 0;
    const isBlank = markdown.slice(start, end).trim() === '';
    if (open && !isBlank && depth === 0) {
      open.end = end;
      continue;
    }
    open = isBlank ? undefined : { kind: depth > 0 ? 'heading' : 'text', start, end, depth, itemStarts: [] };
    if (open) blocks.push(open);
    if (depth > 0) open = undefined;
  }
  return blocks;
};

/** Where the lines of a text stand, without their line ends. */
export function* lineRanges(text: string, from = 0, to = text.length): Generator<[start: number, end: number]> {
  for (let start = from; start < to; ) {
    const found = text.indexOf('\n', start);
    const end = found === -1 || found > to ? to : found;
    yield [start, end];
    start = end + 1;
  }
}
