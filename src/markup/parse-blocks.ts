/** A top-level block of a Markdown text: `[start, end)` in UTF-16 units, including indentation of the first line. */
export interface Block {
  kind: 'heading' | 'text' | 'list' | 'code' | 'table' | 'empty';
  start: number;
  end: number;
  /** 1 to 6 for a heading, else 0. */
  depth: number;
  /** Start offsets of the items of a list; empty for other blocks. */
  itemStarts: number[];
}

/**
 * Finds the top-level blocks of a Markdown text (CommonMark 0.31.2 with GFM tables), in order. Works line by line as the
 * appendix of the specification describes: continue open quotes and list items, start new blocks, else continue a
 * paragraph. Link definitions count as text, as they are part of the article.
 *
 * Linear in the length of the text: quotes and items deeper than 50 levels are text of the innermost.
 */
export const parseBlocks = (markdown: string): Block[] => {
  const state: State = { markdown, blocks: [], containers: [], leaf: NO_LEAF, listMark: '' };
  for (const [start, end] of lineRanges(markdown)) readLine(state, lineAt(markdown, start, end));
  for (const block of state.blocks) if (isComment(markdown, block)) block.kind = 'empty';
  return state.blocks;
};

/** Ranges of the lines of a text, without line ends. */
export function* lineRanges(text: string, from = 0, to = text.length): Generator<[start: number, end: number]> {
  for (let start = from; start < to; ) {
    const found = text.indexOf('\n', start);
    const end = found === -1 || found > to ? to : found;
    yield [start, end];
    start = end + 1;
  }
}

/** State of the previous line, within its containers. */
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
  /** Item starts, if the last block is a list. */
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

/** Continues open fenced code or HTML. */
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
  // A quote marker may be alone on its line.
  if (matched > 0) extend(state, line);
};

/** Continues a paragraph (lazily or not), indented code or a table. */
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

/** The previous line becomes the table head; earlier lines of the paragraph stay a paragraph. */
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

/** Kind of block that a line begins which is indented by less than four columns. */
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

/** Trailing white space is not part of a block. */
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
 * End condition of the HTML block that begins with this line (CommonMark 0.31.2, section 4.6): a pattern that its last
 * line matches or, for most elements, `'blank'` for the next blank line. `undefined` when the line begins no HTML block.
 *
 * @param line From its first non-space character.
 * @param isInterrupting Whether a paragraph is open: a tag of an unknown block does not interrupt one.
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

/** A complete tag alone on its line. The pattern backtracks, which is why the line is bounded. */
const MAX_TAG_LINE = 1000;
const LONE_TAG =
  /^<(?:\/[a-z][a-z\d-]*\s*|[a-z][a-z\d-]*(?:\s+[a-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?)>\s*$/i;

/** An open block quote or list item while the lines of a Markdown text are read (CommonMark 0.31.2, section 5). */
interface Container {
  /** `>` for a quote; for a list item its bullet, or the delimiter after its number. */
  mark: string;
  /** Indentation of an item's content relative to its list, in columns; 0 for a quote. */
  width: number;
  /** Whether the item has no content yet. */
  isEmpty: boolean;
}

/** The rest of a line after its container markers. */
interface Line {
  start: number;
  end: number;
  /** Position and column of the next non-space character; the end of the line for a blank rest. */
  at: number;
  column: number;
  /** Current column, which may lie within a tab. */
  from: number;
}

/** A line before any of its markers is read. */
const lineAt = (markdown: string, start: number, end: number): Line => ({
  ...{ start, end, from: 0 },
  ...firstVisible(markdown, start, end, 0),
});

/** Returns how many open containers the line continues, and consumes their markers. */
const goOn = (markdown: string, containers: readonly Container[], line: Line): number => {
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

/**
 * Opens the quotes and items that begin on the line, and consumes their markers.
 *
 * @param options.depth Number of containers that already contain the line.
 * @param options.isInterrupting Whether a paragraph in the same containers is open.
 */
const openContainers = (
  markdown: string,
  line: Line,
  { depth, isInterrupting }: { depth: number; isInterrupting: boolean },
): Container[] => {
  const opened: Container[] = [];
  while (line.at < line.end && line.column - line.from < 4 && depth + opened.length < MAX_DEPTH) {
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

/** Only a non-empty item that is the first of its list can interrupt a paragraph. */
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

const firstVisible = (markdown: string, from: number, end: number, startColumn: number) => {
  let at = from;
  let column = startColumn;
  for (; at < end && (markdown[at] === ' ' || markdown[at] === '\t'); at += 1)
    column += markdown[at] === '\t' ? 4 - (column % 4) : 1;
  return { at, column };
};

const ITEM = /^(?:[-*+]|(\d{1,9})[.)])(?=[ \t]|$)/;
/** A thematic break (section 4.1), from its first character. */
const RULE = /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const MAX_DEPTH = 50;
