import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markdownToHtml } from '../../src/markup/markdown-to-html.ts';
import { markdownToText, plainHeading } from '../../src/markup/markdown-to-text.ts';
import { hostileMarkdown } from './hostile-markdown.ts';

describe('markdownToText()', () => {
  it.each([
    ['# Title\n\nHello *you*,\nsee `a*b*`.', 'Title\n\nHello you,\nsee a*b*.'],
    ['- a\n- b\n  1. c\n  2. d\n\n> quote\n> more', '- a\n- b\n  1. c\n  2. d\n\n> quote\n> more'],
    ['3. three\n4. four', '3. three\n4. four'],
    ['- a\n\n- b\n\n  more', '- a\n\n- b\n\n  more'],
    [
      '[guide](https://docs.example.com/a) and <https://b.example>',
      'guide (https://docs.example.com/a) and https://b.example',
    ],
    ['[me@example.com](mailto:me@example.com)', 'me@example.com'],
    ['![logo](https://example.com/x.png) [bad](javascript:alert(1))', 'logo (https://example.com/x.png) bad'],
    ['| a | b |\n|---|---|\n| **1** | 2 |', 'a | b\n1 | 2'],
    ['```sh\nrm -r x\n\n  y\n```', 'rm -r x\n\n  y'],
    ['<b>raw</b> &lt;x&gt;', '<b>raw</b> <x>'],
    ['a\n\n---\n\nb\\\nc', 'a\n\n---\n\nb\nc'],
    ['', ''],
  ])('writes %j', (markdown, text) => {
    expect(markdownToText(markdown)).toBe(text);
  });

  it('disables mentions in any combination of fragments', () => {
    const calls = fc.constantFrom(
      '@everyone',
      '@here',
      '<!channel>',
      '<!here|x>',
      '<@U12>',
      '<#C1|x>',
      '<!subteam^S1>',
      '@jane',
      '@@jane',
      '&#64;everyone',
      '&lt;!channel&gt;',
      '\\@all',
      '\\<!channel>',
      '<!*x*',
      '*@*everyone',
      '@**all**',
      '[@x](https://a.example)',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(calls, hostileMarkdown), { maxLength: 8 }), (parts) => {
        const text = markdownToText(parts.join(' '));
        expect(text).not.toMatch(/(?<![\p{L}\p{N}._%+-])@(?:everyone|here|channel|all)|<[!@#][a-z^]/iu);
      }),
      { numRuns: 700 },
    );
  });

  it('disables mentions by name, and keeps package names in code', () => {
    expect(markdownToText('@jane @@jane (@jane) @*jane* jane@example.com `npm i @scope/x`')).toBe(
      '@\u200bjane @\u200b@\u200bjane (@\u200bjane) @\u200bjane jane@example.com npm i @scope/x',
    );
  });

  it('has the same words as the page', () => {
    const words = (text: string) => text.match(/w\d+x/g) ?? [];
    fc.assert(
      fc.property(fc.array(hostileMarkdown, { maxLength: 12 }), (parts) => {
        const markdown = parts.map((part, at) => `${part}w${at}x`).join('');
        const shown = markdownToHtml(markdown).replace(/<[^>]*>/g, '');
        expect(new Set(words(markdownToText(markdown)))).toEqual(
          new Set([...words(shown), ...words(addressesIn(markdown))]),
        );
      }),
      { numRuns: 700 },
    );
  });
});

describe('plainHeading()', () => {
  it.each([
    ['## Plain words ##', 'Plain words'],
    ['# C# and F#', 'C# and F#'],
    ['Two\nlines *here*\n---', 'Two lines here'],
    ['##', ''],
    ['# **Set** _up_ ***all*** `a *b*`', 'Set up all a *b*'],
    ['# [The *way*](https://x.example/a_b_c "t") in', 'The way in'],
    ['# ![Logo](x.png) [![Badge](y)](z) Name', 'Logo Badge Name'],
    ['# a <b>c</b> <!-- d --> <https://x.example/e>', 'a c https://x.example/e'],
    ['# \\*not\\* &lt;b&gt; &amp; &#65;', '*not* <b> & A'],
    ['# snake_case_name 2 * 3 * 4 [brackets]', 'snake_case_name 2 * 3 * 4 [brackets]'],
    ['# ``a ` b`` `unclosed', 'a ` b `unclosed'],
    ['# \ue000 *kept*', '\ue000 kept'],
    ['# [![Badge](https://x.example/y.png)](https://x.example) Name', 'Badge Name'],
    ['# a*b*c `<b>` \\<b> &lt;b&gt; caf&eacute;', 'abc <b> <b> <b> café'],
    ['# [bad](javascript:alert(1)) <!-- <b> -->x', 'bad x'],
  ])('reads %s', (source, words) => {
    expect(plainHeading(source)).toBe(words);
  });
});

/** Link targets are part of the text and not visible on the page. */
const addressesIn = (markdown: string): string =>
  [...markdownToHtml(markdown).matchAll(/href="([^"]*)"/g)].map(([, url = '']) => url).join(' ');
