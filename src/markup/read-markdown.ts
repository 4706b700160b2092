import { lineRanges, parseBlocks, type Block as Range } from './parse-blocks.ts';

/** A block of Markdown with its nested blocks. Texts are still Markdown, to be parsed by `readInline`. */
export type MarkdownBlock =
  | { kind: 'heading'; depth: number; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'rule' }
  | { kind: 'quote'; blocks: MarkdownBlock[] }
  | { kind: 'list'; start: number | undefined; isTight: boolean; items: MarkdownBlock[][] }
  | { kind: 'table'; rows: string[][] };

/**
 * Parses the blocks of a Markdown text (CommonMark 0.31.2 with GFM tables). Raw HTML becomes a paragraph, to be shown
 * literally. Linear in the length of the text: quotes and lists deeper than `MAX_DEPTH` are paragraphs.
 */
export const readMarkdown = (markdown: string): MarkdownBlock[] =>
  blocksIn(markdown.replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd'), 0);

const MAX_DEPTH = 12;

const blocksIn = (text: string, depth: number): MarkdownBlock[] =>
  parseBlocks(text).map((range) => blockOf(text.slice(range.start, range.end), range, depth));

const blockOf = (source: string, { kind, depth: level, itemStarts, start }: Range, depth: number): MarkdownBlock => {
  if (kind === 'heading') return { kind, depth: level, text: headingText(source) };
  if (kind === 'code') return { kind, text: codeText(source) };
  if (kind === 'table') return { kind, rows: rowsOf(source) };
  if (kind === 'empty' && !source.trimStart().startsWith('<!--')) return { kind: 'rule' };
  if (depth < MAX_DEPTH && kind === 'list')
    return listOf(
      source,
      itemStarts.map((at) => at - start),
      depth + 1,
    );
  if (depth < MAX_DEPTH && kind === 'text' && /^ {0,3}>/.test(source))
    return { kind: 'quote', blocks: blocksIn(quoteText(source), depth + 1) };
  return { kind: 'paragraph', text: source.trim().replaceAll(LAZY, '') };
};

/** Removes the quote markers. */
const quoteText = (source: string): string =>
  source
    .split('\n')
    .map((line) => (/^ {0,3}>/.test(line) ? line.replace(/^ {0,3}>[ \t]?/, '') : lazyLine(line)))
    .join('\n');

/** A lazy continuation line starts no block, whatever it looks like without its markers. */
const lazyLine = (line: string): string => (line.trim() === '' ? '' : LAZY + line.trimStart());
const LAZY = '\0';

const headingText = (source: string): string => {
  const text = source.trim().replaceAll(LAZY, '');
  if (/^#{1,6}(?:[ \t]|$)/.test(text))
    return text
      .replace(/^#+[ \t]*/, '')
      .replace(/(?:^|[ \t])#+$/, '')
      .trim();
  return text.slice(0, text.lastIndexOf('\n')).trim();
};

const codeText = (source: string): string => {
  const [, indent = '', mark = ''] = /^( {0,3})(`{3,}|~{3,})/.exec(source) ?? [];
  const lines = source.split('\n');
  if (mark === '') return lines.map((line) => withoutIndent(line, 4)).join('\n');
  const last = lines.length > 1 ? (lines.at(-1) ?? '').trim() : '';
  const isClosed = last.startsWith(mark) && /^(?:`+|~+)$/.test(last);
  return lines
    .slice(1, isClosed ? -1 : undefined)
    .map((line) => withoutIndent(line, indent.length))
    .join('\n');
};

/** Removes up to so many columns of leading white space; tab stops are every four columns. */
const withoutIndent = (line: string, columns: number): string => {
  let column = 0;
  let at = 0;
  while (column < columns && (line[at] === ' ' || line[at] === '\t')) {
    column += line[at] === '\t' ? 4 - (column % 4) : 1;
    at += 1;
  }
  return ' '.repeat(Math.max(0, column - columns)) + line.slice(at);
};

const listOf = (source: string, starts: readonly number[], depth: number): MarkdownBlock => {
  const number = /^[ \t]*(\d{1,9})[.)]/.exec(source)?.[1];
  let isTight = true;
  const items = starts.map((start, at) => {
    const item = itemText(source.slice(start, starts[at + 1]));
    if (at + 1 < starts.length && /\n[ \t]*\n$/.test(item)) isTight = false;
    const ranges = parseBlocks(item);
    for (const [place, { end }] of ranges.entries()) {
      const next = ranges[place + 1];
      if (next && /\n[ \t]*\n/.test(item.slice(end, next.start))) isTight = false;
    }
    return ranges.map((range) => blockOf(item.slice(range.start, range.end), range, depth));
  });
  return { kind: 'list', start: number === undefined ? undefined : Number(number), isTight, items };
};

/** Content of an item, without marker and indentation. */
const itemText = (source: string): string => {
  const [all = '', before = '', mark = '', gap = ''] = /^([ \t]*)([-*+]|\d{1,9}[.)])([ \t]*)/.exec(source) ?? [];
  const first = columnsOf(before) + mark.length;
  const padding = columnsOf(gap, first);
  const isEmpty = /^\n|^$/.test(source.slice(all.length));
  const width = first + (isEmpty || padding > 4 ? 1 : padding);
  let text = '';
  for (const [start, end] of lineRanges(source)) {
    const line = source.slice(start, end);
    const isFirst = start === 0;
    text += isFirst
      ? ' '.repeat(isEmpty ? 0 : Math.max(0, first + padding - width)) + line.slice(all.length)
      : columnsOf(/^[ \t]*/.exec(line)?.[0] ?? '') < width
        ? lazyLine(line)
        : withoutIndent(line, width);
    text += '\n';
  }
  return text;
};

const columnsOf = (space: string, from = 0): number => {
  let column = from;
  for (const each of space) column += each === '\t' ? 4 - (column % 4) : 1;
  return column - from;
};

const rowsOf = (source: string): string[][] =>
  source
    .replaceAll(LAZY, '')
    .split('\n')
    .filter((_, at) => at !== 1)
    .map((row) =>
      row
        .trim()
        .replace(/^\||(?<!\\)\|$/g, '')
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll('\\|', '|')),
    );
