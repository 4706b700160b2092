/**
 * Escapes raw HTML, images and unsafe links in quoted Markdown: a client that renders the answer shows tags as text, loads nothing, and
 * links only to pages and mail addresses. Code spans and fences stay unchanged, since Markdown shows them literally.
 *
 * Every `<` that may open a tag, a comment or an automatic link other than the plain address of a page gets a backslash escape
 * (CommonMark 0.31.2, section 2.4); the words stay as they are. When a renderer may or may not see code (fences in block quotes, spans over lines or table cells), the backslash is added:
 * one too many is ugly, one too few is unsafe.
 */
export function escapeHtml(markdown: string): string {
  if (!/<|!\[|\][(:]/.test(markdown)) return markdown;
  const parts = markdown.split(/(\r\n|\n|\r)/);
  const lines = parts.filter((_, at) => at % 2 === 0);
  const escaped = escapeLines(lines);
  return escaped.map((line, at) => line + (parts[2 * at + 1] ?? '')).join('');
}

const escapeLines = (lines: readonly string[]): string[] => {
  const escaped: string[] = [];
  const tables = linesOfTables(lines);
  // A backtick without a partner may open a span that ends in a later line of its paragraph.
  const before: Before = {
    isBlank: true,
    isAstray: false,
    hasCells: false,
    hasFence: false,
    hasOuterFence: false,
  };
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    const end = endOfFence(lines, at, before);
    if (end > at) {
      escaped.push(escapeTags(line), ...lines.slice(at + 1, end));
      Object.assign(before, { isBlank: false, isAstray: false, hasCells: false });
      at = end;
      continue;
    }
    const isBlank = line.trim() === '';
    before.isBlank = isBlank;
    before.hasCells = !isBlank && (before.hasCells || (tables.has(at) && line.includes('|')));
    before.isAstray = !isBlank && (before.isAstray || line.replace(CODE_SPAN, '').includes('`'));
    before.hasFence ||= /`{3}|~{3}/.test(line);
    before.hasOuterFence ||= /^ {1,3}(?:`{3}|~{3})/.test(line);
    escaped.push(before.isAstray ? escapeTags(line) : escapeLine(line, tables.has(at)));
    at++;
  }
  return escaped;
};

/** Lines that may belong to a table: those of paragraphs with a row of dashes (GitHub Flavored Markdown, section 4.10). */
const linesOfTables = (lines: readonly string[]): ReadonlySet<number> => {
  const rows = new Set<number>();
  for (let start = 0, end = 0; start < lines.length; start = end + 1) {
    end = start;
    let hasDashes = false;
    for (; (lines[end] ?? '').trim() !== ''; end++) hasDashes ||= DASHES.test(lines[end] ?? '');
    if (hasDashes) for (let at = start; at < end; at++) rows.add(at);
  }
  return rows;
};

const DASHES = /^(?=[^-]*-)[\s>|:-]*$/;

/** The state before a line. */
interface Before {
  isBlank: boolean;
  isAstray: boolean;
  hasCells: boolean;
  /** A possible fence that was not trusted and may still be open. */
  hasFence: boolean;
  /** The same for a fence outside of any list or quote, which does not end at the left margin. */
  hasOuterFence: boolean;
}

/**
 * The line after the fence that opens at `at`, or `at` when none certainly does. At the left margin a fence opens unless another is open,
 * and ends at its mark or with the text. An indented one may belong to a list item, be indented code or continue a paragraph: it is
 * trusted only if its content is code under all three readings.
 */
const endOfFence = (lines: readonly string[], at: number, before: Before): number => {
  const [, lead = '', mark = '', info = ''] = OPENING.exec(lines[at] ?? '') ?? [];
  if (mark === '') return at;
  if (before.hasOuterFence) return at;
  if (lead === '') {
    const closing = lines.findIndex((line, place) => place > at && isClosing(line, mark));
    return closing < 0 ? lines.length : closing + 1;
  }
  if (before.hasFence) return at;
  const isSpan = !before.isBlank;
  if (isSpan && (before.isAstray || before.hasCells || mark.startsWith('~') || info.includes('\\')))
    return at;
  for (let end = at + 1; end < lines.length; end++) {
    const line = lines[end] ?? '';
    if (line === lead + mark) return end + 1;
    const isOutside = line.trim() === '' ? isSpan : !line.startsWith(lead);
    // What looks like a mark may end the fence under one reading and not under another.
    if (isOutside || line.includes(mark.slice(0, 3))) return at;
  }
  return at;
};

