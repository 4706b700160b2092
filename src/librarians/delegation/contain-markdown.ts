import { openFence, outsideCode } from '../../documents/markdown/blocks.ts';
import { escapeHtml } from '../../documents/markdown/escape-html.ts';

/** A code span within one line, as the first alternative of a pattern that passes over them. */
export const CODE_SPAN = '(?<![`\\\\])(?<span>`+)(?!`)[^`]{1,500}(?<!`)\\k<span>(?!`)';

/**
 * Makes the Markdown of one librarian stay within its part of a joined answer. A reader sees the same words; only what could affect other
 * parts is changed:
 *
 * - an open code fence is closed, and fences that a list may or may not own are moved to the margin;
 * - HTML, comments and images become text (`escapeHtml`);
 * - headings become at least level 4, as 1 to 3 are those of the joined answer;
 * - links by reference get their address in place, and definitions become text, since they would hold in every part;
 * - control characters go, and line breaks become `\n`.
 *
 * @returns Empty when nothing visible is left.
 */
export function containMarkdown(markdown: string): string {
  const text = escapeHtml(alignFences(plainLines(markdown)));
  const references = referencesOf(text);
  let isParagraph = false;
  const contained = outsideCode(text, (line) => {
    const inert = escapeSetext(isParagraph, lowerHeading(inlineReferences(line, references)));
    isParagraph = line.trim() !== '';
    return inert;
  });
  return `${contained}\n${openFence(text)}`.replace(/^\n+/, '').trimEnd();
}

// Control characters except tabs and line breaks, bidirectional overrides and lone surrogates.
const HIDDEN = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]|\p{Cs}/gu;

const plainLines = (markdown: string): string =>
  markdown.replace(/\r\n?|[\u2028\u2029]/g, '\n').replace(HIDDEN, '');

/** A fence after one to three spaces may belong to a list item, which would change where it ends. */
const alignFences = (markdown: string): string => markdown.replace(/^ {1,3}(?=`{3}|~{3})/gm, '');

/** Pushes `#` and the like down to level 4, also in quotes and list items. */
const lowerHeading = (line: string): string => line.replace(HEADING, '$1####');

const HEADING = /^((?: {0,3}(?:>|[-+*]|\d{1,9}[.)])[ \t]{0,4}){0,8} {0,3})#{1,3}(?=[ \t]|$)/;

/** A line of `=` or `-` below a paragraph would make that a heading. */
const escapeSetext = (isParagraph: boolean, line: string): string =>
  isParagraph && SETEXT.test(line) ? line.replace(/[=-]/, '\\$&') : line;

const SETEXT = /^[ \t>]{0,20}(?:=+|-+)[ \t]*$/;

const MAX_REFERENCES = 200;

/** What `[label]: https://…` lines define, by label. */
const referencesOf = (text: string): Map<string, string> => {
  const references = new Map<string, string>();
  outsideCode(text, (line) => {
    const [, label = '', url = ''] = DEFINITION.exec(line) ?? [];
    if (url !== '' && references.size < MAX_REFERENCES && !references.has(labelOf(label)))
      references.set(labelOf(label), url);
    return line;
  });
  return references;
};

const DEFINITION =
  /^ {0,3}\[([^\]\\[^]{1,100})\]:[ \t]{0,20}(https?:\/\/[^\s<>()\\`]{1,2000})[ \t]*(?:"[^"]{0,300}")?[ \t]*$/;

const labelOf = (label: string): string => label.trim().replace(/\s+/g, ' ').toLowerCase();

const inlineReferences = (line: string, references: ReadonlyMap<string, string>): string => {
  if (!line.includes(']')) return line;
  const inlined = line.replace(
    REFERENCE,
    (whole, _span, text: string | undefined, label: string | undefined) => {
      const url = text === undefined ? undefined : references.get(labelOf(label || text));
      return url === undefined ? whole : `[${text}](${url})`;
    },
  );
  return inlined.replace(/(\\*)\]:/g, (whole, slashes: string) =>
    slashes.length % 2 === 1 ? whole : `${slashes}]\\:`,
  );
};

// `[text][label]`, `[label][]` and `[label]`, but not `[text](address)` or the definition itself.
const REFERENCE = new RegExp(
  `${CODE_SPAN}|(?<![\\\\\\]])\\[([^\\]\\\\[\`]{1,300})\\](?:\\[([^\\]\\\\[\`]{0,100})\\])?(?![(:[])`,
  'g',
);

/**
 * Untrusted text as one line that Markdown shows as it is: marks get a backslash, line breaks and controls become spaces.
 *
 * @param limit Length of the text without the backslashes, in UTF-16 units; a longer one ends with an ellipsis.
 */
export function inertLine(text: string, limit: number): string {
  const line = text.replace(/[\s\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  const short =
    line.length > limit ? `${line.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…` : line;
  return short.replace(/[\\`*_{}[\]()<>#+\-!|~&$:.=^]/g, (mark, at: number) =>
    needsEscape(short, mark, at) ? `\\${mark}` : mark,
  );
}

/** Marks that only mean something at the beginning of a line, or between words, stay readable elsewhere. */
const needsEscape = (line: string, mark: string, at: number): boolean => {
  if ('#+-='.includes(mark)) return at === 0;
  if (mark === '.' || mark === ')' || mark === '(')
    return mark === '.' ? /^\d{1,9}$/.test(line.slice(0, at)) : true;
  if (mark === ':') return line[at - 1] === ']' || line.startsWith('//', at + 1);
  if (mark === '!') return line[at + 1] === '[';
  return !'{}^'.includes(mark);
};
