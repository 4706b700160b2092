import { plainHeading } from '../../markup/markdown-to-text.ts';
import { tablesAsLines } from './table-lines.ts';

/**
 * A text that is safe to show: well-formed, without control characters other than line breaks, without bidirectional
 * and invisible characters except joiners, and shortened.
 *
 * @param max In UTF-16 units, including the ellipsis of a shortened text.
 */
export const plainText = (text: string, max: number): string => {
  // Enough where three of four characters are removed.
  const read = text.slice(0, 4 * max + 100);
  const clean = visibleText(read)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return shortened(read.length < text.length ? `${clean}…` : clean, max);
};

/** The text without invisible characters, except line breaks and joiners, and without lone surrogates; its spaces stay. */
export const visibleText = (text: string): string =>
  text
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replace(/\t/g, ' ')
    .replace(INVISIBLE, '')
    .toWellFormed();

/** A plain text on one line. */
export const oneLine = (text: string, max: number): string =>
  shortened(plainText(text, 2 * max).replace(/\s+/g, ' '), max);

/**
 * The text of Markdown without its markup, for quoted documents and written answers. Lists and code keep their lines; the
 * rows of a table become lines.
 */
export const proseOf = (markdown: string, max: number): string => {
  const lines: string[] = [];
  let prose: string[] = [];
  const endProse = (): void => {
    lines.push(...tablesAsLines(prose.join('\n')).split('\n').map(withoutMarks));
    prose = [];
  };
  let fence: string | undefined;
  for (const line of plainText(markdown, 2 * max).split('\n')) {
    const wasCode = fence !== undefined;
    if (fence === undefined) fence = FENCE.exec(line)?.slice(1).find(Boolean);
    else if (line.startsWith(fence) && line.replaceAll(fence.charAt(0), '').trim() === '') fence = undefined;
    if (!wasCode && fence !== undefined) endProse();
    if (wasCode && fence !== undefined) lines.push(line);
    if (!wasCode && fence === undefined) prose.push(line);
  }
  endProse();
  return shortened(
    lines
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
    max,
  );
};

// Zero-width joiners stay: scripts and emoji need them.
const INVISIBLE = /(?![\n\u200c\u200d])[\p{Cc}\p{Cf}]/gu;

const withoutMarks = (line: string): string => {
  if (RULE.test(line)) return '';
  const marker = LIST_MARKER.exec(line)?.[0] ?? '';
  const words = line.slice(marker.length);
  if (words.length > LONGEST_LINE) return line;
  const plain = plainHeading(words);
  return plain === '' ? '' : marker + plain;
};

/** The marks that open a code block; as many of them or more, alone on a line, close it. */
const FENCE = /^(?:(`{3,})[^`]*|(~{3,}).*)$/;
/** A thematic break, the delimiter row of a table, or the underline of a heading. */
const RULE = /^(?:[|:\- ]{3,}|[*_= ]{3,})$/;
/** A marker needs text behind it: alone it would make a heading of the line before it. */
export const LIST_MARKER = /^(?:[-*+•]|\d{1,3}[.)]) +(?=\S)/;
/** `plainHeading` reads no more than this. */
const LONGEST_LINE = 1000;

const shortened = (text: string, max: number): string => {
  if (text.length <= max) return text;
  const cut = text.slice(0, Math.max(0, max - 1)).replace(/[\ud800-\udbff]$/, '');
  return `${cut.trimEnd()}…`;
};
