import type { Element, Root, RootContent } from 'hast';
import { defaultHandlers, type Handle, type State, toMdast } from 'hast-util-to-mdast';
import type {
  Blockquote,
  Heading,
  ListItem,
  Nodes as MarkdownNodes,
  Root as MarkdownRoot,
  Paragraph,
  PhrasingContent,
  Table,
} from 'mdast';
import { elementChildren } from './hast.ts';

/**
 * Turns a cleaned tree of HTML into one of Markdown. Blocks at its root that hold words alone are read here: the library copies its tree and
 * asks each node for a hundred names, which is most of the time that a long text takes.
 */
export function htmlToTree(root: Root): MarkdownRoot {
  const children: MarkdownRoot['children'] = [];
  let others: RootContent[] = [];
  const flush = (): void => {
    const words = wordsOfLine(others, 0);
    if (words !== undefined) children.push(words);
    else if (others.some((node) => node.type !== 'text' || node.value.trim() !== '')) {
      const tree = toMdast(
        { type: 'root', children: others },
        { document: true, handlers: READERS },
      ) as MarkdownRoot; // a root becomes a root
      for (const child of tree.children) children.push(child);
    }
    others = [];
  };
  for (const node of root.children.flatMap((child) => unwrapped(child, 0))) {
    const block = blockOfWords(node);
    if (block === undefined) others.push(node);
    else {
      flush();
      children.push(block);
    }
  }
  flush();
  return { type: 'root', children };
}

const CONTAINERS: ReadonlySet<string> = new Set(['div', 'section', 'article', 'main']);
const BLOCKS: ReadonlySet<string> = new Set(
  'p h1 h2 h3 h4 h5 h6 ul ol dl table pre blockquote hr div section article main'.split(' '),
);
const MAX_LEVELS = 100;

/** The blocks in an element that only holds blocks. */
function unwrapped(node: RootContent, level: number): RootContent[] {
  if (node.type !== 'element' || !CONTAINERS.has(node.tagName) || level > MAX_LEVELS) return [node];
  const holdsBlocks = node.children.every((child) =>
    child.type === 'element'
      ? BLOCKS.has(child.tagName)
      : child.type === 'text' && child.value.trim() === '',
  );
  return holdsBlocks ? node.children.flatMap((child) => unwrapped(child, level + 1)) : [node];
}

/** Elements within a line that are read here, when they hold a text alone. */
const MARKS: ReadonlyMap<string, 'emphasis' | 'strong' | 'inlineCode'> = new Map([
  ['em', 'emphasis'],
  ['i', 'emphasis'],
  ['strong', 'strong'],
  ['b', 'strong'],
  ['code', 'inlineCode'],
]);
/** Words that no white space surrounds, with a space between each. */
const PLAIN_WORDS = /^[^\t\n\v\f\r ]+(?: [^\t\n\v\f\r ]+)*$/;

/** A paragraph or heading of texts and simple marks; undefined for another node. White space is as the library leaves it. */
function blockOfWords(node: RootContent): Paragraph | Heading | undefined {
  if (node.type !== 'element') return undefined;
  const depth = /^h[1-6]$/.test(node.tagName) ? Number(node.tagName[1]) : 0;
  return depth === 0 && node.tagName !== 'p' ? undefined : wordsOfLine(node.children, depth);
}

/** The same of what it holds; `depth` is that of a heading, 0 for a paragraph. */
function wordsOfLine(
  nodes: readonly RootContent[],
  depth: number,
): Paragraph | Heading | undefined {
  const children: PhrasingContent[] = [];
  for (const child of nodes) {
    if (child.type === 'text') {
      const value = child.value.replace(/[\t\n\v\f\r ]+/g, ' ');
      const last = children.at(-1);
      if (last?.type === 'text') last.value += value;
      else children.push({ type: 'text', value });
      continue;
    }
    const mark = child.type === 'element' ? MARKS.get(child.tagName) : undefined;
    const [only, other] = child.type === 'element' ? child.children : [];
    if (
      mark === undefined ||
      only?.type !== 'text' ||
      other !== undefined ||
      !PLAIN_WORDS.test(only.value)
    )
      return undefined;
    if (mark === 'inlineCode') children.push({ type: mark, value: only.value });
    else children.push({ type: mark, children: [{ type: 'text', value: only.value }] });
  }
  const words = trimmed(children);
  if (
    words.length === 0 ||
    (words.length === 1 && words[0]?.type === 'text' && words[0].value === '')
  )
    return undefined;
  return depth === 0
    ? { type: 'paragraph', children: words }
    : { type: 'heading', depth: depth as Heading['depth'], children: words }; // one to six
}

const flow: Handle = (state, node) => state.toFlow(state.all(node));

/** Upper bound of a table's cells, including those that pad shorter rows. */
const MAX_CELLS = 20_000;
const MAX_COLUMNS = 50;

