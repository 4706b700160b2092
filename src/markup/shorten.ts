/**
 * Cuts Markdown to a length, at the end of a paragraph, else of a line, a sentence or a word, and closes code that was cut open.
 *
 * @param limit In UTF-16 units, the closing fence included.
 */
export const shorten = (markdown: string, limit: number): string => {
  if (markdown.length <= limit) return markdown;
  const head = markdown.slice(0, Math.max(0, limit - ROOM_FOR_FENCE));
  const end = ENDS.map((pattern) => lastEnd(head, pattern)).find((place) => place > head.length * LEAST_KEPT);
  const kept = head
    .slice(0, end ?? head.length)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd();
  const { open: fence } = outsideCode(kept.split('\n'), (line) => line);
  return fence === '' ? kept : `${kept}\n${fence.slice(0, ROOM_FOR_FENCE)}`;
};

const ROOM_FOR_FENCE = 40;
/** An end that would drop more than half is skipped if a lesser kind of end comes later. */
const LEAST_KEPT = 0.5;
const ENDS = [/\n[ \t]*\n/g, /[.!?。！？]["'”’)\]*_`]{0,4}(?=\s)|[。！？]/g, /\n/g, /\s/g];

const lastEnd = (text: string, pattern: RegExp): number => {
  let end = 0;
  for (const match of text.matchAll(pattern)) end = match.index + match[0].length;
  return end;
};

/**
 * Applies `change` to the lines outside fenced code. Fences count at the left margin alone: there no list can own them, so that
 * only their own mark or the end of the text closes them (CommonMark 0.31.2, 4.5). `containMarkdown` moves all others there.
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
const openingOf = (line: string): string => /^(?:`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[0] ?? '';

const closes = (line: string, mark: string): boolean => {
  const text = /^ {0,3}([`~]{3,})[ \t]*$/.exec(line)?.[1] ?? '';
  return text.length >= mark.length && text === (mark[0] ?? '').repeat(text.length);
};
