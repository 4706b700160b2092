import { type Container, readContainer } from './containers.ts';
import { readMarks, readRoles, withTightMarks } from './inline-marks.ts';
import type { Omissions } from './omissions.ts';

/** Lines that are marks of a dialect, and marks within lines. */
export function readLines(
  lines: readonly string[],
  { open, isMdx, omissions }: { open: Container[]; isMdx: boolean; omissions: Omissions },
): string[] {
  const out: string[] = [];
  let hasOptions = false;
  for (const [at, line] of lines.entries()) {
    if (hasOptions && OPTION_LINE.test(line)) continue;
    hasOptions = DIRECTIVE_LINE.test(line);
    if (line === '' || line.length > 20_000) {
      out.push(line);
      continue;
    }
    const container = readContainer(line, open);
    if (container !== undefined) out.push(...container);
    else if (COMMENT_LINE.test(line))
      omissions.add('comment', () => line.replace(COMMENT_LINE, ''));
    else if (SNIPPET_LINE.test(line)) omissions.add('code', () => line);
    else if (!isMarkLine(line) && !isContentsItem(line, lines[at + 1])) {
      const next = lines[at + 1] ?? '';
      out.push(readMarks(isMdx ? line : withTightMarks(readRoles(line)), { next, omissions }));
    }
  }
  return out;
}

/** The options of a directive of MyST stand below its first line: `:::{note}`, `:class: wide`. */
const DIRECTIVE_LINE = /^[ \t>]{0,40}:{3,20}[ \t]{0,3}\{[A-Za-z][\w:-]{0,60}\}/;
const OPTION_LINE = /^[ \t>]{0,40}:[A-Za-z][\w-]{0,60}:(?:[ \t]|$)/;

/** Lines that no reader sees: comments, ids, places for a table of contents, included files. */
const MARK_LINE =
  /^[ \t>]*(?:\[(?:\/\/|comment|_)\]:[ \t]*(?:#|<>|\/).*|\*\[[^\]\n]{1,80}\]:.*|\([\w-]{1,80}\)=|\[\[?_?TOC_?\]?\]|\[\[toc\]\]|\{:[^}]*\}|\{:?toc\}|\{\s?[.#][^}]*\}|-{1,2}8<-{1,2}.*|\{![^\n{}]{1,300}!\}|!!!include\(.*\)!!!|\\(?:newpage|pagebreak))[ \t]*$/i;

const COMMENT_LINE = /^[ \t>]*\[(?:\/\/|comment|_)\]:[ \t]*[#<>/]*[ \t]*/i;

/** Code that VitePress takes from another file: `<<< @/snippets/start.js{2}`. */
const SNIPPET_LINE = /^[ \t>]*<<<(?!<)[ \t]*[@~.\w-]{0,40}[/.][^\n]*$/;

/** The item that kramdown replaces by the contents of the page. */
const isContentsItem = (line: string, next = ''): boolean =>
  /^[ \t]*\{:[^}]*\btoc\b[^}]*\}[ \t]*$/.test(next) &&
  /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/.test(line);

const isMarkLine = (line: string): boolean => MARK_LINE.test(line);
