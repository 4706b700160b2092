import { decodeHTML } from 'entities';
import type { Element, ElementContent, Root } from 'hast';
import type { Root as MarkdownRoot } from 'mdast';
import type { Omission } from '../contract/wire/host-article.ts';
import { type CleaningOptions, cleanHtml } from './clean-html.ts';
import {
  elementsOf,
  isElement,
  lineOf,
  type Parent,
  propertyOf,
  spacedTextOf,
  textOf,
} from './hast.ts';
import { htmlToTree } from './html-to-tree.ts';
import { collectOmissions, type Omissions } from './omissions.ts';
import { isNotFound, readHead } from './page-head.ts';
import { parseHtml } from './parse-html.ts';
import { headQuestions } from './questions.ts';
import { lineOfMarkdown, writeMarkdown } from './write-markdown.ts';

/** What a document becomes. */
export interface DocumentText {
  /** Canonical Markdown. */
  text: string;
  title?: string | undefined;
  /** As a page of HTML names it: `de-CH`. */
  language?: string | undefined;
  /** What was left out or could not be read, a sentence each. */
  warnings: string[];
  /** What is no part of the article, and why. */
  omitted: Omission[];
  /** When a whole page of HTML says that it was last changed; ISO 8601. */
  lastUpdated?: string | undefined;
  /** Why a whole page of HTML is no article. */
  noArticle?: string | undefined;
}

/** Elements whose content is dropped with a warning: what they show is no text. */
const ACTIVE =
  /<(?:script|style|iframe|frame|frameset|object|embed|applet|noscript|template|canvas|audio|video|textarea|base|meta|link)[\s/>]/i;

/**
 * Reads a page or a fragment of HTML: headings, paragraphs, lists, tables, code, notes, links with a web address, the alternative text of
 * images. Of a whole page the content alone is read. One with more than 10,000 tags, or nested more than 100 levels deep, is reduced to its text.
 */
export function readHtml(html: string, options: CleaningOptions = {}): DocumentText {
  const isPage = options.isPage ?? isWholePage(html);
  const root = parseHtml(html);
  if (root === undefined) return { text: plainText(html), warnings: [TOO_LARGE], omitted: [] };
  const all = elementsOf(root);
  const pageTitle = titleOf(root);
  const language =
    options.language ??
    propertyOf(
      all.find(({ tagName }) => tagName === 'html'),
      'lang',
    );
  const { refresh, modifiedAtMs } = readHead(isWholePage(html) ? all : []);
  const omissions = collectOmissions();
  const content = isPage ? contentOf(root, omissions) : bodyOf(root);
  const base = baseOf(all, options.base);
  const { tree, text } = convert(content, { ...options, base, isPage, language, omissions });
  const warnings = ACTIVE.test(html) && !isPage ? [ACTIVE_DROPPED] : [];
  const title = titleIn(tree) ?? pageTitle ?? openingHeading(tree);
  return {
    text,
    title,
    language,
    warnings,
    omitted: omissions.list(),
    lastUpdated: modifiedAtMs === undefined ? undefined : new Date(modifiedAtMs).toISOString(),
    noArticle:
      refresh !== undefined
        ? `it only leads to ${refresh.slice(0, 300)}`
        : isPage && isNotFound(title ?? '', text)
          ? 'it says that it does not exist'
          : undefined,
  };
}

/** Against what a page's relative links are resolved: what it names itself, else its address. */
export function baseOf(all: readonly Element[], address: string | undefined): string | undefined {
  const href = propertyOf(
    all.find(({ tagName }) => tagName === 'base'),
    'href',
  );
  return href !== undefined && URL.canParse(href, address) ? new URL(href, address).href : address;
}

const TOO_LARGE =
  'Reduced to plain text: the HTML has more than 10,000 tags, or is nested more than 100 levels deep';
export const ACTIVE_DROPPED = 'Dropped scripts or other active HTML from the content';

