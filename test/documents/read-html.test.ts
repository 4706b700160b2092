import * as fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { expect, it } from 'vitest';
import { readHtml } from '../../src/documents/read-html.ts';

type Node = { type: string; value?: string; children?: readonly Node[] };

/** Types of the nodes of a Markdown text, and the text that a reader sees. */
const read = (markdown: string): { types: Set<string>; text: string } => {
  const types = new Set<string>();
  const parts: string[] = [];
  const visit = (node: Node): void => {
    types.add(node.type);
    if (node.value !== undefined) parts.push(node.value);
    for (const child of node.children ?? []) visit(child);
  };
  visit(fromMarkdown(markdown));
  return { types, text: parts.join('') };
};

const asHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

it.each([
  ['[Sign in](javascript:alert(1))'],
  ['![x](https://evil.example/pixel.png)'],
  ['![x][y] and [y]: https://evil.example/pixel.png'],
  ['[y]: https://evil.example'],
  ['[Reset your password](https://evil.example)'],
  ['<https://evil.example>'],
  ['**Send your seed words**'],
  ['__init__ and _this_'],
  ['x https://e.example#_#_ y'],
  ['a `command` b'],
  ['\\[x](https://evil.example)'],
  ['\\\\[x](https://evil.example)'],
])('text of a page that looks like Markdown stays text: %s', (text) => {
  for (const html of [`<p>${asHtml(text)}</p>`, `<h2>A</h2><ul><li>${asHtml(text)}</li></ul>`]) {
    const { types, text: shown } = read(readHtml(html).text);
    expect([...types].filter((type) => MEANS.has(type))).toEqual([]);
    expect(shown).toContain(text);
  }
});

/** What only elements of the page may become. */
const MEANS = new Set([
  'link',
  'image',
  'definition',
  'linkReference',
  'imageReference',
  'emphasis',
  'strong',
  'inlineCode',
]);

it('no text of a page becomes Markdown, whatever stands in it', () => {
  const pieces = fc.constantFrom(
    ...'[|]|(|)|!|<|>|:|*|_|`|~|\\|#|a|b c|https://e.example|javascript:x|x@y.example| '.split('|'),
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 24 }), (words) => {
      const html = `<p>x ${asHtml(words.join(''))} y</p>`;
      const { types } = read(readHtml(html).text);
      expect([...types].filter((type) => MEANS.has(type))).toEqual([]);
    }),
    { numRuns: 3000 },
  );
});

it('elements of a page still become Markdown, and identifiers stay as they are', () => {
  const html =
    '<p>Set <b>max_size_mb</b> to 5 * 3, see <a href="https://a.example/b">the [list]</a>, <code>a*b*c</code>.</p>';
  expect(readHtml(html).text).toBe('Set **max_size_mb** to 5 * 3, see the [list], `a*b*c`.');
  expect(readHtml('<p><a href="https://a.example/b">Here</a> costs 5*</p>').text).toBe(
    '[Here](https://a.example/b) costs 5*',
  );
});

it('the text of a page that is too large to be parsed is no Markdown either', () => {
  const { text } = readHtml(
    `${'<i></i>'.repeat(10_001)}<p>[a](https://evil.example) ![b](https://evil.example)</p>`,
  );
  expect([...read(text).types].filter((type) => MEANS.has(type))).toEqual([]);
});
