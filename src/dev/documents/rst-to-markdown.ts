import type { Element } from 'hast';
import { elementsOf, isElement, lineOf } from '../../documents/hast.ts';
import { markdownOfHtml } from '../../documents/read-html.ts';
import { type DocumentText, listed, unknownValues } from './document-text.ts';
import { readBlocks } from './rst-blocks.ts';
import { documentOf, type RstDocument } from './rst-document.ts';

const TAB = 8;

/**
 * Markdown of reStructuredText, as docutils and Sphinx publish it: sections, lists, terms, tables of all kinds, code, notes, tabs, roles,
 * substitutions, footnotes. Nothing is included, and nothing runs: what a page takes from other files or from code is named.
 */
export function rstToMarkdown(text: string): DocumentText {
  const lines = text
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => expanded(line).trimEnd());
  const document = documentOf(lines, readBlocks);
  const blocks = readBlocks(lines, document);
  const title = blocks.find((block) => isElement(block, 'h1'));
  const markdown = partsOf(blocks)
    .map((children) => markdownOfHtml({ type: 'root', children }))
    .filter((part) => part !== '')
    .join('\n\n');
  return { text: markdown, title: title === undefined ? undefined : lineOf(title), warnings: warningsOf(document) };
}

const expanded = (line: string): string => {
  if (!line.includes('\t')) return line;
  let out = '';
  for (const piece of line.split(/(\t)/)) out += piece === '\t' ? ' '.repeat(TAB - (out.length % TAB)) : piece;
  return out;
};

/** A part has so many elements, unless one block alone has more. */
const MAX_PART = 4000;

function partsOf(blocks: readonly Element[]): Element[][] {
  const parts: Element[][] = [];
  let size = MAX_PART;
  for (const block of blocks) {
    if (size >= MAX_PART) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)?.push(block);
    size += 1 + elementsOf(block).length;
  }
  return parts;
}

function warningsOf({ unknown, omitted, included, unknownDirectives }: RstDocument): string[] {
  const warnings: string[] = [];
  if (unknown > 0) warnings.push(unknownValues(unknown));
  const diagrams = omitted.get('diagram') ?? 0;
  if (diagrams > 0)
    warnings.push(`Left out ${diagrams} ${diagrams === 1 ? 'diagram' : 'diagrams'}: they are drawn from code`);
  const generated = omitted.get('generated') ?? 0;
  if (generated > 0)
    warnings.push(
      `Left out ${generated} ${generated === 1 ? 'part' : 'parts'} that the site generator makes from code`,
    );
  if (included.size > 0) warnings.push(`Left out what is included from other files: ${listed(included)}`);
  if (unknownDirectives.size > 0) warnings.push(`Left out directives that are not known: ${listed(unknownDirectives)}`);
  return warnings;
}
