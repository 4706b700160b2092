import { plainHeading } from '../../markup/markdown-to-text.ts';

/**
 * A text as it may be shown: well-formed, without control characters other than line breaks, without what turns the
 * direction of writing or hides, and shortened.
 *
 * @param max In UTF-16 units, the mark of what is left out included.
 */
export const plainText = (text: string, max: number): string => {
  const clean = visibleText(text.slice(0, 4 * max + 100))
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return shortened(clean, max);
};

/** Without characters that do not show, save line breaks, and without halves of characters; its spaces stay. */
export const visibleText = (text: string): string =>
  text
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replace(/\t/g, ' ')
    .replace(INVISIBLE, '')
    .toWellFormed();

/** A plain text on one line. */
export const oneLine = (text: string, max: number): string =>
  shortened(plainText(text, 2 * max).replace(/\s+/g, ' '), max);

/** What Markdown says, without its marks: for quoted documents and written answers. Lists and code keep their lines. */
export const proseOf = (markdown: string, max: number): string => {
  let isCode = false;
  const lines = plainText(markdown, 2 * max)
    .split('\n')
    .map((line) => {
      if (FENCE.test(line)) isCode = !isCode;
      else if (isCode) return line;
      return withoutMarks(line);
    });
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
  if (FENCE.test(line) || RULE.test(line)) return '';
  const marker = LIST_MARKER.exec(line)?.[0] ?? '';
  const words = line.slice(marker.length);
  if (words.length > LONGEST_LINE) return line;
  const said = plainHeading(words);
  return said === '' ? '' : marker + said;
};

const FENCE = /^(?:`{3,}[^`]*|~{3,}.*)$/;
/** Also of a table. */
const RULE = /^[|:\- ]{3,}$/;
/** An entry says something: a mark alone would make a heading of the line before it. */
export const LIST_MARKER = /^(?:[-*+•]|\d{1,3}[.)]) +(?=\S)/;
/** As far as `plainHeading` reads. */
const LONGEST_LINE = 1000;

const shortened = (text: string, max: number): string => {
  if (text.length <= max) return text;
  const cut = text.slice(0, Math.max(0, max - 1)).replace(/[\ud800-\udbff]$/, '');
  return `${cut.trimEnd()}…`;
};
