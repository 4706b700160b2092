import { escapeHtml, labelHtml } from './jsx.ts';
import { isNoteName } from './notes.ts';
import { attributesIn } from './tag-attributes.ts';

export function noteLine(kind: string, title: string, isPlain = false): string {
  return isPlain
    ? '<div data-note-kind="" data-note-title="">'
    : `<div data-note-kind="${escapeHtml(kind)}" data-note-title="${escapeHtml(plainTitle(title))}">`;
}

export function labelLine(title: string): string {
  return labelHtml(plainTitle(title), ':');
}

/** A title without the marks of Markdown. */
const plainTitle = (title: string): string =>
  title
    .replace(/`([^`]*)`/g, '$1')
    .replace(/(\*{1,2})([^*\s](?:[^*]*[^*\s])?)\1/g, '$2')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\[([^\]]*)\](?:\[[^\]]*\])?$/, '$1')
    .replace(
      /<\/?(?:[abisu]|em|strong|small|su[bp]|code|kbd|span|mark|del|br)(?:\s[^<>]*)?\/?>/gi,
      '',
    )
    .trim();

/** `[Title]`, `Title`, `{title="…"}`, `"Title"`. */
export function titleOf(rest: string): string {
  const text = rest.trim();
  const [, inBrackets] = /^\[((?:[^\]\\]|\\.|\](?!\s*(?:\{|$)))*)\]/.exec(text) ?? [];
  if (inBrackets !== undefined) return inBrackets;
  const { named } = attributesIn(text);
  const attribute = named.get('title') ?? named.get('label');
  if (attribute !== undefined) return attribute;
  return text
    .replace(/\{[^}]*\}\s*$/, '')
    .replace(/^"(.*)"$/, '$1')
    .trim();
}

const CALLOUT = /^\{:[ \t]{0,9}\.([a-z]{1,30})(-title)?[ \t]{0,9}\}[ \t]{0,9}$/;

/** `?> ` and `!> ` before a block (Docsify). */
const SIGNED = /^([?!])>[ \t]/;

/** `{: .note }` above a block, and `{: .note-title }` above one whose first line is the title (kramdown, Just the Docs). */
export function withCallouts(lines: string[]): string[] {
  if (!lines.some((line) => line.startsWith('{:') || SIGNED.test(line))) return lines;
  const out: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const sign = SIGNED.exec(lines[at] ?? '')?.[1];
    const [, name = '', titled] = CALLOUT.exec(lines[at] ?? '') ?? [];
    const kind = sign === undefined ? name : sign === '?' ? 'tip' : 'important';
    const isAbove = (lines[at - 1] ?? '').trim() === '' && (lines[at + 1] ?? '').trim() !== '';
    if (!(isAbove || sign !== undefined) || !isNoteName(kind)) {
      out.push(lines[at] ?? '');
      continue;
    }
    let end = at + 1;
    while (end < lines.length && (lines[end] ?? '').trim() !== '') end += 1;
    const block = lines
      .slice(sign === undefined ? at + 1 : at, end)
      .map((line) => line.replace(/^[?!]?>[ \t]?/, ''));
    const title = titled === undefined ? '' : (block.shift() ?? '');
    out.push('', noteLine(kind, title), '', ...block, '', '</div>', '');
    at = end - 1;
  }
  return out;
}

const NOTICE = /^(!{1,4})[ \t]{1,9}(?=\S)/;

/** `! text` to `!!!! text`, each line of it, as Grav marks notices by their colour. */
export function withNotices(lines: string[]): string[] {
  if (!lines.some((line) => line.startsWith('!') && NOTICE.test(line))) return lines;
  const out: string[] = [];
  let open: string | undefined;
  for (const line of lines) {
    const mark = NOTICE.exec(line)?.[1];
    if (mark !== open) {
      if (open !== undefined) out.push('', '</div>', '');
      if (mark !== undefined) out.push('', noteLine('', '', true), '');
      open = mark;
    }
    out.push(mark === undefined ? line : line.replace(NOTICE, ''));
  }
  return open === undefined ? out : [...out, '', '</div>', ''];
}
