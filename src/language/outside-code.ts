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
