import type { Span } from '../text/split-sentences.ts';

/**
 * A block of Markdown. `prose` is evaluated by sentence, `list` and `table` by their `items`, `code` as a whole; `heading`
 * and `raw` (scripts, styles, comments, thematic breaks) make no statements.
 */
export interface Block extends Span {
  kind: 'prose' | 'list' | 'table' | 'code' | 'heading' | 'raw';
  /** List items with their nested content, or table rows including the head; empty for other kinds. */
  items: Span[];
}

/**
 * Splits Markdown into blocks by its lines (CommonMark 0.31.2, sections 4 and 5, and GFM tables), in the detail that
 * checking statements needs.
 *
 * Its input is a chunk, which starts at the start of a block. A full parser would be slower and larger, and inline
 * structure or reference links do not change the statements.
 *
 * @returns Blocks in order, without the blank lines between them.
 */
export const splitBlocks = (text: string): Block[] => {
  const lines = splitLines(text);
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] as Line;
    if (line.blank) {
      at += 1;
      continue;
    }
    const read = READERS.find(({ starts }) => starts(line, lines[at + 1])) ?? PROSE;
    const taken = Math.max(1, read.length(lines, at));
    const part = lines.slice(at, at + taken);
    const start = line.start;
    const end = part.findLast(({ blank }) => !blank)?.end ?? line.end;
    blocks.push({ kind: read.kind, start, end, items: read.items?.(part, end) ?? [] });
    at += taken;
  }
  return blocks;
};

interface Line extends Span {
  text: string;
  blank: boolean;
  /** Leading white space in columns; a tab counts as four. */
  indent: number;
  /** This line, or the next one that is not blank. */
  filled: Line | undefined;
}

interface BlockReader {
  kind: Block['kind'];
  starts(line: Line, next: Line | undefined): boolean;
  /** Number of lines of the block that starts at `at`. */
  length(lines: Line[], at: number): number;
  items?(part: Line[], end: number): Span[];
}

const splitLines = (text: string): Line[] => {
  const lines: Line[] = [];
  let start = 0;
  while (start < text.length) {
    const found = text.indexOf('\n', start);
    const stop = found < 0 ? text.length : found;
    const end = stop > start && text[stop - 1] === '\r' ? stop - 1 : stop;
    const line = text.slice(start, end);
    const lead = /^[ \t]*/.exec(line)?.[0] ?? '';
    const indent = lead.replaceAll('\t', '    ').length;
    lines.push({
      start: start + lead.length,
      end,
      text: line,
      blank: lead.length === line.length,
      indent,
      filled: undefined,
    });
    start = stop + 1;
  }
  // Precomputed: a search from each line of a list would be quadratic.
  let filled: Line | undefined;
  for (const line of lines.toReversed()) {
    if (!line.blank) filled = line;
    line.filled = filled;
  }
  return lines;
};

/** Number of consecutive lines from `at` for which `belongs` holds, at least one. */
const countWhile = (lines: Line[], at: number, belongs: (line: Line, index: number) => boolean): number => {
  let index = at + 1;
  while (index < lines.length && belongs(lines[index] as Line, index)) index += 1;
  return index - at;
};

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/;
const UNDERLINE = /^ {0,3}(?:={2,}|-{2,})[ \t]*$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)/;
const DELIMITER_ROW = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const RAW = /^ {0,3}<(?:script|style|textarea|iframe|object|svg|!|\?)/i;
const RAW_END = /<\/(?:script|style|textarea|iframe|object|svg)>|-->|\?>/i;
const CALLOUT = /^ {0,3}>[ \t]*\[!\w+\][ \t]*$/;

const fence: BlockReader = {
  kind: 'code',
  starts: (line) => FENCE.test(line.text),
  length: (lines, at) => {
    const mark = FENCE.exec(lines[at]?.text ?? '')?.[1] ?? '```';
    const closes = (line: Line) =>
      line.text.trim().startsWith(mark) && line.text.trim() === (mark[0] ?? '').repeat(line.text.trim().length);
    const body = countWhile(lines, at, (line) => !closes(line));
    return Math.min(body + 1, lines.length - at);
  },
};

const heading: BlockReader = {
  kind: 'heading',
  starts: (line, next) =>
    HEADING.test(line.text) ||
    CALLOUT.test(line.text) ||
    (next !== undefined &&
      UNDERLINE.test(next.text) &&
      !ITEM.test(line.text) &&
      !line.text.includes('|') &&
      line.indent < 4),
  length: (lines, at) => (HEADING.test(lines[at]?.text ?? '') || CALLOUT.test(lines[at]?.text ?? '') ? 1 : 2),
};

const rule: BlockReader = { kind: 'raw', starts: (line) => RULE.test(line.text), length: () => 1 };

const raw: BlockReader = {
  kind: 'raw',
  starts: (line) => RAW.test(line.text),
  length: (lines, at) => {
    if (RAW_END.test(lines[at]?.text ?? '')) return 1;
    return Math.min(countWhile(lines, at, (line) => !RAW_END.test(line.text)) + 1, lines.length - at);
  },
};

const isDelimiterRow = (text: string) => text.includes('-') && DELIMITER_ROW.test(text);

const table: BlockReader = {
  kind: 'table',
  starts: (line, next) => line.text.includes('|') && next !== undefined && isDelimiterRow(next.text),
  length: (lines, at) => countWhile(lines, at, (line) => !line.blank && line.text.includes('|')),
  items: (part) => [
    { start: part[0]?.start ?? 0, end: part[1]?.end ?? 0 },
    ...part.slice(2).map(({ start, end }) => ({ start, end })),
  ],
};

const list: BlockReader = {
  kind: 'list',
  starts: (line) => line.indent < 4 && ITEM.test(line.text),
  length: (lines, at) => {
    const base = lines[at]?.indent ?? 0;
    return countWhile(lines, at, ({ blank, text, indent, filled }, index) => {
      if (!blank) return ITEM.test(text) || indent > base || !(lines[index - 1]?.blank ?? true);
      return filled !== undefined && (ITEM.test(filled.text) || filled.indent > base + 1);
    });
  },
  items: (part, end) => {
    const base = part[0]?.indent ?? 0;
    const items: Span[] = [];
    for (const line of part) {
      if (line.blank) continue;
      const lineEnd = Math.min(line.end, end);
      const last = items.at(-1);
      if (line.indent <= base + 1 && ITEM.test(line.text)) items.push({ start: line.start, end: lineEnd });
      else if (last) last.end = lineEnd;
    }
    return items;
  },
};

const indented: BlockReader = {
  kind: 'code',
  starts: (line) => line.indent >= 4,
  length: (lines, at) =>
    countWhile(lines, at, (line, index) => line.indent >= 4 || (line.blank && (lines[index + 1]?.indent ?? 0) >= 4)),
};

const PROSE: BlockReader = {
  kind: 'prose',
  starts: () => true,
  length: (lines, at) =>
    countWhile(
      lines,
      at,
      (line, index) =>
        !line.blank && ![fence, heading, raw, list, table].some(({ starts }) => starts(line, lines[index + 1])),
    ),
};

const READERS = [fence, rule, heading, raw, table, list, indented];
