import type { CleaningOptions } from './clean-html.ts';
import { INVISIBLE } from './hast.ts';
import { type DocumentText, isWholePage, readHtml, withoutLeadingComments } from './read-html.ts';
import { readMarkdown } from './read-markdown.ts';
import { readText } from './read-text.ts';

/** `commonmark` has neither HTML nor marks of a dialect: what looks like them is text. */
type DocumentFormat = 'html' | 'markdown' | 'commonmark';

interface DocumentOptions {
  /** Path or id, whose ending tells the format where nothing else does. */
  path?: string | undefined;
  format?: DocumentFormat | undefined;
  /** Address against which relative links are resolved. */
  base?: string | undefined;
  language?: string | undefined;
}

/**
 * Reads the text of an article, without its front matter, whatever it is written in: HTML by its ending or its look, otherwise Markdown of
 * any dialect. Both become one tree, cleaned by one set of rules, and are written as canonical Markdown.
 */
export function readDocument(
  content: string,
  { path = '', format, base, language }: DocumentOptions = {},
): DocumentText {
  const text = content.replace(INVISIBLE, '');
  const ending = /\.(\w{1,10})$/.exec(path)?.[1]?.toLowerCase() ?? '';
  const options: CleaningOptions = { base, language };
  const isHtmlText =
    format === undefined
      ? /^x?html?$/.test(ending) || (ending !== 'mdx' && isHtml(text))
      : format === 'html';
  if (isHtmlText) return readHtml(text, options);
  if (format === undefined && (ending === 'txt' || ending === 'text')) return readText(text);
  return readMarkdown(text, {
    isMdx: ending === 'mdx',
    isPlain: format === 'commonmark',
    base,
    language,
  });
}

const BLOCK =
  /^(?:address|article|aside|blockquote|body|center|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|header|hr|html|li|main|nav|ol|p|pre|section|script|style|table|tbody|tfoot|thead|tr|ul|svg|iframe|noscript|template|object|button|select)$/;

/**
 * Distinguishes HTML from Markdown, with Markdown as the default: a page begins with a doctype or `html`; a fragment begins and ends with
 * a tag, opens with a block element, closes one, and has no heading, fence or list of Markdown.
 */
function isHtml(content: string): boolean {
  if (isWholePage(content)) return true;
  const text = withoutLeadingComments(content).trim();
  const name = /^<([a-z][a-z0-9]*)[\s/>]/i.exec(text)?.[1]?.toLowerCase() ?? '';
  if (!BLOCK.test(name)) return false;
  if (!text.endsWith('>') || !/<\/[a-z][a-z0-9]*\s*>/i.test(text)) return false;
  return !/^(?:#{1,6} |```|~~~|[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\S)/m.test(
    text.replace(/<pre[\s>][\s\S]*?(?:<\/pre|$)/gi, ''),
  );
}
