import type { Element } from 'hast';
import { element, words } from '../hast.ts';
import { readDirective } from './rst-directives.ts';
import type { RstDocument } from './rst-document.ts';
import { type BlockPlace, indentedFrom, type Read, trimmedLines } from './rst-lines.ts';

const DIRECTIVE = /^([a-zA-Z][\w]*(?:[-+.:_][\w]+){0,8}) ?::(?:\s+(.*))?$/;
const NOTE = /^\[([\w#*][^\]\n]{0,60}|\*)\](?:\s+(.*))?$/;

/** `.. ` begins a directive, a footnote, a target, a substitution, or a comment. */
export function readExplicit({ lines, at, document, depth }: BlockPlace): Read | undefined {
  const line = lines[at] ?? '';
  if (/^__ \S/.test(line)) return { blocks: [], next: at + 1 };
  if (!/^\.\.(?:\s|$)/.test(line)) return undefined;
  const first = line.slice(2).trim();
  // Empty, it is a comment that ends with the next blank line.
  if (first === '' && (lines[at + 1] ?? '') === '') return { blocks: [], next: at + 1 };
  const { body, next } = indentedFrom(lines, at + 1);
  const [, name, argument = ''] = DIRECTIVE.exec(first) ?? [];
  if (name !== undefined)
    return { blocks: readDirective({ name, argument, body, document, depth }), next };
  const [, label, text = ''] = NOTE.exec(first) ?? [];
  if (label !== undefined)
    return { blocks: noteOf(label, [text, ...body], { document, depth }), next };
  return { blocks: [], next };
}

function noteOf(
  label: string,
  lines: readonly string[],
  { document, depth }: { document: RstDocument; depth: number },
): Element[] {
  const mark = words(`[${numberOf(label, document)}] `);
  const [first, ...others] = document.readBlocks(trimmedLines(lines), depth + 1);
  if (first?.tagName === 'p') return [element('p', [mark, ...first.children]), ...others];
  return [element('p', [mark]), ...(first === undefined ? [] : [first]), ...others];
}

function numberOf(label: string, document: RstDocument): string {
  if (!label.startsWith('#')) return label;
  return String(document.noteNumbers.get(label) ?? document.notesToShow.shift() ?? '#');
}
