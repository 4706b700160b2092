/** Lines that may open or close fenced code, also in quotes and at the beginning of items. */
export const FENCE = /^[ \t>]*(?:[-*+]\s+|\d{1,9}[.)]\s+)?(`{3,}|~{3,})(.*)$/;

const MAY_BE_FENCE = /`{3}|~{3}/;

/** Gives the runs of lines outside of fenced code to `read`. */
export function runsOutsideCode(text: string, read: (lines: string[]) => string[]): string {
  const out: string[] = [];
  let run: string[] = [];
  let mark: string | undefined;
  const flush = (): void => {
    if (run.length > 0) for (const line of read(run)) out.push(line);
    run = [];
  };
  for (const line of text.split('\n')) {
    const fence = line.length < 2000 && MAY_BE_FENCE.test(line) ? FENCE.exec(line) : null;
    if (mark !== undefined) {
      out.push(line);
      if (fence?.[1]?.startsWith(mark) && fence[2]?.trim() === '') mark = undefined;
    } else if (fence !== null && !(fence[1]?.startsWith('`') && fence[2]?.includes('`'))) {
      flush();
      mark = fence[1];
      out.push(line);
    } else run.push(line);
  }
  flush();
  return out.join('\n');
}

/** A longer line is no prose. */
const MAX_LINE = 20_000;

/** Gives each line outside of fenced code to `read`, unless it is very long. */
export const linesOutsideCode = (text: string, read: (line: string) => string): string =>
  runsOutsideCode(text, (lines) => lines.map((line) => (line.length > MAX_LINE ? line : read(line))));

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
  const masked = text.replace(CODE_SPAN, (code) => {
    spans.push(code);
    return SPAN;
  });
  return read(masked).replaceAll(SPAN, () => spans.shift() ?? '');
}

/** Characters that no text has. */
const SPAN = '\ufdd2';