/** Markdown of a tree of HTML, which is changed. */
export function markdownOfHtml(root: Root): string {
  return convert(root, {}).text;
}

/** Text without its tags, as Markdown that shows it literally. */
export function plainText(html: string): string {
  const children = textBetweenTags(html)
    .split('\n')
    .map((value) => ({ type: 'paragraph' as const, children: [{ type: 'text' as const, value }] }));
  return writeMarkdown({ type: 'root', children });
}

export function convert(
  root: Root,
  options: CleaningOptions,
): { tree: MarkdownRoot; text: string } {
  cleanHtml(root, options);
  headQuestions(root);
  const tree = htmlToTree(root);
  return { tree, text: writeMarkdown(tree) };
}

/** The only heading of the first level; of several, the first. */
export function titleIn(tree: MarkdownRoot): string | undefined {
  const heading = tree.children.find((node) => node.type === 'heading' && node.depth === 1);
  return (heading === undefined ? undefined : lineOfMarkdown(heading)) || undefined;
}

/** A heading of another level that opens the text and has no equal: where nothing else names the document, it does. */
export function openingHeading(tree: MarkdownRoot): string | undefined {
  const [first, ...others] = tree.children;
  if (first?.type !== 'heading') return undefined;
  const hasEqual = others.some((node) => node.type === 'heading' && node.depth <= first.depth);
  return hasEqual ? undefined : lineOfMarkdown(first) || undefined;
}

/** Content of the first `title` outside of drawings. */
export function titleOf(root: Root): string | undefined {
  const inDrawing = new Set(
    elementsOf(root)
      .filter(({ tagName }) => tagName === 'svg')
      .flatMap(elementsOf),
  );
  const title = elementsOf(root).find((node) => node.tagName === 'title' && !inDrawing.has(node));
  return (title === undefined ? undefined : lineOf(title)) || undefined;
}

/** Whether a text begins as a page does, after comments and an XML declaration. */
export function isWholePage(html: string): boolean {
  return /^\s*<(?:!doctype html|html|head|body)[\s>]/i.test(
    withoutLeadingComments(html.replace(/^\s*<\?xml[^>]{0,200}\?>/, '')),
  );
}

/** Each character is read once. */
export function withoutLeadingComments(html: string): string {
  let at = 0;
  for (;;) {
    while (at < html.length && /\s/.test(html[at] ?? '')) at += 1;
    const end = html.startsWith('<!--', at) ? html.indexOf('-->', at + 4) : -1;
    if (end === -1) return html.slice(at);
    at = end + 3;
  }
}

const bodyOf = (root: Root): Root => {
  const body = elementsOf(root).find(({ tagName }) => tagName === 'body');
  return body === undefined ? root : { type: 'root', children: body.children };
};

/** An article is the content if the others together are much shorter. */
const CLEARLY_LONGER = 3;
const MAX_SHARE_OF_LINKS = 0.7;

/** What lies in the longest `main`, in the only `article` or the one that is clearly the longest, or in `body`. */
export function contentOf(root: Root, omissions?: Omissions): Root {
  const main = findContent(root, omissions);
  if ('tagName' in main) {
    if (omissions !== undefined) addSurrounding(root, main, omissions);
    return content(main);
  }
  return main;
}

/** What lies beside an element and beside those that hold it. */
function addSurrounding(root: Root, inner: Element, omissions: Omissions): void {
  const around = new Set<Parent>([inner]);
  const visit = (parent: Parent): boolean => {
    if (parent === inner) return true;
    const holder = (parent.children as ElementContent[]).find(
      (child) => child.type === 'element' && visit(child),
    );
    if (holder !== undefined) around.add(parent);
    return holder !== undefined;
  };
  visit(root);
  for (const parent of around)
    for (const child of parent === inner ? [] : (parent.children as ElementContent[]))
      if (
        child.type === 'element' &&
        !around.has(child) &&
        !isElement(child, 'head', 'script', 'style', 'noscript')
      )
        if (lineOf(child) !== '') omissions.add('surrounding', () => spacedTextOf(child));
}

