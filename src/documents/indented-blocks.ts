import { fenceAfter, type OpenFence } from '../language/outside-code.ts';
import { labelLine, noteLine } from './note-lines.ts';
import { isNoteName } from './notes.ts';

/** A block whose content is indented by four: `!!! note "Title"`, `??? tip`, `=== "Tab"` (MkDocs). */
const INDENTED =
  /^([ \t]*)(!!!|\?\?\?\+?|===[+!]?)[ \t]*(?:([\p{L}\p{N}_-]+)((?:[ \t]+[\p{L}\p{N}_|-]+)*))?[ \t]*(?:"(.*)")?[ \t]*$/u;

const MAX_NESTING = 8;

export function readIndented(lines: readonly string[], depth: number): string[] {
  if (depth > MAX_NESTING || !lines.some((line) => line.length < 500 && INDENTED.test(line)))
    return [...lines];
  const out: string[] = [];
  let fence: OpenFence | undefined;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    fence = fenceAfter(line, fence);
    const block = fence === undefined && line.length < 500 ? INDENTED.exec(line) : null;
    const [, indent = '', sign = '', name, , title] = block ?? [];
    const isTab = sign.startsWith('=');
    // A fold needs no more than its title.
    const isNamed = isTab
      ? title !== undefined
      : name !== undefined || (sign.startsWith('?') && title !== undefined);
    if (block === null || !isNamed) {
      out.push(line);
      continue;
    }
    const { body, next } = indentedAfter(lines, at + 1, columnsOf(indent));
    if (body.length === 0 && title === undefined && !isNoteName(name ?? '')) {
      out.push(line);
      continue;
    }
    const inner = readIndented(body, depth + 1).map((each) => (each === '' ? '' : indent + each));
    const open = isTab ? labelLine(title ?? '') : noteLine(name ?? '', title ?? '', title === '');
    out.push('', indent + open, '');
    // One call with all lines as its arguments fails for some 100,000 of them.
    for (const each of inner) out.push(each);
    out.push('');
    if (!isTab) out.push(`${indent}</div>`, '');
    at = next - 1;
  }
  return out;
}

const LONE_DEFINITION = /^:[ \t]{1,3}(?=\S)/;

const HEADING = /^ {0,3}#{1,6}[ \t]/;

/** An empty line, or code at the margin. */
const ENDS_PARAGRAPH = /^\s*$|^(?:`{3}|~{3})/;

/** Definitions below a heading, without a term: text of the heading, however it is indented (Python-Markdown). */
export function withLoneDefinitions(lines: string[]): string[] {
  const out: string[] = [];
  let isBelow = false;
  let fence: OpenFence | undefined;
  const add = (line: string): void => {
    fence = fenceAfter(line, fence);
    out.push(line);
  };
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const isLone: boolean = fence === undefined && isBelow && LONE_DEFINITION.test(line);
    add(isLone ? line.replace(LONE_DEFINITION, '') : line);
    if (line.trim() !== '') isBelow = isLone || (fence === undefined && HEADING.test(line));
    if (!isLone) continue;
    for (; !ENDS_PARAGRAPH.test(lines[at + 1] ?? ''); at += 1)
      add((lines[at + 1] ?? '').replace(/^(?: {4}|\t)/, ''));
    const { body, next } = indentedAfter(lines, at + 1, 0);
    for (const each of body) add(each);
    at = next - 1;
  }
  return out;
}

/** Width of white space, a tab as four. */
export function columnsOf(space: string): number {
  return space.replaceAll('\t', '    ').length;
}

function indentedAfter(
  lines: readonly string[],
  from: number,
  indent: number,
): { body: string[]; next: number } {
  const body: string[] = [];
  let next = from;
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? '';
    if (line.trim() === '') body.push('');
    else {
      const expanded = line.replace(/^[ \t]+/, (space) => space.replaceAll('\t', '    '));
      if (expanded.length - expanded.trimStart().length < indent + 4) break;
      body.push(expanded.slice(indent + 4));
    }
  }
  while (body.at(-1) === '') {
    body.pop();
    next -= 1;
  }
  return { body, next };
}
