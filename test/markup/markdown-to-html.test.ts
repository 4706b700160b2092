import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markdownToHtml } from '../../src/markup/markdown-to-html.ts';
import { hostileMarkdown } from './hostile-markdown.ts';
import { referenceHtml } from './reference-html.ts';

/** Line breaks between tags, and what only `markdownToHtml` adds: quiet mentions, and bare addresses as links. */
const comparable = (html: string): string =>
  html
    .replaceAll('\u200b', '')
    .replace(/ {2,}/g, ' ')
    .replace(/<a href="(https?:[^"]*)" rel="noopener noreferrer">\1<\/a>/g, '$1')
    .replace(/\s*\n\s*/g, '\n')
    .replace(/(?<=<\/?\w+>)\n|\n(?=<)/g, '')
    .replace(/[ \t]+(?=<)|(?<=>)[ \t]+/g, '');

const LINK = ' rel="noopener noreferrer"';

describe('markdownToHtml()', () => {
  it.each([
    ['Hello *you* and **you**', '<p>Hello <em>you</em> and <strong>you</strong></p>'],
    ['one\ntwo  \nthree\\\nfour', '<p>one\ntwo<br>\nthree<br>\nfour</p>'],
    [
      '[guide](https://docs.example.com/a?b=1&c=2 "title")',
      `<p><a href="https://docs.example.com/a?b=1&amp;c=2"${LINK}>guide</a></p>`,
    ],
    [
      '[write](mailto:help@example.com), <help@example.com>',
      `<p><a href="mailto:help@example.com"${LINK}>write</a>, <a href="mailto:help@example.com"${LINK}>help@example.com</a></p>`,
    ],
    [
      'see https://example.com/a_b_c. Or (https://example.com/x)!',
      `<p>see <a href="https://example.com/a_b_c"${LINK}>https://example.com/a_b_c</a>. Or (<a href="https://example.com/x"${LINK}>https://example.com/x</a>)!</p>`,
    ],
    ['`<b>` and ``a ` b``', '<p><code>&lt;b&gt;</code> and <code>a ` b</code></p>'],
    ['<script>alert("1")</script>', '<p>&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;</p>'],
    ['<img src=x onerror=alert(1)> <!-- note -->', '<p>&lt;img src=x onerror=alert(1)&gt; &lt;!-- note --&gt;</p>'],
    ['![logo](https://example.com/x.png)', `<p><a href="https://example.com/x.png"${LINK}>logo</a></p>`],
    ['![logo](data:image/png;base64,AAAA)', '<p>logo</p>'],
    ['[![logo](https://a.example/x.png)](https://b.example)', `<p><a href="https://b.example"${LINK}>logo</a></p>`],
    ['[![logo](x.png)](https://b.example)', `<p><a href="https://b.example"${LINK}>logo</a></p>`],
    ['AT&amp;T &#60;b&#62; \\&amp;', '<p>AT&amp;T &lt;b&gt; &amp;amp;</p>'],
    ['3. three\n4. four', '<ul>\n<li>3. three</li>\n<li>4. four</li>\n</ul>'],
    ['- a\n  1. b\n  2. c\n- d', '<ul>\n<li>a\n<ol>\n<li>b</li>\n<li>c</li>\n</ol></li>\n<li>d</li>\n</ul>'],
    [
      '| a | b |\n|---|:-:|\n| `x|y` \\| z | 2 |',
      '<table>\n<thead>\n<tr><th>a</th><th>b</th></tr>\n</thead>\n<tbody>\n<tr><td>`x</td><td>y` | z</td><td>2</td></tr>\n</tbody>\n</table>',
    ],
    ['```sh\nrm <x>\n```', '<pre><code>rm &lt;x&gt;</code></pre>'],
    ['', ''],
  ])('writes %j', (markdown, html) => {
    expect(markdownToHtml(markdown)).toBe(html);
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\tscript:alert(1)',
    'javascript&colon;alert(1)',
    '&#106;avascript:alert(1)',
    '&#x6A;avascript:alert(1)',
    'javascript\\:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:msgbox(1)',
    'file:///etc/passwd',
    'ftp://example.com',
    'mention://user/1',
    '//evil.example',
    '/relative',
    'https:evil.example',
    'https:\\\\evil.example',
    'http://exa\u202emple.com',
    'http://',
    'mailto:x',
  ])('makes no link of %j', (url) => {
    for (const text of [`[words](${url})`, `[words](<${url}>)`, `![words](${url})`, `<${url}>`])
      expect(markdownToHtml(text)).not.toContain('<a');
  });

  it('escapes quotes in attributes', () => {
    const html = markdownToHtml('[x](https://example.com/"onmouseover="alert(1)) [y](<https://example.com/"\'>)');
    expect(html.replace(/href="[^"]*"/g, '').includes('onmouseover="')).toBe(false);
    expect(html).toMatch(ALLOWED);
  });

  it('disables mentions', () => {
    const html = markdownToHtml(
      '@everyone @here <!channel> <@U123> <#C42|general> @jane, me@example.com `@all` [@x](https://a.example)',
    );
    expect(html).not.toMatch(/@(?:everyone|here|jane|all|x)|&lt;[!@#]/);
    expect(html).toContain('me@example.com');
  });

  it('agrees with a full parser on all our articles and pages', () => {
    for (const file of filesUnder('src/dev/sample/knowledge-base').concat(filesUnder('docs'), 'README.md')) {
      const markdown = readFileSync(file, 'utf8').replace(/^---\n[\s\S]*?\n---\n/, '');
      expect(comparable(markdownToHtml(markdown)), file).toBe(comparable(referenceHtml(markdown)));
    }
  });

  const word = fc.constantFrom('one', 'two', 'three', 'a', 'b.', 'c,');
  const mark = fc.constantFrom(
    '*',
    '**',
    '_',
    '__',
    '`',
    '``',
    '\\',
    '\\*',
    '[x](https://a.b/c)',
    '[',
    '&amp;',
    '&',
    '<',
    '>',
    '(',
    ')',
    '"',
    '!',
    '|',
    '#',
    '-',
    '1.',
  );
  // The reference counts the marks that are left of a run where the specification counts all: no two marks in a row.
  const inline = fc
    .tuple(fc.oneof({ weight: 2, arbitrary: fc.constant(' ') }, mark), word)
    .map((pair) => pair.join(''));
  const lead = fc.constantFrom(
    '',
    '',
    '',
    '- ',
    '  - ',
    '1. ',
    '2) ',
    '> ',
    '>',
    '> - ',
    '# ',
    '## ',
    '   ',
    '* ',
    '| a | b |',
    '===',
    '+ ',
  );
  const line = fc
    .tuple(lead, word, fc.array(inline, { maxLength: 7 }), fc.constantFrom(' ', ''))
    .map(([start, first, rest, between]) => `${start}${[first, ...rest].join(between)}`);
  const lines = fc.array(
    fc.oneof({ weight: 8, arbitrary: line }, fc.constantFrom('', '```', '~~~', '---', '| - | - |', '====')),
    { minLength: 1, maxLength: 8 },
  );

  it('agrees with a full parser on random texts', () => {
    fc.assert(
      fc.property(lines, (each) => {
        const markdown = each.join('\n');
        expect(comparable(markdownToHtml(markdown))).toBe(comparable(referenceHtml(markdown)));
      }),
      { numRuns: 800 },
    );
  });

  const ALLOWED =
    /^(?:[^<>&"']|&(?:amp|lt|gt|quot|#39);|<(?:\/?(?:p|h[1-6]|ul|ol|li|strong|em|code|pre|table|thead|tbody|tr|th|td|blockquote)|br|hr|\/a)>|<a href="(?:https?:\/\/|mailto:)[^<>"'\s]*" rel="noopener noreferrer">)*$/i;

  it('writes only allowed elements and attributes, properly nested, and every word', () => {
    fc.assert(
      fc.property(fc.array(hostileMarkdown, { maxLength: 14 }), (parts) => {
        const html = markdownToHtml(parts.map((part, at) => `${part}w${at}x`).join(''));
        expect(html).toMatch(ALLOWED);
        const open: string[] = [];
        for (const [, close, name = ''] of html.matchAll(/<(\/?)(\w+)/g)) {
          if (close) expect(open.pop()).toBe(name);
          else if (name !== 'br' && name !== 'hr') open.push(name);
        }
        expect(open).toEqual([]);
        expect(open.length).toBeLessThan(60);
      }),
      { numRuns: 800 },
    );
  });

  it('shows all words outside addresses', () => {
    const marks = fc.constantFrom(
      ' ',
      '\n',
      '\n\n',
      '*',
      '**',
      '_',
      '`',
      '> ',
      '\n- ',
      '\n  - ',
      '\n1. ',
      '\n# ',
      ' <b>',
      '</b> ',
      '|',
      '\n|--|--|\n',
      '[',
      ']',
      '!',
      '&',
      '\n---\n',
      '\n    ',
      '<!-- ',
      ' -->',
      '@',
      '<!',
    );
    fc.assert(
      fc.property(fc.array(marks, { maxLength: 14 }), (parts) => {
        const html = markdownToHtml(parts.map((part, at) => `${part}w${at}x`).join(''));
        const text = html.replace(/<[^>]*>/g, '');
        for (const at of parts.keys()) expect(text).toContain(`w${at}x`);
      }),
      { numRuns: 800 },
    );
  });
});

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => `${entry.parentPath}/${entry.name}`);
