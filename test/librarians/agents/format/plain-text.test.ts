import { expect, it } from 'vitest';
import {
  plainText,
  proseOf,
  tablesAsLines,
} from '../../../../src/librarians/agents/format/markdown.ts';

it.each([
  ['keeps a table in a code block', '```\n| id | name |\n```', '| id | name |'],
  ['keeps a shorter fence inside a longer one', '````\n```\n# x\n```\n````', '```\n# x\n```'],
  ['keeps a fence of the other kind', '```\n~~~\n# x\n```', '~~~\n# x'],
  [
    'drops thematic breaks and underlines',
    'Title\n=====\n\none\n\n***\n\ntwo\n\n___',
    'Title\n\none\n\ntwo',
  ],
])('%s', (_, markdown, prose) => expect(proseOf(markdown, 500)).toBe(prose));
it('marks a truncated text even if its white space collapses', () => {
  expect(plainText(`a${' '.repeat(600)}b`, 100)).toBe('a…');
});

const TABLE =
  '| Profile | Apollo | Apollo II |\n| --- | ---: | ---: |\n| Quiet | 25 | 31 |\n| Turbo | | 46 |';
const SHOWN = 'Quiet: Apollo 25, Apollo II 31\nTurbo: Apollo II 46';
const OTHER = 'One | two\n---\n- a list\n|not a row';

it.each([
  ['with their column headers', `Noise:\n\n${TABLE}\n\nAfter.`, `Noise:\n\n${SHOWN}\n\nAfter.`],
  ['that were quoted without a header', '| E40 | Fan stands still |', 'E40: Fan stands still'],
  ['with an escaped bar in a cell', '| a \\| b | c |', 'a \\| b: c'],
  ['and returns other text unchanged', OTHER, OTHER],
])('writes rows as lines, %s', (_, table, lines) => expect(tablesAsLines(table)).toBe(lines));
