/**
 * Applies `change` to the lines outside fenced code. Fences count at the left margin alone: there no list can own them, so that
 * only their own mark or the end of the text closes them (CommonMark 0.31.2, 4.5). `containMarkdown` leaves no others in doubt.
 *
 * @returns `open`: the mark that closes code which is still open at the end; else empty.
 */
export const outsideCode = (
  lines: readonly string[],
  change: (line: string) => string,
): { lines: string[]; open: string } => {
  let open = '';
  const changed = lines.map((line) => {
    if (open !== '') {
      if (closes(line, open)) open = '';
      return line;
    }
    open = openingOf(line);
    return open === '' ? change(line) : line;
  });
  return { lines: changed, open };
};

/** The mark of a fence that opens with this line; else empty. */
export const openingOf = (line: string): string => /^(?:`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[0] ?? '';

export const closes = (line: string, mark: string): boolean => {
  const text = /^ {0,3}([`~]{3,})[ \t]*$/.exec(line)?.[1] ?? '';
  return text.length >= mark.length && text === (mark[0] ?? '').repeat(text.length);
};

/** A code span within one line, as the first alternative of a pattern that is to pass over them. */
export const CODE_SPAN = '(?<![`\\\\])(?<span>`+)(?!`)[^`]{1,500}(?<!`)\\k<span>(?!`)';
