import type { Token } from 'markdown-it';
import { markdownParser } from './markdown-parser.ts';

/** A part of a Markdown text, named as the HTML element that shows it: `p`, `h1`, `ul`, `em`; a text has no name. */
export interface MarkdownNode {
  tag: string;
  /** What a text, `code` and `pre` hold; the description of an image. */
  text: string;
  /** A web or mail address: of `a`, and of `img` unless its own is unsafe; else empty. */
  url: string;
  /** Number of the first item of `ol`; else 1. */
  start: number;
  /** How a cell is aligned: `left`, `center`, `right` or undefined. */
  align: string | undefined;
  children: MarkdownNode[];
}

/**
 * Parses a Markdown text. Raw HTML is text; a link to anything but a web or mail address is its text. Items of a list without
 * blank lines have no `p`.
 *
 * @param markdown Bounded by the caller; time is linear in its length.
 */
export function readMarkdown(markdown: string): MarkdownNode[] {
  return nodesOf(markdownParser.parse(markdown, {}));
}

/** The elements that stand within a line. */
export const INLINE: ReadonlySet<string> = new Set([
  '',
  'em',
  'strong',
  's',
  'a',
  'img',
  'code',
  'br',
]);

/** Deeper quotes and lists, and deeper emphasis, are ignored: a browser would have to keep the elements open. */
const MAX_DEPTH = 16;
const NESTED: ReadonlySet<string> = new Set(['blockquote', 'ul', 'ol', 'li', 'em', 'strong', 's']);

const nodesOf = (tokens: readonly Token[], open: MarkdownNode[] = [nodeOf('')]): MarkdownNode[] => {
  const [root] = open;
  for (const token of tokens) {
    const parent = open.at(-1);
    if (parent === undefined) break;
    if (token.type === 'inline') nodesOf(token.children ?? [], [parent]);
    else if (token.nesting === 0) append(parent, leafOf(token, open));
    else if (token.nesting < 0) closeElement(token, open);
    else open.push(openElement(token, parent, open.length));
  }
  return root?.children ?? [];
};

const nodeOf = (tag: string, text = ''): MarkdownNode => ({
  tag,
  text,
  url: '',
  start: 1,
  align: undefined,
  children: [],
});

/** Texts that follow each other are one. */
const append = ({ children }: MarkdownNode, node: MarkdownNode): void => {
  const last = children.at(-1);
  if (node.tag === '' && last?.tag === '') last.text += node.text;
  else children.push(node);
};

/** @returns The parent when the content stands for itself: paragraphs of tight lists, links that are not shown as such. */
const openElement = (token: Token, parent: MarkdownNode, depth: number): MarkdownNode => {
  const url = token.tag === 'a' ? safeUrl(token.attrGet('href')) : '';
  if (token.tag === 'a' && url === '' && token.markup === 'autolink')
    append(parent, nodeOf('', '<'));
  const isTooDeep = depth > MAX_DEPTH && NESTED.has(token.tag);
  if (token.hidden || isTooDeep || (token.tag === 'a' && url === '')) return parent;
  const [, align] = /text-align:(\w+)/.exec(String(token.attrGet('style'))) ?? [];
  const node = { ...nodeOf(token.tag), url, start: Number(token.attrGet('start') ?? 1), align };
  parent.children.push(node);
  return node;
};

const closeElement = (token: Token, open: MarkdownNode[]): void => {
  const node = open.pop();
  if (node?.tag === 'a' && token.tag === 'a') {
    if (node.children.length === 0) node.children.push(nodeOf('', node.url));
  } else if (node !== undefined && token.tag === 'a' && token.markup === 'autolink')
    append(node, nodeOf('', '>'));
};

const leafOf = (token: Token, open: readonly MarkdownNode[]): MarkdownNode => {
  const { type, tag, content } = token;
  switch (type) {
    case 'fence':
    case 'code_block':
      return nodeOf('pre', content.replace(/\n$/, ''));
    case 'html_block':
      return { ...nodeOf('p'), children: [nodeOf('', content.trim())] };
    case 'softbreak':
      return nodeOf('', '\n');
    case 'image': {
      const url = open.some((node) => node.tag === 'a') ? '' : safeUrl(token.attrGet('src'));
      return { ...nodeOf('img', content || url), url };
    }
    default:
      return nodeOf(tag, content);
  }
};

const MAX_URL = 2000;

/** Allows web and mail addresses only, and none that a browser would parse differently; else empty. */
const safeUrl = (address: string | number | null): string => {
  const url = String(address);
  const isSafe =
    url.length <= MAX_URL &&
    /^(?:https?:\/\/[^\s/]|mailto:[^\s@]+@)[^\s\\]*$/i.test(url) &&
    !/\p{C}/u.test(url) &&
    URL.canParse(url);
  return isSafe ? url : '';
};
