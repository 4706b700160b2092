import type { Token } from 'markdown-it';
import type { Span } from '../../language/split-sentences.ts';
import { markdownParser } from './markdown-parser.ts';

/**
 * A top-level block of a Markdown text. `prose` is a paragraph, a quote or HTML; `raw` is what no reader sees: scripts, styles,
 * comments, thematic breaks. It starts with the indentation of its first line and ends without trailing white space.
 */
export interface Block extends Span {
  kind: 'heading' | 'prose' | 'list' | 'table' | 'code' | 'raw';
  /** 1 to 6 for a heading, else 0. */
  depth: number;
  /** List items with their nested content, or table rows including the head with its rule; empty for other kinds. */
  items: Span[];
}

/** The top-level blocks of a Markdown text (CommonMark 0.31.2 with GFM tables), in order. What stands within a block is not parsed. */
export function parseBlocks(text: string): Block[] {
  // As long as before, so that offsets stay.
  const source = text.includes('\r') ? text.replace(/\r(?=\n)/g, ' ').replaceAll('\r', '\n') : text;
  const { block: parser } = markdownParser;
  const state = new parser.State(source, markdownParser, {}, []);
  parser.tokenize(state, 0, state.lineMax);
  const spanOf = (line: number, endLine: number): Span => {
    const start = state.bMarks[line] ?? text.length;
    return { start, end: start + text.slice(start, state.eMarks[endLine - 1]).trimEnd().length };
  };
  const blocks: Block[] = [];
  for (const token of state.tokens) {
    if (token.map === null || token.level > 2) continue;
    const [line, endLine] = token.map;
    const block = blocks.at(-1);
    if (token.level === 0)
      blocks.push({
        ...spanOf(line, endLine),
        kind: kindOf(token),
        depth: depthOf(token),
        items: [],
      });
    else if (block?.kind === 'prose' && token.type === 'inline' && UNSEEN_ALONE.test(token.content))
      block.kind = 'raw';
    else if (block !== undefined && isItem(token, block))
      block.items.push(
        spanOf(line, block.kind === 'table' && block.items.length === 0 ? endLine + 1 : endLine),
      );
  }
  return blocks;
}

const isItem = ({ type, level }: Token, { kind }: Block): boolean =>
  (kind === 'list' && level === 1 && type === 'list_item_open') ||
  (kind === 'table' && level === 2 && type === 'tr_open');

const depthOf = ({ type, tag }: Token): number =>
  type === 'heading_open' ? Number(tag.slice(1)) : 0;

const kindOf = ({ type, content }: Token): Block['kind'] =>
  type === 'html_block' ? (UNSEEN.test(content) ? 'raw' : 'prose') : (KINDS[type] ?? 'prose');

const KINDS: Readonly<Record<string, Block['kind']>> = {
  heading_open: 'heading',
  bullet_list_open: 'list',
  ordered_list_open: 'list',
  table_open: 'table',
  code_block: 'code',
  fence: 'code',
  hr: 'raw',
};

const UNSEEN =
  /^\s*<(?:(?:script|style|textarea|iframe|object|svg)\b|\?|!(?!--)|!--(?:(?!-->)[\s\S])*(?:-->\s*)?$)/i;
/** With its end on the same line it is a paragraph to the parser. */
const UNSEEN_ALONE = /^<(script|style|textarea|iframe|object|svg)\b[^>]*>[^<]*<\/\1>$/i;

/** Gives each line outside of code blocks to `change`; code in a list or a quote is no block of its own. */
export function outsideCode(text: string, change: (line: string) => string): string {
  const lines = (part: string): string => part.split('\n').map(change).join('\n');
  let out = '';
  let at = 0;
  for (const { kind, start, end } of parseBlocks(text)) {
    if (kind !== 'code') continue;
    out += lines(text.slice(at, start)) + text.slice(start, end);
    at = end;
  }
  return out + lines(text.slice(at));
}

/** The mark that closes the fenced code with which a text ends; empty when none is open. */
export function openFence(text: string): string {
  const { kind, start = 0 } = parseBlocks(text).at(-1) ?? {};
  const [opening = '', ...lines] = kind === 'code' ? text.slice(start).split('\n') : [];
  const [, mark = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(opening) ?? [];
  const closing = lines.findLast((line) => line.trim() !== '')?.trim() ?? '';
  return closing.startsWith(mark) && closing === mark.charAt(0).repeat(closing.length) ? '' : mark;
}
