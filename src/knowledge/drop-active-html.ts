/**
 * Drops `<script>…</script>` and the other elements that act rather than say from a Markdown text, wherever they stand
 * but in code: fenced blocks keep them, and so does a code span that begins with one. An element that is never closed
 * stays as text. Linear in the length of the text.
 */
export const dropActiveHtml = (markdown: string): string => {
  if (!OPENING.test(markdown)) return markdown;
  const lower = markdown.toLowerCase();
  const fences = fencesOf(markdown);
  const kept: string[] = [];
  const unclosed = new Set<string>();
  let from = 0;
  for (const match of markdown.matchAll(new RegExp(OPENING, 'gi'))) {
    const name = match[1]?.toLowerCase() ?? '';
    const isCode =
      markdown[match.index - 1] === '`' || fences.some(([start, end]) => match.index >= start && match.index < end);
    if (match.index < from || isCode || unclosed.has(name)) continue;
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

/** Where fenced code blocks stand, by their fences alone; at most 1,000 of them. */
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
