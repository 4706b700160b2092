import { describe, expect, it } from 'vitest';
import { splitBlocks } from '../../src/markup/split-blocks.ts';

const blocksOf = (text: string) => splitBlocks(text).map(({ kind, start, end }) => [kind, text.slice(start, end)]);
const itemsOf = (text: string) => splitBlocks(text)[0]?.items.map(({ start, end }) => text.slice(start, end));

describe('splitBlocks()', () => {
  const CASES: [string, string, [string, string][]][] = [
    [
      'parts paragraphs at blank lines',
      'One\ntwo\n\nThree',
      [
        ['prose', 'One\ntwo'],
        ['prose', 'Three'],
      ],
    ],
    [
      'knows both kinds of heading',
      '## A\ntext\n\nB\n---\nmore',
      [
        ['heading', '## A'],
        ['prose', 'text'],
        ['heading', 'B\n---'],
        ['prose', 'more'],
      ],
    ],
    [
      'keeps a fence whole, blank lines and all',
      '```sh\na\n\nb\n```\nafter',
      [
        ['code', '```sh\na\n\nb\n```'],
        ['prose', 'after'],
      ],
    ],
    ['ends an open fence at the end', '~~~\na\n- b', [['code', '~~~\na\n- b']]],
    ['does not close a fence by a shorter one', '````\n```\n````', [['code', '````\n```\n````']]],
    [
      'keeps a table whole',
      '| a | b |\n|---|:-:|\n| 1 | 2 |\n\nx',
      [
        ['table', '| a | b |\n|---|:-:|\n| 1 | 2 |'],
        ['prose', 'x'],
      ],
    ],
    ['takes a pipe without a delimiter row for prose', 'a | b\nc', [['prose', 'a | b\nc']]],
    [
      'keeps a list with its nested and spread items',
      '1. a\n\n   more\n2. b\n   - c\n\nx',
      [
        ['list', '1. a\n\n   more\n2. b\n   - c'],
        ['prose', 'x'],
      ],
    ],
    [
      'ends a list at a paragraph after a blank line',
      '- a\n- b\n\nend',
      [
        ['list', '- a\n- b'],
        ['prose', 'end'],
      ],
    ],
    [
      'ends a paragraph where a list begins',
      'Do this:\n- a',
      [
        ['prose', 'Do this:'],
        ['list', '- a'],
      ],
    ],
    [
      'takes indented lines for code',
      'x\n\n    a = 1\n\n    b = 2\n',
      [
        ['prose', 'x'],
        ['code', 'a = 1\n\n    b = 2'],
      ],
    ],
    [
      'marks scripts as raw to their end',
      '<script>\nalert(1)\n\n- x\n</script>\nafter',
      [
        ['raw', '<script>\nalert(1)\n\n- x\n</script>'],
        ['prose', 'after'],
      ],
    ],
    [
      'marks comments and rules as raw',
      '<!-- a -->\n\n***\n\nx',
      [
        ['raw', '<!-- a -->'],
        ['raw', '***'],
        ['prose', 'x'],
      ],
    ],
    ['gives nothing for blank text', ' \n\n', []],
    [
      'copes with carriage returns',
      'a\r\n\r\nb\r\n',
      [
        ['prose', 'a'],
        ['prose', 'b'],
      ],
    ],
  ];
  it.each(CASES)('%s', (_fact, text, expected) => {
    expect(blocksOf(text)).toEqual(expected);
  });

  it('lists the items of a list with their nested content', () => {
    expect(itemsOf('1. a\n   - b\n2. c\n\n   d\n3. e')).toEqual(['1. a\n   - b', '2. c\n\n   d', '3. e']);
  });

  it('lists the rows of a table, head first', () => {
    expect(itemsOf('| a |\n|---|\n| 1 |\n| 2 |')).toEqual(['| a |\n|---|', '| 1 |', '| 2 |']);
  });
});
