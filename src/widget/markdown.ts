import { type InlinePart, readInline } from '../markup/read-inline.ts';
import { type MarkdownBlock, readMarkdown } from '../markup/read-markdown.ts';
import { createElement, linkTo } from './create-element.ts';

/** Markdown as elements. Raw HTML is shown as text and images become links, so that an answer loads nothing. */
export const markdownElements = (markdown: string): Node[] => readMarkdown(markdown).map(elementOf);

const elementOf = (block: MarkdownBlock): Node => {
  switch (block.kind) {
    case 'heading':
      return createElement('h3', {}, ...inlineElements(block.text));
    case 'paragraph':
      return createElement('p', {}, ...inlineElements(block.text));
    case 'code':
      return createElement('pre', { tabindex: 0 }, createElement('code', {}, block.text));
    case 'rule':
      return createElement('hr');
    case 'quote':
      return createElement('blockquote', {}, ...block.blocks.map(elementOf));
    case 'list': {
      const items = block.items.map((blocks) => createElement('li', {}, ...itemElements(blocks, block.isTight)));
      return block.start === undefined
        ? createElement('ul', {}, ...items)
        : createElement('ol', { start: block.start }, ...items);
    }
    case 'table':
      return tableElement(block.rows);
  }
};

const itemElements = (blocks: readonly MarkdownBlock[], isTight: boolean): Node[] =>
  blocks.flatMap((block) => (isTight && block.kind === 'paragraph' ? inlineElements(block.text) : [elementOf(block)]));

const tableElement = ([head = [], ...rows]: readonly string[][]): Node => {
  const cells = head.map((cell) => createElement('th', { scope: 'col' }, ...inlineElements(cell)));
  const lines = rows.map((row) =>
    createElement('tr', {}, ...row.map((cell) => createElement('td', {}, ...inlineElements(cell)))),
  );
  const table = createElement(
    'table',
    {},
    createElement('thead', {}, createElement('tr', {}, ...cells)),
    createElement('tbody', {}, ...lines),
  );
  return createElement('div', { class: 'scrolls', tabindex: 0 }, table);
};

const inlineElements = (text: string): Node[] => {
  const root: Node[] = [];
  /** Children of the elements that are open, innermost last. */
  const open: { part: Extract<InlinePart, { kind: 'open' }>; children: Node[] }[] = [];
  const add = (node: Node): void => void (open.at(-1)?.children ?? root).push(node);
  for (const part of readInline(text)) {
    if (part.kind === 'text') add(document.createTextNode(part.text));
    else if (part.kind === 'code') add(createElement('code', {}, part.text));
    else if (part.kind === 'break') add(createElement('br'));
    else if (part.kind === 'open') open.push({ part, children: [] });
    else {
      const closed = open.pop();
      if (closed !== undefined) add(closeElement(closed.part, closed.children));
    }
  }
  return root;
};

const closeElement = (part: Extract<InlinePart, { kind: 'open' }>, children: Node[]): Node =>
  part.element === 'a' ? linkTo(part.url, ...children) : createElement(part.element, {}, ...children);
