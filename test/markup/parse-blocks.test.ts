import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTable } from 'micromark-extension-gfm-table';
import { expect, it } from 'vitest';
import { parseBlocks } from '../../src/markup/parse-blocks.ts';
import cases from './parse-blocks.json' with { type: 'json' };

/** The blocks of a full parser, without trailing white space. */
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
    ...{ kind, depth, text: text.slice(start, end) },
    items: itemStarts.map((at) => text.slice(0, at).split('\n').length),
  }));

it('finds the blocks that a full parser finds', () => {
  // Without indented code and single tags, where the reference differs from the specification; see the cases below.
  const line = fc.constantFrom(...cases.lines);
  fc.assert(
    fc.property(fc.array(line, { maxLength: 9 }), (lines) => {
      const text = lines.join('\n');
      expect(ownBlocks(text)).toEqual(referenceBlocks(text));
    }),
    { numRuns: 500 },
  );
});
it.each(cases.blocks as [string, string, string[][]][])('reads %s as CommonMark defines', (_, text, blocks) =>
  expect(ownBlocks(text).map((block) => [block.kind, block.text])).toEqual(blocks),
);
