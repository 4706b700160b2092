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

/**
 * Escapes a text, such as a customer's name or a title, so that Markdown shows it literally and on one line: no emphasis,
 * links, tables, lists, raw HTML or mentions.
 *
 * @param text Line breaks and control characters become spaces.
 */
export const escapeMarkdown = (text: string): string =>
  text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .replace(/[\\`*_[\]<>|~&@]/g, '\\$&')
    .replace(/:(?=\/\/)|(?<=\bwww)\./gi, '\\$&')
    .replace(/!(?=\\\[)/g, '\\!')
    .replace(/^[-+#=](?=[-+#= ]|$)/, '\\$&')
    .replace(/^(\d{1,9})([.)])/, '$1\\$2');

/** The same line by line. */
export const escapeLines = (text: string): string =>
  text
    .split(/\r\n|\n|\r/)
    .map(escapeMarkdown)
    .join('\n');

/**
 * Disables mentions in chat tools: `@everyone`, `@name`, and the `<!channel>`, `<@U…>`, `<#C…>` of some. The visible text
 * stays the same. Mail addresses are unchanged, and so is code except for mentions of everyone.
 */
const quietMentions = (text: string, { isCode = false } = {}): string =>
  text.includes('@') || text.includes('<')
    ? text.replace(isCode ? CALLS_IN_CODE : CALLS, (mark) => `${mark}\u200b`)
    : text;

/** Also matches at the end of a text, as emphasis may follow. */
const CALLS = /(?<![\p{L}\p{N}._%+-])@(?=[\p{L}\p{N}_@]|$)|<(?=[!@#](?:[\p{L}\p{N}^&]|$)|$)/gu;
const CALLS_IN_CODE = /@(?=(?:everyone|here|channel|all|team|group)\b)|<(?=[!@#][\p{L}\p{N}^&])/giu;
