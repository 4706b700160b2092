import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTable } from 'micromark-extension-gfm-table';

/** HTML of a full CommonMark parser, in the notation of `markdownToHtml`. */
export const referenceHtml = (markdown: string): string =>
  htmlOf(fromMarkdown(markdown, { extensions: [gfmTable()], mdastExtensions: [gfmTableFromMarkdown()] }));

type Root = ReturnType<typeof fromMarkdown>;
type Nodes = Root | Root['children'][number];

const within = (node: { type: string; children: readonly Nodes[] }): string =>
  node.children
    .map((child) => (child.type === 'html' && INLINE.has(node.type) ? escaped(child.value) : htmlOf(child)))
    .join('');

const INLINE: ReadonlySet<string> = new Set(['paragraph', 'heading', 'tableCell', 'emphasis', 'strong', 'link']);

const htmlOf = (node: Nodes): string => {
  switch (node.type) {
    case 'root':
      return within(node);
    case 'heading':
      return `<h${node.depth}>${within(node)}</h${node.depth}>`;
    case 'paragraph':
      return `<p>${within(node)}</p>`;
    case 'text':
      return escaped(node.value);
    case 'html':
      return `<p>${escaped(node.value)}</p>`;
    case 'inlineCode':
      return `<code>${escaped(node.value.replaceAll('\n', ' '))}</code>`;
    case 'code':
      return `<pre><code>${escaped(node.value)}</code></pre>`;
    case 'emphasis':
      return `<em>${within(node)}</em>`;
    case 'strong':
      return `<strong>${within(node)}</strong>`;
    case 'break':
      return '<br>';
    case 'thematicBreak':
      return '<hr>';
    case 'blockquote':
      return `<blockquote>${within(node)}</blockquote>`;
    case 'link':
      return LINKED.test(node.url)
        ? `<a href="${escaped(node.url)}" rel="noopener noreferrer">${within(node) || escaped(node.url)}</a>`
        : within(node);
    case 'image':
      return LINKED.test(node.url)
        ? `<a href="${escaped(node.url)}" rel="noopener noreferrer">${escaped(node.alt || node.url)}</a>`
        : escaped(node.alt ?? '');
    case 'list': {
      const isSpread = node.spread || node.children.some((item) => item.spread);
      const start = node.start ?? 1;
      const element = node.ordered && start === 1 ? 'ol' : 'ul';
      const items = node.children.map((item, at) => {
        const blocks = item.children.map((child) =>
          child.type === 'paragraph' && !isSpread ? within(child) : htmlOf(child),
        );
        return `<li>${node.ordered && start !== 1 ? `${start + at}. ` : ''}${blocks.join('')}</li>`;
      });
      return `<${element}>${items.join('')}</${element}>`;
    }
    case 'table': {
      const [head, ...body] = node.children.map((row, at) => {
        const cell = at === 0 ? 'th' : 'td';
        return `<tr>${row.children.map((each) => `<${cell}>${within(each)}</${cell}>`).join('')}</tr>`;
      });
      return `<table><thead>${head}</thead>${body.length === 0 ? '' : `<tbody>${body.join('')}</tbody>`}</table>`;
    }
    default:
      return '';
  }
};

/** Addresses that the product links to. */
const LINKED = /^(?:https?:\/\/|mailto:)/i;

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => `&${{ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' }[sign]};`);
