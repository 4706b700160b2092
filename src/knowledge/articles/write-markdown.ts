import { decodeEntities } from '../../markup/decode-entities.ts';
import { ACTIVE_ELEMENTS, BLOCK_ELEMENTS } from '../../markup/html-elements.ts';
import type { HtmlElement as Element, HtmlNode as Node } from './html-tree.ts';

/** Writes an HTML tree as Markdown. The tree's depth is bounded by who parsed it: this walks it by recursion. */
export const writeMarkdown = (root: Element): string => blocksOf(root).join('\n\n').trim();

/** The blocks under a node, in order; runs of inline nodes between them become paragraphs. */
const blocksOf = (parent: Element): string[] => {
  const blocks: string[] = [];
  let inline = '';
  const flush = () => {
    const paragraph = tidy(inline);
    if (paragraph !== '') blocks.push(escapeOpening(paragraph));
    inline = '';
  };
  for (const node of parent.children) {
    if (isBlock(node)) {
      flush();
      for (const block of writeBlock(node)) blocks.push(block);
    } else inline += inlineOf(node);
  }
  flush();
  return blocks;
};

const writeBlock = (element: Element): string[] => {
  const heading = /^h([1-6])$/.exec(element.name)?.[1];
  if (heading)
    return nonEmpty(
      tidy(inlineOfChildren(element)).replaceAll('\n', ' '),
      (words) => `${'#'.repeat(Number(heading))} ${words}`,
    );
  switch (element.name) {
    case 'pre':
      return nonEmpty(rawText(element).replace(/^\n|\s+$/g, ''), fence);
    case 'ul':
    case 'ol':
      return nonEmpty(writeList(element), (list) => list);
    case 'table':
      return writeTable(element);
    case 'blockquote':
      return nonEmpty(blocksOf(element).join('\n\n'), (text) => text.replace(/^/gm, '> ').replace(/^> $/gm, '>'));
    case 'hr':
      return ['---'];
    default:
      return blocksOf(element);
  }
};

const nonEmpty = (text: string, write: (text: string) => string): string[] => (text.trim() === '' ? [] : [write(text)]);

const fence = (code: string): string => {
  const longest = Math.max(2, ...(code.match(/`+/g) ?? []).map((run) => run.length).slice(0, 10_000));
  const mark = '`'.repeat(longest + 1);
  return `${mark}\n${code}\n${mark}`;
};

const writeList = (list: Element): string => {
  let number = Number(attribute(list, 'start')) || 1;
  return list.children
    .flatMap((item) => {
      const blocks = isElement(item)
        ? isBlock(item) && item.name !== 'li'
          ? writeBlock(item)
          : blocksOf(item)
        : nonEmpty(tidy(inlineOf(item)), (text) => text);
      if (blocks.length === 0) return [];
      const mark = list.name === 'ol' ? `${number++}. ` : '- ';
      return [mark + blocks.join('\n').replace(/\n(?=.)/g, `\n${' '.repeat(mark.length)}`)];
    })
    .join('\n');
};

/** A table whose cells hold no blocks of their own; of one that lays out a page, or has a single column, the blocks. */
const writeTable = (table: Element): string[] => {
  const rows = rowsOf(table);
  const caption = table.children.filter(isElement).filter(({ name }) => name === 'caption');
  const width = Math.max(0, ...rows.slice(0, 10_000).map((row) => row.length));
  if (width < 2 || width > 50) return [...caption, ...rows.flat()].flatMap(blocksOf);
  const lines = rows.map((row) => `| ${Array.from({ length: width }, (_, at) => cell(row[at])).join(' | ')} |`);
  const rule = `| ${Array.from({ length: width }, () => '---').join(' | ')} |`;
  return [...caption.flatMap(blocksOf), [lines[0], rule, ...lines.slice(1)].join('\n')];
};

const rowsOf = (table: Element): Element[][] =>
  table.children
    .filter(isElement)
    .flatMap((part) => (['thead', 'tbody', 'tfoot'].includes(part.name) ? part.children.filter(isElement) : [part]))
    .filter(({ name }) => name === 'tr')
    .map((row) => row.children.filter(isElement));

const cell = (element: Element | undefined): string =>
  element ? blocksOf(element).join(' ').replace(/\s+/g, ' ').replaceAll('|', '\\|') : '';

const inlineOfChildren = (parent: Element): string => parent.children.map(inlineOf).join('');

const inlineOf = (node: Node): string => {
  if (typeof node === 'string') return node.replace(/[\s\u00a0]+/g, ' ');
  if (ACTIVE_ELEMENTS.has(node.name)) return '';
  switch (node.name) {
    case 'br':
      return '\n';
    case 'code':
    case 'kbd':
    case 'samp':
      return codeSpan(rawText(node).replace(/\s+/g, ' ').trim());
    case 'b':
    case 'strong':
      return wrap(inlineOfChildren(node), '**');
    case 'i':
    case 'em':
      return wrap(inlineOfChildren(node), '_');
    case 'a':
      return linkOf(node);
    case 'img':
      return (attribute(node, 'alt') ?? '').replace(/\s+/g, ' ');
    default:
      return isBlock(node) ? ` ${blocksOf(node).join(' ')} ` : inlineOfChildren(node);
  }
};

const codeSpan = (code: string): string => (code === '' || code.includes('`') ? code : `\`${code}\``);

const wrap = (text: string, mark: string): string => {
  const words = text.trim();
  return words === '' || words.includes('\n') ? text : text.replace(words, () => mark + words + mark);
};

/** Only a web address is kept: no `javascript:`, and nothing relative, whose base is unknown here. */
const linkOf = (element: Element): string => {
  const words = inlineOfChildren(element);
  const href = attribute(element, 'href')?.trim() ?? '';
  const isWeb = /^(?:https?:\/\/|mailto:)[^\s()<>]{1,2000}$/i.test(href);
  return isWeb && words.trim() !== '' && !/[[\]\n]/.test(words) ? `[${words.trim()}](${href})` : words;
};

const rawText = (node: Node): string => {
  if (typeof node === 'string') return node;
  if (node.name === 'br') return '\n';
  return ACTIVE_ELEMENTS.has(node.name) ? '' : node.children.map(rawText).join('');
};

const isElement = (node: Node): node is Element => typeof node !== 'string';

/** An element that wraps blocks, such as a link around a heading, counts as a block. */
const isBlock = (node: Node): node is Element => isElement(node) && BLOCK_ELEMENTS.has(node.name);

/** The first attribute of that name counts. */
const attribute = (element: Element, name: string): string | undefined => {
  for (const [, found, double, single, bare] of element.attributes.matchAll(ATTRIBUTE))
    if (found?.toLowerCase() === name) return decodeEntities(double ?? single ?? bare ?? '');
  return undefined;
};

const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+)))?/g;

const tidy = (text: string): string =>
  text
    .replace(/ {2,}/g, ' ')
    .replace(/ *\n */g, '\n')
    .replace(/\n{2,}/g, '\n')
    .trim();

/** A paragraph that begins like a heading, quote or list would be read as one. */
const escapeOpening = (paragraph: string): string =>
  paragraph
    .replace(/^(#{1,6}(?=\s)|>|[-+*](?=\s)|={2,}$|-{2,}$|`{3,}|~{3,})/gm, '\\$1')
    .replace(/^(\d{1,9})([.)])(?=\s)/gm, '$1\\$2');
