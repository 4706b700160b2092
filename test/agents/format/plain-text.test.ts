import { expect, it } from 'vitest';
import { plainText, proseOf } from '../../../src/agents/format/markdown.ts';

it.each([
  ['a table in a code block', '```\n| id | name |\n```', '| id | name |'],
  ['a shorter fence inside a longer one', '````\n```\n# x\n```\n````', '```\n# x\n```'],
  ['a fence of the other kind', '```\n~~~\n# x\n```', '~~~\n# x'],
])('keeps %s', (_, markdown, prose) => {
  expect(proseOf(markdown, 500)).toBe(prose);
});

it('drops thematic breaks and the underline of a heading', () => {
  expect(proseOf('Title\n=====\n\none\n\n***\n\ntwo\n\n___', 500)).toBe('Title\n\none\n\ntwo');
});

it('marks a truncated text even if its white space collapses', () => {
  expect(plainText(`a${' '.repeat(600)}b`, 100)).toBe('a…');
});
