import type { Post } from './desk-state.ts';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Plain text as a mail or an editor would have it: a paragraph after each blank line. */
const htmlOfText = (text: string): string =>
  text
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br>')}</p>`)
    .join('');

export function htmlOf({ format, body }: Post): string {
  return format === 'html' ? body : htmlOfText(body);
}

/** Without tags, and with a line for each block. */
export function textOf({ format, body }: Post): string {
  if (format === 'text') return body;
  const names: Record<string, string> = {
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    '#39': "'",
    nbsp: ' ',
  };
  return body
    .replace(/<(?:br|\/p|\/li|\/div|\/h\d)[^<>]{0,200}>/gi, '\n')
    .replace(/<[^<>]{0,2000}>/g, '')
    .replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => names[name] ?? '')
    .trim();
}
