import EMOJI from 'markdown-it-emoji/lib/data/full.mjs';
import { FENCE, runsOutsideCode } from '../language/outside-code.ts';
import { bracketTagsIn, readBracketTags, withBracketCode } from './bracket-tags.ts';
import { withoutDocfx } from './docfx.ts';
import { type GridCell, gridAt, readGrid } from './grid-table.ts';
import { signOf } from './icons.ts';
import { escapeHtml, jsxStateOf, keysOf, labelHtml, readJsx } from './jsx.ts';
import { isNoteName } from './notes.ts';
import { collectOmissions, type Omissions, unknownValues } from './omissions.ts';
import { attributesIn, literalOf } from './tag-attributes.ts';
import { readTemplates, type TemplateState } from './templates.ts';

export interface DialectOptions {
  isMdx: boolean;
  /** Values that the configuration of a site generator names: `site.email`. */
  settingOf?: ((name: string) => string | undefined) | undefined;
  /** Collects what is left out. */
  omissions?: Omissions | undefined;
}

export interface PlainMarkdown {
  /** Markdown with HTML, as CommonMark and GFM have it. */
  text: string;
  warnings: string[];
}

/**
 * Turns what site generators and note programs add to Markdown into Markdown with HTML: comments, ids, containers and tabs of Docusaurus,
 * VitePress, Starlight, MkDocs, MyST and GitBook, template tags of Liquid, Jinja and Hugo, components of MDX, links of Obsidian. Fenced
 * code and code spans stay. Every expression is bounded, so that the time is linear in the text.
 */
