import { ACTIVE_ELEMENTS, BLOCK_ELEMENTS } from '../../markup/html-elements.ts';
import { TooDeep } from './html-tree.ts';
import { parseHtml } from './parse-html.ts';
import { writeMarkdown } from './write-markdown.ts';

export interface ConvertedHtml {
  text: string;
  /** Of the page's `title` element. */
  title?: string | undefined;
  /** Whether scripts, styles, frames or the like were left out. */
  dropped: boolean;
}

/**
 * Turns an HTML page or fragment into Markdown: headings, paragraphs, lists, tables, code, quotes, links with a web
 * address, images by their description; entities decoded; scripts, styles, frames and forms left out.
 *
 * A page nested more than 200 levels deep is hostile or broken: only the text between its tags is kept.
 */
export const htmlToMarkdown = (html: string): ConvertedHtml => {
  const lean = html.replace(/data:[\w/+.;=-]{0,100},[^"'\s>]*/g, '');
  try {
    const { body, title } = parseHtml(lean);
    return { text: writeMarkdown(body), title, dropped: HAS_ACTIVE.test(lean) };
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
    return { text: textBetweenTags(lean), dropped: true };
  }
};

/**
 * Tells HTML from Markdown, in doubt for Markdown: a page begins with a doctype or `html`; a fragment begins and ends
 * with a tag, opens with a block element, closes one, and has no line that is Markdown's heading or fence.
 */
export const isHtml = (content: string): boolean => {
  const text = content.replace(/^(?:\s*<!--[\s\S]*?-->)+/, '').trim();
  if (/^<(?:!doctype html|html|head|body)[\s>]/i.test(text)) return true;
  const name = /^<([a-z][a-z0-9]*)[\s/>]/i.exec(text)?.[1]?.toLowerCase() ?? '';
  if (!BLOCK_ELEMENTS.has(name) && !ACTIVE_ELEMENTS.has(name)) return false;
  if (!text.endsWith('>') || !/<\/[a-z][a-z0-9]*\s*>/i.test(text)) return false;
  return !/^(?:#{1,6} |```|~~~)/m.test(text.replace(/<pre[\s>][\s\S]*?(?:<\/pre|$)/gi, ''));
};

const HAS_ACTIVE = new RegExp(`<(?:${[...ACTIVE_ELEMENTS].join('|')})[\\s/>]`, 'i');

/** Tags fall away, and what stands in scripts and styles with them. Linear: each character is looked at once. */
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
  return parts
    .join(' ')
    .replace(/[ \t]+/g, ' ')
    .replace(/\s*\n\s*/g, '\n')
    .trim();
};
