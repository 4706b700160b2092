import type { Nodes, Root } from 'hast';
import { fromHtml } from 'hast-util-from-html';

/** Upper bounds of a tree: the parser takes quadratic time in the number of open elements. */
const MAX_TAGS = 10_000;
const MAX_NODES = 60_000;
const MAX_DEPTH = 100;

/** The tree of a page or, with `isFragment`, of a part of one; undefined when it is too large or nested too deep. */
export function parseHtml(
  html: string,
  { isFragment = false }: { isFragment?: boolean } = {},
): Root | undefined {
  const lean = leanHtml(html, isFragment);
  if (countTags(lean) > MAX_TAGS) return undefined;
  const root = parse(lean, isFragment);
  return root !== undefined && isBounded(root) ? root : undefined;
}

/** Undefined for a page that is nested too deep for the library's recursion. */
function parse(html: string, isFragment: boolean): Root | undefined {
  try {
    return fromHtml(html, { fragment: isFragment });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Without an XML declaration, embedded data, and attributes of formatting. The language of code moves to the element around it. */
function leanHtml(html: string, isFragment: boolean): string {
  // Authors of components and Markdown close any element so; in HTML an `iframe` would hold the rest of the document.
  const closed = isFragment || isXhtml(html) ? html.replace(SELF_CLOSED, '<$1$2></$1>') : html;
  return withoutFormattingAttributes(
    closed
      // An empty `i` is an icon, which its class or label tells, as is one with the name of an emoji.
      .replace(
        /<i(\s[^<>]{1,500})>\s{0,20}(?::[\w+-]{1,60}:|\p{Extended_Pictographic}\ufe0f?)?\s{0,20}<\/i>/giu,
        '<span$1></span>',
      )
      .replace(/^\s*<\?xml[^>]{0,200}\?>/, '')
      .replace(/data:[\w/+.;=-]{0,100},[^"'\s>]*/g, '')
      .replace(
        /<pre\b[^>]{0,500}>\s{0,20}<code\b[^>]{0,200}\blang(?:uage)?-([\w+#-]{1,40})[^>]{0,200}>/gi,
        '<pre lang="$1"><code>',
      ),
  );
}

/** A page of XHTML, where `<title/>` is an empty title; in HTML it would hold the rest of the page. */
const isXhtml = (html: string): boolean =>
  /^\s*(?:<\?xml\s|<!DOCTYPE[^>]{0,200}XHTML)|<html\b[^>]{0,500}\sxmlns=/i.test(
    html.slice(0, 1000),
  );
/** A tag that closes itself, but not of a void element, which has no closing tag (HTML Standard, 13.1.2). */
const SELF_CLOSED =
  /<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)[\s/])([a-z][\w:-]{0,60})((?:\s[^<>]{0,3000}?)?)\s?\/>/gi;

/**
 * The parser reopens unclosed formatting in each following paragraph (HTML Standard, 13.2.4.3), at most three times per
 * element with the same attributes. Removing attributes therefore bounds the size of the tree.
 */
function withoutFormattingAttributes(html: string): string {
  // No tag ends after the last `>`; each search from there would scan to the end of the page.
  const end = html.lastIndexOf('>') + 1;
  const tag = /<(b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)[\s/][^>]*>/gi;
  return html.slice(0, end).replace(tag, '<$1>') + html.slice(end);
}

function countTags(html: string): number {
  let count = 0;
  for (const _ of html.matchAll(/<[a-z]/gi)) count += 1;
  return count;
}

/** Also drops node positions, which are unused and as large as the tree. */
function isBounded(root: Root): boolean {
  let level: Nodes[] = [root];
  let count = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    const below: Nodes[] = [];
    for (const node of level) {
      delete node.position;
      if ('children' in node && !(node.type === 'element' && node.tagName === 'svg'))
        for (const child of node.children) below.push(child);
    }
    count += below.length;
    if (depth > MAX_DEPTH || count > MAX_NODES) return false;
    level = below;
  }
  return true;
}
