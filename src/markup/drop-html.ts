/**
 * Drops `<script>…</script>` and other active elements from Markdown, except in fenced code blocks and in code spans that
 * begin with one. Elements that form from the remaining text are dropped too; after three passes their `<` becomes `&lt;`.
 * If nothing is dropped, an element that is never closed stays as text. Linear in the length of the text.
 */
export const dropActiveHtml = (markdown: string): string => {
  let text = markdown;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const before = text;
    text = dropOnce(before);
    if (text === before) break;
  }
  return text === markdown ? markdown : escapeOpenings(text);
};

const MAX_PASSES = 3;

const escapeOpenings = (markdown: string): string => {
  const isCode = codeIn(markdown);
  return markdown.replace(new RegExp(OPENING, 'gi'), (match, _name, index: number) =>
    isCode(index) ? match : `&lt;${match.slice(1)}`,
  );
};

const dropOnce = (markdown: string): string => {
  if (!OPENING.test(markdown)) return markdown;
  const lower = markdown.toLowerCase();
  const isCode = codeIn(markdown);
  const kept: string[] = [];
  const unclosed = new Set<string>();
  let from = 0;
  for (const match of markdown.matchAll(new RegExp(OPENING, 'gi'))) {
    const name = match[1]?.toLowerCase() ?? '';
    if (match.index < from || isCode(match.index) || unclosed.has(name)) continue;
    const close = lower.indexOf(`</${name}`, match.index);
    const end = close === -1 ? -1 : lower.indexOf('>', close);
    if (end === -1) {
      unclosed.add(name);
      continue;
    }
    kept.push(markdown.slice(from, match.index));
    from = end + 1;
  }
  return kept.join('') + markdown.slice(from);
};

const OPENING = /<(script|style|iframe|object|applet|noscript|template|svg|math)(?=[\s/>])/i;

/** Whether a position in the text is inside code. */
const codeIn = (markdown: string): ((index: number) => boolean) => {
  const fences = fencesOf(markdown);
  return (index) => markdown[index - 1] === '`' || fences.some(([start, end]) => index >= start && index < end);
};

/** Ranges of fenced code blocks, found by their fences alone; at most 1,000. */
const fencesOf = (markdown: string): [number, number][] => {
  const fences: [number, number][] = [];
  let open: { mark: string; start: number } | undefined;
  for (const match of markdown.matchAll(/^[ \t]*(`{3,}|~{3,})(.*)$/gm)) {
    const mark = match[1] ?? '';
    if (!open) open = { mark, start: match.index };
    else if (mark.startsWith(open.mark) && match[2]?.trim() === '') {
      fences.push([open.start, match.index + match[0].length]);
      open = undefined;
    }
    if (fences.length === 1000) break;
  }
  if (open) fences.push([open.start, markdown.length]);
  return fences;
};

/**
 * Drops the tags of HTML elements that Markdown authors use for presentation alone, such as `<details>` and `<br>`: a passage that is shown
 * as text would show the tags. Code keeps them, and so do placeholders such as `<user name>`.
 */
export const dropTags = (markdown: string): string =>
  markdown.includes('<')
    ? markdown.replace(CODE_OR_TAG, (found, code: string | undefined, tag = '') => {
        if (code !== undefined) return found;
        return SEPARATING.has(tag.toLowerCase()) ? ' ' : '';
      })
    : markdown;

/** A fenced block or a code span (group 1), or a tag and its name (group 2). */
const CODE_OR_TAG =
  /(^[ \t]*(?:```[\s\S]*?(?:^[ \t]*```|$(?![\s\S]))|~~~[\s\S]*?(?:^[ \t]*~~~|$(?![\s\S])))|`[^`\n]{1,1000}`)|<\/?(br|hr|p|div|span|center|details|summary|ul|ol|li|b|i|u|em|strong|small|big|font|sub|sup)(?:\s[^<>]{0,500})?\/?>/gim;

/** What stands between words. */
const SEPARATING: ReadonlySet<string> = new Set(['br', 'hr', 'p', 'div', 'li']);