function findContent(root: Root, omissions: Omissions | undefined): Root | Element {
  const all = elementsOf(root);
  const main = longest(
    all.filter((node) => node.tagName === 'main' || node.properties.role === 'main'),
  );
  if (main !== undefined && lineOf(main) !== '') return main;
  const articles = outermost(all.filter(({ tagName }) => tagName === 'article'));
  // Cards that lead to other pages are articles too, but the page's own has its first heading.
  const titled = articles.filter((node) =>
    elementsOf(node).some(({ tagName }) => tagName === 'h1'),
  );
  if (titled.length === 1 && titled[0] !== undefined) return titled[0];
  const article = longest(articles);
  if (article !== undefined) {
    const others = Math.max(
      0,
      ...articles.filter((node) => node !== article).map((node) => lineOf(node).length),
    );
    if (lineOf(article).length >= CLEARLY_LONGER * others) return article;
  }
  const body = all.find(({ tagName }) => tagName === 'body');
  const children = (body ?? root).children as ElementContent[];
  for (const child of children)
    if (isElement(child, 'header', 'footer'))
      omissions?.add('surrounding', () => spacedTextOf(child));
  const rest = children.filter((child) => !isElement(child, 'header', 'footer'));
  return withoutMenus({ type: 'root', children: rest }, omissions);
}

const content = ({ children }: Element): Root => ({ type: 'root', children });

const longest = (nodes: readonly Element[]): Element | undefined => {
  const lengths = nodes.map((node) => textOf(node).trim().length);
  return nodes[lengths.indexOf(Math.max(...lengths))];
};

const outermost = (nodes: readonly Element[]): Element[] => {
  const inner = new Set(
    nodes.flatMap((node) => elementsOf(node).filter(({ tagName }) => tagName === 'article')),
  );
  return nodes.filter((node) => !inner.has(node));
};

/** Before the first heading of a page that does not mark its content, blocks made of links are menus. */
function withoutMenus(root: Root, omissions: Omissions | undefined): Root {
  const drop = (parent: Parent): boolean => {
    const children: ElementContent[] = [];
    let isAfterHeading = false;
    for (const child of parent.children as ElementContent[]) {
      if (!isAfterHeading && child.type === 'element') {
        if (child.tagName === 'h1') isAfterHeading = true;
        else if (elementsOf(child).some(({ tagName }) => tagName === 'h1'))
          isAfterHeading = drop(child);
        else if (isMenu(child)) {
          omissions?.add('surrounding', () => spacedTextOf(child));
          continue;
        }
      }
      children.push(child);
    }
    parent.children = children;
    return isAfterHeading;
  };
  if (elementsOf(root).some(({ tagName }) => tagName === 'h1')) drop(root);
  return root;
}

function isMenu(node: Element): boolean {
  const links = elementsOf(node).filter(({ tagName }) => tagName === 'a');
  const all = lineOf(node).length;
  return (
    links.length >= 2 &&
    links.reduce((sum, link) => sum + lineOf(link).length, 0) > MAX_SHARE_OF_LINKS * all
  );
}

/** Removes tags, and scripts and styles with their content. Linear: each character is read once. */
function textBetweenTags(html: string): string {
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
    const from = WITHOUT_TEXT.has(name) ? lower.indexOf(`</${name}`, open) : open;
    const close = from === -1 ? -1 : html.indexOf('>', from);
    at = close === -1 ? html.length : close + 1;
  }
  return decodeHTML(parts.join(' '))
    .replace(/[ \t\u00a0]+/g, ' ')
    .replace(/\s*\n\s*/g, '\n')
    .trim();
}

const WITHOUT_TEXT = new Set(
  'script style iframe object applet noscript template svg math canvas select textarea'.split(' '),
);
