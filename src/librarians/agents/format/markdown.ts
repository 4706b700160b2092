import { plainHeading } from '../../../documents/markdown/render-markdown.ts';

/**
 * Escapes text inside a line so that CommonMark and its tables show it literally. `<` becomes an entity because some renderers
 * ignore backslash escapes. Addresses stay as they are, so that GitHub's dialect links them; `src/documents/markdown/render-markdown.ts` stops
 * them from becoming links, for names and titles.
 */
export function escapeMarkdown(line: string): string {
  return line
    .replace(/[\\`*[\]|~]|_(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])_/gu, '\\$&')
    .replace(/&(?=#|[a-z\d]{1,40};)/gi, '&amp;')
    .replaceAll('<', '&lt;');
}

/** Escapes a whole line that Markdown could read as a heading, a list item, a quote or a thematic break. */
export function escapeLine(line: string): string {
  return escapeMarkdown(line)
    .replace(/^[#>+=:-]/, '\\$&')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2');
}

/** Escapes plain paragraphs; lines that start with a list marker stay list items. */
export function escapeParagraphs(text: string): string {
  return text.split('\n').map(escapeListLine).join('\n');
}

const escapeListLine = (line: string): string => {
  const marker = LIST_MARKER.exec(line)?.[0] ?? '';
  if (marker === '') return escapeLine(line);
  const number = /^\d{1,3}/.exec(marker)?.[0];
  return `${number === undefined ? '-' : `${number}.`} ${escapeLine(line.slice(marker.length))}`;
};

/** A link with a plain-text label; the label alone if the URL is not allowed. */
export function markdownLink(label: string, url: string | undefined): string {
  const link = webLink(url);
  return link === undefined ? escapeLine(label) : `[${escapeMarkdown(label)}](${linkTarget(link)})`;
}

/** Percent-encodes characters that would end the link target or a table cell. */
const linkTarget = (link: string): string =>
  link.replace(/[()<>\\|`*[\]"'\s]/g, percentEncoded).replace(/&(?=#|[a-z\d]{1,40};)/gi, '&amp;');

const percentEncoded = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`;

/**
 * An address that may stand behind a link: http or https, written out in full, or a plain relative one, which stays
 * relative, as its page knows what it belongs to. `undefined` for all others.
 */
export function webLink(address: unknown): string | undefined {
  if (typeof address !== 'string' || address.length > MAX_LENGTH) return undefined;
  if (!/^https?:\/\//i.test(address)) return PLAIN_RELATIVE.test(address) ? address : undefined;
  if (!URL.canParse(address)) return undefined;
  const { href } = new URL(address);
  return href.length <= MAX_LENGTH ? href : undefined;
}

const MAX_LENGTH = 2048;
/** No scheme, no host, and nothing that has a meaning in Markdown or HTML. */
const PLAIN_RELATIVE = /^(?!\/\/)[\w.~/%+,@-]+(?:[?#][\w.~/%+,@=#?-]*)?$/;

/**
 * A text that is safe to show: well-formed, without control characters other than line breaks, without bidirectional
 * and invisible characters except joiners, and shortened.
 *
 * @param max In UTF-16 units, including the ellipsis of a shortened text.
 */
export function plainText(text: string, max: number): string {
  // Enough where three of four characters are removed.
  const read = text.slice(0, 4 * max + 100);
  const clean = visibleText(read)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return shortened(read.length < text.length ? `${clean}…` : clean, max);
}

/** The text without invisible characters, except line breaks and joiners, and without lone surrogates; its spaces stay. */
export function visibleText(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replace(/\t/g, ' ')
    .replace(INVISIBLE, '')
    .toWellFormed();
}

/** A plain text on one line. */
export function oneLine(text: string, max: number): string {
  return shortened(plainText(text, 2 * max).replace(/\s+/g, ' '), max);
}

/**
 * The text of Markdown without its markup, for quoted documents and written answers. Lists and code keep their lines; the
 * rows of a table become lines.
 */
export function proseOf(markdown: string, max: number): string {
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
    else if (line.startsWith(fence) && line.replaceAll(fence.charAt(0), '').trim() === '')
      fence = undefined;
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
}

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

/**
 * Writes the rows of Markdown tables as lines that stand alone, each cell with the head of its column:
 * `| Quiet | 25 | 31 |` below `| Mode | Model A | Model B |` reads `Quiet: Model A 25, Model B 31`. A single column of
 * values needs no head.
 */
export function tablesAsLines(markdown: string): string {
  let head: readonly string[] | undefined;
  const lines = markdown.split('\n');
  const written = lines.flatMap((line, at) => {
    if (!isRow(line)) {
      head = undefined;
      return [line];
    }
    if (isDelimiter(line)) return [];
    if (isDelimiter(lines[at + 1] ?? '')) {
      head = cellsOf(line);
      return [];
    }
    return [sentenceOf(cellsOf(line), head)];
  });
  return written.join('\n');
}

const sentenceOf = (
  [first = '', ...rest]: readonly string[],
  head: readonly string[] | undefined,
): string => {
  const headOf = (at: number): string => (rest.length > 1 ? (head?.[at + 1] ?? '') : '');
  const named = rest.flatMap((cell, at) => (cell === '' ? [] : [`${headOf(at)} ${cell}`.trim()]));
  return named.length === 0 ? first : `${first}: ${named.join(', ')}`;
};

/** Longer lines are not read as table rows. */
const isRow = (line: string): boolean => line.length <= 4000 && /^ *\|.*\| *$/.test(line);

const isDelimiter = (line: string): boolean =>
  isRow(line) && /^[|:\- ]+$/.test(line) && line.includes('-');

const cellsOf = (row: string): string[] =>
  row
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

/** Statements of a model as one text: sentences in one paragraph; lists and tables stand apart. */
export function joinStatements(statements: readonly string[]): string {
  return statements.reduce((all, text) => {
    const isApart =
      all === '' || /\n|^[-*+|>#\d]/.test(text) || all.endsWith(':') || /\n[^\n]*$/.test(all);
    return all === '' ? text : `${all}${isApart ? '\n\n' : ' '}${text}`;
  }, '');
}
