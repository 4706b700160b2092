import { quietMentions } from './escape-markdown.ts';
import { readInline } from './read-inline.ts';
import { type MarkdownBlock, readMarkdown } from './read-markdown.ts';

/**
 * Converts Markdown into plain text, as typed in a mail: markers of lists and quotes stay, addresses of links follow in
 * brackets, emphasis is removed. Mentions are disabled (`quietMentions`).
 *
 * @param markdown Bounded by the caller; time is linear in its length.
 */
export const markdownToText = (markdown: string): string => readMarkdown(markdown).map(textOf).join('\n\n');

const textOf = (block: MarkdownBlock): string => {
  switch (block.kind) {
    case 'heading':
    case 'paragraph':
      return inlineText(block.text);
    case 'code':
      return quietMentions(block.text, { isCode: true });
    case 'rule':
      return '---';
    case 'quote':
      return indented(block.blocks.map(textOf).join('\n\n'), '> ', '> ');
    case 'table':
      return block.rows.map((row) => row.map((cell) => inlineText(cell)).join(' | ')).join('\n');
    case 'list':
      return block.items
        .map((blocks, at) => {
          const mark = block.start === undefined ? '- ' : `${block.start + at}. `;
          return indented(blocks.map(textOf).join(block.isTight ? '\n' : '\n\n'), mark, ' '.repeat(mark.length));
        })
        .join(block.isTight ? '\n' : '\n\n');
  }
};

const indented = (text: string, first: string, others: string): string =>
  text
    .split('\n')
    .map((line, at) => (at === 0 ? first + line : line === '' ? others.trimEnd() : others + line))
    .join('\n');

const inlineText = (markdown: string): string => {
  let text = '';
  const links: { url: string; from: number }[] = [];
  for (const part of readInline(markdown)) {
    if (part.kind === 'text') text += quietMentions(part.text);
    else if (part.kind === 'code') text += quietMentions(part.text, { isCode: true });
    else if (part.kind === 'break') text += '\n';
    else if (part.kind === 'open' && part.element === 'a') links.push({ url: part.url, from: text.length });
    else if (part.kind === 'close' && part.element === 'a') {
      const { url = '', from = 0 } = links.pop() ?? {};
      const address = url.replace(/^mailto:/i, '');
      if (text.slice(from) !== address && text.slice(from) !== url) text += ` (${address})`;
    }
  }
  return text;
};

/**
 * The visible words of a heading: without marks, link targets, tags and repeated white space.
 *
 * @param source A whole heading in Markdown, with number signs or underline; only the first 1000 characters are read.
 */
export const plainHeading = (source: string): string => {
  const bare = source
    .slice(0, MAX_HEADING)
    .replace(/^\s*#{1,6}(?=\s|$)|[ \t]+#+[ \t]*$|\n[ \t]*(?:=+|-+)[ \t]*$/g, '')
    .trim();
  return (/[\\`*_[\]<&]/.test(bare) ? plainWords(bare) : bare).replace(/\s+/g, ' ').trim();
};

const MAX_HEADING = 1000;

const plainWords = (markdown: string): string =>
  readInline(markdown, { dropTags: true })
    .map((part) => ('text' in part ? part.text : part.kind === 'break' ? ' ' : ''))
    .join('');
