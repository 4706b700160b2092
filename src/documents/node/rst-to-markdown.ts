import type { Element } from 'hast';
import { boundMarks, type Weights } from '../bound-marks.ts';
import { element, elementsOf, isElement, lineOf, words } from '../hast.ts';
import { drawnDiagrams, leftOut, unknownValues } from '../omissions.ts';
import { markdownOfHtml } from '../read-html.ts';
import { type DocumentText, listed } from './document-text.ts';
import { readBlocks } from './rst-blocks.ts';
import { documentOf, type RstDocument } from './rst-document.ts';

const TAB = 8;
const WEIGHTS: Weights = { max: 30_000, inline: /[`*|_[:{]/g };

/**
 * Markdown of reStructuredText, as docutils and Sphinx publish it: sections, lists, terms, tables of all kinds, code, notes, tabs, roles,
 * substitutions, footnotes. Nothing is included, and nothing runs: what a page takes from other files or from code is named.
 */
export function rstToMarkdown(written: string): DocumentText {
  const { text, rest, warnings } = boundMarks(written.replace(/\r\n?/g, '\n'), WEIGHTS);
  const lines = text.split('\n').map((line) => expanded(line).trimEnd());
  const document = documentOf(lines, readBlocks);
  const blocks = readBlocks(lines, document);
  const title = blocks.find((block) => isElement(block, 'h1'));
  const { parts, isReduced } = partsOf(blocks);
  const markdown = parts
    .map((children) => markdownOfHtml({ type: 'root', children }))
    .concat(rest)
    .filter((part) => part !== '')
    .join('\n\n');
  return {
    text: markdown,
    title: title === undefined ? undefined : lineOf(title),
    warnings: [...warnings, ...(isReduced ? [TOO_LARGE] : []), ...warningsOf(document)],
  };
}

const expanded = (line: string): string => {
  if (!line.includes('\t')) return line;
  let out = '';
  for (const piece of line.split(/(\t)/))
    out += piece === '\t' ? ' '.repeat(TAB - (out.length % TAB)) : piece;
  return out;
};

/** A part has so many elements, unless one block alone has more. */
const MAX_PART = 4000;

/** Elements that are read; what comes after is reduced to its words. */
const MAX_ELEMENTS = 20_000;
const MAX_IN_BLOCK = 10_000;
const MAX_REDUCED = 4000;
const TOO_LARGE = `Reduced parts to plain text: the document has more than ${MAX_ELEMENTS} elements, or a block more than ${MAX_IN_BLOCK}`;

function partsOf(blocks: readonly Element[]): { parts: Element[][]; isReduced: boolean } {
  const parts: Element[][] = [];
  let size = MAX_PART;
  let total = 0;
  let isReduced = false;
  /** The words of several blocks. */
  let reduced: Element | undefined;
  for (const block of blocks) {
    if (size >= MAX_PART) {
      parts.push([]);
      size = 0;
    }
    const count = 1 + elementsOf(block).length;
    total += count;
    const isTooLarge = total > MAX_ELEMENTS || count > MAX_IN_BLOCK;
    isReduced ||= isTooLarge;
    const last = reduced?.children[0];
    if (!isTooLarge) {
      parts.at(-1)?.push(block);
      size += count;
      reduced = undefined;
    } else if (last?.type === 'text' && last.value.length < MAX_REDUCED)
      last.value += ` ${lineOf(block)}`;
    else {
      reduced = element('p', [words(lineOf(block))]);
      parts.at(-1)?.push(reduced);
      size += 1;
    }
  }
  return { parts, isReduced };
}

function warningsOf({ unknown, omitted, included, unknownDirectives }: RstDocument): string[] {
  const warnings = [
    ...unknownValues(unknown),
    ...drawnDiagrams(omitted.get('diagram') ?? 0),
    ...leftOut(
      omitted.get('generated') ?? 0,
      'part',
      'parts',
      ' that the site generator makes from code',
    ),
    ...leftOut(omitted.get('other') ?? 0, 'part', 'parts', ' for builds with a tag of their own'),
  ];
  if (included.size > 0)
    warnings.push(`Left out what is included from other files: ${listed(included)}`);
  if (unknownDirectives.size > 0)
    warnings.push(`Left out directives that are not known: ${listed(unknownDirectives)}`);
  return warnings;
}
