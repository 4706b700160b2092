import type { Element, ElementContent, Nodes, Root } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { type Schema, sanitize } from 'hast-util-sanitize';
import { defaultHandlers, type Handle, toMdast } from 'hast-util-to-mdast';
import type { ListItem, Nodes as MarkdownNodes, PhrasingContent, Table } from 'mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import {
  type Info,
  type Join,
  type Options,
  type State,
  toMarkdown,
  type Handle as Write,
} from 'mdast-util-to-markdown';

export interface ConvertedHtml {
  text: string;
  /** Content of the page's `title` element. */
  title?: string | undefined;
  /** Whether scripts, styles, frames or the like were dropped. */
  dropped: boolean;
}

/**
 * Converts an HTML page or fragment into Markdown: headings, paragraphs, lists, tables, code, quotes, links with a web
 * address, and the alternative text of images; scripts, styles, frames and forms are dropped.
 *
 * A page with more than 10,000 tags, or nested more than 100 levels deep, is reduced to its text: the parser takes
 * quadratic time in the number of open elements.
 */
export const htmlToMarkdown = (html: string): ConvertedHtml => {
  const parsed = parseHtml(html);
  if (parsed === undefined) return { text: textBetweenTags(leanHtml(html)), dropped: true };
  return { text: markdownOf(parsed.page), title: parsed.title, dropped: HAS_ACTIVE.test(html) };
};

/** The tree of a page with the content of its `title`; undefined for a page that is too large or nested too deep, as above. */
export const parseHtml = (html: string): { page: Root; title: string | undefined } | undefined => {
  const lean = leanHtml(html);
  const page = countTags(lean) > MAX_TAGS ? undefined : parsePage(lean);
  const title = page && inspect(page);
  return page === undefined || title === TOO_LARGE ? undefined : { page, title };
};

/** Markdown of a tree that `parseHtml` gave, or of a part of it. */
export const markdownOf = (page: Root): string => {
  const markdown = toMdast(withoutEmptyInline(sanitize(page, KEPT) as Root), { document: true, handlers: READERS });
  return toMarkdown(markdown, WRITING).trim();
};

