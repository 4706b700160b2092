import { quietMentions } from './escape-markdown.ts';
import { type InlinePart, readInline } from './read-inline.ts';
import { type MarkdownBlock, readMarkdown } from './read-markdown.ts';

/**
 * Converts untrusted Markdown into an HTML fragment: paragraphs, headings, lists, quotes, tables, code, emphasis, line
 * breaks, and links to web and mail addresses. Raw HTML is shown as text, an image becomes a link; the only attributes are
 * `href` and `rel` of a link. Mentions are disabled (`quietMentions`).
 *
 * @param markdown Bounded by the caller; time is linear in its length.
 */
export const markdownToHtml = (markdown: string): string => readMarkdown(markdown).map(htmlOf).join('\n');

/** An untrusted plain text as HTML, line by line; mentions are disabled. */
export const textToHtml = (text: string): string => plain(text, false).replaceAll('\n', '<br>\n');

const htmlOf = (block: MarkdownBlock): string => {
  switch (block.kind) {
    case 'heading':
      return `<h${block.depth}>${inlineHtml(block.text)}</h${block.depth}>`;
    case 'paragraph':
      return `<p>${inlineHtml(block.text)}</p>`;
    case 'code':
      return `<pre><code>${plain(block.text, true)}</code></pre>`;
    case 'rule':
      return '<hr>';
    case 'quote':
      return `<blockquote>\n${block.blocks.map(htmlOf).join('\n')}\n</blockquote>`;
    case 'table':
      return tableHtml(block.rows);
    case 'list':
      return listHtml(block);
  }
};

/** A list that starts with a number other than 1 writes its numbers as text, as no attribute is allowed. */
const listHtml = ({ start, isTight, items }: Extract<MarkdownBlock, { kind: 'list' }>): string => {
  const isNumbered = start === 1;
  const element = isNumbered ? 'ol' : 'ul';
  const lines = items.map((blocks, at) => {
    const number = start === undefined || isNumbered ? '' : `${start + at}. `;
    const html = blocks.map((block) =>
      isTight && block.kind === 'paragraph' ? inlineHtml(block.text) : htmlOf(block),
    );
    return `<li>${number}${html.join('\n')}</li>`;
  });
  return `<${element}>\n${lines.join('\n')}\n</${element}>`;
};

const tableHtml = ([head = [], ...rows]: readonly string[][]): string => {
  const rowHtml = (cells: readonly string[], element: 'th' | 'td') =>
    `<tr>${cells.map((cell) => `<${element}>${inlineHtml(cell)}</${element}>`).join('')}</tr>`;
  const body = rows.map((row) => rowHtml(row, 'td')).join('\n');
  return `<table>\n<thead>\n${rowHtml(head, 'th')}\n</thead>${body === '' ? '' : `\n<tbody>\n${body}\n</tbody>`}\n</table>`;
};

/** Deeper emphasis is ignored: a browser would have to keep the elements open. */
const MAX_DEPTH = 12;

const inlineHtml = (text: string): string => {
  let html = '';
  let depth = 0;
  for (const part of readInline(text)) {
    if (part.kind === 'close') depth -= 1;
    if (part.kind === 'break') html += '<br>\n';
    else if (part.kind === 'text') html += plain(part.text, false);
    else if (part.kind === 'code') html += `<code>${plain(part.text, true)}</code>`;
    else if (part.kind === 'close') html += depth < MAX_DEPTH ? `</${part.element}>` : '';
    else if (part.kind === 'open') {
      html += depth < MAX_DEPTH ? openTag(part) : '';
      depth += 1;
    }
  }
  return html;
};

const openTag = (part: Extract<InlinePart, { kind: 'open' }>): string =>
  part.element === 'a' ? `<a href="${escaped(part.url)}" rel="noopener noreferrer">` : `<${part.element}>`;

const plain = (text: string, isCode: boolean): string => escaped(quietMentions(text, { isCode }));

const escaped = (text: string): string => text.replace(/[&<>"']/g, (letter) => REFERENCES[letter] ?? letter);

const REFERENCES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
