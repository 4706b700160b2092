import { load, NullLogger } from '@asciidoctor/core';
import type { Element, ElementContent, Root } from 'hast';
import { boundMarks, type Weights } from '../bound-marks.ts';
import {
  classesOf,
  element,
  elementsOf,
  isElement,
  labelOf,
  lineOf,
  propertyOf,
  textOf,
  words,
} from '../hast.ts';
import { signOf } from '../icons.ts';
import { unknownValues } from '../omissions.ts';
import { parseHtml } from '../parse-html.ts';
import { convert, plainText } from '../read-html.ts';
import { type AsciidocSource, prepareAsciidoc, UNKNOWN_ADDRESS } from './asciidoc-source.ts';
import { type DocumentText, listed } from './document-text.ts';
import { titleFromName } from './title-from-name.ts';

/** What would number, link or draw, and what would read other files. */
const SETTINGS = {
  experimental: '',
  showtitle: '',
  'toc!': '',
  'sectnums!': '',
  'partnums!': '',
  'sectanchors!': '',
  'sectlinks!': '',
  'icons!': '',
  'source-highlighter!': '',
  'table-caption!': '',
  'figure-caption!': '',
  'example-caption!': '',
  'max-include-depth': 0,
};

/** Bytes of a value, and of all places together that show one. */
const MAX_VALUE = 4096;
const MAX_VALUES = 1_000_000;