const leanHtml = (html: string): string =>
  withoutFormattingAttributes(html.replace(/data:[\w/+.;=-]{0,100},[^"'\s>]*/g, ''));

/** `undefined` for a page that is nested too deep for the library's recursion. */
const parsePage = (html: string): Root | undefined => {
  try {
    return fromHtml(html);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
};

/**
 * Distinguishes HTML from Markdown, with Markdown as the default: a page begins with a doctype or `html`; a fragment
 * begins and ends with a tag, opens with a block element, closes one, and has no Markdown heading or fence.
 */
export const isHtml = (content: string): boolean => {
  const text = content.replace(/^(?:\s*<!--[\s\S]*?-->)+/, '').trim();
  if (/^<(?:!doctype html|html|head|body)[\s>]/i.test(text)) return true;
  const name = /^<([a-z][a-z0-9]*)[\s/>]/i.exec(text)?.[1]?.toLowerCase() ?? '';
  if (!BLOCK_ELEMENTS.has(name) && !ACTIVE_ELEMENTS.has(name)) return false;
  if (!text.endsWith('>') || !/<\/[a-z][a-z0-9]*\s*>/i.test(text)) return false;
  return !/^(?:#{1,6} |```|~~~)/m.test(text.replace(/<pre[\s>][\s\S]*?(?:<\/pre|$)/gi, ''));
};

/** Active elements and those that show media or take input; dropped with their contents. */
const ACTIVE_ELEMENTS: ReadonlySet<string> = new Set(
  `
    script style iframe frame frameset object embed applet noscript template svg math canvas audio video
    form button input select textarea nav link meta base
  `
    .trim()
    .split(/\s+/),
);

/** Block elements. */
const BLOCK_ELEMENTS: ReadonlySet<string> = new Set(
  `
    address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer
    h1 h2 h3 h4 h5 h6 header hr html li main ol p pre section summary table tbody tfoot thead tr ul
  `
    .trim()
    .split(/\s+/),
);

const MAX_TAGS = 10_000;
const MAX_NODES = 60_000;
const MAX_DEPTH = 100;
const HAS_ACTIVE = new RegExp(`<(?:${[...ACTIVE_ELEMENTS].join('|')})[\\s/>]`, 'i');

/**
 * The parser reopens unclosed formatting in each following paragraph (HTML Standard, 13.2.4.3), at most three times per
 * element with the same attributes. Removing attributes therefore bounds the size of the tree.
 */
const withoutFormattingAttributes = (html: string): string => {
  // No tag ends after the last `>`; each search from there would scan to the end of the page.
  const end = html.lastIndexOf('>') + 1;
  const tag = /<(b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)[\s/][^>]*>/gi;
  return html.slice(0, end).replace(tag, '<$1>') + html.slice(end);
};

const countTags = (html: string): number => {
  let count = 0;
  for (const _ of html.matchAll(/<[a-z]/gi)) count += 1;
  return count;
};

const TOO_LARGE = Symbol();

/** Finds the first title outside `svg`; drops node positions, which are unused and as large as the tree. */
const inspect = (page: Root): string | undefined | typeof TOO_LARGE => {
  let title: string | undefined;
  let level: Nodes[] = [page];
  let count = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    const below: Nodes[] = [];
    for (const node of level) {
      delete node.position;
      if (!('children' in node)) continue;
      if (node.type === 'element' && node.tagName === 'title') title ??= textOf(node);
      if (node.type === 'element' && node.tagName === 'svg') continue;
      for (const child of node.children) below.push(child);
    }
    count += below.length;
    if (depth > MAX_DEPTH || count > MAX_NODES) return TOO_LARGE;
    level = below;
  }
  return title;
};

/** The text of a node and of all within it. */
export const textOf = (node: Nodes): string => {
  if ('value' in node) return node.value;
  return 'children' in node ? node.children.map(textOf).join('') : '';
};

const INLINE_ELEMENTS = new Set('a b br code em i kbd samp strong'.split(' '));

/** Elements in none of these lists are replaced by their children. */
const KEPT: Schema = {
  strip: [...ACTIVE_ELEMENTS, 'title'],
  tagNames: [...BLOCK_ELEMENTS, ...INLINE_ELEMENTS, 'caption', 'img', 'td', 'th'],
  attributes: { a: ['href'], img: ['alt'], ol: ['start'] },
  protocols: { href: ['http', 'https', 'mailto'] },
};

/**
 * Replaces images by their alternative text and empty inline elements by their white space. The library takes cubic time
 * in the number of consecutive empty inline elements.
 */
const withoutEmptyInline = <Parent extends Root | Element>(parent: Parent): Parent => {
  const kept: ElementContent[] = [];
  for (const child of parent.children as ElementContent[]) {
    const node = child.type === 'element' ? wordsOf(withoutEmptyInline(child)) : child;
    const last = kept.at(-1);
    if (node.type === 'text' && last?.type === 'text') last.value += node.value;
    else kept.push(node);
  }
  parent.children = kept;
  return parent;
};

const wordsOf = (element: Element): ElementContent => {
  if (element.tagName === 'img') return { type: 'text', value: String(element.properties.alt ?? '') };
  const text = element.children.length < 2 ? textOf(element) : undefined;
  return element.tagName !== 'br' && INLINE_ELEMENTS.has(element.tagName) && text?.trim() === ''
    ? { type: 'text', value: text }
    : element;
};

/** Cells of a table, row by row. The parser puts each into a row, and each row into a section of the table. */
const cellsOf = (table: Element): Element[][] =>
  childrenOf(table)
    .flatMap(childrenOf)
    .filter(({ tagName }) => tagName === 'tr')
    .map(childrenOf);

const childrenOf = (parent: Element): Element[] => parent.children.filter((child) => child.type === 'element');

const flow: Handle = (state, node) => state.toFlow(state.all(node));

/** Upper bound of a table's cells, including those that pad shorter rows. */
const MAX_CELLS = 20_000;

/** A layout table, one with a single column or one with too many cells becomes the blocks of its cells. */
const readTable: Handle = (state, node) => {
  if (state.inTable) return defaultHandlers.table?.(state, node);
  const captions = childrenOf(node).filter(({ tagName }) => tagName === 'caption');
  const rows = cellsOf(node);
  const caption = captions.flatMap((each) => state.toFlow(state.all(each)));
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (width < 2 || width > 50 || width * rows.length > MAX_CELLS)
    return [...caption, ...rows.flat().flatMap((cell) => state.toFlow(state.all(cell)))];
  const table = defaultHandlers.table?.(state, node) as Table;
  for (const row of table.children) for (const cell of row.children) cell.children = trimmed(inline(cell.children));
  // The library adds an empty head to a table without header cells.
  if (table.children[0]?.children.every((cell) => cell.children.length === 0)) table.children.shift();
  return [...caption, table];
};

/** The nodes of a table cell on one line: blocks are concatenated, code loses its line breaks. */
const inline = (nodes: MarkdownNodes[]): PhrasingContent[] =>
  nodes.flatMap((node): PhrasingContent[] => {
    if (node.type === 'break') return [space()];
    if (node.type === 'code') return [space(), { type: 'inlineCode', value: node.value.replace(/\s+/g, ' ') }, space()];
    if (node.type === 'emphasis' || node.type === 'strong' || node.type === 'link')
      return [{ ...node, children: inline(node.children) } as PhrasingContent];
    return 'children' in node ? [space(), ...inline(node.children), space()] : [node as PhrasingContent];
  });

const trimmed = (nodes: PhrasingContent[]): PhrasingContent[] => {
  const isWord = (node: PhrasingContent) => node.type !== 'text' || node.value.trim() !== '';
  return nodes.slice(Math.max(0, nodes.findIndex(isWord)), nodes.findLastIndex(isWord) + 1);
};

/** A new node each time: the library joins adjacent texts in place. */
const space = (): PhrasingContent => ({ type: 'text', value: ' ' });

/** An empty item would be only a marker. */
const readItem: Handle = (state, node) => {
  const item = defaultHandlers.li?.(state, node) as ListItem;
  return item.children.length === 0 ? undefined : item;
};

const READERS: Record<string, Handle> = {
  li: readItem,
  ...{ dl: flow, dt: flow, dd: flow, table: readTable },
};

/** Text of inline nodes; only marks that would start another block are escaped, so that identifiers stay intact. */
const phrasing = (node: { type: string; children: PhrasingContent[] }, state: State, info: Info): string => {
  const exit = state.enter('phrasing');
  const text = state.containerPhrasing(node as Parameters<State['containerPhrasing']>[0], info);
  exit();
  return text
    .replace(/ {2,}/g, ' ')
    .replace(/ *\n */g, '\n')
    .replace(/\n{3,}/g, '\n\n');
};

/** A paragraph that starts like a heading, quote or list would be parsed as one. */
const escapeOpening = (paragraph: string): string =>
  paragraph
    .replace(/^(#{1,6}(?=\s)|>|[-+*](?=\s)|={2,}$|-{2,}$|`{3,}|~{3,})/gm, '\\$1')
    .replace(/^(\d{1,9})([.)])(?=\s)/gm, '$1\\$2');

/**
 * Text of a page that looks like Markdown stays text: no link, image, code or emphasis comes of it. Single marks, which mean nothing, and
 * underscores within a word stay as they are, so that identifiers can be read and found. Tags are made inert wherever Markdown is shown.
 */
const escapeText = (text: string): string => {
  const counts = new Map<string, number>();
  for (const [mark] of text.matchAll(PAIRED)) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  return text.replace(SPECIAL, (mark) => (counts.has(mark) && counts.get(mark) === 1 ? mark : `\\${mark}`));
};

/** Marks that mean something in pairs: of code, of what is struck out, and of emphasis where a word begins or ends. */
const PAIRED = /`|[*~](?=\S)|(?<=\S)[*~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
/** A backslash that would be taken for an escape; what ends the text of a link; an address in angle brackets. */
const SINGLE = /\\(?=[!-/:-@[-`{-~])|\](?=[([:]|$)|<(?=[A-Za-z][A-Za-z0-9+.-]{1,31}:|[^\s<>@]{1,200}@)/gu;
const SPECIAL = new RegExp(`${PAIRED.source}|${SINGLE.source}`, 'gu');

const wrap =
  (mark: string): Write =>
  (node, _parent, state, info) => {
    const text = phrasing(node, state, info);
    const words = text.trim();
    return words === '' || words.includes('\n') ? text : text.replace(words, () => mark + words + mark);
  };

const inCell = (text: string, { stack }: State): string =>
  stack.includes('tableCell') ? text.replaceAll('|', '\\|') : text;

/** Keeps only web addresses: no `javascript:`, and no relative ones, whose base is unknown here. */
const writeLink: Write = (node, _parent, state, info) => {
  const words = phrasing(node, state, info);
  const isWeb = /^(?:https?:\/\/|mailto:)[^\s()<>]{1,2000}$/i.test(node.url);
  if (!isWeb || words.trim() === '' || /[[\]\n]/.test(words)) return words;
  return `[${words.trim()}](${inCell(node.url, state)})`;
};

/** Tight lists, with blank lines only between two paragraphs of an item. */
const joinTightly: Join = (left, right, { type }) => {
  if (type === 'listItem') return left.type === 'paragraph' && right.type === 'paragraph' ? 1 : 0;
  return type === 'list' ? 0 : undefined;
};

const WRITING: Options = {
  ...{ bullet: '-', rule: '-', listItemIndent: 'one', fences: true },
  extensions: [gfmToMarkdown({ tablePipeAlign: false })],
  join: [joinTightly],
  handlers: {
    break: () => '\n',
    emphasis: wrap('_'),
    heading: (node, _parent, state, info) =>
      `${'#'.repeat(node.depth)} ${phrasing(node, state, info).replaceAll('\n', ' ').trim()}`,
    link: writeLink,
    paragraph: (node, _parent, state, info) => escapeOpening(phrasing(node, state, info).trim()),
    strong: wrap('**'),
    text: (node, _parent, state) => inCell(escapeText(node.value.replace(/[\s\p{Cc}]+/gu, ' ')), state),
  },
};

/** Removes tags, and scripts and styles with their content. Linear: each character is read once. */
const textBetweenTags = (html: string): string => {
  const parts: string[] = [];
  const lower = html.toLowerCase();
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at);
    if (open === -1) {
      parts.push(html.slice(at));
      break;
    }
    parts.push(html.slice(at, open));
    const name = /^[a-z]+/.exec(lower.slice(open + 1, open + 12))?.[0] ?? '';
    const from = ACTIVE_ELEMENTS.has(name) ? lower.indexOf(`</${name}`, open) : open;
    const close = from === -1 ? -1 : html.indexOf('>', from);
    at = close === -1 ? html.length : close + 1;
  }
  return escapeText(parts.join(' '))
    .replace(/[ \t]+/g, ' ')
    .replace(/\s*\n\s*/g, '\n')
    .trim();
};