export function readDialects(
  markdown: string,
  { isMdx, settingOf, omissions = collectOmissions() }: DialectOptions,
): PlainMarkdown {
  const warnings: string[] = [];
  const unclosed = unclosedComment(markdown);
  if (unclosed) warnings.push('A comment that is never closed hides the rest of the article');
  const raw = withFences(withoutRaw(markdown));
  const fenced = withMath(isMdx ? raw : withBracketCode(raw));
  const plain = runsOutsideCode(fenced, (lines) => withGrids(withCallouts(withoutDocfx(lines, omissions))));
  const text = readIndented(withLoneDefinitions(plain.split('\n')), 0).join('\n');
  const templates: TemplateState = { unknown: 0, isTemplate: /\{%-?\s|\{\{[<%]/.test(text), settingOf, omissions };
  const brackets = bracketTagsIn(text);
  const jsx = jsxStateOf(text, omissions);
  const values = new Map<string, string>();
  const hasComponents = isMdx || /<\/?[A-Z]|\smarkdown(?:="?(?:1|block|span)"?)?[\s>]/.test(text);
  const open: Container[] = [];
  const html: OpenHtml = { depth: 0, tables: 0, isPre: false };
  const result = runsOutsideCode(text, (run) => {
    let lines = isMdx ? run : withNotices(run);
    if (isMdx) lines = readModule(lines, values, omissions);
    let part = withoutComments(lines.join('\n'), { isMdx, omissions });
    if (part.includes('{')) part = readTemplates(part, templates);
    if (!isMdx && part.includes(']')) part = readBracketTags(part, brackets, templates);
    lines = withCellsWhole(part.split('\n'));
    if (!isMdx) lines = withoutIndents(lines, html);
    part = readLines(lines, { open, isMdx, omissions }).join('\n');
    if (hasComponents) part = readJsx(part, { hasExpressions: isMdx, values }, jsx);
    return part.split('\n');
  });
  warnings.push(...unknownValues(templates.unknown + jsx.unknown));
  return { text: result.replaceAll(RAW_OPEN, '{').replaceAll(RAW_CLOSE, '}'), warnings };
}

const DELIMITERS = /^[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const MAX_ROW = 5000;

/**
 * Tables in which code has the mark between cells: where a row would get more cells than its table has columns, the marks in code are
 * text, as generators other than GitHub read them.
 */
function withCellsWhole(lines: readonly string[]): string[] {
  let columns = 0;
  return lines.map((line, at) => {
    const next = lines[at + 1] ?? '';
    if (!line.includes('|') || line.length > MAX_ROW) columns = 0;
    else if (columns === 0 && next.includes('|') && next.length <= MAX_ROW && DELIMITERS.test(next))
      columns = cellsIn(next);
    if (columns < 2 || !line.includes('`') || cellsIn(line) <= columns) return line;
    const escaped = line.replace(CODE_SPAN, (code) => code.replace(/(?<!\\)\|/g, '\\|'));
    return cellsIn(escaped) === columns ? escaped : line;
  });
}

const cellsIn = (row: string): number =>
  row
    .trim()
    .replace(/^>[ \t>]*/, '')
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/).length;

/** Elements of HTML that are open from one run of text to the next. */
interface OpenHtml {
  depth: number;
  tables: number;
  isPre: boolean;
}

/** Those with Markdown in them (`<div markdown>`) stand where Markdown does. */
const OPENING =
  /^[ \t]*<(?:table|thead|tbody|tfoot|tr|td|th|ul|ol|dl|div|section|article|details|figure|center)\b(?![^<>]{0,300}\smarkdown\b)/i;
const STRUCTURE = /<(\/?)(table|ul|ol|dl|div|section|article|details|figure|center)\b(?![^<>]{0,300}\smarkdown\b)/gi;

/** In open elements of HTML an indented tag begins no code, and in tables nothing does, also after an empty line. */
function withoutIndents(lines: readonly string[], open: OpenHtml): string[] {
  return lines.flatMap((line, at) => {
    const isBlock = !open.isPre && open.tables === 0 && BLOCK_MARK.test(line) && TAG_LINE.test(lines[at - 1] ?? '');
    const read = withoutIndent(line, open);
    return isBlock ? ['', read] : [read];
  });
}

/** A list or a heading below a line that closes an element of HTML would be text of it. */
const BLOCK_MARK = /^ {0,3}(?:[-*+][ \t]{1,4}[^\s{]|#{1,6}[ \t]+\S|\d{1,9}[.)][ \t]{1,4}\S)/;
const TAG_LINE =
  /^[ \t]*<[^\n]{0,2000}(?:(?<=<\/[a-z][a-z\d]{0,10}[ \t]{0,9})|(?<=<(?:br|hr|img)\b[^<>]{0,1000}))>[ \t]*$/i;

function withoutIndent(line: string, open: OpenHtml): string {
  if (line.length > MAX_ROW || (open.depth === 0 && !OPENING.test(line))) return line;
  const isCode = open.isPre;
  const isInside = open.depth > 0;
  const isTable = open.tables > 0;
  if (line.includes('<')) {
    for (const [, slash, name = ''] of line.matchAll(STRUCTURE)) {
      const step = slash === '' ? 1 : -1;
      open.depth = Math.max(0, open.depth + step);
      if (name.toLowerCase() === 'table') open.tables = Math.max(0, open.tables + step);
    }
    if (/<\/?pre\b/i.test(line))
      open.isPre = line.toLowerCase().lastIndexOf('<pre') > line.toLowerCase().lastIndexOf('</pre');
  }
  if (isCode || !isInside || !/^(?: {4}|\t| {1,3}\t)/.test(line)) return line;
  return isTable || /^[ \t]*<\/?[a-z]/i.test(line) ? line.trimStart() : line;
}

const CODE_SPAN = /(?<!`)(`{1,3})(?!`)(?:(?!\n[ \t]*\n)[\s\S]){1,500}?(?<!`)\1(?!`)/g;

/** Gives what stands between code spans to `read`. */
function outsideSpans(text: string, read: (part: string) => string): string {
  let out = '';
  let from = 0;
  for (const match of text.matchAll(CODE_SPAN)) {
    out += read(text.slice(from, match.index)) + match[0];
    from = match.index + match[0].length;
  }
  return out + read(text.slice(from));
}

/** Gives a text to `read` in which a character stands for each code span. */
function aroundSpans(text: string, read: (text: string) => string): string {
  const spans: string[] = [];
  const masked = text.replace(CODE_SPAN, (code) => {
    spans.push(code);
    return SPAN;
  });
  return read(masked).replaceAll(SPAN, () => spans.shift() ?? '');
}

/** Characters that no text has. */
const SPAN = '\ufdd2';

/** Stand for the braces of what template tags protect: characters that no text has. */
const RAW_OPEN = '\ufdd0';
const RAW_CLOSE = '\ufdd1';
const RAW_TAG =
  /^[ \t]{0,40}\{%-?\s{0,9}(end)?(?:raw|verbatim)\s{0,9}-?%\}[ \t]{0,40}\n|\{%-?\s{0,9}(end)?(?:raw|verbatim)\s{0,9}-?%\}/gm;

/** Without the template tags that only protect what they enclose, in code too; its braces are text. */
function withoutRaw(text: string): string {
  if (!text.includes('{%')) return text;
  let out = '';
  let from = 0;
  let isRaw = false;
  const tags = [...text.matchAll(RAW_TAG)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    isEnd: (match[1] ?? match[2]) !== undefined,
  }));
  const last = tags.findLastIndex(({ isEnd }) => isEnd);
  for (const [at, { start, end, isEnd }] of tags.entries()) {
    // What is protected may name the tag itself; a tag without its other one protects nothing.
    if (isEnd !== isRaw || at > last) continue;
    const part = text.slice(from, start);
    out += isRaw ? part.replaceAll('{', RAW_OPEN).replaceAll('}', RAW_CLOSE) : part;
    isRaw = !isEnd;
    from = end;
  }
  return out + text.slice(from);
}

/** Code between template tags (`{% highlight ruby %}`, `{{< highlight go >}}`) as fenced code. */
const withFences = (text: string): string =>
  withDiagrams(
    text.includes('highlight')
      ? text.replace(
          /^([ \t]{0,40})\{(?:%-?|\{[<%])[ \t]{0,9}(?:highlight[ \t]{1,9}([\w+#.-]{1,40})[^\n%>]{0,200}|(?:end|\/[ \t]{0,9})highlight[ \t]{0,9})(?:-?%\}|[>%]\}\})[ \t]{0,40}$/gm,
          (_, indent: string, language = '') => `${indent}\`\`\`${language}`,
        )
      : text,
  );

/** `::: mermaid` of Azure DevOps as fenced code. */
const withDiagrams = (text: string): string =>
  text.includes(':::')
    ? text.replace(
        /^(:{3,9})[ \t]{0,9}(mermaid|plantuml)[ \t]{0,9}\n((?:(?!:::).*\n){1,500})\1[ \t]{0,9}$/gm,
        (_, _mark, language: string, code: string) => `\`\`\`${language}\n${code}\`\`\``,
      )
    : text;

/** Formulas between `$$` or in lines `\\[` and `\\]` as fenced code, those between `$` in a line as code spans. */
function withMath(text: string): string {
  if (!text.includes('$') && !text.includes('\\[')) return text;
  return runsOutsideCode(text, (lines) => {
    const out: string[] = [];
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at] ?? '';
      const [, indent = '', open = '', rest = ''] =
        line.length < MAX_ROW ? (/^([ \t>]{0,40})(\$\$|\\\[)(.*)$/.exec(line) ?? []) : [];
      const block = open === '' ? undefined : formulaAt(lines, { at, open, rest });
      if (block === undefined) {
        out.push(readFormulas(line));
        continue;
      }
      out.push(`${indent}\`\`\`math`, ...block.lines.map((each) => indent + each.trim()), `${indent}\`\`\``);
      at = block.last;
    }
    return out;
  });
}

const MAX_FORMULA_LINES = 60;

/** The lines of a formula that begins in one line and ends in it or in a later one. */
function formulaAt(
  lines: readonly string[],
  { at, open, rest }: { at: number; open: string; rest: string },
): { lines: string[]; last: number } | undefined {
  const close = open === '$$' ? /^(.*?)\$\$[ \t]{0,9}(?:\{#[^}]{0,80}\})?[ \t]{0,9}$/ : /^(.*?)\\\][ \t]{0,9}$/;
  const alone = close.exec(rest);
  if (alone !== null)
    return alone[1]?.trim() && (open === '$$' || SIGN.test(alone[1])) ? { lines: [alone[1]], last: at } : undefined;
  if (open !== '$$' && rest.trim() !== '') return undefined;
  const formula: string[] = rest.trim() === '' ? [] : [rest];
  for (let next = at + 1; next < lines.length && next - at <= MAX_FORMULA_LINES; next += 1) {
    const line = (lines[next] ?? '').replace(/^[ \t]*>[ \t]?/, '');
    const end = line.length < MAX_ROW ? close.exec(line) : null;
    if (end === null) formula.push(line);
    else return { lines: end[1]?.trim() ? [...formula, end[1]] : formula, last: next };
  }
  return undefined;
}

const IN_LINE = /(?<![\\$\p{L}\p{N}])(\$\$?)(?=[^\s${])([^$\n`]{1,300}?)(?<=[^\s\\$])\1(?![\p{L}\p{N}$({])/gu;

const SIGN = /\\[A-Za-z]|[\^_=]|^[A-Za-z]$/;

/** Amounts and names of variables have no signs of formulas. */
const readFormulas = (line: string): string =>
  line.includes('$') && line.length < MAX_ROW
    ? outsideSpans(line, (part) =>
        part.replace(IN_LINE, (found, _mark, formula: string) =>
          SIGN.test(formula) ? `\`${formula.replaceAll('|', '\\|')}\`` : found,
        ),
      )
    : line;

const CALLOUT = /^\{:[ \t]{0,9}\.([a-z]{1,30})(-title)?[ \t]{0,9}\}[ \t]{0,9}$/;

/** `?> ` and `!> ` before a block (Docsify). */
const SIGNED = /^([?!])>[ \t]/;

/** `{: .note }` above a block, and `{: .note-title }` above one whose first line is the title (kramdown, Just the Docs). */
function withCallouts(lines: string[]): string[] {
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
    const block = lines.slice(sign === undefined ? at + 1 : at, end).map((line) => line.replace(/^[?!]?>[ \t]?/, ''));
    const title = titled === undefined ? '' : (block.shift() ?? '');
    out.push('', noteLine(kind, title), '', ...block, '', '</div>', '');
    at = end - 1;
  }
  return out;
}

const NOTICE = /^(!{1,4})[ \t]{1,9}(?=\S)/;

/** `! text` to `!!!! text`, each line of it, as Grav marks notices by their colour. */
function withNotices(lines: string[]): string[] {
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

/** Tables that are drawn as a grid (pandoc, MyST), with Markdown in their cells. */
function withGrids(lines: string[]): string[] {
  const out: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const drawn = gridAt(lines, at);
    if (drawn === undefined) {
      out.push(lines[at] ?? '');
      continue;
    }
    const rows = readGrid(drawn);
    if (rows === undefined) {
      for (const line of lines.slice(at, at + drawn.length)) out.push(line);
      at += drawn.length - 1;
      continue;
    }
    const cells = rows.map((row) => row.flatMap(cellLines));
    out.push('', '<table>', ...cells.flatMap((row) => ['<tr>', ...row, '</tr>']), '</table>', '');
    at += drawn.length - 1;
  }
  return out;
}

function cellLines({ lines, isHead, rowSpan, colSpan }: GridCell): string[] {
  const tag = isHead ? 'th' : 'td';
  const indent = Math.min(
    ...lines.filter((line) => line.trim() !== '').map((line) => /^ */.exec(line)?.[0].length ?? 0),
  );
  const text = lines.map((line) => line.slice(Math.min(indent, line.length)).trimEnd());
  return [`<${tag} rowspan="${rowSpan}" colspan="${colSpan}">`, '', ...text, '', `</${tag}>`];
}

function unclosedComment(text: string): boolean {
  const start = text.lastIndexOf('<!--');
  if (start === -1 || text.includes('-->', start)) return false;
  let isOutside = false;
  runsOutsideCode(text, (lines) => {
    outsideSpans(lines.join('\n'), (part) => {
      isOutside ||= part.includes('<!--') && !part.includes('-->', part.lastIndexOf('<!--'));
      return part;
    });
    return lines;
  });
  return isOutside;
}

/** Comments of authors: `<!-- -->`, `%% %%` of Obsidian, `{# #}` of Jinja. Those of MDX are expressions. */
function withoutComments(text: string, { isMdx, omissions }: { isMdx: boolean; omissions: Omissions }): string {
  if (!/<!--|%%|\{#/.test(text)) return text;
  return outsideSpans(text, (part) => {
    let rest = part;
    const omit = (comment: string): string => {
      omissions.add('comment', () => comment.replace(/^(?:<!--|%%|\{#)|(?:-->|%%|#\})$/g, ''));
      return '';
    };
    if (rest.includes('<!--')) rest = cutBetween(rest, '<!--', '-->', omit);
    if (rest.includes('%%')) rest = rest.replace(/(?<!\S)%%(?!%)(?:[^%]|%(?!%)){0,5000}%%(?!\S)/g, omit);
    if (rest.includes('{#') && !isMdx) rest = rest.replace(/\{#(?=\s)(?:[^#]|#(?!\})){0,2000}#\}/g, omit);
    return rest;
  });
}

/** Characters of a comment that its sample is taken from. */
const MAX_SAMPLED = 500;

/** Linear: no mark is sought again once there is none. */
function cutBetween(text: string, open: string, close: string, omit: (part: string) => void): string {
  let out = '';
  let from = 0;
  for (let start = text.indexOf(open); start !== -1; start = text.indexOf(open, from)) {
    const end = text.indexOf(close, start + open.length);
    out += text.slice(from, start);
    // Without an end it is left to the parser, which knows where it ends.
    if (end === -1) return out + text.slice(start);
    from = end + close.length;
    omit(text.slice(start, Math.min(from, start + MAX_SAMPLED)));
  }
  return out + text.slice(from);
}

/** The statements of a module that MDX begins with, and the constants that it exports. */
function readModule(lines: readonly string[], values: Map<string, string>, omissions: Omissions): string[] {
  const out: string[] = [];
  let isCode = false;
  let isScript = false;
  /** The constant whose members are being read. */
  let object: string | undefined;
  for (const line of lines) {
    // Scripts of a page are dropped with what they hold.
    if (/^<(?:script|style)[\s>]/i.test(line)) isScript = true;
    if (isScript) {
      out.push(line);
      isScript = !/<\/(?:script|style)\s*>/i.test(line);
      continue;
    }
    if (!isCode && MODULE_LINE.test(line)) {
      isCode = true;
      omissions.add('code', () => line);
    }
    if (!isCode) {
      out.push(line);
      continue;
    }
    object = readConstants(line, object, values);
    // A statement ends at an empty line.
    if (line.trim() === '') {
      isCode = false;
      object = undefined;
      out.push('');
    }
  }
  return out;
}

const CONSTANT =
  /(?:^export\s+(?:const|let|var)\s+|,\s*)(\w{1,80})\s*=\s*('[^']{0,500}'|"[^"]{0,500}"|`[^`$]{0,500}`|-?\d[\d.]*)\s*(?=[,;]|$)/g;
const MEMBER =
  /(?:^|[{,])\s*['"]?([\w-]{1,80})['"]?\s*:\s*('[^']{0,500}'|"[^"]{0,500}"|`[^`$]{0,500}`|-?\d[\d.]*)\s*(?=[,}]|$)/g;

/** Literals that a line exports: `export const days = 30, port = '80'`, and members of an object, until it ends. */
function readConstants(line: string, open: string | undefined, values: Map<string, string>): string | undefined {
  if (line.length > 2000) return open;
  const set = (name: string, code: string): void => {
    const value = literalOf(code);
    if (value !== undefined) values.set(name, value);
  };
  const [, opened] = /^export\s+(?:const|let|var)\s+(\w{1,80})\s*=\s*\{/.exec(line) ?? [];
  const object = opened ?? open;
  if (object !== undefined) {
    for (const [, name = '', code = ''] of line.slice(line.indexOf('{') + 1 || 0).matchAll(MEMBER))
      set(`${object}.${name}`, code);
    return /\}\s*;?\s*$/.test(line) ? undefined : object;
  }
  if (line.startsWith('export')) for (const [, name = '', code = ''] of line.matchAll(CONSTANT)) set(name, code);
  return undefined;
}

const MODULE_LINE =
  /^(?:import\s+(?:[\w{*'"]|type\b)|export\s+(?:default|const|let|var|function|async|class|type|interface|\{|\*))/;

export const hasModule = (text: string): boolean => {
  if (!/^(?:import|export)\s|\{\/\*/m.test(text)) return false;
  let isModule = false;
  let isScript = false;
  runsOutsideCode(text, (lines) => {
    for (const line of lines) {
      isScript ||= /^<script[\s>]/i.test(line);
      isModule ||= !isScript && /^import\s+.{1,300}\s+from\s+['"]|^export\s+(?:const|default)\s|\{\/\*/.test(line);
      isScript &&= !/<\/script\s*>/i.test(line);
    }
    return lines;
  });
  return isModule;
};

/** A block whose content is indented by four: `!!! note "Title"`, `??? tip`, `=== "Tab"` (MkDocs). */
const INDENTED =
  /^([ \t]*)(!!!|\?\?\?\+?|===[+!]?)[ \t]*(?:([\p{L}\p{N}_-]+)((?:[ \t]+[\p{L}\p{N}_|-]+)*))?[ \t]*(?:"(.*)")?[ \t]*$/u;
const MAX_NESTING = 8;

function readIndented(lines: readonly string[], depth: number): string[] {
  if (depth > MAX_NESTING || !lines.some((line) => line.length < 500 && INDENTED.test(line))) return [...lines];
  const out: string[] = [];
  let mark: string | undefined;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    mark = openFence(line, mark);
    const block = mark === undefined && line.length < 500 ? INDENTED.exec(line) : null;
    const [, indent = '', sign = '', name, , title] = block ?? [];
    const isTab = sign.startsWith('=');
    // A fold needs no more than its title.
    const isNamed = isTab ? title !== undefined : name !== undefined || (sign.startsWith('?') && title !== undefined);
    if (block === null || !isNamed) {
      out.push(line);
      continue;
    }
    const { body, next } = indentedAfter(lines, at + 1, columnsOf(indent));
    if (body.length === 0 && title === undefined && !isNoteName(name ?? '')) {
      out.push(line);
      continue;
    }
    const inner = readIndented(body, depth + 1).map((each) => (each === '' ? '' : indent + each));
    const open = isTab ? labelLine(title ?? '') : noteLine(name ?? '', title ?? '', title === '');
    out.push('', indent + open, '', ...inner, '', ...(isTab ? [] : [`${indent}</div>`, '']));
    at = next - 1;
  }
  return out;
}

/** The mark of the code that is open behind a line. */
function openFence(line: string, mark: string | undefined): string | undefined {
  const fence = line.length < 500 ? FENCE.exec(line)?.[1] : undefined;
  if (mark === undefined) return fence;
  return fence?.startsWith(mark) && line.trim() === fence ? undefined : mark;
}

const LONE_DEFINITION = /^:[ \t]{1,3}(?=\S)/;
const HEADING = /^ {0,3}#{1,6}[ \t]/;

/** Definitions below a heading, without a term: text of the heading, however it is indented (Python-Markdown). */
function withLoneDefinitions(lines: string[]): string[] {
  const out: string[] = [];
  let isBelow = false;
  let mark: string | undefined;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    mark = openFence(line, mark);
    const isLone: boolean = mark === undefined && isBelow && LONE_DEFINITION.test(line);
    out.push(isLone ? line.replace(LONE_DEFINITION, '') : line);
    if (line.trim() !== '') isBelow = isLone || HEADING.test(line);
    if (!isLone) continue;
    for (; (lines[at + 1] ?? '').trim() !== ''; at += 1) out.push((lines[at + 1] ?? '').replace(/^(?: {4}|\t)/, ''));
    const { body, next } = indentedAfter(lines, at + 1, 0);
    out.push(...body);
    at = next - 1;
  }
  return out;
}

const columnsOf = (space: string): number => space.replaceAll('\t', '    ').length;

function indentedAfter(lines: readonly string[], from: number, indent: number): { body: string[]; next: number } {
  const body: string[] = [];
  let next = from;
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? '';
    if (line.trim() === '') body.push('');
    else {
      const expanded = line.replace(/^[ \t]+/, (space) => space.replaceAll('\t', '    '));
      if (expanded.length - expanded.trimStart().length < indent + 4) break;
      body.push(expanded.slice(indent + 4));
    }
  }
  while (body.at(-1) === '') {
    body.pop();
    next -= 1;
  }
  return { body, next };
}

const labelLine = (title: string): string => labelHtml(plainTitle(title), ':');

export const noteLine = (kind: string, title: string, isPlain = false): string =>
  isPlain
    ? '<div data-note-kind="" data-note-title="">'
    : `<div data-note-kind="${escapeHtml(kind)}" data-note-title="${escapeHtml(plainTitle(title))}">`;

/** A title without the marks of Markdown. */
const plainTitle = (title: string): string =>
  title
    .replace(/`([^`]*)`/g, '$1')
    .replace(/(\*{1,2})([^*\s](?:[^*]*[^*\s])?)\1/g, '$2')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim();

/** A container between lines of colons, or of slashes as in the blocks of PyMdown. */
interface Container {
  mark: string;
  isNote: boolean;
}

const CONTAINER =
  /^([ \t>]{0,40})(:{3,20}|\/{3,20})[ \t]{0,3}\{?[.]?([A-Za-z][\w-]{0,40})\}?[ \t]{0,9}(?:\|[ \t]{0,9})?([^\n]{0,400})$/;
const BRACED = /^([ \t>]{0,40})(:{3,20})[ \t]{0,3}\{([^}\n]{1,300})\}[ \t]*$/;
const CLOSING = /^([ \t>]{0,40})(:{3,20}|\/{3,20})[ \t]*$/;
const LEAF = /^[ \t>]{0,40}::[A-Za-z][\w-]{0,40}(?:\[([^\]\n]{0,300})\])?(?:\{[^}\n]{0,300}\})?[ \t]*$/;

/** Lines that are marks of a dialect, and marks within lines. */
function readLines(
  lines: readonly string[],
  { open, isMdx, omissions }: { open: Container[]; isMdx: boolean; omissions: Omissions },
): string[] {
  const out: string[] = [];
  for (const [at, line] of lines.entries()) {
    if (line === '' || line.length > 20_000) {
      out.push(line);
      continue;
    }
    const container = readContainer(line, open);
    if (container !== undefined) out.push(...container);
    else if (COMMENT_LINE.test(line)) omissions.add('comment', () => line.replace(COMMENT_LINE, ''));
    else if (SNIPPET_LINE.test(line)) omissions.add('code', () => line);
    else if (!isMarkLine(line) && !isContentsItem(line, lines[at + 1])) {
      const next = lines[at + 1] ?? '';
      out.push(readMarks(isMdx ? line : withTightMarks(readRoles(line)), { next, omissions }));
    }
  }
  return out;
}

function readContainer(line: string, open: Container[]): string[] | undefined {
  if (!/^[ \t>]{0,40}(?:::|\/\/\/)/.test(line)) return undefined;
  const leaf = LEAF.exec(line);
  if (leaf !== null) return leaf[1] ? ['', `<p>${escapeHtml(leaf[1])}</p>`, ''] : [''];
  const closing = CLOSING.exec(line);
  if (closing !== null) {
    const [, before = '', mark = ''] = closing;
    if (mark.startsWith('/') && open.length === 0) return undefined;
    const last = open.pop();
    return last?.isNote ? ['', `${before}</div>`, before] : [''];
  }
  const braced = BRACED.exec(line);
  const [, before = '', mark = '', name = '', rest = ''] =
    braced === null ? (CONTAINER.exec(line) ?? []) : bracedParts(braced);
  if (name === '') return undefined;
  const title = titleOf(rest);
  const kind = name.toLowerCase();
  if (/^(?:tab|tab-item|tabitem|tab-panel)$/.test(kind)) {
    open.push({ mark, isNote: false });
    return title === '' ? [''] : ['', before + labelLine(title), before];
  }
  const isNote = isNoteName(kind) || title !== '';
  open.push({ mark, isNote });
  return isNote ? ['', before + noteLine(isNoteName(kind) ? kind : '', title), before] : [''];
}

/** `::: {.callout-note title="…"}` of Quarto and Pandoc. */
function bracedParts([all, before = '', mark = '', inner = '']: string[]): string[] {
  const classes = [...inner.matchAll(/\.([\w-]{1,60})/g)].map(([, name = '']) => name.replace(/^callout-/, ''));
  const plain = /^[A-Za-z][\w-]*$/.test(inner) ? inner : undefined;
  const title = attributesIn(inner).named.get('title') ?? '';
  return [
    all ?? '',
    before,
    mark,
    plain ?? classes.find((name) => isNoteName(name)) ?? 'div',
    title === '' ? '' : `[${title}]`,
  ];
}

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

/** Lines that no reader sees: comments, ids, places for a table of contents, included files. */
const MARK_LINE =
  /^[ \t>]*(?:\[(?:\/\/|comment|_)\]:[ \t]*(?:#|<>|\/).*|\*\[[^\]\n]{1,80}\]:.*|\([\w-]{1,80}\)=|\[\[?_?TOC_?\]?\]|\[\[toc\]\]|\{:[^}]*\}|\{:?toc\}|\{\s?[.#][^}]*\}|-{1,2}8<-{1,2}.*|\{![^\n{}]{1,300}!\}|!!!include\(.*\)!!!|\\(?:newpage|pagebreak))[ \t]*$/i;

const COMMENT_LINE = /^[ \t>]*\[(?:\/\/|comment|_)\]:[ \t]*[#<>/]*[ \t]*/i;

/** Code that VitePress takes from another file: `<<< @/snippets/start.js{2}`. */
const SNIPPET_LINE = /^[ \t>]*<<<(?!<)[ \t]*[@~.\w-]{0,40}[/.][^\n]*$/;

/** The item that kramdown replaces by the contents of the page. */
const isContentsItem = (line: string, next = ''): boolean =>
  /^[ \t]*\{:[^}]*\btoc\b[^}]*\}[ \t]*$/.test(next) && /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/.test(line);

const ROLE = /\{([a-z][\w:+-]{0,40})\}(`{1,3})(?!`)([^`\n]{1,500})\2(?!`)/g;
const REFERENCE = /^(?:ref|numref|doc|any|term|eq|cite(?::\w+)?|download|abbr|myst|std:\w+)$/;

/** Roles of MyST: `` {ref}`the text <target>` ``, `` {kbd}`Ctrl` ``. */
const readRoles = (line: string): string =>
  line.includes('}`')
    ? line.replace(ROLE, (_, role: string, _mark, content: string) => {
        const title = /^(.{1,400}?)[ \t]*<[^<>]{1,200}>$/.exec(content)?.[1];
        if (REFERENCE.test(role)) return title ?? (content.split(/[/#]/).at(-1) ?? content).replace(/[-_]/g, ' ');
        if (role === 'kbd') return `<kbd>${escapeHtml(content)}</kbd>`;
        if (role === 'sub' || role === 'sup' || role === 'del') return `<${role}>${escapeHtml(content)}</${role}>`;
        if (role === 'guilabel' || role === 'menuselection')
          return `**${content.replaceAll('-->', '›').replace(/&(?=\w)/g, '')}**`;
        const shown = title ?? content.replace(/^!/, '');
        return `\`\` ${shown.startsWith('~') ? (shown.split('.').at(-1) ?? '') : shown} \`\``;
      })
    : line;

/** `**Title **:`, which only CommonMark takes for text; a single word with a space at both ends may be a power. */
const withTightMarks = (line: string): string =>
  /\*\*[ \t]|[ \t]\*\*/.test(line)
    ? aroundSpans(line, (text) =>
        text.replace(BOLD, (all, before: string, words: string, after: string) =>
          before + after === '' || (before !== '' && after !== '' && !SEVERAL_WORDS.test(words))
            ? all
            : `${before}**${words}**${after}`,
        ),
      )
    : line;

const SEVERAL_WORDS = /\p{L}{2}\S*\s+\p{L}/u;
const BOLD = /(?<![\\*\p{L}\p{N}])\*\*(?!\*)([ \t]?)([^\s*](?:[^*\n]{0,300}[^\s*])?)([ \t]?)\*\*(?!\*)/gu;

const isMarkLine = (line: string): boolean => MARK_LINE.test(line);

function readMarks(line: string, { next, omissions }: { next: string; omissions: Omissions }): string {
  if (!/[{[=+:\\?!^~]/.test(line)) return line;
  const isHeading = /^[ \t>]{0,20}#{1,6}[ \t]/.test(line) || /^(?:=+|-+)[ \t]*$/.test(next);
  let text = line;
  // `## Title {#id}`, `Title %{#id}%`, `Title {: .class }`, `## Title {/* #id */}`, `## Title \{#id}`
  if (isHeading)
    text = text.replace(
      /[ \t]{0,9}(?:\\?%?\{[ \t]{0,3}(?:[#.:]|docsify-|\/\*[ \t]*#)[^}\n]{0,200}\}%?[ \t]{0,9})+#{0,6}[ \t]*$|[ \t]{1,9}(?:\[#[\w-]{1,100}\]|:id=[\w-]{1,100})[ \t]*$/,
      '',
    );
  // The name of a block in Obsidian.
  text = text.replace(/(?<=\S)[ \t]{1,9}\^(?=[\d-]*[A-Za-z])[\w-]{4,60}[ \t]*$/, '');
  return outsideSpans(text, (part) => readInlineMarks(part, omissions)).replace(
    // Attributes behind code; in it, its language (rehype-pretty-code).
    /(?<=`)\{:?[ \t]?[.#][^}\n`]{0,200}\}|(?<=[^`\s])\{:[.\w-]{1,30}\}(?=`)/g,
    '',
  );
}

function readInlineMarks(part: string, omissions: Omissions): string {
  let text = part;
  if (/\{(?:--|\+\+|~~|>>|==)/.test(text)) text = readChanges(text, omissions);
  if (text.includes('[['))
    text = text
      .replace(/!\[\[[^\]\n]{0,300}\]\]/g, '')
      .replace(/\[\[(?:[^\][|\n]{1,300})\|([^\][\n]{1,300})\]\]/g, '$1')
      .replace(/\[\[([^\][\n]{1,300})\]\]/g, (_, name: string) => name.replace(/#/g, ' › '));
  if (text.includes('{'))
    text = text
      .replace(/(?<![!\\\]])\[([^\][\n]{1,300})\]\{:?[ \t]?(?:[.#][\w-]|[\w-]{1,40}=)[^{}\n]{0,300}\}/g, '$1')
      // Attributes after a link, an image or an emphasis.
      .replace(/(?<=[)\]*_])\{:?[ \t]?(?:[.#][\w-]|[\w-]{1,40}=)[^{}\n]{0,300}\}/g, '')
      .replace(/\{:[ \t]?(?:[.#][\w-]|[\w-]{1,40}=)[^{}\n]{0,300}\}/g, '');
  if (text.includes('++'))
    text = text.replace(
      /(?<![\w+])\+\+([\w"-]{1,30}(?:\+[\w"-]{1,30}){0,5})\+\+(?![\w+])/g,
      (_, keys: string) => `<kbd>${keysOf(keys)}</kbd>`,
    );
  if (/[\^~]/.test(text)) text = readCarets(text);
  if (text.includes('=='))
    text = text.replace(/(?<![=\w!<>])==(?=[^\s=])([^=\n]{1,300}?)(?<=[^\s=])==(?![=\w])/g, '$1');
  if (text.includes(':'))
    text = text
      .replace(
        /:(?:material|fontawesome|octicons|simple)-([\w-]{1,80}):(?:\{[^}\n]{0,200}\})?/g,
        (_, name: string) => signOf(name) ?? '',
      )
      .replace(EMOJI_NAMES, (names) => names.replace(/:([\w+-]+):/g, (name, key) => emojiOf(key) ?? name));
  return text;
}

/** `:tada:`, alone or in a row; in `urn:key:5` and `10:30:45` nothing is one. */
const EMOJI_NAMES = /(?<![\p{L}\p{N}_:/])(?::[a-z+-][\w+-]{0,50}:){1,20}(?![\p{L}\p{N}_:])/gu;

const emojiOf = (name: string): string | undefined => (Object.hasOwn(EMOJI, name) ? EMOJI[name] : undefined);

/** Changes and remarks of authors (CriticMarkup): what is deleted is struck, remarks are dropped. */
const readChanges = (text: string, omissions: Omissions): string =>
  text
    .replace(/\{>>([^{}\n]{0,500}?)<<\}/g, (_, remark: string) => {
      omissions.add('comment', () => remark);
      return '';
    })
    .replace(/\{--([^{}\n]{1,500}?)--\}/g, '<del>$1</del>')
    .replace(/\{~~([^{}\n~]{1,300})~>([^{}\n]{0,300}?)~~\}/g, '<del>$1</del>$2')
    .replace(/\{(\+\+|==)([^{}\n]{1,500}?)\1\}/g, '$2');

/** `10^6^`, `H~2~O`; a tilde at each end of words strikes them, `^^` marks what was added. */
const readCarets = (text: string): string =>
  text
    .replace(/(?<![\w^])\^\^(?=[^\s^])([^^\n]{1,300}?)(?<=[^\s^])\^\^(?![\w^])/g, '$1')
    .replace(/(?<=[\p{L}\p{N})])\^([^\s^$\\{}]{1,20})\^(?![\p{L}\p{N}^])/gu, '<sup>$1</sup>')
    .replace(/(?<=[\p{L})])~(\d{1,4})~(?!~)/gu, '<sub>$1</sub>')
    .replace(
      /(?<![\p{L}\p{N}~/\\])~(?=[^\s~/\\])([^~\n]{1,200}?)(?<=[^\s~/\\])~(?![\p{L}\p{N}~/\\])/gu,
      '<del>$1</del>',
    );
