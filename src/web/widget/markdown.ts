import { type MarkdownNode, readMarkdown } from '../../documents/markdown/markdown-tree.ts';
import { createElement, linkTo } from './options.ts';

/** Markdown as elements. Raw HTML is shown as text and images become links, so that an answer loads nothing. */
export function markdownElements(markdown: string): Node[] {
  return readMarkdown(markdown).map(elementOf);
}

const elementOf = ({ tag, text, url, start, children }: MarkdownNode): Node => {
  switch (tag) {
    case '':
      return document.createTextNode(text);
    case 'code':
      return createElement('code', {}, text);
    case 'pre':
      return createElement('pre', { tabindex: 0 }, createElement('code', {}, text));
    case 'img':
      return linkTo(url, text);
    case 'a':
      return linkTo(url, ...children.map(elementOf));
    case 'table':
      return createElement(
        'div',
        { class: 'scrolls', tabindex: 0 },
        createElement('table', {}, ...children.map(elementOf)),
      );
    default:
      return createElement(elementName(tag), attributesOf(tag, start), ...children.map(elementOf));
  }
};

/** Headings have one size, below those of the page. The parser names no element that runs or loads something. */
const elementName = (tag: string) =>
  (/^h\d$/.test(tag) ? 'h3' : tag) as keyof HTMLElementTagNameMap;

const attributesOf = (tag: string, start: number): Record<string, string | number> =>
  tag === 'ol' ? { start } : tag === 'th' ? { scope: 'col' } : {};
