import { expect, it } from 'vitest';
import { splitBlocks } from '../../src/markup/split-blocks.ts';
import cases from './split-blocks.json' with { type: 'json' };

it.each(cases.blocks as [string, string, string[][]][])('%s', (_fact, text, expected) =>
  expect(splitBlocks(text).map(({ kind, start, end }) => [kind, text.slice(start, end)])).toEqual(expected),
);
it.each(cases.items as [string, string, string[]][])('lists the items of %s', (_what, text, expected) =>
  expect(splitBlocks(text)[0]?.items.map(({ start, end }) => text.slice(start, end))).toEqual(expected),
);
