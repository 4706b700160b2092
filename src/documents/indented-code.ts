import { fenceAfter, type OpenFence } from '../language/outside-code.ts';
import { columnsOf } from './indented-blocks.ts';

/** Columns that make code of a line after an empty one (CommonMark 0.31.2, 4.4). */
const CODE_INDENT = 4;

/**
 * What may hold set-in text: items, terms, footnotes, blocks of dialects, template tags, HTML. What follows one of these is left to
 * whoever reads it.
 */
const HOLDER =
  /^ {0,3}(?:[-*+](?:\s|$)|\d{1,9}[.)](?:\s|$)|[:~]\s|\[\^|!!!|\?\?\?|===|:::|\/\/\/|\{[{%]|<|@|>)/;

/** Set in, still a block of a dialect; in open elements of HTML an indented tag begins no code. */
const DIALECT = /^[ \t]*(?:<|!!!|\?\?\?|===)/;

/**
 * Code that is set in by four columns as fenced code, so that no reader of dialects takes its characters for marks. Only below a
 * paragraph or heading at the margin, where it is nothing else.
 */
export function withFencedIndents(text: string): string {
  if (!/^(?: {4}| {0,3}\t)/m.test(text)) return text;
  const lines = text.split('\n');
  const out: string[] = [];
  let fence: OpenFence | undefined;
  let isHeld = false;
  let isAfterBlank = true;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const open = fence;
    fence = fenceAfter(line, open);
    const isText = open === undefined && fence === undefined && line.trim() !== '';
    const isCode = isText && isAfterBlank && !isHeld && indentOf(line) >= CODE_INDENT;
    if (isCode) {
      const code = lines.slice(at, endOfCode(lines, at));
      out.push(...(DIALECT.test(line) ? code : fenced(code)));
      at += code.length - 1;
      isAfterBlank = false;
      continue;
    }
    out.push(line);
    if (isText) isHeld = HOLDER.test(line) || (isHeld && !(isAfterBlank && /^\S/.test(line)));
    isAfterBlank = line.trim() === '';
  }
  return out.join('\n');
}

/** Behind the last line of code that begins in a line; empty lines at its end are none of it. */
function endOfCode(lines: readonly string[], from: number): number {
  let end = from;
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line.trim() === '') continue;
    if (indentOf(line) < CODE_INDENT) break;
    end = at + 1;
  }
  return end;
}

function fenced(code: readonly string[]): string[] {
  const plain = code.map((line) => line.replace(/^ {0,3}\t| {4}/, '').trimEnd());
  const longest = Math.max(2, ...plain.map((line) => /^\s*(`{3,})/.exec(line)?.[1]?.length ?? 0));
  const mark = '`'.repeat(longest + 1);
  return [mark, ...plain, mark];
}

const indentOf = (line: string): number => columnsOf(/^[ \t]*/.exec(line)?.[0] ?? '');
