import { fenceAfter, type OpenFence } from '../language/outside-code.ts';
import { columnsOf } from './indented-blocks.ts';

/** Columns that make code of a line after an empty one (CommonMark 0.31.2, 4.4). */
const CODE_INDENT = 4;

/**
 * What may hold indented text: items, terms, footnotes, blocks of dialects, template tags, HTML. What follows one of these is left to
 * whoever reads it.
 */
const CONTAINER_START =
  /^ {0,3}(?:[-*+](?:\s|$)|\d{1,9}[.)](?:\s|$)|[:~]\s|\[\^|!!!|\?\?\?|===[+!]?[ \t]+"|:::|\/\/\/|\{[{%]|<(?!https?:|mailto:|br\b)|@|>)/;

/** Indented, still a block of a dialect; in open elements of HTML an indented tag begins no code. */
const DIALECT = /^[ \t]*(?:<|!!!|\?\?\?|===[+!]?[ \t]+")/;

/** What opens a comment or listing over several lines, and what closes it. */
const REGIONS = [
  ['<!--', '-->'],
  ['%%', '%%'],
  ['{# ', '#}'],
  ['{::comment', '{:/'],
  ['{% comment', 'endcomment'],
  ['{%- comment', 'endcomment'],
  ['<pre', '</pre'],
  ['<script', '</script'],
  ['<style', '</style'],
  ['[code', '[/code'],
  ['[latex', '[/latex'],
] as const;

/** The mark that closes what is open behind a line; undefined when nothing is. */
function openAfter(line: string, open: string | undefined): string | undefined {
  let close = open;
  for (let at = 0; ; ) {
    if (close !== undefined) {
      const end = line.indexOf(close, at);
      if (end < 0) return close;
      at = end + close.length;
      close = undefined;
    }
    let start = line.length;
    for (const [from, to] of REGIONS) {
      const place = `${line} `.indexOf(from, at);
      if (place < 0 || place >= start) continue;
      start = place;
      close = to;
    }
    if (close === undefined) return undefined;
    at = start + 2;
  }
}

/**
 * Code that is indented by four columns as fenced code, so that no reader of dialects takes its characters for
 * marks. Only below a paragraph or heading at the margin, outside comments and listings, where it is nothing else.
 */
export function withFencedIndents(text: string): string {
  if (!/^(?: {4}| {0,3}\t)/m.test(text)) return text;
  const lines = text.split('\n');
  const out: string[] = [];
  let fence: OpenFence | undefined;
  let region: string | undefined;
  let isInContainer = false;
  let isAfterBlank = true;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const openFence = fence;
    fence = fenceAfter(line, openFence);
    const isText = openFence === undefined && fence === undefined && line.trim() !== '';
    const isFree = isText && isAfterBlank && region === undefined && !isInContainer;
    if (isFree && indentOf(line) >= CODE_INDENT) {
      const code = lines.slice(at, endOfCode(lines, at));
      for (const each of DIALECT.test(line) ? code : fenced(code)) out.push(each);
      at += code.length - 1;
      isAfterBlank = false;
      continue;
    }
    out.push(line);
    if (isText) {
      region = openAfter(line, region);
      const isMargin = isAfterBlank && /^\S/.test(line);
      isInContainer = CONTAINER_START.test(line) || (isInContainer && !isMargin);
    }
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
  let longest = 2;
  const plain = code.map((line) => {
    longest = Math.max(longest, /^\s*(`{3,})/.exec(line)?.[1]?.length ?? 0);
    return line.replace(/^ {0,3}\t| {4}/, '').trimEnd();
  });
  const mark = '`'.repeat(longest + 1);
  return [mark, ...plain, mark];
}

const indentOf = (line: string): number => columnsOf(/^[ \t]*/.exec(line)?.[0] ?? '');
