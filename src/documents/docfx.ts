import { decodeUri } from '../language/decode-uri.ts';
import { escapeHtml, labelHtml } from './jsx.ts';
import type { Omissions } from './omissions.ts';
import { attributesIn } from './tag-attributes.ts';

const MAX_LINE = 2000;
const EXTENSION =
  /^([ \t>]{0,40}):{3}[ \t]{0,9}(zone|moniker|image|code|row|column|video|no-loc|block|form)(-end)?\b([^\n]*)$/;
const TAB = /^([ \t]{0,3})#{1,6}[ \t]{1,9}\[([^\]\n]{1,200})\]\(#tab\/[^)\n]{1,200}\)[ \t]{0,9}$/;
const INCLUDED =
  /\[!(?:include|code(?:-[\w+#-]{1,40})?|video|notebook)\b[^\]\n]{0,200}(?:\[[^\]\n]{0,200}\])?\]?(?:\([^)\n]{0,500}\))?\]?(?:\([^)\n]{0,500}\))?/gi;
const STYLE = /^[ \t>]{0,40}\[!(?:div|tabs?)\b[^\]\n]{0,300}\][ \t]{0,9}$/i;
const REFERENCE = /<xref:([^>\s?#]{1,300})[^>\n]{0,200}>/g;

/**
 * What DocFX and the sites of Microsoft Learn add to Markdown: zones and versions stand under what they are for, tabs under their label, an
 * image is its alternative text, a reference the name of what it refers to. What they include from other files is left out.
 */
export function withoutDocfx(lines: string[], omissions: Omissions): string[] {
  return lines.flatMap((line) => {
    if (line.length > MAX_LINE || !/:::|\[!|#tab\/|<xref:/.test(line)) return [line];
    const [, indent = '', kind, end, rest = ''] = EXTENSION.exec(line) ?? [];
    if (kind !== undefined)
      return readExtension(kind, rest, { indent, isEnd: end !== undefined, omissions, line });
    const [, before = '', label] = TAB.exec(line) ?? [];
    if (label !== undefined) return ['', before + labelHtml(label, ':'), ''];
    if (STYLE.test(line)) return [/^[ \t]*>/.test(line) ? '>' : ''];
    return [
      line
        .replace(INCLUDED, (part) => {
          omissions.add('template', () => part);
          return '';
        })
        .replace(REFERENCE, (_, id: string) => `\`${nameOf(id)}\``),
    ];
  });
}

function readExtension(
  kind: string,
  rest: string,
  {
    indent,
    isEnd,
    omissions,
    line,
  }: { indent: string; isEnd: boolean; omissions: Omissions; line: string },
): string[] {
  const { named } = attributesIn(rest);
  const attribute = (name: string): string => named.get(name) ?? '';
  if (kind === 'no-loc') return [line.replace(/:{3}no-loc text="([^"]{0,300})":{3}/g, '$1')];
  if (isEnd) return [''];
  if (kind === 'image') {
    const text = attribute('alt-text');
    return text === '' ? [''] : ['', `${indent}<p>${escapeHtml(text)}</p>`, ''];
  }
  if (kind === 'zone' || kind === 'moniker') {
    const label = attribute('pivot') || attribute('target') || attribute('range');
    return label === '' ? [''] : ['', indent + labelHtml(label, ':'), ''];
  }
  if (kind === 'code') omissions.add('template', () => line);
  return [''];
}

/** `System.String.Format*` is `Format`. */
const nameOf = (id: string): string => {
  const name = decodeUri(id).replace(/\*$|\(.*$/, '');
  return name.split('.').at(-1) || name;
};
