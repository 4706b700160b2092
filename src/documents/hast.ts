import type { Element, ElementContent, Nodes, Text } from 'hast';

/** A node that holds others: an element, or the root of a tree. */
export type Parent = Extract<Nodes, { children: unknown[] }>;

export function element(
  tagName: string,
  children: ElementContent[],
  properties: Element['properties'] = {},
): Element {
  return { type: 'element', tagName, properties, children };
}

export function words(value: string): Text {
  return { type: 'text', value };
}

/** A paragraph in bold: the label of what follows. */
export function labelOf(value: string): Element {
  return element('p', [element('strong', [words(value)])]);
}

export function isElement(node: Nodes | undefined, ...tagNames: string[]): node is Element {
  return node?.type === 'element' && (tagNames.length === 0 || tagNames.includes(node.tagName));
}

export function elementChildren(parent: Parent): Element[] {
  return (parent.children as Nodes[]).filter((child): child is Element => child.type === 'element');
}

/** All elements below a node, in the order of the page. */
export function elementsOf(root: Nodes): Element[] {
  const elements: Element[] = [];
  const waiting: Nodes[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.type === 'element' && node !== root) elements.push(node);
    if ('children' in node)
      for (let at = node.children.length - 1; at >= 0; at -= 1)
        waiting.push(node.children[at] as Nodes);
  }
  return elements;
}

/** The text of a node and of all within it, without comments. */
export function textOf(node: Nodes): string {
  if (node.type === 'text') return node.value;
  return 'children' in node ? (node.children as Nodes[]).map(textOf).join('') : '';
}

/** The texts within a node, a space between each: what lies in blocks of its own stays apart. */
export function spacedTextOf(node: Nodes): string {
  if (node.type === 'text') return node.value;
  return 'children' in node ? (node.children as Nodes[]).map(spacedTextOf).join(' ') : '';
}

/** On one line. */
export function lineOf(node: Nodes): string {
  return textOf(node).replace(INVISIBLE, '').replace(/\s+/g, ' ').trim();
}

/** Characters that only say where a word may be divided, or nothing at all. */
export const INVISIBLE = /[\u00ad\u200b\u2060\ufeff]/g;

/** The classes of an element, in lower case, with a space around each. */
export function classesOf({ properties }: Element): string {
  const given = properties.className;
  return given === undefined ? '' : ` ${[given].flat().join(' ').toLowerCase()} `;
}

/** A property that is text; undefined when it is absent or empty. */
export function propertyOf(node: Element | undefined, name: string): string | undefined {
  const value = node?.properties[name];
  const text = Array.isArray(value) ? value.join(' ') : value;
  return typeof text === 'string' && text !== '' ? text.slice(0, 2048) : undefined;
}
