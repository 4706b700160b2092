import { LIST_MARKER } from './plain-text.ts';
import { webLink } from './web-link.ts';

/**
 * Escapes text inside a line so that CommonMark and its tables show it literally. `<` becomes an entity because some renderers
 * ignore backslash escapes. Addresses stay as they are, so that GitHub's dialect links them; `src/markup/escape-markdown.ts` stops
 * them from becoming links, for names and titles.
 */
export const escapeMarkdown = (line: string): string =>
  line
    .replace(/[\\`*[\]|~]|_(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])_/gu, '\\$&')
    .replace(/&(?=#|[a-z\d]{1,40};)/gi, '&amp;')
    .replaceAll('<', '&lt;');

/** Escapes a whole line that Markdown could read as a heading, a list item, a quote or a thematic break. */
export const escapeLine = (line: string): string =>
  escapeMarkdown(line)
    .replace(/^[#>+=:-]/, '\\$&')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2');

/** Escapes plain paragraphs; lines that start with a list marker stay list items. */
export const escapeParagraphs = (text: string): string => text.split('\n').map(escapeListLine).join('\n');

const escapeListLine = (line: string): string => {
  const marker = LIST_MARKER.exec(line)?.[0] ?? '';
  if (marker === '') return escapeLine(line);
  const number = /^\d{1,3}/.exec(marker)?.[0];
  return `${number === undefined ? '-' : `${number}.`} ${escapeLine(line.slice(marker.length))}`;
};

/** A link with a plain-text label; the label alone if the URL is not allowed. */
export const markdownLink = (label: string, url: string | undefined): string => {
  const link = webLink(url);
  return link === undefined ? escapeLine(label) : `[${escapeMarkdown(label)}](${linkTarget(link)})`;
};

/** Percent-encodes characters that would end the link target or a table cell. */
const linkTarget = (link: string): string =>
  link.replace(/[()<>\\|`*[\]"'\s]/g, percentEncoded).replace(/&(?=#|[a-z\d]{1,40};)/gi, '&amp;');

const percentEncoded = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`;