/** A layout table, one with a single column or one with too many cells becomes the blocks of its cells. */
const readTable: Handle = (state, node) => {
  if (state.inTable) return rowsInCell(state, node);
  const captions = elementChildren(node).filter(({ tagName }) => tagName === 'caption');
  const rows = cellsOf(node);
  const caption = captions.flatMap((each) => state.toFlow(state.all(each)));
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (width < 2 || width > MAX_COLUMNS || width * rows.length > MAX_CELLS)
    return [...caption, ...rows.flat().flatMap((cell) => state.toFlow(state.all(cell)))];
  const table = defaultHandlers.table?.(state, node) as Table;
  const isHeaded = rows[0]?.every(({ tagName }) => tagName === 'th') === true;
  for (const [at, row] of table.children.entries())
    for (const cell of row.children)
      cell.children = at === 0 && isHeaded ? trimmed(inline(cell.children)) : lines(cell.children);
  // The library adds an empty head to a table without header cells.
  if (table.children[0]?.children.every((cell) => cell.children.length === 0))
    table.children.shift();
  return [...caption, table];
};

/** A table in a cell: its rows stay apart, as their cells do. */
const rowsInCell = (state: State, node: Element): Paragraph[] =>
  cellsOf(node).map((cells): Paragraph => {
    const children: PhrasingContent[] = [];
    for (const cell of cells) {
      const content = trimmed(inline(state.all(cell)));
      if (content.length === 0) continue;
      if (children.length > 0) children.push({ type: 'text', value: ', ' });
      children.push(...content);
    }
    return { type: 'paragraph', children };
  });

/** Cells of a table, row by row, whether its rows lie in sections or not. */
const cellsOf = (table: Element): Element[][] =>
  elementChildren(table)
    .flatMap((part) => (part.tagName === 'tr' ? [part] : elementChildren(part)))
    .filter(({ tagName }) => tagName === 'tr')
    .map(elementChildren);

/** The blocks of a cell on one line: items and paragraphs stay apart. */
function lines(cell: readonly MarkdownNodes[]): PhrasingContent[] {
  const out: PhrasingContent[] = [];
  for (const block of blocksOf(cell)) {
    const content = trimmed(inline(block));
    if (content.length === 0) continue;
    if (out.length > 0) out.push({ type: 'text', value: ENDS.test(wordsOf(out)) ? ' ' : '; ' });
    out.push(...content);
  }
  return out;
}

const HOLDERS: ReadonlySet<string> = new Set(['list', 'listItem', 'blockquote', 'table']);
const BLOCK: ReadonlySet<string> = new Set(['paragraph', 'heading', 'code', 'tableRow']);

function blocksOf(nodes: readonly MarkdownNodes[]): MarkdownNodes[][] {
  const blocks: MarkdownNodes[][] = [];
  let line: MarkdownNodes[] | undefined;
  for (const node of nodes) {
    if ('children' in node && HOLDERS.has(node.type)) {
      blocks.push(...blocksOf(node.children));
      line = undefined;
    } else if (BLOCK.has(node.type)) {
      blocks.push([node]);
      line = undefined;
    } else {
      if (line === undefined) {
        line = [];
        blocks.push(line);
      }
      line.push(node);
    }
  }
  return blocks;
}

/** What follows such a sign needs no other one. */
const ENDS = /[\p{Po}\p{Pd}]$/u;

const wordsOf = (nodes: readonly MarkdownNodes[]): string =>
  nodes
    .map((node) =>
      'value' in node ? node.value : 'children' in node ? wordsOf(node.children) : '',
    )
    .join('')
    .trimEnd();

/** The nodes of a table cell on one line: blocks are concatenated, code loses its line breaks. */
const inline = (nodes: MarkdownNodes[]): PhrasingContent[] =>
  nodes.flatMap((node): PhrasingContent[] => {
    if (node.type === 'break') return [space()];
    if (node.type === 'code')
      return [space(), { type: 'inlineCode', value: node.value.replace(/\s+/g, ' ') }, space()];
    if (
      node.type === 'emphasis' ||
      node.type === 'strong' ||
      node.type === 'link' ||
      node.type === 'delete'
    )
      return [{ ...node, children: inline(node.children) }];
    return 'children' in node
      ? [space(), ...inline(node.children), space()]
      : [node as PhrasingContent];
  });

/** A new node each time: the library joins adjacent texts in place. */
const space = (): PhrasingContent => ({ type: 'text', value: ' ' });

const trimmed = (nodes: PhrasingContent[]): PhrasingContent[] => {
  const isWord = (node: PhrasingContent): boolean =>
    node.type !== 'text' || node.value.trim() !== '';
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
  return {
    type: 'paragraph',
    children: [{ type: 'strong', children: children as PhrasingContent[] }],
  };
};

const READERS: Record<string, Handle> = {
  blockquote: readQuote,
  li: readItem,
  dl: flow,
  dt: readTerm,
  dd: flow,
  table: readTable,
};
