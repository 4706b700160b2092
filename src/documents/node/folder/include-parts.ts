import { dirname, join, resolve } from 'node:path';
import { linesOutsideCode } from '../../../language/outside-code.ts';
import { splitFrontMatter } from '../../front-matter.ts';
import { attributesIn } from '../../tag-attributes.ts';
import {
  chosenPart,
  fileAt,
  type Including,
  indented,
  numberedLines,
  type Place,
  partAt,
} from './read-part.ts';
import type { FolderSite } from './scan-folder.ts';
import { isMarkdown } from './sites/site.ts';
import { withTitles } from './sphinx-titles.ts';

interface PartsOptions {
  /** Real path of the file. */
  file: string;
  /** Real paths of the folders whose files may be included. */
  roots: readonly string[];
  site: FolderSite | undefined;
}

/** Characters of all included parts of a document. */
const MAX_INCLUDED = 500_000;

/**
 * Puts into a page of Markdown, AsciiDoc or reStructuredText the parts that it includes from other files of the folder, and into the latter two
 * the values that the configuration of its site names. What is not there stays as it is written, and is named when it is read.
 */
export function withParts(text: string, { file, roots, site }: PartsOptions): string {
  const { attributes = {}, around } = site?.site ?? {};
  const isRst = /\.rst$/i.test(file);
  const isAsciidoc = /\.(?:adoc|asciidoc)$/i.test(file);
  const expand = isRst ? withRstParts : isAsciidoc ? withAsciidocParts : withMarkdownParts;
  const state: Including = {
    roots,
    site,
    left: MAX_INCLUDED,
    attributes: new Map(Object.entries(attributes)),
    expand,
  };
  const page = expand(text, { file, depth: 0, state });
  if (isRst) {
    const titled = withTitles(page, file, site);
    return [around?.before, titled, around?.after, ...substitutions(titled, attributes)]
      .filter(Boolean)
      .join('\n\n');
  }
  return isAsciidoc ? [...usedAttributes(page, attributes), page].join('\n') : page;
}

const ASCIIDOC_INCLUDE = /^[ \t]*include::([^\s[]{1,300})\[([^\]]{0,500})\][ \t]*$/;
const ASCIIDOC_ATTRIBUTE = /^:([\w-]{1,80}):[ \t]+(\S.{0,500})$/;

function withAsciidocParts(text: string, place: Place): string {
  const { attributes } = place.state;
  const out: string[] = [];
  for (const line of text.split('\n')) {
    const [, name, value = ''] = line.length < 600 ? (ASCIIDOC_ATTRIBUTE.exec(line) ?? []) : [];
    if (name !== undefined && !attributes.has(name)) attributes.set(name, value);
    const [, target, optionList = ''] =
      line.length < 1000 ? (ASCIIDOC_INCLUDE.exec(line) ?? []) : [];
    const options = optionsIn(optionList);
    const selection = options.get('lines') ?? options.get('tags');
    const part =
      target &&
      partAt([asciidocPath(target, place)], place, (all) => chosenPart(all, selection).trimEnd());
    const [, sign, by] = /^([+-])(\d)$/.exec(options.get('leveloffset') ?? '') ?? [];
    if (!part) out.push(line);
    else if (by === undefined) out.push(part.text);
    else
      out.push(
        `:leveloffset: ${sign}${by}`,
        '',
        part.text,
        '',
        `:leveloffset: ${sign === '+' ? '-' : '+'}${by}`,
        '',
      );
  }
  return out.join('\n');
}

/** A path from the file, or an id of Antora: `partial$intro.adoc`, `ROOT:example$conf.yaml`. */
function asciidocPath(target: string, { file, state: { attributes } }: Place): string {
  const path = target.replace(
    /\{([\w-]{1,80})\}/g,
    (found, name: string) => attributes.get(name) ?? found,
  );
  const [, module = '', family = '', rest = ''] =
    /^(?:[^$@:]{0,80}@)?(?:[^$:]{0,80}:)??(?:([\w.-]{1,80}):)?(partial|example|page|attachment)\$(.+)$/.exec(
      path,
    ) ?? [];
  if (rest === '') return resolve(dirname(file), path);
  const [, modules = '', own = ''] = /^(.*[/\\]modules)[/\\]([^/\\]+)[/\\]/.exec(file) ?? [];
  return join(modules, module === '' ? own : module, `${family}s`, rest);
}

