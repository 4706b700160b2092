import type { Element, Root } from 'hast';
import { defaultHandlers, type Handle, toMdast } from 'hast-util-to-mdast';
import type {
  Blockquote,
  ListItem,
  Nodes as MarkdownNodes,
  Root as MarkdownRoot,
  Paragraph,
  PhrasingContent,
  Table,
} from 'mdast';
import { elementChildren } from './hast.ts';

/** Turns a cleaned tree of HTML into one of Markdown. */
export function htmlToTree(root: Root): MarkdownRoot {
  return toMdast(root, { document: true, handlers: READERS }) as MarkdownRoot; // a root becomes a root
}

const flow: Handle = (state, node) => state.toFlow(state.all(node));

/** Upper bound of a table's cells, including those that pad shorter rows. */
const MAX_CELLS = 20_000;
const MAX_COLUMNS = 50;

/** A layout table, one with a single column or one with too many cells becomes the blocks of its cells. */
const readTable: Handle = (state, node) => {
  if (state.inTable) return defaultHandlers.table?.(state, node);
  const captions = elementChildren(node).filter(({ tagName }) => tagName === 'caption');
  const rows = cellsOf(node);
  const caption = captions.flatMap((each) => state.toFlow(state.all(each)));
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (width < 2 || width > MAX_COLUMNS || width * rows.length > MAX_CELLS)
    return [...caption, ...rows.flat().flatMap((cell) => state.toFlow(state.all(cell)))];
  const table = defaultHandlers.table?.(state, node) as Table;
  for (const row of table.children) for (const cell of row.children) cell.children = trimmed(inline(cell.children));
  // The library adds an empty head to a table without header cells.
  if (table.children[0]?.children.every((cell) => cell.children.length === 0)) table.children.shift();
  return [...caption, table];
};

/** Cells of a table, row by row, whether its rows lie in sections or not. */
const cellsOf = (table: Element): Element[][] =>
  elementChildren(table)
    .flatMap((part) => (part.tagName === 'tr' ? [part] : elementChildren(part)))
    .filter(({ tagName }) => tagName === 'tr')
    .map(elementChildren);

/** The nodes of a table cell on one line: blocks are concatenated, code loses its line breaks. */
const inline = (nodes: MarkdownNodes[]): PhrasingContent[] =>
  nodes.flatMap((node): PhrasingContent[] => {
    if (node.type === 'break') return [space()];
    if (node.type === 'code') return [space(), { type: 'inlineCode', value: node.value.replace(/\s+/g, ' ') }, space()];
    if (node.type === 'emphasis' || node.type === 'strong' || node.type === 'link' || node.type === 'delete')
      return [{ ...node, children: inline(node.children) }];
    return 'children' in node ? [space(), ...inline(node.children), space()] : [node as PhrasingContent];
  });

/** A new node each time: the library joins adjacent texts in place. */
const space = (): PhrasingContent => ({ type: 'text', value: ' ' });

const trimmed = (nodes: PhrasingContent[]): PhrasingContent[] => {
  const isWord = (node: PhrasingContent): boolean => node.type !== 'text' || node.value.trim() !== '';
  const from = nodes.findIndex(isWord);
  const content = from === -1 ? [] : nodes.slice(from, nodes.findLastIndex(isWord) + 1);
  const [first, last] = [content[0], content.at(-1)];
  if (first?.type === 'text') first.value = first.value.trimStart();
  if (last?.type === 'text') last.value = last.value.trimEnd();
  return content;
};

/** An empty item would be only a marker. */
const readItem: Handle = (state, node) => {
  const item = defaultHandlers.li?.(state, node) as ListItem;
  return item.children.length === 0 ? undefined : item;
};

const readQuote: Handle = (state, node) => {
  const quote = defaultHandlers.blockquote?.(state, node) as Blockquote;
  return quote.children.length === 0 ? undefined : quote;
};

/** A term stands in bold before its definition. */
const readTerm: Handle = (state, node): Paragraph | MarkdownNodes[] => {
  const children = state.all(node);
  const isInline = children.every((child) => child.type === 'text' || child.type === 'inlineCode');
  if (!isInline || children.length === 0) return state.toFlow(children);
  return { type: 'paragraph', children: [{ type: 'strong', children: children as PhrasingContent[] }] };
};

const READERS: Record<string, Handle> = {
  blockquote: readQuote,
  li: readItem,
  dl: flow,
  dt: readTerm,
  dd: flow,
  table: readTable,
};
