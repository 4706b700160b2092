/**
 * What ends the HTML block that begins with this line of Markdown (CommonMark 0.31.2, section 4.6), as a pattern that its last
 * line matches or, for most elements, `'blank'`: the blank line after it. Undefined when the line begins no HTML block.
 *
 * @param line From its first character that is no white space.
 * @param isInterrupting Whether a paragraph stands open before it: a tag of no known block does not end one.
 */
export const endOfHtmlBlock = (line: string, isInterrupting: boolean): RegExp | 'blank' | undefined => {
  const found = DELIMITED.find(([start]) => start.test(line));
  if (found) return found[1];
  if (BLOCK_TAG.test(line)) return 'blank';
  return !isInterrupting && line.length <= MAX_TAG_LINE && LONE_TAG.test(line) ? 'blank' : undefined;
};

const DELIMITED: [start: RegExp, end: RegExp][] = [
  [/^<(?:script|pre|style|textarea)(?:\s|>|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<![a-z]/i, />/],
  [/^<!\[CDATA\[/, /\]\]>/],
];

const BLOCK_TAGS = `
  address article aside base basefont blockquote body caption center col colgroup dd details dialog
  dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr
  html iframe legend li link main menu menuitem nav noframes ol optgroup option p param search section
  summary table tbody td tfoot th thead title tr track ul
`
  .trim()
  .split(/\s+/);

const BLOCK_TAG = new RegExp(`^</?(?:${BLOCK_TAGS.join('|')})(?:\\s|/?>|$)`, 'i');

/** A tag that stands alone. The pattern looks back within a line, which is why the line has a bound. */
const MAX_TAG_LINE = 1000;
const LONE_TAG =
  /^<(?:\/[a-z][a-z\d-]*\s*|[a-z][a-z\d-]*(?:\s+[a-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?)>\s*$/i;
