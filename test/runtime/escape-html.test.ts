import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTable } from 'micromark-extension-gfm-table';
import { describe, expect, it } from 'vitest';
import { escapeHtml, unescapeHtml } from '../../src/runtime/escape-html.ts';

/** What a client would obey, fetch or offer to follow. */
const hasLiveHtml = (markdown: string): boolean => {
  const nodes: { type: string; url?: string; children?: unknown[] }[] = [
    fromMarkdown(markdown, { extensions: [gfmTable()], mdastExtensions: [gfmTableFromMarkdown()] }),
  ];
  for (let node = nodes.pop(); node; node = nodes.pop()) {
    if (['html', 'image', 'imageReference'].includes(node.type)) return true;
    if (/^[^/?#]*:/.test(node.url ?? '') && !/^(?:https?|mailto):/i.test(node.url ?? '')) return true;
    nodes.push(...((node.children ?? []) as typeof nodes));
  }
  return false;
};

describe('escapeHtml()', () => {
  const CASES: [string, string, string][] = [
    ['shows a tag instead of obeying it', 'a <b>bold</b> word', 'a \\<b>bold\\</b> word'],
    ['leaves a less-than sign alone', 'if a < b and 3 <4', 'if a < b and 3 <4'],
    ['leaves code spans alone', 'use `<name>` and ``<x>``', 'use `<name>` and ``<x>``'],
    ['leaves fences alone', '```html\n<b>\n```\n<i>', '```html\n<b>\n```\n\\<i>'],
    [
      'leaves a fence in a list item alone',
      '1. Run:\n\n   ```\n   echo <name>\n   ```',
      '1. Run:\n\n   ```\n   echo <name>\n   ```',
    ],
    [
      'does not take the closing mark behind a less indented line for an opening one',
      '   ```\ncode\n   ```\n   <img src=x onerror=alert(1)>',
      '   ```\ncode\n   ```\n   \\<img src=x onerror=alert(1)>',
    ],
    [
      'does the same in a list item',
      '- a\n\n      ```\n   code\n      ```\n\n   <img src=x>',
      '- a\n\n      ```\n   code\n      ```\n\n   \\<img src=x>',
    ],
    [
      'leaves a fence right below the words of its list item alone',
      '1. Run:\n   ```sh\n   echo <name>\n   ```\n2. <b>',
      '1. Run:\n   ```sh\n   echo <name>\n   ```\n2. \\<b>',
    ],
    ['sees a carriage return as the end of a line', 'a `\r\r<b>`', 'a `\r\r\\<b>`'],
    [
      'trusts no tildes that a list number may not let open',
      'a\n2) ~~~\n   <b>\n   ~~~',
      'a\n2) ~~~\n   \\<b>\n   ~~~',
    ],
    ['makes a plain link of an image', '![pic](https://e.example/t.png)', '\\![pic](https://e.example/t.png)'],
    ['does so with references', '![pic][a] ![b]', '\\![pic][a] \\![b]'],
    ['leaves images in code alone', 'write `![pic](a.png)`', 'write `![pic](a.png)`'],
    [
      'keeps links to pages',
      '[a](https://a.example/b?c=d:e "T") [b](../c.md#d) [e](mailto:a@b.example)',
      '[a](https://a.example/b?c=d:e "T") [b](../c.md#d) [e](mailto:a@b.example)',
    ],
    [
      'makes other links inert',
      '[a](javascript:alert(1)) [b](Data:text/html,x)',
      '[a\\](javascript:alert(1)) [b\\](Data:text/html,x)',
    ],
    ['sees through entities', '[a](java&#115;cript&colon;x)', '[a\\](java&#115;cript&colon;x)'],
    ['does not wait for the next line', '[a](\njavascript:x)', '[a\\](\njavascript:x)'],
    ['makes definitions inert', '[a]: vbscript:x\n[b]: https://b.example', '[a\\]: vbscript:x\n[b]: https://b.example'],
    ['makes automatic links inert', '<javascript:x>', '\\<javascript:x>'],
    ['does not escape twice', 'a \\<b>', 'a \\<b>'],
    ['escapes behind an escaped backslash', 'a \\\\<b>', 'a \\\\\\<b>'],
    ['trusts no code span over table cells', '| ` | <b> ` |', '| ` | \\<b> ` |'],
  ];
  it.each(CASES)('%s', (_fact, markdown, expected) => {
    expect(escapeHtml(markdown)).toBe(expected);
  });

  it('is reversed by unescapeHtml()', () => {
    const text = 'a <b>x</b> <!-- c --> `<d>` 1 < 2 ![i](a.png) [l](data:x)\n[d]: javascript:x';
    expect(unescapeHtml(escapeHtml(text))).toBe(text);
  });

  it('leaves no active markup for a Markdown parser, whatever the nesting', () => {
    const piece = fc.constantFrom(
      '<script>',
      '</script>',
      '<b>',
      '<!-- x -->',
      '`',
      '``',
      '```',
      '~~~',
      '\n',
      '\n\n',
      '- ',
      '1. ',
      '> ',
      '    ',
      '  ',
      ' ',
      'a',
      '|',
      '\n|-|-|\n',
      '\\',
      '<?x?>',
      '# ',
      '\t',
      '<a href="`">',
      '<https://x.y>',
      '](',
      '[',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
        const escaped = escapeHtml(pieces.join(''));
        if (hasLiveHtml(escaped)) throw new Error(JSON.stringify(escaped));
      }),
      { seed: 11, numRuns: 500 },
    );
  });

  it('leaves no active markup around fences of any indentation, mark and container', () => {
    const lead = fc.constantFrom(
      '',
      '',
      ' ',
      '  ',
      '   ',
      '    ',
      '      ',
      '\t',
      '- ',
      '1. ',
      '2) ',
      '> ',
      '- - ',
      '  - ',
      '>  ',
    );
    const body = fc.constantFrom(
      '```',
      '```',
      '````',
      '~~~',
      '~~~~',
      '```sh',
      '~~~ a',
      '```a\\',
      '<b>',
      '<img src=x>',
      '<!-- x',
      '-->',
      '',
      '',
      'a',
      'a ` b',
      '`<i>`',
      '| a |',
      '|-|',
      '---',
      '# a',
      '[a]: b',
      '[a](`',
      '</b> ```',
      '*',
      '=',
    );
    const line = fc.tuple(lead, fc.constantFrom('', '', '', ' ', '  ', '    '), body).map((texts) => texts.join(''));
    const end = fc.constantFrom('\n', '\n', '\n', '\r\n', '\r');
    fc.assert(
      fc.property(fc.array(fc.tuple(line, end), { maxLength: 12 }), (lines) => {
        const escaped = escapeHtml(lines.flat().join(''));
        if (hasLiveHtml(escaped)) throw new Error(JSON.stringify(escaped));
      }),
      { seed: 12, numRuns: 700 },
    );
  });

  it('leaves no image and no link with another scheme, in any syntax', () => {
    const piece = fc.constantFrom(
      '![',
      '[',
      ']',
      '](',
      ']: ',
      ']:',
      ')',
      '[a]',
      '![a]',
      '[](',
      'javascript:x',
      'data:x',
      'JavaScript:x',
      'java',
      'script',
      ':',
      '&colon;',
      '&#58;',
      'https://a.b',
      'mailto:a',
      '/c',
      '#',
      '<',
      '>',
      '(',
      '"',
      "'",
      ' ',
      '\n',
      '\n',
      '\n\n',
      '\t',
      '\\',
      '`',
      '`',
      '```',
      'a',
      '!',
      '> ',
      '- ',
      '   ',
      '|',
      '\n[a]: ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 16 }), (pieces) => {
        // A definition that is not in doubt shows what the references would do.
        const escaped = escapeHtml(`${pieces.join('')}\n\n[a]: /a\n`);
        if (hasLiveHtml(escaped)) throw new Error(JSON.stringify(escaped));
      }),
      { seed: 13, numRuns: 1000 },
    );
  });
});
