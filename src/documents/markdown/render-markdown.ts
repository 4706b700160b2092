import type { Token } from 'markdown-it';
import { markdownParser } from './markdown-parser.ts';
import { INLINE, type MarkdownNode, readMarkdown } from './markdown-tree.ts';

/**
 * Converts untrusted Markdown into an HTML fragment: paragraphs, headings, lists, quotes, tables, code, emphasis, line
 * breaks, and links to web and mail addresses. Raw HTML is shown as text, an image becomes a link; the only attributes are
 * `href` and `rel` of a link. Mentions are disabled (`quietMentions`).
 *
 * @param markdown Bounded by the caller; time is linear in its length.
 */
export function markdownToHtml(markdown: string): string {
  return htmlOf(readMarkdown(markdown));
}

/** An untrusted plain text as HTML, line by line; mentions are disabled. */
export function textToHtml(text: string): string {
  return plain(text, false).replaceAll('\n', '<br>\n');
}

const htmlOf = (nodes: readonly MarkdownNode[]): string => linesOf(nodes, elementHtml).join('\n');

/** A line for each block and each run of inline content. */
const linesOf = (
  nodes: readonly MarkdownNode[],
  show: (node: MarkdownNode) => string,
): string[] => {
  const lines: string[] = [];
  let isRun = false;
  for (const node of nodes) {
    const isInline = INLINE.has(node.tag);
    if (isInline && isRun) lines.push((lines.pop() ?? '') + show(node));
    else lines.push(show(node));
    isRun = isInline;
  }
  return lines;
};

const elementHtml = ({ tag, text, url, start, children }: MarkdownNode): string => {
  switch (tag) {
    case '':
      return plain(text, false);
    case 'hr':
      return '<hr>';
    case 'br':
      return '<br>\n';
    case 'code':
      return `<code>${plain(text, true)}</code>`;
    case 'pre':
      return `<pre><code>${plain(text, true)}</code></pre>`;
    case 'img':
      return url === '' ? plain(text, false) : `${openLink(url)}${plain(text, false)}</a>`;
    case 'a':
      return `${openLink(url)}${htmlOf(children)}</a>`;
    case 'ol':
      return start === 1
        ? `<ol>\n${htmlOf(children)}\n</ol>`
        : `<ul>\n${htmlOf(numbered(children, start))}\n</ul>`;
    case 'tr':
      return `<tr>${children.map(elementHtml).join('')}</tr>`;
    default:
      return OPEN_LINES.has(tag)
        ? `<${tag}>\n${htmlOf(children)}\n</${tag}>`
        : `<${tag}>${htmlOf(children)}</${tag}>`;
  }
};

/** Elements whose tags stand on lines of their own. */
const OPEN_LINES: ReadonlySet<string> = new Set(['blockquote', 'ul', 'table', 'thead', 'tbody']);

/** Items with their numbers as text, as no attribute is allowed. */
const numbered = (items: readonly MarkdownNode[], start: number): MarkdownNode[] =>
  items.map((item, at) => {
    const number = { ...item, tag: '', text: `${start + at}. `, children: [] };
    return { ...item, children: [number, ...item.children] };
  });

const openLink = (url: string): string => `<a href="${escaped(url)}" rel="noopener noreferrer">`;

const plain = (text: string, isCode: boolean): string => escaped(quietMentions(text, { isCode }));

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (letter) => REFERENCES[letter] ?? letter);

const REFERENCES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Converts Markdown into plain text, as typed in a mail: markers of lists and quotes stay, addresses of links follow in
 * brackets, emphasis is removed. Mentions are disabled (`quietMentions`).
 *
 * @param markdown Bounded by the caller; time is linear in its length.
 */
export function markdownToText(markdown: string): string {
  return textOf(readMarkdown(markdown)).join('\n\n');
}

const textOf = (nodes: readonly MarkdownNode[]): string[] => linesOf(nodes, elementText);

const elementText = ({ tag, text, url, start, children }: MarkdownNode): string => {
  switch (tag) {
    case '':
      return quietMentions(text);
    case 'br':
      return '\n';
    case 'hr':
      return '---';
    case 'code':
    case 'pre':
      return quietMentions(text, { isCode: true });
    case 's':
      return `~~${textOf(children).join('')}~~`;
    case 'a':
      return linkText(textOf(children).join(''), url);
    case 'img':
      return linkText(quietMentions(text), url);
    case 'blockquote':
      return indented(textOf(children).join('\n\n'), '> ', '> ');
    case 'ul':
    case 'ol':
      return listText(children, tag === 'ol' ? start : undefined);
    case 'tr':
      return children.map(elementText).join(' | ');
    default:
      return textOf(children).join('\n');
  }
};

const linkText = (words: string, url: string): string => {
  const address = url.replace(/^mailto:/i, '');
  return words === address || words === url || url === '' ? words : `${words} (${address})`;
};

const listText = (items: readonly MarkdownNode[], start: number | undefined): string => {
  const isTight = !items.some(({ children }) => children.some(({ tag }) => tag === 'p'));
  const gap = isTight ? '\n' : '\n\n';
  return items
    .map(({ children }, at) => {
      const mark = start === undefined ? '- ' : `${start + at}. `;
      return indented(textOf(children).join(gap), mark, ' '.repeat(mark.length));
    })
    .join(gap);
};

const indented = (text: string, first: string, others: string): string =>
  text
    .split('\n')
    .map((line, at) => (at === 0 ? first + line : line === '' ? others.trimEnd() : others + line))
    .join('\n');

/**
 * The visible words of a heading: without marks, link targets, tags and repeated white space.
 *
 * @param source A whole heading in Markdown, with number signs or underline; only the first 1000 characters are read.
 */
export function plainHeading(source: string): string {
  const bare = source
    .slice(0, MAX_HEADING)
    .replace(/^\s*#{1,6}(?=\s|$)|[ \t]+#+[ \t]*$|\n[ \t]*(?:=+|-+)[ \t]*$/g, '')
    .trim();
  return (/[\\`*_[\]<&]/.test(bare) ? plainWords(bare) : bare).replace(/\s+/g, ' ').trim();
}

const MAX_HEADING = 1000;

const plainWords = (markdown: string): string => wordsOf(markdownParser.parseInline(markdown, {}));

const wordsOf = (tokens: readonly Token[]): string =>
  tokens
    .map(({ type, content, children }) => {
      if (children !== null) return wordsOf(children);
      return type === 'html_inline' ? '' : type.endsWith('break') ? ' ' : content;
    })
    .join('');

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
