import { endOfHtmlBlock } from './html-block.ts';

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
  for (const [start, end] of lineRanges(markdown))
    readLine(state, { start, end, from: 0, ...firstVisible(markdown, start, end, 0) });
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

interface Container {
  /** `>` of a quote; of a list item its bullet, or what follows its number. */
  mark: string;
  /** By how many columns more than its list a line of an item is indented; 0 for a quote. */
  width: number;
  /** Whether nothing has been said in the item yet. */
  isEmpty: boolean;
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

/** What is left of a line behind the marks of its containers. */
interface Line {
  start: number;
  end: number;
  /** Where the next character stands that is no white space, and in which column; at the end for a blank rest. */
  at: number;
  column: number;
  /** The column that was read up to. It may lie within a tab. */
  from: number;
}

const NO_LEAF: Leaf = { kind: 'none' };
const MAX_DEPTH = 50;

const readLine = (state: State, line: Line): void => {
  const matched = goOn(state, line);
  const isWhole = matched === state.containers.length;
  if (isWhole && continueVerbatim(state, line)) return;
  if (line.at === line.end) {
    endByBlank(state, line, matched);
    return;
  }
  const { leaf } = state;
  const opened = openContainers(state, line, matched, isWhole && leaf.kind === 'paragraph');
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

/** How many of the open containers the line goes on in; reads over their marks. */
const goOn = ({ containers, markdown }: State, line: Line): number => {
  for (const [index, container] of containers.entries()) {
    const indent = line.column - line.from;
    const isBlank = line.at === line.end;
    if (container.mark === '>') {
      if (isBlank || indent > 3 || markdown[line.at] !== '>') return index;
      readQuoteMark(markdown, line);
    } else if (isBlank ? container.isEmpty : indent < container.width) return index;
    else if (!isBlank) {
      line.from += container.width;
      container.isEmpty = false;
    }
  }
  return containers.length;
};

/** Opens the quotes and items that begin on the line. */
const openContainers = (state: State, line: Line, matched: number, isInterrupting: boolean): Container[] => {
  const opened: Container[] = [];
  const { markdown } = state;
  while (line.at < line.end && line.column - line.from < 4 && matched + opened.length < MAX_DEPTH) {
    if (markdown[line.at] === '>') {
      readQuoteMark(markdown, line);
      opened.push({ mark: '>', width: 0, isEmpty: false });
      continue;
    }
    const item = readItemMark(markdown, line, isInterrupting && opened.length === 0);
    if (!item) break;
    opened.push(item);
  }
  return opened;
};

const readQuoteMark = (markdown: string, line: Line): void => {
  const next = markdown[line.at + 1];
  line.from = line.column + (next === ' ' || next === '\t' ? 2 : 1);
  Object.assign(line, firstVisible(markdown, line.at + 1, line.end, line.column + 1));
};

/** An item that interrupts a paragraph says something and is the first of its list. */
const readItemMark = (markdown: string, line: Line, isInterrupting: boolean): Container | undefined => {
  const [mark = '', number] = ITEM.exec(markdown.slice(line.at, Math.min(line.end, line.at + 12))) ?? [];
  if (mark === '' || RULE.test(markdown.slice(line.at, line.end))) return undefined;
  const rest = firstVisible(markdown, line.at + mark.length, line.end, line.column + mark.length);
  const isEmpty = rest.at === line.end;
  if (isInterrupting && (isEmpty || (number !== undefined && Number(number) !== 1))) return undefined;
  const gap = rest.column - line.column - mark.length;
  const padding = isEmpty || gap > 4 ? 1 : gap;
  const width = line.column - line.from + mark.length + padding;
  Object.assign(line, rest, { from: line.from + width });
  return { mark: mark.slice(-1), width, isEmpty };
};

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

const firstVisible = (markdown: string, from: number, end: number, startColumn: number) => {
  let at = from;
  let column = startColumn;
  for (; at < end && (markdown[at] === ' ' || markdown[at] === '\t'); at += 1)
    column += markdown[at] === '\t' ? 4 - (column % 4) : 1;
  return { at, column };
};

const isComment = (markdown: string, { kind, start, end }: Block): boolean => {
  if (kind !== 'text') return false;
  const text = markdown.slice(start, end).trimStart();
  return text.startsWith('<!--') && text.indexOf('-->') === text.length - 3;
};

const ITEM = /^(?:[-*+]|(\d{1,9})[.)])(?=[ \t]|$)/;
const RULE = /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const FENCE = /^(?:`{3,}[^`]*|~{3,}.*)$/;