/** Each section looks for an id that no other has, each item for the list that it continues, and definitions hold each other. */
const WEIGHTS: Weights = {
  max: 30_000,
  inline: /[|!`*_#+^~<({[]/g,
  heavy: [
    { line: /^={1,6}\s/, weight: 14 },
    { line: /^[A-Z]{3,12}:\s/, weight: 4 },
    { line: /^\s*(?:[*.-]+\s|:[\w-]+:|\S.{0,200}:{2,4}(?:\s|$))/, weight: 3 },
  ],
};

/** Each cell of such a column is a document of its own. */
const DOCUMENT_COLUMNS = /\bcols="[^"\n]{0,200}a/;
const DOCUMENT_CELLS = { line: /^\s*(?:[\d.+*<>^]*a)?\|/, weight: 6 };

const weightsOf = (text: string): Weights =>
  DOCUMENT_COLUMNS.test(text)
    ? { ...WEIGHTS, heavy: [DOCUMENT_CELLS, ...(WEIGHTS.heavy ?? [])] }
    : WEIGHTS;

/**
 * Markdown of AsciiDoc, as Asciidoctor publishes it in its secure mode: nothing is included or loaded. What a page takes from other files,
 * and values that only its generator knows, are named.
 */
export async function asciidocToMarkdown(written: string): Promise<DocumentText> {
  const { text, rest, warnings } = boundMarks(written, weightsOf(written));
  const source = prepareAsciidoc(text);
  const places = source.text.match(/\{[\w-]+\}/g)?.length ?? 0;
  const longest = Math.max(1, Math.min(MAX_VALUE, Math.floor(MAX_VALUES / Math.max(1, places))));
  if (longest < MAX_VALUE && hasLongValue(source.text, longest))
    warnings.push(
      `Cut values of attributes after ${longest} characters: ${places} places show one`,
    );
  const document = await load(source.text, {
    safe: 'secure',
    doctype: 'article',
    standalone: false,
    logger: new NullLogger(),
    attributes: { ...SETTINGS, ...source.attributes, 'max-attribute-value-size': longest },
  });
  const html = String(await document.convert());
  let title: string | undefined;
  const parts: string[] = [];
  for (const piece of sectionsOf(html)) {
    const root = parseHtml(piece, { isFragment: true });
    if (root === undefined) {
      parts.push(plainText(piece));
      continue;
    }
    readBlocks(root, source);
    title ??= elementsOf(root)
      .filter(({ tagName }) => tagName === 'h1')
      .map(lineOf)[0];
    parts.push(convert(root, { language: languageOf(source) }).text);
  }
  const markdown = [...parts, rest].filter((part) => part !== '').join('\n\n');
  return { text: markdown, title, warnings: [...warnings, ...warningsOf(source)] };
}

/** Whether a definition is longer, or may be with the values that it holds. */
const hasLongValue = (text: string, length: number): boolean =>
  [...text.matchAll(/^:[\w-]+:(.*)$/gm)].some(
    ([, value = '']) => value.length > length || value.includes('{'),
  );

const languageOf = ({ text }: AsciidocSource): string | undefined =>
  /^:lang:\s+([\w-]{2,8})\s*$/m.exec(text.slice(0, 2000))?.[1];

/** Tags that a piece may have; a section that has more is cut at its own sections. */
const MAX_TAGS = 8000;

function sectionsOf(html: string, level = 1): string[] {
  if ((html.match(/<[a-z]/g)?.length ?? 0) <= MAX_TAGS || level > 4) return [html];
  return html
    .split(new RegExp(`(?=<div class="sect${level}">)`))
    .flatMap((part) => sectionsOf(part, level + 1));
}

/** Titles of blocks are labels, references to what is not known are words, verses keep their lines, and code that was included leaves nothing. */
function readBlocks(root: Root, source: AsciidocSource): void {
  for (const parent of [root, ...elementsOf(root)])
    parent.children = (parent.children as ElementContent[]).flatMap((child) => {
      if (child.type === 'text') return readFormulas(child.value);
      return child.type === 'element' ? readElement(child, parent, source) : [];
    });
}

function readElement(
  node: Element,
  parent: Root | Element,
  source: AsciidocSource,
): ElementContent[] {
  const classes = classesOf(node);
  switch (node.tagName) {
    case 'a':
      return readReference(node, source);
    case 'pre':
      if (textOf(node).trim() === '') return [];
      dropGuards(node);
      return [isElement(parent) && / verseblock /.test(classesOf(parent)) ? verse(node) : node];
    case 'span':
      if (/ icon /.test(classes))
        return [words(signOf(lineOf(node).replace(/^\[|\]$/g, '')) ?? '')];
      if (/ keyseq /.test(classes)) return [element('kbd', [words(lineOf(node))])];
      return [/ menuseq /.test(classes) ? element('strong', [words(lineOf(node))]) : node];
    case 'hr':
      return isElement(parent) && propertyOf(parent, 'id') === 'footnotes' ? [] : [node];
    case 'div':
      if (/ footnote /.test(classes)) return [footnote(node)];
      if (/ hdlist /.test(classes)) return [termsOf(node)];
      return [/ title /.test(classes) && !isNoteTitle(parent) ? blockTitle(node) : node];
    default:
      return [node];
  }
}

/** Terms beside what is said of them, which Asciidoctor shows in columns. */
const termsOf = (list: Element): Element =>
  element('div', [
    ...list.children.filter((child) => isElement(child, 'p', 'div')),
    element(
      'dl',
      elementsOf(list)
        .filter(({ tagName }) => tagName === 'td')
        .flatMap((cell) => {
          const classes = classesOf(cell);
          if (/ hdlist1 /.test(classes)) return [element('dt', [words(lineOf(cell))])];
          return / hdlist2 /.test(classes) ? [element('dd', cell.children)] : [];
        }),
    ),
  ]);

/** In XML the number of a remark stands in a comment. */
function dropGuards(pre: Element): void {
  for (const parent of [pre, ...elementsOf(pre)])
    for (const [at, child] of parent.children.entries()) {
      if (!isElement(child, 'b') || !/^\(\d+\)$/.test(lineOf(child))) continue;
      const [before, after] = [parent.children[at - 1], parent.children[at + 1]];
      if (before?.type !== 'text' || after?.type !== 'text' || !/<!--\s?$/.test(before.value))
        continue;
      before.value = before.value.replace(/<!--\s?$/, '');
      after.value = after.value.replace(/^\s?-->/, '');
    }
}

/** `[1] text`: its number is a link back, before a full stop. */
const footnote = ({ children }: Element): Element => {
  const at = children.findIndex((child) => isElement(child, 'a'));
  const mark = children[at];
  if (mark === undefined) return element('p', children);
  const [first, ...others] = children.slice(at + 1);
  const text = first?.type === 'text' ? first.value.replace(/^\.\s*/, '') : '';
  const rest = first?.type === 'text' || first === undefined ? others : [first, ...others];
  return element('p', [words(`[${textOf(mark).trim()}] ${text}`), ...rest]);
};

const isNoteTitle = (parent: Root | Element): boolean =>
  isElement(parent, 'td') && / icon /.test(classesOf(parent));

const blockTitle = (node: Element): Element => {
  const title = lineOf(node);
  return labelOf(/[.:!?…。：]$/.test(title) ? title : `${title}:`);
};

const verse = (pre: Element): Element =>
  element(
    'p',
    textOf(pre)
      .split('\n')
      .flatMap((line, at) => (at === 0 ? [words(line)] : [element('br', []), words(line)])),
  );

/** Formulas stand between marks that a script looks for. */
const FORMULA = /\\\((.{1,1000}?)\\\)|\\\$(.{1,1000}?)\\\$|\\\[([\s\S]{1,4000}?)\\\]/g;

function readFormulas(text: string): ElementContent[] {
  if (!text.includes('\\')) return [words(text)];
  const nodes: ElementContent[] = [];
  let from = 0;
  for (const match of text.matchAll(FORMULA)) {
    const [all, inline, ascii, block = ''] = match;
    nodes.push(
      words(text.slice(from, match.index)),
      element('code', [words((inline ?? ascii ?? block).trim())]),
    );
    from = match.index + all.length;
  }
  return [...nodes, words(text.slice(from))];
}

function readReference(link: Element, source: AsciidocSource): ElementContent[] {
  const href = propertyOf(link, 'href') ?? '';
  const text = lineOf(link);
  if (/ include /.test(classesOf(link))) return [];
  if (href.includes(UNKNOWN_ADDRESS) || href.includes('…') || href.includes('%E2%80%A6')) {
    if (!text.includes(UNKNOWN_ADDRESS.slice(8))) return link.children;
    source.unknown += 1;
    return [words('…')];
  }
  const isBare = text === href || text === `[${href.slice(1)}]` || text === href.replace(/^#/, '');
  if (isBare && !/^[a-z]+:\/\/|^mailto:/i.test(href)) return [words(titleFromName(href))];
  return [link];
}

function warningsOf({ unknown, included, generated }: AsciidocSource): string[] {
  const warnings = unknownValues(unknown);
  if (included.size > 0)
    warnings.push(`Left out what is included from other files: ${listed(included)}`);
  if (generated.size > 0)
    warnings.push(`Left out what the site generator puts in: ${listed(generated)}`);
  return warnings;
}
