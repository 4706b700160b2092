import createMarkdownIt, { type MarkdownIt, type Token } from 'markdown-it';
import deflist from 'markdown-it-deflist';
import footnote from 'markdown-it-footnote';
import { boundMarks, type Weights } from './bound-marks.ts';
import { escapeHtml, labelHtml, TAGS } from './jsx.ts';
import { readDialects } from './markdown-dialects.ts';
import { hasModule } from './mdx-module.ts';
import { noteLine, titleOf } from './note-lines.ts';
import { isNoteName } from './notes.ts';
import { collectOmissions, drawnDiagrams, type Omissions } from './omissions.ts';
import { parseHtml } from './parse-html.ts';
import {
  ACTIVE_DROPPED,
  convert,
  type DocumentText,
  openingHeading,
  plainText,
  titleIn,
} from './read-html.ts';

interface MarkdownOptions {
  /** Whether it is MDX by its ending; otherwise its statements tell. */
  isMdx?: boolean | undefined;
  /** Whether it has neither HTML nor marks of a dialect: what looks like them is text. */
  isPlain?: boolean | undefined;
  /** Address against which relative links are resolved. */
  base?: string | undefined;
  language?: string | undefined;
}

/** Reads Markdown of any dialect, without front matter. */
export function readMarkdown(
  markdown: string,
  { isMdx: isNamedMdx = false, isPlain = false, base, language }: MarkdownOptions = {},
): DocumentText {
  const kind = isPlain ? 'plain' : isNamedMdx || hasModule(markdown) ? 'mdx' : 'markdown';
  const omissions = collectOmissions();
  // Twice: what a dialect makes of a text may be longer.
  const source = boundMarks(markdown, WEIGHTS);
  const { text: whole, warnings } = isPlain
    ? { text: source.text, warnings: [] }
    : readDialects(source.text, { isMdx: kind === 'mdx', omissions });
  const { text, rest, warnings: cut } = boundMarks(whole, WEIGHTS);
  warnings.push(...(source.warnings.length > 0 ? source.warnings : cut));
  const hasManyNotes = (text.match(/\[\^/g)?.length ?? 0) > MAX_NOTE_MARKS;
  if (hasManyNotes) warnings.push(`Read footnotes as text: there are more than ${MAX_NOTE_MARKS}`);
  const parser = parserFor(kind, !hasManyNotes);
  const environment: Environment = {
    closed: closedNames(text),
    diagrams: 0,
    omissions,
    hasCodeGroups: /<(?:CodeGroup|CodeBlocks)\b/.test(markdown),
  };
  const tokens = parser.parse(text, environment);
  if (!isPlain) readFences(tokens, environment);
  warnings.push(...drawnDiagrams(environment.diagrams));
  if (ACTIVE.test(text) && hasActive(tokens)) warnings.push(ACTIVE_DROPPED);
  if (!boundAddresses(tokens, { left: Math.max(text.length, LEAST_REPEATED) }))
    warnings.push(ADDRESSES_DROPPED);
  const texts: string[] = [];
  let title: string | undefined;
  let opening: string | undefined;
  for (const part of partsOf(tokens)) {
    const html = parser.renderer.render(part, parser.options, environment);
    const root = parseHtml(html, { isFragment: true });
    if (root === undefined) {
      texts.push(plainText(html));
      continue;
    }
    const converted = convert(root, { base, language, omissions });
    title ??= titleIn(converted.tree);
    if (texts.length === 0) opening = openingHeading(converted.tree);
    if (converted.text !== '') texts.push(converted.text);
  }
  for (const plain of [rest, source.rest]) if (plain !== '') texts.push(plain);
  return { text: texts.join('\n\n'), title: title ?? opening, warnings, omitted: omissions.list() };
}

const WEIGHTS: Weights = {
  max: 22_000,
  inline: /[`*_~[\]<{!&:\\|]/g,
  heavy: [
    { line: /^\s{0,3}(?:>|:{3})/, weight: 4 },
    { line: /^\s{0,3}(?:!{1,4}|={3}|\?{3})\s/, weight: 6 },
    { line: /^\s{0,3}#/, weight: 1.5 },
  ],
};

interface Environment extends Record<PropertyKey, unknown> {
  /** Names of tags that are closed somewhere in the document. */
  closed: ReadonlySet<string>;
  diagrams: number;
  omissions: Omissions;
  /** Whether blocks of code stand in groups, each under a label. */
  hasCodeGroups: boolean;
}

type Kind = 'plain' | 'markdown' | 'mdx';

/** The library takes quadratic time in the number of footnotes. */
const MAX_NOTE_MARKS = 1000;

const parsers = new Map<string, MarkdownIt>();

function parserFor(kind: Kind, hasNotes = true): MarkdownIt {
  const name = `${kind} ${hasNotes}`;
  const parser = parsers.get(name) ?? createParser(kind, hasNotes);
  parsers.set(name, parser);
  return parser;
}

const MAX_NESTING = 40;

function createParser(kind: Kind, hasNotes: boolean): MarkdownIt {
  const parser = createMarkdownIt({
    html: kind !== 'plain',
    linkify: false,
    maxNesting: MAX_NESTING,
  });
  // Addresses are judged where links are written.
  parser.validateLink = () => true;
  // In MDX, indentation makes no code, and what stands in elements is Markdown.
  if (kind === 'mdx') parser.disable(['code', 'html_block']);
  if (kind !== 'plain') {
    if (hasNotes) parser.use(footnote);
    parser.use(deflist);
    keepPlaceholders(parser);
  }
  if (kind === 'mdx') allowIndents(parser);
  return parser;
}

/** In MDX any block may be indented, as its components are. */
function allowIndents(parser: MarkdownIt): void {
  for (const name of ['table', 'fence', 'blockquote', 'hr', 'list', 'html_block', 'heading']) {
    const rule = ruleOf(parser.block.ruler, name);
    parser.block.ruler.at(
      name,
      (state, startLine, endLine, silent) => {
        const { blkIndent } = state;
        const indent = state.sCount[startLine] ?? 0;
        if (indent - blkIndent < 4) return rule(state, startLine, endLine, silent);
        state.blkIndent = indent;
        const isRead = rule(state, startLine, endLine, silent);
        state.blkIndent = blkIndent;
        return isRead;
      },
      { alt: ALTERNATIVES[name] ?? [] },
    );
  }
}

/** The chains of rules that a rule of the library also belongs to. */
const ALTERNATIVES: Readonly<Record<string, string[]>> = {
  table: ['paragraph', 'reference'],
  fence: ['paragraph', 'reference', 'blockquote', 'list'],
  blockquote: ['paragraph', 'reference', 'blockquote', 'list'],
  hr: ['paragraph', 'reference', 'blockquote', 'list'],
  list: ['paragraph', 'reference', 'blockquote'],
  html_block: ['paragraph', 'reference', 'blockquote'],
  heading: ['paragraph', 'reference', 'blockquote'],
};

/** `<username>` is a placeholder: a tag whose name HTML does not have, or one of a plain word, that is never closed. It stays text. */
function keepPlaceholders(parser: MarkdownIt): void {
  const blockRule = ruleOf(parser.block.ruler, 'html_block');
  parser.block.ruler.at(
    'html_block',
    (state, startLine, endLine, silent) => {
      const line = state.src.slice(
        (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0),
        state.eMarks[startLine] ?? 0,
      );
      return (
        !isPlaceholder(line, environmentOf(state)) && blockRule(state, startLine, endLine, silent)
      );
    },
    { alt: ['paragraph', 'reference', 'blockquote'] },
  );
  const inlineRule = ruleOf(parser.inline.ruler, 'html_inline');
  parser.inline.ruler.at('html_inline', (state, silent) => {
    if (isPlaceholder(state.src.slice(state.pos, state.pos + MAX_TAG), environmentOf(state)))
      return false;
    return inlineRule(state, silent);
  });
}

/** What `parse` was given is what its rules see. */
const environmentOf = ({ env }: { env: object }): Environment => env as Environment;

/** The library has no public way to wrap a rule of its own. */
function ruleOf<Rule>(ruler: { __rules__: { name: string; fn: Rule }[] }, name: string): Rule {
  const rule = ruler.__rules__.find((each) => each.name === name);
  if (rule === undefined) throw new Error(`markdown-it has no rule ${name}`);
  return rule.fn;
}

/** Characters of a tag. */
const MAX_TAG = 3100;

function isPlaceholder(text: string, { closed }: Environment): boolean {
  const [, slash = '', name = '', rest = ''] =
    /^<(\/?)([A-Za-z][\w.:-]{0,80})([^<>]{0,3000}>?)/.exec(text) ?? [];
  if (name === '' || /^(?:https?|mailto|ftp):/i.test(name)) return false;
  const lower = name.toLowerCase();
  if (slash !== '') return !TAGS.has(lower) && !closed.has(name);
  if (closed.has(name) || closed.has(lower) || /\/>$/.test(rest)) return false;
  if (!TAGS.has(lower) || RAW.has(lower)) return true;
  // `<Title>` and `<N>` are no tags of authors who write HTML; `<time>` without attributes says nothing in it.
  return rest.trim() === '>' && (WORDS.has(lower) || /^[A-Z]/.test(name));
}

/** Elements that would swallow the rest of the document. */
const RAW: ReadonlySet<string> = new Set([
  'script',
  'style',
  'iframe',
  'noscript',
  'xmp',
  'title',
  'textarea',
  'svg',
  'math',
  'template',
]);
/** Names of elements that are plain words too. */
const WORDS: ReadonlySet<string> = new Set(
  `address article audio base body canvas command content data dialog dir embed form frame head header footer image input label
  legend link main map mark menu meta meter object option output param picture progress section select slot source summary
  template text time title track var video`.split(/\s+/),
);

const closedNames = (text: string): ReadonlySet<string> => {
  const names = new Set<string>();
  for (const [, name = ''] of text.matchAll(/<\/([A-Za-z][\w.:-]{0,80})/g)) names.add(name);
  return names;
};

const DIAGRAM =
  /^(?:mermaid|plantuml|puml|dot|graphviz|d2|ditaa|kroki-\w+|drawio|chart|geojson|topojson|stl|abc|vega(?:-lite)?)$/i;
const ACTIVE =
  /<(?:script|style|iframe|frame|object|embed|applet|noscript|template|svg|math)[\s/>]/i;

const hasActive = (tokens: readonly Token[]): boolean =>
  tokens.some(
    ({ type, content, children }) =>
      (/^html_/.test(type) && ACTIVE.test(content)) || (children !== null && hasActive(children)),
  );

/** A definition may repeat a long address at each of many links: all of them together are no longer than the text. */
const LEAST_REPEATED = 100_000;
const ADDRESSES_DROPPED = 'Left out addresses of links: repeated, they are longer than the text';

/** Empties the addresses for which there is no room; false when there is none for some. */
const boundAddresses = (tokens: readonly Token[], room: { left: number }): boolean => {
  let fits = true;
  for (const token of tokens) {
    for (const name of token.attrs === null ? [] : ['href', 'src', 'title']) {
      const value = String(token.attrGet(name) ?? '');
      room.left -= value.length;
      if (value === '' || room.left >= 0) continue;
      token.attrSet(name, '');
      fits = false;
    }
    if (token.children !== null && !boundAddresses(token.children, room)) fits = false;
  }
  return fits;
};

/** Fences with a label show it; diagrams are left out; the directives of MyST are what they stand for. */
function readFences(tokens: Token[], environment: Environment): void {
  for (const token of tokens) {
    if (token.type !== 'fence') continue;
    const info = token.info.trim();
    token.content = withoutHidden(withoutHighlights(token.content), info);
    const [, engine, settings = ''] = CHUNK.exec(info) ?? [];
    const [, inBraces, kind = '', rest = ''] =
      /^(?:\{([\w:-]{1,60})\}|admonish\b\s*([\w-]*)(?!=))\s*(.*)$/.exec(info) ?? [];
    const directive = inBraces ?? (/^admonish\b/.test(info) ? kind || 'note' : '');
    if (engine !== undefined) readChunk(token, engine, settings);
    else if (directive !== '') readDirective(token, directive.toLowerCase(), rest);
    else if (DIAGRAM.test(info.split(/[\s{]/)[0] ?? '')) {
      environment.diagrams += 1;
      const { content } = token;
      environment.omissions.add('diagram', () => content);
      become(token, '');
    } else {
      const label =
        /\b(?:title|filename|file|name|label)=(?:"([^"]{1,200})"|'([^']{1,200})')/
          .exec(info)
          ?.slice(1)
          .find(Boolean) ??
        /\[([^\]]{1,200})\]/.exec(info)?.[1] ??
        (environment.hasCodeGroups ? groupLabel(info) : undefined);
      const [language = ''] = /^[\w+#.-]{1,100}(?![\w+#.=-])/.exec(info) ?? [];
      token.info = language;
      if (label !== undefined)
        become(token, `${labelHtml(label, ':')}\n${codeOf(token, language)}`);
    }
  }
}

/** Marks in code by which generators highlight lines. */
const withoutHighlights = (code: string): string =>
  /highlight-|\[!code /.test(code)
    ? code
        .replace(
          /^[ \t]*(?:\/\/|#|--|;|%|\/\*|<!--|\{\/\*)[ \t]*highlight-(?:next-line|start|end)[ \t]*(?:\*\/\}?|-->)?[ \t]*\n/gm,
          '',
        )
        .replace(
          /[ \t]*(?:\/\/|#|--|\/\*|<!--)[ \t]*\[!code [^\]\n]{1,60}\][ \t]*(?:\*\/|-->)?/g,
          '',
        )
    : code;

/** Lines of Rust that only make an example whole, as rustdoc and mdBook hide them; `##` is `#`. */
const withoutHidden = (code: string, info: string): string =>
  /^rust\b/.test(info)
    ? code.replace(/^[ \t]*#(?:[ \t].*)?(?:\n|$)/gm, '').replace(/^([ \t]*)##/gm, '$1#')
    : code;

/** Code that runs where the page is made, as R Markdown and Quarto write it: `{python}`, `{r setup, echo=FALSE}`. */
const CHUNK =
  /^\{\{?(r|python|julia|bash|sh|sql|js|ojs|stan|perl|ruby|rcpp|cpp|fortran|sas|go|rust)(?:[ ,]([^}]{0,300}))?\}\}?/i;

function readChunk(token: Token, engine: string, settings: string): void {
  const options = (/^(?:[#/-]{1,2}\|.*\n)+/.exec(token.content)?.[0] ?? '') + settings;
  token.info = engine.toLowerCase();
  if (/\b(?:include|echo)\s*[=:]\s*(?:false|f)\b/i.test(options)) become(token, '');
  else token.content = token.content.replace(/^(?:[#/-]{1,2}\|.*\n)+/, '');
}

/** What follows the language of code in a group is its label (`bash npm`), without settings. */
const groupLabel = (info: string): string | undefined =>
  info
    .replace(/^\S+/, '')
    .replace(
      /\{[^}]*\}|[\w-]+=\S+|\b(?:expandable|lines|wrap|copy|npm2yarn|showLineNumbers|live|twoslash)\b/g,
      '',
    )
    .trim() || undefined;

const codeOf = ({ content }: Token, language: string): string =>
  `<pre><code${language === '' ? '' : ` class="language-${escapeHtml(language)}"`}>${escapeHtml(content)}</code></pre>\n`;

function become(token: Token, html: string): void {
  token.type = 'html_block';
  token.content = html;
}

const UNSEEN =
  /^(?:toctree|contents|include|index|tableofcontents|meta|bibliography|figure|image|eval-rst|autoclass|automodule|autofunction|mermaid|graphviz)$/;
const CODE = /^(?:code|code-block|code-cell|sourcecode|literalinclude|parsed-literal|prompt)$/;

function readDirective(token: Token, name: string, rest: string): void {
  const body = token.content.replace(/^(?::[\w-]+:.*\n)+\n?|^---\n[\s\S]{0,2000}?\n---\n/, '');
  if (UNSEEN.test(name)) become(token, name === 'figure' ? `<p>${escapeHtml(body)}</p>` : '');
  else if (CODE.test(name))
    become(token, codeOf({ content: body } as Token, rest.split(/\s/)[0] ?? ''));
  else if (name === 'math') become(token, codeOf({ content: body } as Token, 'math'));
  else {
    const isTab = /^(?:tab|tab-item|tabitem)$/.test(name);
    const inner = parserFor('markdown').render(body, { closed: closedNames(body), diagrams: 0 });
    const label = isTab && rest !== '' ? labelHtml(rest, ':') : '';
    const isNote = isNoteName(name);
    become(token, isNote ? `${noteLine(name, titleOf(rest))}${inner}</div>\n` : `${label}${inner}`);
  }
}

/** A part has at most so many tags, unless one block alone has more. */
const MAX_PART_TAGS = 4000;

/** Blocks of the document in parts that are small enough for the parser of HTML. What HTML encloses stays together. */
function* partsOf(tokens: Token[]): Generator<Token[]> {
  let part: Token[] = [];
  let tags = 0;
  let openHtml = 0;
  for (const token of tokens) {
    part.push(token);
    tags += token.nesting === 1 ? 1 : 0;
    for (const child of token.children ?? [])
      tags += child.nesting === 1 || child.type === 'image' ? 1 : 0;
    const html = tags < 2 * MAX_PART_TAGS ? htmlIn(token) : '';
    if (html !== '') {
      openHtml +=
        html.match(/<(?:div|details|table|section|article|center|ul|ol|dl|blockquote)\b/gi)
          ?.length ?? 0;
      openHtml -=
        html.match(/<\/(?:div|details|table|section|article|center|ul|ol|dl|blockquote)\b/gi)
          ?.length ?? 0;
      tags += html.match(/<[a-z]/gi)?.length ?? 0;
    }
    if (
      token.level === 0 &&
      token.nesting !== 1 &&
      tags > MAX_PART_TAGS &&
      (openHtml <= 0 || tags > 2 * MAX_PART_TAGS)
    ) {
      yield part;
      part = [];
      tags = 0;
      openHtml = 0;
    }
  }
  if (part.length > 0) yield part;
}

/** The HTML of a block, in MDX also that within a line. */
const htmlIn = ({ type, content, children }: Token): string =>
  type === 'html_block'
    ? content
    : (children ?? [])
        .filter((child) => child.type === 'html_inline')
        .map((child) => child.content)
        .join('');
