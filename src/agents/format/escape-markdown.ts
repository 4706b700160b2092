import { LIST_MARKER } from './plain-text.ts';
import { webLink } from './web-link.ts';

/**
 * Plain text as Markdown that shows exactly this text: no emphasis, code, link, image, tag, entity or table cell comes of
 * it. `<` becomes an entity, so that it opens no tag for a reader that takes no backslash either.
 */
export const escapeMarkdown = (line: string): string =>
  line
    .replace(/[\\`*[\]|~]|_(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])_/gu, '\\$&')
    .replace(/&(?=#|[a-z\d]{1,40};)/gi, '&amp;')
    .replaceAll('<', '&lt;');

/** The same for a line that stands at a margin, where a heading, a list, a quote or a rule could begin. */
export const escapeLine = (line: string): string =>
  escapeMarkdown(line)
    .replace(/^[#>+=:-]/, '\\$&')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2');

/** Plain paragraphs as Markdown; lines that begin as a list's are one. */
export const escapeParagraphs = (text: string): string => text.split('\n').map(escapeListLine).join('\n');

const escapeListLine = (line: string): string => {
  const marker = LIST_MARKER.exec(line)?.[0] ?? '';
  if (marker === '') return escapeLine(line);
  const number = /^\d{1,3}/.exec(marker)?.[0];
  return `${number === undefined ? '-' : `${number}.`} ${escapeLine(line.slice(marker.length))}`;
};

/** A link whose words are plain text; the words alone where the address is none for a link. */
export const markdownLink = (words: string, address: string | undefined): string => {
  const link = webLink(address);
  return link === undefined ? escapeLine(words) : `[${escapeMarkdown(words)}](${linkTarget(link)})`;
};

/** Without what ends a target or a cell, or is taken for an entity. */
const linkTarget = (link: string): string =>
  link.replace(/[()<>\\|`*[\]"'\s]/g, percentEncoded).replace(/&(?=#|[a-z\d]{1,40};)/gi, '&amp;');

const percentEncoded = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`;