const OPENING = /^( *)(`{3,}(?=[^`]*$)|~{3,})(.*)$/;

const isClosing = (line: string, mark: string): boolean => {
  const text = /^ {0,3}([`~]+)[ \t]*$/.exec(line)?.[1] ?? '';
  return text.length >= mark.length && text === (mark[0] ?? '').repeat(text.length);
};

/**
 * The same for names and reasons of limited length: code is escaped too, so that the text may be cut anywhere.
 *
 * @param limit In UTF-16 units, backslashes included.
 */
export function escapeText(text: string, limit: number): string {
  return escapeTags(text).slice(0, limit);
}

/** Removes what `escapeHtml` added. */
export function unescapeHtml(markdown: string): string {
  return markdown.replace(/\\(?=<[a-z/!?]|!\[|\][(:])/gi, '');
}

const escapeLine = (line: string, isRow: boolean): string => {
  const codes = [...line.matchAll(CODE_SPAN)];
  if (isRow && codes.some(([code]) => code.includes('|'))) return escapeTags(line);
  // A backtick in a link's target does not open a span, so such links come first.
  const isCode = (at: number) =>
    codes.some(({ index, 0: code }) => at > index && at < index + code.length);
  if (escapeLinks(line, isCode) !== line) return escapeTags(line);
  let escaped = '';
  let at = 0;
  for (const code of codes) {
    escaped += escapeMarks(line.slice(at, code.index)) + code[0];
    at = code.index + code[0].length;
  }
  return escaped + escapeMarks(line.slice(at));
};

const CODE_SPAN = /(?<![`\\])(`{1,4})(?!`)[^`]{1,500}(?<!`)\1(?!`)/g;

const escapeTags = (text: string): string => escapeLinks(escapeMarks(text));

/**
 * Escapes what opens a tag, and what makes a link an image. Addresses of pages stay, as long as they hold nothing that would be an
 * attribute of a tag.
 */
const escapeMarks = (text: string): string =>
  text.replace(
    /(?<!\\)(\\*)(?=<(?!https?:\/\/[^\s\p{Cc}<>()&\\`"'=]{1,2000}>)[a-z/!?]|!\[)/giu,
    (slashes: string) => (slashes.length % 2 === 1 ? slashes : `${slashes}\\`),
  );

/** Escapes the closing bracket of links and definitions unless the target is plainly a page, a mail address or relative. */
const escapeLinks = (text: string, isCode = (_at: number) => false): string =>
  text.replace(/(\\*)\](?=([(:]))/g, (whole: string, slashes: string, kind: string, at: number) => {
    const target = text.slice(at + whole.length + 1);
    const isPlain = kind === '(' ? PLAIN_LINK.test(target) : PLAIN_DEFINITION.test(target);
    return isPlain || slashes.length % 2 === 1 || isCode(at) ? whole : `${slashes}\\]`;
  });

// A target without entities, backslashes, backticks and brackets can be read in only one way.
const PLAIN_PATH = String.raw`[^\s\p{Cc}<>()\\\x60]{0,2000}`;
const PLAIN_TARGET = `(?:(?:https?|mailto):${PLAIN_PATH}|(?:[^:/?#\\s\\p{Cc}<>()&\\\\\\x60]{0,300}(?:[/?#]${PLAIN_PATH})?))`;
const PLAIN_TITLE = String.raw`(?:[ \t]+"[^"\\\x60<]{0,300}")?[ \t]*`;
const PLAIN_LINK = new RegExp(`^[ \\t]*${PLAIN_TARGET}${PLAIN_TITLE}\\)`, 'iu');
const PLAIN_DEFINITION = new RegExp(`^[ \\t]*(?=\\S)${PLAIN_TARGET}${PLAIN_TITLE}$`, 'iu');
