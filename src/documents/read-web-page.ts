import type { Element } from 'hast';
import type { Omission } from '../contract/wire/host-article.ts';
import { elementsOf, isElement, lineOf, propertyOf, textOf } from './hast.ts';
import { collectOmissions } from './omissions.ts';
import { isNotFound, readHead } from './page-head.ts';
import { parseHtml } from './parse-html.ts';
import { baseOf, contentOf, convert, titleOf } from './read-html.ts';
import { lineOfMarkdown } from './write-markdown.ts';

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
  /** Address to which the page sends its readers at once (`meta http-equiv="refresh"`). */
  refresh: string | undefined;
  /** Whether the page says that it does not exist, although its server says that it does. */
  isNotFound: boolean;
  /** Whether the page asks not to be indexed. */
  isHidden: boolean;
  /** Milliseconds since 1970. */
  modifiedAtMs: number | undefined;
  /** `en`, `de-CH`. */
  language: string | undefined;
  /** Addresses of the page in all its languages, as it lists them (`hreflang`); empty where it does not list itself. */
  translations: string[];
  /** Whether it has hardly any text, as a script makes it in the browser. */
  isScripted: boolean;
  /** What is no part of the article, and why. */
  omitted: Omission[];
}

/** Most links that are read from a page. */
const MAX_LINKS = 2000;

/**
 * Reads a page: what lies in `main`, in its `article`, or in `body`; without navigation, page headers and footers, asides and hidden parts.
 *
 * @param address Where the page was read, for its relative links.
 * @returns Undefined for a page with more than 10,000 tags, or nested more than 100 levels deep.
 */
export function readWebPage(html: string, address: string): WebPage | undefined {
  const root = parseHtml(html);
  if (root === undefined) return undefined;
  const all = elementsOf(root);
  const base = baseOf(all, address) ?? address;
  const links = linksOf(all, base);
  const canonical = all.find(
    (node) => isElement(node, 'link') && wordsIn(node.properties.rel).includes('canonical'),
  );
  const alternates = alternatesOf(all, base);
  const own = alternates.find((each) => pageOf(each.address) === pageOf(address));
  const language = own?.language ?? propertyOf(named(all, 'html'), 'lang');
  const { refresh, isHidden, modifiedAtMs } = readHead(all);
  const pageTitle = titleOf(root) ?? '';
  const omissions = collectOmissions();
  const isShell = isScriptShell(all);
  const { tree, text } = convert(contentOf(root, omissions), {
    isPage: true,
    base,
    language,
    omissions,
  });
  const [heading, other] = tree.children.filter(
    (node) => node.type === 'heading' && node.depth === 1,
  );
  const title =
    (heading !== undefined && other === undefined && lineOfMarkdown(heading)) || pageTitle;
  return {
    title,
    text,
    links,
    canonical: absolute(propertyOf(canonical, 'href'), base),
    refresh: absolute(refresh, base),
    isHidden,
    isNotFound: isNotFound(title, text),
    modifiedAtMs,
    language,
    translations:
      own === undefined ? [] : [...new Set(alternates.map((each) => pageOf(each.address)))],
    isScripted: isShell && text.length < MAX_SHELL_TEXT,
    omitted: omissions.list(),
  };
}

/** Text of a page that only says to wait, or to turn scripts on. */
const MAX_SHELL_TEXT = 200;
/** Ids of the empty elements into which frameworks put their pages. */
const SHELL =
  /^(?:root|app|__next|__nuxt|___gatsby|svelte|q-app|main-app|react-root|ember\d*|docsify|app-root)$/i;

/** Whether scripts fill the page: an empty element of a framework, or a note that scripts are needed. */
function isScriptShell(all: readonly Element[]): boolean {
  if (!all.some((node) => node.tagName === 'script')) return false;
  const isEmptyShell = all.some(
    (node) =>
      (SHELL.test(String(node.properties.id ?? '')) || /-root$/.test(node.tagName)) &&
      lineOf(node).length < MAX_SHELL_TEXT,
  );
  // The parser takes what is in `noscript` as text.
  const asksForScripts = all.some(
    (node) => node.tagName === 'noscript' && /java\s?script/i.test(textOf(node)),
  );
  return isEmptyShell || asksForScripts;
}

const MAX_LANGUAGES = 200;

/** The translations that a page lists, itself among them (`link rel="alternate" hreflang="…"`): templates often repeat one `lang`. */
const alternatesOf = (
  all: readonly Element[],
  base: string,
): { language: string; address: string }[] =>
  all
    .filter((node) => isElement(node, 'link') && wordsIn(node.properties.rel).includes('alternate'))
    .slice(0, MAX_LANGUAGES)
    .flatMap((node) => {
      const language = propertyOf(node, 'hrefLang');
      const address = absolute(propertyOf(node, 'href'), base);
      return language === undefined ||
        address === undefined ||
        language.toLowerCase() === 'x-default'
        ? []
        : [{ language, address }];
    });

const pageOf = (address: string): string =>
  address.replace(/[?#].*$/, '').replace(/\/(?:index\.html?)?$/, '');

const named = (all: readonly Element[], name: string): Element | undefined =>
  all.find(({ tagName }) => tagName === name);

function linksOf(all: readonly Element[], base: string): string[] {
  const links: string[] = [];
  for (const node of all) {
    if (node.tagName !== 'a' || links.length >= MAX_LINKS) continue;
    const link = absolute(propertyOf(node, 'href'), base);
    if (link !== undefined) links.push(link);
  }
  return links;
}

const wordsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.map((each) => String(each).toLowerCase()) : [];

function absolute(link: string | undefined, base: string): string | undefined {
  if (link === undefined || !URL.canParse(link, base)) return undefined;
  const url = new URL(link, base);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : undefined;
}
