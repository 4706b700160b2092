import type { Element, ElementContent, Nodes, Root } from 'hast';
import { markdownOf, parseHtml, textOf } from './html-to-markdown.ts';

/** A page of a web site, without what surrounds its content. */
export interface WebPage {
  /** The only first-level heading of the content, otherwise the page's title; empty without either. */
  title: string;
  /** The content as Markdown, with absolute links. */
  text: string;
  /** Absolute addresses, as the page names them; those without a host of the web are omitted. */
  links: string[];
  /** Address under which the page wants to be known (RFC 6596). */
  canonical: string | undefined;
  /** Whether the page asks not to be indexed. */
  isHidden: boolean;
  /** Milliseconds since 1970. */
  modifiedAtMs: number | undefined;
  /** `en`, `de-CH`. */
  language: string | undefined;
}

/** Most links that are read from a page. */
const MAX_LINKS = 2000;

/**
 * Reads a page: what lies in `main`, in its only `article`, or in `body`; without navigation, page headers and footers, asides and hidden parts.
 *
 * @param address Where the page was read, for its relative links.
 * @returns Undefined for a page with more than 10,000 tags, or nested more than 100 levels deep.
 */
export const readWebPage = (html: string, address: string): WebPage | undefined => {
  const parsed = parseHtml(html);
  if (parsed === undefined) return undefined;
  const all = elementsOf(parsed.page);
  const baseHref = propertyOf(
    all.find(({ tagName }) => tagName === 'base'),
    'href',
  );
  const base = absolute(baseHref, address) ?? address;
  const links: string[] = [];
  for (const element of all) {
    if (element.tagName !== 'a' || element.properties.href === undefined) continue;
    const link = absolute(propertyOf(element, 'href'), base);
    if (link === undefined) delete element.properties.href;
    else element.properties.href = link;
    if (link !== undefined && links.length < MAX_LINKS) links.push(link);
  }
  const canonical = all.find(
    ({ tagName, properties }) => tagName === 'link' && wordsIn(properties.rel).includes('canonical'),
  );
  const meta = (name: string): string | undefined =>
    propertyOf(
      all.find(
        ({ tagName, properties }) =>
          tagName === 'meta' &&
          [properties.name, properties.property].some((each) => String(each ?? '').toLowerCase() === name),
      ),
      'content',
    );
  const modified = Date.parse(meta('article:modified_time') ?? meta('last-modified') ?? '');
  const content = withoutSurroundings(contentOf(all, parsed.page));
  const headings = elementsOf(content).filter(({ tagName }) => tagName === 'h1');
  const [heading] = headings;
  const title = headings.length === 1 && heading !== undefined ? textOf(heading) : (parsed.title ?? '');
  return {
    title: title.replace(/\s+/g, ' ').trim(),
    text: markdownOf(content),
    links,
    canonical: absolute(propertyOf(canonical, 'href'), base),
    isHidden: /\b(?:noindex|none)\b/i.test(meta('robots') ?? ''),
    modifiedAtMs: Number.isNaN(modified) ? undefined : modified,
    language: propertyOf(
      all.find(({ tagName }) => tagName === 'html'),
      'lang',
    ),
  };
};

const elementsOf = (root: Root): Element[] => {
  const found: Element[] = [];
  const waiting: Nodes[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.type === 'element') found.push(node);
    // In the order of the page.
    if ('children' in node) for (const child of node.children.toReversed()) waiting.push(child);
  }
  return found;
};

const contentOf = (all: readonly Element[], page: Root): Root => {
  const articles = all.filter(({ tagName }) => tagName === 'article');
  const chosen =
    all.find(({ tagName, properties }) => tagName === 'main' || properties.role === 'main') ??
    (articles.length === 1 ? articles[0] : undefined) ??
    all.find(({ tagName }) => tagName === 'body');
  const children = chosen?.children ?? (page.children as ElementContent[]);
  // Within an article, header and footer are parts of it.
  const surroundings = chosen === undefined || chosen.tagName === 'body' ? OF_PAGE : [];
  return {
    type: 'root',
    children: children.filter((child) => !(child.type === 'element' && isOneOf(child, surroundings))),
  };
};

/** Around the content of a page. */
const OF_PAGE = ['header', 'footer'];
const SURROUNDINGS = ['nav', 'aside'];
const ROLES = new Set(['navigation', 'banner', 'contentinfo', 'complementary', 'search']);

const isOneOf = ({ tagName, properties }: Element, names: readonly string[]): boolean =>
  names.includes(tagName) || ROLES.has(String(properties.role ?? ''));

const withoutSurroundings = <Parent extends Root | Element>(parent: Parent): Parent => {
  const kept = (parent.children as ElementContent[]).filter(
    (child) => child.type !== 'element' || !isSurrounding(child),
  );
  for (const child of kept) if (child.type === 'element') withoutSurroundings(child);
  parent.children = kept;
  return parent;
};

const isSurrounding = (element: Element): boolean =>
  isOneOf(element, SURROUNDINGS) || element.properties.hidden === true || element.properties.ariaHidden === 'true';

const propertyOf = (element: Element | undefined, name: string): string | undefined => {
  const value = element?.properties[name];
  return typeof value === 'string' && value !== '' ? value.slice(0, 2048) : undefined;
};

const wordsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.map((each) => String(each).toLowerCase()) : [];

const absolute = (link: string | undefined, base: string): string | undefined => {
  if (link === undefined || !URL.canParse(link, base)) return undefined;
  const url = new URL(link, base);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : undefined;
};
