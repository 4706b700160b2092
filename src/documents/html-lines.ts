/** A longer line is no prose. */
const MAX_LINE = 5000;

/** Elements of HTML that are open from one run of text to the next. */
export interface OpenHtml {
  depth: number;
  tables: number;
  isPre: boolean;
}

/** Those with Markdown in them (`<div markdown>`) stand where Markdown does. */
const OPENING =
  /^[ \t]*<(?:table|thead|tbody|tfoot|tr|td|th|ul|ol|dl|div|section|article|details|figure|center)\b(?![^<>]{0,300}\smarkdown\b)/i;

const STRUCTURE =
  /<(\/?)(table|ul|ol|dl|div|section|article|details|figure|center)\b(?![^<>]{0,300}\smarkdown\b)/gi;

/** In open elements of HTML an indented tag begins no code, and in tables nothing does, also after an empty line. */
export function withoutIndents(lines: readonly string[], open: OpenHtml): string[] {
  const isText = (): boolean => !open.isPre && open.tables === 0;
  const read = lines.flatMap((line, at) => {
    const isBlock = isText() && BLOCK_MARK.test(line) && TAG_LINE.test(lines[at - 1] ?? '');
    const plain = withoutIndent(line, open);
    return isBlock ? ['', plain] : [plain];
  });
  // What follows the lines is code.
  return isText() && TAG_LINE.test(lines.at(-1) ?? '') ? [...read, ''] : read;
}

/** A list, a heading or code below a line that closes an element of HTML would be text of it. */
const BLOCK_MARK = /^ {0,3}(?:[-*+][ \t]{1,4}[^\s{]|#{1,6}[ \t]+\S|\d{1,9}[.)][ \t]{1,4}\S)/;

const TAG_LINE =
  /^[ \t]*<[^\n]{0,2000}(?:(?<=<\/[a-z][a-z\d]{0,10}[ \t]{0,9})|(?<=<(?:br|hr|img)\b[^<>]{0,1000}))>[ \t]*$/i;

function withoutIndent(line: string, open: OpenHtml): string {
  if (line.length > MAX_LINE || (open.depth === 0 && !OPENING.test(line))) return line;
  const isCode = open.isPre;
  const isInside = open.depth > 0;
  const isTable = open.tables > 0;
  if (line.includes('<')) {
    for (const [, slash, name = ''] of line.matchAll(STRUCTURE)) {
      const step = slash === '' ? 1 : -1;
      open.depth = Math.max(0, open.depth + step);
      if (name.toLowerCase() === 'table') open.tables = Math.max(0, open.tables + step);
    }
    if (/<\/?pre\b/i.test(line))
      open.isPre = line.toLowerCase().lastIndexOf('<pre') > line.toLowerCase().lastIndexOf('</pre');
  }
  if (isCode || !isInside || !/^(?: {4}|\t| {1,3}\t)/.test(line)) return line;
  return isTable || /^[ \t]*<\/?[a-z]/i.test(line) ? line.trimStart() : line;
}
