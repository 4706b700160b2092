import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTable } from 'micromark-extension-gfm-table';

/** HTML of a full CommonMark parser, in the notation of `markdownToHtml`. */
export function referenceHtml(markdown: string): string {
  return htmlOf(
    fromMarkdown(markdown, { extensions: [gfmTable()], mdastExtensions: [gfmTableFromMarkdown()] }),
  );
}

type Root = ReturnType<typeof fromMarkdown>;
type Nodes = Root | Root['children'][number];
type Of<Type extends Nodes['type']> = Extract<Nodes, { type: Type }>;
const INLINE: ReadonlySet<string> = new Set([
  'paragraph',
  'heading',
  'tableCell',
  'emphasis',
  'strong',
  'link',
]);
/** Addresses that the product links to. */
const LINKED = /^(?:https?:\/\/|mailto:)/i;

const escaped = (text: string): string =>
  text.replace(
    /[&<>"']/g,
    (sign) => `&${{ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' }[sign]};`,
  );
const within = (node: { type: string; children: readonly Nodes[] }): string =>
  node.children
    .map((child) =>
      child.type === 'html' && INLINE.has(node.type) ? escaped(child.value) : htmlOf(child),
    )
    .join('');
const linked = (url: string, shown: string): string =>
  LINKED.test(url)
    ? `<a href="${escaped(url)}" rel="noopener noreferrer">${shown || escaped(url)}</a>`
    : shown;

const HTML: { [Type in Nodes['type']]?: (node: Of<Type>) => string } = {
  root: within,
  heading: (node) => `<h${node.depth}>${within(node)}</h${node.depth}>`,
  paragraph: (node) => `<p>${within(node)}</p>`,
  text: (node) => escaped(node.value),
  html: (node) => `<p>${escaped(node.value)}</p>`,
  inlineCode: (node) => `<code>${escaped(node.value.replaceAll('\n', ' '))}</code>`,
  code: (node) => `<pre><code>${escaped(node.value)}</code></pre>`,
  emphasis: (node) => `<em>${within(node)}</em>`,
  strong: (node) => `<strong>${within(node)}</strong>`,
  break: () => '<br>',
  thematicBreak: () => '<hr>',
  blockquote: (node) => `<blockquote>${within(node)}</blockquote>`,
  link: (node) => linked(node.url, within(node)),
  image: (node) => linked(node.url, escaped(node.alt ?? '')),
  list: ({ ordered, spread, start, children }) => {
    const isSpread = spread || children.some((item) => item.spread);
    const first = start ?? 1;
    const isNumbered = ordered && first !== 1;
    const items = children.map((item, at) => {
      const blocks = item.children.map((child) =>
        child.type === 'paragraph' && !isSpread ? within(child) : htmlOf(child),
      );
      return `<li>${isNumbered ? `${first + at}. ` : ''}${blocks.join('')}</li>`;
    });
    const element = ordered && !isNumbered ? 'ol' : 'ul';
    return `<${element}>${items.join('')}</${element}>`;
  },
  table: ({ children }) => {
    const [head, ...body] = children.map((row, at) => {
      const cell = at === 0 ? 'th' : 'td';
      return `<tr>${row.children.map((each) => `<${cell}>${within(each)}</${cell}>`).join('')}</tr>`;
    });
    return `<table><thead>${head}</thead>${body.length === 0 ? '' : `<tbody>${body.join('')}</tbody>`}</table>`;
  },
};

// The compiler cannot see that a node and the function of its type belong together.
const htmlOf = (node: Nodes): string =>
  (HTML[node.type] as ((of: Nodes) => string) | undefined)?.(node) ?? '';
