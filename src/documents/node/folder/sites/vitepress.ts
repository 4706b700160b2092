import ignore from 'ignore';
import { languageTag } from '../../../../language/language-tag.ts';
import {
  configIn,
  exportedValue,
  isMapping,
  type Literal,
  moduleReader,
} from './literal-values.ts';
import {
  addressOf,
  folderOf,
  isMarkdown,
  listIn,
  NOT_OF_THE_SITE,
  outsideOf,
  routeOf,
  type Site,
  type SiteFiles,
  textIn,
} from './site.ts';

const CONFIG = /^config\.(?:[cm]?js|[cm]?ts)$/;

/** VitePress: `.vitepress/config.ts`, or `.vitepress/config/index.ts`. */
export function vitepress(files: SiteFiles): Site | undefined {
  const folder = ['.vitepress', '.vitepress/config'].find((each) =>
    files
      .list(each)
      .some((name) => CONFIG.test(name) || (each.endsWith('config') && /^index\.\w+$/.test(name))),
  );
  if (folder === undefined) return undefined;
  const name = files
    .list(folder)
    .find((each) => CONFIG.test(each) || (folder.endsWith('config') && /^index\./.test(each)));
  const config =
    configIn(
      exportedValue(files.read(`${folder}/${name}`) ?? '', moduleReader(files, `${folder}/`)),
    ) ?? {};
  const source = folderOf(textIn(config.srcDir) ?? '');
  const rules = ignore().add(listIn(config.srcExclude));
  const sitemap = isMapping(config.sitemap) ? config.sitemap : {};
  const locales = isMapping(config.locales) ? config.locales : {};
  const isClean = config.cleanUrls === true;
  const rewrites = isMapping(config.rewrites) ? config.rewrites : {};
  return {
    generator: 'VitePress',
    address:
      addressOf(sitemap.hostname, config.base) ?? addressIn(config) ?? localeAddress(locales),
    values: 'text',
    hasPlainValues: true,
    hasSiteLinks: true,
    outside: outsideOf([source]),
    pageOf: (path, fields) => {
      if (!path.startsWith(source) || !isMarkdown(path)) return { why: NOT_OF_THE_SITE };
      const file = path.slice(source.length);
      if (file !== '' && rules.ignores(file)) return { why: 'excluded by srcExclude' };
      if (/\[[^\]]+\]/.test(file)) return { route: undefined };
      const route = routeOf(rewritten(file, rewrites), {
        ending: isClean ? '' : '.html',
        names: INDEX,
      });
      return {
        route,
        language: languageOf(file, fields, { locales, config }),
        translation: file.slice(localeIn(file, locales).length),
      };
    },
  };
}

const INDEX = /(?:^|(?<=\/))index$/;
const MAX_REWRITES = 200;

/** Place that `rewrites` gives a file, by its path or a pattern: `{'packages/:name/src/:rest*': ':name/:rest*'}`. */
function rewritten(file: string, rewrites: Record<string, Literal>): string {
  const exact = Object.hasOwn(rewrites, file) ? rewrites[file] : undefined;
  if (typeof exact === 'string') return exact;
  for (const [pattern, target] of Object.entries(rewrites).slice(0, MAX_REWRITES)) {
    if (typeof target !== 'string' || !pattern.includes(':') || pattern.length > 300) continue;
    const values = valuesIn(file, pattern);
    if (values !== undefined)
      return target
        .replace(/:(\w+)(?:\([^()]*\))?[*+?]?/g, (_, name: string) => values.get(name) ?? '')
        .replace(/\/{2,}/g, '/')
        .replace(/^\//, '');
  }
  return file;
}

const PARAMETER = /:(\w{1,60})(?:\([^()]{0,100}\))?([*+?]?)/g;
const MAX_PARAMETERS = 8;

/** Values of the parameters of a pattern: a segment each, or with `*` and `+` several. Undefined when the path does not match. */
function valuesIn(file: string, pattern: string): Map<string, string> | undefined {
  const names: string[] = [];
  let source = '';
  let from = 0;
  const plain = pattern.replace(/^\//, '');
  const literal = (part: string): string => part.replace(/[.+?^${}()|[\]*]/g, '$&');
  for (const { 0: found, 1: name = '', 2: sign, index } of plain.matchAll(PARAMETER)) {
    source +=
      literal(plain.slice(from, index)) +
      (sign === '*' ? '(.*?)' : sign === '+' ? '(.+?)' : '([^/]+?)');
    names.push(name);
    from = index + found.length;
  }
  if (names.length === 0 || names.length > MAX_PARAMETERS) return undefined;
  const [all, ...values] = new RegExp(`^${source}${literal(plain.slice(from))}$`).exec(file) ?? [];
  return all === undefined ? undefined : new Map(names.map((name, at) => [name, values[at] ?? '']));
}

/** The address that the pages name for previews: `['meta', { property: 'og:url', content: … }]`. */
function addressIn(config: Record<string, Literal>): string | undefined {
  for (const tag of Array.isArray(config.head) ? config.head : []) {
    const attributes = Array.isArray(tag) ? tag[1] : undefined;
    if (isMapping(attributes) && attributes.property === 'og:url')
      return addressOf(attributes.content);
  }
  return undefined;
}

/** The address in the head of the language at the root. */
const localeAddress = (locales: Record<string, Literal>): string | undefined =>
  isMapping(locales.root) ? addressIn(locales.root) : undefined;

/** The folder of a language that a file lies in; empty for others. */
function localeIn(file: string, locales: Record<string, Literal>): string {
  const [, first = ''] = /^([^/]+)\//.exec(file) ?? [];
  return Object.hasOwn(locales, first) ? first : '';
}

function languageOf(
  file: string,
  fields: { lang?: unknown },
  { locales, config }: { locales: Record<string, Literal>; config: Record<string, Literal> },
): string | undefined {
  const first = localeIn(file, locales);
  const own = first === '' ? locales.root : locales[first];
  const named = isMapping(own) ? textIn(own.lang) : undefined;
  const isFolder = own !== undefined && own !== locales.root;
  return languageTag(textIn(fields.lang) ?? named ?? (isFolder ? first : textIn(config.lang)));
}