const optionsIn = (optionList: string): ReadonlyMap<string, string> =>
  new Map(
    [...optionList.matchAll(/([\w-]{1,40})=(?:"([^"]{0,300})"|([^,"]{0,300}))/g)].map(
      ([, name = '', quoted, plain]) => [
        name === 'tag' ? 'tags' : name,
        (quoted ?? plain ?? '').trim(),
      ],
    ),
  );

/** Attributes of the configuration that a text uses, and those that their values use. */
function usedAttributes(text: string, attributes: Readonly<Record<string, string>>): string[] {
  const names = new Set<string>();
  const add = (part: string): void => {
    for (const [, name = ''] of part.matchAll(/\{([\w-]{1,80})\}/g)) {
      const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
      if (value === undefined || names.has(name)) continue;
      add(value);
      names.add(name);
    }
  };
  add(text);
  for (const [, list = ''] of text.matchAll(/^ifn?def::([\w,+-]{1,300})\[/gm))
    for (const name of list.split(/[,+]/)) if (Object.hasOwn(attributes, name)) names.add(name);
  if (Object.hasOwn(attributes, 'experimental') && /(?:kbd|btn|menu):/.test(text))
    names.add('experimental');
  return [...names].map((name) => `:${name}: ${attributes[name]}`.trimEnd());
}

const DIRECTIVE = /^([ \t]*)\.\.[ \t]+(include|literalinclude|csv-table)::[ \t]*(.{0,300}?)[ \t]*$/;
const OPTION = /^[ \t]+:([\w-]{1,40}):[ \t]*(.{0,300})$/;

function withRstParts(text: string, place: Place): string {
  const lines = text.split('\n');
  const out: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const [, indent = '', name, path = ''] = line.length < 500 ? (DIRECTIVE.exec(line) ?? []) : [];
    const options = new Map<string, string>();
    let next = at + 1;
    for (
      let option = name && OPTION.exec(lines[next] ?? '');
      option;
      option = OPTION.exec(lines[next] ?? '')
    ) {
      options.set(option[1] ?? '', option[2] ?? '');
      next += 1;
    }
    const part = name === undefined ? undefined : rstPart(path, options, { name, place });
    out.push(...(part === undefined ? [line] : [indented(part, indent), '']));
    if (part !== undefined) at = next - 1;
  }
  return out.join('\n');
}

/** A part of a page, code, or a table. */
function rstPart(
  path: string,
  options: ReadonlyMap<string, string>,
  { name, place }: { name: string; place: Place },
): string | undefined {
  if (options.has('pyobject') || options.has('diff')) return undefined;
  const { site, roots } = place.state;
  const root = site?.root ?? roots[0] ?? '';
  const target = name === 'csv-table' ? options.get('file') : path;
  if (!target) return undefined;
  const paths = [
    target.startsWith('/') ? join(root, target) : resolve(dirname(place.file), target),
  ];
  if (name === 'csv-table') return tableOf(path, options, fileAt(paths, place)?.text);
  const isCode = name === 'literalinclude' || options.has('code') || options.has('literal');
  if (!isCode) return partAt(paths, place, (all) => rstLines(all, options))?.text;
  const part = fileAt(paths, place);
  if (part === undefined) return undefined;
  const language = options.get('language') ?? options.get('code') ?? '';
  const caption = options.get('caption');
  const captions = caption === undefined ? [] : [`   :caption: ${caption === '' ? path : caption}`];
  return [
    `.. code-block:: ${language}`.trimEnd(),
    ...captions,
    '',
    indented(rstLines(part.text, options), '   '),
  ].join('\n');
}

function tableOf(
  title: string,
  options: ReadonlyMap<string, string>,
  rows: string | undefined,
): string | undefined {
  if (rows === undefined) return undefined;
  const others = [...options]
    .filter(([name]) => name !== 'file')
    .map(([name, value]) => `   :${name}: ${value}`);
  return [`.. csv-table:: ${title}`, ...others, '', indented(rows.trimEnd(), '   ')].join('\n');
}

