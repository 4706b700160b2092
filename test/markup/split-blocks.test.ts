import { describe, expect, it } from 'vitest';
import { splitBlocks } from '../../src/markup/split-blocks.ts';
import cases from './split-blocks.json' with { type: 'json' };

const blocksOf = (text: string) => splitBlocks(text).map(({ kind, start, end }) => [kind, text.slice(start, end)]);
const itemsOf = (text: string) => splitBlocks(text)[0]?.items.map(({ start, end }) => text.slice(start, end));

describe('splitBlocks()', () => {
  it.each(cases.blocks as [string, string, string[][]][])('%s', (_fact, text, expected) =>
    expect(blocksOf(text)).toEqual(expected),
  );
  it('lists the items of a list with their nested content', () => {
    expect(itemsOf('1. a\n   - b\n2. c\n\n   d\n3. e')).toEqual(['1. a\n   - b', '2. c\n\n   d', '3. e']);
  });
  it('lists the rows of a table, header first', () => {
    expect(itemsOf('| a |\n|---|\n| 1 |\n| 2 |')).toEqual(['| a |\n|---|', '| 1 |', '| 2 |']);
  });
});
