/**
 * Makes raw HTML in quoted Markdown inert: a client that renders the answer shows the tag instead of obeying it. Code
 * spans and fences keep theirs, where Markdown shows them literally anyway.
 *
 * Every `<` that may open a tag, a comment or an automatic link gets the backslash that Markdown takes for "literally"
 * (CommonMark 0.31.2, section 2.4); the words stay as they are. Where it is unclear whether a reader's Markdown sees code
 * (fences in block quotes, spans over lines or table cells), the backslash is set: one too many is ugly, one too few is not safe.
 */
export const escapeHtml = (markdown: string): string => {
  if (!markdown.includes('<')) return markdown;
  let fence: Fence | undefined;
  // A backtick without a partner may open a span that ends in a later line of its paragraph.
  let isAstray = false;
  return markdown
    .split('\n')
    .map((line) => {
      if (fence && isInside(line, fence)) {
        if (isClosing(line, fence)) fence = undefined;
        return line;
      }
      fence = fenceOpenedBy(line);
      if (fence) return escapeTags(line);
      isAstray = line.trim() !== '' && (isAstray || line.replace(CODE_SPAN, '').includes('`'));
      return isAstray ? escapeTags(line) : escapeLine(line);
    })
    .join('\n');
};

/**
 * The same for names and reasons, which have an upper bound: no code is trusted, so that it may be cut anywhere.
 *
 * @param limit In UTF-16 units, backslashes included.
 */
export const escapeText = (text: string, limit: number): string => escapeTags(text).slice(0, limit);

/** Takes back what `escapeHtml` added. */
export const unescapeHtml = (markdown: string): string => markdown.replace(/\\<(?=[a-z/!?])/gi, '<');

interface Fence {
  mark: string;
  /** Columns that each line of its content has at least, or else the fence may have ended with its list item. */
  indent: number;
}

const OPENING = /^((?:[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t])*[ \t]*)(`{3,}(?=[^`]*$)|~{3,})/;

const fenceOpenedBy = (line: string): Fence | undefined => {
  const [, lead = '', mark = ''] = OPENING.exec(line) ?? [];
  // Deep in a paragraph tildes open nothing, while backticks open a code span up to the same backticks.
  if (mark === '' || lead.includes('\t') || (lead.length > 3 && mark.startsWith('~'))) return undefined;
  return { mark, indent: lead.length };
};

const indentOf = (line: string) => /^ */.exec(line)?.[0].length ?? 0;

const isInside = (line: string, { indent }: Fence) => line.trim() === '' || indentOf(line) >= indent;

const isClosing = (line: string, { mark }: Fence) => {
  const text = line.trim();
  return text.length >= mark.length && text === (mark[0] ?? '').repeat(text.length);
};

const escapeLine = (line: string): string => {
  const codes = [...line.matchAll(CODE_SPAN)];
  if (codes.some(([code]) => code.includes('|'))) return escapeTags(line);
  let escaped = '';
  let at = 0;
  for (const code of codes) {
    escaped += escapeTags(line.slice(at, code.index)) + code[0];
    at = code.index + code[0].length;
  }
  return escaped + escapeTags(line.slice(at));
};

const CODE_SPAN = /(?<![`\\])(`{1,4})(?!`)[^`]{1,500}(?<!`)\1(?!`)/g;

const escapeTags = (text: string) =>
  text.replace(/(\\*)<(?=[a-z/!?])/gi, (whole, slashes: string) =>
    slashes.length % 2 === 1 ? whole : `${slashes}\\<`,
  );
