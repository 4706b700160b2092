import fc from 'fast-check';
import { fromHtml } from 'hast-util-from-html';
import { toMdast } from 'hast-util-to-mdast';
import type { Root } from 'mdast';
import { afterEach, expect, it, vi } from 'vitest';
import { htmlToTree } from '../../src/documents/html-to-tree.ts';
import { readHtml } from '../../src/documents/read-html.ts';
import { writeMarkdown } from '../../src/documents/write-markdown.ts';

afterEach(() => vi.restoreAllMocks());

const parsed = (html: string) => fromHtml(html, { fragment: true });

it('reads blocks of words as the library does', () => {
  const words = fc.constantFrom(
    'a',
    ' ',
    '\n',
    '  b ',
    '<code>x y</code>',
    '<code> x</code>',
    '<strong>s</strong>',
    '<em>e</em>',
    '<em></em>',
    '<a href="https://a.b">l</a>',
    '<br>',
    '&nbsp;',
    '</p><p>c',
    '</p></div><p>d',
    '</p><h2>e',
    '</p>t<div>f',
    '<hr>',
  );
  const openings = fc.constantFrom(
    '<p>',
    '<div><p>',
    '<section><div><h2>',
    '<div>',
    '<ul><li>x<p>',
    '<blockquote><p>',
  );
  fc.assert(
    fc.property(openings, fc.array(words, { maxLength: 8 }), (opening, parts) => {
      const html = `${opening}a${parts.join('')}`;
      const all = toMdast(parsed(html), { document: true }) as Root; // a root becomes a root
      expect(writeMarkdown(htmlToTree(parsed(html)))).toBe(writeMarkdown(all));
    }),
    { numRuns: 2000 },
  );
});

it.each([
  '<p>a <b>c</b></p>',
  '<h2>a</h2>',
  '<div class="paragraph"><p>a <code>c</code></p></div>',
])('gives the library, which copies its tree, no block of words: %s', (block) => {
  const copy = vi.spyOn(globalThis, 'structuredClone');
  const { text } = readHtml(block.repeat(50), { isPage: false });
  expect(text.match(/a/g)).toHaveLength(50);
  expect(copy).not.toHaveBeenCalled();
});

it('repeats a merged cell only as long as its copies are short', () => {
  const table = (text: string): string =>
    `<table><tr><td rowspan=200>${text}<td>b${'<tr><td>c'.repeat(199)}</table>`;
  expect(readHtml(table('short'), { isPage: false }).text.match(/short/g)).toHaveLength(200);
  const { text } = readHtml(table('long '.repeat(1000)), { isPage: false });
  expect(text.match(/long/g)).toHaveLength(1000);
  expect(text.match(/c/g)).toHaveLength(199);
});
