import { dirname, join, resolve } from 'node:path';
import { decodeUri } from '../../../language/decode-uri.ts';
import { linesOutsideCode } from '../../../language/outside-code.ts';
import { withShortcodes } from './hugo-shortcodes.ts';
import { withParts } from './include-parts.ts';
import { withLoops } from './liquid-loops.ts';
import { indented } from './read-part.ts';
import { type FolderSite, pathIn } from './scan-folder.ts';
import { exportsOf, isMapping, type Literal } from './sites/literal-values.ts';
import { type Fields, memberOf, valueAt } from './sites/site.ts';

interface FillIn {
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
export function fillIn(
  text: string,
  { file, roots, site, fields, language, urlOf }: FillIn,
): string {
  let page = withPageData(withParts(text, { file, roots, site }));
  const dataOf = site?.site.dataOf;
  if (dataOf !== undefined) page = withLoops(page, { fields, dataOf });
  const { templateOf, phraseOf = () => undefined, settingOf = () => undefined } = site?.site ?? {};
  if (templateOf !== undefined)
    page = withShortcodes(page, {
      templateOf,
      phraseOf: (id) => phraseOf(id, language),
      settingOf,
    });
  if (site !== undefined) page = withValues(page, { site, fields });
  // The reader of HTML knows no tags of templates.
  if (site?.site.values === 'everywhere' && /\.html?$/i.test(file)) page = withoutTags(page);
  return withLinks(page, { file, site, urlOf });
}

const VALUE =
  /\{\{-?\s*(?:([$.\w][\w.$-]{0,100})\s*(?:\|[^{}]{0,200})?)-?\}\}|\{\{[<%]\s*(?:param|site-param)\s+["']?([\w.-]{1,100})["']?\s*[%>]\}\}/g;
const RAW = /(\{%-?\s*(?:raw|verbatim)\s*-?%\}[\s\S]*?\{%-?\s*end(?:raw|verbatim)\s*-?%\})/;

/** Values that stay what they are where they are not known. */
function withValues(
  text: string,
  { site: { site }, fields }: { site: FolderSite; fields: Fields },
): string {
  if (!text.includes('{{') || (site.values === 'none' && !text.includes('{{<'))) return text;
  const fill = (part: string): string =>
    part.replace(VALUE, (found, name: string | undefined, param: string | undefined) => {
      const setting = name ?? param ?? '';
      const value =
        site.settingOf?.(setting) ??
        ofPage(setting, fields) ??
        valueAt(fields, ['myst', 'substitutions', setting]);
      // Under a name of a generator, so that it is read as a value that is not known.
      return (
        value ??
        (site.hasPlainValues === true && /^\w+(?:\.\w+)*$/.test(setting)
          ? `{{ config.${setting} }}`
          : found)
      );
    });
  // Vue leaves what `v-pre` marks as it is written.
  if (site.values === 'text')
    return linesOutsideCode(text, (line) => (line.includes('v-pre') ? line : fill(line)));
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
  const linked = (_: string, before: string, target: string): string =>
    before + (addressOf(target, linking) ?? target);
  return linesOutsideCode(text, (line) => {
    if (!/[([:"']/.test(line)) return line;
    return line
      .replace(
        SHORTCODE,
        (found, quoted: string | undefined, plain: string | undefined, link: string | undefined) =>
          addressOf(quoted ?? plain ?? link ?? '', linking) ?? found,
      )
      .replace(DEFINITION, linked)
      .replace(
        PAGE_REFERENCE,
        (_, target: string) => `[${target.replace(/\/$/, '').split('/').at(-1)}](${target})`,
      )
      .replace(NAMED, (found, name: string, target: string) => {
        const title = target.replace(/\/$/, '').endsWith(name)
          ? titleOf(target, linking)
          : undefined;
        return title === undefined ? found : `[${title}](${target})`;
      })
      .replace(INLINE, linked)
      .replace(ATTRIBUTE, linked);
  });
}

/** The title that the configuration names for the page of a file. */
function titleOf(target: string, { file, site }: Linking): string | undefined {
  if (site === undefined) return undefined;
  const plain = resolve(dirname(file), decodeUri(target));
  for (const ending of ['', '/README.md']) {
    const path = pathIn(site, plain + ending);
    const page = path === undefined ? undefined : site.site.pageOf(path, {});
    if (page !== undefined && 'title' in page && page.title !== undefined) return page.title;
  }
  return undefined;
}

const ENDINGS = [
  '',
  '.md',
  '.markdown',
  '.mdx',
  '/index.md',
  '/_index.md',
  '/index.mdx',
  '/README.md',
  '.html',
];

function addressOf(target: string, { file, site, urlOf }: Linking): string | undefined {
  if (/^(?:[a-z][\w+.-]*:|#|\/\/|\{)/i.test(target)) return undefined;
  const [, path = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(target) ?? [];
  if (path === '') return undefined;
  const plain = decodeUri(path.replace(/^@site\//, '/'));
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

/** A constant of a page of MDX with several values, and the line that ends it. */
const CONSTANT = /^export[ \t]+const[ \t]+(\w{1,80})[^\n=]{0,80}=[ \t]*[[{][ \t]*$/;
const LAST_LINE = /^[\]}];?[ \t]*$/;
const COMPONENT =
  /^([ \t]*)<[A-Z][\w.]{0,80}(?=\s)[^<>\n]{0,300}?=\{([\w.]{1,160})\}[^<>\n]{0,300}\/>[ \t]*$/;
const MAX_PAGE = 500_000;
const MAX_ITEMS = 1000;

/**
 * Puts in what a page of MDX gives to its components as data, where that is a list of texts, or of questions with their answers: a
 * component shows it, whatever it looks like.
 */
export function withPageData(text: string): string {
  if (text.length > MAX_PAGE || !/^export[ \t]+const[ \t]/m.test(text)) return text;
  const data = constantsOf(text);
  return linesOutsideCode(text, (line) => {
    const [, indent = '', path = ''] = line.length < 1000 ? (COMPONENT.exec(line) ?? []) : [];
    const items = path === '' ? undefined : itemsOf(memberOf(data, path.split('.')));
    return items === undefined ? line : indented(items.join('\n\n'), indent);
  });
}

function constantsOf(text: string): Record<string, Literal> {
  const data: Record<string, Literal> = {};
  let open: { name: string; lines: string[] } | undefined;
  for (const line of text.split('\n')) {
    const name = line.startsWith('export') ? CONSTANT.exec(line)?.[1] : undefined;
    if (name !== undefined) open = { name, lines: [] };
    open?.lines.push(line);
    if (open === undefined || !LAST_LINE.test(line)) continue;
    data[open.name] = exportsOf(open.lines.join('\n'), undefined).get(open.name);
    open = undefined;
  }
  return data;
}

/** Blocks of Markdown; undefined for a value that is no list of texts. */
function itemsOf(value: unknown): string[] | undefined {
  if (!Array.isArray(value) || value.length > MAX_ITEMS) return undefined;
  const items = value.map(itemOf).filter((item) => item !== '');
  return items.length === 0 ? undefined : items;
}

function itemOf(value: unknown): string {
  if (typeof value === 'string') return isProse(value) ? `- ${value.trim()}` : '';
  const texts = isMapping(value)
    ? Object.values(value).filter((each) => typeof each === 'string')
    : [];
  const [title = '', ...rest] = texts.filter(isProse).map((each) => each.trim());
  const isTitle = rest.length > 0 && !title.includes('\n');
  return [isTitle ? `**${title.replaceAll('*', '')}**` : title, ...rest]
    .filter((each) => each !== '')
    .join('\n\n');
}

/** Several words; addresses, paths and names of icons are not shown. */
const isProse = (text: string): boolean => /\p{L}\S*\s+\S*\p{L}/u.test(text);
