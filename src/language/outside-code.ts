/** Lines that may open or close fenced code, also in quotes and at the beginning of items. */
const FENCE = /^[ \t>]*(?:[-*+]\s+|\d{1,9}[.)]\s+)?(`{3,}|~{3,})(.*)$/;

const MAY_BE_FENCE = /`{3}|~{3}/;

/** Code that is open: its mark, and how far that is set in. */
export interface OpenFence {
  mark: string;
  indent: number;
}

/** The fence that is open behind a line. One that is set in further is text of the code (CommonMark 0.31.2, 4.5). */
export function fenceAfter(line: string, open: OpenFence | undefined): OpenFence | undefined {
  const fence = line.length < 2000 && MAY_BE_FENCE.test(line) ? FENCE.exec(line) : null;
  if (fence === null) return open;
  const [, mark = '', rest = ''] = fence;
  const indent = line.slice(0, line.indexOf(mark)).replaceAll('\t', '    ').length;
  if (open === undefined)
    return mark.startsWith('`') && rest.includes('`') ? undefined : { mark, indent };
  const isEnd = mark.startsWith(open.mark) && rest.trim() === '' && indent <= open.indent + 3;
  return isEnd ? undefined : open;
}

/** Gives the runs of lines outside of fenced code to `read`. */
export function runsOutsideCode(text: string, read: (lines: string[]) => string[]): string {
  const out: string[] = [];
  let run: string[] = [];
  let fence: OpenFence | undefined;
  const flush = (): void => {
    if (run.length > 0) for (const line of read(run)) out.push(line);
    run = [];
  };
  for (const line of text.split('\n')) {
    const open = fence;
    fence = fenceAfter(line, open);
    if (open === undefined && fence === undefined) {
      run.push(line);
      continue;
    }
    flush();
    out.push(line);
  }
  flush();
  return out.join('\n');
}

/** A longer line is no prose. */
const MAX_LINE = 20_000;

/** Gives each line outside of fenced code to `read`, unless it is very long. */
export function linesOutsideCode(text: string, read: (line: string) => string): string {
  return runsOutsideCode(text, (lines) =>
    lines.map((line) => (line.length > MAX_LINE ? line : read(line))),
  );
}

/** Code within a line or a paragraph (CommonMark 0.31.2, 6.1). */
export const CODE_SPAN = /(?<!`)(`{1,3})(?!`)(?:(?!\n[ \t]*\n)[\s\S]){1,500}?(?<!`)\1(?!`)/g;

/** Gives what stands between code spans to `read`. */
export function outsideSpans(text: string, read: (part: string) => string): string {
  let out = '';
  let from = 0;
  for (const match of text.matchAll(CODE_SPAN)) {
    out += read(text.slice(from, match.index)) + match[0];
    from = match.index + match[0].length;
  }
  return out + read(text.slice(from));
}

/** Gives a text to `read` in which a character stands for each code span. */
export function aroundSpans(text: string, read: (text: string) => string): string {
  const spans: string[] = [];
  const masked = text.replaceAll(SPAN, '').replace(CODE_SPAN, (code) => {
    spans.push(code);
    return SPAN;
  });
  return read(masked).replaceAll(SPAN, () => spans.shift() ?? '');
}

/** A noncharacter, which texts do not exchange (Unicode, 23.7): removed from a text that has it all the same. */
const SPAN = '\ufdd2';
