import { tokenize } from 'html5parser';
import { decodeEntities } from '../../markup/decode-entities.ts';
import { type HtmlElement, htmlTree } from './html-tree.ts';

export interface HtmlPage {
  body: HtmlElement;
  /** Of the page's first `title` element, entities decoded. */
  title?: string | undefined;
}

/**
 * Builds the tree of an HTML page or fragment. `html`, `head` and `body` are seen through; comments, doctypes and processing
 * instructions are left out. Linear in the length of the page.
 *
 * @throws {TooDeep} When an element stands more than 200 levels deep.
 */
export const parseHtml = (html: string): HtmlPage => {
  const source = html.replace(/<!doctype[^<>]*>?/gi, '');
  const tokens = tokenize(source);
  const tree = htmlTree();
  let title: string | undefined;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (token?.type === LITERAL) tree.text(decodeEntities(token.value));
    else if (token?.type === CLOSE_TAG) tree.close(/^[^\s/]*/.exec(token.value)?.[0] ?? '');
    else if (token?.type === OPEN_TAG) {
      while (at < tokens.length && tokens[at]?.type !== OPEN_TAG_END) at += 1;
      const end = tokens[at];
      // An end of the page within a tag takes the tag with it.
      if (!end || !/^[a-z]/.test(token.value)) continue;
      if (token.value !== 'title') tree.open(token.value, source.slice(token.end, end.start), end.value === '/');
      else {
        const words: string[] = [];
        while (tokens[at + 1]?.type === LITERAL) words.push(tokens[++at]?.value ?? '');
        if (!tree.isWithin('svg')) title ??= decodeEntities(words.join(''));
      }
    }
  }
  return { body: tree.root, title };
};

/** The kinds of token: the tokenizer declares their names as a `const enum`, which cannot be imported without a compiler. */
const LITERAL = 0;
const OPEN_TAG = 1;
const OPEN_TAG_END = 2;
const CLOSE_TAG = 3;
