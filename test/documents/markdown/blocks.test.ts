import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTable } from 'micromark-extension-gfm-table';
import { expect, it } from 'vitest';
import { parseBlocks } from '../../../src/documents/markdown/blocks.ts';
import cases from './blocks.json' with { type: 'json' };

/** The blocks of a full parser, without trailing white space. */
const referenceBlocks = (text: string) =>
  fromMarkdown(text, {
    extensions: [gfmTable(), { disable: { null: ['definition'] } }],
    mdastExtensions: [gfmTableFromMarkdown()],
  }).children.map((node) => {
    const start = text.lastIndexOf('\n', node.position!.start.offset! - 1) + 1;
    return {
      kind: KINDS[node.type] ?? 'prose',
      text: text.slice(start, node.position!.end.offset).trimEnd(),
      depth: node.type === 'heading' ? node.depth : 0,
      items: node.type === 'list' ? node.children.map((item) => item.position!.start.line) : [],
    };
  });
const KINDS: Readonly<Record<string, string>> = {
  heading: 'heading',
  list: 'list',
  code: 'code',
  table: 'table',
  thematicBreak: 'raw',
};

const ownBlocks = (text: string) =>
  parseBlocks(text).map(({ kind, start, end, depth, items }) => ({
    kind: text.startsWith('<', start) ? 'prose' : kind,
    depth,
    text: text.slice(start, end),
    items: kind === 'list' ? items.map((item) => text.slice(0, item.start).split('\n').length) : [],
  }));

it('finds the blocks that a full parser finds', () => {
  // Without indented code, single tags and tables of one column, where one of the two differs from the specification.
  const line = fc.constantFrom(...cases.lines);
  fc.assert(
    fc.property(fc.array(line, { maxLength: 9 }), (lines) => {
      const text = lines.join('\n');
      expect(ownBlocks(text)).toEqual(referenceBlocks(text));
    }),
    { numRuns: 500 },
  );
});
it.each(cases.blocks as [string, string, string[][]][])('reads %s', (_, text, blocks) =>
  expect(parseBlocks(text).map(({ kind, start, end }) => [kind, text.slice(start, end)])).toEqual(
    blocks,
  ),
);
it.each(cases.items as [string, string, string[]][])('lists the items of %s', (_, text, items) =>
  expect(parseBlocks(text)[0]?.items.map(({ start, end }) => text.slice(start, end))).toEqual(
    items,
  ),
);
