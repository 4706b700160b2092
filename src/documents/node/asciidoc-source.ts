/** A text that is ready for the library, and what was taken out of it. */
export interface AsciidocSource {
  text: string;
  /** Values for what the text uses and does not define. */
  attributes: Record<string, string>;
  unknown: number;
  included: Set<string>;
  generated: Set<string>;
}

/** Stands for an address that only the generator knows: links to it become their words. */
export const UNKNOWN_ADDRESS = 'https://unknown.invalid';

const FENCE = /^(-{4,}|\.{4,}|`{3,}|\+{4,}|\/{4,})(?:[\w+#-]{0,40})$/;
const INCLUDE = /^\s*include::([^\s[]{1,300})\[[^\]]{0,500}\]\s*$/;
const BLOCK_MACRO = /^([a-z][\w-]{0,40})::([^\s[]{0,300})\[(.{0,2000})\]\s*$/;
const KNOWN_BLOCKS = new Set([
  'image',
  'video',
  'audio',
  'toc',
  'ifdef',
  'ifndef',
  'ifeval',
  'endif',
]);
/** Macros of extensions; those that the library knows may hold one. */
const INLINE_MACRO =
  /(?<![\w:/.`"'\\-])(?!(?:link|xref|image|icon|kbd|btn|menu|footnote|footnoteref|pass|stem|latexmath|asciimath|anchor|indexterm|indexterm2|mailto|http|https|ftp|irc|file|include|ifdef|ifndef|ifeval|endif):)([a-z][\w-]{1,40}):([A-Za-z_#@$.{][^\s[\]`]{0,300})\[((?:[^\]\\\n]|\\.){0,500})\]/g;

/**
 * Takes out what includes other files, and what only extensions of the library understand: the text of such a macro stays, or the last
 * name of what it refers to.
 */
export function prepareAsciidoc(text: string): AsciidocSource {
  const source: AsciidocSource = {
    text: '',
    attributes: {},
    unknown: 0,
    included: new Set(),
    generated: new Set(),
  };
  const out: string[] = [];
  let fence: string | undefined;
  let paragraph = 0;
  for (const line of text.replace(/\r\n?/g, '\n').split('\n').flatMap(shortLines)) {
    paragraph = line === '' ? 0 : paragraph + line.length + 1;
    if (fence === undefined && paragraph > MAX_PARAGRAPH) {
      out.push('');
      paragraph = line.length;
    }
    const include = INCLUDE.exec(line);
    if (include !== null) {
      source.included.add(include[1] ?? '');
      continue;
    }
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark === fence) fence = undefined;
      out.push(line);
      continue;
    }
    if (mark !== undefined) fence = mark;
    const [, name = '', target = ''] = BLOCK_MACRO.exec(line) ?? [];
    if (name !== '' && !KNOWN_BLOCKS.has(name)) {
      (name.startsWith('include') ? source.included : source.generated).add(target || name);
      continue;
    }
    out.push(readMacros(line));
  }
  source.text = out.join('\n');
  defineUnknown(source);
  return source;
}

/** The library takes quadratic time in the length of a paragraph: longer ones become several. */
const MAX_PARAGRAPH = 4000;

function shortLines(line: string): string[] {
  if (line.length <= MAX_PARAGRAPH) return [line];
  const lines: string[] = [];
  for (let from = 0; from < line.length; ) {
    const space = line.lastIndexOf(' ', from + MAX_PARAGRAPH);
    const end =
      line.length - from <= MAX_PARAGRAPH
        ? line.length
        : space > from
          ? space
          : from + MAX_PARAGRAPH;
    lines.push(line.slice(from, end).trim());
    from = end;
  }
  return lines;
}

function readMacros(line: string): string {
  if (!line.includes(':') || !line.includes('[')) return line;
  return line.replace(INLINE_MACRO, (_, _name: string, target: string, text: string) => {
    const label = text
      .replace(/^[\w-]+=[^,]*(?:,\s*[\w-]+=[^,]*)*$/, '')
      .replace(/,\s*[\w-]+=[^,]*/g, '')
      .trim();
    if (label !== '') return label;
    const last = target
      .replace(/^.*[!/]/, '')
      .split('#')
      .map((part) =>
        /^[\w.]+\.[A-Z][\w$]*$/.test(part) ? (part.split('.').at(-1) ?? part) : part,
      );
    return `\`+${last.join('.').replace(/\[\]$/, '')}+\``;
  });
}

/** Names that the library knows without a definition. */
const BUILT_IN =
  /^(?:blank|empty|sp|nbsp|zwsp|wj|apos|quot|lsquo|rsquo|ldquo|rdquo|deg|plus|brvbar|vbar|amp|lt|gt|startsb|endsb|caret|asterisk|tilde|backslash|backtick|two-colons|two-semicolons|cpp|cxx|pp|asciidoctor(?:-version)?|author\w*|email|firstname|lastname|middlename|revnumber|revdate|revremark|doctitle|docname|docdate|doctime|docdatetime|localdate|localtime|localyear|localdatetime|docyear|backend\S*|basebackend\S*|doctype\S*|safe-mode\S*|imagesdir|iconsdir|idprefix|idseparator|counter\S*|set|sectnum|toc\S*|title|lang|note-caption|tip-caption|warning-caption|caution-caption|important-caption|experimental|showtitle|outfilesuffix|filetype|embedded|attribute-missing|appendix-caption|chapter-signifier|part-signifier|section-refsig|figure-caption|table-caption|example-caption|max-\S+|prewrap|source-highlighter)$/;
const REFERENCE = /(?<![\\$#{\w])\{([a-zA-Z][\w-]{0,80})\}(\/|\[|:)?/g;
const GENERATOR_VALUE =
  /[-_]|^(?:version|release|product|project|productname|company|branch|edition|docs?|url|uri|site|repo|releases?|latest|current|tag|java|api)$/;

/** Gives what the text does not define a value: an address where it begins one, else `…`. A single word in braces may be meant so. */
function defineUnknown(source: AsciidocSource): void {
  const { text } = source;
  const defined = new Set<string>();
  for (const [, name = ''] of text.matchAll(/^:!?([\w-]{1,80})!?:/gm))
    defined.add(name.toLowerCase());
  for (const [, name = ''] of text.matchAll(/\{(?:set|counter2?):([\w-]{1,80})/g))
    defined.add(name.toLowerCase());
  let values = 0;
  for (const [, given = '', after = ''] of text.matchAll(REFERENCE)) {
    const name = given.toLowerCase();
    if (defined.has(name) || BUILT_IN.test(name)) continue;
    if (
      /^(?:url|uri|link|href|baseurl|repo|docs?)(?:$|[-_])|[-_](?:url|uri|link|docs?|javadoc|repo)$|[-_](?:url|uri)[-_]/.test(
        name,
      ) &&
      after !== ':'
    )
      source.attributes[name] = UNKNOWN_ADDRESS;
    else if (GENERATOR_VALUE.test(name)) {
      source.attributes[name] ??= '…';
      if (source.attributes[name] === '…') values += 1;
    }
    if (values > MAX_ATTRIBUTES || Object.keys(source.attributes).length > MAX_ATTRIBUTES) break;
  }
  source.unknown = values;
}

const MAX_ATTRIBUTES = 500;
