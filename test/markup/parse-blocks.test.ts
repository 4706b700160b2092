import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTable } from 'micromark-extension-gfm-table';
import { describe, expect, it } from 'vitest';
import { parseBlocks } from '../../src/markup/parse-blocks.ts';

const kindsOf = (text: string) => parseBlocks(text).map(({ kind, start, end }) => [kind, text.slice(start, end)]);

/** The blocks as a full parser sees them, white space at the end left off. */
const referenceBlocks = (text: string) =>
  fromMarkdown(text, {
    extensions: [gfmTable(), { disable: { null: ['definition'] } }],
    mdastExtensions: [gfmTableFromMarkdown()],
  }).children.map((node) => {
    const start = text.lastIndexOf('\n', node.position!.start.offset! - 1) + 1;
    const isText = !['heading', 'list', 'code', 'table', 'thematicBreak'].includes(node.type);
    return {
      kind: isText ? 'text' : node.type === 'thematicBreak' ? 'empty' : node.type,
      text: text.slice(start, node.position!.end.offset).trimEnd(),
      depth: node.type === 'heading' ? node.depth : 0,
      items: node.type === 'list' ? node.children.map((item) => item.position!.start.line) : [],
    };
  });

const ownBlocks = (text: string) =>
  parseBlocks(text).map(({ kind, start, end, depth, itemStarts }) => ({
    kind,
    text: text.slice(start, end),
    depth,
    items: itemStarts.map((at) => text.slice(0, at).split('\n').length),
  }));

/** Without indented code and lone tags: where the reference leaves the specification, see the two cases below. */
const line = fc.constantFrom(
  ...['a', 'b c', '  two', '# h', '## h2 ##', '   # h', '---', '===', '***', '* * *', '#hash', '[a]: b'],
  ...[
    '- x',
    '* y',
    '+ p',
    '1. z',
    '2) w',
    '10. t',
    '-',
    '- ',
    '  - n',
    '   - m',
    '- > k',
    '> - l',
    '> q',
    '>',
    '>> qq',
  ],
  ...['```', '~~~', '``` js', '| a | b |', '| - | - |', '|-|', '|a|', ':-', ':-:|-', 'a | b', '- | -', '\\| x'],
  ...['<div>', '</div>', '<!-- d', '<script>', '<?x', '', '', '', ''],
);

describe('parseBlocks()', () => {
  it('finds the blocks that a full parser finds', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 9 }), (lines) => {
        const text = lines.join('\n');
        expect(ownBlocks(text)).toEqual(referenceBlocks(text));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    [
      'an item after indented code',
      '\tcode\n2. item',
      [
        ['code', '\tcode'],
        ['list', '2. item'],
      ],
    ],
    ['a lone tag after a paragraph of an item', '- a\n<b>', [['list', '- a\n<b>']]],
    [
      'a lone tag',
      '<x a="b">\n*c*\n\nd',
      [
        ['text', '<x a="b">\n*c*'],
        ['text', 'd'],
      ],
    ],
    [
      'a comment',
      '<!-- a\n\nb -->\nc',
      [
        ['empty', '<!-- a\n\nb -->'],
        ['text', 'c'],
      ],
    ],
    ['a comment with text behind it', '<!-- a --> b', [['text', '<!-- a --> b']]],
    [
      'indented code with a gap',
      '    a\n\n    b\n\nc',
      [
        ['code', '    a\n\n    b'],
        ['text', 'c'],
      ],
    ],
    [
      'code in an item',
      '- a\n\n  ```\n  # b\n\n  c\n  ```\n\nd',
      [
        ['list', '- a\n\n  ```\n  # b\n\n  c\n  ```'],
        ['text', 'd'],
      ],
    ],
    [
      'tabs for indentation',
      '-\ta\n\n\tb\n\nc',
      [
        ['list', '-\ta\n\n\tb'],
        ['text', 'c'],
      ],
    ],
    [
      'a table that indentation ends',
      'a | b\n--|--\n    c',
      [
        ['table', 'a | b\n--|--'],
        ['code', '    c'],
      ],
    ],
    ['code as the first of an item', '-     a\n\n  b', [['list', '-     a\n\n  b']]],
    [
      'an item that a blank line leaves empty',
      '-\n\n  a',
      [
        ['list', '-'],
        ['text', '  a'],
      ],
    ],
    ['escaped bars', '| a \\| b |\n| - |', [['table', '| a \\| b |\n| - |']]],
  ])('reads %s as CommonMark has it', (_, text, blocks) => {
    expect(kindsOf(text)).toEqual(blocks);
  });
});
