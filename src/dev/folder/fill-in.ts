import { dirname, join, relative, resolve, sep } from 'node:path';
import { splitFrontMatter } from '../../knowledge/articles/front-matter.ts';
import { runsOutsideCode } from '../../text/outside-code.ts';
import { withShortcodes } from './hugo-shortcodes.ts';
import { withLoops } from './liquid-loops.ts';
import { withPageData } from './page-data.ts';
import { linesBetween, numberedLines, readInside } from './read-part.ts';
import type { FolderSite } from './scan-folder.ts';
import { decoded, type Fields, isMarkdown, memberOf, valueAt } from './sites/site.ts';

export interface FillIn {
  /** Real path of the file. */
  file: string;
  /** Real paths of the folders whose files may be included; the first is that of the knowledge base. */
  roots: readonly string[];
  site: FolderSite | undefined;
  fields: Fields;
  language?: string | undefined;
  /** Public address of a file, by its real path. */
  urlOf: (file: string) => string | undefined;
}

/**
 * Puts into a text what its generator would: the parts that it includes from other files, values that the configuration names, and the
 * addresses of the pages that it links to. Only files below the folder are read, and nothing is run.
 */
export function fillIn(text: string, { file, roots, site, fields, language, urlOf }: FillIn): string {
  const state: Including = { roots, site, left: MAX_INCLUDED };
  let whole = withPageData(withIncludes(text, { file, depth: 0, state }));
  const dataOf = site?.site.dataOf;
  if (dataOf !== undefined)
    whole = withLoops(whole, (name) =>
      name.startsWith('page.') ? memberOf(fields, name.split('.').slice(1)) : dataOf(name),
    );
  const { templateOf, phraseOf = () => undefined, settingOf = () => undefined } = site?.site ?? {};
  if (templateOf !== undefined)
    whole = withShortcodes(whole, { templateOf, phraseOf: (id) => phraseOf(id, language), settingOf });
  if (site !== undefined) whole = withValues(whole, { site, fields });
  // The reader of HTML knows no tags of templates.
  if (site?.site.values === 'everywhere' && /\.html?$/i.test(file)) whole = withoutTags(whole);
  return withLinks(whole, { file, site, urlOf });
}

const MAX_DEPTH = 5;
/** Characters of all included parts of an article. */
const MAX_INCLUDED = 500_000;
/** Files with a name and an ending, and no hidden ones. */
const TEXT = /(?:^|[/\\])[^./\\][^/\\]*\.\w{1,12}$/;

interface Including {
  roots: readonly string[];
  site: FolderSite | undefined;
  left: number;
}

interface Place {
  file: string;
  depth: number;
  state: Including;
}

/** Gives each line that is not fenced code to `read`. */
const outsideCode = (text: string, read: (line: string) => string): string =>
  runsOutsideCode(text, (lines) => lines.map((line) => (line.length > 20_000 ? line : read(line))));

