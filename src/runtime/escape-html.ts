/**
 * Makes raw HTML, images and odd links in quoted Markdown inert: a client that renders the answer shows the tag instead of
 * obeying it, fetches nothing, and links to nothing but pages and mail addresses. Code spans and fences keep theirs, where Markdown shows them literally anyway.
 *
 * Every `<` that may open a tag, a comment or an automatic link gets the backslash that Markdown takes for "literally"
 * (CommonMark 0.31.2, section 2.4); the words stay as they are. Where it is unclear whether a reader's Markdown sees code
 * (fences in block quotes, spans over lines or table cells), the backslash is set: one too many is ugly, one too few is not safe.
 */
export const escapeHtml = (markdown: string): string => {
  if (!/<|!\[|\][(:]/.test(markdown)) return markdown;
  const parts = markdown.split(/(\r\n|\n|\r)/);
  const lines = parts.filter((_, at) => at % 2 === 0);
  const escaped = escapeLines(lines);
  return escaped.map((line, at) => line + (parts[2 * at + 1] ?? '')).join('');
};

const escapeLines = (lines: readonly string[]): string[] => {
  const escaped: string[] = [];
  // A backtick without a partner may open a span that ends in a later line of its paragraph.
  const before: Before = { isBlank: true, isAstray: false, hasCells: false, hasFence: false, hasOuterFence: false };
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
    before.hasCells = !isBlank && (before.hasCells || line.includes('|'));
    before.isAstray = !isBlank && (before.isAstray || line.replace(CODE_SPAN, '').includes('`'));
    before.hasFence ||= /`{3}|~{3}/.test(line);
    before.hasOuterFence ||= /^ {1,3}(?:`{3}|~{3})/.test(line);
    escaped.push(before.isAstray ? escapeTags(line) : escapeLine(line));
    at++;
  }
  return escaped;
};

/** What a line may belong to. */
interface Before {
  isBlank: boolean;
  isAstray: boolean;
  hasCells: boolean;
  /** Something like a fence that was not trusted; it may be open still, for all that is known. */
  hasFence: boolean;
  /** The same of one that may stand in no list or quote, and so does not end at the left margin. */
  hasOuterFence: boolean;
}

/**
 * The line behind the fence that opens at `at`, or `at` where none is certain to. At the left margin a fence opens unless
 * another is open, and ends at its mark or with the text. Indented it may be a list item's, indented code, or go on with a
 * paragraph: it is trusted only where its content is code under all three readings.
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
  if (isSpan && (before.isAstray || before.hasCells || mark.startsWith('~') || info.includes('\\'))) return at;
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
 * The same for names and reasons, which have an upper bound: no code is trusted, so that it may be cut anywhere.
 *
 * @param limit In UTF-16 units, backslashes included.
 */
export const escapeText = (text: string, limit: number): string => escapeTags(text).slice(0, limit);

/** Takes back what `escapeHtml` added. */
export const unescapeHtml = (markdown: string): string => markdown.replace(/\\(?=<[a-z/!?]|!\[|\][(:])/gi, '');

const escapeLine = (line: string): string => {
  const codes = [...line.matchAll(CODE_SPAN)];
  if (codes.some(([code]) => code.includes('|'))) return escapeTags(line);
  // A link's target may take a backtick away from the span that it seems to open: such links go first.
  const isCode = (at: number) => codes.some(({ index, 0: code }) => at > index && at < index + code.length);
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

/** What opens a tag, and what makes a link an image. */
const escapeMarks = (text: string): string =>
  text.replace(/(?<!\\)(\\*)(?=<[a-z/!?]|!\[)/gi, (slashes: string) =>
    slashes.length % 2 === 1 ? slashes : `${slashes}\\`,
  );

/** Closing brackets of links and definitions whose target is not plainly a page, a mail address or relative. */
const escapeLinks = (text: string, isCode = (_at: number) => false): string =>
  text.replace(/(\\*)\](?=([(:]))/g, (whole: string, slashes: string, kind: string, at: number) => {
    const target = text.slice(at + whole.length + 1);
    const isPlain = kind === '(' ? PLAIN_LINK.test(target) : PLAIN_DEFINITION.test(target);
    return isPlain || slashes.length % 2 === 1 || isCode(at) ? whole : `${slashes}\\]`;
  });

// Without entities, backslashes, backticks and brackets there is only one way to read a target.
const PLAIN_PATH = String.raw`[^\s\p{Cc}<>()\\\x60]{0,2000}`;
const PLAIN_TARGET = `(?:(?:https?|mailto):${PLAIN_PATH}|(?:[^:/?#\\s\\p{Cc}<>()&\\\\\\x60]{0,300}(?:[/?#]${PLAIN_PATH})?))`;
const PLAIN_TITLE = String.raw`(?:[ \t]+"[^"\\\x60<]{0,300}")?[ \t]*`;
const PLAIN_LINK = new RegExp(`^[ \\t]*${PLAIN_TARGET}${PLAIN_TITLE}\\)`, 'iu');
const PLAIN_DEFINITION = new RegExp(`^[ \\t]*(?=\\S)${PLAIN_TARGET}${PLAIN_TITLE}$`, 'iu');
