import { type Container, goOn, type Line, lineAt, openContainers, RULE } from './markdown-containers.ts';

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
 * Finds the top-level blocks of a Markdown text (CommonMark 0.31.2 with the tables of GFM), in order, line by line as its
 * appendix describes: which quotes and list items go on, what begins within them, and else whether a paragraph goes on.
 * Link definitions count as text: they are part of what the article says.
 *
 * Linear in the length of the text: quotes and items deeper than 50 levels are text of the innermost.
 */
export const parseBlocks = (markdown: string): Block[] => {
  const state: State = { markdown, blocks: [], containers: [], leaf: NO_LEAF, listMark: '' };
  for (const [start, end] of lineRanges(markdown)) readLine(state, lineAt(markdown, start, end));
  for (const block of state.blocks) if (isComment(markdown, block)) block.kind = 'empty';
  return state.blocks;
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

/** What the line before belonged to, within its containers. */
type Leaf =
  | { kind: 'none' | 'code' | 'table' }
  | { kind: 'paragraph'; last: Line; endBefore: number }
  | { kind: 'fence'; mark: string }
  | { kind: 'html'; ends: RegExp | 'blank' };

interface State {
  markdown: string;
  blocks: Block[];
  containers: Container[];
  leaf: Leaf;
  /** Of the list that the last block is. */
  listMark: string;
}

const NO_LEAF: Leaf = { kind: 'none' };

const readLine = (state: State, line: Line): void => {
  const matched = goOn(state.markdown, state.containers, line);
  const isWhole = matched === state.containers.length;
  if (isWhole && continueVerbatim(state, line)) return;
  if (line.at === line.end) {
    endByBlank(state, line, matched);
    return;
  }
  const { leaf } = state;
  const opened = openContainers(state.markdown, line, {
    depth: matched,
    isInterrupting: isWhole && leaf.kind === 'paragraph',
  });
  if (opened.length === 0 && continueLeaf(state, line, isWhole)) return;
  state.containers = [...state.containers.slice(0, matched), ...opened];
  state.leaf = leafOf(state.markdown, line, leaf.kind === 'paragraph' && opened.length === 0);
  const [top] = opened;
  if (matched > 0 || (top && isNextItem(state, top))) extend(state, line);
  else state.blocks.push(topBlock(state, line));
  if (matched > 0 || !top) return;
  state.listMark = top.mark;
  if (top.mark !== '>') state.blocks.at(-1)?.itemStarts.push(line.start);
};

const isNextItem = ({ blocks, listMark }: State, { mark }: Container): boolean =>
  mark !== '>' && mark === listMark && blocks.at(-1)?.kind === 'list';

/** Goes on in code between fences or in HTML, if that is open. */
const continueVerbatim = (state: State, line: Line): boolean => {
  const { leaf, markdown } = state;
  if (leaf.kind !== 'fence' && leaf.kind !== 'html') return false;
  const rest = markdown.slice(line.at, line.end);
  if (leaf.kind === 'fence') {
    const closing = line.column - line.from < 4 ? (/^(?:`{3,}|~{3,})(?=[ \t]*$)/.exec(rest)?.[0] ?? '') : '';
    if (closing.startsWith(leaf.mark)) state.leaf = NO_LEAF;
  } else if (leaf.ends === 'blank' ? rest === '' : leaf.ends.test(rest)) state.leaf = NO_LEAF;
  extend(state, line);
  return true;
};

const endByBlank = (state: State, line: Line, matched: number): void => {
  if (matched < state.containers.length || state.leaf.kind !== 'code') state.leaf = NO_LEAF;
  state.containers.length = matched;
  // A quote's mark may stand alone on its line.
  if (matched > 0) extend(state, line);
};

/** Goes on in a paragraph, with or without the marks of its containers, in indented code or in a table. */
const continueLeaf = (state: State, line: Line, isWhole: boolean): boolean => {
  const { leaf, markdown } = state;
  const isIndented = line.column - line.from > 3;
  const canGoOn = leaf.kind === 'paragraph' || (isWhole && (leaf.kind === 'table' || leaf.kind === 'code'));
  if (!canGoOn || (leaf.kind === 'code' && !isIndented) || (leaf.kind === 'table' && isIndented)) return false;
  if (leaf.kind === 'paragraph' && isWhole && !isIndented && (endAsHeading(state, line) || turnIntoTable(state, line)))
    return true;
  if (leaf.kind !== 'code' && !isIndented && kindOf(markdown, line, true) !== 'paragraph') return false;
  const endBefore = state.blocks.at(-1)?.end ?? 0;
  extend(state, line);
  if (leaf.kind === 'paragraph') state.leaf = { kind: 'paragraph', last: line, endBefore };
  return true;
};

const endAsHeading = (state: State, line: Line): boolean => {
  const mark = /^(?:=+|-+)(?=[ \t]*$)/.exec(state.markdown.slice(line.at, line.end))?.[0];
  const block = state.blocks.at(-1);
  if (mark === undefined || !block) return false;
  extend(state, line);
  state.leaf = NO_LEAF;
  if (state.containers.length === 0) Object.assign(block, { kind: 'heading', depth: mark.startsWith('=') ? 1 : 2 });
  return true;
};

/** The line above becomes the head; what the paragraph said before it stays a paragraph. */
const turnIntoTable = (state: State, line: Line): boolean => {
  const { leaf, markdown, blocks } = state;
  const block = blocks.at(-1);
  if (leaf.kind !== 'paragraph' || !block || leaf.last.column - leaf.last.from > 3) return false;
  const rule = markdown.slice(line.at, line.end);
  if (!/^[|:\- \t]+$/.test(rule) || !/[|:]/.test(rule)) return false;
  const cells = cellsOf(rule);
  if (!cells.every((cell) => /^:?-+:?$/.test(cell.trim()))) return false;
  if (cells.length !== cellsOf(markdown.slice(leaf.last.at, leaf.last.end)).length) return false;
  if (state.containers.length === 0 && leaf.last.start > block.start) {
    block.end = leaf.endBefore;
    blocks.push({ kind: 'table', start: leaf.last.start, end: line.end, depth: 0, itemStarts: [] });
  } else if (state.containers.length === 0) block.kind = 'table';
  extend(state, line);
  state.leaf = { kind: 'table' };
  return true;
};

const cellsOf = (row: string): string[] =>
  row
    .trim()
    .replace(/\\[\\|]/g, '..')
    .replace(/^\||\|$/g, '')
    .split('|');

type LineKind = 'heading' | 'rule' | 'fence' | 'html' | 'paragraph';

/** What a line that is not indented by four columns begins. */
const kindOf = (markdown: string, line: Line, isInterrupting: boolean): LineKind => {
  const rest = markdown.slice(line.at, line.end);
  if (/^#{1,6}(?=[ \t]|$)/.test(rest)) return 'heading';
  if (FENCE.test(rest)) return 'fence';
  if (RULE.test(rest)) return 'rule';
  return rest.startsWith('<') && endOfHtmlBlock(rest, isInterrupting) !== undefined ? 'html' : 'paragraph';
};

const leafOf = (markdown: string, line: Line, isInterrupting: boolean): Leaf => {
  if (line.at === line.end) return NO_LEAF;
  if (line.column - line.from > 3) return { kind: 'code' };
  const rest = markdown.slice(line.at, line.end);
  const kind = kindOf(markdown, line, isInterrupting);
  if (kind === 'paragraph') return { kind, last: line, endBefore: line.start };
  if (kind === 'fence') return { kind, mark: /^(?:`+|~+)/.exec(rest)?.[0] ?? '' };
  const ends = kind === 'html' ? endOfHtmlBlock(rest, isInterrupting) : undefined;
  return ends === undefined || (ends !== 'blank' && ends.test(rest)) ? NO_LEAF : { kind: 'html', ends };
};

const topBlock = (state: State, line: Line): Block => {
  const { markdown, leaf, containers } = state;
  const block = { start: line.start, end: visibleEnd(markdown, line), depth: 0, itemStarts: [] };
  const [top] = containers;
  if (top) return { ...block, kind: top.mark === '>' ? 'text' : 'list' };
  if (leaf.kind === 'code' || leaf.kind === 'fence') return { ...block, kind: 'code' };
  const marks = leaf.kind === 'none' ? /^#{1,6}(?=[ \t]|$)/.exec(markdown.slice(line.at, line.end))?.[0].length : 0;
  if (marks) return { ...block, kind: 'heading', depth: marks };
  return { ...block, kind: leaf.kind === 'none' && RULE.test(markdown.slice(line.at, line.end)) ? 'empty' : 'text' };
};

/** White space at the end of a block is no part of it. */
const extend = (state: State, line: Line): void => {
  const block = state.blocks.at(-1);
  if (block) block.end = Math.max(block.end, visibleEnd(state.markdown, line));
};

const visibleEnd = (markdown: string, { start, end }: Line): number => {
  let to = end;
  while (to > start && (markdown[to - 1] === ' ' || markdown[to - 1] === '\t')) to -= 1;
  return to === start ? 0 : to;
};

const isComment = (markdown: string, { kind, start, end }: Block): boolean => {
  if (kind !== 'text') return false;
  const text = markdown.slice(start, end).trimStart();
  return text.startsWith('<!--') && text.indexOf('-->') === text.length - 3;
};

const FENCE = /^(?:`{3,}[^`]*|~{3,}.*)$/;

/**
 * What ends the HTML block that begins with this line of Markdown (CommonMark 0.31.2, section 4.6), as a pattern that its last
 * line matches or, for most elements, `'blank'`: the blank line after it. Undefined when the line begins no HTML block.
 *
 * @param line From its first character that is no white space.
 * @param isInterrupting Whether a paragraph stands open before it: a tag of no known block does not end one.
 */
const endOfHtmlBlock = (line: string, isInterrupting: boolean): RegExp | 'blank' | undefined => {
  const found = DELIMITED.find(([start]) => start.test(line));
  if (found) return found[1];
  if (BLOCK_TAG.test(line)) return 'blank';
  return !isInterrupting && line.length <= MAX_TAG_LINE && LONE_TAG.test(line) ? 'blank' : undefined;
};

const DELIMITED: [start: RegExp, end: RegExp][] = [
  [/^<(?:script|pre|style|textarea)(?:\s|>|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<![a-z]/i, />/],
  [/^<!\[CDATA\[/, /\]\]>/],
];

const BLOCK_TAGS = `
  address article aside base basefont blockquote body caption center col colgroup dd details dialog
  dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr
  html iframe legend li link main menu menuitem nav noframes ol optgroup option p param search section
  summary table tbody td tfoot th thead title tr track ul
`
  .trim()
  .split(/\s+/);

const BLOCK_TAG = new RegExp(`^</?(?:${BLOCK_TAGS.join('|')})(?:\\s|/?>|$)`, 'i');

/** A tag that stands alone. The pattern looks back within a line, which is why the line has a bound. */
const MAX_TAG_LINE = 1000;
const LONE_TAG =
  /^<(?:\/[a-z][a-z\d-]*\s*|[a-z][a-z\d-]*(?:\s+[a-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?)>\s*$/i;