const IMPORT = /^import\s+(\w+)\s+from\s+['"]([^'"\n]{1,300}\.mdx?)['"];?[ \t]*$/;
/** mdBook puts files in wherever it is written, in code too. */
const BOOK_INCLUDE =
  /(\\?)\{\{#(include|rustdoc_include|playground|playpen|title)[ \t]+([^}\s]{1,300})(?:[ \t][^}\n]{0,200})?\}\}/g;
/** Code that VitePress takes from another file, and what Docsify does, by the ending of the file. */
const CODE_INCLUDE = /^([ \t]*)<<<[ \t]*([^\s#{[]{1,300})(?:#([\w-]{1,80}))?[ \t]*(?:\{([^}\n]{0,80})\})?/;
const LINK_INCLUDE = /^([ \t]*)\[[^\]\n]{0,200}\]\(([^()\s]{1,300})[ \t]+["']:include([^"'\n]{0,200})["']\)[ \t]*$/;
const SNIPPET = /^([ \t]*)-{1,2}8<-{1,2}[ \t]+["']([^"'\n]{1,300})["'][ \t]*$/;
const COMMENT_INCLUDE =
  /^([ \t]*)<!--[ \t]*@include:[ \t]*([^\s#{]{1,300})(?:#([\w-]{1,80}))?(?:\{(\d*),?(\d*)\})?[ \t]*-->[ \t]*$/;
const BRACED_INCLUDE = /^([ \t]*)\{!-?[ \t]*([^\s!{}][^!{}\n]{0,300}?)[ \t]*!\}[ \t]*$/;
const TAG_INCLUDE =
  /^([ \t]*)\{%-?[ \t]*(include|include_relative|include-markdown|includes)[ \t]+(?:file=)?["']?([\w./-]{1,300}\.\w{1,8})["']?([^%]{0,1000})%\}[ \t]*$/;
const SHORTCODE_INCLUDE =
  /^([ \t]*)\{\{[<%][ \t]*(?:include|readfile|include-file|embed|snippet|import)[ \t]+(?:file[ \t]*=[ \t]*)?["']([^"'\n]{1,300})["'][^>%]{0,200}[%>]\}\}[ \t]*$/;

function withIncludes(text: string, place: Place): string {
  if (place.depth >= MAX_DEPTH) return text;
  if (!/^import\s|8<|@include|\{%-?\s*include|\{\{[<%#]|\{!|<<<|:include/m.test(text)) return text;
  const parts = new Map<string, string>();
  const expanded = text.replace(BOOK_INCLUDE, (found, backslash: string, name: string, target: string) => {
    if (backslash !== '') return found.slice(1);
    if (name === 'title') return '';
    const [, path = '', selection] = /^([^:]+):?(.*)$/.exec(target) ?? [];
    if (name.startsWith('play')) return codeAt(path, { language: 'rust', place }) ?? found;
    return partAt(path, place, selection) ?? found;
  });
  return outsideCode(expanded, (line) => {
    const [, name, source] = IMPORT.exec(line) ?? [];
    if (name !== undefined && source !== undefined) {
      // A string of JavaScript may escape any character.
      const part = partAt(source.replace(/\\(.)/g, '$1'), place);
      if (part === undefined) return line;
      parts.set(name, part);
      return '';
    }
    if (parts.size > 0 && line.includes('<')) return withComponents(line, parts);
    return included(line, place) ?? line;
  });
}

/** The part that a line includes; undefined when it includes none, or one that cannot be read. */
function included(line: string, place: Place): string | undefined {
  const [, space = '', source] = SNIPPET.exec(line) ?? BRACED_INCLUDE.exec(line) ?? SHORTCODE_INCLUDE.exec(line) ?? [];
  if (source !== undefined) {
    const [, name = '', selection] = /^(.*?)(?::([\w-]*(?::\d*)?))?$/.exec(source) ?? [];
    return indented(partAt(name, place, selection), space);
  }
  const [, before = '', path, region, from, to] = COMMENT_INCLUDE.exec(line) ?? [];
  if (path !== undefined) return indented(partAt(path, place, region ?? (from || to ? `${from}:${to}` : '')), before);
  const [, left = '', code, selection, settings = ''] = CODE_INCLUDE.exec(line) ?? [];
  if (code !== undefined) {
    const language = /[a-z]\w*/.exec(settings)?.[0];
    return indented(codeAt(code, { language, selection, place }), left);
  }
  const [, start = '', file, options = ''] = LINK_INCLUDE.exec(line) ?? [];
  if (file !== undefined) {
    const [, fragment] = /:fragment=([\w.-]+)/.exec(options) ?? [];
    const [, type = '', language] = /:type=(\w+)(?:[ \t]+(\w+))?/.exec(options) ?? [];
    if (isMarkdown(file) && type !== 'code') return indented(partAt(file, place), start);
    return /\.html?$/i.test(file) && type !== 'code'
      ? undefined
      : indented(codeAt(file, { language, selection: fragment, place }), start);
  }
  const [, indent = '', , name, rest = ''] = TAG_INCLUDE.exec(line) ?? [];
  // What only carries a text is read as a note.
  if (name === undefined || /\b(?:content|text)\s*=/.test(rest)) return undefined;
  const part = partAt(name, place);
  const given = new Map(
    [...rest.matchAll(/([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|(\S+))/g)].map(([, key = '', ...values]) => [
      key,
      values.find((each) => each !== undefined) ?? '',
    ]),
  );
  return indented(
    part?.replace(/\{\{-?\s*include\.([\w-]+)\s*(?:\|[^}]{0,200})?-?\}\}/g, (_, key: string) => given.get(key) ?? ''),
    indent,
  );
}

const indented = (part: string | undefined, space: string): string | undefined =>
  part === undefined || space === '' ? part : part.replace(/^(?=.)/gm, space);

function withComponents(line: string, parts: ReadonlyMap<string, string>): string {
  return line.replace(
    /^([ \t]*)(.*?)<([A-Z]\w*)((?:\s+[\w-]+(?:=(?:"[^"]*"|'[^']*'|\{[^{}]*\}))?){0,20})\s*(?:\/>|>\s*<\/\3>)/g,
    (found, space: string, before: string, name: string, attributes: string) => {
      const part = parts.get(name);
      if (part === undefined) return found;
      const props = new Map(
        [...attributes.matchAll(/([\w-]+)=(?:"([^"]*)"|'([^']*)'|\{\s*["'`]?([^{}"'`]*)["'`]?\s*\})/g)].map(
          ([, key = '', ...values]) => [key, values.find((each) => each !== undefined) ?? ''],
        ),
      );
      const filled = part.replace(/\{\s*props\.(\w+)\s*\}/g, (code, key: string) => props.get(key) ?? code);
      return `${space}${before}\n${indented(filled, space)}\n${space}`;
    },
  );
}

/** A part without its front matter, with the parts that it includes itself; `selection`: `2:5` or the name of a part. */
function partAt(source: string, place: Place, selection = ''): string | undefined {
  const part = fileAt(source, place);
  if (part === undefined) return undefined;
  if (selection !== '' || !isMarkdown(part.file)) return selected(part.text, selection).trimEnd();
  const { body } = splitFrontMatter(part.text);
  return withIncludes(body, { ...place, file: part.file, depth: place.depth + 1 }).trim();
}

/** A file as fenced code, in the language of its ending. */
function codeAt(
  source: string,
  { language, selection, place }: { language?: string | undefined; selection?: string | undefined; place: Place },
): string | undefined {
  const part = fileAt(source, place);
  if (part === undefined) return undefined;
  const fence = '`'.repeat(Math.max(3, ...[...part.text.matchAll(/`{3,}/g)].map(([marks]) => marks.length + 1)));
  const ending = /\w+$/.exec(part.file)?.[0] ?? '';
  return `${fence}${language ?? ending}\n${selected(part.text, selection).trimEnd()}\n${fence}`;
}

function selected(text: string, selection = ''): string {
  const lines = text.split('\n');
  const [, from, colon, to = ''] = /^(\d*)(:?)(\d*)$/.exec(selection) ?? [];
  if (from === undefined) return linesBetween(lines, new Set([selection])).join('\n');
  const all = selection === '' ? lines : numberedLines(lines, [colon === '' ? from : `${from}:${to}`], ':');
  return linesBetween(all, new Set()).join('\n');
}

function fileAt(source: string, { file, state }: Place): { file: string; text: string } | undefined {
  for (const path of TEXT.test(source) ? candidates(source, file, state.site) : []) {
    const part = readInside(path, state.roots, state.left);
    if (part === undefined) continue;
    state.left -= part.text.length;
    return part;
  }
  return undefined;
}

function candidates(source: string, file: string, site: FolderSite | undefined): string[] {
  const plain = source.replace(/^@site\/|^@\//, '/');
  const folders = (site?.site.includes ?? []).map((folder) => join(site?.root ?? '', folder));
  if (plain.startsWith('/'))
    return site === undefined ? [] : [join(site.root, plain), ...folders.map((folder) => join(folder, plain))];
  return [resolve(dirname(file), plain), ...folders.map((folder) => join(folder, plain))];
}

const VALUE =
  /\{\{-?\s*(?:([$.\w][\w.$-]{0,100})\s*(?:\|[^{}]{0,200})?)-?\}\}|\{\{[<%]\s*(?:param|site-param)\s+["']?([\w.-]{1,100})["']?\s*[%>]\}\}/g;
const RAW = /(\{%-?\s*(?:raw|verbatim)\s*-?%\}[\s\S]*?\{%-?\s*end(?:raw|verbatim)\s*-?%\})/;

/** Values that stay what they are where they are not known. */
function withValues(text: string, { site: { site }, fields }: { site: FolderSite; fields: Fields }): string {
  if (!text.includes('{{') || (site.values === 'none' && !text.includes('{{<'))) return text;
  const fill = (part: string): string =>
    part.replace(VALUE, (found, name: string | undefined, param: string | undefined) => {
      const setting = name ?? param ?? '';
      const value = site.settingOf?.(setting) ?? ofPage(setting, fields);
      // Under a name of a generator, so that it is read as a value that is not known.
      return (
        value ?? (site.hasPlainValues === true && /^\w+(?:\.\w+)*$/.test(setting) ? `{{ config.${setting} }}` : found)
      );
    });
  if (site.values === 'text') return outsideCode(text, fill);
  return text
    .split(RAW)
    .map((part, at) => (at % 2 === 1 ? part : fill(part)))
    .join('');
}

const withoutTags = (html: string): string =>
  html.replace(/\{%-?(?:[^%]|%(?!\})){0,1000}%\}/g, '').replace(/\{\{(?:[^{}]){0,500}\}\}/g, '…');

const ofPage = (name: string, fields: Fields): string | undefined => {
  const [, path] = /^(?:page\.(?:meta\.)?|\$frontmatter\.|\.Params\.)(.+)$/.exec(name) ?? [];
  return path === undefined ? undefined : valueAt(fields, path.split('.'));
};

interface Linking {
  file: string;
  site: FolderSite | undefined;
  urlOf: (file: string) => string | undefined;
}

const INLINE = /(\]\(\s{0,9}<?)([^()\s<>]{1,1000})(?=[\s>)])/g;
/** A link of GitBook without words. */
const PAGE_REFERENCE = /\{%\s{0,9}page-ref\s{1,9}page="([^"\n]{1,500})"\s{0,9}%\}/g;
/** A link whose words are only the name of a file. */
const NAMED = /\[([\w.-]{1,200}\/?)\]\(([^()\s<>#]{1,1000})\)/g;
const DEFINITION = /^(\s{0,3}\[[^\]\n]{1,300}\]:\s{1,9}<?)([^\s<>]{1,1000})/;
const ATTRIBUTE = /(\b(?:href|to|link)=["'])([^"'\n]{1,1000})(?=["'])/g;
const SHORTCODE =
  /\{\{[<%]\s{0,9}(?:rel)?ref\s{1,9}(?:["']([^"'\n]{1,500})["']|([^"'\s%>]{1,500}))\s{0,9}[%>]\}\}|\{%-?\s{0,9}(?:link|post_url)\s{1,9}([^\s%]{1,500})\s{0,9}-?%\}/g;

/** Links to files of the folder lead to their pages. */
function withLinks(text: string, linking: Linking): string {
  const linked = (_: string, before: string, target: string): string => before + (addressOf(target, linking) ?? target);
  return outsideCode(text, (line) => {
    if (!/[([:"']/.test(line)) return line;
    return line
      .replace(
        SHORTCODE,
        (found, quoted: string | undefined, plain: string | undefined, link: string | undefined) =>
          addressOf(quoted ?? plain ?? link ?? '', linking) ?? found,
      )
      .replace(DEFINITION, linked)
      .replace(PAGE_REFERENCE, (_, target: string) => `[${target.replace(/\/$/, '').split('/').at(-1)}](${target})`)
      .replace(NAMED, (found, name: string, target: string) => {
        const title = target.replace(/\/$/, '').endsWith(name) ? titleOf(target, linking) : undefined;
        return title === undefined ? found : `[${title}](${target})`;
      })
      .replace(INLINE, linked)
      .replace(ATTRIBUTE, linked);
  });
}

/** The title that the configuration names for the page of a file. */
function titleOf(target: string, { file, site }: Linking): string | undefined {
  if (site === undefined) return undefined;
  const plain = resolve(dirname(file), decoded(target));
  for (const ending of ['', '/README.md']) {
    const page = site.site.pageOf(
      relative(site.root, plain + ending)
        .split(sep)
        .join('/'),
      {},
    );
    if ('title' in page && page.title !== undefined) return page.title;
  }
  return undefined;
}

const ENDINGS = ['', '.md', '.markdown', '.mdx', '/index.md', '/_index.md', '/index.mdx', '/README.md', '.html'];

function addressOf(target: string, { file, site, urlOf }: Linking): string | undefined {
  if (/^(?:[a-z][\w+.-]*:|#|\/\/|\{)/i.test(target)) return undefined;
  const [, path = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(target) ?? [];
  if (path === '') return undefined;
  const plain = decoded(path.replace(/^@site\//, '/'));
  const folders =
    plain.startsWith('/') || !/^\.{1,2}\//.test(plain)
      ? site === undefined
        ? []
        : [
            site.root,
            ...(site.site.includes ?? []).map((each) => join(site.root, each)),
            ...CONTENT.map((each) => join(site.root, each)),
            ...(site.site.generator === 'Jekyll' ? [join(site.root, '_posts')] : []),
          ]
      : [];
  const files = [
    ...(plain.startsWith('/') ? [] : [resolve(dirname(file), plain)]),
    ...folders.map((folder) => join(folder, plain)),
  ];
  for (const each of files)
    for (const ending of ENDINGS) {
      const url = urlOf(each.replace(/[/\\]$/, '') + ending);
      if (url !== undefined) return url + rest;
    }
  const address = site?.site.address;
  return plain.startsWith('/') && site?.site.hasSiteLinks === true && address !== undefined
    ? `${address}${path.replace(/^@site/, '').slice(1)}${rest}`
    : undefined;
}

/** Folders in which links of Hugo and Docusaurus begin. */
const CONTENT = ['content', 'docs', 'src/content/docs'];