function rstLines(text: string, options: ReadonlyMap<string, string>): string {
  let lines = text.split('\n');
  const numbers = options.get('lines');
  if (numbers !== undefined) lines = numberedLines(lines, numbers);
  const [first, last] = [options.get('start-line'), options.get('end-line')];
  lines = lines.slice(
    Number(first ?? 0) || 0,
    last === undefined ? undefined : Number(last) || undefined,
  );
  let part = lines.join('\n');
  const [after, before] = [options.get('start-after'), options.get('end-before')];
  if (after)
    part = part.includes(after)
      ? part.slice(part.indexOf(after) + after.length).replace(/^[^\n]*\n/, '')
      : '';
  if (before && part.includes(before)) {
    const end = part.indexOf(before);
    part = part.slice(0, part.lastIndexOf('\n', end) + 1);
  }
  return part.trimEnd();
}

/** Definitions of what Sphinx puts in for `|version|`, where the text uses and does not define it. */
const substitutions = (text: string, attributes: Readonly<Record<string, string>>): string[] =>
  Object.entries(attributes)
    .filter(([name]) => text.includes(`|${name}|`) && !text.includes(`.. |${name}|`))
    .map(([name, value]) => `.. |${name}| replace:: ${value}`);

const IMPORT = /^import\s+(\w+)\s+from\s+['"]([^'"\n]{1,300}\.mdx?)['"];?[ \t]*$/;
/** mdBook puts files in wherever it is written, in code too. */
const BOOK_INCLUDE =
  /(\\?)\{\{#(include|rustdoc_include|playground|playpen|title)[ \t]+([^}\s]{1,300})(?:[ \t][^}\n]{0,200})?\}\}/g;
/** The part of a file after a colon: `2:5`, or its name. */
const PART = String.raw`(?::(?<part>[\w-]*(?::\d*)?))?`;
/** Lines that put a file in: of PyMdown, markdown-include, Hugo, VitePress (text, then code), and the tags of Jekyll and others. */
const INCLUDES = [
  new RegExp(String.raw`^-{1,2}8<-{1,2}[ \t]+["'](?<path>[^"'\n]{1,300}?)${PART}["']$`),
  new RegExp(String.raw`^\{!-?[ \t]*(?<path>[^\s!{}][^!{}\n]{0,300}?)${PART}[ \t]*!\}$`),
  /^\{\{[<%][ \t]*(?:include|readfile|include-file|embed|snippet|import)[ \t]+(?:file[ \t]*=[ \t]*)?["'](?<path>[^"'\n]{1,300})["'][^>%]{0,200}[%>]\}\}$/,
  /^<!--[ \t]*@include:[ \t]*(?<path>[^\s#{]{1,300})(?:#(?<part>[\w-]{1,80}))?(?:\{(?<lines>\d*,?\d*)\})?[ \t]*-->$/,
  /^<<<[ \t]*(?<path>[^\s#{[]{1,300})(?:#(?<part>[\w-]{1,80}))?[ \t]*(?:\{(?<code>[^}\n]{0,80})\})?/,
  /^\{%-?[ \t]*(?:include|include_relative|include-markdown|includes)[ \t]+(?:file=)?["']?(?<path>[\w./-]{1,300}\.\w{1,8})["']?(?<values>[^%]{0,1000})%\}$/,
];
/** What Docsify puts in, by the ending of the file. */
const LINK_INCLUDE =
  /^\[[^\]\n]{0,200}\]\(([^()\s]{1,300})[ \t]+["']:include([^"'\n]{0,200})["']\)$/;

function withMarkdownParts(text: string, place: Place): string {
  if (!/^import\s|8<|@include|\{%-?\s*include|\{\{[<%#]|\{!|<<<|:include/m.test(text)) return text;
  const parts = new Map<string, string>();
  const expanded = text.replace(
    BOOK_INCLUDE,
    (found, backslash: string, name: string, target: string) => {
      if (backslash !== '') return found.slice(1);
      if (name === 'title') return '';
      const [, path = '', selection] = /^([^:]+):?(.*)$/.exec(target) ?? [];
      if (name.startsWith('play')) return codeAt(path, { language: 'rust', place }) ?? found;
      return textAt(path, place, selection) ?? found;
    },
  );
  return linesOutsideCode(expanded, (line) => {
    const [, name, source] = IMPORT.exec(line) ?? [];
    if (name !== undefined && source !== undefined) {
      // A string of JavaScript may escape any character.
      const part = textAt(source.replace(/\\(.)/g, '$1'), place);
      if (part === undefined) return line;
      parts.set(name, part);
      return '';
    }
    if (parts.size > 0 && line.includes('<')) return withComponents(line, parts);
    const part = included(line, place);
    return part === undefined ? line : indented(part, /^[ \t]*/.exec(line)?.[0] ?? '');
  });
}

/** The part that a line includes; undefined when it includes none, or one that cannot be read. */
function included(line: string, place: Place): string | undefined {
  const written = line.trim();
  const [, file, options = ''] = LINK_INCLUDE.exec(written) ?? [];
  if (file !== undefined) return linked(file, options, place);
  const match = INCLUDES.map((pattern) => pattern.exec(written)).find((each) => each !== null);
  const { path = '', part, lines, code, values = '' } = match?.groups ?? {};
  // What only carries a text is read as a note.
  if (path === '' || /\b(?:content|text)\s*=/.test(values)) return undefined;
  const selection = part ?? lines?.replace(',', ':');
  if (written.startsWith('<<<'))
    return codeAt(path, { language: /[a-z]\w*/.exec(code ?? '')?.[0], selection, place });
  const valueByKey = attributesIn(values, { hasReferences: false }).named;
  return textAt(path, place, selection)?.replace(
    /\{\{-?\s*include\.([\w-]+)\s*(?:\|[^}]{0,200})?-?\}\}/g,
    (expression, key: string) => (values === '' ? expression : (valueByKey.get(key) ?? '')),
  );
}

function linked(file: string, options: string, place: Place): string | undefined {
  const [, selection] = /:fragment=([\w.-]+)/.exec(options) ?? [];
  const [, type, language] = /:type=(\w+)(?:[ \t]+(\w+))?/.exec(options) ?? [];
  if (type !== 'code' && isMarkdown(file)) return textAt(file, place);
  return type !== 'code' && /\.html?$/i.test(file)
    ? undefined
    : codeAt(file, { language, selection, place });
}

function withComponents(line: string, parts: ReadonlyMap<string, string>): string {
  return line.replace(
    /^([ \t]*)(.*?)<([A-Z]\w*)((?:\s+[\w-]+(?:=(?:"[^"]*"|'[^']*'|\{[^{}]*\}))?){0,20})\s*(?:\/>|>\s*<\/\3>)/g,
    (found, space: string, before: string, name: string, attributes: string) => {
      const part = parts.get(name);
      if (part === undefined) return found;
      const props = attributesIn(attributes, { hasReferences: false }).named;
      const filled = part.replace(
        /\{\s*props\.(\w+)\s*\}/g,
        (code, key: string) => props.get(key) ?? code,
      );
      return `${space}${before}\n${indented(filled, space)}\n${space}`;
    },
  );
}

/** A part without its front matter, with the parts that it includes itself; `selection`: `2:5` or the name of a part. */
const textAt = (source: string, place: Place, selection = ''): string | undefined =>
  partAt(candidates(source, place), place, (text, file) =>
    selection === '' && isMarkdown(file)
      ? splitFrontMatter(text).body.trim()
      : chosenPart(text, selection).trimEnd(),
  )?.text;

/** A file as fenced code, in the language of its ending. */
function codeAt(
  source: string,
  {
    language,
    selection,
    place,
  }: { language?: string | undefined; selection?: string | undefined; place: Place },
): string | undefined {
  const part = fileAt(candidates(source, place), place);
  if (part === undefined) return undefined;
  const fence = '`'.repeat(
    Math.max(3, ...[...part.text.matchAll(/`{3,}/g)].map(([marks]) => marks.length + 1)),
  );
  const ending = /\w+$/.exec(part.file)?.[0] ?? '';
  return `${fence}${language ?? ending}\n${chosenPart(part.text, selection).trimEnd()}\n${fence}`;
}

/** Files with a name and an ending, and no hidden ones. */
const TEXT = /(?:^|[/\\])[^./\\][^/\\]*\.\w{1,12}$/;

function candidates(source: string, { file, state: { site } }: Place): string[] {
  if (!TEXT.test(source)) return [];
  const plain = source.replace(/^@site\/|^@\//, '/');
  const folders = (site?.site.includes ?? []).map((folder) => join(site?.root ?? '', folder));
  if (plain.startsWith('/'))
    return site === undefined
      ? []
      : [join(site.root, plain), ...folders.map((folder) => join(folder, plain))];
  return [resolve(dirname(file), plain), ...folders.map((folder) => join(folder, plain))];
}
