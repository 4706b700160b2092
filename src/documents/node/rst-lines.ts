import type { Element, ElementContent } from 'hast';
import { element, words } from '../hast.ts';
import type { RstDocument } from './rst-document.ts';
import { readInline } from './rst-inline.ts';

/** What a block reader takes: elements, and the line after them. */
export interface Read {
  blocks: Element[];
  next: number;
}

/** The lines that are read, and what reads them. */
export interface BlockPlace {
  lines: readonly string[];
  at: number;
  document: RstDocument;
  depth: number;
}

export function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** The indented lines from `from` on, without what they have in common. */
export function indentedFrom(
  lines: readonly string[],
  from: number,
  least = 1,
): { body: string[]; next: number } {
  let next = from;
  let common = Number.POSITIVE_INFINITY;
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? '';
    if (line === '') continue;
    const indent = indentOf(line);
    if (indent < least) break;
    common = Math.min(common, indent);
  }
  while (next > from && lines[next - 1] === '') next -= 1;
  return { body: lines.slice(from, next).map((line) => line.slice(common)), next };
}

export function inlineOf(text: string, document: RstDocument): ElementContent[] {
  return readInline(text, document);
}

export function paragraph(text: string, document: RstDocument): Element {
  return element('p', readInline(text, document));
}

export function codeBlock(lines: readonly string[], language = ''): Element {
  const text = lines.join('\n').replace(/^\n+|\s+$/g, '');
  return element('pre', [
    element(
      'code',
      [words(`${text}\n`)],
      language === '' ? {} : { className: [`language-${language}`] },
    ),
  ]);
}

export function trimmedLines(lines: readonly string[]): string[] {
  const from = lines.findIndex((line) => line !== '');
  return from === -1 ? [] : lines.slice(from, lines.findLastIndex((line) => line !== '') + 1);
}
